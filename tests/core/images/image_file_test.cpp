#include "core/images/image_file.h"

#include <gmock/gmock.h>
#include <jpeglib.h>
#include <png.h>
#include <stb_image_write.h>
#include <webp/encode.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

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
// Gray, 8 x 8, in two scans: of the constant term and of the others, each without a difference.
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

// Pixels of so many channels (gray, gray and alpha, RGB, RGBA) as a PNG.
std::string png(const std::vector<std::uint8_t>& pixels, int width, int height, unsigned format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<unsigned>(width);
  image.height = static_cast<unsigned>(height);
  image.format = format;
  png_alloc_size_t length = 0;
  png_image_write_to_memory(&image, nullptr, &length, 0, pixels.data(), 0, nullptr);
  std::string bytes(length, '\0');
  png_image_write_to_memory(&image, bytes.data(), &length, 0, pixels.data(), 0, nullptr);
  return bytes;
}
std::string webp(const std::vector<std::uint8_t>& rgba, int width, int height) {
  std::uint8_t* data = nullptr;
  const std::size_t length = WebPEncodeLosslessRGBA(rgba.data(), width, height, 4 * width, &data);
  std::string bytes(reinterpret_cast<char*>(data), length);
  WebPFree(data);
  return bytes;
}
std::vector<std::uint8_t> with_alpha(const std::vector<std::uint8_t>& rgb, std::uint8_t alpha) {
  std::vector<std::uint8_t> out;
  for (std::size_t k = 0; k < rgb.size(); k += 3) out.insert(out.end(), {rgb[k], rgb[k + 1], rgb[k + 2], alpha});
  return out;
}
std::string pnm(char kind, const std::string& rest) {
  return std::string("P") + kind + "\n# a comment\n" + rest;
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

TEST(ImageFile, KnowsGrayFromColor) {
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
  // The header claims 8,192 x 8,191 pixels, which take 268 MB.
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
  const std::vector<std::uint8_t> rgb = ramp();
  const std::string map = "P6 20 12 255\n" + std::string(rgb.begin(), rgb.end());
  for (const std::string& bytes :
       {jpeg(), bmp(), tga(false), tga(true), map, webp(with_alpha(rgb, 255), kWidth, kHeight)})
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

TEST(ImageFile, OtherFormatsAreNamedByTheirFirstBytes) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> kinds[] = {
      {"GIF89a...................."s, "is a GIF, which is not read; save it as PNG"},
      {"II*\0..................."s, "is a TIFF"},
      {"MM\0*..................."s, "is a TIFF"},
      {"\0\0\0\x18"
       "ftypheic........"s,
       "is a HEIC"},
      {"\0\0\0\x18"
       "ftypavif........"s,
       "is an AVIF"},
      {"\0\0\0\x0cJXL .........."s, "is a JPEG XL"},
      {"8BPS.................."s, "is a Photoshop file"},
      {"#?RADIANCE\n.................."s, "is a Radiance file"},
      {"RIFF....WEBPVP8 ............"s, "cannot be read (no whole WebP)"},
      {""s, "is no PNG, JPEG, WebP, BMP, TGA or PPM"},
      {"x,y\n1,2\n"s, "is no PNG, JPEG, WebP, BMP, TGA or PPM"}};
  for (const auto& [bytes, words] : kinds) EXPECT_THAT(refusal(bytes), HasSubstr(words)) << bytes;
  for (const char* name : {"a.png", "a.PNG", "b.jpg", "b.JPeG", "c.bmp", "d.tga", "e.webp", "f.ppm", "g.gif", "h.HEIC"})
    EXPECT_TRUE(is_image_name(name)) << name;
  for (const char* name : {"a.txt", "png", "a.png.txt", ".tga"}) EXPECT_FALSE(is_image_name(name)) << name;
}

TEST(ImageFile, AFoldersImagesAreKnownByTheirFirstBytesToo) {
  const TemporaryFolder folder;
  const auto put = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  put("a.png", png(ramp(), kWidth, kHeight, PNG_FORMAT_RGB));
  put("b", png(ramp(), kWidth, kHeight, PNG_FORMAT_RGB));
  put("c.dat", jpeg());
  put("d.bin", "GIF89a......");
  put("e.txt", "notes");
  std::string left_out;
  EXPECT_EQ(image_names(folder.path(), "", left_out), (std::vector<std::string>{"a.png", "b", "c.dat", "d.bin"}));
  EXPECT_THAT(left_out, HasSubstr("1 file in"));
  EXPECT_THAT(left_out, HasSubstr("e.txt"));
}

TEST(ImageFile, PortableMapsAreReadAsTextAndAsBytes) {
  using Pixels = std::vector<std::uint8_t>;
  const auto gray = [](std::initializer_list<int> values) {
    Pixels out;
    for (const int v : values) out.insert(out.end(), 3, static_cast<std::uint8_t>(v));
    return out;
  };
  EXPECT_EQ(parse(pnm('2', "2 2\n255\n0 10 20 # half\n255\n")), gray({0, 10, 20, 255}));
  EXPECT_EQ(parse(pnm('2', "2 1\n15\n0 15\n")), gray({0, 255}));
  EXPECT_EQ(parse(pnm('5', "2 2\n255\n\x01\x02\x03\x04")), gray({1, 2, 3, 4}));
  EXPECT_EQ(parse(pnm('1', "3 2\n101\n0 1 0\n")), gray({0, 255, 0, 255, 0, 255}));
  EXPECT_EQ(parse(pnm('4', "9 1\n\x80\x80")), gray({0, 255, 255, 255, 255, 255, 255, 255, 0}));
  EXPECT_EQ(parse(pnm('3', "1 1 255 1 2 3")), (Pixels{1, 2, 3}));
  EXPECT_EQ(parse(pnm('6', "1 2\n255\n123456")), (Pixels{'1', '2', '3', '4', '5', '6'}));
  EXPECT_THAT(refusal(pnm('5', "2 2\n65535\n12345678")), HasSubstr("has 16 bits a channel; save it with 8"));
  EXPECT_THAT(refusal(pnm('5', "2 2\n255\n123")), HasSubstr("cut short"));
  EXPECT_THAT(refusal(pnm('2', "2 2\n15\n1 2 3 16")), HasSubstr("a value lies above"));
  EXPECT_THAT(refusal(pnm('2', "9000 2\n15\n")), HasSubstr("at most 8192 a side"));
}

// Where the first row and column of the stored image lie, by the table of the EXIF standard.
TEST(ImageFile, PhotographsStandUprightHoweverTheCameraWasHeld) {
  const std::vector<std::uint8_t> upright = ramp();
  for (const bool big : {false, true})
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const bool across = orientation >= 5;
      const int rows = across ? kWidth : kHeight, columns = across ? kHeight : kWidth;
      std::vector<std::uint8_t> stored;
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
          const bool bottom = orientation == 3 || orientation == 4, right = orientation == 2 || orientation == 3;
          int y = bottom ? kHeight - 1 - r : r, x = right ? kWidth - 1 - c : c;
          if (across) {  // row 0 is a side, column 0 the top or the bottom
            x = orientation == 6 || orientation == 7 ? kWidth - 1 - r : r;
            y = orientation == 7 || orientation == 8 ? kHeight - 1 - c : c;
          }
          for (int k = 0; k < 3; ++k) stored.push_back(upright[static_cast<std::size_t>(3 * (y * kWidth + x) + k)]);
        }
      const auto o = static_cast<char>(orientation);
      const std::string tags =
          big ? std::string("MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0", 19) + o + std::string(6, '\0')
              : std::string("II*\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0", 18) + o + std::string(7, '\0');
      const auto length = [](std::size_t n) {
        return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
                           static_cast<char>(n)};
      };
      std::string chunk = "eXIf" + tags;
      const auto crc = crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<unsigned>(chunk.size()));
      std::string bytes = png(stored, columns, rows, PNG_FORMAT_RGB);
      bytes.insert(bytes.find("IDAT") - 4, length(tags.size()) + chunk + length(crc));
      ImageHead head{};
      EXPECT_EQ(parse(bytes, &head), upright) << orientation;
      EXPECT_EQ(head.width, kWidth);
      EXPECT_EQ(head.height, kHeight);
      // A JPEG whose pixels differ by its compression alone.
      std::string photograph;
      stbi_write_jpg_to_func(append, &photograph, columns, rows, 3, stored.data(), 100);
      const std::string marker = std::string("Exif\0\0", 6) + tags;
      photograph.insert(2, "\xff\xe1" + length(marker.size() + 2).substr(2) + marker);
      const std::vector<std::uint8_t> turned = parse(photograph, &head);
      EXPECT_EQ(head.width, kWidth);
      ASSERT_EQ(turned.size(), upright.size());
      for (std::size_t k = 0; k < turned.size(); ++k)
        ASSERT_NEAR(turned[k], upright[k], 12) << orientation << ", " << k;
    }
}

TEST(ImageFile, AnAlphaChannelThatIsOpaqueIsLeftOut) {
  const std::vector<std::uint8_t> rgb = ramp();
  EXPECT_EQ(parse(png(rgb, kWidth, kHeight, PNG_FORMAT_RGB)), rgb);
  EXPECT_EQ(parse(png(with_alpha(rgb, 255), kWidth, kHeight, PNG_FORMAT_RGBA)), rgb);
  EXPECT_EQ(parse(webp(with_alpha(rgb, 255), kWidth, kHeight)), rgb);
  for (const bool one : {false, true}) {
    std::vector<std::uint8_t> clear = with_alpha(rgb, one ? 255 : 0);
    if (one) clear[4 * 7 + 3] = 254;
    for (const std::string& bytes : {png(clear, kWidth, kHeight, PNG_FORMAT_RGBA), webp(clear, kWidth, kHeight)})
      EXPECT_THAT(refusal(bytes), HasSubstr(one ? "has transparency (1 of its 240 pixels" : "240 of its 240 pixels"));
  }
  std::vector<std::uint8_t> gray, gray_alpha;
  for (int k = 0; k < 16; ++k) {
    gray.insert(gray.end(), 3, static_cast<std::uint8_t>(16 * k));
    gray_alpha.insert(gray_alpha.end(), {static_cast<std::uint8_t>(16 * k), 255});
  }
  ImageHead head{};
  EXPECT_EQ(parse(png(gray_alpha, 4, 4, PNG_FORMAT_GA), &head), gray);
  EXPECT_FALSE(head.color);
  gray_alpha[1] = 0;
  EXPECT_THAT(refusal(png(gray_alpha, 4, 4, PNG_FORMAT_GA)), HasSubstr("has transparency"));
}

TEST(ImageFile, DeepPngsAreRefused) {
  const std::vector<std::uint8_t> linear(2 * 3 * 16, 100);
  EXPECT_THAT(refusal(png(linear, 4, 4, PNG_FORMAT_LINEAR_RGB)), HasSubstr("has 16 bits a channel; save it with 8"));
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

TEST(ImageFile, BlackInkTakesItsShareOfEachColor) {
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
