// What `weir serve` is told: by flags, by the environment, and by a file, in this order of precedence.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/server/options.h"

namespace weir {

/// One setting: --NAME on the command line, WEIR_NAME (upper case, _ for -) in the environment, `name =
/// value` in the file.
struct ServeSetting {
  std::string_view name;
  /// For --help; empty for a switch, which is on or off.
  std::string_view type;
  std::string_view help;
  bool is_switch() const { return type.empty(); }
};
/// All of them, in the order of --help.
std::span<const ServeSetting> serve_settings();
/// "WEIR_MAX_KEYS" for "max-keys".
std::string environment_name(std::string_view setting);

/// Where a value stands, as errors name it: "--http", "WEIR_HTTP", "weir.conf:3: http".
struct SettingValue {
  std::string where;
  std::string text;
};
/// By the names of settings.
using SettingValues = std::map<std::string, SettingValue, std::less<>>;

/// The flags as they were typed.
class ServeFlags {
 public:
  void define(CLI::App& app);
  /// What was given.
  SettingValues values() const;
  const std::string& config() const { return config_; }

 private:
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, const CLI::Option*, std::less<>> options_;
  std::map<std::string, bool, std::less<>> switches_;
  std::string config_;
};

SettingValues settings_of_environment();
/// WEIR_CONFIG; empty when it is not set.
std::string config_of_environment();
/// A sentence for each variable that looks like a setting and is none. `environment`: "NAME=value" each, with
/// a null pointer at the end.
std::vector<std::string> unknown_variables(const char* const* environment);
/// Lines of `name = value`, blank ones, and comments behind #. Errors name file and line.
Result<SettingValues> parse_settings(std::string_view text, const std::string& file);

/// Checks all values. Errors name where the value stands, what was found and what was meant.
Result<server::ServerOptions> serve_options(const SettingValues& values);

}  // namespace weir
