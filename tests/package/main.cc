#include <weir/weir.h>

#include <cstdio>

int main() {
  weir::RateLimiter chat{weir::token_bucket(5, weir::per(std::chrono::seconds(10))).burst(10)};
  int passed = 0;
  while (chat.check("mira")) ++passed;
  auto rules =
      weir::PolicyLimiter::parse("domain: d\nrules:\n  - {name: r, key: [a], limit: {quota: 3, per: 1h}}\n");
  while (rules->check({{"a", "x"}})) ++passed;
  std::printf("%d\n", passed);
}
