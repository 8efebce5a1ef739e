#include "weir/sketch/seed.h"

#include <random>

namespace weir {

Seed random_seed() {
  std::random_device device;
  const std::uint64_t high = device();
  return Seed{high << 32U | device()};
}

Status check_same(std::uint64_t mine, std::uint64_t other, std::string_view parameter,
                  std::string_view what) {
  if (mine == other) return Done{};
  return Error{std::string(what) + ": can't merge: " + std::string(parameter) + " is " +
               std::to_string(mine) + " here and " + std::to_string(other) + " there"};
}

Status check_count(std::uint64_t mine, std::uint64_t other, std::string_view what) {
  if (mine <= kMostRecords && other <= kMostRecords - mine) return Done{};
  std::string message(what);
  message += ": can't merge: together more than 2^63 records";
  return Error{std::move(message)};
}

Status check_same_seed(Seed mine, Seed other, std::string_view what) {
  return check_same(static_cast<std::uint64_t>(mine), static_cast<std::uint64_t>(other), "the seed", what);
}

}  // namespace weir
