#pragma once

#include <functional>
#include <stop_token>

namespace pairs::batch {

// While it exists, a stop signal ends the process at once with exit code 128 + signal, after `report` was called and
// temporary files were removed, unless a SavesOnSignal exists. One at a time.
class ExitOnSignal {
 public:
  explicit ExitOnSignal(std::function<void()> report);
  ~ExitOnSignal();
  ExitOnSignal(const ExitOnSignal&) = delete;
  ExitOnSignal& operator=(const ExitOnSignal&) = delete;

 private:
  std::stop_callback<std::function<void()>> callback_;
};

// While one exists, the surrounding work handles a stop signal: it polls keep_going(), saves and throws Stopped. If the
// work ends normally after a signal, the destructor ends the process.
class SavesOnSignal {
 public:
  SavesOnSignal();
  ~SavesOnSignal();
  SavesOnSignal(const SavesOnSignal&) = delete;
  SavesOnSignal& operator=(const SavesOnSignal&) = delete;

 private:
  int exceptions_;
};

// Ends the process as ExitOnSignal does, regardless of SavesOnSignal: for work that did not end in time after a signal.
[[noreturn]] void exit_by_signal();

}  // namespace pairs::batch
