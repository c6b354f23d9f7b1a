#include "core/report/png.h"

#include <png.h>

#include <cmath>
#include <memory>

#include "core/base/text/error.h"

namespace pairs::chart {
namespace {

[[noreturn]] void on_error(png_structp, png_const_charp message) {
  fail("Encoding a PNG failed: {}.", message);
}
void on_warning(png_structp, png_const_charp) {}
void append(png_structp png, png_bytep bytes, std::size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), size);
}
void no_flush(png_structp) {}

struct Writer {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

}  // namespace

std::string encode_png(std::int64_t width, std::int64_t height, std::span<const std::uint8_t> rgb,
                       double pixels_per_point) {
  PAIRS_CHECK(width > 0 && height > 0 && rgb.size() == static_cast<std::size_t>(width * height) * 3,
              "A PNG of {} by {} pixels needs three bytes a pixel, not {} in all.", width, height, rgb.size());
  std::string bytes;
  Writer writer;
  PAIRS_CHECK(writer.info, "Encoding a PNG failed: out of memory.");
  png_set_write_fn(writer.png, &bytes, append, no_flush);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (pixels_per_point > 0) {
    const auto per_metre = static_cast<png_uint_32>(std::lround(pixels_per_point * 72 / 0.0254));
    png_set_pHYs(writer.png, writer.info, per_metre, per_metre, PNG_RESOLUTION_METER);
  }
  png_write_info(writer.png, writer.info);
  for (std::int64_t y = 0; y < height; ++y) png_write_row(writer.png, rgb.data() + y * width * 3);
  png_write_end(writer.png, writer.info);
  return bytes;
}

}  // namespace pairs::chart
