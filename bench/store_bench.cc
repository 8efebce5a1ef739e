// The memory store beside what bounds it and what else people would use: prints ratios, all measured in one
// run, since nanoseconds are the machine's. `store_bench [--quick]`
//
// Contenders take turns, a slice of the work each, and what is compared are the medians of their turns: what
// else runs on the machine then slows all of them alike.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "weir/base/hash.h"
#include "weir/base/wide.h"
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

/// That this thread had a core: what else runs on the machine does not count.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The nanoseconds that one of `count` steps took.
template <class Body>
double step_ns(std::size_t count, Body body) {
  const double begin = cpu_seconds();
  body();
  return (cpu_seconds() - begin) * 1e9 / static_cast<double>(count);
}

MemoryStore make_store(std::size_t keys) {
  return MemoryStore(
      {.max_keys = keys, .max_memory = std::size_t{4} << 30U, .frame = weir::TimeFrame::starting_at(kStart)});
}

/// More than anybody uses up here, so that every decision is an admission.
weir::Limit plenty() {
  return {.quota = 1'000'000'000, .per = weir::kSecond};
}

// ---- One bucket ----

constexpr std::size_t kOneBucketSteps = 500'000;

double swaps(std::atomic<std::uint64_t>& word) {
  return step_ns(kOneBucketSteps, [&] {
    for (std::size_t i = 0; i < kOneBucketSteps; ++i) {
      std::uint64_t before = word.load(std::memory_order_relaxed);
      while (!word.compare_exchange_weak(before, before + 1)) {
      }
    }
  });
}

/// Time goes on by `step` with each decision.
double decisions(MemoryStore& store, const BucketAsk& ask, Nanos& now, Nanos step) {
  BucketVerdict said;
  return step_ns(kOneBucketSteps, [&] {
    for (std::size_t i = 0; i < kOneBucketSteps; ++i) store.decide({&ask, 1}, now += step, {&said, 1});
  });
}

void one_bucket(int rounds) {
  alignas(64) std::atomic<std::uint64_t> word{0};
  MemoryStore store = make_store(1000);
  const BucketAsk admits{.bucket = 42, .limit = store.add(plenty(), 0), .ask = {}};
  const BucketAsk denies{.bucket = 43, .limit = store.add({.quota = 1, .per = weir::kHour}, 0), .ask = {}};
  Nanos now = kStart;
  std::vector<double> swap;
  std::vector<double> admitted;
  std::vector<double> denied;
  for (int i = 0; i < rounds; ++i) {
    swap.push_back(swaps(word));
    admitted.push_back(decisions(store, admits, now, 10));
    denied.push_back(decisions(store, denies, now, 0));
  }
  const double unit = median(swap);
  std::printf("one bucket: admitted %.2f of a compare-and-swap (%.1f of %.1f ns); denied %.2f (%.1f ns)\n",
              median(admitted) / unit, median(admitted), unit, median(denied) / unit, median(denied));
}

// ---- Two threads ----

/// The nanoseconds that a step takes each of `threads`, all at work at the same time.
double each_of(std::size_t threads, const std::function<double(std::size_t)>& body) {
  std::vector<double> times(threads);
  std::atomic<std::size_t> ready{0};
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      cpu_set_t cores;
      CPU_ZERO(&cores);
      CPU_SET(i, &cores);
      pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
      ++ready;
      while (ready < threads) {
      }
      times[i] = body(i);
    });
  }
  for (std::thread& thread : running) thread.join();
  return *std::max_element(times.begin(), times.end());
}

void two_threads(int rounds) {
  if (std::thread::hardware_concurrency() < 2) {
    std::printf("two threads: this machine has one core\n");
    return;
  }
  struct alignas(64) Word {
    std::atomic<std::uint64_t> value{0};
  };
  std::array<Word, 2> words;
  MemoryStore store = make_store(1000);
  const LimitId limit = store.add(plenty(), 0);
  const auto decide = [&](std::uint64_t bucket) {
    Nanos now = kStart;
    return decisions(store, {.bucket = bucket, .limit = limit, .ask = {}}, now, 10);
  };
  std::vector<double> one;
  std::vector<double> separate;
  std::vector<double> same;
  std::vector<double> same_word;
  for (int i = 0; i < rounds; ++i) {
    one.push_back(each_of(1, [&](std::size_t) { return decide(1); }));
    separate.push_back(each_of(2, [&](std::size_t thread) { return decide(1 + thread); }));
    same.push_back(each_of(2, [&](std::size_t) { return decide(1); }));
    same_word.push_back(each_of(2, [&](std::size_t) { return swaps(words[0].value); }));
  }
  std::printf(
      "two threads: on separate keys a decision takes each %.2f of what it takes one alone (%.1f of %.1f "
      "ns); on one key %.2f (%.1f ns), which is %.2f of what a compare-and-swap takes them (%.1f ns)\n",
      median(separate) / median(one), median(separate), median(one), median(same) / median(one), median(same),
      median(same) / median(same_word), median(same_word));
}

// ---- Many keys ----

/// Of this process's memory, what is in large pages. Nothing where the system does not say.
std::size_t large_page_megabytes() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  for (std::string word; smaps >> word;) {
    std::size_t kilobytes = 0;
    if (word == "AnonHugePages:" && smaps >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

/// The names of keys, one after another in memory as a server would have just read them.
class Names {
 public:
  void append(std::uint64_t key) {
    std::array<char, kLength + 1> text{};
    std::snprintf(text.data(), text.size(), "account:%012llx", static_cast<unsigned long long>(key));
    bytes_.append(text.data(), kLength);
  }
  std::size_t size() const { return bytes_.size() / kLength; }
  std::string_view operator[](std::size_t i) const { return {bytes_.data() + i * kLength, kLength}; }

 private:
  static constexpr std::size_t kLength = 20;
  std::string bytes_;
};

/// What people have now: maps behind mutexes. It keeps the same word for the same law, and says no more than
/// yes or no.
class ShardedMaps {
 public:
  explicit ShardedMaps(std::size_t keys) : shards_(kShards) {
    for (Shard& shard : shards_) shard.words.reserve(keys / kShards + keys / kShards / 32);
  }

  bool decide(std::uint64_t key, std::uint64_t now) {
    constexpr std::uint64_t kInterval = 1'000'000;
    constexpr std::uint64_t kSpan = 1'000 * kInterval;
    // Neither the highest bits nor the lowest: the map itself goes by those.
    Shard& shard = shards_[(key >> 20U) % kShards];
    const std::lock_guard lock(shard.mutex);
    std::uint64_t& arrival = shard.words[key];
    const std::uint64_t next = std::max(arrival, now) + kInterval;
    if (next > now + kSpan) return false;
    arrival = next;
    return true;
  }

 private:
  /// The keys are hashes already.
  struct Identity {
    using is_avalanching = void;
    std::size_t operator()(std::uint64_t key) const { return key; }
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    boost::unordered_flat_map<std::uint64_t, std::uint64_t, Identity> words;
  };
  static constexpr std::size_t kShards = 64;
  std::vector<Shard> shards_;
};

/// As many bytes as a table has, and the memory's own price: an atomic add to a word of a random line.
class RandomAdds {
 public:
  explicit RandomAdds(std::size_t bytes)
      : pages_(bytes, weir::store::ZeroPages::Use::random_access),
        words_(reinterpret_cast<std::atomic<std::uint64_t>*>(pages_.data())),
        count_(bytes / sizeof(std::uint64_t)) {
    for (std::size_t i = 0; i < count_; i += 512) words_[i].store(1);
  }
  void add(std::uint64_t at) {
    words_[static_cast<std::size_t>(weir::Wide{at} * count_ >> 64U)].fetch_add(1, std::memory_order_relaxed);
  }

 private:
  weir::store::ZeroPages pages_;
  std::atomic<std::uint64_t>* words_;
  std::size_t count_;
};

class ManyKeys {
 public:
  explicit ManyKeys(std::size_t keys)
      : store_(make_store(keys)),
        limit_(store_.add({.quota = 1'000, .per = weir::kSecond}, 0)),
        maps_(keys),
        adds_(store_.stats().memory_bytes) {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> numbers(keys);
    for (std::uint64_t& number : numbers) number = random() >> 16U;
    Names all;
    for (const std::uint64_t number : numbers) all.append(number);
    new_key_ = step_ns(keys, [&] {
      for (std::size_t i = 0; i < keys; ++i) decide(hash(all[i]));
    });
    for (std::size_t i = 0; i < keys; ++i) maps_.decide(hash(all[i]), 1);
    for (std::size_t i = 0; i < kOrder; ++i) {
      order_.append(numbers[random() % keys]);
      hashes_.push_back(random());
    }
  }

  void run(int rounds) {
    constexpr std::array<std::size_t, 3> kBatches{8, 32, 100};
    std::vector<double> adds;
    std::vector<double> maps;
    std::vector<double> single;
    std::array<std::vector<double>, kBatches.size()> batched;
    for (int i = 0; i < rounds; ++i) {
      begin_ = static_cast<std::size_t>(i) * kSlice % kOrder;
      now_ += weir::kMicrosecond;
      adds.push_back(time([&](std::size_t at) { adds_.add(hashes_[at]); }));
      maps.push_back(time([&](std::size_t at) {
        maps_.decide(hash(order_[at]), static_cast<std::uint64_t>(now_ - kStart));
      }));
      single.push_back(time([&](std::size_t at) { decide(hash(order_[at])); }));
      for (std::size_t b = 0; b < kBatches.size(); ++b) batched[b].push_back(time_batches(kBatches[b]));
    }
    tell("one at a time", median(single), median(maps), median(adds));
    for (std::size_t b = 0; b < kBatches.size(); ++b) {
      tell("in batches of " + std::to_string(kBatches[b]), median(batched[b]), median(maps), median(adds));
    }
    std::printf("%s keys: 64 locked shards of unordered_flat_map %.1f ns, a random atomic add %.1f ns\n",
                millions().c_str(), median(maps), median(adds));
    std::printf("%s keys: a new key %.1f ns\n", millions().c_str(), new_key_);
    std::printf("%s keys: %.1f bytes each; %zu MB of all tables' %zu MB are in large pages\n",
                millions().c_str(),
                static_cast<double>(store_.stats().memory_bytes) / static_cast<double>(store_.stats().keys),
                large_page_megabytes(), (2 * store_.stats().memory_bytes) >> 20U);
  }

 private:
  /// Requests of a turn, and of all turns before they come again.
  static constexpr std::size_t kSlice = 200'000;
  static constexpr std::size_t kOrder = 10 * kSlice;

  std::uint64_t hash(std::string_view name) const { return secret_.hash(name); }
  void decide(std::uint64_t bucket) {
    const BucketAsk ask{.bucket = bucket, .limit = limit_, .ask = {}};
    store_.decide({&ask, 1}, now_, {&said_[0], 1});
  }

  template <class Step>
  double time(Step step) {
    return step_ns(kSlice, [&] {
      for (std::size_t i = begin_; i < begin_ + kSlice; ++i) step(i);
    });
  }

  double time_batches(std::size_t size) {
    std::array<BucketAsk, kMaxBatch> asks{};
    std::array<RequestEnd, kMaxBatch> ends{};
    for (std::uint32_t i = 0; i < size; ++i) ends[i] = {.end = i + 1};
    return step_ns(kSlice, [&] {
      for (std::size_t i = begin_; i < begin_ + kSlice; i += size) {
        for (std::size_t j = 0; j < size; ++j) {
          asks[j] = {.bucket = hash(order_[i + j]), .limit = limit_, .ask = {}};
        }
        store_.decide_many({asks.data(), size}, {ends.data(), size}, now_, {said_.data(), size});
      }
    });
  }

  std::string millions() const {
    return std::to_string((store_.stats().keys + 500'000) / 1'000'000) + " million string";
  }
  void tell(const std::string& how, double time, double maps, double adds) const {
    std::printf("%s keys: %s %.2f times as fast as locked shards, %.2f of a random atomic add (%.1f ns)\n",
                millions().c_str(), how.c_str(), maps / time, time / adds, time);
  }

  static constexpr std::size_t kMaxBatch = 100;
  const weir::HashSecret secret_ = weir::HashSecret::fixed(1);
  MemoryStore store_;
  LimitId limit_;
  ShardedMaps maps_;
  RandomAdds adds_;
  Names order_;
  std::vector<std::uint64_t> hashes_;
  std::array<BucketVerdict, kMaxBatch> said_{};
  Nanos now_ = kStart;
  std::size_t begin_ = 0;
  double new_key_ = 0;
};

// ---- Expiry ----

// What else runs on the machine takes the core away for milliseconds; a call is told by the time it had one.
void expiry(std::size_t keys) {
  MemoryStore store = make_store(keys);
  const LimitId limit = store.add({.quota = 10, .per = weir::kSecond}, 0);
  BucketVerdict said;
  std::mt19937_64 random(2);
  const auto decide = [&](Nanos now) {
    const BucketAsk ask{.bucket = random(), .limit = limit, .ask = {}};
    store.decide({&ask, 1}, now, {&said, 1});
  };
  for (std::size_t i = 0; i < keys; ++i) decide(kStart);
  // Into a full table, of which nothing has expired.
  const auto time_calls = [&](std::size_t calls, Nanos now) {
    std::vector<double> times(calls);
    for (double& time : times) {
      const double begin = cpu_seconds();
      decide(now);
      time = (cpu_seconds() - begin) * 1e6;
    }
    std::sort(times.begin(), times.end());
    return times;
  };
  const auto tell = [&](const char* what, const std::vector<double>& times) {
    std::printf("%s: of %zu calls the longest took %.1f us, one in 10,000 more than %.1f us, half %.2f us\n",
                what, times.size(), times.back(), times[times.size() - times.size() / 10'000 - 1],
                times[times.size() / 2]);
  };
  tell("a full table, new keys, nothing expired", time_calls(keys / 10, kStart));
  // All of them are as good as new now, and go while as many new ones come.
  tell("a full table, new keys, all expired", time_calls(keys, kStart + weir::kMinute));
  std::printf("expiry: %llu buckets went\n", static_cast<unsigned long long>(store.stats().evictions));
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const int rounds = quick ? 7 : 21;
  one_bucket(rounds);
  two_threads(rounds);
  ManyKeys(quick ? 1'000'000 : 10'000'000).run(rounds);
  expiry(quick ? 200'000 : 10'000'000);
  return 0;
}
