// Transaction: one request that needs more than one compare-and-swap: several buckets, a new one, or one
// whose state is more than a word.
//
// It latches its buckets in the order of their names, works out what they say with nothing changed, and only
// then charges all or none: nothing is ever taken that might have to be given back, so nobody is denied for a
// charge that does not stay. Two asks of one bucket are worked out as one after the other, by asking for the
// sum of what they cost.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "weir/limit/verdict.h"
#include "weir/store/bucket_space.h"
#include "weir/store/memory_store.h"

namespace weir::store {

/// Use once: one call of one of decide, peek, refund, give_back and charge.
template <class Yield = NoYield>
class Transaction {
 public:
  /// Allocates, where a request has too many asks for the room that the transaction brings; never later.
  Transaction(BucketSpace<Yield>& space, std::span<const BucketAsk> asks, Nanos now)
      : space_(space), asks_(asks), now_(now), parts_(&memory_), held_(&memory_) {
    std::pmr::vector<std::uint64_t> names(&memory_);
    names.reserve(asks.size());
    for (const BucketAsk& ask : asks) names.push_back(ask.bucket);
    std::sort(names.begin(), names.end(), [](auto a, auto b) { return Key(a).name < Key(b).name; });
    names.erase(
        std::unique(names.begin(), names.end(), [](auto a, auto b) { return Key(a).name == Key(b).name; }),
        names.end());
    held_.reserve(names.size());
    for (const std::uint64_t name : names) held_.emplace_back(Key(name));
    parts_.reserve(asks.size());
    for (const BucketAsk& ask : asks) {
      const Part& part = parts_.emplace_back(make_part(ask));
      Held& held = bucket(part);
      if (held.made_under == nullptr) held.made_under = part.limit;
      const bool can_do_without = ask.shadow || ask.allow_when_full || ask.ask.cost == 0;
      if (!can_do_without) held.needed_under = part.limit;
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  bool decide(std::span<BucketVerdict> verdicts, bool veto) {
    hold_all();
    bool allowed = !veto;
    for_each_part(false, [&](Part& part, std::size_t i) {
      verdicts[i] = ask(part, cost_with_earlier(i));
      allowed = verdicts[i].verdict.allowed && allowed;
    });
    for_each_part(false, [&](Part& part, std::size_t i) { settle(part, allowed, verdicts[i]); });
    for_each_part(true, [&](Part& part, std::size_t i) {
      verdicts[i] = ask(part, part.ask->ask.cost);
      settle(part, verdicts[i].verdict.allowed, verdicts[i]);
    });
    keep_all();
    for (std::size_t i = 0; i < parts_.size(); ++i) tell_wait(parts_[i], verdicts[i]);
    return allowed;
  }

  bool peek(std::span<BucketVerdict> verdicts) {
    hold_consistently();
    bool allowed = true;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      verdicts[i] = look(part, part.ask->shadow ? part.ask->ask.cost : cost_with_earlier(i));
      allowed = (part.ask->shadow || verdicts[i].verdict.allowed) && allowed;
    }
    for (Held& held : held_) space_.let_go(held);
    for (std::size_t i = 0; i < parts_.size(); ++i) tell_wait(parts_[i], verdicts[i]);
    return allowed;
  }

  void refund() {
    hold_consistently();
    for (const Part& part : parts_) {
      Held& held = bucket(part);
      if (held.slot && space_.adopt(held, *part.limit)) {
        part.limit->kernel.refund(held.state, at(part), part.ask->ask.cost);
      }
    }
    keep_all();
  }

  /// REQUIRES: charges.size() is that of the asks.
  void give_back(std::span<const Charge> charges) {
    hold_consistently();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      Held& held = bucket(part);
      if (!held.slot || !space_.adopt(held, *part.limit)) continue;
      const Charge from{local_time(*part.limit, held.key, charges[i].at), charges[i].cost};
      part.limit->kernel.give_back(held.state, at(part), part.ask->ask.cost, from);
    }
    keep_all();
  }

  /// Says for how many asks there was no bucket.
  std::size_t charge() {
    hold_all();
    std::size_t full = 0;
    for (Part& part : parts_) {
      if (part.ask->ask.cost == 0) continue;
      if (make_chargeable(part)) {
        part.limit->kernel.charge(bucket(part).state, at(part), part.ask->ask.cost);
      } else {
        ++full;
      }
    }
    keep_all();
    return full;
  }

  /// Buckets that the table did not have before.
  std::size_t inserted() const { return inserted_; }

 private:
  struct Part {
    const BucketAsk* ask;
    const RegisteredLimit* limit;
    std::size_t held;
  };

  Part make_part(const BucketAsk& ask) const {
    const std::uint64_t name = Key(ask.bucket).name;
    const auto found = std::lower_bound(held_.begin(), held_.end(), name,
                                        [](const Held& held, std::uint64_t n) { return held.key.name < n; });
    return {.ask = &ask,
            .limit = &space_.limits()[ask.limit],
            .held = static_cast<std::size_t>(found - held_.begin())};
  }

  Held& bucket(const Part& part) { return held_[part.held]; }
  Nanos at(const Part& part) { return local_time(*part.limit, bucket(part).key, bucket(part).now); }

  template <class Function>
  void for_each_part(bool shadows, Function function) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].ask->shadow == shadows) function(parts_[i], i);
    }
  }

  void hold_all() {
    for (Held& held : held_) {
      held.lack = space_.hold(held, *held.made_under, now_);
      inserted_ += held.inserted ? 1 : 0;
      Yield::point();
    }
  }

  /// Latches what is there, all at one instant: what was not there when we looked must still not be when the
  /// last latch is taken.
  void hold_consistently() {
    for (bool changed = true; changed;) {
      for (Held& held : held_) {
        space_.hold_existing(held, now_);
        Yield::point();
      }
      changed = held_.size() > 1 && std::any_of(held_.begin(), held_.end(), [&](const Held& held) {
                  return !held.slot && space_.slots().find(held.key);
                });
      if (!changed) return;
      for (Held& held : held_) space_.let_go(held);
    }
  }

  void keep_all() {
    for (Held& held : held_) space_.keep(held);
  }

  /// What this ask costs together with those before it that draw on the same bucket.
  std::uint64_t cost_with_earlier(std::size_t i) const {
    std::uint64_t cost = parts_[i].ask->ask.cost;
    if (cost == 0 || held_.size() == parts_.size()) return cost;
    for (std::size_t j = 0; j < i; ++j) {
      if (parts_[j].held != parts_[i].held || parts_[j].ask->shadow) continue;
      if (__builtin_add_overflow(cost, parts_[j].ask->ask.cost, &cost)) return ~std::uint64_t{0};
    }
    return cost;
  }

  /// Adopts the ask's limit and makes room for what a charge appends; notes what the bucket lacks if it can't
  /// be.
  bool make_chargeable(Part& part) {
    Held& held = bucket(part);
    if (!held.slot) return false;
    if (space_.adopt(held, *part.limit) && (!part.limit->log || space_.make_room(held))) return true;
    held.lack = Lack::memory;
    return false;
  }

  /// What the bucket says to `cost`. When it admits, it is ready to be charged.
  BucketVerdict ask(Part& part, std::uint64_t cost) {
    return say(part, cost, [&] { return make_chargeable(part); });
  }

  /// The same, with nothing made ready.
  BucketVerdict look(const Part& part, std::uint64_t cost) {
    return say(part, cost, [&] {
      Held& held = bucket(part);
      if (held.slot) return true;
      held.lack = space_.lack_of_new(held.key, *part.limit, now_);
      return held.lack == Lack::none;
    });
  }

  template <class CanCharge>
  BucketVerdict say(const Part& part, std::uint64_t cost, CanCharge can_charge) {
    const Held& held = bucket(part);
    BucketVerdict said{.verdict = part.limit->kernel.peek(space_.under(held, *part.limit), at(part), cost)};
    // What takes nothing, and what a fresh bucket would deny, needs no bucket.
    if (said.verdict.allowed && cost != 0 && !can_charge()) said = when_full(part, said.verdict);
    tell_from(now_, held.now, said.verdict);
    return said;
  }

  BucketVerdict when_full(const Part& part, Verdict verdict) {
    verdict.allowed = part.ask->allow_when_full;
    if (!verdict.allowed) {
      verdict.remaining = 0;
      verdict.delay = 0;
      verdict.retry_after = own_wait(part);
    }
    return {.verdict = verdict, .full = true};
  }

  /// A log that can't grow has room again when its oldest entry leaves.
  std::optional<Nanos> own_wait(const Part& part) {
    const Held& held = bucket(part);
    if (!held.slot || held.owner != part.limit) return std::nullopt;
    const auto& kernel = part.limit->kernel;
    return kernel.peek(held.state, at(part), kernel.peek(held.state, at(part), 0).remaining + 1).retry_after;
  }

  /// Charges what is to be charged, and lets the verdict say what is left after it.
  void settle(Part& part, bool allowed, BucketVerdict& said) {
    const bool owes = !said.verdict.allowed && part.ask->ask.charge_denied;
    if (said.full || !(allowed || owes)) return;
    Verdict after;
    if (part.ask->ask.cost == 0) {
      // Earlier asks of the same bucket may have been charged since.
      after = part.limit->kernel.peek(space_.under(bucket(part), *part.limit), at(part), 0);
    } else {
      // The admitted have room since they asked: what one request appends to a log is one entry.
      if (owes ? !make_chargeable(part) : !space_.adopt(bucket(part), *part.limit)) return;
      const Ask asked{.cost = part.ask->ask.cost, .charge_denied = owes};
      after = part.limit->kernel.decide(bucket(part).state, at(part), asked);
    }
    // An ask that was denied for those before it on its bucket is charged, and still denied.
    if (after.allowed != said.verdict.allowed) return;
    said.verdict = after;
    tell_from(now_, bucket(part).now, said.verdict);
  }

  /// Once nothing is latched any more: how long it takes until there is a bucket to be had. Never, if the
  /// request alone needs more than there is.
  void tell_wait(const Part& part, BucketVerdict& said) {
    if (!said.full || said.verdict.allowed || said.verdict.retry_after) return;
    if (!space_.can_ever_hold(held_)) return;
    const Held& held = bucket(part);
    const auto wait = space_.wait_for_room(held.key, *part.limit, held.lack, held_, now_);
    // Nothing in sight that helps, though something elsewhere may: an estimate, after which to look again.
    said.verdict.retry_after = wait.value_or(kSecond);
    said.verdict.reset_after = std::max(said.verdict.reset_after, *said.verdict.retry_after);
  }

  BucketSpace<Yield>& space_;
  std::span<const BucketAsk> asks_;
  const Nanos now_;  // a bucket's may be ahead of it; waits are told from here
  std::array<std::byte, 4096> buffer_;
  std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
  std::pmr::vector<Part> parts_;
  std::pmr::vector<Held> held_;
  std::size_t inserted_ = 0;
};

}  // namespace weir::store
