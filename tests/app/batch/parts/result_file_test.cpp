#include "app/batch/parts/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string refusal(const fs::path& file, const ResultUse& use) {
  try {
    ResultFile(file, use);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(ResultFile, ReplacesWhatTheProgramWroteAlone) {
  const TemporaryFolder folder;
  const fs::path file = folder / "samples.npz";
  EXPECT_EQ(refusal(file, {.made = "a"}), "") << "there is none";
  write_file(file, "of another program");
  EXPECT_THAT(refusal(file, {.made = "a"}), AllOf(HasSubstr("--out"), HasSubstr("--overwrite")));
  EXPECT_EQ(refusal(file, {.made = "a", .overwrite = true}), "");
  EXPECT_EQ(read_file(file), "of another program") << "a question replaces nothing";

  ResultFile(file, {.made = "a", .overwrite = true}).written();
  EXPECT_EQ(refusal(file, {.made = "a"}), "");
  EXPECT_EQ(refusal(file, {.made = "b"}), "") << "a person named it";
  EXPECT_THAT(refusal(file, {.made = "b", .named = false}), HasSubstr("another run or set"));
  EXPECT_EQ(refusal(file, {.made = "a", .named = false}), "");

  write_file(file, "changed since");
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
  EXPECT_THAT(refusal(file, {.made = "a"}), HasSubstr("no command of this program wrote it or it changed since"));
}

class ResultCommands : public ::testing::Test {
 protected:
  ResultCommands() {
    write_file(folder_ / "one.csv", "x\n0.5\n1\n-0.5\n"), write_file(folder_ / "two.csv", "x\n2\n1\n");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  TemporaryFolder folder_;
};

TEST_F(ResultCommands, KeepFilesOfOthers) {
  const std::vector<std::vector<std::string>> commands = {
      {"infer", "bump-hunt", "--data", path("one.csv"), "--out", path("a.npz")},
      {"infer", "bump-hunt", "--data", path("one.csv"), "--out", path("a.csv")},
      {"infer", "bump-hunt", "--data", path("one.csv"), "--group", "x", "--columns", "x", "--out", path("a.json")},
      {"figure", "posterior", "bump-hunt", "--data", path("one.csv"), "--n", "2", "--out", path("a.svg")},
      {"figure", "samples", "bump-hunt", "--out", path("b.svg")},
      {"report", "bump-hunt", "--data", path("one.csv"), "--sets", "0", "--out", path("a.html")},
      {"embed", "bump-hunt", "--data", path("one.csv"), "--out", path("b.npz")},
      {"frequentist", "bump-hunt", "--data", path("one.csv"), "--figure", path("c.svg")},
      {"evaluate", "bump-hunt", "--sizes", "1", "--sets", "20", "--out", path("b.json")},
  };
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(command[0] + " " + command.back());
    write_file(command.back(), "mine");
    const Answer refused = run_words(command);
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("--overwrite"));
    EXPECT_EQ(read_file(command.back()), "mine");
  }
  std::vector<std::string> words = commands[0];
  words.push_back("--overwrite");
  EXPECT_EQ(run_words(words).code, 0);
  EXPECT_EQ(run_words(commands[0]).code, 0) << "it is this program's by now";
  EXPECT_EQ(run_words({"infer", "bump-hunt", "--data", path("two.csv"), "--out", path("a.npz")}).code, 0);
}

// Names that a command chooses by itself are those of a folder that a person works in.
TEST_F(ResultCommands, NamesOfTheirOwnAreOfOneRunAndSet) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  const auto infer = [&](const char* data) { return run_words({"infer", "bump-hunt", "--data", data}); };
  EXPECT_EQ(infer("one.csv").code, 0);
  EXPECT_EQ(infer("one.csv").code, 0);
  const std::string kept = read_file("samples.npz");
  const Answer other = infer("two.csv");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("--out"), HasSubstr("--overwrite")));
  EXPECT_EQ(read_file("samples.npz"), kept);
  fs::current_path(before);
}

}  // namespace
}  // namespace pairs::batch
