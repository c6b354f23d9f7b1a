#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// The JSON header of a safetensors file, as it stands there.
struct SafetensorsEntry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // within the data section
};
struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

// Parses and checks the grammar alone (types, missing, repeated and unknown members, ranks above 32), in memory
// proportional to the text whatever it nests. Throws Error naming `where`.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& where);

}  // namespace pairs
