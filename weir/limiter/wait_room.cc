#include "weir/limiter/wait_room.h"

#include <algorithm>
#include <iterator>

#include "weir/base/time.h"

namespace weir::limiter {
namespace {

Time later(Time t, std::chrono::nanoseconds d) {
  return Time(std::chrono::nanoseconds(saturating_add(t.time_since_epoch().count(), d.count())));
}

}  // namespace

struct WaitRoom::Waiter : std::enable_shared_from_this<Waiter> {
  enum class State : std::uint8_t { arriving, called_off, waiting, leaving, ended };

  WaitRequest request;
  State state = State::arriving;
  Outcome said;
  /// Of its deadline, or of its turn.
  TimerId timer{};
  Time turn{};
  /// Of whoever comes next.
  Time turn_behind{};
  /// Set before anyone else knows the waiter, and ended when no one does any more.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

void WaitRoom::enter(WaitRequest request) {
  const auto waiter = std::make_shared<Waiter>();
  waiter->request = std::move(request);
  if (waiter->request.stop.stop_possible()) {
    waiter->on_stop.emplace(waiter->request.stop,
                            [room = weak_from_this(), weak = std::weak_ptr<Waiter>(waiter)] {
                              if (const auto here = room.lock()) here->cancel(weak);
                            });
  }
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    waiting_.fetch_add(1, std::memory_order_relaxed);
    join(waiter, ended);
  }
  tell(ended);
}

void WaitRoom::join(const WaiterPtr& waiter, Ended& ended) {
  if (closed_) return end(waiter, WaitEnd::closed, ended);
  if (waiter->state == Waiter::State::called_off) return end(waiter, WaitEnd::cancelled, ended);
  const Time now = timers_->clock()->now();
  const std::uint64_t name = waiter->request.line;
  Line& line = lines_[name];
  waiter->state = Waiter::State::waiting;
  line.waiting.push_back(waiter);
  if (line.waiting.size() == 1) {
    serve(name, ended);
  } else if (waiter->request.deadline <= now) {
    line.waiting.pop_back();
    end(waiter, WaitEnd::too_late, ended);
  }
  if (waiter->state == Waiter::State::waiting && waiter->request.deadline != Time::max()) {
    at(*waiter, waiter->request.deadline, &WaitRoom::time_out);
  }
}

/// Admits from the front of a line as long as it goes, then waits for when it may go on.
void WaitRoom::serve(std::uint64_t name, Ended& ended) {
  const auto found = lines_.find(name);
  if (found == lines_.end()) return;
  Line& line = found->second;
  timers_->cancel(std::exchange(line.retry, TimerId{}));
  const Time now = timers_->clock()->now();
  while (!line.waiting.empty() && serve_first(line, line.waiting.front(), now, ended))
    line.waiting.pop_front();
  if (!line.waiting.empty()) {
    const Waiter& first = *line.waiting.front();
    const Time soonest = later(now, std::chrono::nanoseconds(1));
    const Time told = later(now, first.said.retry_after.get());
    line.retry = timers_->schedule(std::max(soonest, std::min(told, first.request.next_chance())),
                                   [weak = weak_from_this(), name] {
                                     if (const auto room = weak.lock()) room->poke(name);
                                   });
  }
  drop_if_empty(name);
}

/// Whether the first of the line need not wait in it any longer.
bool WaitRoom::serve_first(Line& line, const WaiterPtr& first, Time now, Ended& ended) {
  const Time deadline = first->request.deadline;
  first->said = first->request.attempt(now, deadline);
  switch (first->said.admission) {
    case Admission::never:
      end(first, WaitEnd::never, ended);
      return true;
    case Admission::not_until:
      if (later(now, first->said.retry_after.get()) <= deadline) return false;
      end(first, WaitEnd::too_late, ended);
      return true;
    case Admission::admitted:
      if (first->said.delay.count() == 0) {
        end(first, WaitEnd::admitted, ended);
      } else {
        leave_later(line, first, later(now, first->said.delay));
      }
      return true;
  }
  return true;
}

void WaitRoom::leave_later(Line& line, const WaiterPtr& waiter, Time when) {
  waiter->state = Waiter::State::leaving;
  waiter->turn = when;
  waiter->turn_behind = waiter->request.next_turn(timers_->clock()->now());
  const auto place = std::find_if(line.leaving.begin(), line.leaving.end(),
                                  [&](const WaiterPtr& other) { return other->turn > when; });
  line.leaving.insert(place, waiter);
  at(*waiter, when, &WaitRoom::leave);
}

void WaitRoom::at(Waiter& waiter, Time when, void (WaitRoom::*what)(const std::weak_ptr<Waiter>&)) {
  timers_->cancel(waiter.timer);
  waiter.timer = timers_->schedule(when, [room = weak_from_this(), weak = waiter.weak_from_this(), what] {
    if (const auto here = room.lock()) (*here.*what)(weak);
  });
}

void WaitRoom::poke(std::uint64_t line) {
  if (empty()) return;
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    serve(line, ended);
  }
  tell(ended);
}

void WaitRoom::poke_all() {
  if (empty()) return;
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> names;
    for (const auto& [name, line] : lines_) names.push_back(name);
    for (const std::uint64_t name : names) serve(name, ended);
  }
  tell(ended);
}

void WaitRoom::remove_waiting(Line& line, const WaiterPtr& waiter) {
  const auto found = std::find(line.waiting.begin(), line.waiting.end(), waiter);
  if (found != line.waiting.end()) line.waiting.erase(found);
}

void WaitRoom::time_out(const std::weak_ptr<Waiter>& weak) {
  const auto waiter = weak.lock();
  if (!waiter) return;
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    if (waiter->state != Waiter::State::waiting) return;
    // Its last instant is in time.
    serve(waiter->request.line, ended);
    if (waiter->state == Waiter::State::waiting) {
      remove_waiting(lines_[waiter->request.line], waiter);
      end(waiter, WaitEnd::too_late, ended);
      serve(waiter->request.line, ended);
    }
  }
  tell(ended);
}

void WaitRoom::leave(const std::weak_ptr<Waiter>& weak) {
  const auto waiter = weak.lock();
  if (!waiter) return;
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    if (waiter->state != Waiter::State::leaving) return;
    lines_[waiter->request.line].leaving.remove(waiter);
    end(waiter, WaitEnd::admitted, ended);
    drop_if_empty(waiter->request.line);
  }
  tell(ended);
}

/// Those behind move up, so that what is given back is the last place in the queue. Where not all of them
/// wait here, as someone was told a delay by check(), the place stays empty: two would leave at once
/// otherwise.
void WaitRoom::leave_queue(Line& line, const WaiterPtr& waiter) {
  const Time now = timers_->clock()->now();
  const auto found = std::find(line.leaving.begin(), line.leaving.end(), waiter);
  const bool can_move_up = has_all_behind(line, found, now);
  for (auto behind = line.leaving.erase(found); can_move_up && behind != line.leaving.end(); ++behind) {
    (*behind)->turn -= waiter->request.place;
    at(**behind, (*behind)->turn, &WaitRoom::leave);
  }
  if (can_move_up) waiter->request.give_back(now);
}

/// Whether its turn is still to come, and from then to the end of the queue one place follows the other.
bool WaitRoom::has_all_behind(const Line& line, std::list<WaiterPtr>::const_iterator waiter, Time now) {
  // Intervals need not be whole nanoseconds; turns are rounded up, and places down.
  constexpr std::chrono::nanoseconds kRounding{2};
  const WaitRequest& request = (*waiter)->request;
  if ((*waiter)->turn < now) return false;
  if (request.place.count() == 0) {
    return std::next(waiter) == line.leaving.end() && request.next_turn(now) <= (*waiter)->turn_behind;
  }
  Time end = (*waiter)->turn + request.place;
  for (++waiter; waiter != line.leaving.end(); ++waiter) {
    if ((*waiter)->turn > end + kRounding) return false;
    end = (*waiter)->turn + (*waiter)->request.place;
  }
  return request.next_turn(now) <= end + kRounding;
}

void WaitRoom::cancel(const std::weak_ptr<Waiter>& weak) {
  const auto waiter = weak.lock();
  if (!waiter) return;
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t name = waiter->request.line;
    if (waiter->state == Waiter::State::arriving) {
      waiter->state = Waiter::State::called_off;
      return;
    }
    if (waiter->state == Waiter::State::waiting) {
      remove_waiting(lines_[name], waiter);
    } else if (waiter->state == Waiter::State::leaving) {
      leave_queue(lines_[name], waiter);
    } else {
      return;
    }
    end(waiter, WaitEnd::cancelled, ended);
    serve(name, ended);
  }
  tell(ended);
}

void WaitRoom::end(const WaiterPtr& waiter, WaitEnd how, Ended& ended) {
  timers_->cancel(std::exchange(waiter->timer, TimerId{}));
  waiter->state = Waiter::State::ended;
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  ended.emplace_back(waiter, Waited{how, waiter->said});
}

void WaitRoom::drop_if_empty(std::uint64_t name) {
  const auto found = lines_.find(name);
  if (found == lines_.end() || !found->second.waiting.empty() || !found->second.leaving.empty()) return;
  lines_.erase(found);
}

void WaitRoom::tell(Ended& ended) {
  for (auto& [waiter, waited] : ended) {
    // Waits for a stop that is being asked for on another thread; that finds the waiter ended.
    waiter->on_stop.reset();
    const WaitDone done = std::move(waiter->request.done);
    if (done) done(waited);
  }
}

void WaitRoom::close() {
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (auto& [name, line] : lines_) {
      timers_->cancel(line.retry);
      for (const WaiterPtr& waiter : line.leaving) {
        waiter->request.give_back(timers_->clock()->now());
        end(waiter, WaitEnd::closed, ended);
      }
      for (const WaiterPtr& waiter : line.waiting) end(waiter, WaitEnd::closed, ended);
    }
    lines_.clear();
  }
  tell(ended);
}

WaitRoom* WaitRoomWhenNeeded::get() {
  if (WaitRoom* const ready = made()) return ready;
  const std::lock_guard lock(mutex_);
  if (closed_) return nullptr;
  if (!room_) {
    room_ = std::make_shared<WaitRoom>(timers_ ? timers_ : std::make_shared<TimerQueue>(clock_));
    ready_.store(room_.get(), std::memory_order_release);
  }
  return room_.get();
}

void WaitRoomWhenNeeded::close() {
  std::shared_ptr<WaitRoom> open;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    open = room_;
  }
  if (open) open->close();
}

}  // namespace weir::limiter
