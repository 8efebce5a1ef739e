#include "weir/sketch/count_min.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

#include "weir/sketch/encoding.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

constexpr std::string_view kName = "Count-Min sketch";
constexpr std::size_t kGroup = 16;

template <class Cell>
Cell capped_sum(Cell cell, std::uint64_t count, bool& capped) {
  const Cell room = static_cast<Cell>(std::numeric_limits<Cell>::max() - cell);
  if (count <= room) return static_cast<Cell>(cell + count);
  capped = true;
  return std::numeric_limits<Cell>::max();
}

/// a * b, stopping at the maximum.
std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

std::uint64_t whole(double size) {
  return size < 0x1p63 ? static_cast<std::uint64_t>(std::ceil(size)) : std::uint64_t{1} << 63U;
}

bool is_size(CountMinSize size, std::size_t cell_bytes, std::uint64_t most_depth, std::uint64_t most_bytes) {
  return size.width > 0 && size.depth > 0 && size.depth <= most_depth &&
         size.width <= most_bytes / cell_bytes / size.depth;
}

}  // namespace

CountMinSize suggest_count_min(double error, double chance) {
  return {.width = whole(std::numbers::e / error),
          .depth = std::max<std::uint64_t>(1, whole(-std::log(chance)))};
}

CountMinSize redis_count_min(double error, double chance) {
  return {.width = whole(2 / error), .depth = std::max<std::uint64_t>(1, whole(-std::log2(chance)))};
}

template <class Cell>
BasicCountMin<Cell>::BasicCountMin(CountMinSize size, Seed seed)
    : width_(size.width), depth_(size.depth), seed_(seed), hash_(seed) {
  Random random(static_cast<std::uint64_t>(seed), 0x726F7773);  // "rows"
  for (std::uint64_t& factor : factors_) factor = random.next() | 1U;
  cells_.resize(static_cast<std::size_t>(width_ * depth_));
}

template <class Cell>
Result<BasicCountMin<Cell>> BasicCountMin<Cell>::make(CountMinSize size, Seed seed) {
  if (!is_size(size, sizeof(Cell), kMostDepth, kMostBytes)) {
    return error_of(
        kName, "a width of " + std::to_string(size.width) + " and a depth of " + std::to_string(size.depth) +
                   "; each must be at least 1, the depth at most 64, and all together at most 4 GiB");
  }
  return BasicCountMin(size, seed);
}

template <class Cell>
Result<BasicCountMin<Cell>> BasicCountMin<Cell>::make(double error, double chance, Seed seed) {
  if (!(error > 0 && error < 1)) {
    return error_of(kName, "the error is " + std::to_string(error) + "; it must lie between 0 and 1");
  }
  if (!(chance > 0 && chance < 1)) {
    return error_of(kName, "the probability is " + std::to_string(chance) + "; it must lie between 0 and 1");
  }
  return make(suggest_count_min(error, chance), seed);
}

// ---- Counting ----

/// Calls go(depth) with the usual depths as constants, so that the loops over rows are unrolled: a third
/// faster.
template <class Go>
auto with_depth(std::uint64_t depth, Go go) {
  switch (depth) {
    case 3:
      return go(std::integral_constant<std::uint64_t, 3>());
    case 4:
      return go(std::integral_constant<std::uint64_t, 4>());
    case 5:
      return go(std::integral_constant<std::uint64_t, 5>());
    case 7:
      return go(std::integral_constant<std::uint64_t, 7>());
    default:
      return go(depth);
  }
}

/// go(row) for each row; written out where the depth is a constant.
template <class Depth, class Go>
void each_row(Depth depth, Go go) {
  if constexpr (std::is_integral_v<Depth>) {
    for (Depth row = 0; row < depth; ++row) go(row);
  } else {
    [&go]<std::uint64_t... kRows>(std::integer_sequence<std::uint64_t, kRows...>) {
      (go(kRows), ...);
    }
    (std::make_integer_sequence<std::uint64_t, Depth::value>());
  }
}

template <class Cell>
template <class Depth>
Cell BasicCountMin<Cell>::raise(std::uint64_t hash, std::uint64_t count, Depth depth) {
  std::array<Cell*, kMostDepth>
      cells;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as used
  Cell least = kMostCount;
  each_row(depth, [&](std::uint64_t row) {
    cells[row] = cells_.data() + place(hash, row);
    least = std::min(least, *cells[row]);
  });
  const Cell raised = capped_sum(least, count, saturated_);
  each_row(depth, [&](std::uint64_t row) { *cells[row] = std::max(*cells[row], raised); });
  return raised;
}

template <class Cell>
std::uint64_t BasicCountMin<Cell>::add_hash(std::uint64_t hash, std::uint64_t count) {
  total_ = capped_sum(total_, count, saturated_);
  return with_depth(depth_, [&](auto depth) { return raise(hash, count, depth); });
}

template <class Cell>
std::uint64_t BasicCountMin<Cell>::estimate_hash(std::uint64_t hash) const {
  Cell least = kMostCount;
  for (std::uint64_t row = 0; row < depth_; ++row) least = std::min(least, cells_[place(hash, row)]);
  return least;
}

template <class Cell>
template <class Value>
void BasicCountMin<Cell>::add_each(std::span<const Value> values) {
  total_ = capped_sum(total_, values.size(), saturated_);
  // What fits the nearer caches needs no fetching ahead.
  const bool far = bytes() > (std::uint64_t{1} << 20U);
  with_depth(depth_, [&](auto depth) {
    std::array<std::uint64_t, kGroup> hashes{};
    for (; !values.empty(); values = values.subspan(std::min(kGroup, values.size()))) {
      const std::size_t count = std::min(kGroup, values.size());
      for (std::size_t i = 0; i < count; ++i) {
        hashes[i] = hash_(values[i]);
        for (std::uint64_t row = 0; far && row < depth; ++row) {
          __builtin_prefetch(cells_.data() + place(hashes[i], row), 1);
        }
      }
      for (std::size_t i = 0; i < count; ++i) raise(hashes[i], 1, depth);
    }
  });
}

template <class Cell>
void BasicCountMin<Cell>::add(std::span<const std::uint64_t> values) {
  add_each(values);
}

template <class Cell>
void BasicCountMin<Cell>::add(std::span<const std::string_view> values) {
  add_each(values);
}

template <class Cell>
Status BasicCountMin<Cell>::add(std::span<const std::string_view> values,
                                std::span<const std::int64_t> counts, std::span<std::uint64_t> estimates) {
  const auto negative =
      std::find_if(counts.begin(), counts.end(), [](std::int64_t count) { return count < 0; });
  if (negative != counts.end()) {
    return error_of(kName, "count " + std::to_string(negative - counts.begin() + 1) + " is " +
                               std::to_string(*negative) + "; it must not be negative");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    estimates[i] = add(values[i], static_cast<std::uint64_t>(counts[i]));
  }
  return Done{};
}

template <class Cell>
Estimate BasicCountMin<Cell>::bounds(std::uint64_t estimate) const {
  const auto value = static_cast<double>(estimate);
  const double error = std::numbers::e / static_cast<double>(width_) * static_cast<double>(total_);
  const bool stopped = saturated_ && estimate == kMostCount;
  return {.value = value,
          .low = std::fmax(0, value - error),
          .high = stopped ? std::numeric_limits<double>::infinity() : value,
          .confidence = -std::expm1(-static_cast<double>(depth_))};
}

template <class Cell>
Status BasicCountMin<Cell>::merge(const BasicCountMin& other, std::uint64_t weight) {
  if (Status same = check_same_seed(seed_, other.seed_, kName); !same) return same;
  if (Status same = check_same(width_, other.width_, "the width", kName); !same) return same;
  if (Status same = check_same(depth_, other.depth_, "the depth", kName); !same) return same;
  const bool stopped = other.saturated_ && weight > 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i] = capped_sum(cells_[i], capped_product(other.cells_[i], weight), saturated_);
  }
  total_ = capped_sum(total_, capped_product(other.total_, weight), saturated_);
  saturated_ = saturated_ || stopped;
  return Done{};
}

// ---- Bytes ----

template <class Cell>
std::string BasicCountMin<Cell>::encode() const {
  ByteWriter out;
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
  out.put<std::uint8_t>(sizeof(Cell));
  out.put_varint(width_);
  out.put_varint(depth_);
  out.put_varint(total_);
  out.put<std::uint8_t>(saturated_ ? 1 : 0);
  out.put_array<Cell>(cells_);
  return write_frame(SketchKind::count_min, out.bytes());
}

template <class Cell>
Result<BasicCountMin<Cell>> BasicCountMin<Cell>::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::count_min);
  if (!payload) return payload.error();
  ByteReader in(*payload, kName);
  const Seed seed{in.get<std::uint64_t>("the seed")};
  const auto cell_bytes = in.get<std::uint8_t>("the size of a counter");
  CountMinSize size;
  size.width = in.get_varint("the width");
  size.depth = in.get_varint("the depth");
  const std::uint64_t total = in.get_varint("the total");
  const auto saturated = in.get<std::uint8_t>("the flags");
  in.require(cell_bytes == sizeof(Cell), "its counters have " + std::to_string(cell_bytes) +
                                             " bytes, where " + std::to_string(sizeof(Cell)) + " were meant");
  in.require(is_size(size, sizeof(Cell), kMostDepth, kMostBytes), "its width or depth is 0 or too large");
  in.require(saturated <= 1, "it has unknown flags");
  if (!in.ok() || !in.fits(size.width * size.depth, sizeof(Cell), "the counters")) return in.error();
  BasicCountMin sketch(size, seed);
  sketch.cells_ = in.get_array<Cell>(size.width * size.depth, "the counters");
  sketch.total_ = total;
  sketch.saturated_ = saturated == 1;
  if (Status end = in.finish(); !end) return end.error();
  return sketch;
}

template class BasicCountMin<std::uint32_t>;
template class BasicCountMin<std::uint64_t>;

}  // namespace weir
