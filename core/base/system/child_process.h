#pragma once

#include <sched.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pairs {

// A child process, which is asked to end when this process ends, however it ends. Must be started by a thread that
// lives as long as the process.
class ChildProcess {
 public:
  // The files to which stdout and stderr are appended (they may be one file), and the cores that it may use; null: all
  // cores of this process.
  struct Surroundings {
    std::filesystem::path out, err;
    const cpu_set_t* cores = nullptr;
  };
  // `words`: the program and its arguments. Throws Error.
  ChildProcess(std::vector<std::string> words, const Surroundings& around);
  // Asks the child to stop, and waits for it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t process() const { return process_; }
  // Its exit code once it has ended, or 128 + signal if a signal ended it; nothing while it runs.
  std::optional<int> ended();
  // The signal that ended it; 0 if none did.
  int ended_by() const { return ended_by_; }
  void stop(int signal) const;

 private:
  pid_t process_ = -1;
  std::optional<int> ended_;
  int ended_by_ = 0;
};

// Starts a process that outlives this one, and returns its number; its output is appended to `log`. Throws Error.
pid_t start_detached(std::vector<std::string> words, const std::filesystem::path& log);

}  // namespace pairs
