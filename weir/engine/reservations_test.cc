// Reservations by their ids, as a server holds them: what the public face can't show.
#include "weir/engine/reservations.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir {
namespace {

constexpr Nanos kStart = 1'700'000'000 * kSecond;

std::shared_ptr<const Policy> policy_of(const std::string& rules) {
  auto policy = Policy::parse("domain: test\nrules:\n" + rules);
  if (!policy) throw std::runtime_error(policy.error().message);
  return std::make_shared<const Policy>(*std::move(policy));
}

class ReservationsTest : public testing::Test {
 protected:
  ReservationsTest() {
    use("  - {name: all, key: [account], limit: {algorithm: fixed_window, quota: 100, per: 1h}}\n");
  }

  void use(const std::string& rules, std::size_t most = 3) {
    holds_.reset();
    engine_ = std::make_unique<Engine>(
        policy_of(rules), EngineOptions{.store = {.max_keys = 1000, .frame = TimeFrame::starting_at(kStart)},
                                        .secret = HashSecret::fixed(1)});
    holds_ = std::make_unique<Reservations>(*engine_, most);
  }
  HoldId reserve(std::uint64_t cost, Nanos ttl = kSecond) {
    return holds_->reserve(request(cost), now_, ttl, trace_).hold;
  }
  Request request(std::uint64_t cost) const { return {.dimensions = dimensions_, .cost = cost}; }
  std::uint64_t left() {
    holds_->lapse(now_);
    return engine_->peek(request(1), now_, trace_).remaining;
  }

  std::vector<Dimension> dimensions_{{"account", "mira"}};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Reservations> holds_;
  Trace trace_;
  Nanos now_ = kStart;
};

TEST_F(ReservationsTest, AreSettledOnceByTheirId) {
  const HoldId a = reserve(40);
  const HoldId b = reserve(10);
  EXPECT_NE(a, b);
  EXPECT_EQ(left(), 50U);
  EXPECT_EQ(holds_->commit(a, 15, now_), Settled::in_time);
  EXPECT_EQ(holds_->commit(a, 15, now_), Settled::not_held);
  EXPECT_FALSE(holds_->cancel(a, now_));
  EXPECT_EQ(left(), 75U);
  EXPECT_TRUE(holds_->cancel(b, now_));
  EXPECT_EQ(left(), 85U);
  EXPECT_EQ(holds_->commit(HoldId{12345}, 1, now_), Settled::not_held);
}

TEST_F(ReservationsTest, AreChargedLateHoweverLate) {
  const HoldId a = reserve(40);
  const HoldId b = reserve(40);
  now_ += kSecond;
  EXPECT_EQ(left(), 100U);
  EXPECT_FALSE(holds_->cancel(a, now_));  // settled: by its time, and now for good
  EXPECT_EQ(holds_->commit(a, 10, now_), Settled::not_held);
  now_ += 10 * kMinute;
  EXPECT_EQ(holds_->commit(b, 10, now_), Settled::late);
  EXPECT_EQ(left(), 90U);
}

TEST_F(ReservationsTest, KeepTheirPlaceUntilTheyAreSettled) {
  const HoldId old = reserve(1);
  (void)reserve(1);
  (void)reserve(1);
  const Reserved full = holds_->reserve(request(1), now_, kSecond, trace_);
  EXPECT_FALSE(full.decision.allowed);
  EXPECT_EQ(full.decision.retry_after, kSecond);
  EXPECT_EQ(full.hold, HoldId{});
  EXPECT_EQ(left(), 97U);
  now_ += *full.decision.retry_after;
  EXPECT_EQ(reserve(1), HoldId{});
  EXPECT_EQ(holds_->commit(old, 1, now_), Settled::late);
  EXPECT_NE(reserve(1), HoldId{});
}

TEST_F(ReservationsTest, GiveBackToTheRulesThatWereCharged) {
  use(R"(
  - {name: a, key: [account], limit: {algorithm: fixed_window, quota: 100, per: 1h}, cost: 3}
  - {name: b, key: [], limit: {algorithm: fixed_window, quota: 90, per: 1h}}
  - {name: s, key: [], limit: {algorithm: fixed_window, quota: 20, per: 1h}, action: shadow}
)");
  const auto remaining = [&] {
    std::vector<std::uint64_t> all;
    (void)engine_->peek(request(0), now_, trace_);
    for (const BucketVerdict& said : trace_.verdicts) all.push_back(said.verdict.remaining);
    return all;
  };
  const HoldId a = reserve(10);
  const HoldId b =
      reserve(15);  // more than the shadow has left: it does not charge it, and gets nothing back
  EXPECT_EQ(remaining(), (std::vector<std::uint64_t>{25, 65, 10}));
  EXPECT_TRUE(holds_->cancel(b, now_));
  EXPECT_EQ(remaining(), (std::vector<std::uint64_t>{70, 80, 10}));
  EXPECT_EQ(holds_->commit(a, 4, now_), Settled::in_time);
  EXPECT_EQ(remaining(), (std::vector<std::uint64_t>{88, 86, 16}));
  EXPECT_EQ(reserve(91), HoldId{});
  EXPECT_EQ(remaining(), (std::vector<std::uint64_t>{88, 86, 16}));
  for (int i = 0; i < 3; ++i) EXPECT_NE(reserve(0), HoldId{});  // what was denied has left its place
}

// Each rule's bucket gives back what it was charged, when it was charged.
TEST_F(ReservationsTest, GiveBackWhatStillWeighs) {
  const auto left_after = [&](const std::string& limit, const auto& story) {
    use("  - {name: all, key: [account], limit: " + limit + "}\n");
    now_ = kStart;
    story();
    return left();
  };
  const auto check = [&](std::uint64_t cost) {
    EXPECT_TRUE(engine_->decide(request(cost), now_, trace_).allowed);
  };
  for (const std::string limit :
       {"{algorithm: token_bucket, quota: 10, per: 10s}", "{algorithm: gcra, quota: 10, per: 10s}",
        "{algorithm: leaky_bucket, quota: 10, per: 10s, burst: 9}"}) {
    const std::uint64_t left = left_after(limit, [&] {
      const HoldId x = reserve(5, kMinute);
      const HoldId y = reserve(5, kMinute);
      EXPECT_TRUE(holds_->cancel(x, now_));
      now_ += 4 * kSecond;
      check(9);
      EXPECT_TRUE(holds_->cancel(y, now_));
    });
    EXPECT_EQ(left, 1U) << limit;
  }
  const std::uint64_t log = left_after("{algorithm: sliding_log, quota: 5, per: 10s}", [&] {
    const HoldId held = reserve(2, kMinute);
    now_ += 5 * kSecond;
    check(2);
    now_ += kSecond;
    EXPECT_TRUE(holds_->cancel(held, now_));
    now_ += 4 * kSecond;
  });
  EXPECT_EQ(log, 3U);
  const std::uint64_t counter = left_after("{algorithm: sliding_counter, quota: 10, per: 10s}", [&] {
    now_ += 8535 * kMillisecond;
    (void)reserve(4, 1544 * kMillisecond);
    now_ += 1322 * kMillisecond;
    const HoldId second = reserve(2, kMinute);
    const HoldId third = reserve(4, kMinute);
    now_ += 222 * kMillisecond;
    EXPECT_TRUE(holds_->cancel(second, now_));
    EXPECT_TRUE(holds_->cancel(third, now_));
  });
  EXPECT_EQ(counter, 10U);
}

// Of windows whose beginning is the key's own.
TEST_F(ReservationsTest, GiveBackToTheWindowOfTheKey) {
  use("  - {name: all, key: [account], limit: {algorithm: fixed_window, quota: 10, per: 10s}, align: key}\n",
      100);
  for (int i = 0; i < 40; ++i) {
    const HoldId held = reserve(4, kMinute);
    const Nanos reset = engine_->peek(request(1), now_, trace_).reset_after;
    const Nanos step = kSecond * (i % 12);
    now_ += step;
    EXPECT_TRUE(engine_->decide(request(1), now_, trace_).allowed);
    EXPECT_TRUE(holds_->cancel(held, now_));
    EXPECT_EQ(left(), 9U) << "after " << step << " of " << reset;
    now_ += 10 * kSecond;
  }
}

}  // namespace
}  // namespace weir
