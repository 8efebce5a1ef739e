#include "tests/support/random.h"

#include <algorithm>

namespace weir::test {

std::uint64_t draw(std::mt19937_64& random, std::uint64_t least, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
}

std::uint64_t draw_edgy(std::mt19937_64& random, std::uint64_t most) {
  switch (draw(random, 0, 3)) {
    case 0:
      return draw(random, 0, most);
    case 1:
      return draw(random, 0, std::min<std::uint64_t>(most, 20));
    case 2:
      return most - draw(random, 0, std::min<std::uint64_t>(most, 3));
    default: {
      const std::uint64_t power = std::uint64_t{1} << draw(random, 0, 63);
      return std::min(most, power - 2 + draw(random, 0, 4));
    }
  }
}

}  // namespace weir::test
