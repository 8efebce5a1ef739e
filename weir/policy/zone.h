// Time zones, from the system's database.
#pragma once

#include <memory>
#include <string_view>

#include "weir/base/result.h"
#include "weir/limit/calendar.h"

namespace weir {

/// The offsets of a zone such as "Asia/Seoul" from 1970 to 2200; null for UTC, which needs no database.
/// The error for a name that the database lacks is a sentence that begins with what was found.
Result<std::shared_ptr<const Zone>> load_zone(std::string_view name);

}  // namespace weir
