// What a decision may cost: no allocation once warm, and time in proportion to what a request says.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "weir/policy/policy.h"

namespace {
std::atomic<std::uint64_t> allocations{0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory): counting is what these are for.
// Not inlined, or g++ takes them for a new and a free that do not belong together.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)

namespace weir {
namespace {

constexpr std::string_view kPolicy = R"(domain: d
normalize: {account: [trim, casefold, nfkc]}
rules:
  - {name: exact, match: {endpoint: /login}, key: [ip], limit: {quota: 1, per: 1m}}
  - {name: wild, match: {endpoint: "/l*n"}, key: [ip, account], limit: {quota: 2, per: 1m}}
  - {name: template, match: {endpoint: {template: "/{x}"}}, key: [account], limit: {quota: 3, per: 1m}}
  - name: all
    key: []
    limit: {quota: 4, per: 1m}
    overrides:
      - {match: {ip: 203.0.113.0/24}, limit: {quota: 5, per: 1m}}
      - {match: {ip: 203.0.0.0/16}, limit: {quota: 6, per: 1m}}
  - {name: skipped, key: [nobody], limit: {quota: 7, per: 1m}}
)";

TEST(Matches, AllocateNothingOnceWarm) {
  const auto policy = Policy::parse(kPolicy);
  ASSERT_TRUE(policy) << policy.error().message;
  const HashSecret secret = HashSecret::fixed(1);
  const std::string large(64 << 10, 'x');
  const std::vector<Dimension> requests[]{{{"ip", "203.0.113.7:80"},
                                           {"endpoint", "//login/?a=b"},
                                           {"account", " Ｂｏｂ the builder of many long houses "}},
                                          {{"ip", "[2001:db8:1:2:3:4:5:6]"},
                                           {"endpoint", "/%6c-%6f-n"},
                                           {"account", "Straße\xff and further along it"}},
                                          {{"ip", large}, {"endpoint", large}, {"account", large}},
                                          {}};
  Matches matches;
  for (const auto& request : requests) policy->match({request}, secret, matches);
  const std::uint64_t before = allocations;
  for (int i = 0; i < 10; ++i) {
    for (const auto& request : requests) policy->match({request}, secret, matches);
  }
  EXPECT_EQ(allocations, before);
}

TEST(Matches, HostileValuesTakeTimeInProportionToTheirLength) {
  // Each literal lies within the next, and all of them in the value, at every byte of it.
  std::string text = "domain: d\nrules:\n";
  for (int i = 1; i <= 1'000; ++i) {
    text += "  - {name: r" + std::to_string(i) + ", match: {a: \"*" +
            std::string(static_cast<std::size_t>(i) % 200 + 1, 'x') + "*" + std::to_string(i) +
            "z*\"}, key: [], limit: {quota: 1, per: 1m}}\n";
  }
  const auto policy = Policy::parse(text);
  ASSERT_TRUE(policy) << policy.error().message;
  // So long that looking at every place where a literal lies would not end.
  const std::string value(16 << 20, 'x');
  const std::vector<Dimension> request{{"a", value}};
  Matches matches;
  policy->match({request}, HashSecret::fixed(1), matches);
  EXPECT_TRUE(matches.rules().empty());
}

}  // namespace
}  // namespace weir
