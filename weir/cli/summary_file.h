// Summaries in files.
#pragma once

#include <string>
#include <string_view>

#include "weir/base/result.h"
#include "weir/replay/json.h"
#include "weir/stream/saved_summary.h"

namespace weir {

/// "-" is standard input. Errors name the file.
Result<SavedSummary> read_summary_file(const std::string& path);

/// Replaces a file, which keeps its permissions, or leaves it as it was. What is no regular file is written
/// to: a pipe, a device. Errors name the file.
Status write_file(const std::string& path, std::string_view bytes);

/// {"kind","form", and what it knows}.
void write_summary_facts(JsonWriter& json, const SavedSummary& saved);
/// The same for people.
std::string summary_facts_text(const SavedSummary& saved);

}  // namespace weir
