#include "weir/replay/suggest.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "weir/base/text.h"

namespace weir {
namespace {

constexpr std::uint64_t kWhole = 1'000'000'000;

struct Kind {
  Algorithm algorithm;
  Nanos per;
};
/// What people choose from: short periods stop bursts, long ones stop those who never rest.
constexpr std::array<Kind, 9> kKinds{{
    {Algorithm::token_bucket, kSecond},
    {Algorithm::token_bucket, kMinute},
    {Algorithm::token_bucket, kHour},
    {Algorithm::sliding_log, kSecond},
    {Algorithm::sliding_log, kMinute},
    {Algorithm::sliding_log, kHour},
    {Algorithm::fixed_window, kMinute},
    {Algorithm::fixed_window, kHour},
    {Algorithm::fixed_window, kDay},
}};

/// One key's bucket, with the ring that a sliding log needs.
class SimulatedBucket {
 public:
  explicit SimulatedBucket(const Kernel& kernel) : kernel_(kernel) {}

  Verdict decide(Nanos now, std::uint64_t cost) {
    if (kernel_.needs_room(state_, now)) grow();
    return kernel_.decide(state_, now, Ask{.cost = cost});
  }

 private:
  void grow() {
    std::vector<LogEntry> larger(std::max<std::size_t>(8, ring_.size() * 2));
    SlidingLog::move_to(state_, larger);
    ring_.swap(larger);
  }

  const Kernel& kernel_;
  State state_;
  std::vector<LogEntry> ring_;
};

/// How many of `weight` requests of one instant are denied. Who is denied once is denied for the rest of the
/// instant, and those admitted before can be charged in one go.
std::uint64_t denied_at_once(SimulatedBucket& bucket, Nanos now, std::uint64_t cost, std::uint64_t weight) {
  const Verdict first = bucket.decide(now, cost);
  if (!first.allowed) return weight;
  if (weight == 1 || cost == 0) return 0;
  const std::uint64_t more = std::min(weight - 1, first.remaining / cost);
  if (more > 0) bucket.decide(now, more * cost);
  return weight - 1 - more;
}

}  // namespace

Result<Share> parse_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_seconds(percent ? text.substr(0, text.size() - 1) : text);
  const Nanos whole = percent ? 100 * kSecond : kSecond;
  if (!number || *number < 0 || *number > whole) {
    return Error{'"' + printable(text) + "\" is no share; write one from 0% to 100%, such as 0.1% or 0.001"};
  }
  return Share{static_cast<std::uint64_t>(percent ? *number / 100 : *number)};
}

Suggest::Suggest(std::shared_ptr<const Policy> key_policy, TimeFrame frame)
    : policy_(std::move(key_policy)), frame_(frame), secret_(HashSecret::fixed(kCommandLineSeed)) {}

void Suggest::add(const Event& event) {
  policy_->match(Request{event.dimensions, event.cost}, secret_, matches_);
  if (matches_.rules().empty()) {
    keyless_ += event.weight;
    return;
  }
  const Match& match = matches_.rules().front();
  const std::uint32_t key = index_.number_of(match.bucket);
  if (key == names_.size()) names_.emplace_back(match.key.begin(), match.key.end());
  uses_.push_back({event.time, event.cost, event.weight, key});
}

std::span<const Suggest::Use> Suggest::uses_of(std::uint32_t key) const {
  return std::span(uses_).subspan(first_use_[key], first_use_[key + 1] - first_use_[key]);
}

void Suggest::group_by_key() {
  first_use_.assign(names_.size() + 1, 0);
  for (const Use& use : uses_) ++first_use_[use.key + 1];
  std::partial_sum(first_use_.begin(), first_use_.end(), first_use_.begin());
  std::vector<Use> grouped(uses_.size());
  std::vector<std::size_t> next(first_use_.begin(), first_use_.end() - 1);
  for (const Use& use : uses_) grouped[next[use.key]++] = use;
  uses_.swap(grouped);
  for (std::uint32_t key = 0; key < names_.size(); ++key) {
    Wide units = 0;
    for (const Use& use : uses_of(key)) units += Wide{use.cost} * use.weight;
    most_units_ = static_cast<std::uint64_t>(std::max<Wide>(most_units_, std::min<Wide>(units, kMaxQuota)));
  }
}

std::uint64_t Suggest::denied_of(const Kernel& kernel, std::uint32_t key, bool stop_at_first) const {
  SimulatedBucket bucket(kernel);
  std::uint64_t denied = 0;
  for (const Use& use : uses_of(key)) {
    denied += denied_at_once(bucket, use.time, use.cost, use.weight);
    if (denied > 0 && stop_at_first) break;
  }
  return denied;
}

/// The smallest quota under which at most `may_touch` keys are denied anything; nothing when even the largest
/// is too small. A larger quota never touches a key that a smaller one leaves alone, so that the search
/// halves, and each step need only look at the keys that the steps before have not settled.
std::optional<Limit> Suggest::smallest(Limit limit, std::uint64_t may_touch) const {
  const std::uint64_t largest = limit.algorithm == Algorithm::sliding_log ? kMaxLogQuota : kMaxQuota;
  std::uint64_t low = 1;
  std::uint64_t high = std::clamp<std::uint64_t>(most_units_, 1, largest);
  std::vector<std::uint32_t> open(names_.size());
  std::iota(open.begin(), open.end(), 0U);
  std::uint64_t surely_touched = 0;  // by every quota below `high`
  while (low <= high) {
    const std::uint64_t middle = low + (high - low) / 2;
    limit.quota = middle;
    const Kernel kernel(limit, frame_);
    const auto untouched = std::partition(
        open.begin(), open.end(), [&](std::uint32_t key) { return denied_of(kernel, key, true) > 0; });
    const auto touched = static_cast<std::uint64_t>(untouched - open.begin());
    if (surely_touched + touched <= may_touch) {
      surely_touched += touched;
      open.erase(open.begin(), untouched);
      high = middle - 1;
    } else {
      open.erase(untouched, open.end());
      low = middle + 1;
    }
  }
  if (low > std::clamp<std::uint64_t>(most_units_, 1, largest)) return std::nullopt;
  limit.quota = low;
  return limit;
}

Suggestion Suggest::evidence(const Limit& limit, std::size_t top) const {
  const Kernel kernel(limit, frame_);
  Suggestion found{.limit = limit};
  for (std::uint32_t key = 0; key < names_.size(); ++key) {
    const std::uint64_t denied = denied_of(kernel, key, false);
    if (denied == 0) continue;
    ++found.keys_touched;
    found.denied += denied;
    found.top_denied.push_back({names_[key], denied});
  }
  std::sort(found.top_denied.begin(), found.top_denied.end(), [](const KeyDenied& a, const KeyDenied& b) {
    return a.denied != b.denied ? a.denied > b.denied : a.key < b.key;
  });
  if (found.top_denied.size() > top) found.top_denied.resize(top);
  return found;
}

SuggestReport Suggest::report(Share touch, std::size_t top) {
  group_by_key();
  SuggestReport report{.key = policy_->rules()[0].key, .keyless = keyless_, .keys = names_.size()};
  Nanos from = kForever;
  Nanos to = std::numeric_limits<Nanos>::min();
  for (const Use& use : uses_) {
    report.requests += use.weight;
    from = std::min(from, use.time);
    to = std::max(to, use.time);
  }
  report.may_touch = static_cast<std::uint64_t>(mul_div_floor(names_.size(), touch.billionths, kWhole));
  if (uses_.empty()) return report;
  for (const Kind& kind : kKinds) {
    if (kind.per > kSecond && kind.per > saturating_sub(to, from)) continue;
    const auto limit = smallest(Limit{.algorithm = kind.algorithm, .per = kind.per}, report.may_touch);
    if (limit) report.suggestions.push_back(evidence(*limit, top));
  }
  return report;
}

}  // namespace weir
