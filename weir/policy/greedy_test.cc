#include "weir/policy/greedy.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "weir/limit/kernel.h"
#include "weir/policy/zone.h"

namespace weir {
namespace {

/// What a client gets that asks for as much as there is at every nanosecond of [start, start + span).
std::uint64_t simulate(const Limit& limit, Nanos start, Nanos span) {
  const Kernel kernel(limit, TimeFrame{});
  State state;
  std::vector<LogEntry> ring(kernel.uses_log() ? 64 : 0);
  state.ring = ring;
  std::uint64_t got = 0;
  for (Nanos now = start; now < start + span; ++now) {
    while (kernel.decide(state, now, {}).allowed) ++got;
  }
  return got;
}

std::uint64_t best_of_all_starts(const Limit& limit, Nanos span) {
  std::uint64_t best = 0;
  const Nanos per = std::get<Nanos>(limit.per);
  for (Nanos start = 10 * per; start < 11 * per; ++start) best = std::max(best, simulate(limit, start, span));
  return best;
}

class GreedyTest : public testing::TestWithParam<Algorithm> {};

TEST_P(GreedyTest, IsWhatTheGreediestClientGets) {
  for (Nanos per = 1; per <= 12; ++per) {
    for (std::uint64_t quota = 0; quota <= 5; ++quota) {
      for (Nanos span = 0; span <= 30; ++span) {
        const Limit limit{.algorithm = GetParam(), .quota = quota, .per = per};
        ASSERT_EQ(greedy_most(limit, span), best_of_all_starts(limit, span))
            << describe(limit) << " in " << span;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, GreedyTest,
                         testing::Values(Algorithm::token_bucket, Algorithm::gcra, Algorithm::fixed_window,
                                         Algorithm::sliding_log, Algorithm::sliding_counter),
                         [](const auto& test) { return std::string(weir::info(test.param).name); });

TEST(Greedy, BurstsCountOnce) {
  for (std::uint64_t burst = 1; burst <= 5; ++burst) {
    for (Nanos span = 0; span <= 20; ++span) {
      const Limit limit{.quota = 2, .per = Nanos{7}, .burst = burst};
      ASSERT_EQ(greedy_most(limit, span), best_of_all_starts(limit, span)) << burst << " in " << span;
    }
  }
}

/// When those leave who ask at every nanosecond for as much as there is.
std::vector<Nanos> departures(const Limit& limit) {
  const Kernel kernel(limit, TimeFrame{});
  State state;
  std::vector<Nanos> leaves;
  for (Nanos now = 0; now < 200; ++now) {
    for (Verdict verdict = kernel.decide(state, now, {}); verdict.allowed;
         verdict = kernel.decide(state, now, {})) {
      leaves.push_back(now + verdict.delay);
    }
  }
  return leaves;
}

std::uint64_t most_within(const std::vector<Nanos>& times, Nanos span) {
  std::uint64_t best = 0;
  for (const Nanos start : times) {
    const auto within = [&](Nanos t) { return t >= start && t < start + span; };
    best = std::max(best, static_cast<std::uint64_t>(std::count_if(times.begin(), times.end(), within)));
  }
  return best;
}

TEST(Greedy, ALeakyBucketLetsOutOneAtATime) {
  for (Nanos per = 5; per <= 12; ++per) {
    for (std::uint64_t quota = 1; quota <= 5; ++quota) {
      for (std::uint64_t burst = 0; burst <= 3; ++burst) {
        const Limit limit{.algorithm = Algorithm::leaky_bucket, .quota = quota, .per = per, .burst = burst};
        const std::vector<Nanos> leaves = departures(limit);
        for (Nanos span = 1; span <= 30; ++span) {
          ASSERT_EQ(greedy_most(limit, span), most_within(leaves, span)) << describe(limit) << " in " << span;
        }
      }
    }
  }
}

// A04
TEST(Greedy, KnownNumbers) {
  EXPECT_EQ(greedy_most({.quota = 15, .per = kMinute}, kMinute), 29U);
  EXPECT_EQ(greedy_most({.quota = 15, .per = kMinute, .burst = 1}, kMinute), 15U);
  EXPECT_EQ(greedy_most({.algorithm = Algorithm::sliding_log, .quota = 15, .per = kMinute}, kMinute), 15U);
  EXPECT_EQ(greedy_most({.algorithm = Algorithm::fixed_window, .quota = 15, .per = kMinute}, kMinute), 30U);
  EXPECT_EQ(greedy_most({.algorithm = Algorithm::sliding_counter, .quota = 15, .per = kMinute}, kMinute),
            29U);
  EXPECT_EQ(greedy_most({.algorithm = Algorithm::sliding_counter, .quota = 15, .per = kMinute}, kDay),
            15U + 14U * 1440U);
  EXPECT_EQ(greedy_most({.algorithm = Algorithm::leaky_bucket, .quota = 2000, .per = kSecond, .burst = 500},
                        kMinute),
            120'000U);
  EXPECT_EQ(greedy_most({.quota = 0, .per = kMinute}, kDay), 0U);
  EXPECT_EQ(greedy_most({.quota = kMaxQuota, .per = Nanos{1}}, kDay), ~std::uint64_t{0});
  EXPECT_EQ(greedy_most({.algorithm = Algorithm::sliding_counter, .quota = kMaxQuota, .per = Nanos{3}}, kDay),
            ~std::uint64_t{0});
}

TEST(Greedy, CalendarPeriodsTouchTwoWindowsOrThree) {
  const auto limit = [](CalendarUnit unit, std::shared_ptr<const Zone> zone) {
    return Limit{.algorithm = Algorithm::fixed_window, .quota = 10, .per = Calendar(unit, std::move(zone))};
  };
  EXPECT_EQ(greedy_most(limit(CalendarUnit::day, nullptr), kHour), 20U);
  EXPECT_EQ(greedy_most(limit(CalendarUnit::day, nullptr), kDay), 20U);
  EXPECT_EQ(greedy_most(limit(CalendarUnit::month, nullptr), 28 * kDay), 20U);
  EXPECT_EQ(greedy_most(limit(CalendarUnit::month, nullptr), 28 * kDay + 2), 30U);
  // A spring day of 23 hours lies wholly within 24 hours, between two others.
  EXPECT_EQ(greedy_most(limit(CalendarUnit::day, *load_zone("Europe/London")), kDay), 30U);
  EXPECT_EQ(greedy_most(limit(CalendarUnit::day, nullptr), 1), 10U);
}

}  // namespace
}  // namespace weir
