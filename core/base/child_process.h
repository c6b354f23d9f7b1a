#pragma once

#include <sched.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pairs {

// A process that this one starts, and that is asked to end when this one does, however it ends. To be made by a thread
// that lives as long as the process.
class ChildProcess {
 public:
  // Where what it says on stdout and stderr is appended (one file may be both), and the cores that it may use, null:
  // all of this process's.
  struct Surroundings {
    std::filesystem::path out, err;
    const cpu_set_t* cores = nullptr;
  };
  // `words`: the program and its arguments. Throws Error.
  ChildProcess(std::vector<std::string> words, const Surroundings& around);
  // Asks it to stop, and waits for it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t process() const { return process_; }
  // Its exit code once it has ended, 128 + signal where a signal ended it; nothing while it runs.
  std::optional<int> ended();
  // The signal that ended it; 0: none did.
  int ended_by() const { return ended_by_; }
  void stop(int signal) const;

 private:
  pid_t process_ = -1;
  std::optional<int> ended_;
  int ended_by_ = 0;
};

// Starts a process that no end of this one ends, whose number it gives; what it says is appended to `log`. Throws Error.
pid_t start_detached(std::vector<std::string> words, const std::filesystem::path& log);

}  // namespace pairs
