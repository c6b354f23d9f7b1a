#include "app/batch/parts/shell_help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/batch/parts/command.h"
#include "core/base/files/files.h"
#include "core/version.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using testing::HasSubstr;
using testing::Not;

// What bash completes behind these words, of which the last is begun.
std::string completed(const std::string& words) {
  const TemporaryFolder folder;
  write_file(folder / "completion.bash", run_words({"--completion"}).out);
  write_file(folder / "ask.bash", "source " + (folder / "completion.bash").string() + "\nCOMP_WORDS=(" + words +
                                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_pairs\n"
                                      "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const std::string command = "cd " + folder.path().string() + " && bash ask.bash 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  char block[4096];
  while (const std::size_t read = std::fread(block, 1, sizeof block, pipe)) text.append(block, read);
  ::pclose(pipe);
  return text;
}

TEST(Completion, NamesCommandsOptionsValuesAndFiles) {
  const std::string commands = completed("pairs --batch ''");
  for (const CommandEntry& entry : pairs::batch::commands()) EXPECT_THAT(commands, HasSubstr(entry.name));
  EXPECT_EQ(completed("pairs --batch ens"), "ensemble\n");
  EXPECT_THAT(completed("pairs --batch infer runs/a --sampl"), HasSubstr("--samples\n"));
  EXPECT_THAT(completed("pairs --batch infer --"), Not(HasSubstr("--preset")));
  EXPECT_EQ(completed("pairs --theme d"), "dark\n");
  EXPECT_THAT(completed("pairs --batch infer a"), HasSubstr("ask.bash"));
  EXPECT_EQ(completed("pairs --batch run gauss"), "gaussian\n");
  EXPECT_THAT(completed("pairs --batch evaluate ''"),
              testing::AllOf(HasSubstr("bump-hunt\n"), HasSubstr("ask.bash\n")));
  EXPECT_EQ(completed("pairs --batch figure post"), "posterior\n");
  EXPECT_EQ(completed("pairs --batch run circle --preset ''"), "quick\nsmall\npaper\n");
  EXPECT_EQ(completed("pairs --batch run circle --strategy pai"), "pairs\n");
  EXPECT_EQ(completed("pairs --batch infer circle --interval u"), "upper\n");
  EXPECT_THAT(completed("pairs --batch infer circle --data a"), Not(HasSubstr("gaussian"))) << "a file";
}

TEST(Help, NamesOfEarlierVersionsAreRefusedWithThePresentOnes) {
  EXPECT_THAT(run_words({"--batch", "infer", "bump-hunt", "--given", "t=1"}).err,
              HasSubstr("--given is called --conditions now"));
  EXPECT_THAT(run_words({"--batch", "report", "--learnt-prior=uniform(0, 1)"}).err,
              HasSubstr("--learnt-prior is called --training-prior now"));
  const Answer tried = run_words({"--batch", "tried", "runs/a"});
  EXPECT_EQ(tried.code, 2);
  EXPECT_THAT(tried.err, HasSubstr("tried is called external-validation now"));
}

// Two screens of 50 lines, 120 columns wide; the rest is on the pages of docs.
TEST(Help, OfEachCommandFitsOnTwoScreens) {
  std::vector<std::string> words = {"--help"};
  const std::string program = run_words(words).out;
  EXPECT_THAT(program, HasSubstr("Usage: pairs [RUN]"));
  EXPECT_THAT(program, HasSubstr("       pairs --batch COMMAND [OPTIONS]\n"));
  for (const CommandEntry& entry : pairs::batch::commands()) {
    const std::string help = run_words({"--batch", entry.name, "--help"}).out;
    EXPECT_THAT(help, HasSubstr(std::string("Usage: pairs --batch ") + entry.name));
    std::size_t lines = 0, width = 0;
    for (const char c : help) {
      if (c != '\n' && (static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // within a letter of UTF-8
      if (c == '\n' || ++width > 120) {
        ++lines;
        width = c == '\n' ? 0 : 1;
      }
    }
    EXPECT_LE(lines, 100) << entry.name;
  }
}

TEST(ManualPage, TellsOfEveryCommand) {
  ::setenv("SOURCE_DATE_EPOCH", "86400", 1);
  const Answer page = run_words({"--man"});
  ::unsetenv("SOURCE_DATE_EPOCH");
  ASSERT_EQ(page.code, 0);
  EXPECT_THAT(page.out, testing::StartsWith(".TH PAIRS 1 1970-01-02 \"Pairs Studio"));
  for (const CommandEntry& entry : commands()) {
    std::string name;  // a hyphen has a backslash before it
    for (const char* c = entry.name; *c != '\0'; ++c) name += *c == '-' ? std::string("\\-") : std::string(1, *c);
    EXPECT_THAT(page.out, HasSubstr(".SS " + name));
  }
  EXPECT_THAT(page.out, HasSubstr("\n.B \\-\\-completion\n"));
  EXPECT_THAT(page.out, HasSubstr("\n.B pairs \\-\\-session\nFILE\n"));
  EXPECT_THAT(page.out, Not(HasSubstr("\n'"))) << "a line that man would take for a request";
}

TEST(Version, IsADocumentToo) {
  EXPECT_EQ(run_words({"--version"}).out, std::string("pairs ") + kVersion + "\n");
  const auto reported = nlohmann::json::parse(run_words({"--version", "--json"}).out);
  EXPECT_EQ(reported["pairs"], kVersion);
  EXPECT_TRUE(reported["numerics"].get<std::string>().starts_with("cpu"));
}

}  // namespace
}  // namespace pairs::batch
