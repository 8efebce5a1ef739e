// Dimensions that are looked up in a table by the value of another: the plan of an account.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/policy/dimensions.h"
#include "weir/policy/match_index.h"
#include "weir/policy/problems.h"
#include "weir/policy/string_map.h"

namespace weir {

/// The largest table that is read.
inline constexpr std::size_t kMaxTableBytes = std::size_t{256} << 20U;

class Lookup {
 public:
  /// Reads one field of `lookup:`, `plan: {from: account, file: plans.csv, default: free}`, and its table
  /// from `folder`. What it derives from must be known already, and what it derives is from now on.
  static std::optional<Lookup> read(const YamlNode& node, const std::filesystem::path& folder,
                                    Dimensions& dimensions, const Reporter& report);

  /// Gives `request` the value of this dimension, if its source has one.
  void derive(RequestValues& request) const;

  /// Where the table was read from.
  const std::filesystem::path& file() const { return file_; }

 private:
  /// Fills the table from CSV text whose first row names both dimensions.
  void fill(std::string_view csv, const std::string& file, const Dimensions& dimensions,
            const Reporter& report);

  std::filesystem::path file_;
  std::uint32_t from_ = 0;
  std::uint32_t to_ = 0;
  StringMap rows_;
  std::vector<Value> values_;
  std::optional<Value> fallback_;
};

}  // namespace weir
