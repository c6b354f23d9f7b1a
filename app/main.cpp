#include <fmt/format.h>

#include "app/batch/batch.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop.h"

int main(int argc, char** argv) {
  try {
    pairs::init_log();
    pairs::install_signal_handlers();
  } catch (const pairs::Error& error) {
    fmt::print(stderr, "pairs: {}\n", error.what());
    return error.kind() == pairs::ErrorKind::usage ? 2 : 1;
  }
  return pairs::batch::run_program(argc, argv);
}
