#include "app/model/about.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "core/base/files/files.h"
#include "tasks/registry.h"

namespace pairs::model {
namespace {

// Cells of the first table of third_party/README.md: what, package, version, license, why.
std::vector<std::vector<std::string>> dependency_rows() {
  const std::string text = read_file(std::string(PAIRS_SOURCE_DIR) + "/third_party/README.md");
  const std::size_t begin = text.find("## What the program is made of"), end = text.find("\n## ", begin + 1);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = text.find("\n|", begin); at < end; at = text.find("\n|", at + 1)) {
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    std::vector<std::string> cells;
    for (std::size_t from = 1; from < line.size();) {
      const std::size_t to = line.find('|', from);
      const std::string cell = line.substr(from, to - from);
      const std::size_t first = cell.find_first_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
      from = to + 1;
    }
    rows.push_back(cells);
  }
  return {rows.begin() + 2, rows.end()};
}

TEST(About, ListsEveryDependencyWithItsLicense) {
  std::map<std::string, std::string> licenses;
  for (const Dependency& one : dependencies()) licenses[one.name] = one.license;
  const auto rows = dependency_rows();
  ASSERT_GT(rows.size(), 10);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 5);
    const bool left_out = (!PAIRS_WITH_OBJECTS && row[4].find("-DPAIRS_OBJECTS=OFF") != std::string::npos) ||
                          (!PAIRS_WITH_MOLECULES && row[4].find("-DPAIRS_MOLECULES=OFF") != std::string::npos) ||
                          (!PAIRS_WITH_ARROW && row[4].find("-DPAIRS_ARROW=OFF") != std::string::npos) ||
                          (!PAIRS_WITH_FITS && row[4].find("-DPAIRS_FITS=OFF") != std::string::npos) ||
                          (!PAIRS_WITH_HDF5 && row[4].find("-DPAIRS_HDF5=OFF") != std::string::npos);
    if (left_out) continue;
    ASSERT_TRUE(licenses.contains(row[0])) << row[0] << " is missing";
    // The README may contain more.
    EXPECT_EQ(row[3].substr(0, 3), licenses[row[0]].substr(0, 3)) << row[0];
  }
}

TEST(About, TellsVersions) {
  EXPECT_TRUE(program_version().starts_with(std::to_string(program_version()[0] - '0') + "."));
  EXPECT_TRUE(libtorch_version().starts_with("2."));
}

TEST(About, AsksForDevicesInTheBackground) {
  Hub hub{built_in_tasks()};
  const Devices devices(hub);
  for (int k = 0; k < 3000 && !devices.lines(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(devices.lines());
  EXPECT_EQ(devices.lines()->front().name, "cpu");
  EXPECT_TRUE(devices.lines()->front().usable);
}

}  // namespace
}  // namespace pairs::model
