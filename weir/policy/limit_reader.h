// Limits as policies write them: {algorithm: fixed_window, quota: 100, per: 1 day}.
#pragma once

#include <memory>
#include <optional>

#include "weir/limit/limit.h"
#include "weir/policy/problems.h"
#include "weir/policy/yaml.h"

namespace weir {

/// What calendar periods of a policy go by.
struct CalendarSettings {
  std::shared_ptr<const Zone> zone;
  Nanos reset_at = 0;
};

std::optional<Limit> read_limit(const YamlNode& node, const CalendarSettings& calendar,
                                const Reporter& report);

/// "05:00" as a time of day.
std::optional<Nanos> read_time_of_day(const YamlNode& node, const Reporter& report);

}  // namespace weir
