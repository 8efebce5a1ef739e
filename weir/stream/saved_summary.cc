#include "weir/stream/saved_summary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "weir/sketch/datasketches_reservoir.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/hyperloglog_frame.h"

namespace weir {
namespace {

/// As the alternatives of AnySummary.
constexpr std::array<std::string_view, std::variant_size_v<AnySummary>> kKinds{
    "uniform sample of texts",
    "uniform sample of numbers",
    "weighted sample",
    "decayed sample",
    "VarOpt sample of texts",
    "VarOpt sample of numbers",
    "Bloom filter",
    "scalable Bloom filter",
    "cuckoo filter",
    "Count-Min sketch",
    "Count-Min sketch of 64 bits",
    "distinct count (UltraLogLog)",
    "distinct count (DataSketches HLL)",
    "distinct count (Redis HyperLogLog)",
    "distinct count (theta)",
    "most frequent texts",
    "most frequent numbers",
    "quantiles by rank of floats (KLL)",
    "quantiles by rank (KLL)",
    "quantiles by value (DDSketch)",
    "quantiles (t-digest)",
    "moments",
    "Bloom filter of DataSketches"};

/// DataSketches' families.
enum Family : std::uint8_t {
  kTheta = 3,
  kHll = 7,
  kFrequentItems = 10,
  kReservoir = 11,
  kVarOpt = 13,
  kKll = 15,
  kTDigest = 20,
  kBloom = 21
};
constexpr std::string_view kFamilies = "\x03\x07\x0A\x0B\x0D\x0F\x14\x15";

/// What a union keeps: as much as DataSketches' does, or what came of a larger sketch.
unsigned lg_of_union(const ThetaSet& a, const ThetaSet& b) {
  constexpr unsigned kLeast = 12;
  constexpr unsigned kMost = 26;
  const std::size_t hashes = std::max({a.hashes().size(), b.hashes().size(), std::size_t{1}});
  return std::clamp(static_cast<unsigned>(std::bit_width(hashes) - 1), kLeast, kMost);
}

template <class T>
Status merge_into(T& mine, const T& other) {
  return mine.merge(other);
}
Status merge_into(Moments& mine, const Moments& other) {
  mine.merge(other);
  return Done{};
}
Status merge_into(RedisHll& mine, const RedisHll& other) {
  mine.merge(other);
  return Done{};
}
Status merge_into(ThetaSet& mine, const ThetaSet& other) {
  Result<ThetaSet> all = ThetaSet::unite(mine, other, lg_of_union(mine, other));
  if (!all) return all.error();
  mine = std::move(all).value();
  return Done{};
}

template <class T>
Result<std::string> image_of(const T& summary) {
  if constexpr (requires { summary.to_datasketches(); }) {
    return summary.to_datasketches();
  } else if constexpr (requires { summary.write_datasketches(); }) {
    return summary.write_datasketches();
  } else if constexpr (requires { write_datasketches(summary); }) {
    return write_datasketches(summary);
  } else {
    return Error{"DataSketches has no such summary"};
  }
}

}  // namespace

/// The first reader that can make sense of the bytes; the error of the first where none can.
template <class... Readers>
Result<SavedSummary> SavedSummary::first_that_fits(SummaryForm form, const Readers&... readers) {
  std::optional<SavedSummary> found;
  std::optional<Error> error;
  const auto attempt = [&](const auto& reader) {
    auto read = reader();
    if (read) {
      found = SavedSummary(AnySummary(std::move(read).value()), form);
    } else if (!error) {
      error = read.error();
    }
    return found.has_value();
  };
  static_cast<void>((attempt(readers) || ...));
  if (found) return std::move(*found);
  return *error;
}

Status SavedSummary::check_beginning(std::string_view bytes) {
  if (bytes.starts_with("WEIR") || bytes.starts_with("HYLL")) return Done{};
  if (bytes.size() < kBeginning) {
    return Error{"it is no summary: " + std::to_string(bytes.size()) + " bytes, and the smallest has 8"};
  }
  // DataSketches: the size of the head, the version of the form, and the family.
  constexpr unsigned char kLatestVersion = 4;
  const auto version = static_cast<unsigned char>(bytes[1]);
  const auto family = static_cast<unsigned char>(bytes[2]);
  if (version > 0 && version <= kLatestVersion && kFamilies.find(bytes[2]) != std::string_view::npos) {
    return Done{};
  }
  return Error{"it is no summary: it begins neither with WEIR nor HYLL, and version " +
               std::to_string(version) + " of family " + std::to_string(family) +
               " is none of DataSketches' that can be read"};
}

Result<SavedSummary> SavedSummary::decode(std::string_view bytes) {
  if (Status begins = check_beginning(bytes); !begins) return begins.error();
  if (bytes.starts_with("WEIR")) return decode_with_origin(bytes);
  if (bytes.starts_with("HYLL")) {
    return first_that_fits(SummaryForm::redis, [&] { return RedisHll::from_hyll(bytes); });
  }
  return decode_image(bytes);
}

Result<SavedSummary> SavedSummary::decode_with_origin(std::string_view bytes) {
  std::string_view rest = bytes;
  const Result<Frame> first = take_frame(rest);
  if (!first) return first.error();
  if (first->kind != SketchKind::origin) return decode_frame(bytes);
  Result<SummaryOrigin> origin = decode_origin(bytes.substr(0, bytes.size() - rest.size()));
  if (!origin) return origin.error();
  Result<SavedSummary> saved = decode_frame(rest);
  if (saved) saved->origin_ = std::move(origin).value();
  return saved;
}

Result<SavedSummary> SavedSummary::decode_frame(std::string_view bytes) {
  constexpr SummaryForm kForm = SummaryForm::weir;
  std::string_view rest = bytes;
  const Result<Frame> frame = take_frame(rest);
  if (!frame) return frame.error();
  switch (frame->kind) {
    case SketchKind::uniform_sample:
      return first_that_fits(kForm, [&] { return UniformSample<std::string>::decode(bytes); });
    case SketchKind::weighted_sample:
      return first_that_fits(kForm, [&] { return WeightedSample<std::string>::decode(bytes); });
    case SketchKind::decayed_sample:
      return first_that_fits(kForm, [&] { return DecayedSample<std::string>::decode(bytes); });
    case SketchKind::var_opt:
      return first_that_fits(
          kForm, [&] { return VarOptSample<std::string>::decode(bytes); },
          [&] { return VarOptSample<std::int64_t>::decode(bytes); });
    case SketchKind::block_bloom:
      return first_that_fits(kForm, [&] { return BlockBloom::decode(bytes); });
    case SketchKind::scalable_bloom:
      return first_that_fits(kForm, [&] { return ScalableBloom::decode(bytes); });
    case SketchKind::cuckoo:
      return first_that_fits(kForm, [&] { return CuckooFilter::decode(bytes); });
    case SketchKind::count_min:
      return first_that_fits(
          kForm, [&] { return CountMin::decode(bytes); }, [&] { return WideCountMin::decode(bytes); });
    case SketchKind::distinct:
      return first_that_fits(kForm, [&] { return UltraLogLog::decode(bytes); });
    case SketchKind::hyperloglog: {
      const Result<HyperLogLogLayout> layout = hyperloglog_layout(bytes);
      if (!layout) return layout.error();
      if (*layout == HyperLogLogLayout::redis) {
        return first_that_fits(kForm, [&] { return RedisHll::decode(bytes); });
      }
      return first_that_fits(kForm, [&] { return Hll::decode(bytes); });
    }
    case SketchKind::theta:
      return first_that_fits(kForm, [&] { return ThetaSet::decode(bytes); });
    case SketchKind::top_k:
      return first_that_fits(
          kForm, [&] { return FrequentTexts::decode(bytes); },
          [&] { return FrequentNumbers::decode(bytes); });
    case SketchKind::kll:
      return first_that_fits(
          kForm, [&] { return Kll<double>::decode(bytes); }, [&] { return Kll<float>::decode(bytes); });
    case SketchKind::ddsketch:
      return first_that_fits(kForm, [&] { return DDSketch::decode(bytes); });
    case SketchKind::tdigest:
      return first_that_fits(kForm, [&] { return TDigest::decode(bytes); });
    case SketchKind::moments:
      return first_that_fits(kForm, [&] { return Moments::decode(bytes); });
    case SketchKind::origin:
      return Error{"it names its fields twice, where a summary was meant"};
  }
  return Error{"it holds a kind of summary that this version does not know"};
}

Result<SavedSummary> SavedSummary::decode_image(std::string_view bytes) {
  constexpr SummaryForm kForm = SummaryForm::datasketches;
  switch (static_cast<std::uint8_t>(bytes[2])) {
    case kTheta:
      return first_that_fits(kForm, [&] { return ThetaSet::from_datasketches(bytes); });
    case kHll:
      return first_that_fits(kForm, [&] { return Hll::from_datasketches(bytes); });
    case kFrequentItems:
      return first_that_fits(
          kForm, [&] { return FrequentTexts::from_datasketches(bytes); },
          [&] { return FrequentNumbers::from_datasketches(bytes); });
    case kReservoir:
      return first_that_fits(
          kForm, [&] { return read_datasketches_reservoir<std::string>(bytes); },
          [&] { return read_datasketches_reservoir<std::int64_t>(bytes); });
    case kVarOpt:
      return first_that_fits(
          kForm, [&] { return VarOptSample<std::string>::read_datasketches(bytes); },
          [&] { return VarOptSample<std::int64_t>::read_datasketches(bytes); });
    case kKll:
      return first_that_fits(
          kForm, [&] { return Kll<double>::from_datasketches(bytes); },
          [&] { return Kll<float>::from_datasketches(bytes); });
    case kTDigest:
      return first_that_fits(kForm, [&] { return TDigest::from_datasketches(bytes); });
    default:  // kBloom, as check_beginning() has seen
      return first_that_fits(kForm, [&] { return DataSketchesBloom::read_datasketches(bytes, kMostBytes); });
  }
}

Status SavedSummary::merge(const SavedSummary& other) {
  if (summary_.index() != other.summary_.index()) {
    return Error{"one is of the kind " + std::string(kind()) + " and the other " + std::string(other.kind()) +
                 "; only what is of one kind can be merged"};
  }
  if (origin_ && other.origin_ && *origin_ != *other.origin_) {
    return Error{"one is of " + text_of(*origin_) + " and the other of " + text_of(*other.origin_)};
  }
  Status merged = std::visit(
      [&](auto& mine) {
        using T = std::decay_t<decltype(mine)>;
        return merge_into(mine, std::get<T>(other.summary_));
      },
      summary_);
  if (merged && !origin_) origin_ = other.origin_;
  return merged;
}

Result<std::string> SavedSummary::encode() const {
  if (form_ == SummaryForm::redis) return std::get<RedisHll>(summary_).hyll();
  return std::visit(
      [&](const auto& summary) -> Result<std::string> {
        if (form_ == SummaryForm::datasketches) return image_of(summary);
        if constexpr (requires { summary.encode(); }) {
          return (origin_ ? encode_origin(*origin_) : std::string()) + summary.encode();
        } else {
          return Error{"Weir has no frame for it"};
        }
      },
      summary_);
}

std::string_view SavedSummary::kind() const {
  return kKinds[summary_.index()];
}

}  // namespace weir
