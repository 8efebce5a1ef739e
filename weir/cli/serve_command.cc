#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "weir/cli/command.h"
#include "weir/cli/serve_settings.h"
#include "weir/policy/file.h"
#include "weir/server/server.h"

namespace weir {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20U;

/// What flags say, then the environment, then the file.
Result<SettingValues> all_settings(const ServeFlags& flags) {
  SettingValues values = flags.values();
  // Keeps what is there.
  values.merge(settings_of_environment());
  const std::string config = flags.config().empty() ? config_of_environment() : flags.config();
  if (config.empty()) return values;
  const auto text = read_file(config, kMostConfigBytes);
  if (!text) return Error{config + ": " + text.error().message};
  auto in_file = parse_settings(*text, config);
  if (!in_file) return in_file.error();
  values.merge(std::move(in_file).value());
  return values;
}

int serve(const ServeFlags& flags) {
  for (const std::string& sentence : unknown_variables(environ)) note(sentence);
  const auto values = all_settings(flags);
  if (!values) return fail(kExitUsage, "serve: " + values.error().message);
  const auto options = serve_options(*values);
  if (!options) return fail(kExitUsage, "serve: " + options.error().message);
  const auto server = server::Server::open(*options, kWeirVersion);
  if (!server) return fail(kExitFailed, server.error().message);
  (*server)->run();
  return kExitDone;
}

}  // namespace

Command add_serve(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("serve", "Answer over HTTP who may pass");
  const auto flags = std::make_shared<ServeFlags>();
  flags->define(*app);
  return {app, [flags] { return serve(*flags); }};
}

}  // namespace weir
