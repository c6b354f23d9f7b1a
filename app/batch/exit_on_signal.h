#pragma once

#include <functional>
#include <stop_token>

namespace pairs::batch {

// While it lives a stop signal ends the process at once with exit code 128 + signal, after `report` has said so and
// what was begun beside files was removed; but not while a SavesOnSignal lives. One at a time.
class ExitOnSignal {
 public:
  explicit ExitOnSignal(std::function<void()> report);
  ~ExitOnSignal();
  ExitOnSignal(const ExitOnSignal&) = delete;
  ExitOnSignal& operator=(const ExitOnSignal&) = delete;

 private:
  std::stop_callback<std::function<void()>> callback_;
};

// While one lives a stop signal is left to the work that it stands beside, which asks keep_going(), saves and throws
// Stopped. Where that came to its end all the same, the process ends with the object.
class SavesOnSignal {
 public:
  SavesOnSignal();
  ~SavesOnSignal();
  SavesOnSignal(const SavesOnSignal&) = delete;
  SavesOnSignal& operator=(const SavesOnSignal&) = delete;

 private:
  int exceptions_;
};

// Ends the process as ExitOnSignal does, whatever saves: for work that did not end within its time after a signal.
[[noreturn]] void exit_by_signal();

}  // namespace pairs::batch
