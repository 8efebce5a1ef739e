#include "weir/stream/decoders.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <string>

namespace weir {
namespace {

constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
/// Frames that hold no data begin with a byte from 0x50 to 0x5F and these; parallel compressors write one
/// first.
constexpr std::string_view kSkippableMagic = "\x2A\x4D\x18";
constexpr std::string_view kSomethingElse = "something else follows the compressed data";

unsigned bounded_size(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&state_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override { ::inflateEnd(&state_); }

  Decoded decode(std::span<const char>& input, std::span<char> into) override {
    if (between_members_ && !start_member(input)) return {};
    // zlib does not write through it; without ZLIB_CONST its pointer just says that it might.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    state_.avail_in = bounded_size(input.size());
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = bounded_size(into.size());
    const unsigned given = state_.avail_in;
    const unsigned room = state_.avail_out;
    const int outcome = ::inflate(&state_, Z_NO_FLUSH);
    input = input.subspan(given - state_.avail_in);
    between_members_ = outcome == Z_STREAM_END;
    members_ += between_members_ ? 1 : 0;
    return {.count = room - state_.avail_out, .problem = problem(outcome)};
  }

  bool may_end() const override { return between_members_; }

 private:
  /// Skips the zeros that tapes and block devices put behind a member. False when no other member follows.
  bool start_member(std::span<const char>& input) {
    const auto first = std::find_if(input.begin(), input.end(), [](char c) { return c != '\0'; });
    input = input.subspan(static_cast<std::size_t>(first - input.begin()));
    if (input.empty()) return false;
    between_members_ = false;
    ::inflateReset(&state_);
    return true;
  }

  std::string problem(int outcome) const {
    if (outcome == Z_OK || outcome == Z_STREAM_END || outcome == Z_BUF_ERROR) return {};
    // A member that did not get as far as its first byte is none.
    if (members_ > 0 && state_.total_out == 0) return std::string(kSomethingElse);
    return std::string("the compressed data is damaged (") + (state_.msg != nullptr ? state_.msg : "zlib") +
           ')';
  }

  z_stream state_{};
  bool between_members_ = false;
  std::size_t members_ = 0;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : state_(::ZSTD_createDStream(), ::ZSTD_freeDStream) {
    if (!state_) throw std::bad_alloc();
  }

  Decoded decode(std::span<const char>& input, std::span<char> into) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const bool was_complete = complete_;
    const std::size_t outcome = ::ZSTD_decompressStream(state_.get(), &out, &in);
    // Asked for more without being given any, it would speak of the next frame.
    if (!(was_complete && input.empty())) complete_ = outcome == 0;
    note_frame(input.first(in.pos), out.pos);
    input = input.subspan(in.pos);
    if (::ZSTD_isError(outcome) != 0) {
      if (was_complete) return {.count = 0, .problem = std::string(kSomethingElse)};
      return {.count = out.pos, .problem = damaged(::ZSTD_getErrorName(outcome))};
    }
    if (!complete_) return {.count = out.pos, .problem = {}};
    const bool right = has_promised_size();
    head_.clear();
    frame_bytes_ = 0;
    return {.count = out.pos, .problem = right ? std::string() : damaged("not of the size it promises")};
  }

  bool may_end() const override { return complete_; }

 private:
  static std::string damaged(std::string_view how) {
    return "the compressed data is damaged (" + std::string(how) + ')';
  }

  void note_frame(std::span<const char> consumed, std::size_t produced) {
    constexpr std::size_t kLongestHead = 18;  // RFC 8878, 3.1.1.1: magic number, descriptor, window, id, size
    head_.append(consumed.data(), std::min(consumed.size(), kLongestHead - head_.size()));
    frame_bytes_ += produced;
  }

  /// zstd holds a frame to the size in its head only where the frame is decoded in one piece.
  bool has_promised_size() const {
    const unsigned long long promised = ::ZSTD_getFrameContentSize(head_.data(), head_.size());
    return promised >= ZSTD_CONTENTSIZE_ERROR || promised == frame_bytes_;
  }

  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> state_;
  bool complete_ = false;
  std::string head_;               // the first bytes of the frame
  std::uint64_t frame_bytes_ = 0;  // decoded from the frame
};

/// Whether `head` begins as `magic` does; undecided while all of it fits.
Compression compare(std::string_view head, std::string_view magic, Compression meaning) {
  const std::size_t common = std::min(head.size(), magic.size());
  if (head.substr(0, common) != magic.substr(0, common)) return Compression::kNone;
  return common == magic.size() ? meaning : Compression::kUndecided;
}

}  // namespace

Compression recognise(std::string_view head) {
  if (head.empty()) return Compression::kUndecided;
  const bool may_be_skippable = (static_cast<unsigned char>(head.front()) & 0xF0U) == 0x50U;
  if (may_be_skippable) return compare(head.substr(1), kSkippableMagic, Compression::kZstd);
  const Compression gzip = compare(head, kGzipMagic, Compression::kGzip);
  return gzip != Compression::kNone ? gzip : compare(head, kZstdMagic, Compression::kZstd);
}

std::unique_ptr<Decoder> make_decoder(Compression compression) {
  if (compression == Compression::kGzip) return std::make_unique<GzipDecoder>();
  return std::make_unique<ZstdDecoder>();
}

}  // namespace weir
