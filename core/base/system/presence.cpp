#include "core/base/system/presence.h"

#include <fmt/format.h>

#include "core/base/files/files.h"
#include "core/base/system/process_identity.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"

namespace pairs {
namespace {

constexpr const char* kPresenceEnding = ".process";
constexpr std::uint64_t kMostIdentity = 64 << 10;

}  // namespace

Presence::Presence(const std::filesystem::path& folder) {
  const nlohmann::json self = process_identity();
  std::filesystem::create_directories(folder);
  file_ = folder /
          fmt::format("{}-{}{}", self["host"].get<std::string>(), self["process"].get<std::int64_t>(), kPresenceEnding);
  write_file(file_, self.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Presence::~Presence() {
  std::error_code error;
  std::filesystem::remove(file_, error);
}

std::vector<pid_t> processes_present(const std::filesystem::path& folder) {
  std::vector<pid_t> processes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != kPresenceEnding) continue;
    try {
      const nlohmann::json identity = parse_json(read_file(entry.path(), kMostIdentity));
      if (is_alive(identity)) processes.push_back(static_cast<pid_t>(identity.at("process").get<std::int64_t>()));
    } catch (const Error&) {
      // It is gone, or being written.
    }
  }
  return processes;
}

}  // namespace pairs
