#include "app/batch/exit_on_signal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "core/base/stop.h"

namespace pairs::batch {

ExitOnSignal::ExitOnSignal()
    : callback_(signal_stop_token(), [] {
        fmt::print(stderr, "pairs: Stopped by {}\n", signal_name(last_signal()));
        std::fflush(stderr);
        ::_exit(128 + last_signal());
      }) {}

}  // namespace pairs::batch
