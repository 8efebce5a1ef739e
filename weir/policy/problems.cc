#include "weir/policy/problems.h"

#include <fmt/format.h>

namespace weir {
namespace {

// More than a screen of problems has one cause that the first few show.
constexpr std::size_t kShown = 20;

}  // namespace

std::string to_text(const Place& place) {
  return fmt::format("{}:{}:{}", place.file != nullptr ? *place.file : "policy", place.line, place.column);
}

void Problems::add(const Place& place, std::string_view message) {
  if (++count_ > kShown) return;
  if (count_ > 1) lines_ += '\n';
  lines_ += to_text(place);
  lines_ += ": ";
  lines_ += message;
}

Error Problems::error() const {
  if (count_ <= kShown) return Error{lines_};
  return Error{fmt::format("{}\nand {} more", lines_, count_ - kShown)};
}

void Reporter::add(const Place& place, std::string_view message) const {
  problems_->add(place, context_ + std::string(message));
}

Reporter Reporter::within(std::string_view part) const {
  return {*problems_, fmt::format("{}{}: ", context_, part)};
}

}  // namespace weir
