#include "app/model/files/file_preview.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <torch/torch.h>

#include <fstream>

#include "core/base/files/files.h"
#include "core/base/files/npy.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/report/png.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/tasks/own/tables/table_writers.h"

namespace pairs::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
namespace fs = std::filesystem;

class FilePreviewTest : public ::testing::Test {
 protected:
  static FilePreview preview(const fs::path& path) {
    return preview_of(built_in_tasks(), path, [] { return false; });
  }
  FilePreview written(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return preview(folder_ / name);
  }
  static std::string npy_bytes() {
    return npy_header_text(torch::kFloat32, {5, 4}, "theta") + std::string(5 * 4 * 4, '\0');
  }
  static std::string fact(const FilePreview& of, const std::string& key) {
    for (const auto& [name, value] : of.facts)
      if (name == key) return value;
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(FilePreviewTest, TellsTheArraysOfAnNpzFile) {
  write_npz(folder_ / "set.npz", {{"x", torch::zeros({1000, 3, 8})}, {"theta", torch::zeros({1000, 2})}});
  const FilePreview reported = preview(folder_ / "set.npz");
  EXPECT_EQ(reported.title, "2 arrays");
  EXPECT_THAT(reported.facts, testing::UnorderedElementsAre(Pair("theta", "1000 × 2"), Pair("x", "1000 × 3 × 8")));
  const std::string bytes = read_file(folder_ / "set.npz");
  EXPECT_NE(written("cut.npz", bytes.substr(0, bytes.size() / 2)).problem, "");
  EXPECT_NE(written("no.npz", "no archive").problem, "");
}

TEST_F(FilePreviewTest, TellsTheShapeOfAnNpyFile) {
  const FilePreview reported = written("theta.npy", npy_bytes());
  EXPECT_EQ(reported.title, "1 array");
  EXPECT_THAT(reported.facts, ElementsAre(Pair("theta", "5 × 4")));
  EXPECT_THAT(written("cut.npy", npy_bytes().substr(0, 20)).problem, HasSubstr("cut short"));
}

TEST_F(FilePreviewTest, SaysWhatIsWrongWithAnHdf5File) {
  EXPECT_THAT(written("sets.h5", "no HDF5").problem, HasSubstr("sets.h5"));
}

TEST_F(FilePreviewTest, CountsColumnsAndRowsOfATable) {
  FilePreview reported = written("points.csv", "# from the telescope\nenergy,angle\n1.5,2\n2,3\n\n3,4\n");
  EXPECT_EQ(fact(reported, "Columns"), "2: energy, angle");
  EXPECT_EQ(fact(reported, "Rows"), "3");
  EXPECT_EQ(reported.lines[1], "energy,angle");
  reported = written("plain.csv", "1;2;3\n4;5;6\n");
  EXPECT_EQ(fact(reported, "Columns"), "3");
  EXPECT_EQ(fact(reported, "Rows"), "2");
  reported = written("excel.tsv", "sep=\t\nx\ty z\n0,5\t\"two\nlines\"\n1,5\tb\n");
  EXPECT_EQ(fact(reported, "Columns"), "2: x, y z");
  EXPECT_EQ(fact(reported, "Rows"), "2");
  EXPECT_EQ(fact(written("saved.txt", "# a b\n1.5e+00 2\n2.5 3\n"), "Rows"), "2") << "a text that holds a table";
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "0.125\n";
  EXPECT_EQ(fact(written("many.csv", many), "Rows"), "about 100,000") << "only the beginning is read";
}

TEST_F(FilePreviewTest, TellsRowsAndColumnsOfATableOfBytes) {
  pairs::table_files::write_fits(folder_ / "a.fits", {1, 2, 3}, {0, 0, 0});
  const FilePreview reported = preview(folder_ / "a.fits");
  if (reported.problem.find("-DPAIRS_FITS=ON") != std::string::npos) GTEST_SKIP() << "this build reads no FITS files";
  EXPECT_EQ(reported.title, "Table");
  EXPECT_THAT(reported.facts,
              ElementsAre(Pair("Rows", "3"), Pair("energy", "numbers"), Pair("hits", "numbers"), Pair("name", "text")));
  EXPECT_THAT(written("no.fits", "no table").problem, HasSubstr("no FITS file"));
  EXPECT_THAT(written("no.parquet", "no table").problem, HasSubstr("no.parquet"));
}

TEST_F(FilePreviewTest, ShowsAPictureSmaller) {
  std::vector<std::uint8_t> rgb(3 * 640 * 400, 10);
  rgb[0] = 250;
  const FilePreview reported = written("a.png", chart::encode_png(640, 400, rgb));
  EXPECT_EQ(reported.problem, "");
  EXPECT_EQ(fact(reported, "Size"), "640 × 400 pixels");
  ASSERT_TRUE(reported.picture);
  EXPECT_EQ(reported.picture->width, 320);
  EXPECT_EQ(reported.picture->height, 200);
  EXPECT_EQ(reported.picture->rgb[0], 70) << "the mean of what a pixel covers";
  EXPECT_EQ(reported.picture->rgb[3], 10);
  const FilePreview damaged = written("b.png", chart::encode_png(640, 400, rgb).substr(0, 100));
  EXPECT_NE(damaged.problem, "");
  EXPECT_FALSE(damaged.picture);
}

TEST_F(FilePreviewTest, ShowsTheFirstLinesOfATextAndNothingOfBytes) {
  EXPECT_THAT(written("a.txt", "one\r\ntwo\tthree\n\x01\n").lines, ElementsAre("one", "two three", "\\x01"));
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "line\n";
  EXPECT_LT(written("many.txt", many).lines.size(), 30u);
  EXPECT_EQ(written("empty.txt", "").title, "Empty file");
  const FilePreview bytes = written("a.bin", std::string("\0\1\2", 3));
  EXPECT_EQ(bytes.title, "File of bytes");
  EXPECT_TRUE(bytes.lines.empty());
}

TEST_F(FilePreviewTest, TellsTaskPresetAndStateOfARun) {
  const fs::path run = create_run(small_config("gaussian"), folder_ / "run");
  FilePreview reported = preview(run);
  EXPECT_EQ(reported.title, "Run");
  EXPECT_EQ(fact(reported, "Task"), "gaussian");
  EXPECT_EQ(fact(reported, "Preset"), "quick");
  EXPECT_EQ(fact(reported, "State"), "stopped in stage 1");
  EXPECT_EQ(fact(preview(run / "run.toml"), "Task"), "gaussian");
  QuietMonitor quiet;
  execute_run(built_in_tasks(), run, quiet);
  EXPECT_EQ(fact(preview(run), "State"), "finished");
  std::ofstream(run / "run.toml") << "task = ";
  EXPECT_NE(preview(run).problem, "");
}

TEST_F(FilePreviewTest, TellsTitleTargetsAndObservationsOfATask) {
  const fs::path example = fs::path(PAIRS_SOURCE_DIR) / "assets/examples/bump-hunt-python";
  for (const fs::path& path : {example, example / "task.toml"}) {
    const FilePreview reported = preview(path);
    EXPECT_EQ(reported.title, "Task: Bump hunt in Python");
    EXPECT_EQ(fact(reported, "θ"), "θ, signal fraction");
    EXPECT_EQ(fact(reported, "ψ"), "ψ");
    EXPECT_THAT(fact(reported, "x"), HasSubstr("(x)"));
  }
  std::ofstream(folder_ / "task.toml") << "name = 3";
  EXPECT_NE(preview(folder_ / "task.toml").problem, "");
}

TEST_F(FilePreviewTest, CountsWhatIsInOtherFolders) {
  fs::create_directory(folder_ / "inner");
  std::ofstream(folder_ / "a.png") << "x";
  std::ofstream(folder_ / "b.txt") << "x";
  const FilePreview reported = preview(folder_.path());
  EXPECT_THAT(reported.facts, ElementsAre(Pair("Folders", "1"), Pair("Files", "2"), Pair("Pictures", "1")));
  EXPECT_FALSE(reported.plain);
  EXPECT_TRUE(preview(folder_ / "inner").plain);
  create_run(small_config("gaussian"), folder_ / "inner" / "run");
  EXPECT_EQ(preview(folder_ / "inner").title, "Folder of runs");
  EXPECT_FALSE(preview(folder_ / "inner").plain);
}

TEST_F(FilePreviewTest, WaitsForNoPipe) {
  for (const char* name : {"pipe.csv", "pipe.npz", "pipe.h5", "pipe.png", "task.toml", "pipe"}) {
    ASSERT_EQ(::mkfifo((folder_ / name).c_str(), 0600), 0);
    EXPECT_THAT(preview(folder_ / name).problem, HasSubstr("no regular file")) << name;
  }
  fs::create_directory(folder_ / "run");
  ASSERT_EQ(::mkfifo((folder_ / "run" / "run.toml").c_str(), 0600), 0);
  EXPECT_EQ(preview(folder_ / "run").title, "Folder");
  EXPECT_NE(preview(folder_ / "gone").problem, "");
  EXPECT_THROW(preview_of(built_in_tasks(), folder_.path(), [] { return true; }), Stopped);
}

}  // namespace
}  // namespace pairs::model
