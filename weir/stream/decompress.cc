#include "weir/stream/decompress.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "weir/stream/decoders.h"

namespace weir {
namespace {

/// The first read is only to see what it is.
constexpr std::size_t kFirstInputBytes = std::size_t{4} << 10U;
constexpr std::size_t kInputBytes = std::size_t{128} << 10U;

class Decompressed final : public ByteSource {
 public:
  Decompressed(std::string name, std::unique_ptr<ByteSource> raw)
      : name_(std::move(name)), raw_(std::move(raw)) {}

  Result<ReadOutcome> read(std::span<char> into) override {
    while (compression_ == Compression::kUndecided) {
      Result<ReadOutcome> looked = look_further();
      if (!looked || looked->stopped) return looked;
    }
    return decoder_ ? read_decoded(into) : read_plain(into);
  }

  std::uint64_t consumed() const override { return raw_->consumed(); }

  bool rewind() override {
    if (!raw_->rewind()) return false;
    compression_ = Compression::kUndecided;
    decoder_.reset();
    held_ = 0;
    rest_ = {};
    raw_ended_ = false;
    failure_.reset();
    return true;
  }

 private:
  /// Reads once more, so that the compression may be known.
  Result<ReadOutcome> look_further() {
    if (input_.empty()) input_.resize(kFirstInputBytes);
    Result<ReadOutcome> outcome = raw_->read(std::span(input_).subspan(held_));
    if (!outcome || outcome->stopped) return outcome;
    held_ += outcome->count;
    rest_ = std::span<const char>(input_).first(held_);
    raw_ended_ = outcome->count == 0;
    compression_ = recognise({input_.data(), held_});
    if (compression_ == Compression::kUndecided && raw_ended_) compression_ = Compression::kNone;
    const bool compressed = compression_ == Compression::kGzip || compression_ == Compression::kZstd;
    if (compressed) decoder_ = make_decoder(compression_);
    return outcome;
  }

  Result<ReadOutcome> read_plain(std::span<char> into) {
    if (rest_.empty()) return raw_ended_ ? ReadOutcome{} : raw_->read(into);
    const std::size_t count = std::min(into.size(), rest_.size());
    std::memcpy(into.data(), rest_.data(), count);
    rest_ = rest_.subspan(count);
    return ReadOutcome{.count = count};
  }

  Result<ReadOutcome> read_decoded(std::span<char> into) {
    for (;;) {
      if (failure_) return *failure_;
      if (rest_.empty() && !raw_ended_) {
        Result<ReadOutcome> outcome = refill();
        if (!outcome || outcome->stopped) return outcome;
      }
      if (rest_.empty() && decoder_->may_end()) {
        if (raw_ended_) return ReadOutcome{};
        continue;
      }
      const Decoded decoded = decoder_->decode(rest_, into);
      if (!decoded.problem.empty()) failure_ = Error{name_ + ": " + decoded.problem};
      if (decoded.count > 0) return ReadOutcome{.count = decoded.count};
      if (rest_.empty() && raw_ended_ && !decoder_->may_end() && !failure_) {
        failure_ = Error{name_ + ": the compressed data breaks off"};
      }
    }
  }

  Result<ReadOutcome> refill() {
    input_.resize(kInputBytes);
    Result<ReadOutcome> outcome = raw_->read(input_);
    if (!outcome || outcome->stopped) return outcome;
    rest_ = std::span<const char>(input_).first(outcome->count);
    raw_ended_ = outcome->count == 0;
    return outcome;
  }

  std::string name_;
  std::unique_ptr<ByteSource> raw_;
  Compression compression_ = Compression::kUndecided;
  std::unique_ptr<Decoder> decoder_;
  std::vector<char> input_;
  std::size_t held_ = 0;        // of input_, while the compression is undecided
  std::span<const char> rest_;  // of input_, not used yet
  bool raw_ended_ = false;
  std::optional<Error> failure_;
};

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::string name, std::unique_ptr<ByteSource> source) {
  return std::make_unique<Decompressed>(std::move(name), std::move(source));
}

}  // namespace weir
