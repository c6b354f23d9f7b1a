#include "tasks/program_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Reads the numbers of a text file as two columns: u, which counts rows, and v.
constexpr const char* kReader = R"(import numpy as np
from pairs_reader import serve

def open_table(path):
    print("this goes to standard error")
    v = np.loadtxt(path)
    return {"u": np.arange(len(v)), "v": v, "flag": v > 0, "word": np.array(["a"] * len(v))}

serve(open_table)
)";

class ProgramTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(folder_ / "read.py", kReader);
    std::string text;
    for (int i = 0; i < 5000; ++i) text += std::to_string(i % 7 - 3) + ".5\n";
    write_file(folder_ / "a.dat", text);
  }
  std::unique_ptr<TableFile> open(const std::string& file = "a.dat",
                                  const std::string& command = "/usr/bin/python3 read.py") const {
    return open_with_program(words_of_command(command), folder_.path(), folder_ / file);
  }
  std::string refusal(const std::string& program, const std::string& file = "a.dat") const {
    write_file(folder_ / "other.py", program);
    try {
      const auto table = open(file, "/usr/bin/python3 other.py");
      std::vector<double> out(10);
      table->read(0, 10, {0}, out.data());
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  }
  TemporaryFolder folder_;
};

TEST_F(ProgramTableTest, HandsOnWhatTheProgramReads) {
  const auto table = open();
  EXPECT_EQ(table->rows(), 5000);
  EXPECT_EQ(table->names(), (std::vector<std::string>{"u", "v", "flag", "word"}));
  const std::vector<std::size_t> places = places_in(*table, {"v", "flag", "u"});
  std::vector<double> out(3 * 5000);
  for (const auto& [first, count] : {std::pair<std::int64_t, std::int64_t>{0, 5000}, {4999, 1}, {17, 30}}) {
    table->read(first, count, places, out.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const double v = static_cast<double>((first + i) % 7 - 3), at = v < 0 ? v - 0.5 : v + 0.5;
      EXPECT_EQ(out[static_cast<std::size_t>(3 * i)], at);
      EXPECT_EQ(out[static_cast<std::size_t>(3 * i + 1)], at > 0);
      EXPECT_EQ(out[static_cast<std::size_t>(3 * i + 2)], first + i);
    }
  }
  try {
    table->read(0, 1, {3}, out.data());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.dat"), HasSubstr("column word holds")));
  }
  table->read(1, 1, {0}, out.data());
  EXPECT_EQ(out[0], 1) << "it lives on after an error";
}

TEST_F(ProgramTableTest, TellsWhatTheProgramDidWrong) {
  EXPECT_THAT(refusal("raise SystemExit('no such library')"),
              AllOf(HasSubstr("a.dat: its reader /usr/bin/python3 other.py"), HasSubstr("exit code 1"),
                    HasSubstr("no such library")));
  EXPECT_THAT(refusal("print('hello')"), HasSubstr("begins with 'hello' where 'pairs 1' belongs"));
  EXPECT_THAT(refusal(kReader, "none.dat"), HasSubstr("FileNotFoundError"));
}

TEST_F(ProgramTableTest, RefusesAnswersThatBreakTheProtocol) {
  const std::string begun = "import sys\nsys.stdin.readline()\nsys.stdout.write('pairs 1\\n')\n";
  const auto answers = [&](const std::string& what) {
    return refusal(begun + "sys.stdout.write('''" + what + "''')\nsys.stdout.flush()\n");
  };
  EXPECT_THAT(answers("answer 7 3\n5\nu"), HasSubstr("where 'answer 1 BYTES' belongs"));
  EXPECT_THAT(answers("answer 1 -3\n"), HasSubstr("answers with -3 bytes"));
  EXPECT_THAT(answers("answer 1 99999999999\n"), HasSubstr("answers with 99999999999 bytes"));
  EXPECT_THAT(answers("answer 1 3\nno\n"), HasSubstr("number of rows"));
  EXPECT_THAT(answers("answer 1 2\n50"), HasSubstr("announces 0 columns"));
  EXPECT_THAT(answers("answer 1 3\n0\nu"), HasSubstr("holds no rows"));
  EXPECT_THAT(answers("answer 1 4\n50\nuanswer 2 8\n12345678"),
              HasSubstr("8 bytes where 10 rows of 1 numbers as float64"));
  EXPECT_THAT(answers("answer 1 4\n50\nuanswer 2 80\n1234"), HasSubstr("ended with exit code 0"));
  EXPECT_THAT(answers("answer 1 4\n50\nuerror 2 0 8\nnot here"), HasSubstr("reports: not here"));
  EXPECT_THAT(answers(std::string(500, 'x')), HasSubstr("where a line of the protocol belongs"));
}

TEST_F(ProgramTableTest, TellsOfAProgramThatCannotBeStarted) {
  try {
    (void)open("a.dat", "./there-is-none");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.dat: its reader"), HasSubstr("cannot be started")));
  }
}

// The example that is shipped, where its library is installed.
TEST_F(ProgramTableTest, ReadsFilesOfRootByUproot) {
  if (std::system("python3 -c 'import uproot' 2>/dev/null") != 0) GTEST_SKIP() << "python3 has no uproot";
  write_file(folder_ / "write.py",
             "import sys, numpy as np, uproot\n"
             "with uproot.recreate(sys.argv[1]) as file:\n"
             "    file.mktree('events', {'energy': 'f8', 'hits': 'i4'})\n"
             "    file['events'].extend({'energy': np.arange(1000) / 4, 'hits': np.arange(1000, dtype='i4') % 7})\n");
  ASSERT_EQ(
      std::system(
          fmt::format("python3 '{}' '{}'", (folder_ / "write.py").string(), (folder_ / "a.root").string()).c_str()),
      0);
  const auto table = open("a.root", "python3 '" PAIRS_SOURCE_DIR "/assets/examples/read-root/read_root.py'");
  ASSERT_EQ(table->rows(), 1000);
  std::vector<double> out(2 * 600);
  table->read(300, 600, places_in(*table, {"hits", "energy"}), out.data());
  for (std::size_t i = 0; i < 600; ++i) {
    EXPECT_EQ(out[2 * i], (300 + i) % 7);
    EXPECT_EQ(out[2 * i + 1], static_cast<double>(300 + i) / 4);
  }
}

TEST(WordsOfCommand, AreThoseOfAShell) {
  const auto words = [](const std::string& text) { return words_of_command(text); };
  EXPECT_EQ(words("python3  read.py -x"), (std::vector<std::string>{"python3", "read.py", "-x"}));
  EXPECT_EQ(words("'my programs/read' \"a b\"c d\\ e ''"),
            (std::vector<std::string>{"my programs/read", "a bc", "d e", ""}));
  EXPECT_THROW(words("python3 'read.py"), Error);
  EXPECT_THROW(words("  "), Error);
}

}  // namespace
}  // namespace pairs
