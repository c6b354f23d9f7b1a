#include "app/text/words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(Words, CapitalsOfLatinLettersDoNotCount) {
  EXPECT_EQ(small_letters("NLL Größe Ä"), "nll größe Ä");
  EXPECT_TRUE(same_word("Paper", "pAPER"));
  EXPECT_FALSE(same_word("paper", "papers"));
  EXPECT_TRUE(holds_words("First run of the PAPER", "the pap"));
  EXPECT_TRUE(holds_words("any", ""));
  EXPECT_FALSE(holds_words("paper", "papers"));
}

TEST(RunnableCommand, NamesTheProgramUnlessAShellFindsIt) {
  const TemporaryFolder folder;
  const std::filesystem::path built = folder.path() / "my build", installed = folder.path() / "bin";
  for (const std::filesystem::path& at : {built, installed}) {
    std::filesystem::create_directories(at);
    std::ofstream(at / "pairs") << "a program";
  }
  const std::string command = "pairs --batch tasks", path = "/nowhere:" + installed.string();
  EXPECT_EQ(runnable_command(command, installed / "pairs", path), command);
  EXPECT_EQ(runnable_command(command, built / "pairs", path), "'" + (built / "pairs").string() + "' --batch tasks")
      << "another program is installed";
  EXPECT_EQ(runnable_command(command, built / "pairs", ""), "'" + (built / "pairs").string() + "' --batch tasks");
  EXPECT_EQ(runnable_command("a path", built / "pairs", ""), "a path");
  EXPECT_EQ(runnable_command(command, built / "gui_tests", ""), command) << "no program that takes commands";
}

}  // namespace
}  // namespace pairs
