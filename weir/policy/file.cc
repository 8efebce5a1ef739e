#include "weir/policy/file.h"

#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "weir/base/text.h"

namespace weir {

Result<std::string> read_file(const std::filesystem::path& path, std::size_t most) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) return Error{"there is no such file"};
  if (std::filesystem::is_directory(status)) return Error{"this is a folder, not a file"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{"the file can't be opened; look at its permissions"};
  // A size that is asked for first can be wrong by the time of reading, and pipes have none.
  std::string bytes;
  std::string block(std::size_t{64} << 10U, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())), stream.gcount() > 0) {
    bytes.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > most)
      return Error{fmt::format("the file has more than {} bytes", with_thousands(most))};
  }
  if (stream.bad()) return Error{"the file can't be read to its end"};
  return bytes;
}

}  // namespace weir
