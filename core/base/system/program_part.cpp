#include "core/base/system/program_part.h"

#include "core/base/files/files.h"

namespace pairs {

std::filesystem::path program_part(std::string_view name) {
  const std::filesystem::path folder = program_folder();
  std::error_code error;
  for (const auto& place : {folder / name, folder.parent_path() / "lib" / name})
    if (std::filesystem::exists(place, error)) return place;
  return {};
}

}  // namespace pairs
