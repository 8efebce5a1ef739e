#include "weir/policy/lookup.h"

#include <array>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/policy/csv.h"
#include "weir/policy/fields.h"
#include "weir/policy/file.h"

namespace weir {
namespace {

constexpr std::string_view kExample = "{from: account, file: plans.csv, default: free}";

/// Problems of a table are told with its own name and lines.
class TableReporter {
 public:
  TableReporter(const std::string& file, const Reporter& report) : file_(file), report_(report) {}
  void add(std::uint32_t line, std::string_view message) const { report_.add({&file_, line, 1}, message); }

 private:
  const std::string& file_;
  const Reporter& report_;
};

}  // namespace

std::optional<Lookup> Lookup::read(const YamlNode& node, const std::filesystem::path& folder,
                                   Dimensions& dimensions, const Reporter& report) {
  if (!check_fields(node, lookup_fields(), {}, report)) return std::nullopt;
  const YamlNode* from = node.find("from");
  const YamlNode* file = node.find("file");
  if (from == nullptr || file == nullptr) {
    report.add(node.place, fmt::format("from and file are both needed, such as {}", kExample));
    return std::nullopt;
  }
  const auto source = read_name(*from, report.within("from"));
  const auto name = read_text(*file, report.within("file"));
  if (!source || !name) return std::nullopt;
  if (*source == node.key) {
    report.add(from->place, fmt::format("\"{}\" can't be looked up by itself", printable(*source)));
    return std::nullopt;
  }

  Lookup lookup;
  lookup.from_ = dimensions.intern(*source);
  lookup.to_ = dimensions.intern(node.key);
  dimensions[lookup.to_].derived = true;
  if (const YamlNode* value = node.find("default")) {
    const auto text = read_text(*value, report.within("default"));
    if (!text) return std::nullopt;
    lookup.fallback_ = dimensions[lookup.to_].normalizer.apply(*text);
  }
  const std::filesystem::path path = folder / *name;
  // A server reads its tables again, and whoever reads a pipe waits until somebody writes.
  std::error_code unknown;
  const auto type = std::filesystem::status(path, unknown).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::character) {
    report.add(file->place,
               fmt::format("{}: a table has to be a file, and no pipe or device", path.string()));
    return std::nullopt;
  }
  const auto csv = read_file(path, kMaxTableBytes);
  if (!csv) {
    report.add(file->place, fmt::format("{}: {}", path.string(), csv.error().message));
    return std::nullopt;
  }
  lookup.fill(*csv, path.string(), dimensions, report);
  lookup.file_ = path;
  return lookup;
}

void Lookup::fill(std::string_view csv, const std::string& file, const Dimensions& dimensions,
                  const Reporter& report) {
  const TableReporter table(file, report);
  const DimensionInfo& from = dimensions[from_];
  const DimensionInfo& to = dimensions[to_];
  CsvReader reader(csv);
  bool is_header = true;
  while (true) {
    const auto next = reader.next();
    if (!next) return table.add(reader.line(), next.error().message);
    if (*next == nullptr) break;
    const std::vector<std::string>& row = **next;
    if (is_header) {
      if (row.size() != 2 || trim(row[0]) != from.name || trim(row[1]) != to.name) {
        return table.add(reader.line(), fmt::format("the first line must be \"{},{}\"", from.name, to.name));
      }
      is_header = false;
      continue;
    }
    if (row.size() != 2) {
      table.add(reader.line(),
                fmt::format("two fields are needed, not {}; put a text with commas in quotes", row.size()));
      continue;
    }
    const Value key = from.normalizer.apply(row[0]);
    if (from.normalizer.is_address() && !key.address) {
      table.add(reader.line(), fmt::format("\"{}\" is no address", printable(row[0])));
      continue;
    }
    Value value = to.normalizer.apply(row[1]);
    if (key.text.empty() || value.text.empty()) {
      table.add(reader.line(), fmt::format("the {} is empty", key.text.empty() ? from.name : to.name));
      continue;
    }
    const auto next_row = static_cast<std::uint32_t>(values_.size());
    const std::uint32_t at = rows_.insert(key.text, next_row);
    if (at == next_row) {
      values_.push_back(std::move(value));
    } else if (values_[at].text != value.text) {
      table.add(reader.line(),
                fmt::format("\"{}\" is {} further up already, and can't be {} too", printable(row[0]),
                            printable(values_[at].text), printable(value.text)));
    }
  }
  if (is_header)
    table.add(1, fmt::format("the table is empty; its first line must be \"{},{}\"", from.name, to.name));
}

void Lookup::derive(RequestValues& request) const {
  const std::string& key = request.values[from_].text;
  const auto row = key.empty() ? std::nullopt : rows_.find(key);
  const Value* value = row ? &values_[*row] : fallback_ ? &*fallback_ : nullptr;
  if (value == nullptr) return;
  request.values[to_] = *value;
  request.present.push_back(to_);
}

}  // namespace weir
