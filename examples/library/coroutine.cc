// co_await: a thousand workers wait for one limiter, and one thread for all of them.
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <exception>

#include "weir/weir.h"

using namespace std::chrono_literals;

namespace {

/// The least that a coroutine needs. Yours comes with your framework: Asio, cppcoro, folly.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Task worker(weir::RateLimiter& limiter, std::atomic<int>& left) {
  const weir::Waited waited = co_await limiter.acquire_async("backend", {.within = 10s});
  if (!waited) std::printf("not in time\n");
  if (--left == 0) left.notify_one();
}

}  // namespace

int main() {
  weir::RateLimiter limiter{weir::token_bucket(20'000, weir::per(1s)).burst(1)};
  std::atomic<int> left{1000};
  for (int i = 0; i < 1000; ++i) worker(limiter, left);
  for (int now = left; now != 0; now = left) left.wait(now);
  std::printf("1000 workers were let through one by one\n");
}
