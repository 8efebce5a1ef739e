// The two kinds of keys that frequent items are kept for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "weir/sketch/bytes.h"
#include "weir/sketch/frequent_table.h"
#include "weir/sketch/hashes.h"
#include "weir/sketch/seed.h"

namespace weir {

/// Whole numbers of 64 bits, in cells of 16 bytes.
class NumberKeys {
 public:
  using Key = std::uint64_t;
  using OwnedKey = std::uint64_t;
  static constexpr std::uint8_t kTag = 0;
  static constexpr std::size_t kMostBytes = 0;
  static constexpr std::size_t kCellBytes = 16;
  static constexpr std::size_t kLeastImageBytes = sizeof(std::uint64_t);

  /// Under the fixed seed the hash is that of DataSketches.
  NumberKeys(unsigned lg, unsigned lg_most, Seed seed)
      : salt_(seed == kFixedSeed ? 0 : SeededHash(seed)(std::string_view("salt"))), table_(lg, lg_most) {}

  std::size_t size() const { return table_.size(); }
  std::size_t cells() const { return table_.cells(); }
  unsigned lg_most() const { return table_.lg_most(); }

  // A cell holds the key with the salt in it, so that its hash can be found from the cell alone.
  std::uint64_t hash(Key key) const { return hash_detail::fmix64(key ^ salt_); }
  Key admit(Key key, std::string&) const { return key; }

  /// The weight of a key, or 0.
  std::uint64_t weight(Key key, std::uint64_t hash) const {
    return table_.find(hash, [&](const Cell& cell) { return cell.salted == (key ^ salt_); }).weight;
  }
  /// The cell's weight, to be added to; `inserted` when the key is new, and filled() is to be called then.
  std::uint64_t& at(Key key, std::uint64_t hash, bool& inserted) {
    Cell& cell = table_.find(hash, [&](const Cell& found) { return found.salted == (key ^ salt_); });
    inserted = cell.weight == 0;
    cell.salted = key ^ salt_;
    return cell.weight;
  }
  std::uint64_t filled() { return table_.filled(); }

  /// visit(key, weight)
  template <class Visit>
  void visit(Visit visit) const {
    table_.visit([&](const Cell& cell) { visit(cell.salted ^ salt_, cell.weight); });
  }

  static void put(ByteWriter& out, Key key) { out.put<std::uint64_t>(key); }
  static Key get(ByteReader& in) { return in.get<std::uint64_t>("an item"); }

 private:
  struct Cell {
    std::uint64_t salted = 0;
    std::uint64_t weight = 0;
    std::uint64_t hash() const { return hash_detail::fmix64(salted); }
  };

  std::uint64_t salt_;
  FrequentTable<Cell> table_;
};

/// Texts, in cells of 24 bytes, each text once in an arena.
class TextKeys {
 public:
  using Key = std::string_view;
  using OwnedKey = std::string;
  static constexpr std::uint8_t kTag = 1;
  /// What is longer is kept as its first kPrefix bytes, '#' and 16 digits of its hash.
  static constexpr std::size_t kPrefix = 1'000;
  static constexpr std::size_t kMostBytes = kPrefix + 17;
  static constexpr std::size_t kCellBytes = 24;
  static constexpr std::size_t kLeastImageBytes = sizeof(std::uint32_t);

  TextKeys(unsigned lg, unsigned lg_most, Seed seed) : hash_(seed), table_(lg, lg_most) {}

  std::size_t size() const { return table_.size(); }
  std::size_t cells() const { return table_.cells(); }
  unsigned lg_most() const { return table_.lg_most(); }

  std::uint64_t hash(Key key) const { return hash_(key); }
  /// The key as it is kept; `room` holds it where it is another.
  Key admit(Key key, std::string& room) const { return key.size() <= kMostBytes ? key : shorten(key, room); }

  std::uint64_t weight(Key key, std::uint64_t hash) const {
    return table_.find(hash, [&](const Cell& cell) { return is(cell, key, hash); }).weight;
  }
  std::uint64_t& at(Key key, std::uint64_t hash, bool& inserted) {
    Cell& cell = table_.find(hash, [&](const Cell& found) { return is(found, key, hash); });
    inserted = cell.weight == 0;
    if (inserted) {
      cell.hashed = hash;
      cell.offset = static_cast<std::uint32_t>(arena_.size());
      cell.length = static_cast<std::uint32_t>(key.size());
      arena_ += key;
    }
    return cell.weight;
  }
  std::uint64_t filled() {
    const std::uint64_t lost = table_.filled();
    if (lost > 0) sweep();
    return lost;
  }

  template <class Visit>
  void visit(Visit visit) const {
    table_.visit([&](const Cell& cell) { visit(text(cell), cell.weight); });
  }

  static void put(ByteWriter& out, Key key) {
    out.put<std::uint32_t>(static_cast<std::uint32_t>(key.size()));
    out.put_bytes(key);
  }
  static Key get(ByteReader& in) {
    const auto length = in.get<std::uint32_t>("the length of an item");
    return in.take(length, "an item");
  }

 private:
  struct Cell {
    std::uint64_t hashed = 0;
    std::uint64_t weight = 0;
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    std::uint64_t hash() const { return hashed; }
  };

  std::string_view text(const Cell& cell) const { return {arena_.data() + cell.offset, cell.length}; }
  bool is(const Cell& cell, Key key, std::uint64_t hash) const {
    return cell.hashed == hash && text(cell) == key;
  }
  Key shorten(Key key, std::string& room) const;
  void sweep();

  SeededHash hash_;
  FrequentTable<Cell> table_;
  std::string arena_;
};

}  // namespace weir
