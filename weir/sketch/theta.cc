#include "weir/sketch/theta.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "weir/sketch/hashes.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kWhat = "theta sketch";
constexpr std::size_t kFirstPlaces = 32;

/// 63 bits. 0 is an empty place in the table, so a hash of 0, which DataSketches would lose, is 1: under the
/// seed 8 the number 0 has it.
std::uint64_t theta_hash(Hash128 hash) {
  return std::max<std::uint64_t>(hash.low >> 1U, 1);
}

}  // namespace

Theta::Theta(unsigned lg_k, Seed seed) : lg_k_(lg_k), seed_(seed), table_(kFirstPlaces) {}

Result<Theta> Theta::create(unsigned lg_k, Seed seed) {
  if (lg_k < kMinLgK || lg_k > kMaxLgK) {
    return error_of(kWhat, "lg_k is " + std::to_string(lg_k) + "; it must be from 5 to 26");
  }
  return Theta(lg_k, seed);
}

Result<unsigned> Theta::suggest_lg_k(double relative_error) {
  for (unsigned lg_k = kMinLgK; lg_k <= kMaxLgK; ++lg_k) {
    if (1 / std::sqrt(std::ldexp(1.0, static_cast<int>(lg_k)) - 1) <= relative_error) return lg_k;
  }
  return error_of(kWhat, "an error of " + std::to_string(relative_error) +
                             " can't be had; the least is 0.000123 (0.0123 %)");
}

std::size_t Theta::memory_bytes(unsigned lg_k) {
  return sizeof(Theta) + 2 * (sizeof(std::uint64_t) << (lg_k + 1));
}

void Theta::add(std::uint64_t value) {
  keep(theta_hash(murmur3_x64_128(value, static_cast<std::uint64_t>(seed_))));
}

void Theta::add(std::span<const std::uint64_t> values) {
  std::array<std::uint64_t, 64> hashes{};
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), hashes.size());
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = theta_hash(murmur3_x64_128(values[i], static_cast<std::uint64_t>(seed_)));
    }
    for (std::size_t i = 0; i < count; ++i) keep(hashes[i]);
    values = values.subspan(count);
  }
}

void Theta::add(std::string_view value) {
  if (!value.empty()) keep(theta_hash(murmur3_x64_128(value, static_cast<std::uint64_t>(seed_))));
}

void Theta::add(std::span<const std::string_view> values) {
  for (const std::string_view value : values) add(value);
}

void Theta::add_real(double value) {
  if (value == 0) value = 0;  // -0.0
  add(std::isnan(value) ? 0x7FF8000000000000U : std::bit_cast<std::uint64_t>(value));
}

void Theta::insert(std::uint64_t hash) {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash & mask;
  while (table_[place] != 0 && table_[place] != hash) place = (place + 1) & mask;
  if (table_[place] == hash) return;
  table_[place] = hash;
  ++count_;
  const std::size_t most_places = std::size_t{2} << lg_k_;
  if (table_.size() < most_places) {
    if (count_ > table_.size() / 2) rehash(table_.size() * 2, table_);
  } else if (count_ > most_places / 16 * 15) {
    select();
  }
}

void Theta::rehash(std::size_t places, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint64_t> table(places);
  for (const std::uint64_t hash : hashes) {
    if (hash == 0) continue;
    std::size_t place = hash & (places - 1);
    while (table[place] != 0) place = (place + 1) & (places - 1);
    table[place] = hash;
  }
  table_ = std::move(table);
}

/// Only the 2^lg_k smallest stay, and the next is theta.
void Theta::select() {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(count_);
  for (const std::uint64_t hash : table_) {
    if (hash != 0) hashes.push_back(hash);
  }
  count_ = std::size_t{1} << lg_k_;
  const auto next = hashes.begin() + static_cast<std::ptrdiff_t>(count_);
  std::nth_element(hashes.begin(), next, hashes.end());
  theta_ = *next;
  hashes.resize(count_);
  rehash(table_.size(), hashes);
}

Status Theta::merge(const Theta& other) {
  if (Status same = check_same(lg_k_, other.lg_k_, "lg_k", kWhat); !same) return same;
  if (Status same = check_same_seed(seed_, other.seed_, kWhat); !same) return same;
  if (this == &other) return Done{};
  if (other.theta_ < theta_) {
    theta_ = other.theta_;
    std::vector<std::uint64_t> hashes = std::move(table_);
    std::erase_if(hashes, [&](std::uint64_t hash) { return hash == 0 || hash >= theta_; });
    count_ = hashes.size();
    rehash(std::size_t{2} << lg_k_, hashes);
  }
  for (const std::uint64_t hash : other.table_) keep(hash);
  return Done{};
}

ThetaSet Theta::set() const {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(count_);
  for (const std::uint64_t hash : table_) {
    if (hash != 0) hashes.push_back(hash);
  }
  std::sort(hashes.begin(), hashes.end());
  return ThetaSet(seed_, theta_, std::move(hashes));
}

}  // namespace weir
