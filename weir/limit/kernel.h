// A Limit made ready to decide: pure functions from (state, now, cost) to a verdict and the next state.
#pragma once

#include <cstdint>
#include <variant>

#include "weir/limit/charge.h"
#include "weir/limit/fixed_window.h"
#include "weir/limit/leaky_bucket.h"
#include "weir/limit/limit.h"
#include "weir/limit/sliding_counter.h"
#include "weir/limit/sliding_log.h"
#include "weir/limit/state.h"
#include "weir/limit/token_bucket.h"
#include "weir/limit/verdict.h"

namespace weir {

/// Whatever `now` is given, nothing is minted: a `now` before the latest that a state has seen is read as
/// that latest, or leads to the same decisions. All functions are safe for every value of every argument.
class Kernel {
 public:
  /// REQUIRES: !find_error(limit); throws std::invalid_argument otherwise.
  Kernel(const Limit& limit, TimeFrame frame);

  const Limit& limit() const { return limit_; }

  /// How many words of State it uses: 1, 2 or 3. With 1, the word's highest bit is always clear.
  unsigned words() const;
  /// Whether it also uses State::ring.
  bool uses_log() const { return std::holds_alternative<SlidingLog>(law_); }
  /// Whether decide or charge at `now` could need an entry more than the ring has. The caller then lends a
  /// larger ring: see SlidingLog::move_to.
  bool needs_room(const State& state, Nanos now) const;

  /// How far a key's windows begin after everybody's; 0 unless the limit is aligned by key. The caller
  /// subtracts it from every `now` that it gives.
  Nanos phase(std::uint64_t key_hash) const;

  /// REQUIRES (decide and charge): !needs_room(state, now).
  Verdict decide(State& state, Nanos now, Ask ask) const;
  /// The same for a state of one word, in line; writes every field of `verdict`. REQUIRES: words() == 1.
  [[gnu::always_inline]] void decide_word(std::uint64_t& word, Nanos now, Ask ask, Verdict& verdict) const {
    if (const auto* law = std::get_if<TokenBucket>(&law_)) [[likely]] {
      law->decide_word(word, now, ask, verdict);
    } else {
      decide_rarer_word(word, now, ask, verdict);
    }
  }
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const;
  /// Gives back units whose charge nobody can name: of what is used now, whoever used it.
  void refund(State& state, Nanos now, std::uint64_t cost) const;
  /// Gives back `cost` of the charge `from`, as far as it still weighs on the bucket. Nothing is minted: as
  /// long as debt is not cut and nothing is refunded, the bucket then admits nothing that it would not admit
  /// had it been charged so much less; of one charged at `now`, exactly the same. A bucket that drains takes
  /// the `now` at its word: one that lags gives back at most as much time more as it lags.
  /// REQUIRES: cost <= from.cost, and no more is given back of one charge than it was.
  void give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const;
  void charge(State& state, Nanos now, std::uint64_t cost) const;
  bool fresh(const State& state, Nanos now) const;

  /// Turns the state that a bucket had under `old` into one that has used as much under this limit. A limit
  /// of another kind starts afresh. The log's ring is kept.
  void carry(const Kernel& old, State& state, Nanos now) const;

 private:
  using Law = std::variant<TokenBucket, LeakyBucket, FixedWindow, SlidingLog, SlidingCounter>;
  void decide_rarer_word(std::uint64_t& word, Nanos now, Ask ask, Verdict& verdict) const;
  static Law make(const Limit& limit, TimeFrame frame);

  Limit limit_;
  Law law_;
};

}  // namespace weir
