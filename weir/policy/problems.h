// What is wrong with a policy and where: problems are collected while it is read, so that one run shows
// several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"

namespace weir {

/// A position in a file; lines and columns count from 1.
struct Place {
  /// Not owned: whoever reads the files keeps their names until the policy is compiled.
  const std::string* file = nullptr;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// "policy.yaml:12:7"
std::string to_text(const Place& place);

class Problems {
 public:
  void add(const Place& place, std::string_view message);
  bool empty() const { return count_ == 0; }
  /// One line per problem in the order in which they were found, the first few of them. REQUIRES: !empty().
  Error error() const;

 private:
  std::size_t count_ = 0;
  std::string lines_;
};

/// Problems of one part of a policy, each told with what the part is: `rule "chat": `.
class Reporter {
 public:
  Reporter(Problems& problems, std::string context) : problems_(&problems), context_(std::move(context)) {}

  void add(const Place& place, std::string_view message) const;
  /// The same for a part of this part.
  Reporter within(std::string_view part) const;

 private:
  Problems* problems_;
  std::string context_;
};

}  // namespace weir
