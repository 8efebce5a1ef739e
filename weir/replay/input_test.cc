#include "weir/replay/input.h"

#include <gtest/gtest.h>

#include "weir/replay/test_logs.h"

namespace weir {
namespace {

struct Seen {
  Nanos time;
  std::vector<std::string> values;
  std::uint64_t cost;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> all_of(ReplayInput& input) {
  std::vector<Seen> out;
  for (auto event = input.next(); event && *event; event = input.next()) {
    Seen seen{(*event)->time, {}, (*event)->cost};
    for (const Dimension& dimension : (*event)->dimensions) seen.values.emplace_back(dimension.value);
    out.push_back(seen);
  }
  return out;
}

std::string error_of(std::string_view text, InputOptions options, std::string format) {
  const auto input =
      ReplayInput::open(log_from(text, std::move(format)), {"endpoint", "ip"}, std::move(options));
  return input ? "no error" : input.error().message;
}

constexpr std::string_view kAccess =
    "192.0.2.1 - ann [17/May/2015:10:05:03 +0000] \"GET /login?x=1 HTTP/1.1\" 200 5 \"-\" \"ua\"\n";

TEST(Input, takes_the_endpoint_of_an_access_log_from_its_path) {
  ReplayInput input = input_from(kAccess, {"endpoint", "ip", "method"}, {}, "combined");
  const std::vector<Seen> all = all_of(input);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].values[0].substr(0, 6), "/login");
  EXPECT_EQ(all[0].values[1], "192.0.2.1");
  EXPECT_EQ(all[0].values[2], "GET");
  EXPECT_TRUE(input.summary().absent.empty());
}

TEST(Input, maps_dimensions_to_fields) {
  InputOptions options;
  options.fields = {{"account", "user"}, {"endpoint", "method"}, {"cost", "bytes"}};
  ReplayInput input = input_from(kAccess, {"account", "endpoint"}, options, "combined");
  EXPECT_EQ(all_of(input), (std::vector<Seen>{{1431857103 * kSecond, {"ann", "GET"}, 5}}));
}

TEST(Input, names_dimensions_that_the_log_does_not_have) {
  ReplayInput input = input_from(kAccess, {"account", "ip"}, {}, "combined");
  EXPECT_EQ(all_of(input).size(), 1U);
  EXPECT_EQ(input.summary().absent, std::vector<std::string>{"account"});
}

TEST(Input, refuses_maps_of_what_is_not_there) {
  InputOptions options;
  options.fields = {{"endpoint", "pth"}};
  EXPECT_EQ(error_of(kAccess, options, "combined").substr(0, 20), "--map endpoint=pth: ");
  options.fields = {{"endpont", "path"}};
  EXPECT_EQ(error_of(kAccess, options, "combined"),
            "--map endpont=path: nothing asks for a dimension \"endpont\"; did you mean \"endpoint\"?");
}

TEST(Input, counts_bad_costs_and_missing_times_as_malformed) {
  ReplayInput input = input_from(
      "time,ip,cost\n1,a,2\n2,a,-1\n3,a,1.5\n,a,1\n4,a,\n5,a,18446744073709551615\n6,a,"
      "18446744073709551616\n",
      {"ip"});
  EXPECT_EQ(all_of(input), (std::vector<Seen>{{1 * kSecond, {"a"}, 2},
                                              {4 * kSecond, {"a"}, 1},
                                              {5 * kSecond, {"a"}, 18446744073709551615U}}));
  EXPECT_EQ(input.summary().records, 7U);
  EXPECT_EQ(input.summary().malformed, 4U);
  EXPECT_FALSE(input.summary().malformed_where.empty());
}

TEST(Input, refuses_a_log_without_times) {
  ReplayInput lines = input_from("one\ntwo\n", {"ip"}, {}, "lines");
  const auto event = lines.next();
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().message.substr(0, 20), "the log has no times");
}

TEST(Input, finds_nothing_wrong_with_an_empty_log) {
  for (const std::string format : {"lines", "json", "combined"}) {
    ReplayInput input = input_from("\n\n", {"ip"}, {}, format);
    EXPECT_TRUE(all_of(input).empty());
    EXPECT_EQ(input.summary().records, 0U);
    EXPECT_FALSE(input.summary().from);
    EXPECT_TRUE(input.next().ok());
  }
}

TEST(Input, puts_a_pipe_in_order_as_far_as_its_buffer_goes) {
  InputOptions options;
  options.lateness = 5 * kSecond;
  ReplayInput input = input_from("time,ip\n10,a\n8,b\n20,c\n1,d\n30,e\n", {"ip"}, options);
  std::vector<Nanos> times;
  for (const Seen& seen : all_of(input)) times.push_back(seen.time / kSecond);
  EXPECT_EQ(times, (std::vector<Nanos>{8, 10, 1, 20, 30}));
  const InputSummary summary = input.summary();
  EXPECT_EQ(summary.reordered, 2U);
  EXPECT_EQ(summary.out_of_order, 2U);
  EXPECT_EQ(summary.late, 1U);
  EXPECT_EQ(summary.worst_lateness, 19 * kSecond);
  EXPECT_EQ(*summary.from, 1 * kSecond);
  EXPECT_EQ(*summary.to, 30 * kSecond);
}

TEST(EventCodec, gives_back_what_it_was_given) {
  EventCodec codec({"a", "b", "c"});
  const std::string long_value(1000, 'x');
  const std::vector<std::string_view> values{std::string_view("a\0b", 3), "", long_value};
  const std::string bytes(codec.encode(values, std::numeric_limits<std::uint64_t>::max(), 128));
  const Event event = codec.decode({-5, bytes});
  EXPECT_EQ(event.time, -5);
  EXPECT_EQ(event.cost, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(event.weight, 128U);
  ASSERT_EQ(event.dimensions.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(event.dimensions[i].value, values[i]);
  EXPECT_EQ(event.dimensions[2].name, "c");
}

}  // namespace
}  // namespace weir
