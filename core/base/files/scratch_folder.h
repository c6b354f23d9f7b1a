#pragma once

#include <filesystem>

namespace pairs {

// A new folder among the system's temporary files, removed with its content at the end of this object and by
// abandon_writes(). Throws Error if it cannot be made.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace pairs
