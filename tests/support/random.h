// Random numbers for tests: seeded, and drawn from the edges of their type as often as from its middle.
#pragma once

#include <cstdint>
#include <random>

namespace weir::test {

/// A number of [0, most], often at an end of it, near a power of two, or small.
std::uint64_t draw_edgy(std::mt19937_64& random, std::uint64_t most);

/// A number of [least, most], each as likely.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t least, std::uint64_t most);

}  // namespace weir::test
