#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// The JSON header of a safetensors file.
struct SafetensorsEntry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // within the data section
};
struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

// Parses the header and checks its grammar only (types, missing, repeated and unknown members, ranks above 32). Memory
// stays proportional to the text for any nesting. Throws Error naming `where`.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& where);

}  // namespace pairs
