#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace pairs {

// What a PNG file says of itself before its pixels are read.
struct PngHead {
  std::int64_t width, height;
  bool color;  // else grey
};

// The pixels of a PNG file as 8-bit RGB triples, rows from the top; `check` may refuse it by its head. Throws Error
// naming the file on 16-bit or transparent images and anything that libpng refuses.
std::vector<std::uint8_t> read_png(const std::filesystem::path& file, const std::function<void(const PngHead&)>& check);

}  // namespace pairs
