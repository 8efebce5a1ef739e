#include "weir/stream/log_inputs.h"

#include <sys/stat.h>

#include <utility>

#include "weir/stream/decompress.h"

namespace weir {
namespace {

/// Opening a named pipe waits for its writer, and closing it again would end the writer.
bool is_named_pipe(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode);
}

}  // namespace

Result<LogInputs> LogInputs::of_paths(std::vector<std::string> paths, const std::atomic<bool>* stop) {
  LogInputs inputs;
  inputs.stop_ = stop;
  for (const std::string& path : paths) {
    if (path != "-" && is_named_pipe(path)) {
      inputs.only_files_ = false;
      continue;
    }
    const Result<FileSource> file = FileSource::open(path, stop);
    if (!file) return file.error();
    inputs.only_files_ &= file->is_regular();
    inputs.total_bytes_ += file->size();
  }
  if (!inputs.only_files_) inputs.total_bytes_ = 0;
  inputs.paths_ = std::move(paths);
  return inputs;
}

LogInputs LogInputs::of_memory(std::string_view text, std::size_t piece) {
  LogInputs inputs;
  inputs.memory_ = text;
  inputs.piece_ = piece;
  inputs.only_files_ = false;
  return inputs;
}

LogInputs LogInputs::of_input(LogInput input) {
  LogInputs inputs;
  inputs.open_ = std::move(input);
  return inputs;
}

Result<std::optional<LogInput>> LogInputs::next() {
  if (open_) return std::exchange(open_, std::nullopt);
  if (memory_) {
    const std::string_view text = *std::exchange(memory_, std::nullopt);
    auto bytes = decompressed("memory", std::make_unique<MemorySource>(text, piece_));
    return std::optional<LogInput>(LogInput{.name = "memory", .bytes = std::move(bytes)});
  }
  if (next_path_ == paths_.size()) return std::optional<LogInput>();
  const std::string& path = paths_[next_path_++];
  Result<FileSource> file = FileSource::open(path, stop_);
  if (!file) return file.error();
  LogInput input{.name = path == "-" ? "standard input" : path,
                 .regular = file->is_regular(),
                 .modified = file->modified()};
  input.bytes = decompressed(input.name, std::make_unique<FileSource>(std::move(file).value()));
  return std::optional<LogInput>(std::move(input));
}

}  // namespace weir
