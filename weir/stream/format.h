// What every log format does: it says which fields it has, and cuts the text of a record into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/base/time.h"

namespace weir {

/// What a format makes of the text of a record.
struct Parts {
  /// One value per wanted field, by slot; all nothing when parse() is called. What a record does not have
  /// stays nothing.
  std::span<std::optional<std::string_view>> fields;
  std::optional<Nanos> time;
  std::uint64_t weight = 1;
  /// Why a header can't be used, as a sentence without the file's name.
  std::string header_problem;
};

enum class Parsed {
  kRecord,
  kMalformed,
  kHeader,      // the text names the columns of what follows
  kBadHeader,   // see Parts::header_problem
  kUnfinished,  // the record goes on after the line end: see Format::resume()
};

class Format {
 public:
  Format() = default;
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;
  virtual ~Format() = default;

  /// As `--format` spells it.
  virtual std::string_view name() const = 0;

  /// The fields that it knows to have, `line` left out; none where only the records tell.
  virtual std::vector<std::string> fields() const { return {}; }

  /// Sees the first lines of the input, which will be parsed later: for formats whose fields only the records
  /// tell.
  virtual void glance(std::span<const std::string_view> /*lines*/) {}

  /// From now on parse() puts the field `name` into Parts::fields[slot]. An error when the format can't have
  /// it.
  virtual Status want(std::string_view name, std::size_t slot) = 0;

  /// Whether a file must be looked through before its records can be understood: see survey().
  virtual bool needs_survey() const { return false; }
  /// Looks at one line of a file that will be read afterwards.
  virtual void survey(std::string_view /*line*/) {}
  /// A file begins. `modified` is when a regular file was last written; nothing for a pipe.
  virtual void begin_file(std::optional<Nanos> /*modified*/) {}
  /// Whether the first record of each file names its columns.
  virtual bool has_header() const { return false; }
  /// Whether the next record is one that names the columns.
  virtual bool awaits_header() const { return false; }

  /// Cuts one record without its line end. The values are views into `text` or into memory of the format,
  /// valid until the next call. REQUIRES: LineReader::kPadding bytes after `text` may be read.
  virtual Parsed parse(std::string_view text, Parts& parts) = 0;
  /// Goes on where parse() or resume() gave kUnfinished. REQUIRES: `text` is what that call got, and more
  /// behind it.
  virtual Parsed resume(std::string_view /*text*/, Parts& /*parts*/) { return Parsed::kMalformed; }
};

struct FormatOptions {
  /// What time it is, for stamps without a year.
  Nanos now = 0;
  std::optional<int> year = std::nullopt;
};

/// The format that `spec` names, `auto` excepted. Errors: an unknown name, a bad pattern.
Result<std::unique_ptr<Format>> make_format(std::string_view spec, const FormatOptions& options);

/// Where `name` stands among the fixed `names` of a format; an error that says what there is.
Result<std::size_t> find_name(std::string_view format, std::string_view name,
                              std::span<const std::string_view> names);

/// A wanted field: which one of the format's own, and where it goes.
struct WantedField {
  std::size_t field;
  std::size_t slot;
};

}  // namespace weir
