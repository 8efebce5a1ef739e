// Every field that a policy file may have, with what it means: what readers of files accept, and what the
// reference in docs/policy.md says.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir {

struct FieldInfo {
  std::string_view name;
  /// In Markdown.
  std::string_view meaning;
  /// What holds when it is left out.
  std::string_view left_out;
};

std::span<const FieldInfo> policy_fields();
std::span<const FieldInfo> rule_fields();
std::span<const FieldInfo> override_fields();
std::span<const FieldInfo> limit_fields();
std::span<const FieldInfo> lookup_fields();

/// A Markdown table with a row for each field.
std::string markdown_table(std::span<const FieldInfo> fields);

}  // namespace weir
