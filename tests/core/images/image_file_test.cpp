#include "core/images/image_file.h"

#include <gmock/gmock.h>
#include <jpeglib.h>
#include <stb_image_write.h>

#include <array>
#include <cstdlib>

#include "tests/core/base/message.h"

namespace pairs {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kWidth = 20, kHeight = 12;

std::vector<std::uint8_t> ramp() {
  std::vector<std::uint8_t> rgb;
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column)
      for (const int value : {10 * column, 20 * row, 200 - 5 * column}) rgb.push_back(static_cast<std::uint8_t>(value));
  return rgb;
}

void append(void* text, void* data, int size) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}
std::string jpeg() {
  std::string bytes;
  stbi_write_jpg_to_func(append, &bytes, kWidth, kHeight, 3, ramp().data(), 100);
  return bytes;
}
// Grey, 8 x 8, in two scans: of the constant term and of the others, each without a difference.
std::string progressive() {
  const auto segment = [](unsigned char marker, const std::string& content) {
    return std::string{'\xff', static_cast<char>(marker), '\0', static_cast<char>(content.size() + 2)} + content;
  };
  const auto table = [&](char which) { return segment(0xc4, which + std::string(1, '\1') + std::string(16, '\0')); };
  const auto scan = [&](char first, char last) {
    return segment(0xda, std::string{'\1', '\1', '\0', first, last, '\0'}) + "\x7f";
  };
  return "\xff\xd8" + segment(0xdb, std::string(1, '\0') + std::string(64, '\1')) +
         segment(0xc2, std::string("\x08\0\x08\0\x08\x01\x01\x11\0", 9)) + table('\0') + table('\x10') + scan(0, 0) +
         scan(1, 63) + "\xff\xd9";
}
std::string bmp() {
  std::string bytes;
  stbi_write_bmp_to_func(append, &bytes, kWidth, kHeight, 3, ramp().data());
  return bytes;
}
std::string tga(bool packed) {
  std::string bytes;
  stbi_write_tga_with_rle = packed ? 1 : 0;
  stbi_write_tga_to_func(append, &bytes, kWidth, kHeight, 3, ramp().data());
  return bytes;
}

std::vector<std::uint8_t> parse(const std::string& bytes, ImageHead* seen = nullptr) {
  return parse_image(bytes, "image", [&](const ImageHead& head) {
    if (seen) *seen = head;
  });
}
// The sentence of a refusal; empty when the image was read.
std::string refusal(const std::string& bytes) {
  try {
    parse(bytes);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ImageFile, ReadsEveryFormatAlike) {
  const std::vector<std::uint8_t> expected = ramp();
  for (const std::string& bytes : {bmp(), tga(false), tga(true), jpeg()}) {
    ImageHead head{};
    const std::vector<std::uint8_t> pixels = parse(bytes, &head);
    EXPECT_EQ(head.width, kWidth);
    EXPECT_EQ(head.height, kHeight);
    EXPECT_TRUE(head.color);
    ASSERT_EQ(pixels.size(), expected.size());
    int most = 0;
    for (std::size_t k = 0; k < pixels.size(); ++k) most = std::max(most, std::abs(pixels[k] - expected[k]));
    EXPECT_LE(most, bytes[0] == '\xff' ? 12 : 0);
  }
}

TEST(ImageFile, KnowsGreyFromColour) {
  std::string bytes;
  stbi_write_tga_to_func(append, &bytes, kWidth, kHeight, 1, ramp().data());
  ImageHead head{};
  parse(bytes, &head);
  EXPECT_FALSE(head.color);
}

TEST(ImageFile, ReadsProgressiveJpegs) {
  const std::string bytes = progressive();
  ImageHead head{};
  const std::vector<std::uint8_t> pixels = parse(bytes, &head);
  EXPECT_EQ(head.width, 8);
  EXPECT_FALSE(head.color);
  EXPECT_THAT(pixels, ::testing::Each(128));
  // Without the scan that begins them, the pixels would be what was in memory.
  std::string headless = bytes;
  headless.erase(headless.find("\xff\xda"), 11);
  EXPECT_THAT(refusal(headless), HasSubstr("cannot be read (Inconsistent progression"));
}

TEST(ImageFile, TheHeadIsCheckedBeforeAnythingIsDecoded) {
  // Says 8,192 x 8,191 pixels, which take 268 MB.
  std::string large = jpeg();
  const std::size_t frame = large.find("\xff\xc0");
  ASSERT_NE(frame, large.npos);
  large.replace(frame + 5, 4, std::string("\x1f\xff\x20\x00", 4));
  EXPECT_THROW(parse_image(large, "x",
                           [](const ImageHead& head) {
                             EXPECT_EQ(head.width, 8192);
                             fail("too large for me");
                           }),
               Error);
  large.replace(frame + 5, 4, std::string("\xf0\x00\xf0\x00", 4));
  EXPECT_THAT(refusal(large), HasSubstr("image is 61440 x 61440 pixels; give one of at most 8192 a side"));
  large.replace(frame + 5, 4, std::string("\xff\xff\xff\xff", 4));
  EXPECT_THAT(refusal(large), HasSubstr("cannot be read (Maximum supported image dimension is"));
}

TEST(ImageFile, EveryCutIsTold) {
  for (const std::string& bytes : {jpeg(), bmp(), tga(false), tga(true)})
    for (std::size_t length = 0; length < bytes.size(); length += length < 1000 ? 1 : 17) {
      EXPECT_THAT(refusal(bytes.substr(0, length)), AnyOf(HasSubstr("cannot be read"), HasSubstr("is no PNG")))
          << length << " of " << bytes.size();
    }
}

TEST(ImageFile, AnyChangedByteGivesAnImageOrASentence) {
  std::uint32_t state = 1;
  for (const std::string& whole : {jpeg(), progressive(), bmp(), tga(false), tga(true)})
    for (int k = 0; k < 4000; ++k) {
      std::string bytes = whole;
      for (int changes = 0; changes < 3; ++changes) {
        state = state * 1664525 + 1013904223;
        bytes[(state >> 8) % std::min<std::size_t>(bytes.size(), 700)] = static_cast<char>(state >> 3);
      }
      try {
        parse_image(bytes, "image", [](const ImageHead& head) {
          if (head.width * head.height > 1 << 20) fail("too large");
        });
      } catch (const Error&) {
      }
    }
}

TEST(ImageFile, OtherFormatsAreNotTakenForTheseByTheirNames) {
  for (const char* bytes : {"", "GIF89a....................", "P6\n2 2\n255\n............", "8BPS..................",
                            "#?RADIANCE\n..................", "RIFF....WEBPVP8 ............"})
    EXPECT_THAT(refusal(bytes), HasSubstr("is no PNG, JPEG, BMP or TGA")) << bytes;
  for (const char* name : {"a.png", "a.PNG", "b.jpg", "b.JPeG", "c.bmp", "d.tga"}) EXPECT_TRUE(is_image_name(name));
  for (const char* name : {"a.gif", "png", "a.png.txt", ".tga"}) EXPECT_FALSE(is_image_name(name)) << name;
}

TEST(ImageFile, TransparencyIsRefusedUnlessAllIsOpaque) {
  std::vector<std::uint8_t> rgba(4 * 4 * 4, 255);
  std::string bytes;
  stbi_write_tga_to_func(append, &bytes, 4, 4, 4, rgba.data());
  EXPECT_EQ(refusal(bytes), "");
  rgba[7] = 200;
  bytes.clear();
  stbi_write_tga_to_func(append, &bytes, 4, 4, 4, rgba.data());
  EXPECT_THAT(refusal(bytes), HasSubstr("has transparency"));
}

// 8 x 8 pixels of four inks, kept as what they leave of the light.
std::string inks(std::array<std::uint8_t, 4> pixel) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long length = 0;
  jpeg_mem_dest(&jpeg, &bytes, &length);
  jpeg.image_width = jpeg.image_height = 8;
  jpeg.input_components = 4;
  jpeg.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<std::uint8_t> row;
  for (int k = 0; k < 8; ++k) row.insert(row.end(), pixel.begin(), pixel.end());
  JSAMPROW rows[] = {row.data()};
  while (jpeg.next_scanline < jpeg.image_height) jpeg_write_scanlines(&jpeg, rows, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const std::string out(reinterpret_cast<char*>(bytes), length);
  std::free(bytes);
  return out;
}

TEST(ImageFile, BlackInkTakesItsShareOfEachColour) {
  const std::vector<std::uint8_t> pixels = parse(inks({200, 100, 50, 102}));
  ASSERT_EQ(pixels.size(), 3u * 64);
  for (std::size_t k = 0; k < pixels.size(); ++k) EXPECT_NEAR(pixels[k], (std::array{80, 40, 20}[k % 3]), 1) << k;
}

TEST(ImageFile, DamagedJpegsAreRefused) {
  const std::string whole = jpeg();
  EXPECT_EQ(refusal(whole), "");
  const auto flaw = [&](const std::string& marker, std::size_t at, const std::string& bytes) {
    std::string changed = whole;
    changed.replace(changed.find(marker) + at, bytes.size(), bytes);
    return refusal(changed);
  };
  // 17 bytes of a table's head: its symbols could be 255 for each of sixteen lengths, but there are 256 places.
  EXPECT_THAT(flaw("\xff\xc4", 5, std::string(16, '\xff')), HasSubstr("Huffman table"));
  EXPECT_THAT(flaw("\xff\xc4", 4, "\x07"), HasSubstr("DHT"));
  EXPECT_THAT(flaw("\xff\xda", 6, "\x33"), HasSubstr("Huffman table 0x03 was not defined"));
  EXPECT_THAT(flaw("\xff\xda", 5, "\x09"), HasSubstr("cannot be read"));
  EXPECT_THAT(flaw("\xff\xc0", 1, "\xc8"), HasSubstr("Unsupported"));
  EXPECT_THAT(flaw("\xff\xc0", 12, "\x03"), HasSubstr("Quantization table 0x03 was not defined"));
  EXPECT_THAT(flaw("\xff\xc4", 0, "\x55"), HasSubstr("extraneous bytes"));
}

TEST(ImageFile, ManyScansAreRefused) {
  std::string bytes = progressive();
  const std::size_t scan = bytes.find("\xff\xda");
  const std::string begun = bytes.substr(scan, 11);
  std::string again;
  for (int k = 0; k < 101; ++k) again += begun;
  EXPECT_THAT(refusal(bytes.insert(scan, again)), HasSubstr("too many scans"));
}

}  // namespace
}  // namespace pairs
