#include "app/runs/places.h"

#include <cstdlib>

#include "core/base/files/files.h"

namespace pairs {

bool is_shipped(const std::filesystem::path& run) {
  std::error_code error;
  const auto relative = std::filesystem::relative(run, assets_folder(), error);
  return !error && !relative.empty() && *relative.begin() != "..";
}

std::string data_folder(const std::string& option) {
  if (!option.empty()) return option;
  const char* named = std::getenv("PAIRS_DATA");
  return named ? named : "";
}

}  // namespace pairs
