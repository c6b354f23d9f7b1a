// Stored simulations in tables are those of the same numbers in an NPZ file.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "core/base/files/files.h"
#include "core/base/files/plain_npz.h"
#include "core/base/text/error.h"
#include "core/input_scale.h"
#include "core/stored_sets.h"
#include "tasks/own/own_tasks.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/tables/table_writers.h"

#if PAIRS_WITH_ARROW

namespace pairs::own {
namespace {

using namespace pairs::table_files;
using ::testing::AllOf;
using ::testing::HasSubstr;

class StoredTables : public ::testing::Test {
 protected:
  StoredTables() {
    ::setenv("PAIRS_CACHE", (folder_ / "cache").c_str(), 1);
    for (int set = 0; set < 60; ++set)
      for (int k = 0; k < 2 + set % 7; ++k) {
        sets_.push_back("run " + std::to_string(set));
        theta_.push_back(std::sin(set) / 2 + 0.5);
        psi_.push_back(0.1 * set);
        u_.push_back(0.25 * set + std::cos(7.0 * k));
        v_.push_back(set + 0.01 * k);
      }
  }
  ~StoredTables() override { ::unsetenv("PAIRS_CACHE"); }

  std::shared_ptr<arrow::Table> table() const {
    using Doubles = arrow::DoubleBuilder;
    return arrow_table({{"v", arrow_array<Doubles, double>(v_)},
                        {"theta", arrow_array<Doubles, double>(theta_)},
                        {"set", arrow_array<arrow::StringBuilder, std::string>(sets_)},
                        {"psi", arrow_array<Doubles, double>(psi_)},
                        {"note", arrow_array<arrow::StringBuilder, std::string>(sets_)},
                        {"u", arrow_array<Doubles, double>(u_)}});
  }
  void write_npz() const {
    std::vector<double> theta, psi;
    std::vector<std::int64_t> offsets;
    for (std::size_t row = 0; row < sets_.size(); ++row)
      if (row == 0 || sets_[row] != sets_[row - 1]) {
        theta.push_back(theta_[row]);
        psi.push_back(psi_[row]);
        offsets.push_back(static_cast<std::int64_t>(row));
      }
    offsets.push_back(static_cast<std::int64_t>(sets_.size()));
    write_plain_npz(folder_ / "sets.npz",
                    {{"theta", torch::tensor(theta, torch::kFloat64)},
                     {"psi", torch::tensor(psi, torch::kFloat64)},
                     {"offsets", torch::tensor(offsets, torch::kInt64)},
                     {"x", at::stack({torch::tensor(u_, torch::kFloat64), torch::tensor(v_, torch::kFloat64)}, 1)}});
  }
  std::shared_ptr<const Task> task(const std::string& name, const std::string& files) const {
    const auto file = folder_ / (name + ".toml");
    write_file(file, "name = \"" + name +
                         "\"\nmax_n = 4\n[[targets]]\nname = \"theta\"\nsupport = [0, 1]\n[[nuisances]]\nname = "
                         "\"psi\"\nsupport = [0, 10]\n[x]\ncolumns = [\"u\", \"v\"]\n[simulations]\nfiles = [\"" +
                         files + "\"]\n");
    return OwnTasks({}).make(name, file.string());
  }
  std::string refusal(const std::string& files) const {
    try {
      task("refused", files);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  }

  TemporaryFolder folder_;
  std::vector<std::string> sets_;
  std::vector<double> theta_, psi_, u_, v_;
};

TEST_F(StoredTables, AreReadAsTheSameNumbersInAnNpzFile) {
  write_npz();
  write_parquet(folder_ / "sets.parquet", *table(), 50);
  write_ipc(folder_ / "sets.arrow", table(), 64, false);
  const auto expected = task("arrays", "sets.npz");
  for (const std::string name : {"parquet", "arrow"}) {
    SCOPED_TRACE(name);
    const auto read = task(name, "sets." + name);
    EXPECT_EQ(read->info().data_source, expected->info().data_source);
    EXPECT_EQ(input_scale(*read).location, input_scale(*expected).location);
    for (const Purpose purpose : {Purpose::pretrain, Purpose::finetune, Purpose::pretrain_validation, Purpose::test}) {
      const std::vector<std::int64_t> indices = {0, 1, 2, 3, 4};
      const Latents ours = read->latents(3, purpose, indices), theirs = expected->latents(3, purpose, indices);
      EXPECT_TRUE(at::equal(ours.theta, theirs.theta));
      EXPECT_TRUE(at::equal(ours.psi, theirs.psi));
      std::vector<SetRange> ranges;
      for (const std::int64_t index : indices) ranges.push_back({index, 0, 2});
      EXPECT_TRUE(at::equal(read->observe(ours, 3, purpose, ranges, torch::kCPU).block(),
                            expected->observe(theirs, 3, purpose, ranges, torch::kCPU).block()));
    }
  }
}

TEST_F(StoredTables, AreReadOnceAndKnownAgainAfterCachesWereEmptied) {
  write_parquet(folder_ / "sets.parquet", *table(), 50);
  const auto states = [&](const std::string& name) {
    std::vector<std::string> out;
    for (const StoredState& one : task(name, "sets.parquet")->stored()->state()) out.push_back(one.state);
    return out;
  };
  const auto first = states("first");
  std::filesystem::remove_all(folder_ / "cache");
  EXPECT_EQ(states("first"), first);
}

TEST_F(StoredTables, ThatAreWrongAreToldWithTheirRow) {
  sets_[1] = "";
  write_parquet(folder_ / "a.parquet", *table(), 50);
  EXPECT_THAT(refusal("a.parquet"), AllOf(HasSubstr("row 2"), HasSubstr("name the set")));
  sets_[1] = "run 3";
  theta_[1] = theta_[0];
  write_parquet(folder_ / "b.parquet", *table(), 50);
  EXPECT_THAT(refusal("b.parquet"), AllOf(HasSubstr("run 3"), HasSubstr("stand apart"), HasSubstr("sort")));
  sets_[1] = "run 0";
  theta_[1] += 0.1;
  write_parquet(folder_ / "c.parquet", *table(), 50);
  EXPECT_THAT(refusal("c.parquet"), AllOf(HasSubstr("row 2"), HasSubstr("theta")));
  write_parquet(folder_ / "d.parquet",
                *arrow_table({{"theta", arrow_array<arrow::DoubleBuilder, double>(theta_)},
                              {"psi", arrow_array<arrow::DoubleBuilder, double>(psi_)},
                              {"u", arrow_array<arrow::DoubleBuilder, double>(u_)},
                              {"v", arrow_array<arrow::DoubleBuilder, double>(v_)}}),
                50);
  EXPECT_THAT(refusal("d.parquet"), HasSubstr("no column set"));
  EXPECT_THAT(refusal("none.parquet"), HasSubstr("nothing matches"));
}

}  // namespace
}  // namespace pairs::own

#endif
