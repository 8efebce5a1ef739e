// Waiting for a moment: what latches do while someone else holds them.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace weir::store {

/// Pauses a little, then gives the core away: with more threads than cores, who holds the latch may need it.
/// Where that does not help, many wait and the core goes round among them; so in the end they sleep, and
/// leave it to who holds it.
class Backoff {
 public:
  void wait() {
    if (++waits_ > kPauses + kYields) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      return;
    }
    if (waits_ > kPauses) {
      std::this_thread::yield();
      return;
    }
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#endif
  }

 private:
  static constexpr unsigned kPauses = 64;
  static constexpr unsigned kYields = 32;
  unsigned waits_ = 0;
};

/// For a few instructions that touch what is not one atomic. Never makes a system call but to wait.
/// Lockable, so that std::lock_guard serves.
class SpinLatch {
 public:
  void lock() {
    for (Backoff backoff; taken_.exchange(true, std::memory_order_acquire);) {
      while (taken_.load(std::memory_order_relaxed)) backoff.wait();
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

/// Where threads may be made to meet: does nothing, and a test's own version waits at random.
struct NoYield {
  static void point() {}
};

}  // namespace weir::store
