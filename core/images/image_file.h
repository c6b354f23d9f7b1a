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

// The pixels of a PNG, JPEG, WebP, BMP, TGA, PBM, PGM or PPM file, told apart by their bytes, as 8-bit RGB triples,
// rows from the top, turned upright where the file says how its camera was held (EXIF); `check` may refuse it by its
// head, whose width and height are those of the upright image. An alpha channel that is opaque everywhere is left out.
// Throws Error naming the file on 16-bit or transparent images, films, images of other kinds, more than 8192 pixels a
// side and on what is damaged or cut short.
std::vector<std::uint8_t> read_image(const std::filesystem::path& file,
                                     const std::function<void(const ImageHead&)>& check);
// The same from memory; `where` names the source in errors.
std::vector<std::uint8_t> parse_image(std::string_view bytes, const std::string& where,
                                      const std::function<void(const ImageHead&)>& check);

// Whether a file of this name is taken for an image, read (.png, .jpg, .webp, .ppm, ...) or not (.gif, .tif, .heic,
// ...), in any case.
bool is_image_name(const std::filesystem::path& file);

// The images of a folder in the order of their names: files that are named as such, or begin as such. Throws Error when
// one is no regular file. Other files, hidden ones and `beside` apart, are told in `left_out`, one sentence; else that
// stays empty.
std::vector<std::string> image_names(const std::filesystem::path& folder, const std::string& beside,
                                     std::string& left_out);

}  // namespace pairs
