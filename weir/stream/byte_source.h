// Bytes from a file, a pipe or memory: what line readers and decompressors draw from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/result.h"
#include "weir/base/time.h"

namespace weir {

/// What one read gave. No bytes: the end, or `stopped` when somebody asked to stop.
struct ReadOutcome {
  std::size_t count = 0;
  bool stopped = false;
};

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills the front of `into`, which must not be empty, with what is there; waits only while nothing is.
  /// After an error or the end every further call says the same.
  virtual Result<ReadOutcome> read(std::span<char> into) = 0;
  /// Bytes drawn from the file so far, before decompression.
  virtual std::uint64_t consumed() const = 0;
  /// Goes back to the first byte; false where that can't be done, as in a pipe.
  virtual bool rewind() = 0;
};

/// A file descriptor of its own, closed at the end. A signal interrupts a blocked read when `stop` is set by
/// then.
class FileSource final : public ByteSource {
 public:
  /// Opens `path`; "-" is standard input. Errors name the file: it is missing, not readable, or a directory.
  static Result<FileSource> open(const std::string& path, const std::atomic<bool>* stop);

  FileSource(FileSource&& other) noexcept;
  FileSource& operator=(FileSource&&) = delete;
  ~FileSource() override;

  Result<ReadOutcome> read(std::span<char> into) override;
  std::uint64_t consumed() const override { return consumed_; }
  bool rewind() override;

  bool is_regular() const { return regular_; }
  /// Of a regular file, when it was opened; else 0.
  std::uint64_t size() const { return size_; }
  /// When a regular file was last written.
  std::optional<Nanos> modified() const { return modified_; }

 private:
  FileSource(std::string name, int descriptor, const std::atomic<bool>* stop)
      : name_(std::move(name)), descriptor_(descriptor), stop_(stop) {}
  Status inspect();
  bool should_stop() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  Result<bool> wait_for_bytes() const;
  Error failure(std::string_view what) const;

  std::string name_;
  int descriptor_;
  const std::atomic<bool>* stop_;
  bool regular_ = false;
  bool pollable_ = false;
  std::int64_t start_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t consumed_ = 0;
  std::optional<Nanos> modified_;
};

/// Bytes that are in memory already, given in pieces of at most `piece` bytes.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes, std::size_t piece = static_cast<std::size_t>(-1))
      : bytes_(bytes), piece_(piece) {}

  Result<ReadOutcome> read(std::span<char> into) override;
  std::uint64_t consumed() const override { return position_; }
  bool rewind() override;

 private:
  std::string_view bytes_;
  std::size_t piece_;
  std::size_t position_ = 0;
};

}  // namespace weir
