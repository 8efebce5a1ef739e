#include "weir/cli/command.h"
#include "weir/cli/output.h"

namespace weir {
namespace {

constexpr const char* kVersion = "weir 0.1.0";

}  // namespace

Command add_version(CLI::App& parent) {
  parent.set_version_flag("--version", kVersion, "Print the version");
  CLI::App* app = parent.add_subcommand("version", "Print the version");
  return {app, [] {
            Output out;
            out.write(std::string(kVersion) + '\n');
            return out.finish();
          }};
}

}  // namespace weir
