// Any bytes as a policy, and then any bytes as a request: either is refused in words or works, in bounded
// time.
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "weir/policy/explain.h"
#include "weir/policy/greedy.h"
#include "weir/policy/policy.h"

namespace {

/// The next part of the input, up to a byte that hardly stands in a policy.
std::string_view take_part(std::string_view& rest) {
  const std::size_t end = rest.find('\x1F');
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

void require(bool condition) {
  if (!condition) std::abort();
}

void check_match(const weir::Policy& policy, const weir::Request& request) {
  weir::Matches matches;
  policy.match(request, weir::HashSecret::fixed(1), matches);
  for (const weir::Match& match : matches.rules()) {
    const weir::Rule& rule = policy.rules()[match.rule];
    require(match.limit < rule.limits.size() && match.key.size() == rule.key.size());
    const weir::RuleLimit& limit = rule.limits[match.limit];
    if (!limit.unlimited) weir::greedy_most(limit.limit, weir::kMinute);
  }
  const weir::Explanation explained = weir::explain(policy, request);
  require(explained.rules.size() == matches.rules().size() &&
          explained.skipped.size() == matches.skipped().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view yaml = take_part(rest);
  // Tables are looked for where there are none.
  const auto policy = weir::Policy::parse(yaml, "policy.yaml", "/nonexistent");
  if (!policy) {
    require(!policy.error().message.empty());
    return 0;
  }
  constexpr std::array<std::string_view, 5> names{"ip", "endpoint", "account", "plan", "method"};
  std::vector<weir::Dimension> dimensions;
  for (const std::string_view name : names) dimensions.push_back({name, take_part(rest)});
  check_match(*policy, {dimensions});
  const std::array<std::string_view, 2> forwarded{take_part(rest), take_part(rest)};
  policy->client_address(dimensions[0].value, forwarded);
  return 0;
}
