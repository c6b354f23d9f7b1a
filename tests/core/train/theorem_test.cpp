// The paper's theorem, trained: of x ~ N(0, exp θ) the mean of x² is sufficient, and an embedding of one number has an
// interior, as the theorem asks for. At N = 1 any function of |x| will do; pairs ask for the affine one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/eval/references/affine_map.h"
#include "core/eval/references/sufficiency.h"
#include "core/sufficient_statistics.h"
#include "core/train/run/run.h"
#include "tests/core/base/set_fields.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_library.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// θ ~ N(0, 1).
class SpreadTask : public ToyTask, public HasSufficientStatistics {
 public:
  SpreadTask() : ToyTask("spread") {}
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::vector<float> x;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const double sd = std::exp(0.5 * latents.theta[static_cast<std::int64_t>(k)][0].item<double>());
      for (std::int64_t j = ranges[k].first; j < ranges[k].first + ranges[k].count; ++j) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(j));
        x.push_back(static_cast<float>(sd * stream.normal64()));
      }
    }
    return torch::tensor(x).unsqueeze(1).to(device);
  }
  std::vector<std::string> statistic_names() const override { return {"x²"}; }
  torch::Tensor statistics(const Observations& x) const override { return x.block().to(torch::kFloat64).square(); }
};

class Theorem : public ::testing::Test {
 protected:
  // Stage 1 on sets of these sizes.
  Estimator trained(const std::vector<std::int64_t>& sizes, std::int64_t seed) const {
    RunConfig config;
    config.tasks = tasks_;
    config.task = task_->info().name;
    config.seed = seed;
    config.device = "cpu";
    config.threads = 1;
    set_fields(config.estimator,
               {"embedder.layers=32,32", "embedder.activation=silu", "embedder.size=1", "head.hidden=32", "head.bins=8",
                "head.transforms=1", "head.context_layers=2", "head.blocks=1", "head.affine=true", "encoding=linear"});
    config.pretrain.sizes = sizes;
    config.pretrain.epochs = 4;
    config.pretrain.steps = 1500;
    config.pretrain.batch = 256;
    config.pretrain.rate = 3e-3;
    config.pretrain.validation_sets = 512;
    const auto run = create_run(config, folder_ / fmt::format("{}-{}", sizes.size(), seed));
    TestMonitor monitor;
    execute_run(tasks_, run, monitor, Stage::pretrain);
    return Estimator::load(run / run_file::pretrained, task_);
  }

  std::shared_ptr<const Task> task_ = std::make_shared<SpreadTask>();
  Tasks tasks_ = std::make_shared<ToyLibrary>(task_);
  TemporaryFolder folder_;
};

TEST_F(Theorem, PairsLearnedheSufficientStatisticAndSinglesDoNot) {
  const TheoremSample sample = theorem_sample(*task_, 1);
  double least_of_singles = INFINITY, most_of_pairs = 0;
  std::vector<torch::Tensor> embeddings;
  for (const std::int64_t seed : {1, 2}) {
    Estimator pairs = trained({1, 2}, seed), singles = trained({1}, seed);
    const double of_pairs = worst_of(unexplained_statistics(pairs, sample)),
                 of_singles = worst_of(unexplained_statistics(singles, sample));
    embeddings.push_back(embeddings_of(pairs, sample));
    std::printf("1 − R²: pairs %.2g, singles %.2g; Cauchy residual: pairs %.2g, singles %.2g\n", of_pairs, of_singles,
                cauchy_residual(embeddings.back(), sample.statistics).item<double>(),
                cauchy_residual(embeddings_of(singles, sample), sample.statistics).item<double>());
    most_of_pairs = std::max(most_of_pairs, of_pairs);
    least_of_singles = std::min(least_of_singles, of_singles);
  }
  EXPECT_LT(10 * most_of_pairs, least_of_singles);
  // Corollary 2: the two that learned from pairs are affine maps of one another.
  EXPECT_LT(unexplained_in_all(embeddings[0], embeddings[1]), 0.02);
  EXPECT_LT(unexplained_in_all(embeddings[1], embeddings[0]), 0.02);
}

}  // namespace
}  // namespace pairs
