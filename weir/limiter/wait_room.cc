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
  /// Where it is in its line, while it is in one.
  std::list<WaiterPtr>::iterator place;
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
  if (!line.waiting.empty() && is_in_vain(waiter, now, ended)) return;
  waiter->state = Waiter::State::waiting;
  waiter->place = line.waiting.insert(line.waiting.end(), waiter);
  if (line.waiting.size() == 1) serve(name, ended);
  if (waiter->state == Waiter::State::waiting && waiter->request.deadline != Time::max()) {
    schedule_for(*waiter, waiter->request.deadline, &WaitRoom::time_out);
  }
}

/// Of whoever comes behind others: even alone it would not be admitted in time, so that nobody waits in vain.
bool WaitRoom::is_in_vain(const WaiterPtr& waiter, Time now, Ended& ended) {
  const Time deadline = waiter->request.deadline;
  const Outcome said = waiter->request.peek(now);
  if (!said.admitted()) waiter->said = said;
  if (said.admission == Admission::never) {
    end(waiter, WaitEnd::never, ended);
    return true;
  }
  const auto wait = said.admitted() ? said.delay : said.retry_after.get();
  if (deadline > now && later(now, wait) <= deadline) return false;
  end(waiter, WaitEnd::too_late, ended);
  return true;
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
  // Mostly it is the last.
  auto behind = line.leaving.end();
  while (behind != line.leaving.begin() && (*std::prev(behind))->turn > when) --behind;
  waiter->place = line.leaving.insert(behind, waiter);
  schedule_for(*waiter, when, &WaitRoom::let_out);
}

void WaitRoom::schedule_for(Waiter& waiter, Time when, void (WaitRoom::*what)(const std::weak_ptr<Waiter>&)) {
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
    unserved_ = lines_.size();
    serve_some_lines(ended);
  }
  tell(ended);
}

/// Takes turns with the others who use the timers: what is given back again and again holds nobody up.
void WaitRoom::serve_more_lines() {
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    more_scheduled_ = false;
    serve_some_lines(ended);
  }
  tell(ended);
}

/// Of those that poke_all has left.
void WaitRoom::serve_some_lines(Ended& ended) {
  for (std::size_t i = 0; i < kLinesAtOnce && unserved_ != 0; ++i, --unserved_) {
    auto next = lines_.lower_bound(next_line_);
    if (next == lines_.end()) next = lines_.begin();
    if (next == lines_.end()) {
      unserved_ = 0;
      return;
    }
    const std::uint64_t name = next->first;
    next_line_ = name + 1;
    serve(name, ended);
  }
  if (unserved_ == 0 || more_scheduled_) return;
  more_scheduled_ = true;
  timers_->schedule(timers_->clock()->now(), [weak = weak_from_this()] {
    if (const auto room = weak.lock()) room->serve_more_lines();
  });
}

void WaitRoom::remove_waiting(const WaiterPtr& waiter, Ended& ended, WaitEnd how) {
  const std::uint64_t name = waiter->request.line;
  Line& line = lines_[name];
  const bool was_first = line.waiting.front() == waiter;
  line.waiting.erase(waiter->place);
  end(waiter, how, ended);
  // Those behind may need less.
  if (was_first) serve(name, ended);
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
    if (waiter->state == Waiter::State::waiting) remove_waiting(waiter, ended, WaitEnd::too_late);
  }
  tell(ended);
}

/// Its turn has come.
void WaitRoom::let_out(const std::weak_ptr<Waiter>& weak) {
  const auto waiter = weak.lock();
  if (!waiter) return;
  Ended ended;
  {
    const std::lock_guard lock(mutex_);
    if (waiter->state != Waiter::State::leaving) return;
    lines_[waiter->request.line].leaving.erase(waiter->place);
    end(waiter, WaitEnd::admitted, ended);
    drop_if_empty(waiter->request.line);
  }
  tell(ended);
}

/// Of one that is called off. Those behind move up, so that what is given back is the last place in the
/// queue. Where not all of them wait here, as someone was told a delay by check(), the place stays empty: two
/// would leave at once otherwise.
void WaitRoom::give_up_place(Line& line, const WaiterPtr& waiter) {
  const Time now = timers_->clock()->now();
  const bool can_move_up = has_all_behind(line, waiter->place, now);
  auto behind = line.leaving.erase(waiter->place);
  for (; can_move_up && behind != line.leaving.end(); ++behind) {
    (*behind)->turn -= waiter->request.place_lasts;
    schedule_for(**behind, (*behind)->turn, &WaitRoom::let_out);
  }
  waiter->request.give_back(now, can_move_up);
}

/// Whether its turn is still to come, and from then to the end of the queue one place follows the other.
bool WaitRoom::has_all_behind(const Line& line, std::list<WaiterPtr>::const_iterator waiter, Time now) {
  // Intervals need not be whole nanoseconds; turns are rounded up, and places down.
  constexpr std::chrono::nanoseconds kRounding{2};
  const WaitRequest& request = (*waiter)->request;
  if ((*waiter)->turn < now) return false;
  if (request.place_lasts.count() == 0) {
    return std::next(waiter) == line.leaving.end() && request.next_turn(now) <= (*waiter)->turn_behind;
  }
  Time end = (*waiter)->turn + request.place_lasts;
  for (++waiter; waiter != line.leaving.end(); ++waiter) {
    if ((*waiter)->turn > end + kRounding) return false;
    end = (*waiter)->turn + (*waiter)->request.place_lasts;
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
    switch (waiter->state) {
      case Waiter::State::arriving:
        waiter->state = Waiter::State::called_off;
        break;
      case Waiter::State::waiting:
        remove_waiting(waiter, ended, WaitEnd::cancelled);
        break;
      case Waiter::State::leaving:
        give_up_place(lines_[name], waiter);
        end(waiter, WaitEnd::cancelled, ended);
        serve(name, ended);
        break;
      case Waiter::State::called_off:
      case Waiter::State::ended:
        break;
    }
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
        waiter->request.give_back(timers_->clock()->now(), true);
        end(waiter, WaitEnd::closed, ended);
      }
      for (const WaiterPtr& waiter : line.waiting) end(waiter, WaitEnd::closed, ended);
    }
    lines_.clear();
    unserved_ = 0;
  }
  tell(ended);
}

}  // namespace weir::limiter
