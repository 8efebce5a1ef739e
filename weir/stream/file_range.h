// A regular file that several threads read parts of at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weir/base/result.h"
#include "weir/stream/byte_source.h"

namespace weir {

/// Read by offset, so that no reader moves another's place. Offsets count from where the file stood when it
/// was opened, which for standard input need not be its beginning.
class SharedFile {
 public:
  /// Opens `path` ("-" is standard input). Nothing when it is no regular file. Errors: as FileSource::open.
  static Result<std::shared_ptr<const SharedFile>> open(const std::string& path);

  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile();

  /// Fills the front of `into`; fewer bytes only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) const;

  const std::string& name() const { return name_; }
  /// When it was opened.
  std::uint64_t size() const { return size_; }

 private:
  SharedFile(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {}

  std::string name_;
  int descriptor_;
  std::uint64_t start_ = 0;
  std::uint64_t size_ = 0;
};

/// The bytes [begin, end) of a file, as if nothing stood around them.
class RangeSource final : public ByteSource {
 public:
  RangeSource(std::shared_ptr<const SharedFile> file, std::uint64_t begin, std::uint64_t end,
              const std::atomic<bool>* stop)
      : file_(std::move(file)), begin_(begin), end_(end), at_(begin), stop_(stop) {}

  Result<ReadOutcome> read(std::span<char> into) override;
  std::uint64_t consumed() const override { return at_ - begin_; }
  bool rewind() override;

 private:
  std::shared_ptr<const SharedFile> file_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t at_;
  const std::atomic<bool>* stop_;
};

}  // namespace weir
