#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/files/files.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/tables/table_writers.h"

// Faults of tables of points, each with the sentence that explains how to fix it.

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class InferPoints : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }
  std::string refused(int code, const std::string& run, const std::string& data,
                      const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"infer", run, "--data", data, "--out", (folder_ / "samples.npz").string()};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "samples.npz"));
    return answer.err;
  }
  TemporaryFolder folder_;
};

TEST_F(InferPoints, ValuesThatOverflowTheNetworkAreNamedRatherThanItsWeights) {
  const std::string huge = file("huge.csv", "0.1,0.2\n1e38,1e38\n1e38,1e38\n");
  const std::string said = refused(1, "gaussian", huge);
  EXPECT_THAT(said, HasSubstr("huge.csv: The network overflows on these observations, of which number 2 holds a value "
                              "of size 1e+38"));
  EXPECT_THAT(said, Not(HasSubstr("weights")));
}

TEST_F(InferPoints, ColumnsThatAreAskedForAreThere) {
  const std::string named = file("named.csv", "a,b,c\n1,2,3\n"), nameless = file("nameless.csv", "1,2.5\n3,4\n");
  for (const std::string& data : {named, nameless})
    EXPECT_THAT(refused(2, "gaussian", data, {"--columns", "foo,foo"}), HasSubstr("Column foo is asked for twice"));
  EXPECT_THAT(refused(1, "gaussian", nameless, {"--columns", "foo,bar"}),
              HasSubstr("has no column foo; its first line names none: it has column 1, column 2"));
  EXPECT_THAT(refused(1, "gaussian", nameless, {"--columns", "column 1,column 3"}),
              HasSubstr("has no column column 3"));
  EXPECT_THAT(refused(1, "bump-hunt", file("one.csv", "y\n1\n"), {"--columns", "foo"}),
              HasSubstr("has no column foo; it has y"));
  const Answer turned = run_words({"infer", "gaussian", "--data", nameless, "--columns", "column 2,column 1", "--out",
                                   (folder_ / "turned.npz").string()});
  EXPECT_EQ(turned.code, 0) << turned.err;
}

// The answer of a table is that of the same numbers as text, to the bit.
TEST_F(InferPoints, ATableOfNamedColumnsIsASetLikeAnyOther) {
  const std::string text = file("x.csv", "hits\n1.5\n2.25\n3\n7.75\n");
  pairs::table_files::write_fits(folder_ / "x.fits", {1.5, 2.25, 3, 7.75}, {0, 0, 0, 0});
  const auto samples = [&](const std::string& data, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"infer", "bump-hunt", "--data", data, "--out", (folder_ / "s.npz").string()};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    if (answer.err.find("-DPAIRS_FITS=ON") != std::string::npos) return std::string("left out");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(answer.out.find("Columns: energy (not used: hits, name)") != std::string::npos, !more.empty());
    return read_file(folder_ / "s.npz");
  };
  const std::string fits = samples((folder_ / "x.fits").string(), {"--columns", "energy"});
  if (fits == "left out") GTEST_SKIP() << "this build reads no FITS files";
  EXPECT_EQ(fits, samples(text, {}));
  EXPECT_THAT(refused(1, "bump-hunt", (folder_ / "x.fits").string()),
              HasSubstr("x.fits has the columns energy, hits, name, but"));
  EXPECT_THAT(refused(1, "bump-hunt", (folder_ / "x.fits").string(), {"--columns", "foo"}), HasSubstr("foo"));
  EXPECT_THAT(refused(1, "bump-hunt", (folder_ / "x.fits").string(), {"--columns", "name"}),
              HasSubstr("column name holds text, not numbers"));
  EXPECT_THAT(refused(2, "digits", (folder_ / "x.fits").string(), {"--reader", "python3 read.py"}),
              HasSubstr("--reader reads a table of points"));
}

TEST_F(InferPoints, AnEmptyFileOfValuesToScoreIsSaidToHoldNone) {
  const std::string data = file("x.csv", "0.1\n0.2\n");
  for (const char* text : {"", "theta\n", "# nothing\n"})
    EXPECT_THAT(refused(1, "bump-hunt", data, {"--theta", file("theta.csv", text)}),
                HasSubstr("theta.csv holds no numbers; give at least one line of them"));
}

}  // namespace
}  // namespace pairs::batch
