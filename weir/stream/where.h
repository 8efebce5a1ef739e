// Which records a summary is of: `--where 'status>=500 and method=POST'`.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/record.h"

namespace weir {

/// A condition on the fields of a record.
///
///   condition  = all { "or" all }
///   all        = one { "and" one }
///   one        = "not" one | "(" condition ")" | field operator value
///   operator   = "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "~"
///
/// Fields and values are words, or texts in '…' or "…", in which a backslash stands before their quote or a
/// backslash. A value that is a word and a number is compared as a number, whole ones of up to 64 bits
/// exactly; a field that is no number is then equal to nothing, below and above nothing. All other values are
/// compared by their bytes. `~` finds a regular expression (RE2, on bytes) anywhere in the field.
///
/// `time` is the time of the record, whatever the format calls or writes it, except for `~`; see
/// parse_where_time for what it is compared with. A day goes with >= and < only.
///
/// A field that the record does not have is equal to nothing, below and above nothing, and matches no
/// expression: `user=x` does not hold, and `user!=x` and `not user=x` do.
class Where {
 public:
  /// Holds for every record.
  Where() = default;
  /// Errors say at which column, counted in bytes from 1, what was found and what was meant.
  static Result<Where> parse(std::string_view text);

  using Want = std::function<Result<FieldId>(std::string_view name)>;
  /// Asks for the fields that it speaks of. Errors: those of `want`, with the column. REQUIRES: once, before
  /// holds().
  Status bind(const Want& want);

  /// May be called from several threads.
  bool holds(const Record& record) const { return nodes_.empty() || holds(nodes_.back(), record); }
  bool is_always_true() const { return nodes_.empty(); }

 private:
  friend class WhereParser;

  enum class Kind : std::uint8_t { all, any, negation, equal, below, at_most, above, at_least, matches };
  /// A value to compare with, and all that it can be read as.
  struct Value {
    std::string text{};
    std::optional<std::int64_t> whole{};
    std::optional<double> number{};
    std::optional<Nanos> instant{};
  };
  /// The nodes below one stand before it; the last is the whole condition.
  struct Node {
    Kind kind;
    std::vector<std::size_t> below{};
    std::string field{};
    std::size_t column = 0;
    FieldId id{};
    Value value{};
    std::shared_ptr<const re2::RE2> expression{};
  };

  static Result<FieldId> want_field(const Node& node, const Want& want);
  bool holds(const Node& node, const Record& record) const;
  static std::optional<int> compare(const Node& node, const Record& record);

  std::vector<Node> nodes_;
};

}  // namespace weir
