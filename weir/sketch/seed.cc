#include "weir/sketch/seed.h"

#include <random>

namespace weir {

Seed random_seed() {
  std::random_device device;
  const std::uint64_t high = device();
  return Seed{high << 32U | device()};
}

Error error_of(std::string_view what, std::string_view sentence) {
  std::string message(what);
  message.append(": ").append(sentence);
  return Error{std::move(message)};
}

Status check_same(std::uint64_t mine, std::uint64_t other, std::string_view parameter,
                  std::string_view what) {
  if (mine == other) return Done{};
  std::string sentence("can't merge: ");
  sentence.append(parameter).append(" is ").append(std::to_string(mine));
  sentence.append(" here and ").append(std::to_string(other)).append(" there");
  return error_of(what, sentence);
}

Status check_count(std::uint64_t mine, std::uint64_t other, std::string_view what) {
  if (mine <= kMostRecords && other <= kMostRecords - mine) return Done{};
  return error_of(what, "can't merge: together more than 2^63 records");
}

Status check_same_seed(Seed mine, Seed other, std::string_view what) {
  return check_same(static_cast<std::uint64_t>(mine), static_cast<std::uint64_t>(other), "the seed", what);
}

}  // namespace weir
