// PolicyLimiter: the rules of a YAML file, decided as one. Safe from any thread.
//
//   weir::PolicyLimiter limiter{"game.yaml"};  // throws, with the sentence that names the line
//
//   auto d = limiter.check({{"account", "mira"}, {"endpoint", "chat.send"}});
//   if (!d) return refuse(d.rule, d.retry_after);  // which rule said so, and for how long
//
//   auto status = limiter.reload("game.yaml");
//   if (!status) log(status.error().message);  // and nothing changed
//
// A request is told by its dimensions. Every rule that it meets has a say: all admit it and all are charged,
// or none is. docs/policy.md has the file, docs/concepts.md the rules that hold for every policy.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "weir/base/result.h"
#include "weir/clocks.h"
#include "weir/key.h"
#include "weir/outcome.h"
#include "weir/policy/request.h"
#include "weir/policy/rule.h"
#include "weir/reservation.h"
#include "weir/timer_queue.h"
#include "weir/waiting.h"

namespace weir {

class Policy;

/// A view of a request's dimensions: a braced list, or a span of what you have. It owns nothing: write a
/// braced list where a call wants Dimensions, and never into a variable, since the list ends with its
/// statement: `Dimensions d{{"a", "b"}};` is a view of what is gone. To keep them, keep a
/// std::array<Dimension, N> and pass a std::span<const Dimension> of it.
class Dimensions {
 public:
  Dimensions(std::initializer_list<Dimension> list) : span_(list.begin(), list.size()) {}
  Dimensions(std::span<const Dimension> span) : span_(span) {}  // NOLINT(google-explicit-constructor)
  std::span<const Dimension> span() const { return span_; }

 private:
  std::span<const Dimension> span_;
};

struct [[nodiscard]] PolicyOutcome : Outcome {
  /// Denied: the violated rule with the longest wait. Admitted: the one with the smallest share remaining;
  /// empty when no rule applies. The name stays valid as long as the limiter.
  std::string_view rule;
  /// What that rule says is to be done: deny, or delay, by `delay`, where a leaky_bucket asks for it.
  Action action = Action::deny;
};

/// As those of RateLimiter, which says what each means and which can be. What a key gets when the table is
/// full, and whether a denied request is charged, are for the policy to say.
struct PolicyLimiterOptions {
  std::shared_ptr<Clock> clock = nullptr;
  std::shared_ptr<TimerQueue> timers = nullptr;
  std::size_t max_keys = 1'000'000;
  std::size_t max_memory = std::size_t{1} << 30U;
  std::size_t max_reservations = 100'000;
  std::optional<std::uint64_t> hash_seed = std::nullopt;
};

class PolicyLimiter {
 public:
  using Options = PolicyLimiterOptions;

  /// A file, or a folder whose *.yaml and *.yml are read as one policy. Throws std::invalid_argument, with
  /// the sentence that load() would return: for a bad policy, for options that can't be, and where the system
  /// refuses the memory.
  explicit PolicyLimiter(const std::filesystem::path& path, Options options = {});
  static Result<PolicyLimiter> load(const std::filesystem::path& path, Options options = {});
  /// The same from text; `name` stands in errors, and files that the policy names are looked for in `folder`.
  static Result<PolicyLimiter> parse(std::string_view yaml, Options options = {},
                                     std::string_view name = "policy.yaml",
                                     const std::filesystem::path& folder = ".");
  /// Waits that are pending end as `closed`. Reservations may outlive it. A limiter that was moved from can
  /// only be destroyed or assigned to.
  ~PolicyLimiter();
  PolicyLimiter(PolicyLimiter&&) noexcept;
  PolicyLimiter& operator=(PolicyLimiter&&) noexcept;

  /// Decides, and charges what is admitted. A request that no rule holds is admitted. A `now` that is given
  /// is read as RateLimiter reads it.
  PolicyOutcome check(Dimensions dimensions, Cost cost = Cost{1});
  PolicyOutcome check(Dimensions dimensions, Cost cost, Time now);
  /// Many requests of one instant, in their order; cheaper than one by one. REQUIRES: outcomes.size() ==
  /// requests.size() (throws std::invalid_argument).
  void check_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes);
  void check_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes, Time now);

  /// What check would say, without changing anything.
  PolicyOutcome peek(Dimensions dimensions, Cost cost = Cost{1}) const;
  PolicyOutcome peek(Dimensions dimensions, Cost cost, Time now) const;
  /// Gives the cost back to all of the request's rules; each stops when its bucket is full. Whoever waits is
  /// served with it: the first of 64 lines on this thread, the others' on that of the timers, 64 at a time.
  void refund(Dimensions dimensions, Cost cost = Cost{1});
  void refund(Dimensions dimensions, Cost cost, Time now);
  /// Takes what has been used already, whatever is left; into debt of at most one capacity.
  void charge(Dimensions dimensions, Cost cost = Cost{1});
  void charge(Dimensions dimensions, Cost cost, Time now);

  /// Holds a cost in all of the request's rules, or in none: see weir/reservation.h. A reload changes nothing
  /// for what is held. Throws std::invalid_argument unless ttl > 0.
  Reservation reserve(Dimensions dimensions, Cost cost, std::chrono::nanoseconds ttl);

  /// Waits by the limiter's clock: see weir/waiting.h. One line for each set of dimensions, in whatever order
  /// they are given. The dimensions are copied. Where a leaky_bucket delays what is admitted, the wait goes
  /// on until its turn.
  Waited acquire(Dimensions dimensions, WaitOptions options = {});
  void acquire_then(Dimensions dimensions, WaitOptions options, WaitDone done);
  Acquisition acquire_async(Dimensions dimensions, WaitOptions options = {});

  /// Changes the policy at once for all later requests; a bad one changes nothing. Buckets keep what they
  /// have used under a new quota or burst; a rule with another key, algorithm or period starts afresh.
  /// Whoever waits is asked again by the new rules, as after a refund.
  Status reload(const std::filesystem::path& path);
  Status reload_text(std::string_view yaml, std::string_view name = "policy.yaml",
                     const std::filesystem::path& folder = ".");

  Time now() const;

 private:
  class Core;
  static Result<PolicyLimiter> made(Result<Policy> policy, Options options);
  explicit PolicyLimiter(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace weir
