#include "tests/support/oracle.h"

#include <algorithm>
#include <deque>
#include <map>

namespace weir::test {
namespace {

Integer floor_of(const Fraction& f) {
  return numerator(f) / denominator(f);
}  // f >= 0
Integer ceil_of(const Fraction& f) {
  return (numerator(f) + denominator(f) - 1) / denominator(f);
}

Nanos to_nanos(const Integer& n) {
  return n > kForever ? kForever : static_cast<Nanos>(n);
}

/// token_bucket, gcra, leaky_bucket: what is used drains at quota / per.
class Drain : public Law {
 public:
  explicit Drain(const Limit& limit) : rate_(Fraction(limit.quota) / std::get<Nanos>(limit.per)) {}
  Fraction used(const Integer& t) const override {
    const Fraction left = level_ - rate_ * Fraction(t - last_);
    return left < 0 ? Fraction(0) : left;
  }
  void add(const Integer& t, const Fraction& units) override { set(t, used(t) + units); }
  void take_back(const Integer& t, std::uint64_t units) override {
    const Fraction left = used(t) - units;
    set(t, left < 0 ? Fraction(0) : left);
  }

 private:
  void set(const Integer& t, const Fraction& level) {
    last_ = t;
    level_ = level;
  }
  Fraction rate_;
  Fraction level_ = 0;
  Integer last_ = 0;
};

class Windows : public Law {
 public:
  explicit Windows(const Limit& limit) : per_(limit.per) {}
  Fraction used(const Integer& t) const override {
    const auto found = counts_.find(start(t));
    return found == counts_.end() ? Fraction(0) : found->second;
  }
  void add(const Integer& t, const Fraction& units) override { counts_[start(t)] += units; }
  void take_back(const Integer& t, std::uint64_t units) override {
    auto& count = counts_[start(t)];
    count = count < units ? Fraction(0) : count - units;
  }

 private:
  Integer start(const Integer& t) const {
    if (const auto* calendar = std::get_if<Calendar>(&per_)) return calendar->at(to_nanos(t)).start;
    const Integer per = std::get<Nanos>(per_);
    Integer into = t % per;
    if (into < 0) into += per;
    return t - into;
  }
  std::variant<Nanos, Calendar> per_;
  std::map<Integer, Fraction> counts_;
};

class Log : public Law {
 public:
  explicit Log(const Limit& limit) : per_(std::get<Nanos>(limit.per)) {}
  Fraction used(const Integer& t) const override {
    Fraction sum = 0;
    for (const auto& [time, units] : log_) {
      if (time > t - per_) sum += units;
    }
    return sum;
  }
  void add(const Integer& t, const Fraction& units) override {
    std::erase_if(log_, [&](const auto& entry) { return entry.first <= t - per_; });
    log_.emplace_back(t, units);
  }
  void take_back(const Integer& t, std::uint64_t units) override {
    Fraction left = units;
    for (auto entry = log_.rbegin(); entry != log_.rend(); ++entry) {
      if (entry->first <= t - per_) continue;
      const Fraction taken = std::min(left, entry->second);
      entry->second -= taken;
      left -= taken;
    }
    std::erase_if(log_, [](const auto& entry) { return entry.second == 0; });
  }

 private:
  Integer per_;
  std::deque<std::pair<Integer, Fraction>> log_;
};

class Weighted : public Law {
 public:
  explicit Weighted(const Limit& limit) : per_(std::get<Nanos>(limit.per)) {}
  Fraction used(const Integer& t) const override {
    return count(index(t) - 1) * (1 - Fraction(t - index(t) * per_) / Fraction(per_)) + count(index(t));
  }
  void add(const Integer& t, const Fraction& units) override { counts_[index(t)] += units; }
  void take_back(const Integer& t, std::uint64_t units) override {
    auto& current = counts_[index(t)];
    current = current < units ? Fraction(0) : current - units;
  }
  Fraction owed(const Integer& t) const override { return count(index(t)); }

 private:
  Integer index(const Integer& t) const { return (t - ((t % per_) + per_) % per_) / per_; }
  Fraction count(const Integer& i) const {
    const auto found = counts_.find(i);
    return found == counts_.end() ? Fraction(0) : found->second;
  }
  Integer per_;
  std::map<Integer, Fraction> counts_;
};

std::unique_ptr<Law> law_of(const Limit& limit) {
  switch (limit.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::gcra:
    case Algorithm::leaky_bucket:
      return std::make_unique<Drain>(limit);
    case Algorithm::fixed_window:
      return std::make_unique<Windows>(limit);
    case Algorithm::sliding_log:
      return std::make_unique<Log>(limit);
    case Algorithm::sliding_counter:
      return std::make_unique<Weighted>(limit);
  }
  return nullptr;
}

/// The shortest wait, in whole nanoseconds, after which `reached` is true and stays so.
template <class Predicate>
Nanos shortest_wait(const Integer& now, Predicate reached) {
  Integer low = 0;
  Integer high = Integer(1) << 66U;
  while (low < high) {
    const Integer middle = (low + high) / 2;
    if (reached(Integer(now + middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return to_nanos(low);
}

}  // namespace

Oracle::Oracle(const Limit& limit) : limit_(limit), capacity_(capacity(limit)), law_(law_of(limit)) {}

bool Oracle::admits(const Integer& t, std::uint64_t cost) const {
  if (capacity_ == 0) return false;
  return cost == 0 || law_->used(t) + cost <= capacity_;
}

Verdict Oracle::report(Nanos now, std::uint64_t cost, bool allowed) const {
  const Fraction used = law_->used(now);
  Verdict verdict{.allowed = allowed, .limit = capacity_};
  if (used < capacity_) verdict.remaining = static_cast<std::uint64_t>(floor_of(Fraction(capacity_) - used));
  verdict.reset_after = shortest_wait(now, [&](const Integer& t) { return law_->used(t) == 0; });
  if (!allowed && (capacity_ == 0 || cost > capacity_)) verdict.retry_after = std::nullopt;
  if (!allowed && verdict.retry_after) {
    verdict.retry_after = shortest_wait(now, [&](const Integer& t) { return admits(t, cost); });
  }
  return verdict;
}

Verdict Oracle::decide(Nanos now, Ask ask) {
  const bool allowed = admits(now, ask.cost);
  // A queue: those before must leave first, one every per / quota.
  const Fraction before = law_->used(now);
  if (allowed && ask.cost != 0) law_->add(now, ask.cost);
  if (!allowed && ask.charge_denied) charge(now, ask.cost);
  Verdict verdict = report(now, ask.cost, allowed);
  if (allowed && limit_.algorithm == Algorithm::leaky_bucket) {
    verdict.delay = to_nanos(ceil_of(before * std::get<Nanos>(limit_.per) / limit_.quota));
  }
  return verdict;
}

Verdict Oracle::peek(Nanos now, std::uint64_t cost) const {
  const bool allowed = admits(now, cost);
  Verdict verdict = report(now, cost, allowed);
  if (allowed && limit_.algorithm == Algorithm::leaky_bucket) {
    verdict.delay = to_nanos(ceil_of(law_->used(now) * std::get<Nanos>(limit_.per) / limit_.quota));
  }
  return verdict;
}

void Oracle::refund(Nanos now, std::uint64_t cost) {
  law_->take_back(now, cost);
}

void Oracle::charge(Nanos now, std::uint64_t cost) {
  const Fraction room = Fraction(2) * capacity_ - law_->owed(now);
  if (cost == 0 || room <= 0) return;
  law_->add(now, std::min(Fraction(cost), room));
}

}  // namespace weir::test
