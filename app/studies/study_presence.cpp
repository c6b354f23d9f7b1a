#include "app/studies/study_presence.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/process_identity.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "workers";
constexpr const char* kEnding = ".process";
constexpr std::uint64_t kMostIdentity = 64 << 10;

}  // namespace

StudyPresence::StudyPresence(const fs::path& study) {
  const nlohmann::json self = process_identity();
  fs::create_directories(study / kFolder);
  file_ = study / kFolder /
          fmt::format("{}-{}{}", self["host"].get<std::string>(), self["process"].get<std::int64_t>(), kEnding);
  write_file(file_, self.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

StudyPresence::~StudyPresence() {
  std::error_code error;
  fs::remove(file_, error);
}

std::vector<pid_t> working_processes(const fs::path& study) {
  std::vector<pid_t> processes;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(study / kFolder, error)) {
    if (entry.path().extension() != kEnding) continue;
    try {
      const nlohmann::json identity = parse_json(read_file(entry.path(), kMostIdentity));
      if (is_alive(identity)) processes.push_back(static_cast<pid_t>(identity.at("process").get<std::int64_t>()));
    } catch (const Error&) {
      // Gone, or being written.
    }
  }
  return processes;
}

}  // namespace pairs
