#include "core/base/system/process_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace pairs {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// When the process started, in ticks since boot: together with its number, this identifies a process within one boot.
// "" if there is none, or if it has ended and was not waited for yet.
std::string start_of_process(std::int64_t process) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", process));
  // The second field, the program's name in brackets, may hold anything; the third is the state.
  std::size_t at = line.rfind(')');
  if (at == line.npos || line.compare(at + 1, 2, " Z") == 0) return "";
  for (int field = 2; field < 22 && at != line.npos; ++field) at = line.find(' ', at + 1);
  return at == line.npos ? "" : line.substr(at + 1, line.find(' ', at + 1) - at - 1);
}

// The scope of process numbers: this boot of the machine, and the container.
std::string process_space() {
  std::error_code error;
  return first_line("/proc/sys/kernel/random/boot_id") + " " +
         std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "a machine";
}

bool is_of_this_machine(const nlohmann::json& identity) {
  const auto text = [&](const char* key) {
    const auto value = identity.find(key);
    return value != identity.end() && value->is_string() ? value->get<std::string>() : std::string();
  };
  return identity.is_object() && text("space") == process_space() && !text("started").empty() &&
         identity.contains("process") && identity.at("process").is_number_integer();
}

bool is_running(const nlohmann::json& identity) {
  return start_of_process(identity.at("process").get<std::int64_t>()) == identity.at("started").get<std::string>();
}

}  // namespace

nlohmann::json process_identity() {
  const auto process = static_cast<std::int64_t>(::getpid());
  return {
      {"host", host_name()}, {"process", process}, {"started", start_of_process(process)}, {"space", process_space()}};
}

bool has_ended(const nlohmann::json& identity) {
  return is_of_this_machine(identity) && !is_running(identity);
}

bool is_alive(const nlohmann::json& identity) {
  return is_of_this_machine(identity) && is_running(identity);
}

}  // namespace pairs
