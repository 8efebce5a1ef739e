#include "weir/cli/serve_settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/cli/flag_values.h"
#include "weir/policy/address.h"

namespace weir {
namespace {

using server::DoorKind;
using server::LimitHeaders;
using server::ServerOptions;

constexpr auto kSettings = std::to_array<ServeSetting>({
    {"policy", "FILE|DIR", "The policy to serve; it is read again when it changes, and on SIGHUP"},
    {"http", "ADDR", "Where HTTP is answered [127.0.0.1:8080]; port 0 takes any that is free, off none"},
    {"insecure", "", "Listen on an address that others can reach, without token or TLS"},
    {"threads", "N", "Threads that answer [one per processor]"},
    {"max-keys", "N", "Buckets at the most [1000000]"},
    {"max-memory", "SIZE", "Bytes for all buckets at the most [1G]"},
    {"headers", "KIND", "How answers tell of limits: ietf, legacy (X-RateLimit-* too) or none [ietf]"},
    {"drain", "TIME", "How long what is in flight may take after SIGTERM [10s]"},
    {"max-connections", "N", "Connections at the most; one beyond gets 503 [10000]"},
    {"max-head", "SIZE", "Request line and header fields of a request [16K]"},
    {"max-fields", "N", "Header fields of a request [100]"},
    {"max-body", "SIZE", "The body of a request [1M]"},
    {"max-batch", "N", "Requests in one array [1000]"},
    {"max-dimensions", "N", "Dimensions of one request [64]"},
    {"max-pending", "SIZE", "Answers that wait for a client to read them [256K]"},
    {"max-buffered", "SIZE", "Large requests that are not complete, of all connections [256M]"},
    {"request-timeout", "TIME", "From the first byte of a request to its last [10s]"},
    {"idle-timeout", "TIME", "For a connection without a request [60s]"},
    {"write-timeout", "TIME", "For a client that takes no byte of its answer [10s]"},
});

constexpr std::string_view kConfigVariable = "WEIR_CONFIG";

const ServeSetting* find_setting(std::string_view name) {
  for (const ServeSetting& setting : serve_settings()) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

/// Reads settings one after another and keeps the first error.
class Reader {
 public:
  explicit Reader(const SettingValues& values) : values_(values) {}

  const SettingValue* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  void size(std::string_view name, std::size_t least, std::size_t most, std::size_t& out) {
    const SettingValue* value = find(name);
    if (value == nullptr) return;
    const auto size = parse_size(value->text);
    if (!size || *size < least || *size > most) {
      return fail(*value,
                  fmt::format("not a size from {} bytes to {}; write such as 512K, 64M or 4G", least, most));
    }
    out = *size;
  }

  template <class Number>
  void count(std::string_view name, std::uint64_t most, Number& out) {
    const SettingValue* value = find(name);
    if (value == nullptr) return;
    const auto number = parse_uint(value->text);
    if (!number || *number == 0 || *number > most) {
      return fail(*value, fmt::format("not a whole number from 1 to {}", most));
    }
    out = static_cast<Number>(*number);
  }

  void time(std::string_view name, Nanos& out) {
    const SettingValue* value = find(name);
    if (value == nullptr) return;
    const Status status = read_duration(value->where, value->text, out);
    if (!status && !problem_) problem_ = status.error();
  }

  bool is_on(std::string_view name) {
    const SettingValue* value = find(name);
    if (value == nullptr || value->text == "false" || value->text == "0") return false;
    if (value->text != "true" && value->text != "1") fail(*value, "write true or false");
    return true;
  }

  void fail(const SettingValue& value, std::string_view meant) {
    if (!problem_) problem_ = wrong_value(value.where, value.text, meant);
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  const SettingValues& values_;
  std::optional<Error> problem_;
};

bool is_loopback(const Address& address) {
  const Prefix v4{.first = {.bits = Wide{127} << 24U, .v4 = true}, .length = 8};
  return v4.contains(address) || address == Address{.bits = 1};
}

/// Address and port of "127.0.0.1:8080", "[::1]:8080", "localhost:8080".
std::optional<std::pair<std::string, std::uint16_t>> split_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto port = parse_uint(text.substr(colon + 1));
  if (!port || *port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host == "localhost") host = "127.0.0.1";
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  if (brackets) host = host.substr(1, host.size() - 2);
  if (brackets != (host.find(':') != std::string_view::npos)) return std::nullopt;
  if (!parse_address(host) || host.find_first_of("%/ []") != std::string_view::npos) return std::nullopt;
  return std::pair(std::string(host), static_cast<std::uint16_t>(*port));
}

/// Where a door listens, from the setting of its name. `off` shuts it.
void read_door(Reader& reader, DoorKind door, bool insecure, ServerOptions& options) {
  const SettingValue* value = reader.find(name_of(door));
  if (value == nullptr) return;
  if (value->text == "off") {
    options.doors.erase(door);
    return;
  }
  const auto address = split_address(value->text);
  if (!address) {
    return reader.fail(*value,
                       "not an address and a port; write such as 127.0.0.1:8080, [::1]:8080, for all "
                       "addresses of this machine 0.0.0.0:8080, or off");
  }
  options.doors[door] = {.address = address->first, .port = address->second, .required = true};
  if (!insecure && !is_loopback(*parse_address(address->first))) {
    reader.fail(
        *value,
        "others can reach this address, and anybody who does could use up the limits of everybody: there "
        "is no token or TLS yet; keep to 127.0.0.1, or say --insecure if the network keeps strangers out");
  }
}

Status read_doors(Reader& reader, ServerOptions& options) {
  const bool insecure = reader.is_on("insecure");
  read_door(reader, DoorKind::http, insecure, options);
  if (options.doors.empty()) return Error{"all doors are off, so there is nothing to serve"};
  return Done{};
}

void read_headers(Reader& reader, ServerOptions& options) {
  const SettingValue* value = reader.find("headers");
  if (value == nullptr || value->text == "ietf") return;
  if (value->text == "legacy") {
    options.http.headers = LimitHeaders::legacy;
  } else if (value->text == "none") {
    options.http.headers = LimitHeaders::none;
  } else {
    constexpr std::array<std::string_view, 3> kKinds{"ietf", "legacy", "none"};
    reader.fail(*value, "write ietf, legacy or none" + did_you_mean(value->text, kKinds));
  }
}

/// What stands behind the =: in quotes as it is, else up to a comment. Nothing when a quote does not end.
std::optional<std::string> setting_text(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('\''))
    return std::string(trim(text.substr(0, text.find(" #"))));
  const std::size_t end = text.find(text.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view behind = trim(text.substr(end + 1));
  if (!behind.empty() && !behind.starts_with('#')) return std::nullopt;
  return std::string(text.substr(1, end - 1));
}

/// Nothing for a blank line.
Result<std::optional<std::pair<std::string_view, std::string>>> parse_line(std::string_view line) {
  line = trim(line);
  if (line.empty() || line.front() == '#') return std::optional<std::pair<std::string_view, std::string>>();
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return Error{fmt::format("\"{}\" is no setting; write name = value", printable(line))};
  }
  const std::string_view name = trim(line.substr(0, equals));
  if (find_setting(name) == nullptr) {
    std::vector<std::string_view> names;
    for (const ServeSetting& setting : serve_settings()) names.push_back(setting.name);
    return Error{fmt::format("unknown setting \"{}\"{}", printable(name), did_you_mean(name, names))};
  }
  const auto value = setting_text(trim(line.substr(equals + 1)));
  if (!value) return Error{fmt::format("{}: the quote does not end", name)};
  return std::optional(std::pair(name, *value));
}

}  // namespace

std::span<const ServeSetting> serve_settings() {
  return kSettings;
}

std::string environment_name(std::string_view setting) {
  std::string name = "WEIR_";
  for (const char c : setting) name += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return name;
}

void ServeFlags::define(CLI::App& app) {
  for (const ServeSetting& setting : serve_settings()) {
    const std::string flag = "--" + std::string(setting.name);
    if (setting.is_switch()) {
      app.add_flag(flag, switches_[std::string(setting.name)], std::string(setting.help))
          ->disable_flag_override();
    } else {
      options_[std::string(setting.name)] =
          app.add_option(flag, texts_[std::string(setting.name)], std::string(setting.help))
              ->type_name(std::string(setting.type))
              ->allow_extra_args(false);
    }
  }
  app.add_option("--config", config_,
                 "A file of lines such as max-keys = 1000000, for what no flag and no variable says")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.footer(
      "Each flag is also a variable of the environment: WEIR_MAX_KEYS for --max-keys. A flag wins over a\n"
      "variable, a variable over a line of --config (or WEIR_CONFIG).");
}

SettingValues ServeFlags::values() const {
  SettingValues values;
  for (const auto& [name, text] : texts_) {
    if (options_.at(name)->count() > 0) values[name] = {"--" + name, text};
  }
  for (const auto& [name, on] : switches_) {
    if (on) values[name] = {"--" + name, "true"};
  }
  return values;
}

SettingValues settings_of_environment() {
  SettingValues values;
  for (const ServeSetting& setting : serve_settings()) {
    const std::string variable = environment_name(setting.name);
    // Before any other thread is there.
    const char* text = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (text != nullptr && *text != '\0') values[std::string(setting.name)] = {variable, text};
  }
  return values;
}

std::string config_of_environment() {
  const char* text = std::getenv(kConfigVariable.data());  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? "" : text;
}

std::vector<std::string> unknown_variables(const char* const* environment) {
  std::vector<std::string> known{std::string(kConfigVariable)};
  for (const ServeSetting& setting : serve_settings()) known.push_back(environment_name(setting.name));
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::vector<std::string> sentences;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with("WEIR_") || std::find(names.begin(), names.end(), name) != names.end()) continue;
    sentences.push_back(fmt::format("the environment has {}, which is no setting{}", printable(name),
                                    did_you_mean(name, names)));
  }
  return sentences;
}

Result<SettingValues> parse_settings(std::string_view text, const std::string& file) {
  SettingValues values;
  // Some editors begin a file with a mark of its encoding.
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string where = fmt::format("{}:{}: ", printable(file, 4096), number);
    const auto setting = parse_line(line);
    if (!setting) return Error{where + setting.error().message};
    if (!*setting) continue;
    const auto& [name, value] = **setting;
    if (!values.emplace(name, SettingValue{where + std::string(name), value}).second) {
      return Error{fmt::format("{}{} is set twice", where, name)};
    }
  }
  return values;
}

Result<ServerOptions> serve_options(const SettingValues& values) {
  ServerOptions options;
  Reader reader(values);
  const SettingValue* policy = reader.find("policy");
  if (policy == nullptr) return Error{"no policy to serve; give --policy FILE, or set WEIR_POLICY"};
  if (policy->text == "-") reader.fail(*policy, "a server reads its policy again, so it has to be a file");
  options.policy = policy->text;
  constexpr std::size_t kMostBytes = std::size_t{1} << 46U;
  constexpr std::size_t kMostMessage = std::size_t{1} << 30U;
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 32U;
  if (Status status = read_doors(reader, options); !status) return status.error();
  reader.count("threads", 1024, options.threads);
  reader.count("max-keys", std::uint64_t{1} << 40U, options.max_keys);
  reader.size("max-memory", 4096, kMostBytes, options.max_memory);
  read_headers(reader, options);
  reader.time("drain", options.drain);
  reader.count("max-connections", kMostCount, options.max_connections);
  reader.size("max-head", 256, std::size_t{1} << 20U, options.http.max_head);
  reader.count("max-fields", kMostCount, options.http.max_fields);
  reader.size("max-body", 64, kMostMessage, options.http.max_body);
  reader.count("max-batch", kMostCount, options.http.max_batch);
  reader.count("max-dimensions", kMostCount, options.http.max_dimensions);
  reader.size("max-pending", 1, kMostMessage, options.http.max_pending);
  reader.size("max-buffered", std::size_t{32} << 10U, kMostBytes, options.http.max_buffered);
  reader.time("request-timeout", options.http.connection.request_timeout);
  reader.time("idle-timeout", options.http.connection.idle_timeout);
  reader.time("write-timeout", options.http.connection.write_timeout);
  if (reader.problem()) return *reader.problem();
  return options;
}

}  // namespace weir
