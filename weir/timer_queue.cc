#include "weir/timer_queue.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

namespace weir {
namespace {

/// The clock may run on while the machine sleeps and our timeouts stand still: we look at it now and then.
constexpr std::chrono::nanoseconds kLongestSleep = std::chrono::seconds(10);

}  // namespace

class TimerQueue::Heap : public Alarm {
 public:
  explicit Heap(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}

  TimerId schedule(Time when, std::function<void()> action) {
    const std::lock_guard lock(mutex_);
    const auto id = static_cast<TimerId>(++last_id_);
    const auto place = timers_.emplace(std::pair(when, last_id_), std::move(action)).first;
    when_.emplace(id, when);
    if (place == timers_.begin()) changed_.notify_one();
    return id;
  }

  bool cancel(TimerId id) {
    std::function<void()> dropped;  // may own much: its end is not our lock's business
    const std::lock_guard lock(mutex_);
    const auto found = when_.find(id);
    if (found == when_.end()) return false;
    const auto place = timers_.find({found->second, static_cast<std::uint64_t>(id)});
    dropped = std::move(place->second);
    timers_.erase(place);
    when_.erase(found);
    return true;
  }

  Time next_due() override {
    const std::lock_guard lock(mutex_);
    return timers_.empty() ? Time::max() : timers_.begin()->first.first;
  }

  void ring(Time now) override {
    while (const auto action = take_due(now)) action();
  }

  void start(const std::shared_ptr<Heap>& self) {
    thread_ = std::thread([self] { self->run(); });
  }

  void stop() {
    std::map<std::pair<Time, std::uint64_t>, std::function<void()>> dropped;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      dropped.swap(timers_);
      when_.clear();
      changed_.notify_one();
    }
    if (!thread_.joinable()) return;
    if (thread_.get_id() == std::this_thread::get_id()) {
      thread_.detach();  // the last owner went inside of an action; the loop ends when it returns
    } else {
      thread_.join();
    }
  }

 private:
  std::function<void()> take_due(Time now) {
    const std::lock_guard lock(mutex_);
    if (timers_.empty() || timers_.begin()->first.first > now) return {};
    const auto first = timers_.begin();
    std::function<void()> action = std::move(first->second);
    when_.erase(static_cast<TimerId>(first->first.second));
    timers_.erase(first);
    return action;
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (timers_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const Time now = clock_->now();
      const Time due = timers_.begin()->first.first;
      if (due > now) {
        changed_.wait_for(lock, std::min(due - now, kLongestSleep));
        continue;
      }
      lock.unlock();
      ring(now);
      lock.lock();
    }
  }

  const std::shared_ptr<Clock> clock_;
  std::mutex mutex_;  // guards all below but thread_
  std::condition_variable changed_;
  std::map<std::pair<Time, std::uint64_t>, std::function<void()>> timers_;
  std::unordered_map<TimerId, Time> when_;
  std::uint64_t last_id_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

TimerQueue::TimerQueue(std::shared_ptr<Clock> clock)
    : clock_(std::move(clock)), heap_(std::make_shared<Heap>(clock_)) {
  if (!clock_)
    throw std::invalid_argument("weir: a timer queue wants a clock; leave it out for the machine's");
  if (!clock_->attach(heap_)) heap_->start(heap_);
}

TimerQueue::~TimerQueue() {
  heap_->stop();
}

TimerId TimerQueue::schedule(Time when, std::function<void()> action) {
  return heap_->schedule(when, std::move(action));
}

bool TimerQueue::cancel(TimerId id) {
  return heap_->cancel(id);
}

}  // namespace weir
