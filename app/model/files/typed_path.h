#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pairs::model {

// What a shell would make of a typed path: without blanks around it, "~" as the home folder.
std::filesystem::path typed_path(const std::string& text);

// A typed path in two: the folder, as it was typed up to its last slash, and the beginning of a name in it.
struct TypedParts {
  std::string folder, name;
  // The folder itself; that in which the program runs where none was typed.
  std::filesystem::path place() const;
};
TypedParts typed_parts(const std::string& text);

// Whether a name begins with what was typed; upper and lower case are the same unless `exact`.
bool begins_with(std::string_view name, std::string_view typed, bool exact = false);
// The longest beginning that all names with the beginning `typed` share; `typed` itself where there is no more to say.
std::string completed(const std::string& typed, const std::vector<std::string>& names);

}  // namespace pairs::model
