#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pairs::model {

// The path as a shell would expand it: trimmed, with "~" as the home folder.
std::filesystem::path typed_path(const std::string& text);

// A typed path split into the folder, as typed up to the last slash, and the beginning of a name in it.
struct TypedParts {
  std::string folder, name;
  // The folder; the current folder if none was typed.
  std::filesystem::path place() const;
};
TypedParts typed_parts(const std::string& text);

// Whether `name` begins with `typed`; ignores case unless `exact`.
bool begins_with(std::string_view name, std::string_view typed, bool exact = false);
// The longest common prefix of the names that begin with `typed`; `typed` itself if it cannot be extended.
std::string completed(const std::string& typed, const std::vector<std::string>& names);

}  // namespace pairs::model
