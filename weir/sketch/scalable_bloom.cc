#include "weir/sketch/scalable_bloom.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weir/sketch/bloom_bits.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/hashes.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kName = "scalable Bloom filter";
/// Each layer's error rate is this share of the one before, and the first's of the whole.
constexpr double kTighten = 0.5;
constexpr std::size_t kLayerBytes = 53;
/// An error rate of 1e-300 takes 1,000 hashes. More are no filter but a way to keep us busy.
constexpr std::uint32_t kMostHashes = 2048;
constexpr std::size_t kMostLayers = 64;

}  // namespace

Result<ScalableBloom> ScalableBloom::make(const Options& options) {
  if (!(options.error > 0 && options.error < 1)) {
    return error_of(kName,
                    "the error rate is " + std::to_string(options.error) + "; it must lie between 0 and 1");
  }
  if (options.capacity == 0) return error_of(kName, "the capacity is 0; it must be at least 1");
  if (options.scales && options.growth == 0) return error_of(kName, "the growth is 0; it must be at least 1");
  ScalableBloom filter;
  filter.growth_ = options.growth;
  filter.most_bytes_ = options.most_bytes;
  if (!options.scales) filter.options_ |= kNotScaling;
  if (!filter.grow(options.capacity, options.scales ? options.error * kTighten : options.error)) {
    return error_of(kName, std::to_string(options.capacity) + " values at an error rate of " +
                               std::to_string(options.error) + " take more than " +
                               std::to_string(options.most_bytes) + " bytes");
  }
  return filter;
}

bool ScalableBloom::grow(std::uint64_t entries, double error) {
  if (layers_.size() >= kMostLayers || !(error > 0)) return false;
  Layer layer;
  layer.error = error;
  layer.entries = entries;
  layer.bits_per_entry = bloom_bits_per_value(error);
  layer.hashes = static_cast<std::uint32_t>(std::ceil(std::numbers::ln2 * layer.bits_per_entry));
  const double words = std::ceil(static_cast<double>(entries) * layer.bits_per_entry / 64);
  if (layer.hashes > kMostHashes || words * 8 > static_cast<double>(most_bytes_ - bytes())) return false;
  layer.bits.resize(static_cast<std::size_t>(words) * 8);
  layers_.push_back(std::move(layer));
  return true;
}

// ---- Values ----

ScalableBloom::Hash ScalableBloom::hash(std::string_view value) {
  const std::uint64_t first = murmur64a(value, 0xC6A4A7935BD1E995);
  return {first, murmur64a(value, first)};
}

bool ScalableBloom::holds(const Layer& layer, Hash hash) {
  for (std::uint64_t i = 0; i < layer.hashes; ++i) {
    const std::uint64_t bit = (hash.first + i * hash.step) % layer.size();
    if ((static_cast<unsigned char>(layer.bits[bit / 8]) >> bit % 8 & 1U) == 0) return false;
  }
  return true;
}

void ScalableBloom::set(Layer& layer, Hash hash) {
  for (std::uint64_t i = 0; i < layer.hashes; ++i) {
    const std::uint64_t bit = (hash.first + i * hash.step) % layer.size();
    layer.bits[bit / 8] = static_cast<char>(static_cast<unsigned char>(layer.bits[bit / 8]) | 1U << bit % 8);
  }
}

bool ScalableBloom::holds(Hash hash) const {
  // The last layer is the largest and holds the newest.
  return std::any_of(layers_.rbegin(), layers_.rend(),
                     [&](const Layer& layer) { return holds(layer, hash); });
}

bool ScalableBloom::contains(std::string_view value) const {
  return holds(hash(value));
}

ScalableBloom::Added ScalableBloom::add(std::string_view value) {
  const Hash hashed = hash(value);
  if (holds(hashed)) return Added::known;
  const Layer& last = layers_.back();
  if (last.items >= last.entries) {
    std::uint64_t entries = 0;
    if (!scales() || __builtin_mul_overflow(last.entries, std::uint64_t{growth_}, &entries) ||
        !grow(entries, last.error * kTighten)) {
      return Added::full;
    }
  }
  set(layers_.back(), hashed);
  ++layers_.back().items;
  ++items_;
  return Added::fresh;
}

void ScalableBloom::add(std::span<const std::string_view> values, std::span<Added> added) {
  for (std::size_t i = 0; i < values.size(); ++i) added[i] = add(values[i]);
}

void ScalableBloom::contains(std::span<const std::string_view> values, std::span<bool> found) const {
  for (std::size_t i = 0; i < values.size(); ++i) found[i] = contains(values[i]);
}

bool ScalableBloom::same_shape(const Layer& a, const Layer& b) {
  return a.size() == b.size() && a.hashes == b.hashes && a.entries == b.entries && a.error == b.error;
}

void ScalableBloom::take_layer(std::vector<Layer>& layers, const Layer& theirs) {
  for (Layer& mine : layers) {
    if (!same_shape(mine, theirs) || mine.items + theirs.items > mine.entries) continue;
    for (std::size_t i = 0; i < mine.bits.size(); ++i) {
      mine.bits[i] = static_cast<char>(mine.bits[i] | theirs.bits[i]);
    }
    mine.items += theirs.items;
    return;
  }
  layers.push_back(theirs);
}

Status ScalableBloom::merge(const ScalableBloom& other) {
  if (options_ != other.options_ || growth_ != other.growth_ ||
      !same_shape(layers_.front(), other.layers_.front())) {
    return error_of(kName, "can't merge: the two were made with different sizes or options");
  }
  if (Status can = check_count(items_, other.items_, kName); !can) return can;
  std::vector<Layer> layers = layers_;
  for (const Layer& theirs : other.layers_) take_layer(layers, theirs);
  std::stable_sort(layers.begin(), layers.end(),
                   [](const Layer& a, const Layer& b) { return a.entries < b.entries; });
  if (layers.size() > kMostLayers || bytes_of(layers) > most_bytes_) {
    return error_of(
        kName, "can't merge: it would take more than 64 layers or " + std::to_string(most_bytes_) + " bytes");
  }
  layers_ = std::move(layers);
  items_ += other.items_;
  return Done{};
}

// ---- What it says of itself ----

std::uint64_t ScalableBloom::capacity() const {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers_) {
    if (__builtin_add_overflow(sum, layer.entries, &sum)) return ~std::uint64_t{0};
  }
  return sum;
}

std::uint64_t ScalableBloom::bytes_of(const std::vector<Layer>& layers) {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.bits.size();
  return sum;
}

double ScalableBloom::error_rate() const {
  double right = 1;
  for (const Layer& layer : layers_) {
    const double filled = static_cast<double>(count_bits(layer.bits)) / static_cast<double>(layer.size());
    right *= 1 - std::pow(filled, layer.hashes);
  }
  return 1 - right;
}

double ScalableBloom::fill() const {
  std::uint64_t set = 0;
  for (const Layer& layer : layers_) set += count_bits(layer.bits);
  return static_cast<double>(set) / (static_cast<double>(bytes()) * 8);
}

// ---- Bytes ----

std::string ScalableBloom::header() const {
  ByteWriter out;
  out.put<std::uint64_t>(items_);
  out.put<std::uint32_t>(static_cast<std::uint32_t>(layers_.size()));
  out.put<std::uint32_t>(options_);
  out.put<std::uint32_t>(growth_);
  for (const Layer& layer : layers_) {
    out.put<std::uint64_t>(layer.bits.size());
    out.put<std::uint64_t>(layer.size());
    out.put<std::uint64_t>(layer.items);
    out.put<double>(layer.error);
    out.put<double>(layer.bits_per_entry);
    out.put<std::uint32_t>(layer.hashes);
    out.put<std::uint64_t>(layer.entries);
    out.put<std::uint8_t>(layer.log_bits);
  }
  return out.take();
}

DumpChunk ScalableBloom::dump(std::uint64_t at) const {
  if (at == 0) return {.next = 1, .bytes = header()};
  return dump_chunk(layers_, at, [](const Layer& layer) { return std::string_view(layer.bits); });
}

ScalableBloom::Layer ScalableBloom::read_layer(ByteReader& in, std::uint64_t most_bytes) {
  Layer layer;
  const auto bytes = in.get<std::uint64_t>("the bytes of a layer");
  const auto bits = in.get<std::uint64_t>("the bits of a layer");
  layer.items = in.get<std::uint64_t>("the values of a layer");
  layer.error = in.get<double>("the error rate of a layer");
  layer.bits_per_entry = in.get<double>("the bits per value of a layer");
  layer.hashes = in.get<std::uint32_t>("the hashes of a layer");
  layer.entries = in.get<std::uint64_t>("the capacity of a layer");
  layer.log_bits = in.get<std::uint8_t>("the rounding of a layer");
  in.require(bytes > 0 && bytes < std::uint64_t{1} << 60U && bits == bytes * 8,
             "the bits of a layer are not eight times its bytes");
  in.require(layer.log_bits == 0 || (layer.log_bits < 64 && bits == std::uint64_t{1} << layer.log_bits),
             "the bits of a layer are not the power of two that it says");
  in.require(layer.error > 0 && layer.error < 1, "the error rate of a layer does not lie between 0 and 1");
  in.require(layer.hashes > 0 && layer.hashes <= kMostHashes, "a layer has no hashes, or more than 2048");
  in.require(layer.entries > 0, "the capacity of a layer is 0");
  in.require(layer.items <= kMostRecords / 2, "a layer holds more than 2^62 values");
  in.require(bytes <= most_bytes, "a layer of " + std::to_string(bytes) + " bytes is larger than the " +
                                      std::to_string(most_bytes) + " that are left for it");
  if (in.ok()) layer.bits.resize(static_cast<std::size_t>(bytes));
  return layer;
}

Result<ScalableBloom> ScalableBloom::from_header(std::string_view header, std::uint64_t most_bytes) {
  ByteReader in(header, kName);
  ScalableBloom filter;
  filter.most_bytes_ = most_bytes;
  filter.items_ = in.get<std::uint64_t>("the count of values");
  const auto layers = in.get<std::uint32_t>("the number of layers");
  filter.options_ = in.get<std::uint32_t>("the options");
  filter.growth_ = in.get<std::uint32_t>("the growth");
  in.require(filter.items_ <= kMostRecords, "it holds more than 2^63 values");
  in.require(layers > 0 && layers <= kMostLayers, "it has no layers, or more than 64");
  in.require((filter.options_ & ~(kNoRounding | kHash64 | kNotScaling)) == 0, "it has unknown options");
  in.require((filter.options_ & kHash64) != 0, "it was made with 32-bit hashes, which Weir does not compute");
  in.require(!filter.scales() || filter.growth_ > 0, "its growth is 0");
  in.fits(layers, kLayerBytes, "the layers");
  for (std::uint32_t i = 0; i < layers && in.ok(); ++i) {
    filter.layers_.push_back(read_layer(in, most_bytes - filter.bytes()));
  }
  if (Status end = in.finish(); !end) return end.error();
  return filter;
}

Status ScalableBloom::load(std::uint64_t next, std::string_view bytes) {
  const std::uint64_t all = this->bytes();
  if (next == 0 || next - 1 > all || bytes.size() > next - 1) {
    return error_of(kName, "a chunk of " + std::to_string(bytes.size()) + " bytes that ends at " +
                               std::to_string(next) + " does not lie within its " + std::to_string(all) +
                               " bytes");
  }
  load_chunk(layers_, next - 1 - bytes.size(), bytes,
             [](Layer& layer) -> std::string& { return layer.bits; });
  return Done{};
}

std::string ScalableBloom::encode() const {
  ByteWriter out;
  out.put_varint(most_bytes_);
  out.put_text(header());
  for (const Layer& layer : layers_) out.put_bytes(layer.bits);
  return write_frame(SketchKind::scalable_bloom, out.bytes());
}

Result<ScalableBloom> ScalableBloom::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::scalable_bloom);
  if (!payload) return payload.error();
  ByteReader in(*payload, kName);
  const std::uint64_t most_bytes = in.get_varint("the most bytes");
  const std::string_view header = in.get_text("the header");
  if (!in.ok()) return in.error();
  // No more bytes than stand there.
  Result<ScalableBloom> filter = from_header(header, std::min<std::uint64_t>(most_bytes, in.left()));
  if (!filter) return filter;
  filter->most_bytes_ = most_bytes;
  const std::uint64_t size = filter->bytes();
  const std::string_view bits = in.take(size, "the bits");
  if (Status end = in.finish(); !end) return end.error();
  if (Status loaded = filter->load(size + 1, bits); !loaded) return loaded.error();
  return filter;
}

}  // namespace weir
