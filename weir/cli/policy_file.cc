#include "weir/cli/policy_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace weir {
namespace {

/// More than any policy has; what never ends is none.
constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10U;

Result<std::string> read_standard_input() {
  std::string text;
  std::array<char, kBlockBytes> block{};
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(block.data(), static_cast<std::size_t>(count));
      if (text.size() > kMostBytes) return Error{"standard input: too long for a policy"};
    } else if (errno != EINTR) {
      return Error{"standard input: can't be read: " + std::generic_category().message(errno)};
    }
  }
}

}  // namespace

Result<Policy> load_policy(const std::string& path) {
  if (path != "-") return Policy::load(path);
  const Result<std::string> text = read_standard_input();
  if (!text) return text.error();
  return Policy::parse(*text, "standard input");
}

}  // namespace weir
