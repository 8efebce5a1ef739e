// What many threads get at once is what they would have got one after another. The store under test is the
// released one, and the same code with points at which threads change places at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/store_races.h"
#include "weir/store/memory_store.h"
#include "weir/store/store_core.h"

namespace weir {
namespace {

using test::draw;
using test::effort;
using test::race;

constexpr Nanos kStart = 1'700'000'000 * kSecond;

MemoryStoreOptions sized(std::size_t max_keys) {
  return {
      .max_keys = max_keys, .max_memory = std::size_t{64} << 20U, .frame = TimeFrame::starting_at(kStart)};
}

/// The store with yield points, behind the public calls that the tests use.
class YieldingStore {
 public:
  explicit YieldingStore(MemoryStoreOptions options) : core_(options) {}
  LimitId add(const Limit& limit, std::uint32_t room) { return core_.add(limit, room, kForever); }
  bool decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
    return core_.decide(asks, now, verdicts, false);
  }
  bool peek(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
    return core_.peek(asks, now, verdicts);
  }
  void refund(std::span<const BucketAsk> asks, Nanos now) { core_.refund(asks, now); }
  void charge(std::span<const BucketAsk> asks, Nanos now) { core_.charge(asks, now); }
  MemoryStoreStats stats() const { return core_.stats(); }

 private:
  store::StoreCore<test::SeededYield> core_;
};

template <class Store>
bool decide(Store& store, std::span<const BucketAsk> asks, Nanos now) {
  std::array<BucketVerdict, 8> verdicts;
  return store.decide(asks, now, verdicts);
}

template <class Store>
std::uint64_t remaining(Store& store, const BucketAsk& ask, Nanos now) {
  std::array<BucketVerdict, 1> verdicts;
  store.peek({&ask, 1}, now, verdicts);
  return verdicts[0].verdict.remaining;
}

// ---- Five left, a hundred racing ----

struct RaceForFive {
  Algorithm algorithm;
  int threads;
  int rounds;
  /// Rules that each request meets; the first has five left, the others more than enough.
  std::uint32_t rules;
};

constexpr std::uint64_t kTicketsPerRound = 20;

/// In how many of the races not exactly five were admitted. In each round, the threads race for each of some
/// new buckets; each names its rules in an order of its own.
template <class Store>
int wrong_races(const RaceForFive& plan) {
  Store store(sized(400'000));
  const LimitId five = store.add({.algorithm = plan.algorithm, .quota = 5, .per = kHour}, 0);
  const LimitId plenty = store.add({.algorithm = plan.algorithm, .quota = 1'000'000, .per = kHour}, 1);
  std::vector<std::atomic<int>> admitted(kTicketsPerRound);
  int wrong = 0;
  race(
      plan.threads, plan.rounds,
      [&](int thread, int round) {
        for (std::uint64_t ticket = 0; ticket < kTicketsPerRound; ++ticket) {
          std::vector<BucketAsk> asks;
          asks.push_back({.bucket = static_cast<std::uint64_t>(round) * kTicketsPerRound + ticket + 1000,
                          .limit = five,
                          .ask = {}});
          for (std::uint32_t rule = 1; rule < plan.rules; ++rule) {
            asks.push_back({.bucket = rule, .limit = plenty, .ask = {}});
          }
          std::rotate(asks.begin(), asks.begin() + thread % static_cast<int>(asks.size()), asks.end());
          if (decide(store, asks, kStart)) admitted[ticket].fetch_add(1);
        }
      },
      [&](int) {
        for (auto& count : admitted) wrong += count.exchange(0) == 5 ? 0 : 1;
      });
  if constexpr (!std::is_same_v<Store, test::CheckThenAddStore>) {
    // The other rules were charged for those who passed, and for no one else.
    const auto races = static_cast<std::uint64_t>(plan.rounds) * kTicketsPerRound;
    for (std::uint32_t rule = 1; rule < plan.rules; ++rule) {
      EXPECT_EQ(remaining(store, {.bucket = rule, .limit = plenty, .ask = {}}, kStart),
                1'000'000 - 5 * races);
    }
  }
  return wrong;
}

TEST(Races, ExactlyFiveOfAHundredThreadsPass) {
  EXPECT_EQ(wrong_races<MemoryStore>({Algorithm::token_bucket, 100, effort(300), 1}), 0);
  EXPECT_EQ(wrong_races<YieldingStore>({Algorithm::token_bucket, 100, effort(50), 1}), 0);
  EXPECT_EQ(wrong_races<YieldingStore>({Algorithm::token_bucket, 8, effort(50), 1}), 0);
}

TEST(Races, ExactlyFivePassWhereEachMeetsSeveralRules) {
  EXPECT_EQ(wrong_races<MemoryStore>({Algorithm::token_bucket, 100, effort(25), 3}), 0);
  EXPECT_EQ(wrong_races<YieldingStore>({Algorithm::token_bucket, 100, effort(10), 3}), 0);
  EXPECT_EQ(wrong_races<YieldingStore>({Algorithm::token_bucket, 6, effort(200), 2}), 0);
}

TEST(Races, ExactlyFivePassOfEveryAlgorithm) {
  for (const AlgorithmInfo& row : algorithms()) {
    if (row.algorithm == Algorithm::leaky_bucket) continue;  // admits one at once, and has the code of gcra
    SCOPED_TRACE(row.name);
    EXPECT_EQ(wrong_races<MemoryStore>({row.algorithm, 8, effort(50), 1}), 0);
    EXPECT_EQ(wrong_races<YieldingStore>({row.algorithm, 8, effort(20), 1}), 0);
    EXPECT_EQ(wrong_races<YieldingStore>({row.algorithm, 8, effort(20), 2}), 0);
  }
}

TEST(Races, TheseTestsCatchAStoreThatChecksAndThenAdds) {
  EXPECT_GT(wrong_races<test::CheckThenAddStore>({Algorithm::token_bucket, 100, effort(50), 1}), 0);
  EXPECT_GT(wrong_races<test::CheckThenAddStore>({Algorithm::token_bucket, 6, effort(50), 3}), 0);
}

// ---- Tiny histories, of which some order must explain all that was seen ----

/// At one instant every bucket is a counter, whatever its algorithm.
struct Operation {
  enum class Kind : std::uint8_t { decide, peek, refund, charge };
  Kind kind = Kind::decide;
  std::vector<std::pair<std::size_t, std::uint64_t>> asks;  // bucket and cost
  // What was seen.
  bool allowed = false;
  std::vector<std::uint64_t> remaining;
};

constexpr std::uint64_t kCapacity = 3;
constexpr std::size_t kBuckets = 3;
using Counters = std::array<std::uint64_t, kBuckets>;

std::uint64_t left(std::uint64_t used) {
  return kCapacity - std::min(kCapacity, used);
}

/// Applies the operation; says whether it saw what it would have seen then.
bool replay(const Operation& operation, Counters& used) {
  const bool fits = std::all_of(operation.asks.begin(), operation.asks.end(),
                                [&](const auto& ask) { return used[ask.first] + ask.second <= kCapacity; });
  for (const auto& [bucket, cost] : operation.asks) {
    if (operation.kind == Operation::Kind::refund) used[bucket] -= std::min(used[bucket], cost);
    if (operation.kind == Operation::Kind::charge) {
      used[bucket] = std::max(used[bucket], std::min(used[bucket] + cost, 2 * kCapacity));
    }
    if (operation.kind == Operation::Kind::decide && fits) used[bucket] += cost;
  }
  if (operation.kind == Operation::Kind::refund || operation.kind == Operation::Kind::charge) return true;
  if (fits != operation.allowed) return false;
  for (std::size_t i = 0; i < operation.asks.size(); ++i) {
    if (operation.remaining[i] != left(used[operation.asks[i].first])) return false;
  }
  return true;
}

using History = std::vector<std::vector<Operation>>;  // by thread

bool explained(const History& history, std::vector<std::size_t>& done, const Counters& used,
               const Counters& remaining_at_end) {
  bool ended = true;
  for (std::size_t t = 0; t < history.size(); ++t) {
    if (done[t] == history[t].size()) continue;
    ended = false;
    Counters next = used;
    if (!replay(history[t][done[t]], next)) continue;
    ++done[t];
    const bool found = explained(history, done, next, remaining_at_end);
    --done[t];
    if (found) return true;
  }
  if (!ended) return false;
  Counters end{};
  std::transform(used.begin(), used.end(), end.begin(), left);
  return end == remaining_at_end;
}

Operation draw_operation(std::mt19937_64& random) {
  Operation operation;
  const std::uint64_t kind = draw(random, 0, 9);
  operation.kind = kind == 0   ? Operation::Kind::refund
                   : kind == 1 ? Operation::Kind::charge
                   : kind <= 3 ? Operation::Kind::peek
                               : Operation::Kind::decide;
  const std::size_t first = draw(random, 0, kBuckets - 1);
  const std::size_t count = draw(random, 1, kBuckets);
  for (std::size_t i = 0; i < count; ++i) {
    operation.asks.emplace_back((first + i * 2) % kBuckets, draw(random, 1, 2));
  }
  return operation;
}

void perform(YieldingStore& store, LimitId limit, std::uint64_t base, Operation& operation) {
  std::vector<BucketAsk> asks;
  for (const auto& [bucket, cost] : operation.asks) {
    asks.push_back({.bucket = base + bucket, .limit = limit, .ask = {.cost = cost}});
  }
  std::vector<BucketVerdict> verdicts(asks.size());
  switch (operation.kind) {
    case Operation::Kind::decide:
      operation.allowed = store.decide(asks, kStart, verdicts);
      break;
    case Operation::Kind::peek:
      operation.allowed = store.peek(asks, kStart, verdicts);
      break;
    case Operation::Kind::refund:
      store.refund(asks, kStart);
      break;
    case Operation::Kind::charge:
      store.charge(asks, kStart);
      break;
  }
  for (const BucketVerdict& said : verdicts) operation.remaining.push_back(said.verdict.remaining);
}

/// Histories that no order explains.
int unexplained(Algorithm algorithm, int threads, int operations, int histories) {
  // So few places that buckets of earlier histories must go for new ones.
  YieldingStore store(sized(static_cast<std::size_t>(histories) * kBuckets + 100));
  const LimitId limit = store.add({.algorithm = algorithm, .quota = kCapacity, .per = kHour}, 0);
  std::mt19937_64 random(static_cast<std::uint64_t>(threads * 100 + operations));
  std::vector<History> drawn(static_cast<std::size_t>(histories), History(static_cast<std::size_t>(threads)));
  for (History& history : drawn) {
    for (auto& thread : history) {
      for (int i = 0; i < operations; ++i) thread.push_back(draw_operation(random));
    }
  }
  int wrong = 0;
  const auto base = [](int round) { return static_cast<std::uint64_t>(round) * 10 + 1; };
  race(
      threads, histories,
      [&](int thread, int round) {
        auto& mine = drawn[static_cast<std::size_t>(round)][static_cast<std::size_t>(thread)];
        for (Operation& operation : mine) perform(store, limit, base(round), operation);
      },
      [&](int round) {
        Counters end{};
        for (std::size_t b = 0; b < kBuckets; ++b) {
          end[b] = remaining(store, {.bucket = base(round) + b, .limit = limit, .ask = {}}, kStart);
        }
        std::vector<std::size_t> done(static_cast<std::size_t>(threads), 0);
        wrong += explained(drawn[static_cast<std::size_t>(round)], done, Counters{}, end) ? 0 : 1;
      });
  return wrong;
}

TEST(Races, SomeOrderExplainsEveryHistory) {
  for (const AlgorithmInfo& row : algorithms()) {
    if (row.algorithm == Algorithm::leaky_bucket) continue;
    SCOPED_TRACE(row.name);
    EXPECT_EQ(unexplained(row.algorithm, 2, 3, effort(2000)), 0);
    EXPECT_EQ(unexplained(row.algorithm, 3, 2, effort(2000)), 0);
    EXPECT_EQ(unexplained(row.algorithm, 3, 3, effort(500)), 0);
  }
}

// ---- Buckets that come and go ----

/// One unit per nanosecond: at each instant every key has one unit, and the bucket of the instant before is
/// as good as new, so that the sweep and the insertions race for the same slots. Three sets of keys take
/// turns, two instants each: more than there is room for, so that some must go.
template <class Store>
void admits_one_of_each_key_at_each_instant(Algorithm algorithm, std::size_t max_keys, std::uint64_t keys) {
  Store store(sized(max_keys));
  const LimitId limit = store.add({.algorithm = algorithm, .quota = 1, .per = 1}, 0);
  std::vector<std::atomic<int>> admitted(keys);
  int wrong = 0;
  std::size_t most_keys = 0;
  race(
      4, effort(3000),
      [&](int thread, int round) {
        for (std::uint64_t i = 0; i < keys; ++i) {
          const std::uint64_t key = (i + static_cast<std::uint64_t>(thread) * keys / 4) % keys;
          const std::uint64_t set = static_cast<std::uint64_t>(round / 2 % 3);
          const BucketAsk ask{.bucket = set * keys + key + 1, .limit = limit, .ask = {}};
          if (decide(store, {&ask, 1}, kStart + round)) admitted[key].fetch_add(1);
        }
      },
      [&](int) {
        for (auto& count : admitted) wrong += count.exchange(0) == 1 ? 0 : 1;
        most_keys = std::max(most_keys, store.stats().keys);
      });
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(most_keys, max_keys);
  EXPECT_GT(store.stats().evictions, 0U);
}

TEST(Races, NothingIsLostOrMintedWhileBucketsComeAndGo) {
  for (const Algorithm algorithm :
       {Algorithm::token_bucket, Algorithm::fixed_window, Algorithm::sliding_log}) {
    SCOPED_TRACE(info(algorithm).name);
    // Room for twice the keys, so that a bucket about to go never stands in the way of one that comes.
    admits_one_of_each_key_at_each_instant<MemoryStore>(algorithm, 24, 12);
    admits_one_of_each_key_at_each_instant<YieldingStore>(algorithm, 24, 12);
    admits_one_of_each_key_at_each_instant<YieldingStore>(algorithm, 4, 2);
  }
}

TEST(Races, AFullTableStaysWithinItsPlacesAndNoKeyGetsMoreThanItsOwn) {
  constexpr std::size_t kPlaces = 8;
  constexpr std::uint64_t kKeys = 40;
  YieldingStore store(sized(kPlaces));
  const LimitId limit = store.add({.algorithm = Algorithm::sliding_log, .quota = 1, .per = 1}, 0);
  std::vector<std::atomic<int>> admitted(kKeys);
  std::atomic<std::size_t> most_keys{0};
  int wrong = 0;
  race(
      4, effort(1000),
      [&](int thread, int round) {
        for (std::uint64_t i = 0; i < kKeys; ++i) {
          const std::uint64_t key = (i * 7 + static_cast<std::uint64_t>(thread)) % kKeys;
          const BucketAsk ask{.bucket = key + 1, .limit = limit, .ask = {}};
          if (decide(store, {&ask, 1}, kStart + round)) admitted[key].fetch_add(1);
          const std::size_t seen = store.stats().keys;
          std::size_t most = most_keys.load();
          while (seen > most && !most_keys.compare_exchange_weak(most, seen)) {
          }
        }
      },
      [&](int) {
        int keys = 0;
        for (auto& count : admitted) {
          const int got = count.exchange(0);
          keys += got;
          wrong += got > 1 ? 1 : 0;
        }
        // All places are taken at the end of a round, since there are more keys than places.
        wrong += keys == kPlaces ? 0 : 1;
      });
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(most_keys.load(), kPlaces);
}

TEST(Races, WhatIsUsedSurvivesThreadsUnderAnOldLimitAndANewOne) {
  for (const Algorithm algorithm :
       {Algorithm::token_bucket, Algorithm::fixed_window, Algorithm::sliding_log}) {
    SCOPED_TRACE(info(algorithm).name);
    YieldingStore store(sized(100'000));
    const std::array<LimitId, 2> limits{store.add({.algorithm = algorithm, .quota = 10, .per = kHour}, 0),
                                        store.add({.algorithm = algorithm, .quota = 20, .per = kHour}, 0)};
    std::atomic<int> admitted{0};
    int wrong = 0;
    race(
        4, effort(1000),
        [&](int thread, int round) {
          for (std::size_t i = 0; i < 12; ++i) {
            const BucketAsk ask{.bucket = static_cast<std::uint64_t>(round) + 1,
                                .limit = limits[(i + static_cast<std::size_t>(thread)) % 2],
                                .ask = {}};
            if (decide(store, {&ask, 1}, kStart)) admitted.fetch_add(1);
          }
        },
        [&](int) { wrong += admitted.exchange(0) == 20 ? 0 : 1; });
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace weir
