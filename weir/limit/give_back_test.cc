// What goes back of a hold: nothing is minted, whatever comes between and whatever else goes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/bucket.h"
#include "tests/support/random.h"

namespace weir {
namespace {

using test::Bucket;
using test::draw;
using test::draw_edgy;

constexpr Nanos kStart = 1'800'000'000 * kSecond;

bool drains(const Limit& limit) {
  return limit.algorithm <= Algorithm::leaky_bucket;
}

/// What a bucket was asked and admitted; of a hold, what it kept of it in the end.
struct Admitted {
  Nanos at;
  std::uint64_t cost;
};

/// A bucket in a history of checks and holds, and the same without what went back.
class History {
 public:
  History(const Limit& limit, TimeFrame frame) : limit_(limit), frame_(frame), bucket_(limit, frame) {}

  void advance(Nanos span) { now_ += span; }
  void take(std::uint64_t cost, bool hold) {
    const Verdict said = bucket_.decide(now_, {.cost = cost});
    if (!said.allowed || cost == 0) return;
    admitted_.push_back({charged_at(limit_, now_, said), cost});
    if (hold) open_.push_back(admitted_.size() - 1);
  }
  void settle(std::size_t which, std::uint64_t kept) {
    Admitted& held = admitted_[open_[which]];
    kept = std::min(kept, held.cost);
    bucket_.give_back(now_, held.cost - kept, {held.at, held.cost});
    held.cost = kept;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::size_t open() const { return open_.size(); }
  Verdict peek(std::uint64_t cost) const { return bucket_.peek(now_, cost); }
  Nanos now() const { return now_; }

  /// A bucket that took what this one kept, and says whether it admits all of it.
  std::pair<Bucket, bool> without() const {
    std::pair<Bucket, bool> other{Bucket(limit_, frame_), true};
    for (const Admitted& one : admitted_) {
      other.second = other.first.decide(one.at, {.cost = one.cost}).allowed && other.second;
    }
    return other;
  }

 private:
  Limit limit_;
  TimeFrame frame_;
  Bucket bucket_;
  Nanos now_ = kStart;
  std::vector<Admitted> admitted_;
  std::vector<std::size_t> open_;
};

class GiveBack : public testing::TestWithParam<Algorithm> {
 protected:
  Limit draw_limit() {
    Limit limit{.algorithm = GetParam(), .quota = draw(random_, 1, 12)};
    limit.per = static_cast<Nanos>(draw(random_, 0, 1) != 0 ? draw(random_, 1, 60) : 10 * kSecond);
    if (drains(limit) && draw(random_, 0, 1) != 0) limit.burst = draw(random_, 1, 12);
    return limit;
  }
  TimeFrame draw_frame() {
    return draw(random_, 0, 1) != 0 ? TimeFrame{} : TimeFrame::starting_at(kStart - kSecond);
  }
  Nanos draw_step(const Limit& limit) {
    const auto per = static_cast<std::uint64_t>(std::get<Nanos>(limit.per));
    if (draw(random_, 0, 2) == 0) return 0;
    return static_cast<Nanos>(draw(random_, 0, draw(random_, 0, 3) == 0 ? 2 * per : per / 3 + 1));
  }
  std::mt19937_64 random_{20261130};
};

TEST_P(GiveBack, AdmitsNothingThatABucketWithoutTheHoldsWouldNot) {
  for (int round = 0; round < 3000 && !HasFatalFailure(); ++round) {
    const Limit limit = draw_limit();
    History history(limit, draw_frame());
    for (int step = 0; step < 40; ++step) {
      history.advance(draw_step(limit));
      history.take(draw(random_, 1, capacity(limit)), draw(random_, 0, 1) != 0);
      if (history.open() != 0 && draw(random_, 0, 2) != 0) {
        history.settle(draw(random_, 0, history.open() - 1),
                       draw(random_, 0, 1) != 0 ? 0 : draw(random_, 0, 12));
      }
      if (history.open() != 0) continue;
      const auto [other, all] = history.without();
      ASSERT_TRUE(all) << describe(limit) << ", round " << round;
      const Verdict here = history.peek(1);
      const Verdict there = other.peek(history.now(), 1);
      ASSERT_LE(here.remaining, there.remaining) << describe(limit) << ", round " << round;
      // Windows and logs know all of it.
      if (!drains(limit)) {
        ASSERT_EQ(here, there) << describe(limit) << ", round " << round;
      }
    }
  }
}

TEST_P(GiveBack, LeavesNoTraceOfAHoldThatIsCancelledAtOnce) {
  for (int round = 0; round < 2000 && !HasFatalFailure(); ++round) {
    const Limit limit = draw_limit();
    History history(limit, draw_frame());
    for (int step = 0; step < 30; ++step) {
      history.advance(draw_step(limit));
      history.take(draw(random_, 1, capacity(limit)), false);
      for (std::uint64_t holds = draw(random_, 0, 3); holds != 0; --holds) {
        history.take(draw(random_, 1, capacity(limit)), true);
      }
      while (history.open() != 0) {
        history.settle(draw(random_, 0, history.open() - 1), draw(random_, 0, 1));
      }
      const auto [other, all] = history.without();
      ASSERT_TRUE(all) << describe(limit) << ", round " << round;
      for (std::uint64_t cost = 0; cost <= capacity(limit); ++cost) {
        ASSERT_EQ(history.peek(cost), other.peek(history.now(), cost))
            << describe(limit) << ", cost " << cost;
      }
    }
  }
}

/// The whole of it, where the bucket was full before the hold and is asked nothing else.
TEST_P(GiveBack, FillsABucketThatOnlyTheHoldHasUsed) {
  for (int round = 0; round < 1000; ++round) {
    const Limit limit = draw_limit();
    History history(limit, draw_frame());
    history.take(draw(random_, 1, capacity(limit)), true);
    history.advance(draw_step(limit));
    history.settle(0, 0);
    EXPECT_EQ(history.peek(1), Bucket(limit).peek(history.now(), 1)) << describe(limit);
  }
}

TEST_P(GiveBack, StaysInBoundsAtTheEdges) {
  const auto edge = [&] { return draw_edgy(random_, std::numeric_limits<std::uint64_t>::max()); };
  for (int round = 0; round < 3000; ++round) {
    const Limit limit = draw_limit();
    Bucket bucket(limit, draw_frame());
    for (int step = 0; step < 15; ++step) {
      bucket.charge(static_cast<Nanos>(edge()), edge());
      bucket.give_back(static_cast<Nanos>(edge()), edge(), {static_cast<Nanos>(edge()), edge()});
      const Verdict verdict = bucket.peek(static_cast<Nanos>(edge()), 1);
      EXPECT_LE(verdict.remaining, verdict.limit);
      EXPECT_GE(verdict.retry_after.value_or(0), 0);
      EXPECT_GE(verdict.reset_after, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, GiveBack,
                         testing::Values(Algorithm::token_bucket, Algorithm::gcra, Algorithm::leaky_bucket,
                                         Algorithm::fixed_window, Algorithm::sliding_log,
                                         Algorithm::sliding_counter),
                         [](const auto& row) { return std::string(weir::info(row.param).name); });

// What the request used in the end drains first; the rest goes back as long as it weighs.
TEST(GiveBackOfBuckets, KeepsWhatWasUsedFirst) {
  Bucket bucket({.algorithm = Algorithm::gcra, .quota = 10, .per = 10 * kSecond});
  bucket.decide(kStart, {.cost = 5});
  bucket.give_back(kStart + 2 * kSecond, 3, {kStart, 5});
  EXPECT_EQ(bucket.peek(kStart + 2 * kSecond).remaining, 10U);
  bucket.decide(kStart + 2 * kSecond, {.cost = 5});
  bucket.give_back(kStart + 3 * kSecond, 1, {kStart + 2 * kSecond, 5});
  EXPECT_EQ(bucket.peek(kStart + 3 * kSecond).remaining, 7U);
}

}  // namespace
}  // namespace weir
