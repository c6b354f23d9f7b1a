// Many sets in files that a person's program reads: a table of all, or a file each; by --reader or the task's [reader].
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "tests/app/batch/bounded_noise.h"

namespace pairs::batch {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class InferReader : public ::testing::Test {
 protected:
  InferReader() { write_file(folder_ / "read.py", kReadText); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, text);
    return path(name);
  }
  std::string reader() const { return fmt::format("/usr/bin/python3 '{}'", path("read.py")); }
  json infer(std::vector<std::string> words, const std::string& run = "bump-hunt", int code = 0) const {
    words.insert(words.begin(), {"infer", run, "--json", "--out", path("answers.json")});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    return answer.code == 2 || answer.out.empty() ? json(answer.err) : json::parse(answer.out);
  }
  TemporaryFolder folder_;
};

constexpr const char* kRows = "1 0.5 0\n1 -0.25 0\n2 1.5 0\n7 2.25 0\n2 1.75 0\n";

TEST_F(InferReader, ATableOfManySetsIsAnsweredAsItsTwinInCsv) {
  std::string csv = std::string("run x other\n") + kRows;
  std::replace(csv.begin(), csv.end(), ' ', ',');
  const std::string data = file("sets.dat", std::string("run x other\n") + kRows), twin = file("sets.csv", csv);
  const json read = infer({"--data", data, "--group", "run", "--reader", reader()});
  EXPECT_EQ(read["sets"].dump(), infer({"--data", twin, "--group", "run"})["sets"].dump());
  ASSERT_EQ(read["sets"].size(), 3u);
  EXPECT_EQ(read["sets"][1]["set"], "2");
  // One of them alone, and drawn.
  const Answer member = run_words({"infer", "bump-hunt", "--json", "--data", data, "--group", "run", "--member", "2",
                                   "--reader", reader(), "--out", path("one.npz")});
  ASSERT_EQ(member.code, 0) << member.err;
  EXPECT_EQ(json::parse(member.out)["mean"], read["sets"][1]["mean"]);
  const Answer forest = run_words({"figure", "forest", "bump-hunt", "--data", data, "--group", "run", "--reader",
                                   reader(), "--out", path("forest.csv")});
  EXPECT_EQ(forest.code, 0) << forest.err;
}

TEST_F(InferReader, OfAFolderEachFileIsASet) {
  file("dat/a.dat", "x other\n0.5 1\n-0.25 1\n");
  file("dat/b.dat", "x other\n1.5 1\n");
  file("csv/a.csv", "x,other\n0.5,1\n-0.25,1\n");
  file("csv/b.csv", "x,other\n1.5,1\n");
  json read = infer({"--data", path("dat"), "--reader", reader()})["sets"],
       twin = infer({"--data", path("csv")})["sets"];
  for (json* sets : {&read, &twin})
    for (json& one : *sets) one["set"] = std::filesystem::path(one["set"].get<std::string>()).stem().string();
  EXPECT_EQ(read.dump(), twin.dump());
  // A file that the program cannot read loses no other.
  file("dat/c.dat", "x\nnot a number\n");
  const json faulty = infer({"--data", path("dat"), "--reader", reader()}, "bump-hunt", 1);
  EXPECT_EQ(faulty["failed"], 1);
  EXPECT_THAT(faulty["sets"][2]["error"].get<std::string>(), HasSubstr("reports: ValueError"));
}

TEST_F(InferReader, WhatIsWrongIsToldInASentence) {
  const std::string data = file("sets.dat", std::string("run x other\n") + kRows);
  EXPECT_THAT(infer({"--data", data, "--group", "day", "--reader", reader()}, "bump-hunt", 1)["error"],
              HasSubstr("has no column day to separate sets by; it has run, x, other"));
  EXPECT_THAT(
      infer({"--data", file("sets.bin", std::string("\1\2\3\0", 4)), "--group", "run"}, "bump-hunt", 1)["error"],
      HasSubstr("neither a table nor an .npz file"));
  EXPECT_THAT(infer({"--data", data, "--group", "run", "--reader", "no-such-program"}, "bump-hunt", 1)["error"],
              HasSubstr("no-such-program"));
  EXPECT_THAT(infer({"--data", data, "--group", "run", "--reader", reader()}, "digits", 2).dump(),
              HasSubstr("--reader reads a table of points"));
}

// By the task's [reader], what is given of each set included.
TEST_F(InferReader, ATaskNamesItsReader) {
  const BoundedNoise noise;
  const std::string run = noise.path("run");
  const std::string csv = "run,x,sigma\n1,1.1,0.5\n1,0.9,0.5\n2,2.5,0.9\n";
  std::string text = csv;
  std::replace(text.begin(), text.end(), ',', ' ');
  const std::string data = file("sets.dat", text), twin = file("sets.csv", csv);
  const json read = infer({"--data", data, "--group", "run"}, run)["sets"];
  EXPECT_EQ(read.dump(), infer({"--data", twin, "--group", "run"}, run)["sets"].dump());
  file("folder/1.dat", "x sigma\n1.1 0.5\n0.9 0.5\n");
  file("folder/2.dat", "x sigma\n2.5 0.9\n");
  const json files = infer({"--data", path("folder")}, run)["sets"];
  ASSERT_EQ(files.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(files[k]["mean"], read[k]["mean"]);
  const Answer alone = run_words({"infer", run, "--json", "--data", path("folder/2.dat"), "--out", path("one.npz")});
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(json::parse(alone.out)["mean"], read[1]["mean"]);
  EXPECT_EQ(json::parse(alone.out)["conditions"]["sigma"], 0.9);
}

}  // namespace
}  // namespace pairs::batch
