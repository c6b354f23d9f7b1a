#include "app/common/png_image.h"

#include <png.h>

#include "core/base/error.h"

namespace pairs {
namespace {

// Frees what libpng's simplified reader holds, however the scope ends.
struct PngImage : png_image {
  PngImage() : png_image() { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
};

}  // namespace

std::vector<std::uint8_t> read_png(const std::filesystem::path& file,
                                   const std::function<void(const PngHead&)>& check) {
  PngImage image;
  PAIRS_CHECK(png_image_begin_read_from_file(&image, file.c_str()),
              "The image {} cannot be read ({}); save it again as PNG", file.string(), image.message);
  check({image.width, image.height, (image.format & PNG_FORMAT_FLAG_COLOR) != 0});
  PAIRS_CHECK((image.format & PNG_FORMAT_FLAG_LINEAR) == 0, "The image {} has 16 bits a channel; save it with 8",
              file.string());
  PAIRS_CHECK((image.format & PNG_FORMAT_FLAG_ALPHA) == 0,
              "The image {} has transparency; save it without an alpha channel", file.string());
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  const int ok = png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr);
  PAIRS_CHECK(ok, "The image {} cannot be read ({}); save it again as PNG", file.string(), image.message);
  return pixels;
}

}  // namespace pairs
