// The shipped example scales: five numbers of unknown variances, whose squares are sufficient.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/text/error.h"
#include "core/eval/references/sufficiency.h"
#include "core/sufficient_statistics.h"
#include "tasks/file_facts.h"
#include "tasks/registry.h"
#include "tests/tasks/own/own_files.h"
#include "tests/tasks/sets.h"

namespace pairs::own {
namespace {

class Scales : public OwnFolder {
 protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") != 0)
      GTEST_SKIP() << "/usr/bin/python3 has no numpy: install python3-numpy";
  }
  std::shared_ptr<const Task> task() const {
    std::filesystem::copy(PAIRS_SOURCE_DIR "/assets/examples/scales", folder_ / "task");
    allow_task_file(folder_ / "task");
    return tasks_->make(tasks_->open(folder_ / "task"));
  }
  const Catalog tasks_ = built_in_tasks();
};

TEST_F(Scales, TellItsSufficientStatisticsInItsFile) {
  const auto scales = task();
  const HasSufficientStatistics* const knows = sufficient_statistics_of(*scales);
  ASSERT_NE(knows, nullptr);
  EXPECT_EQ(knows->statistic_names(), (std::vector<std::string>{"x1^2", "x2^2", "x3^2", "x4^2", "x5^2"}));
  const TheoremSample sample = theorem_sample(*scales, 5);
  ASSERT_TRUE(sample.known());
  EXPECT_GT(sample.x.count(), 3000);
  EXPECT_TRUE(torch::allclose(sample.statistics, sample.x.block().to(torch::kFloat64).square(), 1e-12));
}

TEST_F(Scales, IsWhatItsProgramPrints) {
  const std::string example = PAIRS_SOURCE_DIR "/assets/examples/scales";
  for (const std::string count : {"5", "8"}) {
    const std::string made = (folder_ / (count + ".toml")).string();
    ASSERT_EQ(std::system((std::string(kPython) + " " + example + "/noises.py " + count + " > " + made).c_str()), 0);
    if (count == "5") {
      EXPECT_EQ(read_file(made), read_file(example + "/task.toml"));
    }
    EXPECT_EQ(std::to_string(read_task_file(made).sufficient.size()), count);
  }
}

TEST_F(Scales, RefusesAStatisticThatIsNotFinite) {
  std::filesystem::copy(PAIRS_SOURCE_DIR "/assets/examples/scales", folder_ / "task");
  std::string text = read_file(folder_ / "task" / "task.toml");
  text.replace(text.find("x3^2\""), 5, "log(x3)\"");
  write_file(folder_ / "task" / "task.toml", text);
  allow_task_file(folder_ / "task");
  try {
    (void)theorem_sample(*tasks_->make(tasks_->open(folder_ / "task")), 5);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("\"log(x3)\" of [sufficient] is not finite"));
  }
}

// E x² given θ is exp θ.
TEST_F(Scales, SimulatesTheVariancesThatItAsksFor) {
  const auto scales = task();
  const Latents latents = testing::latents_of(*scales, 3, Purpose::test, 0, 20);
  const torch::Tensor x = testing::sets_of(*scales, latents, 3, Purpose::test, 0, 1000).to(torch::kFloat64);
  const torch::Tensor ratio = x.square().mean(1) / latents.theta.exp();  // [20, 5], each of sd √(2 / 1000)
  EXPECT_LT((ratio - 1).abs().max().item<double>(), 5 * std::sqrt(2.0 / 1000));
  EXPECT_NEAR(ratio.mean().item<double>(), 1, 5 * std::sqrt(2.0 / 1000 / 100));
}

}  // namespace
}  // namespace pairs::own
