// What /metrics shows, in the text format of Prometheus. No label ever holds a key: how many lines there are
// depends on the policy alone.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "weir/engine/engine.h"
#include "weir/server/metrics/counters.h"

namespace weir::server {

/// What is counted once for the whole server.
struct ReloadCounts {
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;
  /// When the policy in use was loaded.
  Nanos loaded_at = 0;
};

/// `doors`: those that are open.
std::string metrics_text(std::span<const ThreadCounters* const> threads, std::span<const DoorKind> doors,
                         const Engine& engine, const ReloadCounts& reloads, std::string_view version);

}  // namespace weir::server
