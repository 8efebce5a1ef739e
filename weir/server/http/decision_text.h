// A decision as HTTP tells it: header fields, and JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weir/server/decider.h"
#include "weir/server/options.h"

namespace weir::server {

/// Appends header lines, each with its end: Retry-After where waiting helps, and what `dialect` says of the
/// limit. `until_more`: until the rule has more left than `remaining`; nothing when it is full or never will.
void append_limit_fields(std::string& out, const Told& told, std::optional<Nanos> until_more,
                         LimitHeaders dialect);

/// Appends the members of a decision, without braces.
void append_decision_members(std::string& out, const Told& told);
/// Appends a denial as a problem document, the decision's members beside the problem's.
void append_denial_problem(std::string& out, const Told& told, int status);

/// Appends `text` as a string of a structured field (RFC 9651): what is not printable ASCII, and %, as %XX.
void append_field_string(std::string& out, std::string_view text);

}  // namespace weir::server
