#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace pairs {

// While it lives, a file in the folder, which is made for it, says that this process is at work there.
class Presence {
 public:
  explicit Presence(const std::filesystem::path& folder);
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

 private:
  std::filesystem::path file_;
};

// The processes of this machine that are at work in the folder. One that died without taking its file away is none.
std::vector<pid_t> processes_present(const std::filesystem::path& folder);

}  // namespace pairs
