#include "core/images/image_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <jpeglib.h>
#include <png.h>
#include <stb_image.h>

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace pairs {
namespace {

using Check = std::function<void(const ImageHead&)>;

constexpr std::uint64_t kLargestFile = std::uint64_t{256} << 20;
constexpr std::int64_t kLongestSide = 8192;
constexpr std::size_t kToldNames = 3;
constexpr int kMostScans = 100;  // of a JPEG, each of which is decoded over the whole image

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t length) {
  std::uint32_t value = 0;
  for (std::size_t k = length; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

[[noreturn]] void fail_damaged(const std::string& where, const char* why) {
  fail("The image {} cannot be read ({}); save it again", where, why);
}

void check_head(const ImageHead& head, const std::string& where, const Check& check) {
  PAIRS_CHECK(head.width >= 1 && head.height >= 1 && std::max(head.width, head.height) <= kLongestSide,
              "The image {} is {} x {} pixels; give one of at most {} a side", where, head.width, head.height,
              kLongestSide);
  check(head);
}

// Frees what libpng's simplified reader holds, however the scope ends.
struct PngImage : png_image {
  PngImage() : png_image() { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
};

std::vector<std::uint8_t> parse_png(std::string_view bytes, const std::string& where, const Check& check) {
  PngImage image;
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) fail_damaged(where, image.message);
  check_head({image.width, image.height, (image.format & PNG_FORMAT_FLAG_COLOR) != 0}, where, check);
  PAIRS_CHECK((image.format & PNG_FORMAT_FLAG_LINEAR) == 0, "The image {} has 16 bits a channel; save it with 8",
              where);
  PAIRS_CHECK((image.format & PNG_FORMAT_FLAG_ALPHA) == 0,
              "The image {} has transparency; save it without an alpha channel", where);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) fail_damaged(where, image.message);
  return pixels;
}

// A JPEG as libjpeg reads it. What libjpeg would only warn of is an error here: it fills what a file lacks with grey.
class JpegFile {
 public:
  JpegFile(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = [](j_common_ptr jpeg) { stop(jpeg, nullptr); };
    errors_.emit_message = [](j_common_ptr jpeg, int level) {
      if (level < 0) stop(jpeg, nullptr);
    };
    progress_.progress_monitor = [](j_common_ptr jpeg) {
      if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > kMostScans) stop(jpeg, "too many scans");
    };
  }
  ~JpegFile() { jpeg_destroy_decompress(&jpeg_); }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  ImageHead read_head() {
    step([&] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.progress = &progress_;
      jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
      jpeg_read_header(&jpeg_, TRUE);
    });
    return {jpeg_.image_width, jpeg_.image_height, jpeg_.num_components >= 3};
  }

  std::vector<std::uint8_t> read_pixels() {
    const bool inks = jpeg_.num_components == 4;
    jpeg_.out_color_space = inks ? JCS_CMYK : JCS_RGB;
    step([&] { jpeg_start_decompress(&jpeg_); });
    for (int c = 0; c < jpeg_.num_components; ++c)
      if (jpeg_.comp_info[c].quant_table == nullptr) fail_damaged(where_, "it lacks a part of the image");
    const std::size_t width = jpeg_.output_width;
    std::vector<std::uint8_t> rgb(3 * width * jpeg_.output_height), row(4 * width);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      std::uint8_t* const to = rgb.data() + 3 * width * jpeg_.output_scanline;
      JSAMPROW rows[] = {inks ? row.data() : to};
      step([&] { jpeg_read_scanlines(&jpeg_, rows, 1); });
      // Inks are kept as what they leave of the light, of which black takes its share of each colour.
      for (std::size_t k = 0; inks && k < 3 * width; ++k)
        to[k] = static_cast<std::uint8_t>((row[4 * (k / 3) + k % 3] * row[4 * (k / 3) + 3] + 127) / 255);
    }
    step([&] { jpeg_finish_decompress(&jpeg_); });
    return rgb;
  }

 private:
  struct Errors : jpeg_error_mgr {
    std::jmp_buf back;
    char text[JMSG_LENGTH_MAX];
  };

  [[noreturn]] static void stop(j_common_ptr jpeg, const char* why) {
    auto* const errors = static_cast<Errors*>(jpeg->err);
    if (why)
      std::snprintf(errors->text, sizeof errors->text, "%s", why);
    else
      errors->format_message(jpeg, errors->text);
    std::longjmp(errors->back, 1);
  }

  // Calls of libjpeg, which leaves them by a jump: nothing in `call` may need a destructor.
  template <class Call>
  void step(const Call& call) {
    if (setjmp(errors_.back) != 0) fail_damaged(where_, errors_.text);
    call();
  }

  std::string_view bytes_;
  const std::string& where_;
  jpeg_decompress_struct jpeg_{};
  jpeg_progress_mgr progress_{};
  Errors errors_{};
};

std::vector<std::uint8_t> parse_jpeg(std::string_view bytes, const std::string& where, const Check& check) {
  JpegFile file(bytes, where);
  check_head(file.read_head(), where, check);
  return file.read_pixels();
}

// stb_image fills what a file lacks with zeros or with whatever was in memory: these two tell how much must be there.
constexpr std::size_t kBmpHead = 30, kTgaHead = 18;

bool is_whole_bmp(std::string_view bytes) {
  if (bytes.size() < kBmpHead) return false;
  const bool old = number_at(bytes, 14, 4) == 12;
  const std::uint64_t first = number_at(bytes, 10, 4), bits = number_at(bytes, old ? 24 : 28, 2),
                      width = number_at(bytes, 18, old ? 2 : 4);
  const auto tall = old ? static_cast<std::int64_t>(number_at(bytes, 20, 2))
                        : std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(number_at(bytes, 22, 4))));
  const std::uint64_t row = (width * bits + 31) / 32 * 4;
  return tall >= 1 && first + row * static_cast<std::uint64_t>(tall - 1) + (width * bits + 7) / 8 <= bytes.size();
}

bool is_tga(std::string_view bytes) {
  if (bytes.size() < kTgaHead) return false;
  const std::uint32_t map = number_at(bytes, 1, 1), kind = number_at(bytes, 2, 1);
  return map <= 1 && (kind & 7) >= 1 && (kind & 7) <= 3 && (kind & ~11u) == 0;
}

bool is_whole_tga(std::string_view bytes) {
  const std::uint64_t map = number_at(bytes, 1, 1) * number_at(bytes, 5, 2) * ((number_at(bytes, 7, 1) + 7) / 8);
  const std::uint64_t size = (number_at(bytes, 16, 1) + 7) / 8;
  std::uint64_t at = kTgaHead + number_at(bytes, 0, 1) + map,
                left = std::uint64_t{number_at(bytes, 12, 2)} * number_at(bytes, 14, 2);
  if (number_at(bytes, 2, 1) < 8) return at + left * size <= bytes.size();
  while (left > 0 && at < bytes.size()) {
    const std::uint32_t packet = number_at(bytes, at, 1), count = (packet & 127) + 1;
    at += 1 + (packet & 128 ? 1 : count) * size;
    left -= std::min<std::uint64_t>(left, count);
  }
  return left == 0 && at <= bytes.size();
}

struct StbFree {
  void operator()(stbi_uc* pixels) const { stbi_image_free(pixels); }
};

std::vector<std::uint8_t> parse_with_stb(std::string_view bytes, const std::string& where, const Check& check) {
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int length = static_cast<int>(bytes.size());
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(data, length, &width, &height, &channels)) fail_damaged(where, stbi_failure_reason());
  check_head({width, height, channels >= 3}, where, check);
  const std::unique_ptr<stbi_uc, StbFree> pixels(
      stbi_load_from_memory(data, length, &width, &height, &channels, STBI_rgb_alpha));
  if (!pixels) fail_damaged(where, stbi_failure_reason());
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<std::uint8_t> rgb(3 * count);
  for (std::size_t p = 0; p < count; ++p) {
    const stbi_uc* const pixel = pixels.get() + 4 * p;
    PAIRS_CHECK(pixel[3] == 255, "The image {} has transparency; save it without an alpha channel", where);
    std::copy_n(pixel, 3, rgb.data() + 3 * p);
  }
  return rgb;
}

}  // namespace

std::vector<std::uint8_t> parse_image(std::string_view bytes, const std::string& where, const Check& check) {
  if (bytes.starts_with("\x89PNG")) return parse_png(bytes, where, check);
  PAIRS_CHECK(bytes.size() <= kLargestFile, "The image {} is larger than {}; save it smaller", where,
              byte_text(kLargestFile));
  if (bytes.starts_with("\xff\xd8\xff")) return parse_jpeg(bytes, where, check);
  if (bytes.starts_with("BM")) {
    if (!is_whole_bmp(bytes)) fail_damaged(where, "cut short");
  } else if (is_tga(bytes)) {
    if (!is_whole_tga(bytes)) fail_damaged(where, "cut short");
  } else {
    fail("The image {} cannot be read: it is no PNG, JPEG, BMP or TGA; save it as one of them", where);
  }
  return parse_with_stb(bytes, where, check);
}

std::vector<std::uint8_t> read_image(const std::filesystem::path& file, const Check& check) {
  return parse_image(read_file(file, kLargestFile), printable(file.string(), 300), check);
}

bool is_image_name(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* known : {".png", ".jpg", ".jpeg", ".bmp", ".tga"})
    if (extension == known) return true;
  return false;
}

std::vector<std::string> image_names(const std::filesystem::path& folder, const std::string& beside,
                                     std::string& left_out) {
  std::vector<std::string> names, others;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code error;
    if (name.starts_with('.') || name == beside || entry.is_directory(error)) continue;
    PAIRS_CHECK(!is_image_name(name) || entry.is_regular_file(error),
                "{} is a pipe, a device or a link to nothing, not an image; take it out of the folder",
                printable(entry.path().string(), 300));
    (is_image_name(name) ? names : others).push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::sort(others.begin(), others.end());
  if (!others.empty()) {
    const std::size_t all = others.size();
    others.resize(std::min(all, kToldNames));
    for (std::string& name : others) name = printable(name);
    left_out = fmt::format("{} file{} in {} left out, as {} end in .png, .jpg, .bmp or .tga: {}{}", all,
                           all > 1 ? "s" : "", printable(folder.string(), 300) + (all > 1 ? " are" : " is"),
                           all > 1 ? "their names do not" : "its name does not", fmt::join(others, ", "),
                           all > kToldNames ? ", ..." : "");
  }
  return names;
}

}  // namespace pairs
