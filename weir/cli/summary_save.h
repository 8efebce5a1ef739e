// Keeping a summary in a file, and not destroying one.
#pragma once

#include "weir/base/result.h"
#include "weir/cli/summary.h"

namespace weir {

/// Refuses, before anything is read, to write over what will be read, to write twice to one file, and names
/// that are none. Errors name the flag.
Status check_targets(const SummaryPlan& plan);

/// Writes what --save and --save-as ask for. Where nothing came of the reading, the files stay as they are,
/// and standard error says so. After a signal what had been read is kept.
Status save_summary(const SummaryPlan& plan, const SummaryKind& kind, const Summary& summary,
                    const SummaryReader& reader);

}  // namespace weir
