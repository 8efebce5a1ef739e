#include "weir/cli/summary_file.h"

#include "weir/base/text.h"
#include "weir/stream/byte_source.h"

namespace weir {

Result<SavedSummary> read_summary_file(const std::string& path) {
  Result<FileSource> file = FileSource::open(path, nullptr);
  if (!file) return file.error();
  const std::string name = path == "-" ? "standard input" : printable(path, 200);
  std::string bytes;
  constexpr std::size_t kBlock = std::size_t{64} << 10U;
  for (;;) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kBlock);
    const Result<ReadOutcome> outcome = file->read({bytes.data() + had, kBlock});
    if (!outcome) return outcome.error();
    bytes.resize(had + outcome->count);
    if (outcome->count == 0) break;
    if (bytes.size() > SavedSummary::kMostBytes) {
      return Error{name + ": is no summary: it has more than " + std::to_string(SavedSummary::kMostBytes) +
                   " bytes"};
    }
  }
  Result<SavedSummary> saved = SavedSummary::decode(bytes);
  if (!saved) return Error{name + ": " + saved.error().message};
  return saved;
}

}  // namespace weir
