#include "app/model/files/typed_path.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace pairs::model {

std::filesystem::path typed_path(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  const std::string path = first == text.npos ? "" : text.substr(first, last - first + 1);
  const char* home = std::getenv("HOME");
  if (home && (path == "~" || path.starts_with("~/"))) return home + path.substr(1);
  return path;
}

std::filesystem::path TypedParts::place() const {
  std::error_code error;
  return folder.empty() ? std::filesystem::current_path(error) : typed_path(folder);
}

TypedParts typed_parts(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size()), slash = text.rfind('/');
  if (slash == text.npos || slash < begin) return {"", text.substr(begin)};
  return {text.substr(begin, slash + 1 - begin), text.substr(slash + 1)};
}

bool begins_with(std::string_view name, std::string_view typed, bool exact) {
  if (name.size() < typed.size()) return false;
  return std::equal(typed.begin(), typed.end(), name.begin(), [&](char a, char b) {
    return exact ? a == b : std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

std::string completed(const std::string& typed, const std::vector<std::string>& names) {
  const bool exact =
      std::any_of(names.begin(), names.end(), [&](const std::string& name) { return begins_with(name, typed, true); });
  std::string common;
  bool any = false;
  for (const std::string& name : names) {
    if (!begins_with(name, typed, exact)) continue;
    if (!any) {
      common = name;
      any = true;
      continue;
    }
    const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
    common.erase(end, common.end());
  }
  // Does not split a character, nor shorten the typed text.
  while (!common.empty() && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.size() > common.size() && name.starts_with(common) &&
           (static_cast<unsigned char>(name[common.size()]) & 0xC0) == 0x80;
  }))
    common.pop_back();
  return common.size() < typed.size() ? typed : common;
}

}  // namespace pairs::model
