// Where those who can't be admitted yet wait: a line for each bucket, first come, first served.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "weir/timer_queue.h"
#include "weir/waiting.h"

namespace weir::limiter {

/// What waits, as its limiter tells it. The functions are called with the room locked and must not enter it.
struct WaitRequest {
  /// Those of one line are served in order.
  std::uint64_t line = 0;
  Time deadline = Time::max();
  std::stop_token stop;
  /// Asks for admission, and charges when it is had. An admission that would leave later than `deadline` is
  /// to be refused, with a retry_after that ends behind the deadline.
  std::function<Outcome(Time now, Time deadline)> attempt;
  /// What an attempt would say of `deadline` aside, if nobody else waited; changes nothing.
  std::function<Outcome(Time now)> peek;
  /// When something that is held now will go back, and an attempt may succeed before its time.
  std::function<Time()> next_chance;
  /// Gives an admission back that had to be waited for; its place in a queue only if `place_too`.
  std::function<void(Time now, bool place_too)> give_back;
  /// How long its place in a queue lasts; 0 where that is not known, and nobody can move up into it.
  std::chrono::nanoseconds place_lasts{0};
  /// When whoever joined the queue now would leave it.
  std::function<Time(Time now)> next_turn;
  WaitDone done;
};

/// All functions are safe from any thread. Ends of waits are told with nothing locked.
class WaitRoom : public std::enable_shared_from_this<WaitRoom> {
 public:
  explicit WaitRoom(std::shared_ptr<TimerQueue> timers) : timers_(std::move(timers)) {}

  void enter(WaitRequest request);
  /// Something was given back to the bucket of `line`: whoever is first may be admitted sooner than was told.
  void poke(std::uint64_t line);
  /// The same where nobody knows which lines may gain. Serves the next few lines on this thread, so that
  /// nobody is held up by how many wait, and leaves the others to the timers, a few at a time, in turns.
  void poke_all();
  /// Ends all waits, now and later, as closed.
  void close();

  bool empty() const { return waiting_.load(std::memory_order_relaxed) == 0; }

 private:
  struct Waiter;
  using WaiterPtr = std::shared_ptr<Waiter>;
  struct Line {
    std::list<WaiterPtr> waiting;
    /// Admitted by a leaky_bucket, until their turn comes; in the order of their turns.
    std::list<WaiterPtr> leaving;
    TimerId retry{};
  };
  /// Waits that have ended under the lock, to be told without it.
  using Ended = std::vector<std::pair<WaiterPtr, Waited>>;

  /// Lines that one call of poke_all serves, and then each turn of the timers.
  static constexpr std::size_t kLinesAtOnce = 64;

  void join(const WaiterPtr& waiter, Ended& ended);
  bool is_in_vain(const WaiterPtr& waiter, Time now, Ended& ended);
  void serve(std::uint64_t line, Ended& ended);
  bool serve_first(Line& line, const WaiterPtr& first, Time now, Ended& ended);
  void leave_later(Line& line, const WaiterPtr& waiter, Time when);
  void give_up_place(Line& line, const WaiterPtr& waiter);
  static bool has_all_behind(const Line& line, std::list<WaiterPtr>::const_iterator waiter, Time now);
  void cancel(const std::weak_ptr<Waiter>& weak);
  void time_out(const std::weak_ptr<Waiter>& weak);
  void let_out(const std::weak_ptr<Waiter>& weak);
  void remove_waiting(const WaiterPtr& waiter, Ended& ended, WaitEnd how);
  void serve_some_lines(Ended& ended);
  void serve_more_lines();
  void end(const WaiterPtr& waiter, WaitEnd how, Ended& ended);
  void drop_if_empty(std::uint64_t line);
  void schedule_for(Waiter& waiter, Time when, void (WaitRoom::*what)(const std::weak_ptr<Waiter>&));
  static void tell(Ended& ended);

  const std::shared_ptr<TimerQueue> timers_;
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;  // guards all below, and every Waiter
  std::map<std::uint64_t, Line> lines_;
  /// Of poke_all: how many lines are still to be served, from which on, and whether the timers know.
  std::size_t unserved_ = 0;
  std::uint64_t next_line_ = 0;
  bool more_scheduled_ = false;
  bool closed_ = false;
};

}  // namespace weir::limiter
