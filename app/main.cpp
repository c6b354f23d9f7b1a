#include <fmt/format.h>

#include "app/batch/batch.h"
#include "core/base/gpu/devices.h"
#include "core/base/system/crash_report.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/threads/stop.h"
#include "core/version.h"
#include "tasks/registry.h"
#ifdef PAIRS_WINDOW
#include "app/gui/window.h"
#include "app/screenshot_command.h"
#endif

int main(int argc, char** argv) {
  pairs::open_standard_streams();
  try {
    pairs::report_crashes(argc, argv, pairs::kVersion);
    pairs::init_log();
    pairs::install_signal_handlers();
    pairs::start_devices();
  } catch (const pairs::Error& error) {
    pairs::print(fmt::format("pairs: {}\n", error.what()));
    return error.kind() == pairs::ErrorKind::usage ? 2 : 1;
  }
  const pairs::Catalog tasks = pairs::built_in_tasks();
  pairs::batch::Extension window;
#ifdef PAIRS_WINDOW
  window.commands = {pairs::screenshot_command()};
  window.open = [&](const std::string& path, const std::string& theme) {
    pairs::gui::run_window(tasks, {path, theme});
  };
#endif
  return pairs::batch::run_program(tasks, argc, argv, window);
}
