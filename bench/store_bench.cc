// The memory store beside what bounds it, in one run: prints ratios, since nanoseconds are the machine's.
// `store_bench [--quick]`
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <string_view>
#include <vector>

#include "weir/store/memory_store.h"
#include "weir/store/zero_pages.h"

namespace {

using weir::BucketAsk;
using weir::BucketVerdict;
using weir::LimitId;
using weir::MemoryStore;
using weir::Nanos;
using weir::RequestEnd;

constexpr Nanos kStart = 1'700'000'000 * weir::kSecond;
constexpr std::size_t kBatch = 32;
constexpr int kRepeats = 5;

/// Of the wall.
double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// That this process had a core: what else runs on the machine does not count.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The median time of one of `count` steps, in nanoseconds.
template <class Body>
double median_ns(std::size_t count, Body body) {
  std::array<double, kRepeats> times{};
  for (double& time : times) {
    const double begin = cpu_seconds();
    body();
    time = (cpu_seconds() - begin) * 1e9 / static_cast<double>(count);
  }
  std::sort(times.begin(), times.end());
  return times[kRepeats / 2];
}

MemoryStore make_store(std::size_t keys) {
  return MemoryStore(
      {.max_keys = keys, .max_memory = std::size_t{4} << 30U, .frame = weir::TimeFrame::starting_at(kStart)});
}

/// More than anybody uses up here, so that every decision is an admission.
weir::Limit plenty() {
  return {.quota = 1'000'000'000, .per = weir::kSecond};
}

void one_bucket() {
  constexpr std::size_t kSteps = 2'000'000;
  std::atomic<std::uint64_t> word{0};
  const double swap = median_ns(kSteps, [&] {
    for (std::size_t i = 0; i < kSteps; ++i) {
      std::uint64_t before = word.load(std::memory_order_relaxed);
      word.compare_exchange_strong(before, before + 1);
    }
  });
  MemoryStore store = make_store(1000);
  BucketAsk ask{.bucket = 42, .limit = store.add(plenty(), 0), .ask = {}};
  BucketVerdict said;
  Nanos now = kStart;
  const double admitted = median_ns(kSteps, [&] {
    for (std::size_t i = 0; i < kSteps; ++i) store.decide({&ask, 1}, now += 10, {&said, 1});
  });
  ask = {.bucket = 43, .limit = store.add({.quota = 1, .per = weir::kHour}, 0), .ask = {}};
  const double denied = median_ns(kSteps, [&] {
    for (std::size_t i = 0; i < kSteps; ++i) store.decide({&ask, 1}, kStart, {&said, 1});
  });
  std::printf("one bucket: admitted %.1f ns, %.2f of a compare-and-swap (%.1f ns); denied %.1f ns\n",
              admitted, admitted / swap, swap, denied);
}

/// Random atomic adds on as many bytes as the table has: one line each, which is what any table costs.
double random_adds(const std::vector<std::uint64_t>& order, std::size_t bytes) {
  const weir::store::ZeroPages pages(bytes, weir::store::ZeroPages::Use::random_access);
  auto* words = reinterpret_cast<std::atomic<std::uint64_t>*>(pages.data());
  const std::size_t count = bytes / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < count; i += 512) words[i].store(1);
  return median_ns(order.size(), [&] {
    for (const std::uint64_t key : order) {
      words[static_cast<std::size_t>(weir::Wide{key} * count >> 64U)].fetch_add(1, std::memory_order_relaxed);
    }
  });
}

void many_keys(std::size_t keys) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> names(keys);
  for (std::uint64_t& name : names) name = random();
  MemoryStore store = make_store(keys);
  const LimitId limit = store.add({.quota = 1'000, .per = weir::kSecond}, 0);
  BucketVerdict said;
  const double begin = cpu_seconds();
  for (const std::uint64_t name : names) {
    const BucketAsk ask{.bucket = name, .limit = limit, .ask = {}};
    store.decide({&ask, 1}, kStart, {&said, 1});
  }
  const double insert = (cpu_seconds() - begin) * 1e9 / static_cast<double>(keys);
  std::vector<std::uint64_t> order(std::min<std::size_t>(keys, 2'000'000));
  for (std::uint64_t& name : order) name = names[random() % keys];

  const double floor = random_adds(order, store.stats().memory_bytes);
  Nanos now = kStart;
  const double single = median_ns(order.size(), [&] {
    ++now;
    for (const std::uint64_t name : order) {
      const BucketAsk ask{.bucket = name, .limit = limit, .ask = {}};
      store.decide({&ask, 1}, now, {&said, 1});
    }
  });
  std::array<BucketAsk, kBatch> asks{};
  std::array<RequestEnd, kBatch> ends{};
  std::array<BucketVerdict, kBatch> verdicts{};
  for (std::uint32_t i = 0; i < kBatch; ++i) ends[i] = {.end = i + 1};
  const double batched = median_ns(order.size(), [&] {
    ++now;
    for (std::size_t i = 0; i + kBatch <= order.size(); i += kBatch) {
      for (std::size_t j = 0; j < kBatch; ++j) asks[j] = {.bucket = order[i + j], .limit = limit, .ask = {}};
      store.decide_many(asks, ends, now, verdicts);
    }
  });
  const double millions = static_cast<double>(keys) / 1e6;
  std::printf("%.0f million keys: one at a time %.1f ns, %.2f of a random atomic add (%.1f ns)\n", millions,
              single, single / floor, floor);
  std::printf("%.0f million keys: in batches of %zu %.1f ns, %.2f of a random atomic add\n", millions, kBatch,
              batched, batched / floor);
  std::printf("%.0f million keys: a new key %.1f ns\n", millions, insert);
  std::printf("%.0f million keys: %.1f bytes each\n", millions,
              static_cast<double>(store.stats().memory_bytes) / static_cast<double>(store.stats().keys));
}

void expiry(std::size_t keys) {
  MemoryStore store = make_store(keys);
  const LimitId limit = store.add({.quota = 10, .per = weir::kSecond}, 0);
  BucketVerdict said;
  std::mt19937_64 random(2);
  for (std::size_t i = 0; i < keys; ++i) {
    const BucketAsk ask{.bucket = random(), .limit = limit, .ask = {}};
    store.decide({&ask, 1}, kStart, {&said, 1});
  }
  // All of them are as good as new now, and go while as many new ones come.
  std::vector<double> calls(keys);
  for (double& call : calls) {
    const BucketAsk ask{.bucket = random(), .limit = limit, .ask = {}};
    const double begin = seconds();
    store.decide({&ask, 1}, kStart + weir::kMinute, {&said, 1});
    call = (seconds() - begin) * 1e6;
  }
  std::sort(calls.begin(), calls.end());
  std::printf(
      "expiry: of %zu calls while %llu buckets went, the longest took %.1f us, one in 10,000 more than %.1f "
      "us\n",
      keys, static_cast<unsigned long long>(store.stats().evictions), calls.back(),
      calls[keys - keys / 10'000 - 1]);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  one_bucket();
  many_keys(quick ? 1'000'000 : 10'000'000);
  expiry(quick ? 200'000 : 1'000'000);
  return 0;
}
