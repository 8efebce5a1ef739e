// A RateLimiter beside one compare-and-swap, in one run: prints ratios, since nanoseconds are the machine's.
// `limiter_bench [--quick]`
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>

#include "weir/weir.h"

namespace {

using weir::Cost;
using weir::Key;
using weir::Outcome;
using weir::RateLimiter;
using weir::Time;
using namespace std::chrono_literals;

int g_rounds = 9;
std::size_t g_steps = 1'000'000;

/// That this thread had a core: what else runs on the machine does not count.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Measured {
  const char* name;
  std::function<void(std::size_t)> steps;
  std::vector<double> ns{};

  double median() {
    std::sort(ns.begin(), ns.end());
    return ns[ns.size() / 2];
  }
};

/// All of them in turn, round after round, so that each meets the same machine.
void measure(std::vector<Measured>& all) {
  for (int round = 0; round < g_rounds; ++round) {
    for (Measured& one : all) {
      const double begin = thread_seconds();
      one.steps(g_steps);
      one.ns.push_back((thread_seconds() - begin) * 1e9 / static_cast<double>(g_steps));
    }
  }
}

/// More than anybody uses up here, so that every decision is an admission.
weir::Limit plenty() {
  return weir::token_bucket(100'000'000, weir::per(1s)).burst(1'000'000'000'000);
}

void one_thread() {
  alignas(64) std::atomic<std::uint64_t> word{0};
  RateLimiter admits{plenty()};
  RateLimiter denies{weir::token_bucket(1, weir::per(24h))};
  RateLimiter window{weir::fixed_window(1'000'000'000'000, weir::per(1h))};
  (void)denies.check();
  (void)admits.check("mira");
  Time now = admits.now();
  const Time still = now;
  std::uint64_t sink = 0;
  std::vector<Key> keys;
  for (int i = 0; i < 32; ++i) keys.emplace_back(i);
  std::array<Outcome, 32> outcomes;
  const auto loop = [](auto body) {
    return [body](std::size_t steps) {
      for (std::size_t i = 0; i < steps; ++i) body();
    };
  };
  std::vector<Measured> all{
      {"one compare-and-swap", loop([&] {
         std::uint64_t before = word.load(std::memory_order_relaxed);
         word.compare_exchange_strong(before, before + 1);
       })},
      {"one bucket, clock given, admitted",
       loop([&] { sink += admits.check(Cost{1}, now += 10ns).remaining; })},
      {"one bucket, clock given, denied", loop([&] { sink += denies.check(Cost{1}, still).remaining; })},
      {"the clock alone",
       loop([&] { sink += static_cast<std::uint64_t>(admits.now().time_since_epoch().count()); })},
      {"one bucket, own clock, admitted", loop([&] { sink += admits.check().remaining; })},
      {"one bucket, own clock, denied", loop([&] { sink += denies.check().remaining; })},
      {"one bucket of several words, clock given",
       loop([&] { sink += window.check(Cost{1}, still).remaining; })},
      {"one key, clock given, admitted",
       loop([&] { sink += admits.check("mira", Cost{1}, now += 10ns).remaining; })},
      {"one key, own clock, admitted", loop([&] { sink += admits.check("mira").remaining; })},
      {"reserve and commit",
       loop([&] { sink += admits.reserve(Cost{1}, 60s).commit() == weir::Settlement::settled; })},
      {"a key of 32 in one call", [&](std::size_t steps) {
         for (std::size_t i = 0; i < steps; i += keys.size()) admits.check_each(keys, outcomes, Cost{1}, now);
       }}};
  measure(all);
  const double swap = all[0].median();
  std::printf("one compare-and-swap: %.1f ns\n", swap);
  for (std::size_t i = 1; i < all.size(); ++i) {
    std::printf("%s: %.1f ns, %.2f of a compare-and-swap\n", all[i].name, all[i].median(),
                all[i].median() / swap);
  }
  if (sink == 1) std::printf(" \n");
}

struct Run {
  /// Decisions of all threads together in a nanosecond.
  double rate;
  /// Whether each thread had a core for itself nearly all the time. Without that, it says nothing of sharing.
  bool undisturbed;
};

template <class Body>
Run run(int threads, Body body) {
  using Wall = std::chrono::steady_clock;
  const std::size_t steps = g_steps / 10;  // short, so that some come through undisturbed
  std::atomic<int> ready{0};
  std::atomic<double> had{0};
  std::vector<Wall::time_point> begun(static_cast<std::size_t>(threads));
  std::vector<Wall::time_point> ended(static_cast<std::size_t>(threads));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      ++ready;
      while (ready.load() < threads) {
      }
      begun[static_cast<std::size_t>(t)] = Wall::now();
      const double begin = thread_seconds();
      for (std::size_t i = 0; i < steps; ++i) body(t);
      had += thread_seconds() - begin;
      ended[static_cast<std::size_t>(t)] = Wall::now();
    });
  }
  for (std::thread& thread : running) thread.join();
  const double wall = std::chrono::duration<double>(*std::max_element(ended.begin(), ended.end()) -
                                                    *std::min_element(begun.begin(), begun.end()))
                          .count();
  return {static_cast<double>(steps) * threads / (wall * 1e9), had >= 0.9 * wall * threads};
}

/// The median of undisturbed runs; 0 when the machine had none to give.
template <class Body>
double rate(int threads, Body body) {
  std::vector<double> rates;
  for (int tries = 0; tries < 40 * g_rounds && rates.size() < static_cast<std::size_t>(g_rounds); ++tries) {
    const Run one = run(threads, body);
    if (one.undisturbed) rates.push_back(one.rate);
  }
  std::sort(rates.begin(), rates.end());
  return rates.empty() ? 0 : rates[rates.size() / 2];
}

template <class Body>
void compare(const char* name, Body body) {
  const double one = rate(1, body);
  const double two = rate(2, body);
  if (one == 0 || two == 0) {
    std::printf("%s: not measured, the machine was too busy\n", name);
  } else {
    std::printf("%s: %.2f times what one does\n", name, two / one);
  }
}

void two_threads() {
  std::array<RateLimiter, 2> own{RateLimiter(plenty()), RateLimiter(plenty())};
  RateLimiter denies{weir::token_bucket(1, weir::per(24h))};
  (void)denies.check();
  const Time now = own[1].now();
  compare("two threads on two buckets",
          [&](int t) { (void)own[static_cast<std::size_t>(t)].check(Cost{1}, now); });
  compare("two threads on one bucket", [&](int) { (void)own[0].check(Cost{1}, now); });
  compare("two threads that one bucket denies", [&](int) { (void)denies.check(Cost{1}, now); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--quick") == 0) {
    g_rounds = 3;
    g_steps = 200'000;
  }
  one_thread();
  two_threads();
  return 0;
}
