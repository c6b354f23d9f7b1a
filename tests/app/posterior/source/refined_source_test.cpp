#include "app/posterior/source/refined_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/aggregate.h"
#include "core/base/files/files.h"
#include "core/train/stages/likelihood_stage.h"
#include "tasks/registry.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"

namespace pairs {
namespace {

using testing::HasSubstr;

TEST(RefinedSource, DisagreesOnlyWhereWidthsDoNotExplainIt) {
  TaskInfo info;
  info.targets.push_back({"theta", "θ", "", 0, 1, 0.5, 0.3, 1, 0, 1});
  RefinedPosterior refined;
  const auto text = [&](double mean, double sd, double own_mean, double own_sd) {
    refined.mean = torch::tensor({mean}, torch::kFloat64);
    refined.sd = torch::tensor({sd}, torch::kFloat64);
    return disagreement_with_run(refined, torch::tensor({own_mean}, torch::kFloat64),
                                 torch::tensor({own_sd}, torch::kFloat64), info);
  };
  EXPECT_EQ(text(0.5, 0.1, 0.5, 0.1), "");
  EXPECT_EQ(text(0.5, 0.02, 0.7, 0.1), "") << "a wide posterior may be two of its deviations off";
  EXPECT_THAT(text(0.5, 0.1, 0.7, 0.1), HasSubstr("disagree on θ")) << "equally wide ones may not";
  EXPECT_THAT(text(0.5, 0.02, 1.1, 0.1), HasSubstr("one of them is wrong for this set"));
  EXPECT_THAT(text(0.5, 0.3, 0.5, 0.1), HasSubstr("disagree")) << "more data do not widen";
}

// The shipped bump hunt, whose exact posterior is known, with its shipped likelihood.
TEST(RefinedSource, OfTheBumpHuntIsTheExactPosterior) {
  const Tasks tasks = built_in_tasks();
  const LoadedRun run = load_run(tasks, "bump-hunt");
  ASSERT_EQ(not_refined(run), "");
  for (const std::int64_t n : {1, 10, 100}) {
    const std::vector<std::int64_t> index = {5};
    const std::vector<SetRange> range = {{5, 0, n}};
    const Latents latents = run.task->latents(1, Purpose::test, index);
    const Observations x = run.task->observe(latents, 1, Purpose::test, range, torch::kCPU);
    const RefinedSource refined = Refiner(run).source(x, {}, {}, 1);
    const PosteriorSource exact = reference_source(*run.task, "exact", x);
    const double sd = exact.sd.item<double>();
    EXPECT_NEAR(refined.source.mean.item<double>(), exact.mean.item<double>(), 0.15 * sd) << n;
    EXPECT_NEAR(refined.source.sd.item<double>() / sd, 1, 0.1) << n;
    EXPECT_NEAR(refined.source.sample(2000, 3).mean().item<double>(), exact.mean.item<double>(), 0.2 * sd) << n;
    const torch::Tensor theta = torch::linspace(0.0005, 0.9995, 1000, torch::kFloat64).unsqueeze(1);
    const torch::Tensor log = exact.log_density(theta), own = refined.source.log_density(theta);
    EXPECT_NEAR((log.exp() * (log - own)).mean().item<double>(), 0, 0.03) << "divergence in nat at N = " << n;
    EXPECT_THAT(refined_text(*refined.posterior, n), HasSubstr("effective samples"));
    EXPECT_THAT(refined_text(*refined.posterior, 101), HasSubstr("tested up to N = 100 only"));
  }
}

// Weighted samples θ [S, 1] as a refined posterior.
RefinedPosterior of_samples(const torch::Tensor& theta) {
  RefinedPosterior out;
  out.mean = theta.mean(0);
  out.sd = theta.std(0);
  return out;
}

// The run's posteriors of the bump hunt, which agree with quadrature, beside refined ones: those of its likelihood, and
// samples of the exact posterior of which a part is where it must not be. The part is that of a mode elsewhere, or has
// leaked beyond where the posterior ends.
TEST(RefinedSource, WarnsOfPlantedModesAndLeaksAlone) {
  const Tasks tasks = built_in_tasks();
  const LoadedRun run = load_run(tasks, "bump-hunt");
  const Refiner refiner(run);
  Stream stream(11, 0);
  std::map<std::string, int> warned, all;
  int checked = 0;
  for (const std::int64_t n : {20, 100})
    for (std::int64_t set = 0; set < 55; ++set) {
      const std::vector<SetRange> range = {{set, 0, n}};
      const std::vector<std::int64_t> index = {set};
      const Latents latents = run.task->latents(2, Purpose::test, index);
      const Observations x = run.task->observe(latents, 2, Purpose::test, range, torch::kCPU);
      const PosteriorSource own =
          estimator_source("run", SeriesRole::pairs, run.estimator,
                           aggregate_sets(*run.estimator, latents, 2, Purpose::test, index, n), n, {});
      const PosteriorSource exact = reference_source(*run.task, "exact", x);
      const torch::Tensor samples = own.sample(1000, 1).to(torch::kFloat64), mean = samples.mean(0),
                          sd = samples.std(0);
      const double s = exact.sd.item<double>(), m = exact.mean.item<double>();
      // Sets on which the run itself is right.
      if (std::abs(mean.item<double>() - m) > 0.25 * s || std::abs(std::log(sd.item<double>() / s)) > 0.2) continue;
      ++checked;
      const auto warn = [&](const std::string& kind, const RefinedPosterior& refined) {
        ++all[kind];
        warned[kind] += !disagreement_with_run(refined, mean, sd, run.task->info()).empty();
      };
      warn("sound", *refiner.source(x, {}, samples.slice(0, 0, 500), 1).posterior);
      const torch::Tensor theta = exact.sample(2000, 3);
      warn("exact", of_samples(theta));
      // A mode as wide as the posterior, at least six standard deviations off, or the whole of it.
      const double away = (stream.uniform64() < 0.5 ? -1 : 1) * (6 + 6 * stream.uniform64()) * s;
      for (const double share : {0.1, 0.3, 1.0}) {
        torch::Tensor planted = theta.clone();
        planted.slice(0, 0, static_cast<std::int64_t>(share * 2000)) += away;
        warn("mode", of_samples(planted));
      }
      // A part that has leaked to one side, spread over five standard deviations beyond the last sample.
      const torch::Tensor beyond = theta.max() + 5 * s * torch::linspace(0, 1, 200, torch::kFloat64).unsqueeze(1);
      warn("leak", of_samples(at::cat({theta.slice(0, 200), beyond})));
    }
  EXPECT_GT(checked, 80);
  EXPECT_LE(warned["sound"], 0.01 * all["sound"]);
  EXPECT_LE(warned["exact"], 0.01 * all["exact"]);
  EXPECT_GE(warned["mode"], 0.95 * all["mode"]);
  EXPECT_GE(warned["leak"], 0.95 * all["leak"]);
}

TEST(RefinedSource, StatesWhyThereIsNone) {
  const Tasks tasks = built_in_tasks();
  EXPECT_THAT(not_refined(load_run(tasks, "digits")), HasSubstr("images"));
  const TemporaryFolder folder;
  std::filesystem::copy(load_run(tasks, "bump-hunt").folder, folder / "run");
  const LoadedRun copy = load_run(tasks, (folder / "run").string());
  EXPECT_THAT(not_refined(copy), HasSubstr("pairs --batch likelihood "));
  EXPECT_THAT(message_of([&] {
                Refiner(copy).source(torch::zeros({1, 1}), {}, {}, 1);
              }),
              HasSubstr("has no learned likelihood"));
}

}  // namespace
}  // namespace pairs
