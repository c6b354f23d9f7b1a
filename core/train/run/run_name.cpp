#include "core/train/run/run_name.h"

#include <fmt/format.h>

#include <ctime>

namespace pairs {

std::string stamped_name(const std::string& task) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return fmt::format("{}-{}", task, text);
}

std::string new_run_name(const std::string& task, const std::filesystem::path& parent) {
  const std::string base = stamped_name(task);
  std::string name = base;
  std::error_code code;
  for (int k = 2; std::filesystem::exists(parent / name, code); ++k) name = fmt::format("{}-{}", base, k);
  return name;
}

}  // namespace pairs
