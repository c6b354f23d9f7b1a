#include "app/posterior/set_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/npz.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

// Two numbers an observation, which files call otherwise and write in other units.
class SetStreamTest : public ::testing::Test {
 protected:
  SetStreamTest() {
    info_.name = "toy";
    info_.kind = ObservationKind::points;
    info_.observation_columns = {"U", "t"};
    info_.observation_shape = {2};
    info_.max_n = 100;
  }
  std::map<std::string, Observed> sets(const std::filesystem::path& file, const TableColumns& columns = {}) const {
    const auto stream = open_sets({.data = file, .group = "run", .columns = columns}, info_);
    std::map<std::string, Observed> all;
    ComingSet set;
    while (stream->next(set)) all[set.name] = set.read();
    EXPECT_EQ(static_cast<std::int64_t>(all.size()), stream->count());
    return all;
  }
  TaskInfo info_;
  TemporaryFolder folder_;
};

TEST_F(SetStreamTest, ConvertsTheColumnsOfEachSetAsThoseOfAFileOfItsOwn) {
  const TableColumns columns{.files = {{"U [mV]", 5, 1000, false, "V"}, {"time", 0, 2, true}}};
  const std::string rows[] = {"12.5,3\n-7,0.25\n", "1e3,8\n"};
  write_file(folder_ / "a.csv", "U [mV],time\n" + rows[0]);
  write_file(folder_ / "b.csv", "U [mV],time\n" + rows[1]);
  write_file(folder_ / "all.csv", "run,U [mV],time\na,12.5,3\nb,1e3,8\na,-7,0.25\n");
  const std::map<std::string, Observed> all = sets(folder_ / "all.csv", columns);
  for (const std::string name : {"a", "b"}) {
    const Observed own = read_observed_columns(folder_ / (name + ".csv"), info_, 100, columns);
    EXPECT_TRUE(torch::equal(all.at(name).x.block(), own.x.block())) << name;
    EXPECT_EQ(all.at(name).held, own.held);
  }
  EXPECT_FLOAT_EQ(all.at("a").x.block()[0][1].item<float>(), std::log(1.5f));
  write_file(folder_ / "bad.csv", "run,U [mV],time\na,1,-3\n");
  EXPECT_THROW(sets(folder_ / "bad.csv", columns), Error);
}

TEST_F(SetStreamTest, CountsRowsBeyondThoseThatAreRead) {
  std::string text = "run,U,t\n";
  for (int k = 0; k < 7; ++k) text += fmt::format("a,{},1\n", k);
  write_file(folder_ / "all.csv", text);
  const auto stream = open_sets({.data = folder_ / "all.csv", .group = "run", .most = 3}, info_);
  ComingSet set;
  ASSERT_TRUE(stream->next(set));
  const Observed read = set.read();
  EXPECT_EQ(read.held, 7);
  EXPECT_EQ(read.x.count(), 3);
  EXPECT_FALSE(stream->next(set));
}

TEST_F(SetStreamTest, ReadsEveryObservationOfAnArrayBeyondOneSetsMost) {
  info_.max_n = 4;
  write_npz(folder_ / "all.npz", {{"x", torch::arange(24, torch::kFloat64).view({12, 2})},
                                  {"run", torch::tensor({0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 2}, torch::kInt64)}});
  const std::map<std::string, Observed> all = sets(folder_ / "all.npz");
  ASSERT_EQ(all.size(), 3u);
  for (const auto& [name, set] : all) EXPECT_EQ(set.x.count(), 4) << name;
  EXPECT_EQ(all.at("2").x.block()[3][1].item<double>(), 23);
}

}  // namespace
}  // namespace pairs
