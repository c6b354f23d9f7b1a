// Molecules that a file lists, a row or a line each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/posterior/listed_things.h"
#include "core/base/face.h"
#include "core/base/files.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#if PAIRS_WITH_MOLECULES

namespace pairs {
namespace {

std::vector<std::string> told(const Task& task, const std::filesystem::path& file) {
  std::vector<std::string> all;
  for (const ListedThing& one : listed_things(*face<Things>(task), file).things)
    all.push_back(one.text + " = " + one.name);
  return all;
}

TEST(ListedMolecules, AreRowsOfATableAndLinesOfAText) {
  const TemporaryFolder folder;
  const auto task = built_in_tasks()->make("molecules");
  const std::vector<std::string> both = {"CCO = ethanol", "c1ccccc1O = phenol"};
  write_file(folder / "table.csv", "name,smiles\nethanol,CCO\nphenol,c1ccccc1O\n");
  EXPECT_TRUE(lists_things(*task, folder / "table.csv"));
  EXPECT_EQ(told(*task, folder / "table.csv"), both);
  write_file(folder / "lines.smi", "CCO ethanol\nc1ccccc1O\tphenol\n");
  EXPECT_TRUE(lists_things(*task, folder / "lines.smi"));
  EXPECT_EQ(told(*task, folder / "lines.smi"), both);
  write_file(folder / "one.csv", "smiles\nCCO\n");
  EXPECT_FALSE(lists_things(*task, folder / "one.csv")) << "one molecule is one set";
  write_file(folder / "numbers.txt", "0.1\n0.2\n");
  EXPECT_FALSE(lists_things(*task, folder / "numbers.txt"));
}

}  // namespace
}  // namespace pairs
#endif
