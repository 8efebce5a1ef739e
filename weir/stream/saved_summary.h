// A summary in a file, of any kind: Weir's own frame, an image of DataSketches, a HYLL of Redis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "weir/base/result.h"
#include "weir/sketch/block_bloom.h"
#include "weir/sketch/count_min.h"
#include "weir/sketch/cuckoo_filter.h"
#include "weir/sketch/datasketches_bloom.h"
#include "weir/sketch/ddsketch.h"
#include "weir/sketch/decayed_sample.h"
#include "weir/sketch/frequent_items.h"
#include "weir/sketch/hll.h"
#include "weir/sketch/kll.h"
#include "weir/sketch/moments.h"
#include "weir/sketch/redis_hll.h"
#include "weir/sketch/scalable_bloom.h"
#include "weir/sketch/tdigest.h"
#include "weir/sketch/theta_set.h"
#include "weir/sketch/ultra_log_log.h"
#include "weir/sketch/uniform_sample.h"
#include "weir/sketch/var_opt_sample.h"
#include "weir/sketch/weighted_sample.h"
#include "weir/stream/summary_origin.h"

namespace weir {

using AnySummary =
    std::variant<UniformSample<std::string>, UniformSample<std::int64_t>, WeightedSample<std::string>,
                 DecayedSample<std::string>, VarOptSample<std::string>, VarOptSample<std::int64_t>,
                 BlockBloom, ScalableBloom, CuckooFilter, CountMin, WideCountMin, UltraLogLog, Hll, RedisHll,
                 ThetaSet, FrequentTexts, FrequentNumbers, Kll<float>, Kll<double>, DDSketch, TDigest,
                 Moments, DataSketchesBloom>;

/// How a file holds it.
enum class SummaryForm : std::uint8_t { weir, datasketches, redis };

class SavedSummary {
 public:
  /// A summary has no more bytes.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;

  /// Finds out what `bytes`, which are anything at all, hold. Where an image does not say whether its items
  /// are texts or numbers, they are what fits. Errors: one sentence that says what is wrong with them.
  static Result<SavedSummary> decode(std::string_view bytes);
  /// Whether a file that begins so, with its first kBeginning bytes or all that it has, can be a summary at
  /// all: so that no large file is read only to be refused. Errors as those of decode().
  static constexpr std::size_t kBeginning = 8;
  static Status check_beginning(std::string_view bytes);

  /// Afterwards this has seen what both have seen. Refused, and nothing changed, where they are not of the
  /// same kind or parameters, or known to be of different fields. What one does not say of its fields, the
  /// other says for both.
  Status merge(const SavedSummary& other);
  /// In the form that it was read in. Errors: what has grown beyond what that form can say.
  Result<std::string> encode() const;

  const AnySummary& summary() const { return summary_; }
  SummaryForm form() const { return form_; }
  /// Which fields it is of; nothing in other systems' forms, and in files that the library wrote.
  const std::optional<SummaryOrigin>& origin() const { return origin_; }
  /// For people: "distinct count (UltraLogLog)".
  std::string_view kind() const;

 private:
  SavedSummary(AnySummary summary, SummaryForm form) : summary_(std::move(summary)), form_(form) {}
  static Result<SavedSummary> decode_with_origin(std::string_view bytes);
  static Result<SavedSummary> decode_frame(std::string_view bytes);
  static Result<SavedSummary> decode_image(std::string_view bytes);

  template <class... Readers>
  static Result<SavedSummary> first_that_fits(SummaryForm form, const Readers&... readers);

  AnySummary summary_;
  SummaryForm form_;
  std::optional<SummaryOrigin> origin_{};
};

}  // namespace weir
