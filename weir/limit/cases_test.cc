// Sequences with outcomes known by arithmetic: small inputs that went wrong elsewhere, with their neighbours.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/bucket.h"

namespace weir {
namespace {

using test::Bucket;

constexpr Nanos operator""_s(unsigned long long n) {
  return static_cast<Nanos>(n) * kSecond;
}
constexpr Nanos operator""_s(long double n) {
  return static_cast<Nanos>(n * 1e9L + 0.5L);
}

constexpr auto kNever = std::nullopt;

Limit token_bucket(std::uint64_t quota, Nanos per, std::uint64_t burst) {
  return {.algorithm = Algorithm::token_bucket, .quota = quota, .per = per, .burst = burst};
}
Limit window(Algorithm algorithm, std::uint64_t quota, Nanos per) {
  return {.algorithm = algorithm, .quota = quota, .per = per};
}

/// "ARR": admitted, refused, refused, at the given times, one unit each.
std::string outcomes(Bucket& bucket, const std::vector<Nanos>& times) {
  std::string out;
  for (const Nanos t : times) out += bucket.decide(t).allowed ? 'A' : 'R';
  return out;
}

int admitted(Bucket& bucket, Nanos at, int requests) {
  int count = 0;
  for (int i = 0; i < requests; ++i) count += bucket.decide(at).allowed ? 1 : 0;
  return count;
}

/// How many units a client gets that asks again as soon as it may, in [0, span).
int greedy(const Limit& limit, Nanos span) {
  Bucket bucket(limit);
  int count = 0;
  for (Nanos now = 0; now < span;) {
    const Verdict verdict = bucket.decide(now);
    if (verdict.allowed) {
      ++count;
    } else {
      now += *verdict.retry_after;
    }
  }
  return count;
}

// A01: the burst at a window's edge.
TEST(FixedWindow, AdmitsTwiceItsQuotaAcrossAnEdge) {
  Bucket bucket(window(Algorithm::fixed_window, 60, 60_s));
  EXPECT_EQ(admitted(bucket, 59.9_s, 61), 60);
  EXPECT_EQ(admitted(bucket, 60.1_s, 61), 60);
}
TEST(SlidingLog, AdmitsItsQuotaInAnyTrailingWindow) {
  Bucket bucket(window(Algorithm::sliding_log, 60, 60_s));
  EXPECT_EQ(admitted(bucket, 59.9_s, 61), 60);
  EXPECT_EQ(admitted(bucket, 60.1_s, 60), 0);
  EXPECT_FALSE(bucket.decide(119.899_s).allowed);
  EXPECT_FALSE(bucket.decide(119.9_s - 1).allowed);
  EXPECT_TRUE(bucket.decide(119.9_s).allowed);
}

// A02
TEST(SlidingCounter, AdmitsUpToTwiceItsQuotaLessOne) {
  Bucket bucket(window(Algorithm::sliding_counter, 10, 60_s));
  EXPECT_EQ(admitted(bucket, 59.999_s, 11), 10);
  std::vector<Nanos> extra;
  for (Nanos now = 60_s; now < 119.999_s; now += 10 * kMillisecond) {
    if (bucket.decide(now).allowed) extra.push_back(now);
  }
  EXPECT_EQ(extra, (std::vector<Nanos>{66_s, 72_s, 78_s, 84_s, 90_s, 96_s, 102_s, 108_s, 114_s}));
}
TEST(SlidingLogAndGcra, HoldWhereTheSlidingCounterDoubles) {
  for (const Limit& limit : {window(Algorithm::sliding_log, 10, 60_s), token_bucket(10, 60_s, 10)}) {
    Bucket bucket(limit);
    int count = admitted(bucket, 59.999_s, 11);
    for (Nanos now = 60_s; now < 119.999_s; now += 10 * kMillisecond)
      count += bucket.decide(now).allowed ? 1 : 0;
    EXPECT_LE(count, limit.algorithm == Algorithm::sliding_log ? 10 : 20);
  }
}

// A03: the previous window's share is never truncated.
TEST(SlidingCounter, WeighsThePreviousWindowExactly) {
  Bucket bucket(window(Algorithm::sliding_counter, 1, 1_s));
  EXPECT_EQ(outcomes(bucket, {0.9_s, 1.1_s, 1.5_s, 1.999_s, 2_s - 1, 2_s}), "ARRRRA");
}

// A04
TEST(TokenBucket, AdmitsItsBurstAndTheRateOnTop) {
  EXPECT_EQ(greedy(token_bucket(15, 60_s, 15), 60_s), 29);
  EXPECT_EQ(greedy(token_bucket(15, 60_s, 15), 60_s + 1), 30);
  EXPECT_EQ(greedy(token_bucket(15, 60_s, 1), 60_s), 15);
  EXPECT_EQ(greedy(window(Algorithm::sliding_log, 15, 60_s), 60_s), 15);
}

// A05: a meter lets the burst through at once, a queue spaces it.
TEST(LeakyBucket, SpacesWhatATokenBucketLetsThrough) {
  Bucket meter(token_bucket(2, 20_s, 2));
  EXPECT_EQ(outcomes(meter, {0, 0, 0, 10_s - 1, 10_s, 20_s, 30_s, 40_s}), "AARRAAAA");
  Bucket queue({.algorithm = Algorithm::leaky_bucket, .quota = 2, .per = 20_s, .burst = 5});
  for (int i = 0; i < 6; ++i) EXPECT_EQ(queue.decide(0).delay, i * 10_s);
  EXPECT_EQ(queue.decide(0).retry_after, 10_s);
}
TEST(LeakyBucket, LetsNobodyWaitWithoutABurst) {
  Bucket queue({.algorithm = Algorithm::leaky_bucket, .quota = 2, .per = 20_s});
  EXPECT_EQ(outcomes(queue, {0, 0, 10_s - 1, 10_s, 15_s, 20_s}), "ARRARA");
}

// A07, A25: the promised instant is kept to the nanosecond.
TEST(TokenBucket, KeepsASlowPromise) {
  Bucket hourly(token_bucket(1, kHour, 1));
  EXPECT_TRUE(hourly.decide(0).allowed);
  EXPECT_EQ(hourly.decide(1800_s).retry_after, 1800_s);
  EXPECT_EQ(ceil_seconds(*hourly.decide(3599.999999_s).retry_after), 1);
  EXPECT_FALSE(hourly.decide(kHour - 1).allowed);
  EXPECT_TRUE(hourly.decide(kHour).allowed);

  Bucket daily(token_bucket(1, kDay, 1));
  EXPECT_TRUE(daily.decide(0).allowed);
  EXPECT_EQ(daily.decide(86399.999_s).retry_after, kMillisecond);
  EXPECT_TRUE(daily.decide(kDay).allowed);

  Bucket yearly(token_bucket(1, 365 * kDay, 1));
  EXPECT_TRUE(yearly.decide(0).allowed);
  EXPECT_FALSE(yearly.decide(365 * kDay - 1).allowed);
  EXPECT_TRUE(yearly.decide(365 * kDay).allowed);
}
TEST(TokenBucket, ThreeASecondAreThereAgainAfterExactlyOne) {
  Bucket bucket(token_bucket(3, 1_s, 3));
  EXPECT_EQ(admitted(bucket, 0, 4), 3);
  EXPECT_EQ(bucket.peek(1_s - 1).remaining, 2U);
  EXPECT_EQ(bucket.peek(1_s).remaining, 3U);
  EXPECT_EQ(bucket.peek(0).retry_after, 333'333'334);
}

// A10: idle for any time at any rate.
TEST(TokenBucket, OverflowsAfterNoIdleTime) {
  const Limit limit = token_bucket(10'000'000, 1_s, 10'000'000);
  for (const Nanos idle : {922_s, 923_s, 12 * kHour, 10 * 365 * kDay, kForever}) {
    Bucket bucket(limit);
    EXPECT_TRUE(bucket.decide(0, {.cost = 10'000'000}).allowed);
    const Verdict verdict = bucket.decide(idle);
    EXPECT_TRUE(verdict.allowed);
    EXPECT_EQ(verdict.remaining, 9'999'999U);
  }
}

// A11: thirty billion a month is thirty billion.
TEST(FixedWindow, CountsBeyond32Bits) {
  Bucket bucket(
      {.algorithm = Algorithm::fixed_window, .quota = 30'000'000'000, .per = Calendar(CalendarUnit::month)});
  EXPECT_TRUE(bucket.decide(0, {.cost = 29'999'999'999}).allowed);
  EXPECT_EQ(bucket.decide(0).remaining, 0U);
  EXPECT_FALSE(bucket.decide(0).allowed);
}
TEST(Limit, RefusesWhatItCannotHoldAndNamesTheMaximum) {
  const auto quota = find_error({.quota = kMaxQuota + 1});
  ASSERT_TRUE(quota);
  EXPECT_EQ(quota->field, "quota");
  EXPECT_EQ(quota->message, "4611686018427387904 is more than the maximum of 4611686018427387903");
  EXPECT_FALSE(find_error({.quota = kMaxQuota}));
  EXPECT_EQ(find_error(window(Algorithm::sliding_log, kMaxLogQuota + 1, 1_s))->field, "quota");
  EXPECT_FALSE(find_error(window(Algorithm::sliding_log, kMaxLogQuota, 1_s)));
}

// A13: more than a thousand, and ten million, a second.
TEST(TokenBucket, HasNoSmallestInterval) {
  Bucket fast(token_bucket(1500, 1_s, 21));
  EXPECT_EQ(admitted(fast, 0, 22), 21);
  EXPECT_FALSE(fast.decide(666'666).allowed);
  EXPECT_TRUE(fast.decide(666'667).allowed);

  Bucket full(token_bucket(6000, 6000_s, 6001));
  EXPECT_EQ(full.decide(0), (Verdict{true, 6001, 6000, 0, 1_s}));
  EXPECT_EQ(admitted(full, 0, 5999), 5999);
  EXPECT_EQ(full.decide(0), (Verdict{true, 6001, 0, 0, 6001_s}));
  EXPECT_EQ(full.decide(0), (Verdict{false, 6001, 0, 1_s, 6001_s}));

  Bucket faster(token_bucket(10'000'000, 1_s, 1));
  EXPECT_EQ(outcomes(faster, {0, 99, 100, 199, 200}), "ARARA");
}

// A15: seconds are rounded up.
TEST(TokenBucket, TellsAWaitThatIsLongEnough) {
  Bucket bucket(token_bucket(1, 10_s, 1));
  EXPECT_EQ(ceil_seconds(bucket.decide(0).reset_after), 10);
  const Verdict early = bucket.decide(0.5_s);
  EXPECT_EQ(ceil_seconds(*early.retry_after), 10);
  EXPECT_EQ(ceil_seconds(early.reset_after), 10);
  EXPECT_EQ(ceil_seconds(*bucket.decide(9.5_s).retry_after), 1);
  EXPECT_TRUE(bucket.decide(10_s).allowed);
}

// A17: reset is the time to full, retry the time to the next success.
TEST(TokenBucket, ResetIsTheTimeToFull) {
  Bucket bucket(token_bucket(3600, 3600_s, 6));
  EXPECT_EQ(admitted(bucket, 0, 5), 5);
  EXPECT_EQ(bucket.decide(0), (Verdict{true, 6, 0, 0, 6_s}));
  EXPECT_EQ(bucket.decide(0), (Verdict{false, 6, 0, 1_s, 6_s}));
}

// A18: a cost above the capacity never succeeds; equal to it, it does.
TEST(TokenBucket, TellsACostAboveItsCapacityNever) {
  Bucket bucket(token_bucket(5, 60_s, 5));
  EXPECT_EQ(bucket.decide(0, {.cost = 1}), (Verdict{true, 5, 4, 0, 12_s}));
  EXPECT_EQ(bucket.decide(0, {.cost = 5}), (Verdict{false, 5, 4, 12_s, 12_s}));
  EXPECT_EQ(bucket.decide(12_s, {.cost = 5}), (Verdict{true, 5, 0, 0, 60_s}));
  for (const std::uint64_t cost : {std::uint64_t{6}, std::numeric_limits<std::uint64_t>::max()}) {
    Bucket other(token_bucket(5, 60_s, 5));
    EXPECT_EQ(other.decide(0, {.cost = cost}), (Verdict{false, 5, 5, kNever, 0}));
    EXPECT_TRUE(other.fresh(0));
  }
}

// A19
TEST(TokenBucket, RefundStopsAtCapacity) {
  Bucket bucket(token_bucket(10, 60_s, 10));
  EXPECT_EQ(bucket.decide(0, {.cost = 3}).remaining, 7U);
  bucket.refund(0, 5);
  EXPECT_EQ(bucket.peek(0).remaining, 10U);
  EXPECT_FALSE(bucket.decide(0, {.cost = 11}).allowed);
  EXPECT_TRUE(bucket.decide(0, {.cost = 10}).allowed);
}
TEST(EveryAlgorithm, DebtStopsAtOneCapacity) {
  for (const AlgorithmInfo& row : algorithms()) {
    Limit limit = window(row.algorithm, 4, 60_s);
    if (row.algorithm == Algorithm::leaky_bucket) limit.burst = 3;
    Bucket bucket(limit);
    bucket.charge(0, 7);
    EXPECT_EQ(bucket.peek(0).remaining, 0U) << row.name;
    bucket.charge(0, 1'000'000);
    EXPECT_EQ(bucket.peek(0).remaining, 0U) << row.name;
    bucket.refund(0, 5);  // 8 owed at the most, so 3 are left
    EXPECT_EQ(bucket.peek(0).remaining, 1U) << row.name;
  }
}

// A21, A22
TEST(TokenBucket, MintsNothingGoingBackAndForth) {
  Bucket bucket(token_bucket(1, 1_s, 1));
  EXPECT_EQ(outcomes(bucket, {10_s, 5_s, 10_s, 5_s, 10_s, 11_s}), "ARRRRA");
}
TEST(SlidingLog, ForgetsNothingOverARequestThatChargesNothing) {
  for (const bool refund : {false, true}) {
    Bucket bucket(window(Algorithm::sliding_log, 1, 10_s));
    EXPECT_TRUE(bucket.decide(0).allowed);
    if (refund) {
      bucket.refund(11_s, 1);
    } else {
      EXPECT_FALSE(bucket.decide(11_s, {.cost = 2}).allowed);
    }
    EXPECT_EQ(outcomes(bucket, {9.99_s, 10_s, 19.99_s, 20_s}), "RARA");
  }
}
TEST(TokenBucket, ForgivesAStepBack) {
  Bucket bucket(token_bucket(30, 30_s, 30));
  EXPECT_EQ(admitted(bucket, 100_s, 3), 3);
  bucket.decide(89_s);  // a caller's own time; a server's never steps
  EXPECT_EQ(bucket.peek(100_s).remaining, 26U);
}

// A25
TEST(Limit, RefusesABucketThatTakesTooLongToFill) {
  EXPECT_FALSE(find_error(token_bucket(1, kDay, 53'375)));
  const auto error = find_error(token_bucket(1, kDay, 53'376));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "burst");
  EXPECT_NE(error->message.find("maximum of 53375"), std::string::npos) << error->message;
  EXPECT_TRUE(find_error(token_bucket(1, kDay, 106'752)));
}

// A26: windows longer than a 32-bit count of milliseconds.
TEST(FixedWindow, KeepsAYearLongWindow) {
  const Nanos feb10 = *parse_rfc3339("2026-02-10T00:00:00Z");
  Bucket bucket(window(Algorithm::fixed_window, 5, 365 * kDay));
  EXPECT_EQ(admitted(bucket, feb10, 6), 5);
  EXPECT_EQ(format_rfc3339(feb10 + *bucket.decide(feb10).retry_after), "2026-12-18T00:00:00Z");
  EXPECT_FALSE(bucket.decide(feb10 + 25 * kDay).allowed);
}

// B31, B32
TEST(EveryAlgorithm, AQuotaOfZeroBlocksFromTheFirstRequestOn) {
  for (const AlgorithmInfo& row : algorithms()) {
    Bucket bucket(window(row.algorithm, 0, 1_s));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(bucket.decide(i * 1_s), (Verdict{.allowed = false, .retry_after = kNever})) << row.name;
    }
    EXPECT_FALSE(bucket.decide(0, {.cost = 0}).allowed) << row.name;
    bucket.charge(0, 5);
    EXPECT_TRUE(bucket.fresh(0)) << row.name;
  }
}
TEST(Limit, BurstIsAtLeastOneWhereItIsACapacity) {
  EXPECT_EQ(find_error(token_bucket(5, 1_s, 0))->field, "burst");
  EXPECT_FALSE(find_error(token_bucket(5, 1_s, 1)));
  EXPECT_FALSE(find_error({.algorithm = Algorithm::leaky_bucket, .quota = 5, .burst = 0}));
  EXPECT_EQ(find_error({.algorithm = Algorithm::fixed_window, .quota = 5, .burst = 5})->field, "burst");
}

// B53: refused requests extend the lock only on purpose.
TEST(SlidingLog, ChargesRefusedRequestsOnlyWhereTold) {
  const auto run = [](bool charge_denied) {
    Bucket bucket(window(Algorithm::sliding_log, 10, 600_s));
    std::vector<Nanos> times;
    for (Nanos t = 0; t < 40 * 30_s; t += 30_s) {
      if (bucket.decide(t, {.charge_denied = charge_denied}).allowed) times.push_back(t / kSecond);
    }
    return times;
  };
  const std::vector<Nanos> mild = run(false);
  EXPECT_EQ(mild.size(), 20U);
  EXPECT_EQ(mild[9], 270);
  EXPECT_EQ(mild[10], 600);
  EXPECT_EQ(mild[19], 870);
  EXPECT_EQ(run(true).size(), 10U);
}

// Cost 0 reports and changes nothing; peek tests the cost it is given.
TEST(EveryAlgorithm, CostZeroAndPeekChangeNothing) {
  for (const AlgorithmInfo& row : algorithms()) {
    Limit limit = window(row.algorithm, 2, 60_s);
    if (row.algorithm == Algorithm::leaky_bucket) limit.burst = 1;
    Bucket bucket(limit);
    EXPECT_TRUE(bucket.decide(0, {.cost = 0}).allowed) << row.name;
    EXPECT_TRUE(bucket.fresh(0)) << row.name;
    EXPECT_EQ(admitted(bucket, 0, 3), 2) << row.name;
    EXPECT_TRUE(bucket.decide(0, {.cost = 0}).allowed) << row.name;
    EXPECT_FALSE(bucket.peek(0, 1).allowed) << row.name;
    EXPECT_TRUE(bucket.peek(120_s, 1).allowed) << row.name;
    EXPECT_FALSE(bucket.peek(0, 3).retry_after) << row.name;
  }
}

}  // namespace
}  // namespace weir
