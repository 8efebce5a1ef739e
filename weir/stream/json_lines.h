// One JSON object per line.
#pragma once

#include <simdjson.h>

#include <array>
#include <string>
#include <vector>

#include "weir/stream/event_time.h"
#include "weir/stream/format.h"
#include "weir/stream/scratch.h"

namespace weir {

/// Any name is a field: the key of that name, or, where there is none, the value that dots lead to
/// ("req.headers.host"). Of equal keys the first counts. A string is given unescaped, null as no value,
/// anything else as its JSON text. Inside arrays and objects that no wanted name leads into only the brackets
/// are checked. Bytes that are not UTF-8 become U+FFFD.
class JsonLines final : public Format {
 public:
  std::string_view name() const override { return "json"; }
  /// The keys of the first records, in the order in which they came.
  std::vector<std::string> fields() const override { return glanced_; }
  void glance(std::span<const std::string_view> lines) override;
  Status want(std::string_view name, std::size_t slot) override;
  Parsed parse(std::string_view text, Parts& parts) override;

 private:
  /// A wanted name, or what is left of it inside an object that its front has led into.
  struct Search {
    std::string_view rest;
    std::size_t slot;
  };
  /// A value as it stands in the text: a string without its quotes, or anything else.
  struct Token {
    std::string_view text;
    bool is_string;
    bool is_null;
  };
  static constexpr std::size_t kNotFound = static_cast<std::size_t>(-1);

  bool walk_document(std::string_view text, Parts& parts);
  bool walk_object(simdjson::ondemand::object object, std::size_t begin, std::size_t end, std::size_t depth,
                   Parts& parts);
  bool walk_field(simdjson::ondemand::field& field, std::size_t begin, std::size_t end, std::size_t depth,
                  Parts& parts);
  bool read_key(simdjson::ondemand::field& field, std::string_view& key);
  bool read_value(simdjson::ondemand::value value, Token& token);
  bool keep(const Token& token, std::size_t slot, std::size_t depth, Parts& parts);
  void keep_time(std::string_view key, const Token& token);
  bool read_time(Parts& parts);

  std::vector<std::string> glanced_;
  simdjson::ondemand::parser parser_;
  std::vector<std::string> names_;
  std::vector<std::size_t> slots_;
  /// The searches of the object being read are at its end, those of the objects around it before them.
  std::vector<Search> searches_;
  /// By slot: how deep the value was found; less deep is better, as fewer dots of the name were taken for
  /// steps.
  std::vector<std::size_t> found_depth_;
  std::array<std::optional<Token>, kTimeFields.size()> times_;
  Scratch scratch_;
};

}  // namespace weir
