#include "core/train/stages/likelihood_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/base/files/files.h"
#include "core/likelihood/likelihood_draws.h"
#include "core/likelihood/refined_posterior.h"
#include "core/train/run/run.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/likelihood/covariate_toy.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_image_task.h"
#include "tests/core/train/toy_library.h"
#include "tests/core/train/toy_row_task.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

using testing::HasSubstr;

// ToyTask with sets small enough that independence is tested in a moment.
class SmallToy : public ToyTask {
 public:
  explicit SmallToy(std::int64_t most = 50) : info_(ToyTask::info()) { info_.max_n = most; }
  const TaskInfo& info() const override { return info_; }

 private:
  TaskInfo info_;
};

// SmallToy with whole numbers: x rounded.
class CountingToy : public SmallToy {
 public:
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    return SmallToy::observe(latents, seed, purpose, ranges, device).block().round();
  }
};

// SmallToy whose detector shows nothing below -0.5, where it writes that limit, and nothing above 2.
class ClippedToy : public SmallToy {
 public:
  static constexpr double kLow = -0.5, kHigh = 2;
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    return SmallToy::observe(latents, seed, purpose, ranges, device).block().clamp(kLow, kHigh);
  }
};

RunConfig config_of(std::shared_ptr<const Task> task) {
  RunConfig config;
  config.task = task->info().name;
  config.tasks = std::make_shared<ToyLibrary>(task);
  config.device = "cpu";
  return config;
}

LikelihoodConfig small() {
  LikelihoodConfig config;
  config.steps = 60;
  config.batch = 1024;
  config.networks.density = {4, 24, 1};
  return config;
}

// A likelihood of the task, trained in the folder for so many steps.
std::optional<RunLikelihood> learned(const std::shared_ptr<const Task>& task, const std::filesystem::path& folder,
                                     std::int64_t steps) {
  LikelihoodConfig config = small();
  config.steps = steps;
  TestMonitor monitor;
  train_likelihood(folder, config_of(task), config, monitor);
  return load_likelihood(folder, *task);
}

// The weights in a run's folder, as bytes.
std::string weights_of(const std::filesystem::path& run) {
  return read_file(likelihood_folder(run) / likelihood_file::weights);
}

TEST(LikelihoodStage, LearnsWhatThePosteriorFollowsFrom) {
  const auto task = std::make_shared<const SmallToy>();
  const TemporaryFolder folder;
  const std::optional<RunLikelihood> made = learned(task, folder.path(), 1000);
  ASSERT_TRUE(made.has_value());
  EXPECT_FALSE(made->independence.rejected) << made->independence.text;
  EXPECT_EQ(made->independence.n, 50);
  // x is N(θ + ψ, 1) and its scale about 1.5: its entropy in standardized units.
  const ColumnScale& column = made->likelihood->columns()[0];
  const double scale =
      1 / (column.standardized(torch::ones({1})) - column.standardized(torch::zeros({1}))).item<double>();
  EXPECT_NEAR(made->validation, 0.5 * std::log(2 * M_PI * M_E) - std::log(scale), 0.02);
  // The posterior of θ for N observations of mean m: with v = 1 / 4 + 1 / N, mean m / (1 + v) and variance v / (1 + v).
  for (const std::int64_t n : {1, 20}) {
    const Latents latents = task->latents(3, Purpose::test, std::vector<std::int64_t>{7});
    const std::vector<SetRange> ranges = {{7, 0, n}};
    const torch::Tensor x = task->observe(latents, 3, Purpose::test, ranges, torch::kCPU).block();
    const RefinedPosterior out = refine(*made->likelihood, 1, x, {}, {.draws = 4000, .seed = 2});
    ASSERT_EQ(out.refused, "") << n;
    const double v = 0.25 + 1.0 / static_cast<double>(n), mean = x.mean().item<double>() / (1 + v),
                 sd = std::sqrt(v / (1 + v));
    EXPECT_NEAR(out.mean.item<double>(), mean, 0.15 * sd) << n;
    EXPECT_NEAR(out.sd.item<double>() / sd, 1, 0.1) << n;
    // The evidence in the units of x: the deviations from the mean, and the mean, whose variance is 1 + v.
    const double observations = static_cast<double>(n), mean_x = x.mean().item<double>(),
                 square = (x - mean_x).square().sum().item<double>();
    const double evidence = -0.5 * (observations - 1) * std::log(2 * M_PI) - 0.5 * std::log(observations) -
                            0.5 * square - 0.5 * std::log(2 * M_PI * (1 + v)) - 0.5 * mean_x * mean_x / (1 + v);
    EXPECT_NEAR(out.log_evidence, evidence, 0.03 * observations) << n << ", by " << out.log_evidence_range;
    // The density of both parameters is that of the likelihood, also once what could have stopped the sampling is gone.
    RefineOptions options{.draws = 4000, .seed = 2};
    bool going = true;
    options.keep_going = [&going] { return going; };
    const RefinedPosterior both = refine(*made->likelihood, 2, x, {}, options);
    going = false;
    const torch::Tensor values = at::cat({both.theta, both.psi}, 1).slice(0, 0, 5);
    EXPECT_TRUE(RefinedDensity(both).log_density(values).isfinite().all().item<bool>());
  }
}

TEST(LikelihoodStage, SimulatesWholeNumbersWithTheirProbabilities) {
  const auto task = std::make_shared<const CountingToy>();
  const TemporaryFolder folder;
  const std::optional<RunLikelihood> made = learned(task, folder.path(), 1000);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->likelihood->columns()[0].kind(), ColumnKind::lattice);
  EXPECT_THAT(message_of([&] { refine(*made->likelihood, 1, torch::tensor({{0.5}}), {}, {}); }),
              HasSubstr("holds whole numbers in simulations"));
  constexpr std::int64_t count = 20000;
  const torch::Tensor z =
      made->likelihood->space().coordinates(torch::tensor({{0.5, 0.25}}, torch::kFloat64)).expand({count, 2});
  const torch::Tensor x = made->likelihood->simulate(z, {}, 5);
  EXPECT_TRUE(torch::equal(x, x.round()));
  for (const double k : {-1.0, 0.0, 1.0, 2.0}) {
    const auto level = [](double t) { return 0.5 * std::erfc(-t * M_SQRT1_2); };
    const double exact = level(k + 0.5 - 0.75) - level(k - 0.5 - 0.75);
    EXPECT_NEAR((x == k).to(torch::kFloat64).mean().item<double>(), exact, 0.03) << k;
  }
}

// The exact posterior by quadrature: limits have probabilities, and all else a density.
TEST(LikelihoodStage, GivesLimitsTheirProbabilities) {
  const auto task = std::make_shared<const ClippedToy>();
  const TemporaryFolder folder;
  const std::optional<RunLikelihood> made = learned(task, folder.path(), 1500);
  ASSERT_TRUE(made.has_value());
  EXPECT_THAT(made->likelihood->columns()[0].atoms(), testing::ElementsAre(ClippedToy::kLow, ClippedToy::kHigh));
  EXPECT_FALSE(made->independence.rejected) << made->independence.text;
  const auto level = [](double t) { return 0.5 * std::erfc(-t * M_SQRT1_2); };
  for (const std::int64_t index : {2, 7, 11}) {
    const Latents latents = task->latents(3, Purpose::test, std::vector<std::int64_t>{index});
    const torch::Tensor x =
        task->observe(latents, 3, Purpose::test, std::vector<SetRange>{{index, 0, 20}}, torch::kCPU).block();
    const RefinedPosterior out = refine(*made->likelihood, 1, x, {}, {.draws = 4000, .seed = 2});
    ASSERT_EQ(out.refused, "") << index;
    double sum = 0, first = 0, second = 0;
    for (double theta = -4; theta <= 4; theta += 0.05)
      for (double psi = -2; psi <= 2; psi += 0.05) {
        double log = -0.5 * theta * theta - 2 * psi * psi;
        for (std::int64_t i = 0; i < 20; ++i) {
          const double value = x[i].item<double>(), mean = theta + psi;
          log += value <= ClippedToy::kLow    ? std::log(level(ClippedToy::kLow - mean))
                 : value >= ClippedToy::kHigh ? std::log(level(mean - ClippedToy::kHigh))
                                              : -0.5 * (value - mean) * (value - mean);
        }
        sum += std::exp(log);
        first += theta * std::exp(log);
        second += theta * theta * std::exp(log);
      }
    const double mean = first / sum, sd = std::sqrt(second / sum - mean * mean);
    EXPECT_NEAR(out.mean.item<double>(), mean, 0.2 * sd) << index;
    EXPECT_NEAR(out.sd.item<double>() / sd, 1, 0.12) << index;
  }
  // Simulated limits are exactly these.
  const torch::Tensor z =
      made->likelihood->space().coordinates(torch::tensor({{0.5, 0.25}}, torch::kFloat64)).expand({20000, 2});
  const torch::Tensor x = made->likelihood->simulate(z, {}, 5);
  EXPECT_NEAR((x == ClippedToy::kLow).to(torch::kFloat64).mean().item<double>(), level(-1.25), 0.03);
  EXPECT_NEAR((x == ClippedToy::kHigh).to(torch::kFloat64).mean().item<double>(), level(-1.25), 0.03);
}

// The posterior follows from y given u, for designs that training hardly ever has, and for values at any distances.
TEST(LikelihoodStage, IsConditionedOnCovariates) {
  const std::array<CovariateToy::Covariate, 2> designs = {
      [](Stream& stream, double, double) { return 2 * stream.uniform64() - 1; },
      [](Stream& stream, double, double) {
        constexpr std::array<double, 4> values = {-1, -0.9, 0.1, 0.9};
        return values[stream.below(4)];
      }};
  for (const CovariateToy::Covariate& design : designs) {
    const auto task = std::make_shared<const CovariateToy>(design);
    const TemporaryFolder folder;
    const std::optional<RunLikelihood> made = learned(task, folder.path(), 1000);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->unusable(), "");
    EXPECT_THAT(made->covariates.text, HasSubstr("appear not to depend"));
    // All u are 0.9: only θ u + ψ is measured.
    constexpr std::int64_t n = 20;
    torch::Tensor x = torch::full({n, 2}, 0.9);
    x.select(1, 0).copy_(torch::linspace(-1, 2.5, n));
    const RefinedPosterior out = refine(*made->likelihood, 1, x, {}, {.draws = 4000, .seed = 2});
    ASSERT_EQ(out.refused, "");
    const double u = 0.9, v = 0.25 + 1.0 / n, mean = x.select(1, 0).mean().item<double>();
    EXPECT_NEAR(out.mean.item<double>(), u * mean / (u * u + v), 0.15);
    EXPECT_NEAR(out.sd.item<double>() / std::sqrt(v / (u * u + v)), 1, 0.2);
    // Its file is of no use to a task that has no covariates.
    class Plain : public CovariateToy {
     public:
      Plain() : info_(CovariateToy::info()) { info_.covariates.clear(); }
      const TaskInfo& info() const override { return info_; }

     private:
      TaskInfo info_;
    };
    EXPECT_THAT(message_of([&] { load_likelihood(folder.path(), Plain()); }),
                HasSubstr("its covariates are not those"));
  }
}

// A dependence without a slope is found by the learned density alone.
TEST(LikelihoodStage, RefusesCovariatesThatDependOnTheParameters) {
  const auto task = std::make_shared<const CovariateToy>(
      [](Stream& stream, double theta, double) { return std::cos(2 * theta) + 0.5 * stream.normal64(); });
  const TemporaryFolder folder;
  const std::optional<RunLikelihood> made = learned(task, folder.path(), 600);
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->covariates.rejected) << made->covariates.text;
  EXPECT_FALSE(made->independence.rejected) << made->independence.text;
  EXPECT_THAT(made->unusable(), HasSubstr("The covariates depend on the parameters"));
}

TEST(LikelihoodStage, ResumesToTheSameBits) {
  const auto task = std::make_shared<const SmallToy>(8);
  const RunConfig run = config_of(task);
  const TemporaryFolder whole, stopped, other;
  TestMonitor monitor;
  for (const std::int64_t simulations : {0, 20000}) {
    LikelihoodConfig config = small();
    config.simulations = simulations;
    const std::string name = std::to_string(simulations);
    std::filesystem::create_directories(whole / name);
    std::filesystem::create_directories(stopped / name);
    train_likelihood(whole / name, run, config, monitor);
    int stops = 0;
    for (bool done = false; !done && stops < 200; ++stops) {
      TestMonitor interrupting(500, static_cast<std::uint64_t>(stops) + 1);
      try {
        train_likelihood(stopped / name, run, config, interrupting);
        done = true;
      } catch (const Stopped&) {
      }
    }
    EXPECT_GT(stops, 1);
    EXPECT_EQ(weights_of(whole / name), weights_of(stopped / name)) << simulations;
    EXPECT_FALSE(std::filesystem::exists(likelihood_folder(stopped / name) / run_file::resume));
    const std::string before = weights_of(whole / name);
    train_likelihood(whole / name, run, config, monitor);
    EXPECT_EQ(weights_of(whole / name), before) << "it is there already";
    config.seed = 2;
    EXPECT_THAT(message_of([&] { train_likelihood(whole / name, run, config, monitor); }),
                HasSubstr("was begun with likelihood.seed = 1, and here it is 2"));
  }
}

TEST(LikelihoodStage, RefusesWhatHasNoDensity) {
  TestMonitor monitor;
  const TemporaryFolder folder;
  const auto refusal = [&](std::shared_ptr<const Task> task) {
    return message_of([&] { train_likelihood(folder.path(), config_of(std::move(task)), small(), monitor); });
  };
  EXPECT_THAT(refusal(std::make_shared<const ToyRowTask>()), HasSubstr("different numbers of rows"));
  EXPECT_THAT(refusal(std::make_shared<const ToyImageTask>()), HasSubstr("image"));

  // A nuisance of two values, and a column of three that do not lie at one distance from each other.
  class Discrete : public SmallToy {
    Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
      Latents out = SmallToy::latents(seed, purpose, indices);
      out.psi = out.psi.sign();
      return out;
    }
  };
  EXPECT_THAT(refusal(std::make_shared<const Discrete>()), HasSubstr("parameter psi takes only 2 different values"));
  // A nuisance that follows from the target: a monotone function of it, and with a shift its own value.
  class Follows : public SmallToy {
   public:
    explicit Follows(bool cube) : cube_(cube) {}
    Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
      Latents out = SmallToy::latents(seed, purpose, indices);
      out.psi = cube_ ? -out.theta.pow(3) : 2 * out.theta + 1;
      return out;
    }

   private:
    bool cube_;
  };
  for (const bool cube : {false, true})
    EXPECT_THAT(refusal(std::make_shared<const Follows>(cube)), HasSubstr("follows from the others")) << cube;
  class Uneven : public SmallToy {
    Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                         const torch::Device& device) const override {
      const torch::Tensor x = SmallToy::observe(latents, seed, purpose, ranges, device).block();
      return ((20 * x).round().clamp(-50, 50) / 20).exp();
    }
  };
  EXPECT_THAT(refusal(std::make_shared<const Uneven>()), HasSubstr("column x of x takes only 101 different values"))
      << "more than categories may have";
}

TEST(LikelihoodStage, ReportsObservationsThatShareSomethingHidden) {
  class Hidden : public SmallToy {
    Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                         const torch::Device& device) const override {
      torch::Tensor x = SmallToy::observe(latents, seed, purpose, ranges, device).block().clone();
      std::int64_t at = 0;
      for (const SetRange& range : ranges) {
        Stream stream(stream_key(seed, purpose) + 1, static_cast<std::uint64_t>(range.index));
        x.slice(0, at, at + range.count) += 0.5 * stream.normal64();
        at += range.count;
      }
      return x;
    }
  };
  const auto task = std::make_shared<const Hidden>();
  const TemporaryFolder folder;
  TestMonitor monitor;
  train_likelihood(folder.path(), config_of(task), small(), monitor);
  const std::optional<RunLikelihood> made = load_likelihood(folder.path(), *task);
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->independence.rejected);
  EXPECT_THAT(made->independence.text, HasSubstr("not independent"));
  EXPECT_THAT(monitor.events.back().values.at("text").get<std::string>(), HasSubstr("not refined"));
}

TEST(LikelihoodStage, DamagedFilesAreRefusedByName) {
  const auto task = std::make_shared<const SmallToy>();
  const TemporaryFolder folder;
  EXPECT_FALSE(load_likelihood(folder.path(), *task).has_value());
  TestMonitor monitor;
  train_likelihood(folder.path(), config_of(task), small(), monitor);
  const std::filesystem::path file = likelihood_folder(folder.path()) / likelihood_file::weights;
  const std::string good = read_file(file);
  EXPECT_THAT(message_of([&] { load_likelihood(folder.path(), ToyTask("another")); }),
              HasSubstr("belongs to task toy, not another"));
  for (const std::size_t keep : {std::size_t{0}, good.size() / 3, good.size() - 1}) {
    write_file(file, good.substr(0, keep));
    EXPECT_NE(message_of([&] { load_likelihood(folder.path(), *task); }), "") << keep;
  }
  write_file(file, good);
  EXPECT_TRUE(load_likelihood(folder.path(), *task).has_value());
}

}  // namespace
}  // namespace pairs
