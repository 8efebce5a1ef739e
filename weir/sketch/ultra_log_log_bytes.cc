// What a distinct count is in a file.
//
// Payload: precision u8, seed u64, then 0 u8 and the hashes in order (count as a varint, u64 each), or 1 u8
// and the registers.
#include <algorithm>

#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/ultra_log_log.h"

namespace weir {

std::vector<std::uint64_t> UltraLogLog::sorted_hashes() const {
  std::vector<std::uint64_t> sorted;
  sorted.reserve(count_);
  for (const std::uint64_t hash : hashes_) {
    if (hash != 0) sorted.push_back(hash);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::string UltraLogLog::encode() const {
  ByteWriter out;
  out.put<std::uint8_t>(static_cast<std::uint8_t>(precision_));
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
  out.put<std::uint8_t>(is_exact() ? 0 : 1);
  if (is_exact()) {
    out.put_varint(count_);
    out.put_array<std::uint64_t>(sorted_hashes());
  } else {
    out.put_array<std::uint8_t>(registers_);
  }
  return write_frame(SketchKind::distinct, out.bytes());
}

Result<UltraLogLog> UltraLogLog::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::distinct);
  if (!payload) return payload.error();
  ByteReader in(*payload, name_of(SketchKind::distinct));
  const auto precision = in.get<std::uint8_t>("the precision");
  const auto seed = in.get<std::uint64_t>("the seed");
  const auto form = in.get<std::uint8_t>("the form");
  in.require(form <= 1, "there is no form " + std::to_string(form));
  if (!in.ok()) return in.error();
  Result<UltraLogLog> made = create(precision, Seed{seed});
  if (!made) return made.error();
  const Status read = form == 0 ? made->read_hashes(in) : made->read_registers(in);
  if (!read) return read.error();
  return made;
}

Status UltraLogLog::read_hashes(ByteReader& in) {
  const std::uint64_t count = in.get_count(sizeof(std::uint64_t), "the count");
  in.require(4 * count <= 3 * std::uint64_t{most_places()}, "more hashes than are kept");
  const auto hashes = in.get_array<std::uint64_t>(count, "the hashes");
  std::uint64_t before = 0;
  for (const std::uint64_t hash : hashes) {
    if (!in.require(hash > before, "its hashes are not in order")) break;
    before = hash;
    add_exact(hash);
  }
  return in.finish();
}

Status UltraLogLog::read_registers(ByteReader& in) {
  hashes_ = {};
  registers_ = in.get_array<std::uint8_t>(std::uint64_t{1} << precision_, "the registers");
  for (const std::uint8_t r : registers_) {
    const unsigned u = r >> 2U;
    const bool possible =
        r == 0 || (u >= 1 && u <= 65 - precision_ && (u > 1 || (r & 3U) == 0) && (u > 2 || (r & 1U) == 0));
    if (!in.require(possible, "a register of " + std::to_string(r) + " can't be")) break;
  }
  return in.finish();
}

}  // namespace weir
