#include "core/eval/references/sufficiency.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/sufficient_statistics.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// A toy that names x and x² as its statistics.
class KnownToy : public ToyTask, public HasSufficientStatistics {
 public:
  std::vector<std::string> statistic_names() const override { return {"x", "x²"}; }
  torch::Tensor statistics(const Observations& x) const override {
    const torch::Tensor flat = x.block().to(torch::kFloat64);
    return at::cat({flat, flat.square()}, 1);
  }
};

// An embedding that ends with x itself.
Estimator with_input() {
  EstimatorConfig config;
  set_fields(config, {"embedder.layers=16", "embedder.size=3", "embedder.append_input=true", "head.hidden=16"});
  Estimator estimator(std::make_shared<KnownToy>(), config, 1);
  estimator.train(false);
  return estimator;
}

TEST(Sufficiency, IsOfTasksThatKnowTheirStatistics) {
  EXPECT_FALSE(theorem_sample(ToyTask(), 8).known());
  const TheoremSample sample = theorem_sample(KnownToy(), 8);
  ASSERT_TRUE(sample.known());
  EXPECT_EQ(sample.names, (std::vector<std::string>{"x", "x²"}));
  EXPECT_TRUE(sample.statistics.select(1, 0).equal(sample.x.block().select(1, 0).to(torch::kFloat64)));
}

TEST(Sufficiency, RefusesAStatisticThatDoesNotVary) {
  class ConstantToy : public KnownToy {
    torch::Tensor statistics(const Observations& x) const override {
      torch::Tensor both = KnownToy::statistics(x);
      both.select(1, 1).fill_(1);
      return both;
    }
  };
  for (const bool check : {false, true}) try {
      check ? check_sufficient_statistics(ConstantToy()) : static_cast<void>(theorem_sample(ConstantToy(), 8));
      FAIL() << "x² is always 1";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("statistic x² of task toy is the same for all observations"));
    }
  // One that takes another value in some of the first few hundred sets alone is none of these.
  class RareToy : public KnownToy {
    torch::Tensor statistics(const Observations& x) const override {
      torch::Tensor both = KnownToy::statistics(x);
      both.select(1, 1).fill_(1);
      if (x.count() > 1000) both[1000][1] = 2;
      return both;
    }
  };
  check_sufficient_statistics(RareToy());
  check_sufficient_statistics(KnownToy());
  check_sufficient_statistics(ToyTask());
}

TEST(Sufficiency, SampleIsTheSameInPairsAndWithoutTails) {
  const TheoremSample sample = theorem_sample(KnownToy(), 8), again = theorem_sample(KnownToy(), 8);
  EXPECT_TRUE(sample.x.block().equal(again.x.block()));
  EXPECT_EQ(sample.x.count() % 2, 0);
  EXPECT_GT(sample.x.count(), 3800);
  // x ~ N(0, 2.25) within 2.576 sd on either side, which also ends x².
  EXPECT_NEAR(sample.statistics.select(1, 1).max().item<double>(), 2.25 * 2.576 * 2.576, 1.5);
  // The two of a pair share θ and ψ: their correlation is 1.25 / 2.25, whatever is cut off a little less.
  const torch::Tensor pairs = sample.statistics.select(1, 0).view({-1, 2});
  const torch::Tensor centered = pairs - pairs.mean();
  const double correlation =
      (centered.select(1, 0) * centered.select(1, 1)).mean().item<double>() / centered.square().mean().item<double>();
  EXPECT_NEAR(correlation, 1.25 / 2.25, 0.06);
  EXPECT_GE(theorem_sample(KnownToy(), 2000).x.count(), 4 * 2002);
}

TEST(Sufficiency, TellsWhatAnEmbeddingHolds) {
  Estimator estimator = with_input();
  const TheoremSample sample = theorem_sample(KnownToy(), estimator.embedding_size());
  EXPECT_TRUE(embeddings_of(estimator, sample).select(1, 2).equal(sample.x.block().select(1, 0)));
  const std::vector<double> reported = unexplained_statistics(estimator, sample);
  ASSERT_EQ(reported.size(), 2u);
  EXPECT_LT(reported[0], 1e-12);
  EXPECT_GT(reported[1], 1e-6);
  EXPECT_EQ(worst_of(reported), reported[1]);
}

TEST(Sufficiency, IsNotKnownOfEmbeddingsThatAreNotFinite) {
  Estimator estimator = with_input();
  {
    const torch::NoGradGuard no_grad;
    for (auto& [name, weight] : estimator.embedder_parameters()) weight.fill_(NAN);
  }
  const std::vector<double> reported = unexplained_statistics(estimator, theorem_sample(KnownToy(), 3));
  ASSERT_EQ(reported.size(), 2u);
  EXPECT_TRUE(std::isnan(reported[0]) && std::isnan(reported[1]));
  EXPECT_TRUE(std::isnan(worst_of(reported)));
}

TEST(Sufficiency, TheWorstIsTheLargestOrUnknown) {
  EXPECT_EQ(worst_of({0.1, 0.3, 0.2}), 0.3);
  EXPECT_TRUE(std::isnan(worst_of({0.1, NAN, 0.2})));
  EXPECT_TRUE(std::isnan(worst_of({})));
}

}  // namespace
}  // namespace pairs
