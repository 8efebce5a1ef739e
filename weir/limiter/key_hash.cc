#include "weir/limiter/key_hash.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <string>

namespace weir::limiter {
namespace {

// A string's own hash is its key. Others are told apart from it by a constant that is mixed in, so that no
// string has the bytes of a number.
constexpr std::uint64_t kNumber = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t kNegative = 0xbf58476d1ce4e5b9U;
constexpr std::uint64_t kParts = 0x94d049bb133111ebU;

void append_number(std::pmr::string& bytes, std::uint64_t number) {
  std::array<char, sizeof number> raw{};
  std::memcpy(raw.data(), &number, sizeof number);
  bytes.append(raw.data(), raw.size());
}

std::uint64_t hash_number(const KeyPart& part, const HashSecret& secret) {
  const std::uint64_t number = part.number();
  std::array<char, sizeof number> raw{};
  std::memcpy(raw.data(), &number, sizeof number);
  return secret.hash({raw.data(), raw.size()}) ^
         (part.kind() == KeyPart::Kind::negative ? kNegative : kNumber);
}

/// Each part with its kind and its length before it.
std::uint64_t hash_parts(std::span<const KeyPart> parts, const HashSecret& secret) {
  std::array<std::byte, 512> buffer;
  std::pmr::monotonic_buffer_resource memory(buffer.data(), buffer.size());
  std::pmr::string bytes(&memory);
  std::size_t size = 0;
  for (const KeyPart& part : parts) size += 1 + sizeof(std::uint64_t) + part.text().size();
  bytes.reserve(size);
  for (const KeyPart& part : parts) {
    bytes += static_cast<char>(part.kind());
    if (part.kind() == KeyPart::Kind::text) {
      append_number(bytes, part.text().size());
      bytes += part.text();
    } else {
      append_number(bytes, part.number());
    }
  }
  return secret.hash(bytes) ^ kParts;
}

}  // namespace

std::uint64_t hash_of(const Key& key, const HashSecret& secret) {
  if (!key.is_single()) return hash_parts(key.parts(), secret);
  if (key.single().kind() == KeyPart::Kind::text) return secret.hash(key.single().text());
  return hash_number(key.single(), secret);
}

}  // namespace weir::limiter
