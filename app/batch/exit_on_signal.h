#pragma once

#include <functional>
#include <stop_token>

namespace pairs::batch {

// While it lives a stop signal ends the process at once, with one sentence and exit code 128 + signal: for work that
// cannot be asked to stop, and whose files are renamed into place.
class ExitOnSignal {
 public:
  ExitOnSignal();

 private:
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace pairs::batch
