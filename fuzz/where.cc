// Any text as a condition, and any values of its fields: refused in one sentence, or an answer that does not
// change.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/stream_fuzz.h"
#include "weir/stream/where.h"

namespace weir {
namespace {

/// The first line is the condition; the others are values that its fields take in turn, an empty one none.
struct FuzzedCondition {
  explicit FuzzedCondition(std::string_view bytes) : condition(bytes.substr(0, bytes.find('\n'))) {
    while (condition.size() < bytes.size()) {
      bytes.remove_prefix(bytes.find('\n') + 1);
      values.push_back(bytes.substr(0, bytes.find('\n')));
      if (values.back().size() == bytes.size()) break;
    }
  }

  std::optional<std::string_view> value(std::size_t at) const {
    if (values.empty() || values[at % values.size()].empty()) return std::nullopt;
    return values[at % values.size()];
  }

  std::string_view condition;
  std::vector<std::string_view> values{};
};

bool is_one_sentence(const Error& error) {
  return error.message.starts_with("--where: column ") && error.message.find('\n') == std::string::npos;
}

void evaluate(const FuzzedCondition& input, const Where& where, std::size_t fields) {
  constexpr std::array<std::optional<Nanos>, 4> kTimes{std::nullopt, 0, 1'714'557'600 * kSecond, -1};
  std::vector<std::optional<std::string_view>> values(fields);
  for (std::size_t turn = 0; turn < kTimes.size(); ++turn) {
    for (std::size_t i = 0; i < fields; ++i) values[i] = input.value(i + turn);
    Record record;
    record.fields = values;
    record.time = kTimes[turn];
    const Where copy = where;
    require(where.holds(record) == copy.holds(record));
  }
}

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedCondition input(std::string_view(reinterpret_cast<const char*>(data), size));
  weir::Result<weir::Where> where = weir::Where::parse(input.condition);
  if (!where) {
    weir::require(weir::is_one_sentence(where.error()));
    return 0;
  }
  weir::require(!where->is_always_true());
  std::size_t fields = 0;
  const weir::Status bound = where->bind([&](std::string_view name) -> weir::Result<weir::FieldId> {
    if (name == "none") return weir::Error{"there is no such field"};
    return weir::FieldId{static_cast<std::uint32_t>(fields++)};
  });
  if (bound) weir::evaluate(input, *where, fields);
  return 0;
}
