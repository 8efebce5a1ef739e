// Every algorithm against the exact oracle, on random and adversarial sequences.
#include "weir/limit/kernel.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "tests/support/bucket.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"

namespace weir {

namespace {

using test::Bucket;
using test::draw;
using test::draw_edgy;
using test::Oracle;

constexpr Nanos kStart = 1'800'000'000 * kSecond;

Limit draw_limit(std::mt19937_64& random, Algorithm algorithm) {
  // Awkward quotas and spans that people write, and the edges of 64 bits.
  static constexpr std::array<std::uint64_t, 13> kQuotas{0,  1,       2,        3,           5,       7,  10,
                                                         60, 9999999, 10000000, 30000000000, 1000003, 100};
  static constexpr std::array<Nanos, 10> kSpans{1,       3,         kMillisecond, kSecond,   10 * kSecond,
                                                kMinute, 7 * kHour, kDay,         30 * kDay, 365 * kDay};
  for (;;) {
    Limit limit{.algorithm = algorithm};
    limit.quota =
        draw(random, 0, 3) != 0 ? kQuotas[draw(random, 0, kQuotas.size() - 1)] : draw_edgy(random, kMaxQuota);
    if (algorithm == Algorithm::sliding_log) limit.quota = std::min<std::uint64_t>(limit.quota, 40);
    limit.per = draw(random, 0, 3) != 0
                    ? kSpans[draw(random, 0, kSpans.size() - 1)]
                    : static_cast<Nanos>(draw_edgy(random, static_cast<std::uint64_t>(kForever)));
    const bool bucket = algorithm <= Algorithm::leaky_bucket;
    if (bucket && draw(random, 0, 1) != 0) {
      limit.burst = draw(random, 0, 1) != 0 ? draw(random, 0, 20) : draw_edgy(random, kMaxQuota);
    }
    if (!find_error(limit)) return limit;
  }
}

/// A step that matters to the limit: nothing, an interval, a period, the wait it was told, or one nanosecond
/// less.
Nanos draw_step(std::mt19937_64& random, const Limit& limit, const Verdict& last) {
  const Nanos per = std::get<Nanos>(limit.per);
  switch (draw(random, 0, 7)) {
    case 0:
      return 0;
    case 1:
      return static_cast<Nanos>(draw(random, 0, 3));
    case 2:
      return limit.quota == 0 ? 0 : per / static_cast<Nanos>(limit.quota);
    case 3:
      return last.retry_after.value_or(0);
    case 4:
      return std::max<Nanos>(0, last.retry_after.value_or(0) - 1);
    case 5:
      return static_cast<Nanos>(draw(random, 0, static_cast<std::uint64_t>(per)));
    case 6:
      return last.reset_after;
    default:
      return static_cast<Nanos>(draw_edgy(random, static_cast<std::uint64_t>(per)));
  }
}

std::uint64_t draw_cost(std::mt19937_64& random, const Limit& limit) {
  const std::uint64_t most = capacity(limit);
  switch (draw(random, 0, 4)) {
    case 0:
    case 1:
      return 1;
    case 2:
      return draw(random, 0, std::min<std::uint64_t>(most, 6) + 1);
    case 3:
      return most - std::min<std::uint64_t>(most, draw(random, 0, 3)) + draw(random, 0, 1);
    default:
      return draw_edgy(random, std::numeric_limits<std::uint64_t>::max());
  }
}

std::string told(const Limit& limit, Nanos now, std::string_view what, std::uint64_t cost) {
  std::ostringstream out;
  out << describe(limit) << " at " << now << ": " << what << " " << cost;
  return out.str();
}

class EveryAlgorithm : public testing::TestWithParam<Algorithm> {};

void run_against_oracle(std::mt19937_64& random, const Limit& limit, TimeFrame frame, Nanos start,
                        int steps) {
  Bucket bucket(limit, frame);
  Oracle oracle(limit);
  Nanos now = start;
  Verdict last;
  for (int i = 0; i < steps; ++i) {
    now = saturating_add(now, draw_step(random, limit, last));
    if (now > saturating_add(frame.origin, frame.horizon)) return;  // past the frame, time stands still
    const std::uint64_t cost = draw_cost(random, limit);
    switch (draw(random, 0, 9)) {
      case 0: {
        SCOPED_TRACE(told(limit, now, "refund", cost));
        bucket.refund(now, cost);
        oracle.refund(now, cost);
        break;
      }
      case 1: {
        SCOPED_TRACE(told(limit, now, "charge", cost));
        bucket.charge(now, cost);
        oracle.charge(now, cost);
        break;
      }
      case 2: {
        SCOPED_TRACE(told(limit, now, "peek", cost));
        ASSERT_EQ(bucket.peek(now, cost), oracle.peek(now, cost));
        break;
      }
      default: {
        const Ask ask{.cost = cost, .charge_denied = draw(random, 0, 9) == 0};
        SCOPED_TRACE(told(limit, now, ask.charge_denied ? "decide, charging denials," : "decide", cost));
        last = bucket.decide(now, ask);
        ASSERT_EQ(last, oracle.decide(now, ask));
        break;
      }
    }
    ASSERT_EQ(bucket.fresh(now), bucket.peek(now, 0).reset_after == 0);
  }
}

std::string algorithm_name(const testing::TestParamInfo<Algorithm>& row) {
  return std::string(info(row.param).name);
}

TEST_P(EveryAlgorithm, DecidesAsTheOracleDoes) {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 400 && !HasFatalFailure(); ++round) {
    const Limit limit = draw_limit(random, GetParam());
    const Nanos start = static_cast<Nanos>(draw_edgy(random, static_cast<std::uint64_t>(kForever) / 2));
    run_against_oracle(random, limit, {}, start, 60);
  }
}

TEST_P(EveryAlgorithm, DecidesTheSameInOneWord) {
  std::mt19937_64 random(42);
  int narrow = 0;
  for (int round = 0; round < 400 && !HasFatalFailure(); ++round) {
    const Limit limit = draw_limit(random, GetParam());
    const Nanos start = 1'800'000'000 * kSecond;
    const TimeFrame frame = TimeFrame::starting_at(start);
    if (Kernel(limit, frame).words() == 1) ++narrow;
    run_against_oracle(random, limit, frame, start, 25);
  }
  if (GetParam() <= Algorithm::leaky_bucket) {
    EXPECT_GT(narrow, 100);
  }
}

TEST_P(EveryAlgorithm, KeepsItsPromiseOfRetryAfter) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const Limit limit = draw_limit(random, GetParam());
    Bucket bucket(limit, {});
    Nanos now = static_cast<Nanos>(draw(random, 0, static_cast<std::uint64_t>(kForever / 4)));
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t cost = draw_cost(random, limit);
      const Verdict verdict = bucket.decide(now, {.cost = cost, .charge_denied = draw(random, 0, 9) == 0});
      if (verdict.allowed) {
        EXPECT_EQ(verdict.retry_after, 0);
      } else if (verdict.retry_after) {
        ASSERT_GT(*verdict.retry_after, 0);
        if (*verdict.retry_after > kForever - now) break;  // in 2262
        EXPECT_TRUE(bucket.peek(saturating_add(now, *verdict.retry_after), cost).allowed)
            << told(limit, now, "", cost);
        EXPECT_FALSE(bucket.peek(now + *verdict.retry_after - 1, cost).allowed) << told(limit, now, "", cost);
      } else {
        EXPECT_TRUE(limit.quota == 0 || cost > capacity(limit));
      }
      now = saturating_add(now, draw_step(random, limit, verdict) % (kForever / 100));
    }
  }
}

/// No span is credited twice, however time jumps: what is admitted in all is bounded by what the whole span
/// holds.
TEST_P(EveryAlgorithm, MintsNothingWhenTimeStepsBack) {
  std::mt19937_64 random(99);
  for (int round = 0; round < 500; ++round) {
    Limit limit{.algorithm = GetParam(),
                .quota = draw(random, 1, 12),
                .per = static_cast<Nanos>(draw(random, 1, 50))};
    Bucket bucket(limit, {});
    const Nanos base = 1'000'000;
    const Nanos reach = static_cast<Nanos>(draw(random, 0, 200));
    std::uint64_t admitted = 0;
    for (int i = 0; i < 300; ++i) {
      const Nanos now = base + static_cast<Nanos>(draw(random, 0, static_cast<std::uint64_t>(reach)));
      admitted += bucket.decide(now, {}).allowed ? 1 : 0;
    }
    const Nanos per = std::get<Nanos>(limit.per);
    const std::uint64_t windows = static_cast<std::uint64_t>((base + reach) / per - base / per + 1);
    const std::uint64_t drained =
        limit.quota * static_cast<std::uint64_t>(reach) / static_cast<std::uint64_t>(per);
    const bool is_bucket = GetParam() <= Algorithm::leaky_bucket;
    const std::uint64_t most = is_bucket ? capacity(limit) + drained : limit.quota * windows;
    EXPECT_LE(admitted, most) << describe(limit) << " over " << reach << " ns";
  }
}

/// Whatever comes by a later clock, and changes nothing or takes back what it took itself, an instant that is
/// used up stays so.
TEST_P(EveryAlgorithm, AdmitsNoMoreAtAnInstantForWhatComesLater) {
  const Limit limit{.algorithm = GetParam(), .quota = 3, .per = 10 * kSecond};
  const auto late = [&](std::uint64_t most, auto act) {
    for (const Nanos start : {Nanos{0}, -kDay, kStart, kStart + 9 * kSecond}) {
      for (const Nanos later : {Nanos{0}, kSecond, 10 * kSecond, 19 * kSecond, 40 * kSecond}) {
        Bucket bucket(limit, {.origin = -2 * kDay});
        std::uint64_t admitted = 0;
        for (int round = 0; round < 5; ++round) {
          while (bucket.decide(start).allowed) ++admitted;
          act(bucket, start + later);
        }
        EXPECT_LE(admitted, most) << describe(limit) << ", " << later << " ns later";
      }
    }
  };
  const std::uint64_t once = capacity(limit);
  late(once, [](Bucket& bucket, Nanos now) { bucket.refund(now, 0); });
  late(once, [](Bucket& bucket, Nanos now) { bucket.charge(now, 0); });
  late(once, [](Bucket& bucket, Nanos now) { bucket.give_back(now, 0, {now, 1}); });
  late(once, [](Bucket& bucket, Nanos now) { bucket.decide(now, {.cost = 0}); });
  late(once, [](Bucket& bucket, Nanos now) { bucket.decide(now, {.cost = 9}); });
  // The earlier instant then counts as the later, which has a capacity of its own.
  late(2 * once, [](Bucket& bucket, Nanos now) {
    if (bucket.decide(now).allowed) bucket.refund(now, 1);
  });
  late(2 * once, [](Bucket& bucket, Nanos now) {
    const Verdict said = bucket.decide(now);
    if (said.allowed) bucket.give_back(now, 1, {now, 1});
  });
}

/// Of a window that has passed nothing is left to be refunded; a bucket that drains has given all of it back.
TEST_P(EveryAlgorithm, ARefundThatComesTooLateChangesNothing) {
  const Limit limit{.algorithm = GetParam(), .quota = 3, .per = 10 * kSecond};
  Bucket bucket(limit);
  std::uint64_t admitted = 0;
  for (int round = 0; round < 5; ++round) {
    while (bucket.decide(kStart).allowed) ++admitted;
    bucket.refund(kStart + 40 * kSecond, 1);
  }
  EXPECT_EQ(admitted, capacity(limit));
}

TEST_P(EveryAlgorithm, HoldsFromTheBeginningOfTimeToItsEnd) {
  const Limit limit{.algorithm = GetParam(), .quota = 1, .per = 10 * kSecond};
  for (const Nanos now : {std::numeric_limits<Nanos>::min(), kForever}) {
    Bucket bucket(limit, {.origin = std::numeric_limits<Nanos>::min()});
    EXPECT_TRUE(bucket.decide(now).allowed) << now;
    EXPECT_FALSE(bucket.decide(now).allowed) << now;
  }
}

/// What is refunded is never more than what was taken, and costs and times at the ends of 64 bits wrap
/// nothing.
TEST_P(EveryAlgorithm, StaysInBoundsAtTheEdges) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    const Limit limit = draw_limit(random, GetParam());
    Bucket bucket(limit,
                  draw(random, 0, 1) != 0 ? TimeFrame{} : TimeFrame::starting_at(1'800'000'000 * kSecond));
    for (int i = 0; i < 15; ++i) {
      const auto now = static_cast<Nanos>(draw_edgy(random, std::numeric_limits<std::uint64_t>::max()));
      const std::uint64_t cost = draw_cost(random, limit);
      if (draw(random, 0, 4) == 0) bucket.charge(now, cost);
      if (draw(random, 0, 4) == 0) bucket.refund(now, cost);
      const Verdict verdict = bucket.decide(now, {.cost = cost, .charge_denied = draw(random, 0, 3) == 0});
      EXPECT_LE(verdict.remaining, verdict.limit);
      EXPECT_GE(verdict.retry_after.value_or(0), 0);
      EXPECT_GE(verdict.reset_after, 0);
      EXPECT_GE(verdict.delay, 0);
      if (cost > capacity(limit)) {
        EXPECT_FALSE(verdict.allowed);
      }
    }
  }
}

TEST_P(EveryAlgorithm, CarriesWhatWasUsedIntoAnotherQuota) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    Limit before{.algorithm = GetParam(), .quota = draw(random, 1, 200), .per = kHour};
    if (GetParam() == Algorithm::leaky_bucket) before.burst = before.quota - 1;
    Limit after = before;
    after.quota = draw(random, 0, 200);
    if (GetParam() == Algorithm::leaky_bucket && after.quota != 0) after.burst = after.quota - 1;
    Bucket bucket(before, {});
    const Nanos now = 1000 * kHour;
    const std::uint64_t used = draw(random, 0, before.quota);
    for (std::uint64_t i = 0; i < used; ++i) bucket.decide(now, {});
    bucket.reload(after, {}, now);
    const std::uint64_t left = after.quota < used ? 0 : after.quota - used;
    EXPECT_EQ(bucket.peek(now, 1).remaining, left)
        << describe(before) << " -> " << describe(after) << ", used " << used;
    // And nothing is left of it once it has run out.
    EXPECT_TRUE(bucket.fresh(saturating_add(now, bucket.peek(now, 0).reset_after)));
  }
}

TEST_P(EveryAlgorithm, StartsAfreshUnderAnotherKindOfLimit) {
  Limit before{.algorithm = GetParam(), .quota = 3, .per = kHour};
  Limit after = before;
  after.per = kMinute;
  Bucket bucket(before, {});
  for (int i = 0; i < 3; ++i) bucket.decide(kDay, {});
  bucket.reload(after, {}, kDay);
  EXPECT_TRUE(bucket.fresh(kDay));
}

INSTANTIATE_TEST_SUITE_P(Limits, EveryAlgorithm,
                         testing::Values(Algorithm::token_bucket, Algorithm::gcra, Algorithm::leaky_bucket,
                                         Algorithm::fixed_window, Algorithm::sliding_log,
                                         Algorithm::sliding_counter),
                         algorithm_name);

}  // namespace
}  // namespace weir
