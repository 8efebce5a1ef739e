#include "weir/cli/command.h"
#include "weir/cli/output.h"

namespace weir {
namespace {

constexpr std::string_view kVersion = "0.1.0";

}  // namespace

Command add_version(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("version", "Print the version");
  return {app, [] {
            Output out;
            out.write("weir " + std::string(kVersion) + "\n");
            return out.finish();
          }};
}

}  // namespace weir
