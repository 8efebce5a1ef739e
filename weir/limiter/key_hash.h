// A key of the public face, as the 64 bits under which a store knows its bucket.
#pragma once

#include <cstdint>

#include "weir/base/hash.h"
#include "weir/key.h"

namespace weir::limiter {

/// Strings, numbers and lists of parts never share bytes: each kind is hashed in a way of its own.
std::uint64_t hash_of(const Key& key, const HashSecret& secret);

}  // namespace weir::limiter
