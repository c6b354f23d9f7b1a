#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// The header of an image file.
struct ImageHead {
  std::int64_t width, height;
  bool color;  // else gray
};

// Reads the pixels of a PNG, JPEG, WebP, BMP, TGA, PBM, PGM or PPM file, detected by its bytes, as 8-bit RGB triples,
// rows from the top, rotated upright if the file records the camera's orientation (EXIF). `check` may refuse the file
// by its header, with width and height of the upright image. An alpha channel that is opaque everywhere is dropped.
// Throws Error naming the file for 16-bit or transparent images, animations, other formats, more than 8192 pixels per
// side, and damaged or truncated files.
std::vector<std::uint8_t> read_image(const std::filesystem::path& file,
                                     const std::function<void(const ImageHead&)>& check);
// Parses an image in memory; `where` names the source in errors.
std::vector<std::uint8_t> parse_image(std::string_view bytes, const std::string& where,
                                      const std::function<void(const ImageHead&)>& check);

// Whether a file of this name is an image, supported (.png, .jpg, .webp, .ppm, ...) or not (.gif, .tif, .heic, ...),
// ignoring case.
bool is_image_name(const std::filesystem::path& file);

// The images of a folder sorted by name: files with the extension or the first bytes of an image. Throws Error if one
// is not a regular file. If there are other files, except hidden ones and `extra`, `left_out` receives a sentence
// about them; otherwise it stays empty.
std::vector<std::string> image_names(const std::filesystem::path& folder, const std::string& extra,
                                     std::string& left_out);

}  // namespace pairs
