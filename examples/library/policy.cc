// Rules from YAML, decided as one, and changed while they are in use.
#include <cstdio>
#include <string>

#include "weir/weir.h"

namespace {

constexpr const char* kRules = R"(domain: game
rules:
  - {name: chat, match: {endpoint: chat.send}, key: [account], limit: {quota: 5, per: 10s, burst: 10}}
  - {name: api, key: [account], limit: {quota: 100, per: 1m}}
)";

}  // namespace

int main() {
  auto made = weir::PolicyLimiter::parse(kRules);
  if (!made) {
    std::printf("%s\n", made.error().message.c_str());
    return 1;
  }
  weir::PolicyLimiter& limiter = *made;
  int passed = 0;
  for (;;) {
    const auto said = limiter.check({{"account", "mira"}, {"endpoint", "chat.send"}});
    if (!said) {
      std::printf("%d passed, then rule %s says: in %lld s\n", passed, std::string(said.rule).c_str(),
                  static_cast<long long>(said.retry_after.whole_seconds().count()));
      break;
    }
    ++passed;
  }
  std::printf("api has %llu left\n",
              static_cast<unsigned long long>(limiter.peek({{"account", "mira"}}).remaining));

  const weir::Status bad =
      limiter.reload_text("domain: game\nrules:\n  - {name: chat, limt: 5}\n", "game.yaml");
  std::printf("%s\n", bad ? "loaded" : bad.error().message.c_str());
}
