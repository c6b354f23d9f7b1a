#include "core/images/image_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <jpeglib.h>
#include <png.h>
#include <stb_image.h>
#include <webp/decode.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

using Check = std::function<void(const ImageHead&)>;

constexpr std::uint64_t kLargestFile = std::uint64_t{256} << 20;
constexpr std::int64_t kLongestSide = 8192;
constexpr std::size_t kToldNames = 3;
constexpr int kMostScans = 100;  // per JPEG; each is decoded over the whole image

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t length) {
  std::uint32_t value = 0;
  for (std::size_t k = length; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

[[noreturn]] void fail_damaged(const std::string& where, const char* why) {
  fail("The image {} cannot be read ({}); save it again", where, why);
}

[[noreturn]] void fail_deep(const std::string& where) {
  fail("The image {} has 16 bits a channel; save it with 8", where);
}

void check_head(const ImageHead& head, const std::string& where, const Check& check) {
  PAIRS_CHECK(head.width >= 1 && head.height >= 1 && std::max(head.width, head.height) <= kLongestSide,
              "The image {} is {} x {} pixels; give one of at most {} a side", where, head.width, head.height,
              kLongestSide);
  check(head);
}

// The colors of RGBA pixels, all of which must be opaque.
std::vector<std::uint8_t> without_alpha(const std::uint8_t* rgba, std::size_t count, const std::string& where) {
  std::vector<std::uint8_t> rgb(3 * count);
  std::size_t clear = 0;
  for (std::size_t p = 0; p < count; ++p) {
    clear += rgba[4 * p + 3] != 255 ? 1 : 0;
    std::copy_n(rgba + 4 * p, 3, rgb.data() + 3 * p);
  }
  PAIRS_CHECK(clear == 0,
              "The image {} has transparency ({} of its {} pixels are not opaque): put it on a background of one color "
              "and save it without an alpha channel",
              where, clear, count);
  return rgb;
}

// The camera's orientation, 1 (upright) to 8, from the TIFF tags of photographs; 1 if there is none.
int held_orientation(std::string_view tags) {
  if (tags.starts_with(std::string_view("Exif\0\0", 6))) tags.remove_prefix(6);
  const bool big = tags.starts_with(std::string_view("MM\0*", 4));
  if (!big && !tags.starts_with(std::string_view("II*\0", 4))) return 1;
  const auto number = [&](std::size_t at, std::size_t length) -> std::uint32_t {
    if (at + length > tags.size()) return 0;
    if (!big) return number_at(tags, at, length);
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < length; ++k) value = value << 8 | static_cast<unsigned char>(tags[at + k]);
    return value;
  };
  const std::size_t first = number(4, 4), entries = number(first, 2);
  for (std::size_t k = 0; k < entries && first + 14 + 12 * k <= tags.size(); ++k) {
    const std::size_t entry = first + 2 + 12 * k;
    if (number(entry, 2) != 0x0112 || number(entry + 2, 2) != 3) continue;
    const std::uint32_t value = number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

ImageHead turned_head(ImageHead head, int orientation) {
  if (orientation >= 5) std::swap(head.width, head.height);
  return head;
}

// Pixels as stored in the file, rotated and mirrored to upright.
std::vector<std::uint8_t> turned_pixels(std::vector<std::uint8_t> rgb, std::size_t width, std::size_t height,
                                        int orientation) {
  if (orientation == 1) return rgb;
  const bool across = orientation >= 5;  // rows become columns
  const std::size_t rows = across ? width : height, columns = across ? height : width;
  std::vector<std::uint8_t> out(rgb.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      std::size_t y = across ? c : r, x = across ? r : c;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) y = height - 1 - y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) x = width - 1 - x;
      std::copy_n(rgb.data() + 3 * (y * width + x), 3, out.data() + 3 * (r * columns + c));
    }
  return out;
}

// The content of a chunk of a PNG or WebP; "" if there is none.
std::string_view chunk_of(std::string_view bytes, std::string_view name) {
  const bool png = bytes.starts_with("\x89PNG");
  for (std::size_t at = png ? 8 : 12; at + 8 <= bytes.size();) {
    std::uint64_t length = 0;
    for (std::size_t k = 0; k < 4; ++k)
      length = length << 8 | static_cast<unsigned char>(bytes[png ? at + k : at + 7 - k]);
    const std::string_view found = bytes.substr(png ? at + 4 : at, 4);
    if (length > bytes.size() - at - 8) return "";
    if (found == name) return bytes.substr(at + 8, length);
    at += 8 + length + (png ? 4 : length % 2);
  }
  return "";
}

// Frees the memory of libpng's simplified reader, however the scope ends.
struct PngImage : png_image {
  PngImage() : png_image() { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
};

std::vector<std::uint8_t> parse_png(std::string_view bytes, const std::string& where, const Check& check) {
  PngImage image;
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) fail_damaged(where, image.message);
  const int orientation = held_orientation(chunk_of(bytes, "eXIf"));
  check_head(turned_head({image.width, image.height, (image.format & PNG_FORMAT_FLAG_COLOR) != 0}, orientation), where,
             check);
  if ((image.format & PNG_FORMAT_FLAG_LINEAR) != 0) fail_deep(where);
  const bool alpha = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  image.format = alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) fail_damaged(where, image.message);
  const std::size_t width = image.width, height = image.height;
  if (alpha) pixels = without_alpha(pixels.data(), width * height, where);
  return turned_pixels(std::move(pixels), width, height, orientation);
}

// A JPEG read by libjpeg. Warnings of libjpeg are errors here, because it fills missing parts of a file with gray.
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
      jpeg_save_markers(&jpeg_, JPEG_APP0 + 1, 0xffff);
      jpeg_read_header(&jpeg_, TRUE);
    });
    for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker != nullptr && orientation_ == 1;
         marker = marker->next)
      if (const std::string_view content(reinterpret_cast<const char*>(marker->data), marker->data_length);
          content.starts_with(std::string_view("Exif\0\0", 6)))
        orientation_ = held_orientation(content);
    return turned_head({jpeg_.image_width, jpeg_.image_height, jpeg_.num_components >= 3}, orientation_);
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
      // Inks are stored as the light that they leave, and black takes its share of each color.
      for (std::size_t k = 0; inks && k < 3 * width; ++k)
        to[k] = static_cast<std::uint8_t>((row[4 * (k / 3) + k % 3] * row[4 * (k / 3) + 3] + 127) / 255);
    }
    step([&] { jpeg_finish_decompress(&jpeg_); });
    return turned_pixels(std::move(rgb), width, jpeg_.output_height, orientation_);
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

  // Calls libjpeg, which exits by a jump: nothing in `call` may need a destructor.
  template <class Call>
  void step(const Call& call) {
    if (setjmp(errors_.back) != 0) fail_damaged(where_, errors_.text);
    call();
  }

  std::string_view bytes_;
  const std::string& where_;
  jpeg_decompress_struct jpeg_{};
  jpeg_progress_mgr progress_{};
  int orientation_ = 1;
  Errors errors_{};
};

std::vector<std::uint8_t> parse_jpeg(std::string_view bytes, const std::string& where, const Check& check) {
  JpegFile file(bytes, where);
  check_head(file.read_head(), where, check);
  return file.read_pixels();
}

// stb_image fills missing parts of a file with zeros or uninitialized memory: these two compute how much must be there.
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
  return without_alpha(pixels.get(), count, where);
}

std::vector<std::uint8_t> parse_webp(std::string_view bytes, const std::string& where, const Check& check) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features{};
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) fail_damaged(where, "no whole WebP");
  const int orientation = held_orientation(chunk_of(bytes, "EXIF"));
  check_head(turned_head({features.width, features.height, true}, orientation), where, check);
  PAIRS_CHECK(features.has_animation == 0, "The image {} is a film; save the picture that is meant as a PNG", where);
  const auto width = static_cast<std::size_t>(features.width), height = static_cast<std::size_t>(features.height);
  std::vector<std::uint8_t> rgba(4 * width * height);
  if (!WebPDecodeRGBAInto(data, bytes.size(), rgba.data(), rgba.size(), static_cast<int>(4 * width)))
    fail_damaged(where, "damaged or cut short");
  return turned_pixels(without_alpha(rgba.data(), width * height, where), width, height, orientation);
}

// PBM, PGM and PPM, as text or binary, with up to 8 bits per channel.
class PnmFile {
 public:
  PnmFile(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where), kind_(bytes[1] - '0') {}

  ImageHead read_head() {
    width_ = number();
    height_ = number();
    most_ = bitmap() ? 1 : number();
    if (most_ > 255) fail_deep(where_);
    if (most_ < 1) fail_damaged(where_, "its largest value is 0");
    if (kind_ >= 4) ++at_;  // the blank after the header
    return {width_, height_, kind_ % 3 == 0};
  }

  std::vector<std::uint8_t> read_pixels() {
    const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
    const std::size_t channels = kind_ % 3 == 0 ? 3 : 1;
    std::vector<std::uint8_t> rgb(3 * width * height);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        for (std::size_t c = 0; c < 3; ++c) {
          std::uint8_t& out = rgb[3 * (y * width + x) + c];
          out = c < channels ? value(y, x, c, channels) : rgb[3 * (y * width + x)];
        }
    return rgb;
  }

 private:
  bool bitmap() const { return kind_ == 1 || kind_ == 4; }

  std::int64_t number() {
    while (at_ < bytes_.size() && (std::isspace(static_cast<unsigned char>(bytes_[at_])) || bytes_[at_] == '#'))
      at_ = bytes_[at_] == '#' ? std::min(bytes_.find('\n', at_), bytes_.size()) : at_ + 1;
    std::int64_t value = -1;
    for (; at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])) && value < 1 << 24; ++at_) {
      value = std::max<std::int64_t>(value, 0) * 10 + (bytes_[at_] - '0');
      if (kind_ == 1 && height_ > 0) {  // the bits in a text need no blanks between them
        ++at_;
        break;
      }
    }
    if (value < 0) fail_damaged(where_, "cut short");
    return value;
  }

  std::uint8_t value(std::size_t y, std::size_t x, std::size_t c, std::size_t channels) {
    std::int64_t held = 0;
    if (kind_ < 4) {
      held = number();
    } else {
      const auto width = static_cast<std::size_t>(width_);
      const std::size_t place = at_ + (kind_ == 4 ? y * ((width + 7) / 8) + x / 8 : (y * width + x) * channels + c);
      if (place >= bytes_.size()) fail_damaged(where_, "cut short");
      held = static_cast<unsigned char>(bytes_[place]);
      if (kind_ == 4) held = held >> (7 - x % 8) & 1;
    }
    if (held > most_) fail_damaged(where_, "a value lies above the largest that it announces");
    return static_cast<std::uint8_t>(bitmap() ? 255 * (1 - held) : (held * 255 + most_ / 2) / most_);
  }

  std::string_view bytes_;
  const std::string& where_;
  int kind_;
  std::size_t at_ = 2;
  std::int64_t width_ = 0, height_ = 0, most_ = 0;
};

std::vector<std::uint8_t> parse_pnm(std::string_view bytes, const std::string& where, const Check& check) {
  PnmFile file(bytes, where);
  check_head(file.read_head(), where, check);
  return file.read_pixels();
}

bool is_pnm(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         std::isspace(static_cast<unsigned char>(bytes[2]));
}

bool is_webp(std::string_view bytes) {
  return bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP";
}

// The unsupported image format of a file according to its first bytes; "" for others.
std::string_view unread_kind(std::string_view bytes) {
  using namespace std::string_view_literals;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kinds = {
      {{"GIF87a"sv, "a GIF"},
       {"GIF89a"sv, "a GIF"},
       {"II*\0"sv, "a TIFF"},
       {"MM\0*"sv, "a TIFF"},
       {"II+\0"sv, "a TIFF"},
       {"MM\0+"sv, "a TIFF"},
       {"8BPS"sv, "a Photoshop file"},
       {"v/1\x01"sv, "an OpenEXR file"},
       {"#?RADIANCE"sv, "a Radiance file"},
       {"\xff\x0a"sv, "a JPEG XL"},
       {"\0\0\0\x0cJXL "sv, "a JPEG XL"},
       {"\0\0\0\x0cjP  "sv, "a JPEG 2000"},
       {"\xff\x4f\xff\x51"sv, "a JPEG 2000"},
       {"P7\n"sv, "a PAM"},
       {"%PDF"sv, "a PDF"},
       {"<svg"sv, "an SVG"},
       {"SIMPLE  ="sv, "a FITS file"},
       {"\0\0\1\0"sv, "an icon"}}};
  for (const auto& [begin, kind] : kinds)
    if (bytes.starts_with(begin)) return kind;
  if (bytes.size() < 12 || bytes.substr(4, 4) != "ftyp") return "";
  const std::string_view brand = bytes.substr(8, 4);
  if (brand == "avif" || brand == "avis") return "an AVIF";
  for (const std::string_view one : {"heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"})
    if (brand == one) return "a HEIC";
  return "a film";
}

// Whether the first bytes of a file mark it as an image.
bool begins_as_image(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 12> head{};
  stream.read(head.data(), head.size());
  const std::string_view bytes(head.data(), static_cast<std::size_t>(stream.gcount()));
  return bytes.starts_with("\x89PNG\r\n") || bytes.starts_with("\xff\xd8\xff") || is_webp(bytes) ||
         bytes.starts_with("GIF8") ||
         (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp" && unread_kind(bytes) != "a film");
}

}  // namespace

std::vector<std::uint8_t> parse_image(std::string_view bytes, const std::string& where, const Check& check) {
  if (bytes.starts_with("\x89PNG")) return parse_png(bytes, where, check);
  PAIRS_CHECK(bytes.size() <= kLargestFile, "The image {} is larger than {}; save it smaller", where,
              byte_text(kLargestFile));
  if (bytes.starts_with("\xff\xd8\xff")) return parse_jpeg(bytes, where, check);
  if (is_webp(bytes)) return parse_webp(bytes, where, check);
  if (is_pnm(bytes)) return parse_pnm(bytes, where, check);
  if (const std::string_view kind = unread_kind(bytes); !kind.empty())
    fail("The image {} is {}, which is not read; save it as PNG, JPEG, WebP, BMP, TGA or PPM", where, kind);
  if (bytes.starts_with("BM")) {
    if (!is_whole_bmp(bytes)) fail_damaged(where, "cut short");
  } else if (is_tga(bytes)) {
    if (!is_whole_tga(bytes)) fail_damaged(where, "cut short");
  } else {
    fail("The image {} cannot be read: it is no PNG, JPEG, WebP, BMP, TGA or PPM; save it as one of them", where);
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
  for (const char* known :
       {".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".bmp", ".tga", ".pbm", ".pgm", ".ppm", ".pnm",
        // These formats are not supported: they are named here so that they are refused rather than ignored.
        ".gif", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".jp2"})
    if (extension == known) return true;
  return false;
}

std::vector<std::string> image_names(const std::filesystem::path& folder, const std::string& extra,
                                     std::string& left_out) {
  std::vector<std::string> names, others;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code error;
    if (name.starts_with('.') || name == extra || entry.is_directory(error)) continue;
    PAIRS_CHECK(!is_image_name(name) || entry.is_regular_file(error),
                "{} is a pipe, a device or a link to nothing, not an image; take it out of the folder",
                printable(entry.path().string(), 300));
    const bool image = is_image_name(name) || (entry.is_regular_file(error) && begins_as_image(entry.path()));
    (image ? names : others).push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::sort(others.begin(), others.end());
  if (!others.empty()) {
    const std::size_t all = others.size();
    others.resize(std::min(all, kToldNames));
    for (std::string& name : others) name = printable(name);
    left_out = fmt::format("{} file{} in {} left out, as {} end in .png, .jpg, .webp, .bmp, .tga or .ppm: {}{}", all,
                           all > 1 ? "s" : "", printable(folder.string(), 300) + (all > 1 ? " are" : " is"),
                           all > 1 ? "their names do not" : "its name does not", fmt::join(others, ", "),
                           all > kToldNames ? ", ..." : "");
  }
  return names;
}

}  // namespace pairs
