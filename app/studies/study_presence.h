#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace pairs {

// While it lives, a file in the study's folder says that this process works on the study.
class StudyPresence {
 public:
  explicit StudyPresence(const std::filesystem::path& study);
  ~StudyPresence();
  StudyPresence(const StudyPresence&) = delete;
  StudyPresence& operator=(const StudyPresence&) = delete;

 private:
  std::filesystem::path file_;
};

// The processes of this machine that work on the study.
std::vector<pid_t> working_processes(const std::filesystem::path& study);

}  // namespace pairs
