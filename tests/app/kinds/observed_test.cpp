#include "app/kinds/observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "core/base/files/npz.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

class ObservedTest : public testing::Test {
 protected:
  ObservedTest() {
    folder_ = std::filesystem::temp_directory_path() / ("pairs-observed-" + std::to_string(getpid()) + "-" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  ~ObservedTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  void write_png(const std::string& name, std::uint32_t format, int side, const std::vector<std::uint8_t>& pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = static_cast<png_uint_32>(side);
    image.format = format;
    ASSERT_TRUE(png_image_write_to_file(&image, (folder_ / name).c_str(), 0, pixels.data(), 0, nullptr));
  }
  // The sentence with which reading is refused.
  std::string refusal(const std::filesystem::path& path, const TaskInfo& task) {
    try {
      read_observed(path, task);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  }

  static TaskInfo points(std::int64_t columns) {
    TaskInfo info;
    info.name = "dots";
    info.targets.push_back({"a", "a", "", 0, 1, 0, 1, 1, 0, 1});
    info.kind = ObservationKind::points;
    info.observation_shape = {columns};
    for (std::int64_t c = 0; c < columns; ++c) info.observation_columns.push_back("x" + std::to_string(c + 1));
    info.max_n = 100;
    return info;
  }
  static TaskInfo images() {
    TaskInfo info = points(1);
    info.kind = ObservationKind::image;
    info.observation_shape = {1, 4, 4};
    return info;
  }

  std::filesystem::path folder_;
};

TEST_F(ObservedTest, ReadsCsvColumnsByTheirNames) {
  write("a.csv", "x1,x2\n1,2\n3,4.5\n-1,0\n");
  write("b.csv", "x2,x1\n2,1\n4.5,3\n0,-1\n");
  write("c.csv", "u,v\n1,2\n");
  write("d.csv", "anything\n1\n");
  const torch::Tensor expected = torch::tensor({{1.0, 2.0}, {3.0, 4.5}, {-1.0, 0.0}}, torch::kFloat32);
  EXPECT_TRUE(read_observed(folder_ / "a.csv", points(2)).x.block().equal(expected));
  EXPECT_TRUE(read_observed(folder_ / "b.csv", points(2)).x.block().equal(expected));
  EXPECT_THAT(refusal(folder_ / "c.csv", points(2)), testing::HasSubstr("columns u, v"));
  EXPECT_EQ(read_observed(folder_ / "d.csv", points(1)).x.block().size(0), 1);
}

TEST_F(ObservedTest, TakesTheColumnsThatAreChosen) {
  write("named.csv", "id,energy,x1\n7,0.5,1\n8,-2,3\n");
  const ObservedTable own = read_observed_columns(folder_ / "named.csv", points(1), 100, {});
  EXPECT_EQ(own.columns, (std::vector<std::string>{"id", "energy", "x1"}));
  EXPECT_EQ(own.taken, std::vector<std::string>{"x1"});
  const ObservedTable chosen = read_observed_columns(folder_ / "named.csv", points(2), 100, {{"energy", "id"}});
  EXPECT_EQ(chosen.taken, (std::vector<std::string>{"energy", "id"}));
  EXPECT_TRUE(chosen.x.block().equal(torch::tensor({{0.5, 7.0}, {-2.0, 8.0}}, torch::kFloat32)));
  write("bare.csv", "7,0.5,1\n8,-2,3\n");
  EXPECT_TRUE(read_observed_columns(folder_ / "bare.csv", points(1), 100, {{"column 2"}})
                  .x.block()
                  .equal(torch::tensor({{0.5}, {-2.0}}, torch::kFloat32)));
  EXPECT_EQ(read_observed_columns(folder_ / "bare.csv", points(3), 100, {}).taken,
            (std::vector<std::string>{"column 1", "column 2", "column 3"}));
  try {
    read_observed(folder_ / "bare.csv", points(2));
    ADD_FAILURE();
  } catch (const ColumnsError& error) {
    EXPECT_EQ(error.columns(), (std::vector<std::string>{"column 1", "column 2", "column 3"}));
  }
  EXPECT_THAT(refusal(folder_ / "bare.csv", points(2)), testing::HasSubstr("has 3 columns"));
  const auto refused = [&](const std::vector<std::string>& columns) {
    try {
      read_observed_columns(folder_ / "named.csv", points(1), 100, {columns});
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(read_observed_columns(folder_ / "named.csv", points(1), 100, {{"column 2"}}).taken,
            std::vector<std::string>{"energy"})
      << "by its number where none is called so";
  EXPECT_THAT(refused({"column 4"}), testing::HasSubstr("has 3 columns, and there is no column 4 among them"));
  write("twice.csv", "x1,x1\n1,2\n3,4\n");
  EXPECT_THAT(refusal(folder_ / "twice.csv", points(1)), testing::HasSubstr("has more than one column x1"));
  for (const char* file : {"named.csv", "bare.csv"}) {
    const std::string name = file == std::string("bare.csv") ? "column 1" : "energy";
    EXPECT_THROW(read_observed_columns(folder_ / file, points(2), 100, {{name, name}}), Error) << "one for two";
  }
  EXPECT_THAT(refused({"mass"}), testing::HasSubstr("names its columns id, energy, x1, but mass is needed"));
  EXPECT_THAT(refused({"id", "energy"}), testing::HasSubstr("2 columns named, but an observation of task dots has 1"));
}

TEST_F(ObservedTest, TakesTheTasksColumnsAmongOthers) {
  write("more.csv", "id,x1,when\nfirst,0.5,2024-01-02\n\"a, b\",-2,\n");
  EXPECT_TRUE(
      read_observed(folder_ / "more.csv", points(1)).x.block().equal(torch::tensor({{0.5}, {-2.0}}, torch::kFloat32)));
  write("both.csv", "x2;id;x1\n1;7;2\n3;8;4\n");
  EXPECT_TRUE(read_observed(folder_ / "both.csv", points(2))
                  .x.block()
                  .equal(torch::tensor({{2.0, 1.0}, {4.0, 3.0}}, torch::kFloat32)));
  write("other.csv", "id,energy\na,0.5\n");
  EXPECT_THAT(refusal(folder_ / "other.csv", points(1)),
              testing::HasSubstr("names its columns id, energy, but x1 is needed"));
  write("twice.csv", "x1,x1\n1,2\n");
  EXPECT_THAT(refusal(folder_ / "twice.csv", points(1)), testing::HasSubstr("has more than one column x1"));
  write("text.csv", "id,x1\na,0.5\nb,c\n");
  EXPECT_THAT(refusal(folder_ / "text.csv", points(1)), testing::HasSubstr("line 3: value 2 is 'c', not a number"));
  write("short.csv", "id,x1\n7,0.5\n8\n");
  EXPECT_THAT(refusal(folder_ / "short.csv", points(1)), testing::HasSubstr("1 value where the first line has 2"));
}

TEST_F(ObservedTest, SaysWhenNumbersHaveDecimalCommasOrLinesAnotherSeparator) {
  const auto says = [&](const char* text, std::int64_t columns, const char* part) {
    write("a.csv", text);
    EXPECT_THAT(refusal(folder_ / "a.csv", points(columns)), testing::HasSubstr(part)) << text;
  };
  says("1,5;2.5\n", 2, "line 1: value 2 is '2.5', with a decimal point, but another is '1,5', with a comma");
  says("x1;x2\n1.5;-2,5e3\n", 2, "line 2: value 2 is '-2,5e3', with a decimal comma");
  says("x1\n1,5\n", 1, "line 2: value 1 is '1,5', with a decimal comma");
  says("1,5\n2,5\n", 1, "2 columns but task dots needs 1: x1; if its numbers have decimal commas");
  says("x1,x2\n1,5,2,5\n", 2, "decimal commas");
  says("x1\n1;2\n", 1, "line 2: '1;2' is separated by ';' but the first line is not");
  says("1.5,2\n", 1, "needs 1: x1");
  write("b.csv", "1.5,2\n");
  EXPECT_THAT(refusal(folder_ / "b.csv", points(1)), testing::Not(testing::HasSubstr("decimal")));
}

TEST_F(ObservedTest, ReadsTheOnlyArrayOrTheOneNamedX) {
  write_npz(folder_ / "one.npz", {{"events", torch::tensor({1.0, 2.0}, torch::kFloat64)}});
  EXPECT_EQ(read_observed(folder_ / "one.npz", points(1)).x.block().sizes(), (std::vector<std::int64_t>{2, 1}));
  write_npz(folder_ / "two.npz", {{"x", torch::ones({3, 1})}, {"y", torch::zeros({5, 1})}});
  EXPECT_EQ(read_observed(folder_ / "two.npz", points(1)).x.block().size(0), 3);
  write_npz(folder_ / "sets.npz", {{"x", torch::ones({3, 1})}, {"set", torch::tensor({0, 0, 1}, torch::kInt64)}});
  EXPECT_THAT(refusal(folder_ / "sets.npz", points(1)), testing::HasSubstr("--group set"));
  write_npz(folder_ / "sets.npz", {{"x", torch::ones({3, 1})}, {"offsets", torch::tensor({0, 1, 3}, torch::kInt64)}});
  EXPECT_THAT(refusal(folder_ / "sets.npz", points(1)), testing::HasSubstr("holds 2 sets, by its array \"offsets\""));
  // Columns of their own are no other file.
  for (const char* apart : {"set", "offsets"}) {
    write_npz(folder_ / "columns.npz",
              {{"x1", torch::ones({3})}, {"x2", torch::ones({3})}, {apart, torch::tensor({0, 1, 3}, torch::kInt64)}});
    EXPECT_THAT(refusal(folder_ / "columns.npz", points(2)), testing::HasSubstr("--group set")) << apart;
  }
  write_npz(folder_ / "sets.npz", {{"x", torch::ones({3, 1})}, {"offsets", torch::tensor({0, 3}, torch::kInt64)}});
  EXPECT_EQ(read_observed(folder_ / "sets.npz", points(1)).x.block().size(0), 3) << "one set";
  write_npz(folder_ / "set.npz", {{"x", torch::ones({3, 1})}, {"set", torch::tensor({4, 4, 4}, torch::kInt64)}});
  EXPECT_EQ(read_observed(folder_ / "set.npz", points(1)).x.block().size(0), 3);
  write_npz(folder_ / "none.npz", {{"a", torch::ones({3, 1})}, {"b", torch::zeros({5, 1})}});
  EXPECT_THAT(refusal(folder_ / "none.npz", points(1)), testing::HasSubstr("a, b"));
}

TEST_F(ObservedTest, RefusesWhatDoesNotFitWithOneSentence) {
  write("three.csv", "1,2,3\n");
  EXPECT_THAT(refusal(folder_ / "three.csv", points(2)), testing::HasSubstr("3 columns but task dots needs 2: x1, x2"));
  write_npz(folder_ / "nan.npz", {{"x", torch::tensor({0.0, std::nan(""), 1.0})}});
  EXPECT_THAT(refusal(folder_ / "nan.npz", points(1)), testing::HasSubstr("row 2"));
  write_npz(folder_ / "empty.npz", {{"x", torch::empty({0, 1})}});
  EXPECT_THAT(refusal(folder_ / "empty.npz", points(1)), testing::HasSubstr("no observation"));
  EXPECT_THAT(refusal(folder_ / "missing.csv", points(1)), testing::HasSubstr("does not exist"));
  write("a.txt", "some words\nof nothing\n");
  EXPECT_THAT(refusal(folder_ / "a.txt", points(1)), testing::HasSubstr("a.txt"));
  write("a.bin", std::string("\1\2\3\0\4", 5));
  EXPECT_THAT(refusal(folder_ / "a.bin", points(1)), testing::HasSubstr(".npz"));
  write("b.csv", "1\n");
  EXPECT_THAT(refusal(folder_ / "b.csv", images()), testing::HasSubstr("images"));
  EXPECT_THAT(refusal(folder_, points(1)), testing::HasSubstr("is a folder"));
}

TEST_F(ObservedTest, ScalesIntegerImagesAndAddsTheChannel) {
  write_npz(folder_ / "i.npz", {{"x", torch::full({2, 4, 4}, 51, torch::kUInt8)}});
  const torch::Tensor x = read_observed(folder_ / "i.npz", images()).x;
  EXPECT_EQ(x.sizes(), (std::vector<std::int64_t>{2, 1, 4, 4}));
  EXPECT_FLOAT_EQ(x.max().item<float>(), 0.2f);
}

TEST_F(ObservedTest, ReadsPngsInNameOrder) {
  write_png("b.png", PNG_FORMAT_GRAY, 4, std::vector<std::uint8_t>(16, 255));
  std::vector<std::uint8_t> ramp(16);
  for (std::size_t k = 0; k < 16; ++k) ramp[k] = static_cast<std::uint8_t>(10 * k);
  write_png("a.png", PNG_FORMAT_GRAY, 4, ramp);
  write("notes.txt", "not an image");
  const torch::Tensor x = read_observed(folder_, images()).x;
  ASSERT_EQ(x.sizes(), (std::vector<std::int64_t>{2, 1, 4, 4}));
  EXPECT_FLOAT_EQ(x[0][0][1][2].item<float>(), 60.0f / 255);
  EXPECT_FLOAT_EQ(x[1].min().item<float>(), 1.0f);
}

TEST_F(ObservedTest, WarnsOfPngsOfZerosAndOnes) {
  for (const int brightest : {0, 1, 2, 128, 255})
    for (const bool color : {false, true}) {
      std::vector<std::uint8_t> pixels(color ? 48 : 16, 0);
      pixels[5] = static_cast<std::uint8_t>(brightest);
      write_png("a.png", color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY, 4, pixels);
      write_png("b.png", PNG_FORMAT_GRAY, 4, std::vector<std::uint8_t>(16, 0));
      bool warned = false;
      for (const std::string& warning : read_observed(folder_, images()).warnings)
        warned = warned || warning.find("the largest value in the images of") != std::string::npos;
      EXPECT_EQ(warned, brightest == 1) << brightest << color;
    }
}

TEST_F(ObservedTest, TurnsColorIntoLuminance) {
  std::vector<std::uint8_t> pixels;
  for (int k = 0; k < 16; ++k) pixels.insert(pixels.end(), {200, 100, 50});
  write_png("a.png", PNG_FORMAT_RGB, 4, pixels);
  const double expected = (0.299 * 200 + 0.587 * 100 + 0.114 * 50) / 255;
  EXPECT_NEAR(read_observed(folder_, images()).x.block().mean().item<double>(), expected, 1e-6);
}

TEST_F(ObservedTest, RefusesPngsOfAnotherKind) {
  write_png("a.png", PNG_FORMAT_GRAY, 5, std::vector<std::uint8_t>(25, 0));
  EXPECT_THAT(refusal(folder_, images()), testing::HasSubstr("5 x 5 pixels but the task needs 4 x 4"));
  std::filesystem::remove(folder_ / "a.png");
  EXPECT_THAT(refusal(folder_, images()), testing::HasSubstr("holds no image"));
  write_png("a.png", PNG_FORMAT_RGBA, 4, std::vector<std::uint8_t>(64, 9));
  EXPECT_THAT(refusal(folder_, images()), testing::HasSubstr("transparency"));
  write("a.png", "\x89PNG but broken");
  EXPECT_THAT(refusal(folder_, images()), testing::HasSubstr("cannot be read"));
}

TEST_F(ObservedTest, ScalesImagesByWhatTheirValuesAre) {
  const auto read = [&](const torch::Tensor& x) {
    write_npz(folder_ / "i.npz", {{"x", x}});
    return read_observed(folder_ / "i.npz", images()).x.block().max().item<float>();
  };
  const torch::Tensor mask = torch::eye(4).expand({3, 4, 4});
  EXPECT_EQ(read(mask.to(torch::kUInt8)), 1);
  EXPECT_EQ(read(mask.to(torch::kLong)), 1);
  EXPECT_EQ(read(mask.to(torch::kBool)), 1);
  EXPECT_EQ(read((mask * 255).to(torch::kUInt8)), 1);
  EXPECT_FLOAT_EQ(read((mask * 2).to(torch::kInt)), 2.0f / 255);
  EXPECT_FLOAT_EQ(read(mask * 3), 3);  // noise is not clamped
  const auto says = [&](const torch::Tensor& x, const char* part) {
    write_npz(folder_ / "i.npz", {{"x", x}});
    EXPECT_THAT(refusal(folder_ / "i.npz", images()), testing::HasSubstr(part));
  };
  says(mask * 255, "values from 0 to 255, but black is 0 and white is 1; divide them by 255");
  says(mask * 40 - 20, "values from -20 to 20, but black is 0 and white is 1; rescale them");
  says((mask * 256).to(torch::kInt), "whole numbers outside 0..255");
}

TEST_F(ObservedTest, TellsOfBlankImages) {
  const auto warnings = [&](const torch::Tensor& x) {
    write_npz(folder_ / "i.npz", {{"x", x}});
    return read_observed(folder_ / "i.npz", images()).warnings;
  };
  EXPECT_THAT(warnings(torch::zeros({100, 4, 4})), testing::ElementsAre(testing::HasSubstr("100 of 100 images of")));
  torch::Tensor x = torch::rand({3, 4, 4});
  EXPECT_THAT(warnings(x), testing::IsEmpty());
  x[1].fill_(0.5);
  EXPECT_THAT(warnings(x), testing::ElementsAre(testing::HasSubstr("1 of 3 images of")));
  EXPECT_THAT(warnings(x),
              testing::ElementsAre(testing::HasSubstr("is blank, one color all over (the first is image 2)")));
  write_png("a.png", PNG_FORMAT_GRAY, 4, std::vector<std::uint8_t>(16, 0));
  std::filesystem::remove(folder_ / "i.npz");
  EXPECT_THAT(read_observed(folder_, images()).warnings, testing::ElementsAre(testing::HasSubstr("1 of 1 images")));
}

TEST_F(ObservedTest, OnlyRegularFilesAreImages) {
  write_png("a.png", PNG_FORMAT_GRAY, 4, std::vector<std::uint8_t>(16, 255));
  ASSERT_EQ(::mkfifo((folder_ / "b.png").c_str(), 0600), 0);
  EXPECT_THAT(refusal(folder_, images()), testing::HasSubstr("b.png is a pipe, a device or a link to nothing"));
}

TEST_F(ObservedTest, TellsWhichFilesAreLeftOut) {
  std::vector<std::uint8_t> ramp(16);
  for (std::size_t k = 0; k < 16; ++k) ramp[k] = static_cast<std::uint8_t>(10 * k);
  write_png("a.png", PNG_FORMAT_GRAY, 4, ramp);
  EXPECT_THAT(read_observed(folder_, images()).warnings, testing::IsEmpty());
  for (const char* name : {"d.log", "b.dat", "c.txt", "e", ".hidden"}) write(name, "x");
  EXPECT_THAT(read_observed(folder_, images()).warnings,
              testing::ElementsAre(
                  testing::AllOf(testing::HasSubstr("4 files in"), testing::HasSubstr(": b.dat, c.txt, d.log, ..."))));
}

// What is an image that is not read is refused, whatever it is called: an observation would be missing without it.
TEST_F(ObservedTest, ImagesOfOtherKindsAreRefusedAndNotLeftOut) {
  write_png("a.png", PNG_FORMAT_GRAY, 4, std::vector<std::uint8_t>(16, 100));
  for (const char* name : {"b.gif", "b", "b.png"}) {
    write(name, "GIF89a............");
    EXPECT_THAT(refusal(folder_, images()), testing::HasSubstr("is a GIF, which is not read; save it as PNG")) << name;
    std::filesystem::remove(folder_ / name);
  }
  write_png("c.dat", PNG_FORMAT_GRAY, 4, std::vector<std::uint8_t>(16, 200));
  EXPECT_EQ(read_observed(folder_, images()).held, 2);
}

TEST_F(ObservedTest, UnpacksNoMoreOfAFileThanIsAskedFor) {
  // The file is damaged far behind its first rows. Reading all of it is an error; reading the first rows is not.
  write_npz(folder_ / "x.npz", {{"x", torch::rand({1 << 20}, torch::kFloat64)}, {"y", torch::zeros({2})}});
  std::fstream file(folder_ / "x.npz", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4 << 20);
  file << std::string(1000, '\xff');
  file.close();
  EXPECT_THAT(refusal(folder_ / "x.npz", points(1)),
              testing::AnyOf(testing::HasSubstr("damaged"), testing::HasSubstr("cut short")));
  const Observed first = read_observed(folder_ / "x.npz", points(1), 1000);
  EXPECT_EQ(first.held, 1 << 20);
  EXPECT_EQ(first.x.block().sizes(), (std::vector<std::int64_t>{1000, 1}));
  // An array that nobody asked for is left alone.
  write_npz(folder_ / "y.npz", {{"x", torch::rand({7})}, {"y", torch::rand({1 << 20}, torch::kFloat64)}});
  std::fstream other(folder_ / "y.npz", std::ios::in | std::ios::out | std::ios::binary);
  other.seekp(4 << 20);
  other << std::string(1000, '\xff');
  other.close();
  EXPECT_EQ(read_observed(folder_ / "y.npz", points(1)).held, 7);
}

TEST_F(ObservedTest, ReadsThetaByTheNamesOfItsColumns) {
  TaskInfo task = points(1);
  task.targets = {{"theta1", "", "", 0, 1, 0, 1, 1, 0, 1}, {"theta2", "", "", 0, 1, 0, 1, 1, 0, 1}};
  write("t.csv", "theta2,id,theta1\n0.2,7,0.1\n0.4,8,0.3\n");
  const torch::Tensor expected = torch::tensor({{0.1, 0.2}, {0.3, 0.4}}, torch::kFloat64);
  EXPECT_TRUE(read_theta(folder_ / "t.csv", task).equal(expected));
  write("t.csv", "0.1,0.2\n0.3,0.4\n");
  EXPECT_TRUE(read_theta(folder_ / "t.csv", task).equal(expected));
  write("t.csv", "a,b\n0.1,0.2\n");
  EXPECT_THAT([&] { read_theta(folder_ / "t.csv", task); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("names its columns a, b, but theta1, theta2 are")));
}

TEST_F(ObservedTest, ReadsThetaRows) {
  write("t.csv", "0.1\n0.2\n");
  EXPECT_EQ(read_theta(folder_ / "t.csv", points(1)).sizes(), (std::vector<std::int64_t>{2, 1}));
  write("wide.csv", "0.1,0.2\n");
  EXPECT_THROW(read_theta(folder_ / "wide.csv", points(1)), Error);
}

}  // namespace
}  // namespace pairs
