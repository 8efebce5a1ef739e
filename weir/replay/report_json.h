// Reports for machines. docs/replay.md has every field; their names and order are promises.
#pragma once

#include <string>

#include "weir/engine/engine.h"
#include "weir/replay/json.h"
#include "weir/replay/report.h"
#include "weir/replay/suggest.h"

namespace weir {

/// `tried` is the limit that --try gave, to tell one report from the next.
void write_report(JsonWriter& json, const ReplayReport& report, const Limit* tried = nullptr);

void write_suggestions(JsonWriter& json, const SuggestReport& report);

/// One line of --decisions with its line end:
/// {"time","rule","allowed","limit","remaining","retry_after","reset_after"}
void append_decision(std::string& out, Nanos time, const Decision& decision, const Policy& policy);

}  // namespace weir
