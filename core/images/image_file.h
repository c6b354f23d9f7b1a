#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// What an image file says of itself before its pixels are read.
struct ImageHead {
  std::int64_t width, height;
  bool color;  // else grey
};

// The pixels of a PNG, JPEG, BMP or TGA file, told apart by their bytes, as 8-bit RGB triples, rows from the top;
// `check` may refuse it by its head. Throws Error naming the file on 16-bit or transparent images, on more than 8192
// pixels a side and on what is damaged or cut short.
std::vector<std::uint8_t> read_image(const std::filesystem::path& file,
                                     const std::function<void(const ImageHead&)>& check);
// The same from memory; `where` names the source in errors.
std::vector<std::uint8_t> parse_image(std::string_view bytes, const std::string& where,
                                      const std::function<void(const ImageHead&)>& check);

// Whether a file of this name is taken for an image: .png, .jpg, .jpeg, .bmp or .tga, in any case.
bool is_image_name(const std::filesystem::path& file);

// The images of a folder in the order of their names. Throws Error when one is no regular file. Other files, hidden
// ones and `beside` apart, are told in `left_out`, one sentence; else that stays empty.
std::vector<std::string> image_names(const std::filesystem::path& folder, const std::string& beside,
                                     std::string& left_out);

}  // namespace pairs
