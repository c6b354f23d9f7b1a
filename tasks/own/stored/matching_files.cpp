#include "tasks/own/stored/matching_files.h"

#include <glob.h>

#include <string_view>

namespace pairs {

std::vector<std::filesystem::path> matching_files(const std::string& pattern, const std::filesystem::path& folder) {
  std::string whole;
  if (!std::filesystem::path(pattern).is_absolute())
    for (const char c : folder.string() + "/") {
      if (std::string_view("*?[\\").find(c) != std::string_view::npos) whole += '\\';
      whole += c;
    }
  glob_t found{};
  std::vector<std::filesystem::path> out;
  if (::glob((whole + pattern).c_str(), 0, nullptr, &found) == 0)
    for (std::size_t k = 0; k < found.gl_pathc; ++k) out.emplace_back(found.gl_pathv[k]);
  ::globfree(&found);
  return out;
}

}  // namespace pairs
