// The index against a walk over all rules, on policies and requests drawn at random.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <random>

#include <gtest/gtest.h>

#include "weir/policy/policy_index.h"

namespace weir {
namespace {

using Random = std::mt19937_64;

const HashSecret kSecret = HashSecret::fixed(1);
constexpr std::array<std::string_view, 3> kDimensions{"account", "endpoint", "ip"};

template <std::size_t N>
std::string pick(Random& random, const std::array<std::string_view, N>& from) {
  return std::string(from[random() % N]);
}

std::string draw_text(Random& random, std::string_view alphabet) {
  std::string out;
  for (auto n = 1 + random() % 5; n > 0; --n) out += alphabet[random() % alphabet.size()];
  return out;
}

/// A match value as it stands in the file.
std::string draw_atom(Random& random, std::string_view dimension) {
  if (dimension == "ip") {
    constexpr std::array<std::string_view, 10> values{
        "10.0.0.0/8",    "10.1.0.0/16", "10.1.1.0/24",   "10.1.1.1", "0.0.0.0/0",
        "2001:db8::/32", "2001:db8::1", "2001:db8::/63", "::/0",     "*"};
    return "\"" + pick(random, values) + "\"";
  }
  if (dimension == "endpoint") {
    if (random() % 3 == 0)
      return "{template: \"/" + std::string(random() % 2 == 0 ? "{x}" : "a{x}") +
             (random() % 2 == 0 ? "/b" : "") + "\"}";
    return "\"/" + draw_text(random, "ab/*") + "b\"";
  }
  return "\"" + draw_text(random, "aab*") + "\"";
}

std::string draw_value(Random& random, std::string_view dimension) {
  std::string atom = draw_atom(random, dimension);
  if (random() % 3 != 0) return atom;
  const std::string other = draw_atom(random, dimension);
  return other == atom ? atom : "[" + atom + ", " + other + "]";
}

std::string draw_match(Random& random, std::size_t least) {
  std::string out;
  const auto mask = random() % 8;
  std::size_t count = 0;
  for (std::size_t d = 0; d < kDimensions.size(); ++d) {
    if ((mask >> d & 1U) == 0 && !(count < least && d + 1 == kDimensions.size())) continue;
    out +=
        (count++ == 0 ? "" : ", ") + std::string(kDimensions[d]) + ": " + draw_value(random, kDimensions[d]);
  }
  return "{" + out + "}";
}

std::string draw_policy(Random& random) {
  std::string out = "domain: d\nrules:\n";
  const auto rules = 1 + random() % 20;
  for (std::uint64_t i = 0; i < rules; ++i) {
    const std::string match = draw_match(random, 0);
    out += "  - name: r" + std::to_string(i) + "\n" + (match == "{}" ? "" : "    match: " + match + "\n") +
           "    key: [account]\n";
    out += "    on_missing: shared\n    limit: {quota: " + std::to_string(i) + ", per: 1m}\n    overrides:\n";
    for (auto n = random() % 6; n > 0; --n) {
      out += "      - {match: " + draw_match(random, 1) + ", limit: {quota: " + std::to_string(100 + n) +
             ", per: 1m}}\n";
    }
    out += "      - {match: {never: x}, unlimited: true}\n";
  }
  return out;
}

std::vector<std::pair<std::string_view, std::string>> draw_request(Random& random) {
  constexpr std::array<std::string_view, 8> addresses{
      "10.1.1.1", "10.1.1.2", "10.1.2.1", "10.2.0.1", "11.0.0.1", "2001:db8::1", "2001:db8:0:1::1", "::2"};
  std::vector<std::pair<std::string_view, std::string>> out;
  if (random() % 4 != 0) out.emplace_back("ip", pick(random, addresses));
  if (random() % 4 != 0) out.emplace_back("endpoint", "/" + draw_text(random, "ab/") + "b");
  if (random() % 4 != 0) out.emplace_back("account", draw_text(random, "aab"));
  return out;
}

std::vector<Dimension> views_of(const std::vector<std::pair<std::string_view, std::string>>& owned) {
  std::vector<Dimension> views;
  for (const auto& [name, value] : owned) views.push_back({name, value});
  return views;
}

bool walk_matches(const Conditions& match, const RequestValues& request) {
  return std::all_of(match.begin(), match.end(), [&](const Condition& condition) {
    const Value& value = request.values[condition.dimension];
    return !value.text.empty() && std::any_of(condition.any_of.begin(), condition.any_of.end(),
                                              [&](const Atom& atom) { return atom.matches(value); });
  });
}

TEST(PolicyIndex, FindsWhatAWalkOverAllRulesFinds) {
  Random random(8);
  std::size_t found = 0;
  std::size_t policies = 0;
  Matches matches;
  for (int round = 0; round < 1'500; ++round) {
    const std::string text = draw_policy(random);
    const auto policy = Policy::parse(text);
    if (!policy) {  // now and then two rules, overrides or list items say the same
      const std::string& message = policy.error().message;
      ASSERT_TRUE(message.find("the same as") != std::string::npos ||
                  message.find("already") != std::string::npos)
          << message << "\n"
          << text;
      continue;
    }
    ++policies;
    for (int i = 0; i < 20; ++i) {
      const auto owned = draw_request(random);
      const std::vector<Dimension> request = views_of(owned);
      policy->match({request}, kSecret, matches);
      const RequestValues& values = PolicyIndex::scratch_of(matches).request;
      std::vector<std::uint32_t> expected;
      for (std::uint32_t rule = 0; rule < policy->rules().size(); ++rule) {
        if (walk_matches(policy->index().conditions(rule), values)) expected.push_back(rule);
      }
      std::vector<std::uint32_t> actual;
      for (const Match& match : matches.rules()) actual.push_back(match.rule);
      ASSERT_EQ(actual, expected) << text;
      found += actual.size();
    }
  }
  EXPECT_GT(policies, 500U);
  EXPECT_GT(found, 10'000U);
}

TEST(MatchIndex, FirstIsTheFirstOfAll) {
  Random random(9);
  const Normalizer plain = Normalizer::for_dimension("account");
  for (int round = 0; round < 300; ++round) {
    std::vector<Conditions> matches;
    for (auto n = random() % 60; n > 0; --n) {
      Conditions match;
      for (std::uint32_t dimension = 0; dimension < 3; ++dimension) {
        if (random() % 2 == 0) continue;
        Condition condition{dimension, {}, true};
        for (auto atoms = 1 + random() % (random() % 4 == 0 ? 20 : 2); atoms > 0; --atoms) {
          const std::string text = draw_text(random, "ab*");
          condition.any_of.push_back(text.find('*') == std::string::npos ? Atom{text}
                                                                         : Atom{Pattern::wildcard(text)});
        }
        match.push_back(std::move(condition));
      }
      matches.push_back(std::move(match));
    }
    const MatchIndex index(matches, 3);
    MatchScratch scratch;
    for (int i = 0; i < 50; ++i) {
      RequestValues request;
      for (std::uint32_t dimension = 0; dimension < 3; ++dimension) {
        request.values.push_back(random() % 4 == 0 ? Value{} : plain.apply(draw_text(random, "ab")));
        if (!request.values.back().text.empty()) request.present.push_back(dimension);
      }
      std::vector<std::uint32_t> expected;
      for (std::uint32_t m = 0; m < matches.size(); ++m) {
        if (walk_matches(matches[m], request)) expected.push_back(m);
      }
      const auto all = index.find(request, scratch);
      ASSERT_EQ(std::vector(all.begin(), all.end()), expected);
      const auto first = index.first(request, scratch);
      ASSERT_EQ(first, expected.empty() ? std::nullopt : std::optional(expected.front()));
    }
  }
}

std::string with_overrides(std::span<const std::string> values) {
  std::string text =
      "domain: d\nrules:\n  - name: r\n    key: []\n    limit: {quota: 0, per: 1m}\n    overrides:\n";
  std::uint64_t quota = 0;
  for (const std::string& value : values) {
    text += "      - {match: {account: " + value + "}, limit: {quota: " + std::to_string(++quota) +
            ", per: 1m}}\n";
  }
  return text;
}

/// The quota that an account gets: 0, or the number of the override.
std::uint64_t quota_of(const Policy& policy, std::string_view account) {
  Matches matches;
  const std::array<Dimension, 1> request{{{"account", account}}};
  policy.match({request}, kSecret, matches);
  return policy.rules()[0].limits[matches.rules()[0].limit].limit.quota;
}

/// How narrow a match value is, by how it is written.
std::pair<int, std::size_t> narrowness(std::string_view written) {
  if (written.starts_with('[')) return {0, 0};
  const auto stars = static_cast<std::size_t>(std::count(written.begin(), written.end(), '*'));
  if (stars == 0) return {2, 0};
  return {1, written.size() - 2 - stars};
}

TEST(Override, TheFirstOfTheNarrowestThatMatchIsChosen) {
  Random random(10);
  std::size_t checked = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> values;
    std::vector<Policy> alone;
    for (auto n = 1 + random() % 20; n > 0; --n) values.push_back(draw_value(random, "account"));
    const auto policy = Policy::parse(with_overrides(values));
    if (!policy) continue;  // two overrides say the same
    for (const std::string& value : values) alone.push_back(*Policy::parse(with_overrides({&value, 1})));
    for (int i = 0; i < 20; ++i) {
      const std::string account = draw_text(random, "aab");
      std::optional<std::size_t> best;
      for (std::size_t v = 0; v < values.size(); ++v) {
        if (quota_of(alone[v], account) == 0) continue;
        if (!best || narrowness(values[v]) > narrowness(values[*best])) best = v;
      }
      ASSERT_EQ(quota_of(*policy, account), best ? *best + 1 : 0) << account << "\n"
                                                                  << with_overrides(values);
      checked += best ? 1 : 0;
    }
  }
  EXPECT_GT(checked, 500U);
}

}  // namespace
}  // namespace weir
