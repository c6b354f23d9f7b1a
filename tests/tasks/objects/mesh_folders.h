#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace pairs {

// A corner of a block as OFF: 1 long, 1 wide and `height` high, closed; its volume is height / 6, and for heights below
// 1 its log aspect ratio log(1 / height).
inline std::string corner_off(double height) {
  return fmt::format("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 {}\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", height);
}
inline std::string corner_obj(double height) {
  return fmt::format("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", height);
}

// Writes a file and the folders above it.
inline void put_file(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace pairs
