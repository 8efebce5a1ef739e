#include <string>

#include "weir/cli/command.h"
#include "weir/cli/output.h"

namespace weir {

Command add_version(CLI::App& parent) {
  const std::string version = "weir " + std::string(kWeirVersion);
  parent.set_version_flag("--version", version, "Print the version");
  CLI::App* app = parent.add_subcommand("version", "Print the version");
  return {app, [version] {
            Output out;
            out.write(version + '\n');
            return out.finish();
          }};
}

}  // namespace weir
