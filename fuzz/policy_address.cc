// Any bytes as an address, a path and an account name: what is normal stays so.
#include <cstdlib>
#include <string>
#include <string_view>

#include "weir/policy/address.h"
#include "weir/policy/fold.h"
#include "weir/policy/path.h"
#include "weir/policy/pattern.h"
#include "weir/policy/posix_rule.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_address(std::string_view text) {
  weir::parse_prefix(text);
  const auto address = weir::parse_address(text);
  if (!address) return;
  const std::string once = weir::to_text(*address);
  const auto again = weir::parse_address(once);
  require(again && *again == *address && weir::to_text(*again) == once);
  for (unsigned length = 0; length <= weir::width(address->v4); ++length) {
    const weir::Prefix prefix{weir::cut(*address, length), length};
    require(prefix.contains(*address) && prefix.first.bits <= address->bits &&
            address->bits <= prefix.last());
  }
}

void check_path(std::string_view text) {
  std::string once;
  weir::append_path(once, text);
  if (!text.starts_with('/')) return require(once == text);
  require(once.starts_with('/') && once.find("//") == std::string::npos &&
          (once == "/" || !once.ends_with('/')));
  require((once + "/").find("/../") == std::string::npos && (once + "/").find("/./") == std::string::npos);
  // What was escaped twice, or is an escaped ? or #, would be read again.
  if (once.find_first_of("%?#") != std::string::npos) return;
  std::string twice;
  weir::append_path(twice, once);
  require(twice == once);
}

void check_fold(std::string_view text, unsigned choice) {
  const weir::FoldSteps steps{(choice & 1U) != 0, (choice & 2U) != 0, (choice & 4U) != 0};
  weir::FoldScratch scratch;
  std::string once(text);
  weir::fold(once, steps, scratch);
  std::string twice = once;
  weir::fold(twice, steps, scratch);
  require(twice == once);
}

void check_patterns(std::string_view text) {
  const std::size_t half = text.size() / 2;
  const auto made = weir::Pattern::path_template(text.substr(0, half));
  if (made) made->matches(text.substr(half));
  const weir::Pattern pattern = weir::Pattern::wildcard(std::string(text.substr(0, half)) + "*");
  pattern.matches(text.substr(half));
  // A text without stars is among what itself and a star match.
  if (text.find('*') == std::string_view::npos)
    require(weir::Pattern::wildcard(std::string(text) + "*").matches(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_address(text);
  check_path(text);
  check_fold(text, data[0]);
  check_patterns(text);
  weir::PosixRule::parse(text);
  return 0;
}
