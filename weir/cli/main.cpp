#include "weir/cli/run.h"

int main(int argc, char** argv) {
  return weir::run_command_line(argc, argv);
}
