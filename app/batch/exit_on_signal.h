#pragma once

#include <functional>
#include <stop_token>

namespace pairs::batch {

// While it lives a stop signal ends the process at once with exit code 128 + signal, after `report` has said so: for
// work that cannot be asked to stop, and whose files are renamed into place.
class ExitOnSignal {
 public:
  explicit ExitOnSignal(const std::function<void()>& report);

 private:
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace pairs::batch
