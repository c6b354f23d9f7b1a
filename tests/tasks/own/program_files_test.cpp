#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/files/files.h"
#include "tasks/file_facts.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::filesystem::path> files_of(const TemporaryFolder& folder, const std::string& end) {
  write_file(folder / "task.toml",
             "name = \"mine\"\nmax_n = 10\n[[targets]]\nname = \"theta\"\nsupport = [0, 1]\n[x]\ncolumns = "
             "[\"x\"]\n" +
                 end);
  return program_files(folder / "task.toml");
}

TEST(ProgramFiles, AreThoseOfTheTasksFolderThatItsCommandNames) {
  const TemporaryFolder folder;
  write_file(folder / "sim", "#!/bin/sh\n");
  const auto python = files_of(folder, "[simulator]\ncommand = [\"/usr/bin/python3\", \"-u\", \"simulate.py\"]\n");
  EXPECT_THAT(python, ElementsAre(folder / "simulate.py")) << "it need not be there";
  EXPECT_THAT(files_of(folder, "[simulator]\ncommand = [\"./sim\", \"fast\"]\n"), ElementsAre(folder / "sim"));
  EXPECT_THAT(files_of(folder, "[simulator]\ncommand = [\"../other.py\"]\n"), IsEmpty());
}

}  // namespace
}  // namespace pairs
