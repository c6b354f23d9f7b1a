// The figure that "Copy command" names is the one on the screen, curve for curve.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/model/posterior/posterior.h"
#include "core/base/files/files.h"
#include "core/report/figure.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/small_run.h"
#include "tests/core/sets/saved_observations.h"
#include "tests/long_tests.h"

namespace pairs::model {
namespace {

constexpr double kCommandPatience = 120;

// One of each kind; with PAIRS_LONG_TESTS=1 all that have shipped weights.
std::vector<std::string> tasks_with_densities() {
  if (!long_tests()) return {"gaussian", "bump-hunt", "digits", "objects"};
  std::vector<std::string> names;
  for (const std::string& name : built_in_tasks()->names())
    if (!shipped_weights(built_in_tasks(), name).empty() && !built_in_tasks()->make(name)->info().image_target())
      names.push_back(name);
  return names;
}

class CopiedCommand : public testing::TestWithParam<std::string> {
 protected:
  CopiedCommand() : posterior_(hub_) { posterior_.open(GetParam()); }

  void settle() {
    ASSERT_TRUE(posterior_.wait(kCommandPatience)) << posterior_.activity();
    ASSERT_EQ(posterior_.failure(), "");
    ASSERT_EQ(posterior_.set.failure(), "");
  }

  // Values to the last digit by the table; names, roles, styles and axes by the drawing.
  void expect_the_same(const std::vector<std::string>& endings = {".csv", ".svg"}) {
    const std::string command = posterior_.batch_command();
    SCOPED_TRACE(command);
    const std::string start = "pairs --batch ";
    ASSERT_TRUE(command.starts_with(start));
    for (const std::string& ending : endings) {
      const std::string file = (folder_ / ("figure" + ending)).string();
      std::istringstream text(command.substr(start.size()));
      std::vector<std::string> words;
      for (std::string word; text >> word;) words.push_back(word);
      words.insert(words.end(), {"--out", file});
      const batch::Answer answer = batch::run_words(words);
      ASSERT_EQ(answer.code, 0) << answer.err;
      Figure figure = *posterior_.shown()->density;
      figure.plots.front().title = fmt::format("N = {}", count_text(posterior_.shown()->n));
      EXPECT_TRUE(read_file(file) == (ending == ".csv" ? figure_csv(figure) : figure_svg(figure))) << ending;
    }
  }

  Hub hub_{built_in_tasks()};
  TemporaryFolder folder_;
  Posterior posterior_;
};

TEST_P(CopiedCommand, DrawsWhatTheScreenShowsOfDrawnSets) {
  settle();
  expect_the_same();
  posterior_.set_n(1);
  settle();
  expect_the_same({".csv"});
  posterior_.new_set();
  posterior_.set_n(3);
  settle();
  expect_the_same({".csv"});
  // Axes that have stood still for another N are named.
  for (const std::int64_t n : {4, 9, 6}) {
    posterior_.set_n(n);
    settle();
    expect_the_same({".svg"});
  }
  const std::vector<SetParameter> parameters = posterior_.scene()->parameters;
  for (std::size_t k = 0; k < std::min<std::size_t>(parameters.size(), 3); ++k) {
    posterior_.set.set_parameter(k, 0.6 * parameters[k].low + 0.4 * parameters[k].high);
    settle();
    ASSERT_TRUE(posterior_.scene()->by_hand);
    expect_the_same({k == 0 ? ".svg" : ".csv"});
  }
}

TEST_P(CopiedCommand, DrawsWhatTheScreenShowsOfAFile) {
  const auto task = built_in_tasks()->make(GetParam());
  const std::int64_t index[] = {11};
  const SetRange range[] = {{11, 0, std::min<std::int64_t>(25, task->info().max_n)}};
  const Latents latents = task->latents(5, Purpose::explore, index);
  save_observations(folder_ / "observed.npz", task->observe(latents, 5, Purpose::explore, range, torch::kCPU));
  settle();
  posterior_.set.open_file(folder_ / "observed.npz");
  settle();
  ASSERT_FALSE(posterior_.scene()->simulated);
  expect_the_same();
  posterior_.set_n(8);
  posterior_.set.choose_random(5);
  settle();
  ASSERT_EQ(posterior_.scene()->choice.random, 5u);
  EXPECT_THAT(posterior_.batch_command(), testing::HasSubstr("--random 5"));
  expect_the_same();
}

class CopiedCommandOfRuns : public CopiedCommand {};

TEST_P(CopiedCommandOfRuns, DrawsThemInTheirColors) {
  const std::string first = small_run(folder_.path(), "first", GetParam());
  const std::string second = small_run(folder_.path(), "second", GetParam(), 2);
  const std::string other = small_run(folder_.path(), "other", GetParam(), 3, "n1");
  std::vector<RunShades::Run> listed;
  for (const std::string& run : {GetParam(), first, second, other}) {
    const LoadedRun loaded = load_run(built_in_tasks(), run);
    listed.push_back(listed_run(loaded.folder, loaded.config, loaded.name));
    listed.back().run = run;
  }
  hub_.run_shades->list(listed);
  posterior_.set_n(10);
  posterior_.set_others({second, other, first});
  settle();
  ASSERT_EQ(posterior_.scene()->runs.size(), 4u);
  expect_the_same();
  // Alone, the run keeps the color that it has among others.
  posterior_.open(second);
  settle();
  EXPECT_THAT(posterior_.batch_command(), testing::HasSubstr(fmt::format("--shades={}", hub_.run_shades->of(second))));
  expect_the_same();
}

std::string test_name(const testing::TestParamInfo<std::string>& of) {
  std::string name = of.param;
  std::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Tasks, CopiedCommand, testing::ValuesIn(tasks_with_densities()), test_name);
INSTANTIATE_TEST_SUITE_P(Tasks, CopiedCommandOfRuns, testing::Values("bump-hunt", "gaussian"), test_name);

}  // namespace
}  // namespace pairs::model
