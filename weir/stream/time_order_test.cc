#include "weir/stream/time_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Event = std::pair<Nanos, std::string>;

std::vector<Event> complete_order(const std::vector<Event>& events, std::size_t memory) {
  CompleteOrder order(memory, ::testing::TempDir());
  for (const auto& [time, bytes] : events) EXPECT_TRUE(order.add({time, bytes}).ok());
  std::vector<Event> out;
  for (;;) {
    const Result<std::optional<TimedBytes>> next = order.next();
    if (!next) {
      ADD_FAILURE() << next.error().message;
      return out;
    }
    if (!*next) return out;
    out.emplace_back((*next)->time, (*next)->bytes);
  }
}

TEST(CompleteOrder, OrdersByTimeAndThenByArrival) {
  const std::vector<Event> events = {{3, "a"}, {1, "b"}, {3, "c"}, {2, ""}, {1, "d"}, {-5, "e"}};
  for (const std::size_t memory : {0, 1, 100, 1'000'000}) {
    EXPECT_THAT(complete_order(events, memory), ElementsAre(Event{-5, "e"}, Event{1, "b"}, Event{1, "d"},
                                                            Event{2, ""}, Event{3, "a"}, Event{3, "c"}))
        << memory;
  }
}

TEST(CompleteOrder, CountsStepsBack) {
  CompleteOrder order;
  for (const Nanos time : {5, 5, 6, 4, 5, 6, 7}) ASSERT_TRUE(order.add({time, "x"}).ok());
  EXPECT_EQ(order.reordered(), 2);
}

TEST(CompleteOrder, NothingInNothingOut) {
  EXPECT_THAT(complete_order({}, 1'000), IsEmpty());
  CompleteOrder order;
  EXPECT_FALSE((*order.next()).has_value());
  EXPECT_FALSE((*order.next()).has_value());
  EXPECT_FALSE(order.add({1, "too late"}).ok());
}

TEST(CompleteOrder, TakesTheExtremes) {
  const Nanos least = std::numeric_limits<Nanos>::min();
  EXPECT_THAT(complete_order({{kForever, "z"}, {least, "a"}}, 1),
              ElementsAre(Event{least, "a"}, Event{kForever, "z"}));
}

TEST(CompleteOrder, TakesEventsLargerThanItsMemory) {
  const std::string large(3'000'000, 'x');
  EXPECT_THAT(complete_order({{2, large}, {1, "a"}, {3, large}}, 1'000),
              ElementsAre(Event{1, "a"}, Event{2, large}, Event{3, large}));
}

RC_GTEST_PROP(CompleteOrder, IsAStableSortWhateverTheMemory, ()) {
  const auto events = *rc::gen::container<std::vector<Event>>(
      rc::gen::pair(rc::gen::inRange<Nanos>(-5, 6), rc::gen::arbitrary<std::string>()));
  const auto memory = *rc::gen::element<std::size_t>(0, 100, 1'000, 1'000'000);
  std::vector<Event> sorted = events;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Event& a, const Event& b) { return a.first < b.first; });
  RC_ASSERT(complete_order(events, memory) == sorted);
}

TEST(CompleteOrder, MergesManyRuns) {
  std::vector<Event> events;
  for (int i = 0; i < 20'000; ++i) events.emplace_back((i * 7'919LL) % 10'007, std::to_string(i));
  std::vector<Event> sorted = events;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Event& a, const Event& b) { return a.first < b.first; });
  EXPECT_TRUE(complete_order(events, 10'000) == sorted);
}

TEST(CompleteOrder, SaysWhereItCouldNotWrite) {
  CompleteOrder order(1, "/nowhere");
  Status status = order.add({1, "a"});
  ASSERT_TRUE(status.ok());
  status = order.add({2, "b"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "/nowhere: no temporary file for sorting can be made: No such file or directory");
}

TEST(CompleteOrder, SaysWhenTheDiskIsFull) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct sigaction ignore {};
  struct sigaction handler {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGXFSZ, &ignore, &handler), 0);
  const rlimit tight{10'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  CompleteOrder order(5'000, ::testing::TempDir());
  Status status = Done{};
  for (int i = 0; i < 10'000 && status.ok(); ++i) status = order.add({i, "some bytes"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::sigaction(SIGXFSZ, &handler, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("the temporary file for sorting can't be written"));
}

std::vector<Nanos> drain(LatenessOrder& order) {
  std::vector<Nanos> times;
  while (const auto event = order.next()) times.push_back(event->time);
  return times;
}

TEST(LatenessOrder, HoldsEventsUntilALaterOneComes) {
  LatenessOrder order(10);
  order.add({100, "a"});
  EXPECT_THAT(drain(order), IsEmpty());
  order.add({95, "b"});
  order.add({105, "c"});
  EXPECT_THAT(drain(order), IsEmpty()) << "95 is not more than 10 before 105";
  order.add({106, "d"});
  EXPECT_THAT(drain(order), ElementsAre(95));
  order.add({200, "e"});
  EXPECT_THAT(drain(order), ElementsAre(100, 105, 106));
  order.finish();
  EXPECT_THAT(drain(order), ElementsAre(200));
  EXPECT_EQ(order.reordered(), 1);
  EXPECT_EQ(order.late(), 0);
  EXPECT_EQ(order.worst_lateness(), 0);
}

TEST(LatenessOrder, PassesOnWhatComesTooLateAndCountsIt) {
  LatenessOrder order(10);
  order.add({100, "a"});
  order.add({150, "b"});
  EXPECT_THAT(drain(order), ElementsAre(100));
  order.add({120, "in order still: nothing later has gone out"});
  EXPECT_THAT(drain(order), ElementsAre(120));
  EXPECT_EQ(order.late(), 0);
  order.add({90, "late"});
  EXPECT_THAT(drain(order), ElementsAre(90));
  order.add({115, "late, but less so"});
  EXPECT_THAT(drain(order), ElementsAre(115));
  EXPECT_EQ(order.late(), 2);
  EXPECT_EQ(order.worst_lateness(), 60);
  EXPECT_EQ(order.reordered(), 3);
}

TEST(LatenessOrder, KeepsArrivalOrderOfEqualTimes) {
  LatenessOrder order(0);
  for (const std::string_view bytes : {"a", "b", "c"}) order.add({5, bytes});
  order.finish();
  std::string all;
  while (const auto event = order.next()) all += event->bytes;
  EXPECT_EQ(all, "abc");
}

TEST(LatenessOrder, LetsTheOldestGoWhenItsMemoryIsFull) {
  LatenessOrder order(kForever, 10'000);
  std::size_t out = 0;
  const std::string bytes(1'000, 'x');
  for (int i = 0; i < 100; ++i) {
    order.add({i, bytes});
    out += drain(order).size();
  }
  EXPECT_GE(out, 90);
  EXPECT_LT(out, 100);
  order.add({0, "late, as the oldest went early"});
  EXPECT_EQ(order.late(), 1);
}

TEST(LatenessOrder, TakesTheExtremes) {
  LatenessOrder order(kForever);
  order.add({kForever, "z"});
  order.add({std::numeric_limits<Nanos>::min(), "a"});
  order.finish();
  EXPECT_THAT(drain(order), ElementsAre(std::numeric_limits<Nanos>::min(), kForever));
}

RC_GTEST_PROP(LatenessOrder, IsASortWhenNothingIsLaterThanItMayBe, ()) {
  const Nanos lateness = 20;
  const auto jitters = *rc::gen::container<std::vector<Nanos>>(rc::gen::inRange<Nanos>(0, lateness + 1));
  LatenessOrder order(lateness);
  std::vector<Nanos> times;
  std::vector<Nanos> out;
  for (std::size_t i = 0; i < jitters.size(); ++i) {
    times.push_back(static_cast<Nanos>(i) * 3 - jitters[i]);
    order.add({times.back(), ""});
    for (const Nanos time : drain(order)) out.push_back(time);
  }
  order.finish();
  for (const Nanos time : drain(order)) out.push_back(time);
  std::stable_sort(times.begin(), times.end());
  RC_ASSERT(out == times);
  RC_ASSERT(order.late() == 0);
}

}  // namespace
}  // namespace weir
