#include "weir/sketch/ultra_log_log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace weir {
namespace {

constexpr std::string_view kWhat = "distinct count";
constexpr double kLikelihoodError = 0.761;
constexpr double kMartingaleError = 0.658;
constexpr std::size_t kFirstPlaces = 16;

// A register of u << 2 | b1 << 1 | b0 has seen the rank u and none above; b1 tells whether it has seen u-1,
// and b0 whether u-2. Ranks are 1, 2, … with the chances 1/2, 1/4, …; 0 has seen none.

/// The ranks that a register tells of, as bits: rank k is bit k+2. What is below u-2 is not told.
constexpr std::uint64_t unpack(std::uint8_t r) {
  return r == 0 ? 0 : (std::uint64_t{r & 3U} | 4U) << (r >> 2U);
}
/// REQUIRES: ranks != 0.
constexpr std::uint8_t pack(std::uint64_t ranks) {
  const auto u = static_cast<unsigned>(61 - std::countl_zero(ranks));
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): of what is not 0, u is below 64
  return static_cast<std::uint8_t>(u << 2U | (ranks >> u & 3U));
}

/// How often each rank has been seen among the registers, and the sum of the chances of what has not.
struct Likelihood {
  std::array<double, 64> seen{};
  double unseen = 0;
};

/// The number of values per register under which `likelihood` is likeliest, the arrivals of every rank taken
/// as Poisson: the root of unseen * x = sum of seen[k] * g(x / 2^k), g(y) = y / (e^y - 1). The difference is
/// concave and grows, so that Newton's steps from the left of the root never pass it.
double likeliest_rate(const Likelihood& likelihood, unsigned last_rank) {
  const auto chance = [&](unsigned k) {
    return std::ldexp(1.0, -static_cast<int>(std::min(k, last_rank - 1)));
  };
  double all = 0;
  double slope = likelihood.unseen;
  for (unsigned k = 1; k <= last_rank; ++k) {
    all += likelihood.seen[k];
    slope += likelihood.seen[k] * chance(k) / 2;
  }
  if (all == 0) return 0;
  double x = all / slope;  // g(y) >= 1 - y/2
  for (int i = 0; i < 200; ++i) {
    double difference = likelihood.unseen * x;
    double derivative = likelihood.unseen;
    for (unsigned k = 1; k <= last_rank; ++k) {
      if (likelihood.seen[k] == 0) continue;
      const double y = x * chance(k);
      if (y > 700) continue;  // g is 0 there
      const double more = std::expm1(y);
      const double g = y / more;
      difference -= likelihood.seen[k] * g;
      derivative += likelihood.seen[k] * chance(k) * g * ((more + 1) / more - 1 / y);
    }
    const double next = x - difference / derivative;
    if (!(next > x * (1 + 1e-12))) return std::max(next, x);
    x = next;
  }
  return x;
}

}  // namespace

UltraLogLog::UltraLogLog(unsigned precision, Seed seed)
    : precision_(precision), seed_(seed), hash_(seed), hashes_(std::min(kFirstPlaces, most_places())) {}

Result<UltraLogLog> UltraLogLog::create(unsigned precision, Seed seed) {
  if (precision < kMinPrecision || precision > kMaxPrecision) {
    return Error{"distinct count: the precision is " + std::to_string(precision) +
                 "; it must be from 4 to 20"};
  }
  return UltraLogLog(precision, seed);
}

Result<unsigned> UltraLogLog::suggest_precision(double relative_error) {
  for (unsigned precision = kMinPrecision; precision <= kMaxPrecision; ++precision) {
    if (kLikelihoodError / std::sqrt(std::ldexp(1.0, static_cast<int>(precision))) <= relative_error) {
      return precision;
    }
  }
  return Error{"distinct count: an error of " + std::to_string(relative_error) +
               " can't be had; the least is 0.00075 (0.075 %)"};
}

std::size_t UltraLogLog::memory_bytes(unsigned precision) {
  return sizeof(UltraLogLog) + std::max(std::size_t{1} << precision, 2 * sizeof(std::uint64_t));
}

/// As many hashes as the registers have bytes, and at least two.
std::size_t UltraLogLog::most_places() const {
  return std::max<std::size_t>(2, (std::size_t{1} << precision_) / sizeof(std::uint64_t));
}

void UltraLogLog::add(std::span<const std::uint64_t> values) {
  std::array<std::uint64_t, 128> hashes{};
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), hashes.size());
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_(values[i]);
    for (std::size_t i = 0; i < count; ++i) add_hash(hashes[i]);
    values = values.subspan(count);
  }
}

void UltraLogLog::add(std::span<const std::string_view> values) {
  std::array<std::uint64_t, 64> hashes{};
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), hashes.size());
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_(values[i]);
    for (std::size_t i = 0; i < count; ++i) add_hash(hashes[i]);
    values = values.subspan(count);
  }
}

void UltraLogLog::add_exact(std::uint64_t hash) {
  if (hash == 0) hash = 1;  // 0 is an empty place
  const auto place_in = [](const std::vector<std::uint64_t>& table, std::uint64_t wanted) {
    const std::size_t mask = table.size() - 1;
    std::size_t place = wanted & mask;
    while (table[place] != 0 && table[place] != wanted) place = (place + 1) & mask;
    return place;
  };
  const std::size_t place = place_in(hashes_, hash);
  if (hashes_[place] != 0) return;
  hashes_[place] = hash;
  ++count_;
  if (4 * count_ <= 3 * hashes_.size()) return;
  if (hashes_.size() == most_places()) return become_registers();
  std::vector<std::uint64_t> larger(hashes_.size() * 2);
  for (const std::uint64_t kept : hashes_) {
    if (kept != 0) larger[place_in(larger, kept)] = kept;
  }
  hashes_ = std::move(larger);
}

void UltraLogLog::become_registers() {
  const std::vector<std::uint64_t> hashes = std::move(hashes_);
  hashes_ = {};
  registers_.assign(std::size_t{1} << precision_, 0);
  martingale_.reset();
  for (const std::uint64_t hash : hashes) {
    if (hash != 0) add_to_registers(hash);
  }
  // The count goes on from the exact one.
  Martingale martingale{static_cast<double>(count_), 0};
  for (const std::uint8_t r : registers_) martingale.chance += chance_of(r);
  martingale_ = martingale;
  count_ = 0;
}

/// The chance, in 2^-64ths, that a value falls on a certain register of this content and changes it.
std::uint64_t UltraLogLog::chance_of(std::uint8_t r) const {
  const unsigned last = 64 - precision_;  // the rank after it has the same chance
  const auto chance = [&](unsigned rank) { return std::uint64_t{1} << (last - std::min(rank, last)); };
  if (r == 0) return chance(0);
  const unsigned u = r >> 2U;
  std::uint64_t sum = u <= last ? chance(u) : 0;  // of all ranks above u together
  if (u >= 2 && (r & 2U) == 0) sum += chance(u - 1);
  if (u >= 3 && (r & 1U) == 0) sum += chance(u - 2);
  return sum;
}

void UltraLogLog::add_to_registers(std::uint64_t hash) {
  std::uint8_t& r = registers_[hash >> (64 - precision_)];
  // The bit below the hash's last bounds the rank: 1 to 65 - precision.
  const std::uint64_t rest = hash << precision_ | std::uint64_t{1} << (precision_ - 1);
  const auto rank = static_cast<unsigned>(std::countl_zero(rest)) + 1;
  if (rank + 2 < r >> 2U) return;  // too low to be told; nearly all are, soon
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): see the bound above
  const std::uint8_t raised = pack(unpack(r) | std::uint64_t{4} << rank);
  if (raised == r) return;
  if (martingale_) {
    martingale_->count += 0x1p64 / static_cast<double>(martingale_->chance);
    martingale_->chance -= chance_of(r) - chance_of(raised);
  }
  r = raised;
}

Status UltraLogLog::merge(const UltraLogLog& other) {
  if (Status same = check_same(precision_, other.precision_, "the precision", kWhat); !same) return same;
  if (Status same = check_same_seed(seed_, other.seed_, kWhat); !same) return same;
  if (this == &other) return Done{};
  if (other.is_exact()) {
    for (const std::uint64_t hash : other.hashes_) {
      if (hash != 0) add_hash(hash);
    }
  } else if (is_exact()) {
    const std::vector<std::uint64_t> mine = std::move(hashes_);
    *this = other;
    for (const std::uint64_t hash : mine) {
      if (hash != 0) add_to_registers(hash);
    }
  } else {
    merge_registers(other);
  }
  return Done{};
}

void UltraLogLog::merge_registers(const UltraLogLog& other) {
  martingale_.reset();
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    const std::uint64_t ranks = unpack(registers_[i]) | unpack(other.registers_[i]);
    if (ranks != 0) registers_[i] = pack(ranks);
  }
}

Result<UltraLogLog> UltraLogLog::reduced(unsigned precision) const {
  if (precision < kMinPrecision || precision > precision_) {
    return Error{"distinct count: precision " + std::to_string(precision_) + " can't be reduced to " +
                 std::to_string(precision)};
  }
  if (precision == precision_) return *this;
  UltraLogLog smaller(precision, seed_);
  for (const std::uint64_t hash : hashes_) {
    if (hash != 0) smaller.add_hash(hash);
  }
  if (is_exact()) return smaller;
  smaller.hashes_ = {};
  smaller.registers_.assign(std::size_t{1} << precision, 0);
  const unsigned bits = precision_ - precision;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    if (registers_[i] == 0) continue;
    // The bits that chose among the registers are the first of the rank now.
    const auto chosen = static_cast<std::uint64_t>(i) & ((std::uint64_t{1} << bits) - 1);
    const auto zeros = bits - static_cast<unsigned>(std::bit_width(chosen));
    const std::uint64_t ranks = chosen == 0 ? unpack(registers_[i]) << bits : std::uint64_t{8} << zeros;
    std::uint8_t& r = smaller.registers_[i >> bits];
    r = pack(unpack(r) | ranks);
  }
  return smaller;
}

double UltraLogLog::likeliest_count() const {
  std::array<std::uint32_t, 256> histogram{};
  for (const std::uint8_t r : registers_) ++histogram[r];
  Likelihood likelihood;
  for (unsigned r = 0; r < histogram.size(); ++r) {
    if (histogram[r] == 0) continue;
    const double count = histogram[r];
    likelihood.unseen += count * std::ldexp(static_cast<double>(chance_of(static_cast<std::uint8_t>(r))),
                                            static_cast<int>(precision_) - 64);
    const unsigned u = r >> 2U;
    if (u > 0) likelihood.seen[u] += count;
    if (u >= 2 && (r & 2U) != 0) likelihood.seen[u - 1] += count;
    if (u >= 3 && (r & 1U) != 0) likelihood.seen[u - 2] += count;
  }
  if (likelihood.unseen == 0) return std::numeric_limits<double>::infinity();
  constexpr double kBias = 0.48147376527720065;  // Ertl's, of first order
  const auto registers = static_cast<double>(registers_.size());
  return registers * likeliest_rate(likelihood, 65 - precision_) / (1 + kBias / registers);
}

Estimate UltraLogLog::order_free_estimate(double confidence) const {
  if (is_exact()) return exact_estimate(static_cast<double>(count_));
  return relative_estimate(likeliest_count(),
                           kLikelihoodError / std::sqrt(static_cast<double>(registers_.size())), confidence);
}

Estimate UltraLogLog::estimate(double confidence) const {
  if (!martingale_) return order_free_estimate(confidence);
  return relative_estimate(martingale_->count,
                           kMartingaleError / std::sqrt(static_cast<double>(registers_.size())), confidence);
}

}  // namespace weir
