#include "app/batch/exit_on_signal.h"

#include <unistd.h>

#include "core/base/stop.h"

namespace pairs::batch {

ExitOnSignal::ExitOnSignal(const std::function<void()>& report)
    : callback_(signal_stop_token(), [report] {
        report();
        ::_exit(128 + last_signal());
      }) {}

}  // namespace pairs::batch
