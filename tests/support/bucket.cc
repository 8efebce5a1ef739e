#include "tests/support/bucket.h"

#include <algorithm>

namespace weir {

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << (verdict.allowed ? "allowed" : "denied") << " limit " << verdict.limit << " remaining "
             << verdict.remaining << " retry "
             << (verdict.retry_after ? std::to_string(*verdict.retry_after) : "never") << " reset "
             << verdict.reset_after << " delay " << verdict.delay;
}

namespace test {

Bucket::Bucket(const Limit& limit, TimeFrame frame) : kernel_(limit, frame) {}

void Bucket::make_room(Nanos now) {
  if (!kernel_.needs_room(state_, now)) return;
  std::vector<LogEntry> larger(std::max<std::size_t>(1, 2 * ring_.size()));
  SlidingLog::move_to(state_, larger);
  ring_ = std::move(larger);
  state_.ring = ring_;
}

Verdict Bucket::decide(Nanos now, Ask ask) {
  make_room(now);
  return kernel_.decide(state_, now, ask);
}

void Bucket::charge(Nanos now, std::uint64_t cost) {
  make_room(now);
  kernel_.charge(state_, now, cost);
}

Verdict Bucket::peek(Nanos now, std::uint64_t cost) const {
  return kernel_.peek(state_, now, cost);
}

void Bucket::refund(Nanos now, std::uint64_t cost) {
  kernel_.refund(state_, now, cost);
}

void Bucket::give_back(Nanos now, std::uint64_t cost, const Charge& from) {
  kernel_.give_back(state_, now, cost, from);
}

bool Bucket::fresh(Nanos now) const {
  return kernel_.fresh(state_, now);
}

void Bucket::reload(const Limit& limit, TimeFrame frame, Nanos now) {
  const Kernel next(limit, frame);
  next.carry(kernel_, state_, now);
  kernel_ = next;
}

}  // namespace test
}  // namespace weir
