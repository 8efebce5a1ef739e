#include "weir/clocks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "weir/base/clock.h"

namespace weir {
namespace {

class SystemClock : public Clock {
 public:
  SystemClock() : clock_(read_system_clocks()) {}
  Time now() const override {
    return Time(std::chrono::nanoseconds(clock_.at({.wall = 0, .since_boot = read_time_since_boot()})));
  }

 private:
  ServerClock clock_;
};

}  // namespace

std::shared_ptr<Clock> system_clock() {
  return std::make_shared<SystemClock>();
}

bool VirtualClock::attach(const std::weak_ptr<Alarm>& alarm) {
  const std::lock_guard lock(mutex_);
  std::erase_if(alarms_, [](const auto& old) { return old.expired(); });
  alarms_.push_back(alarm);
  return true;
}

std::shared_ptr<Alarm> VirtualClock::first_due(Time until) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Alarm> first;
  Time when = until;
  for (const auto& weak : alarms_) {
    const auto alarm = weak.lock();
    if (!alarm) continue;
    const Time due = alarm->next_due();
    if (due == Time::max() || due > when || (first && due == when)) continue;
    when = due;
    first = alarm;
  }
  return first;
}

void VirtualClock::advance(std::chrono::nanoseconds d) {
  if (d.count() < 0) throw std::invalid_argument("weir: a virtual clock can't be moved back");
  const Time until(std::chrono::nanoseconds(saturating_add(now().time_since_epoch().count(), d.count())));
  while (const auto alarm = first_due(until)) {
    reach(std::min(until, alarm->next_due()));
    alarm->ring(now());
  }
  reach(until);
}

/// Not back: what was due may have moved it further.
void VirtualClock::reach(Time t) {
  now_.store(std::max(now(), t), std::memory_order_release);
}

}  // namespace weir
