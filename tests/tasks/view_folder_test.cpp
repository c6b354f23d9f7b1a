#include "tasks/view_folder.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <stb_image_write.h>
#include <sys/stat.h>

#include <fstream>
#include <numbers>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

class ViewFolderTest : public ::testing::Test {
 protected:
  void table(const std::string& text) { std::ofstream(folder_ / kCamerasFile) << text; }
  // A PNG of that format with these samples.
  void png(const std::string& name, std::uint32_t format, std::uint32_t width, std::uint32_t height,
           const std::vector<std::uint8_t>& samples) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = format;
    ASSERT_TRUE(png_image_write_to_file(&image, (folder_ / name).c_str(), 0, samples.data(), 0, nullptr));
  }
  // A color PNG of side 2 whose samples are all `value`.
  void plain(const std::string& name, std::uint8_t value) {
    png(name, PNG_FORMAT_RGB, 2, 2, std::vector<std::uint8_t>(12, value));
  }
  std::string refusal() const {
    try {
      read_view_folder(folder_.path(), 2, 1.25);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ViewFolderTest, ReadsInTheOrderOfNamesWhateverTheTable) {
  plain("b.png", 51);
  plain("a, too.PNG", 255);
  plain("c.png", 0);
  std::ofstream(folder_ / "notes.txt") << "not a view";
  const double degree = std::numbers::pi / 180;
  const torch::Tensor cameras =
      at::tensor({-30.5, 45.0, 360.0, -90.0, 0.0, 22.5}, torch::kFloat64).view({3, 2}) * degree;
  for (const char* text : {"file,azimuth,elevation\nc.png,0,22.5\n\"a, too.PNG\",-30.5,45\nb.png,360,-90\n",
                           "\xef\xbb\xbf"
                           "when;elevation;file;azimuth\r\n# by hand\r\n\r\nx;-90;b.png;+360\r\n"
                           "y;45;a, too.PNG;-30.5\r\n ; 22.5 ; c.png ; 0 "}) {
    table(text);
    const ViewFolder views = read_view_folder(folder_.path(), 2, 1.25);
    ASSERT_EQ(views.images.sizes(), (std::vector<std::int64_t>{3, 3, 2, 2}));
    EXPECT_TRUE(views.images.amax({1, 2, 3}).allclose(at::tensor({1.0f, 0.2f, 0.0f})));
    EXPECT_TRUE(views.images.amin({1, 2, 3}).allclose(at::tensor({1.0f, 0.2f, 0.0f})));
    EXPECT_TRUE(views.cameras.allclose(cameras, 0, 1e-12)) << views.cameras;
  }
}

TEST_F(ViewFolderTest, ReadsEveryFormatAndTellsWhatIsLeftOut) {
  const auto path = [&](const char* name) { return (folder_ / name).string(); };
  const std::vector<std::uint8_t> samples(12, 51);
  plain("a.png", 51);
  stbi_write_bmp(path("b.bmp").c_str(), 2, 2, 3, samples.data());
  stbi_write_jpg(path("c.JPG").c_str(), 2, 2, 3, samples.data(), 100);
  stbi_write_tga(path("d.tga").c_str(), 2, 2, 3, samples.data());
  table("file,azimuth,elevation\na.png,0,45\nb.bmp,0,45\nc.JPG,0,45\nd.tga,0,45\n");
  ViewFolder views = read_view_folder(folder_.path(), 2, 1.25);
  ASSERT_EQ(views.images.size(0), 4);
  EXPECT_TRUE(views.images.allclose(at::full({4, 3, 2, 2}, 0.2f), 0, 0.01));
  EXPECT_EQ(views.left_out, "");
  std::ofstream(folder_ / "e.log") << "RIFF";
  EXPECT_THAT(read_view_folder(folder_.path(), 2, 1.25).left_out, HasSubstr("its name does not end in .png"));
  ASSERT_EQ(::mkfifo(path("f.png").c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("f.png is a pipe, a device or a link to nothing"));
}

TEST_F(ViewFolderTest, ReducesLargerImagesToTheMeansOfTheirSquares) {
  std::vector<std::uint8_t> samples;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      samples.insert(samples.end(),
                     {static_cast<std::uint8_t>(10 * row + column), static_cast<std::uint8_t>(100 + 20 * row),
                      static_cast<std::uint8_t>(200 + column)});
  png("a.png", PNG_FORMAT_RGB, 4, 4, samples);
  table("file,azimuth,elevation\na.png,0,45\n");
  const torch::Tensor images = read_view_folder(folder_.path(), 2, 1.25).images * 255;
  const torch::Tensor expected =
      at::tensor({5.5f, 7.5f, 25.5f, 27.5f, 110.f, 110.f, 150.f, 150.f, 200.5f, 202.5f, 200.5f, 202.5f});
  EXPECT_TRUE(images.flatten().allclose(expected)) << images;
}

TEST_F(ViewFolderTest, WrittenViewsComeBackToEightBits) {
  const torch::Tensor images = at::arange(7 * 3 * 16, torch::kFloat32).view({7, 3, 4, 4}) / (7 * 3 * 16 - 1);
  const torch::Tensor cameras = at::stack({at::linspace(-6, 6, 7), at::linspace(-1.5, 1.5, 7)}, 1).to(torch::kFloat64);
  write_view_folder(folder_ / "new", images, cameras, 1.25);
  const ViewFolder views = read_view_folder(folder_ / "new", 4, 1.25);
  EXPECT_TRUE((views.images * 255).round().equal((images * 255 + 0.5).floor()));
  EXPECT_TRUE(views.cameras.allclose(cameras, 0, 1e-12));
  EXPECT_THAT(read_file(folder_ / "new/cameras.csv"),
              ::testing::StartsWith("file,azimuth,elevation,half_width\nview_001.png,-"));
  EXPECT_THROW(write_view_folder(folder_ / "many", at::zeros({1000, 3, 1, 1}), at::zeros({1000, 2}), 1.5), Error);
  EXPECT_THAT([&] { read_view_folder(folder_ / "new", 4, 1.5); },
              ::testing::ThrowsMessage<Error>(
                  HasSubstr("line 2: the half_width is 1.25, but this estimator knows views of half-width 1.5")));
}

TEST_F(ViewFolderTest, EveryBadTableGetsOneSentence) {
  const auto says = [&](const char* text, const char* part) {
    table(text);
    EXPECT_THAT(refusal(), HasSubstr(part)) << text;
    EXPECT_EQ(refusal().find('\n'), std::string::npos);
  };
  EXPECT_THAT(refusal(), HasSubstr("holds no image (.png"));
  plain("a.png", 9);
  EXPECT_THAT(refusal(), HasSubstr("holds no cameras.csv"));
  plain("b.png", 9);
  std::ofstream(folder_ / "c.txt") << "text";
  const std::string head = "file,azimuth,elevation\na.png,0,45\n";
  says("", "is empty");
  says("a.png,0,45\nb.png,0,45\n", "must name the columns file, azimuth and elevation");
  says("file,azimuth\na.png,0\n", "must name the columns");
  says("file,azimuth,azimuth,elevation\na.png,0,0,1\n", "must name the columns");
  says("file,azimuth,elevation\n", "no row for the image a.png");
  says(head.c_str(), "no row for the image b.png");
  says((head + "b.png,0\n").c_str(), "line 3: 2 values where the first line has 3");
  says((head + ",0,45\n").c_str(), "line 3: the name of the image is missing");
  says((head + "b.png,0,45\nd.png,0,45\n").c_str(), "line 4: d.png is not in the folder");
  says((head + "b.png,0,45\n../a.png,0,45\n").c_str(), "line 4: ../a.png is not in the folder");
  says((head + "c.txt,0,45\n").c_str(), "line 3: c.txt is no image that ends in .png, .jpg, .webp, .bmp, .tga or .ppm");
  says((head + "b.png,0,45\n\na.png,1,45\n").c_str(), "names a.png twice, in lines 2 and 5");
  for (const char* text : {"", "north", "nan", "inf", "1e999", "30 5", "0x10"})
    says(fmt::format("{}b.png,{},45\n", head, text).c_str(), "line 3: the azimuth is '");
  says("file;azimuth;elevation\na.png;30,5;45\n", "line 2: the azimuth is '30,5', not a number");
  says((head + "b.png,360.5,45\n").c_str(), "line 3: the azimuth 360.5 does not lie between -360 and 360");
  says((head + "b.png,-361,45\n").c_str(), "line 3: the azimuth -361");
  says((head + "b.png,0,90.01\n").c_str(), "line 3: the elevation 90.01 does not lie between -90 and 90");
  says((head + "b.png,0,-91\n").c_str(), "line 3: the elevation -91");
}

TEST_F(ViewFolderTest, EveryBadImageGetsOneSentence) {
  table("file,azimuth,elevation\na.png,0,45\n");
  const auto says = [&](const char* part) {
    EXPECT_THAT(refusal(), HasSubstr(part));
    EXPECT_THAT(refusal(), HasSubstr("a.png"));
  };
  for (const auto& [width, height] : {std::pair(3, 3), std::pair(1, 1), std::pair(4, 2), std::pair(2, 4)}) {
    png("a.png", PNG_FORMAT_RGB, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
        std::vector<std::uint8_t>(48));
    says(fmt::format("{} x {} pixels but this estimator needs 2 x 2", width, height).c_str());
  }
  png("a.png", PNG_FORMAT_GRAY, 2, 2, std::vector<std::uint8_t>(4));
  says("is gray");
  png("a.png", PNG_FORMAT_RGBA, 2, 2, std::vector<std::uint8_t>(16, 7));
  says("transparency");
  png("a.png", PNG_FORMAT_LINEAR_RGB, 2, 2, std::vector<std::uint8_t>(24));
  says("16 bits");
  std::ofstream(folder_ / "a.png") << "JFIF";
  says("cannot be read");
  const std::string whole = [&] {
    plain("a.png", 9);
    return read_file(folder_ / "a.png");
  }();
  std::ofstream(folder_ / "a.png") << whole.substr(0, whole.size() - 20);
  says("cannot be read");
}

}  // namespace
}  // namespace pairs
