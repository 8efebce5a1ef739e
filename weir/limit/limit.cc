#include "weir/limit/limit.h"

#include <array>

#include "weir/base/text.h"
#include "weir/base/wide.h"

namespace weir {
namespace {

constexpr std::array<AlgorithmInfo, 6> kAlgorithms{{
    {Algorithm::token_bucket, "token_bucket", "bursts up to `burst`, mean rate quota / per"},
    {Algorithm::gcra, "gcra", "token_bucket, told as a theoretical arrival time"},
    {Algorithm::leaky_bucket, "leaky_bucket",
     "a queue that leaks at a fixed rate and tells each caller its delay"},
    {Algorithm::fixed_window, "fixed_window", "a counter per window; up to twice the quota across an edge"},
    {Algorithm::sliding_log, "sliding_log", "exactly quota in any trailing window; a time per admission"},
    {Algorithm::sliding_counter, "sliding_counter",
     "two weighted counters; close to sliding_log in three words"},
}};

bool is_bucket(Algorithm algorithm) {
  return algorithm == Algorithm::token_bucket || algorithm == Algorithm::gcra ||
         algorithm == Algorithm::leaky_bucket;
}

std::string above_maximum(std::uint64_t found, std::uint64_t maximum) {
  return std::to_string(found) + " is more than the maximum of " + std::to_string(maximum);
}

std::optional<LimitError> quota_error(const Limit& limit) {
  const std::uint64_t maximum = limit.algorithm == Algorithm::sliding_log ? kMaxLogQuota : kMaxQuota;
  if (limit.quota <= maximum) return std::nullopt;
  std::string message = above_maximum(limit.quota, maximum);
  if (limit.algorithm == Algorithm::sliding_log) {
    message += " for sliding_log, which keeps a time per admission; sliding_counter has no such bound";
  }
  return LimitError{"quota", message};
}

std::optional<LimitError> per_error(const Limit& limit) {
  const Nanos* span = std::get_if<Nanos>(&limit.per);
  if (!span) {
    if (limit.algorithm == Algorithm::fixed_window) return std::nullopt;
    const std::string unit(name(std::get<Calendar>(limit.per).unit()));
    return LimitError{"per", "\"1 " + unit +
                                 "\" is a calendar period, which only fixed_window can follow; write a span" +
                                 (unit == "day"    ? " such as 1d"
                                  : unit == "week" ? " such as 7d"
                                                   : " such as 30d")};
  }
  if (*span <= 0) return LimitError{"per", "it must be longer than 0"};
  return std::nullopt;
}

std::optional<LimitError> burst_error(const Limit& limit) {
  const std::string algorithm(info(limit.algorithm).name);
  if (limit.burst && !is_bucket(limit.algorithm)) {
    return LimitError{"burst", algorithm + " has no burst; its quota is the most it admits at once"};
  }
  if (limit.burst == std::uint64_t{0} && limit.algorithm != Algorithm::leaky_bucket) {
    return LimitError{"burst", "0 would admit nothing; the least is 1, and left out it is the quota"};
  }
  if (limit.burst && *limit.burst > kMaxQuota - 1) {
    return LimitError{"burst", above_maximum(*limit.burst, kMaxQuota - 1)};
  }
  if (!is_bucket(limit.algorithm) || limit.quota == 0) return std::nullopt;
  // capacity * per / quota, the time to fill, must be exact in nanoseconds with as much again in debt.
  const auto per = static_cast<std::uint64_t>(std::get<Nanos>(limit.per));
  const Wide most = Wide{static_cast<std::uint64_t>(kMaxFillTime)} * limit.quota / per;
  if (Wide{capacity(limit)} <= most) return std::nullopt;
  const auto maximum = static_cast<std::uint64_t>(most);
  if (!limit.burst || maximum == 0) {
    return LimitError{"per", "a bucket would take longer than 146 years to fill"};
  }
  return LimitError{
      "burst",
      above_maximum(*limit.burst, limit.algorithm == Algorithm::leaky_bucket ? maximum - 1 : maximum) +
          " at this rate: burst * per / quota may be 146 years at the most"};
}

std::optional<LimitError> align_error(const Limit& limit) {
  if (limit.align == Align::epoch) return std::nullopt;
  if (limit.algorithm != Algorithm::fixed_window)
    return LimitError{"align", "only fixed_window has windows to align"};
  if (std::holds_alternative<Calendar>(limit.per)) {
    return LimitError{"align",
                      "a calendar period begins when the calendar says; align: key is for spans such as 1d"};
  }
  return std::nullopt;
}

}  // namespace

std::span<const AlgorithmInfo> algorithms() {
  return kAlgorithms;
}

const AlgorithmInfo& info(Algorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)];
}

std::optional<Algorithm> find_algorithm(std::string_view name) {
  for (const AlgorithmInfo& row : kAlgorithms) {
    if (row.name == name) return row.algorithm;
  }
  return std::nullopt;
}

std::optional<LimitError> find_error(const Limit& limit) {
  for (const auto check : {quota_error, per_error, burst_error, align_error}) {
    if (auto error = check(limit)) return error;
  }
  return std::nullopt;
}

std::uint64_t capacity(const Limit& limit) {
  if (limit.quota == 0) return 0;
  if (limit.algorithm == Algorithm::leaky_bucket) return limit.burst.value_or(0) + 1;
  return limit.burst.value_or(limit.quota);
}

bool same_kind(const Limit& a, const Limit& b) {
  return a.algorithm == b.algorithm && a.per == b.per && a.align == b.align;
}

std::string describe(const Limit& limit) {
  const Nanos* span = std::get_if<Nanos>(&limit.per);
  std::string text = std::to_string(limit.quota) + " per " +
                     (span ? format_duration(*span) : std::get<Calendar>(limit.per).describe());
  if (is_bucket(limit.algorithm) && limit.quota != 0) {
    text += limit.algorithm == Algorithm::leaky_bucket
                ? ", " + std::to_string(capacity(limit) - 1) + " may wait"
                : ", burst " + std::to_string(capacity(limit));
  }
  if (limit.align == Align::key) text += ", aligned by key";
  return text + " (" + std::string(info(limit.algorithm).name) + ")";
}

}  // namespace weir
