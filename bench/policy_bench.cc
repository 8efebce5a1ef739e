// What a policy costs: to load, and per request, with few rules and with many of which as few match.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/policy/policy.h"

namespace {

using weir::Dimension;
using weir::HashSecret;
using weir::Matches;
using weir::Policy;

constexpr int kRounds = 7;
constexpr std::size_t kRequests = 64;

/// Processor time: what else runs on the machine moves it least.
double seconds_now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// One of five kinds of match, in turn: exact, wildcard, template, CIDR, and two dimensions.
std::string match_of(std::size_t i) {
  switch (i % 5) {
    case 0:
      return fmt::format("{{endpoint: /exact/{}}}", i);
    case 1:
      return fmt::format("{{endpoint: \"/service-{}/*/items\"}}", i);
    case 2:
      return fmt::format("{{endpoint: {{template: \"/shop-{}/{{item}}/buy\"}}}}", i);
    case 3:
      return fmt::format("{{ip: 10.{}.{}.0/24}}", i / 250 % 250, i % 250);
    default:
      return fmt::format("{{method: POST, endpoint: \"/write-{}*\"}}", i);
  }
}

std::string policy_of(std::size_t rules) {
  std::string text = "domain: bench\nrules:\n";
  for (std::size_t i = 0; i < rules; ++i) {
    text += fmt::format("  - {{name: r{}, match: {}, key: [ip], limit: {{quota: {}, per: 1m}}}}\n", i,
                        match_of(i), 10 + i);
  }
  // What every request meets, so that a match is never nothing.
  return text + "  - {name: all, key: [ip], limit: {quota: 9, per: 1m}}\n";
}

std::string overrides_of(std::size_t count) {
  std::string text =
      "domain: bench\nrules:\n  - name: r\n    key: [ip]\n    limit: {quota: 9, per: 1m}\n    overrides:\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("      - {{match: {}, limit: {{quota: {}, per: 1m}}}}\n", match_of(i), 10 + i);
  }
  return text;
}

struct OwnedRequest {
  std::string endpoint;
  std::string ip;
};

/// Requests that meet the rules 0 to 9, which both sizes have, or none but the last.
std::vector<OwnedRequest> make_requests() {
  std::vector<OwnedRequest> requests;
  requests.reserve(kRequests);
  for (std::size_t i = 0; i < kRequests; ++i) {
    const std::size_t rule = i % 10 / 5 * 5;
    const std::string endpoint[]{fmt::format("/exact/{}", rule),
                                 fmt::format("/service-{}/a{}/items", rule + 1, i),
                                 fmt::format("/shop-{}/sword-{}/buy", rule + 2, i),
                                 fmt::format("/else/{}", i), fmt::format("/write-{}/{}", rule + 4, i)};
    requests.push_back({endpoint[i % 5],
                        i % 5 == 3 ? fmt::format("10.0.{}.{}", rule + 3, i) : fmt::format("192.0.2.{}", i)});
  }
  return requests;
}

struct Cost {
  double load_ms = 0;
  double match_ns = 0;
  double matches = 0;
};

Cost measure(const std::string& text) {
  Cost cost;
  const double start = seconds_now();
  auto policy = Policy::parse(text);
  cost.load_ms = (seconds_now() - start) * 1e3;
  if (!policy) {
    fmt::print(stderr, "{}\n", policy.error().message);
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): one thread
  }
  const auto owned = make_requests();
  std::vector<std::vector<Dimension>> requests;
  requests.reserve(owned.size());
  for (const OwnedRequest& one : owned) {
    requests.push_back({{"ip", one.ip}, {"method", "POST"}, {"endpoint", one.endpoint}, {"account", "4711"}});
  }
  const HashSecret secret = HashSecret::fixed(1);
  Matches matches;
  std::vector<double> rounds;
  std::uint64_t found = 0;
  std::uint64_t asked = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = seconds_now();
    constexpr int repeats = 2'000;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (const auto& request : requests) {
        policy->match({request}, secret, matches);
        found += matches.rules().size();
      }
    }
    asked += repeats * kRequests;
    rounds.push_back((seconds_now() - begin) * 1e9 / (repeats * kRequests));
  }
  cost.match_ns = median(rounds);
  cost.matches = static_cast<double>(found) / static_cast<double>(asked);
  return cost;
}

void compare(std::string_view what, const std::string& few, const std::string& many) {
  const Cost a = measure(few);
  const Cost b = measure(many);
  fmt::print("10 {}: load {:.2f} ms, {:.0f} ns per match, {:.2f} rules met\n", what, a.load_ms, a.match_ns,
             a.matches);
  fmt::print("10,000 {}: load {:.1f} ms, {:.0f} ns per match, {:.2f} rules met\n", what, b.load_ms,
             b.match_ns, b.matches);
  fmt::print("10,000 {} cost {:.2f} times 10\n", what, b.match_ns / a.match_ns);
}

}  // namespace

int main() {
  compare("rules", policy_of(10), policy_of(10'000));
  compare("overrides", overrides_of(10), overrides_of(10'000));
  return 0;
}
