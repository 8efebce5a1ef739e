// What is done to the values of one dimension before they are matched and used as keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weir/policy/address.h"
#include "weir/policy/fold.h"
#include "weir/policy/problems.h"
#include "weir/policy/yaml.h"

namespace weir {

/// A value in its normal form. An empty text is a missing value.
struct Value {
  std::string text;
  /// Of a dimension that holds addresses: the whole address, before IPv6 is cut to the prefix that `text`
  /// shows.
  std::optional<Address> address;
};

class Normalizer {
 public:
  /// What `name` has by default: `ip` holds addresses, `endpoint` paths, all others plain text.
  static Normalizer for_dimension(std::string_view name);

  /// Reads one field of `normalize:` on top of the default: `ip`, {prefix6: 64}, `path`, or a list of steps.
  void configure(const YamlNode& node, const Reporter& report);

  void apply(std::string_view raw, Value& out, FoldScratch& scratch) const;
  /// The same for values met while a policy is loaded.
  Value apply(std::string_view raw) const;

  bool is_address() const { return address_; }

 private:
  void add_step(const YamlNode& node, const Reporter& report);
  void configure_address(const YamlNode& node, const Reporter& report);

  bool address_ = false;
  bool path_ = false;
  unsigned prefix6_ = 64;
  FoldSteps steps_;
};

}  // namespace weir
