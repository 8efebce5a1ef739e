// A Limit: algorithm + quota + per + burst. A pure value, and the table that names the algorithms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "weir/base/time.h"
#include "weir/limit/calendar.h"

namespace weir {

enum class Algorithm : std::uint8_t {
  token_bucket,
  gcra,
  leaky_bucket,
  fixed_window,
  sliding_log,
  sliding_counter,
};

/// One row of the table that maps config names to algorithms.
struct AlgorithmInfo {
  Algorithm algorithm;
  std::string_view name;
  std::string_view summary;
};

/// Every algorithm there is, in the order in which people should meet them.
std::span<const AlgorithmInfo> algorithms();
const AlgorithmInfo& info(Algorithm algorithm);
std::optional<Algorithm> find_algorithm(std::string_view name);

/// When a key's fixed windows begin: all keys at the same instants, or each at a phase of its own so that not
/// everybody returns at once.
enum class Align : std::uint8_t { epoch, key };

struct Limit {
  Algorithm algorithm = Algorithm::token_bucket;
  /// Units per period. 0 admits nothing, ever.
  std::uint64_t quota = 0;
  /// A span, or a calendar period (fixed_window only).
  std::variant<Nanos, Calendar> per = kSecond;
  /// token_bucket and gcra: the capacity, at least 1; the quota when left out.
  /// leaky_bucket: how many may wait; none when left out. Refused elsewhere.
  std::optional<std::uint64_t> burst = std::nullopt;
  /// fixed_window over a span only.
  Align align = Align::epoch;

  bool operator==(const Limit&) const = default;
};

/// The largest quota and burst: half of what 63 bits hold, so that twice of it (debt) is still exact.
inline constexpr std::uint64_t kMaxQuota = (std::uint64_t{1} << 62U) - 1;
/// The largest quota of a sliding log, which keeps a time per admitted request.
inline constexpr std::uint64_t kMaxLogQuota = 1'000'000;
/// The longest time in which a bucket may fill: half of what 63 bits of nanoseconds hold (146 years).
inline constexpr Nanos kMaxFillTime = kForever / 2;

/// What is wrong with a limit: which field, and a sentence that says what was found and what is the most.
struct LimitError {
  std::string field;
  std::string message;
};
std::optional<LimitError> find_error(const Limit& limit);

/// The most that a bucket holds: token_bucket's burst, leaky_bucket's burst + 1, the quota elsewhere; 0 when
/// quota is 0.
std::uint64_t capacity(const Limit& limit);

/// Same algorithm, period and alignment: what a bucket has used keeps its meaning from one to the other.
bool same_kind(const Limit& a, const Limit& b);

/// "5 per 10s, burst 10 (token_bucket)"
std::string describe(const Limit& limit);

}  // namespace weir
