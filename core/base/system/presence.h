#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace pairs {

// While it exists, a file in the folder, which is created if needed, marks that this process is at work there.
class Presence {
 public:
  explicit Presence(const std::filesystem::path& folder);
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

 private:
  std::filesystem::path file_;
};

// The processes of this machine that are at work in the folder, without those that died and left their file.
std::vector<pid_t> processes_present(const std::filesystem::path& folder);

}  // namespace pairs
