// x in whatever units its owner has: networks see it standardized, and nothing else depends on the units.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "app/posterior/follow/followed_set.h"
#include "core/aggregate.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/input_scale.h"
#include "core/nn/mlp_embedder.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"
#include "tasks/own/file/measure.h"
#include "tasks/own/simulated_task.h"
#include "tasks/registry.h"
#include "tests/aggregate_observed.h"
#include "tests/core/train/test_monitor.h"
#include "tests/tasks/own/own_files.h"
#include "tests/tasks/own/stored/stored_files.h"
#include "tests/tasks/sets.h"

namespace pairs::own {
namespace {

using ::testing::HasSubstr;

// Units of a column: x = location + scale * (number of size one).
struct Units {
  const char* name;
  double location, scale;
};
constexpr Units kOne{"one", 0, 1}, kMillivolts{"mv", 65000, 10000}, kTime{"time", 1.7e9, 60};

std::vector<std::string> tiny_settings() {
  return {"device=cpu",
          "threads=1",
          "embedder.layers=16,16",
          "embedder.size=16",
          "head.hidden=16",
          "head.transforms=1",
          "head.bins=8",
          "pretrain.epochs=3",
          "pretrain.steps=60",
          "pretrain.batch=128",
          "pretrain.validation_sets=1000",
          "cache.sizes=20",
          "cache.sets=500",
          "finetune.epochs=3",
          "finetune.steps=60",
          "finetune.batch=64",
          "finetune.validation_draws=1000"};
}

class OwnInput : public OwnFolder {
 protected:
  const Catalog tasks_ = built_in_tasks();

  // Normal observations of mean θ and spread ψ, in these units.
  std::filesystem::path program(const Units& units, const std::string& more = "") const {
    const std::filesystem::path folder = folder_ / units.name;
    std::filesystem::create_directory(folder);
    write_file(folder / "simulate.py",
               "import numpy as np\nfrom pairs_simulator import serve\n"
               "def prior(rng, size):\n    return rng.random(size), 0.3 + rng.random(size)\n"
               "def simulate(theta, psi, n, rng):\n"
               "    x = theta[0] + psi[0] * rng.standard_normal(n)\n" +
                   fmt::format("    return {} + {} * x\n", units.location, units.scale) + more + kServe);
    std::string text = task_text("[\"/usr/bin/python3\", \"simulate.py\"]", "workers = 1\n", "columns = [\"x\"]",
                                 std::string("units-") + units.name);
    write_file(folder / "task.toml", text);
    allow_task_file(folder / "task.toml");
    return folder / "task.toml";
  }

  // Stores such observations in sets of 40, with a task that reads them.
  std::filesystem::path stored(const Units& units) const {
    const std::filesystem::path folder = folder_ / (std::string("stored-") + units.name);
    std::filesystem::create_directory(folder);
    at::manual_seed(5);
    const torch::Tensor theta = torch::rand({600, 1}, torch::kFloat64),
                        psi = 0.3 + torch::rand({600, 1}, torch::kFloat64);
    const torch::Tensor x = theta.unsqueeze(1) + psi.unsqueeze(1) * torch::randn({600, 40, 1}, torch::kFloat64);
    pairs::testing::write_stored_npz(folder / "sets.npz",
                                     {{"theta", theta}, {"psi", psi}, {"x", units.location + units.scale * x}});
    std::string text = task_text("[\"x\"]", "", "columns = [\"x\"]", std::string("stored-") + units.name);
    text.replace(text.find("max_n = 100"), 11, "max_n = 40");
    write_file(folder / "task.toml",
               text.substr(0, text.find("[simulator]")) + "[simulations]\nfiles = [\"sets.npz\"]\n");
    return folder / "task.toml";
  }

  // A finished tiny run, and the losses of its stages.
  struct Trained {
    std::filesystem::path run;
    std::vector<double> losses;
  };
  Trained train(const std::filesystem::path& file) const {
    const std::string name = tasks_->open(file);
    RunConfig config = load_preset(tasks_, tasks_->make(name)->info(), "quick", "pairs", tiny_settings());
    Trained trained{create_run(config, folder_ / ("run-" + name)), {}};
    TestMonitor monitor;
    execute_run(tasks_, trained.run, monitor, Stage::finetune);
    for (const Event& event : monitor.events)
      if (event.type == EventType::stage_done && event.values.contains("validation"))
        trained.losses.push_back(event.values["validation"].get<double>());
    return trained;
  }

  // The posterior's mean and sd for some observations of size one, given in these units.
  std::vector<double> posterior(const Trained& trained, const Units& units) const {
    const LoadedRun run = load_run(tasks_, trained.run.string());
    const torch::Tensor x = units.location + units.scale * at::linspace(-0.4, 1.6, 20, torch::kFloat64).unsqueeze(1);
    const torch::Tensor aggregate = aggregate_observed(*run.estimator, x);
    FollowedSet followed(run.estimator, 20, 1);
    followed.add(Observations(x));
    EXPECT_LT((followed.aggregate() - aggregate).abs().max().item<double>(), 1e-5) << "a followed set is the same set";
    const torch::Tensor draws = run.estimator->sample(aggregate, torch::full({1}, 20, torch::kInt64), 4000, 7);
    return {draws.mean().item<double>(), draws.std().item<double>()};
  }

  void expect_same(const Trained& a, const Units& in_a, const Trained& b, const Units& in_b) const {
    ASSERT_EQ(a.losses.size(), 2u);
    ASSERT_EQ(b.losses.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(a.losses[k], b.losses[k], 0.02) << in_b.name << ", stage " << k;
    const std::vector<double> of_a = posterior(a, in_a), of_b = posterior(b, in_b);
    EXPECT_NEAR(of_a[0], of_b[0], 0.02) << in_b.name;
    EXPECT_NEAR(of_a[1], of_b[1], 0.02) << in_b.name;
  }
};

TEST_F(OwnInput, ScalesFollowTheUnitsAndIgnoreOutliers) {
  at::manual_seed(1);
  const torch::Tensor normal = torch::randn({2000, 1}, torch::kFloat64);
  const InputScale one = measure_x(normal, 1), other = measure_x(65000 - 1e4 * normal, 1);
  EXPECT_NEAR(one.location[0], 0, 0.1);
  EXPECT_NEAR(one.scale[0], 1, 0.1);
  EXPECT_NEAR(other.location[0], 65000 - 1e4 * one.location[0], 1e-6);
  EXPECT_NEAR(other.scale[0], 1e4 * one.scale[0], 1e-6);

  torch::Tensor wild = normal.clone();
  wild.slice(0, 0, 5).fill_(1e30);
  EXPECT_NEAR(measure_x(wild, 1).scale[0], one.scale[0], 0.02) << "five outliers of two thousand";

  // Most of it the same and the rest far away: no number is far from size one.
  torch::Tensor rare = torch::full({2000, 1}, 7.0, torch::kFloat64);
  rare.slice(0, 0, 100) += 1000 * torch::rand({100, 1}, torch::kFloat64);
  const InputScale mixed = measure_x(rare, 1);
  EXPECT_EQ(mixed.location[0], 7);
  EXPECT_LT(((rare - 7) / mixed.scale[0]).abs().max().item<double>(), 100);
  torch::Tensor once = torch::full({2000, 1}, 7.0, torch::kFloat64);
  once[3] = 1007;
  EXPECT_GT(measure_x(once, 1).scale[0], 10);
  const InputScale constant = measure_x(torch::full({50, 1}, 7.0, torch::kFloat64), 1);
  EXPECT_EQ(constant.location[0], 7);
  EXPECT_EQ(constant.scale[0], 1);

  // Each column and each channel by itself, and of ragged rows all rows; none at all.
  const InputScale columns = measure_x(torch::cat({normal, 100 * normal + 5}, 1), 2);
  EXPECT_NEAR(columns.scale[1] / columns.scale[0], 100, 1e-6);
  const torch::Tensor image = torch::randn({20, 2, 8, 8}, torch::kFloat64) * torch::tensor({1.0, 50.0}).view({2, 1, 1});
  EXPECT_NEAR(measure_x(image, 2).scale[1] / measure_x(image, 2).scale[0], 50, 10);
  const Observations rows = Observations::ragged(normal, torch::tensor({0, 0, 1500, 2000}, torch::kInt64));
  EXPECT_EQ(measure_x(rows, 1).scale, one.scale);
  EXPECT_EQ(measure_x(Observations::ragged(normal.slice(0, 0, 0), torch::tensor({0, 0}, torch::kInt64)), 1).scale[0],
            1);
}

TEST_F(OwnInput, AProgramInMillivoltsLearnsWhatOneInUnitsOfOneDoes) {
  const Trained one = train(program(kOne)), millivolts = train(program(kMillivolts)), time = train(program(kTime));
  EXPECT_LT(one.losses[1], -0.1) << "something is learned";
  expect_same(one, kOne, millivolts, kMillivolts);
  expect_same(one, kOne, time, kTime);

  // Location and scale belong to the run: its weights and its copy of the file hold them, and posteriors do not need
  // the program.
  const TensorFile weights = read_safetensors(millivolts.run / run_file::estimator);
  EXPECT_NEAR(weights.tensors.at("embedder.x_location").item<double>(), 65000 + 5000, 1500);
  EXPECT_NEAR(weights.tensors.at("embedder.x_scale").item<double>(), 9000, 2000);
  const TaskFile copy = read_task_file(millivolts.run / run_file::task);
  ASSERT_EQ(copy.input.location.size(), 1u);
  EXPECT_EQ(copy.input.location[0], weights.tensors.at("embedder.x_location").item<double>());
  EXPECT_EQ(copy.input.scale[0], weights.tensors.at("embedder.x_scale").item<double>());
  const std::vector<double> before = posterior(millivolts, kMillivolts);
  std::filesystem::remove_all(folder_ / kMillivolts.name);
  EXPECT_EQ(posterior(millivolts, kMillivolts), before);
}

TEST_F(OwnInput, StoredSetsInMillivoltsLearnWhatThoseInUnitsOfOneDo) {
  const Trained one = train(stored(kOne)), millivolts = train(stored(kMillivolts)), time = train(stored(kTime));
  expect_same(one, kOne, millivolts, kMillivolts);
  expect_same(one, kOne, time, kTime);
  std::filesystem::remove_all(folder_ / "stored-mv");
  posterior(millivolts, kMillivolts);
}

TEST_F(OwnInput, HeavyTailsAreCurved) {
  at::manual_seed(2);
  const torch::Tensor normal = torch::randn({4000, 1}, torch::kFloat64),
                      cauchy = normal / torch::randn({4000, 1}, torch::kFloat64);
  const auto seen = [](const torch::Tensor& x, const InputScale& scale) {
    const auto of = [](const std::vector<double>& values) { return torch::tensor(values, torch::kFloat64); };
    return scale.spread.empty()
               ? standardized(x, of(scale.location), of(scale.scale)).block()
               : standardized(x, of(scale.location), of(scale.scale), of(scale.middle), of(scale.spread)).block();
  };
  const auto expect_unit = [&](const torch::Tensor& x, const InputScale& scale) {
    const torch::Tensor z = seen(x, scale).select(1, 0).to(torch::kFloat64);
    EXPECT_NEAR(z.median().item<double>(), 0, 0.01);
    EXPECT_NEAR(0.5 * (z.quantile(0.84135) - z.quantile(0.15865)).item<double>(), 1, 0.05);
    EXPECT_LT(z.abs().max().item<double>(), 12);
    EXPECT_TRUE((z.index_select(0, x.select(1, 0).argsort()).diff() >= 0).all().item<bool>()) << "in the same order";
  };
  EXPECT_TRUE(measure_x(normal, 1).spread.empty());
  EXPECT_TRUE(measure_x(normal.exp(), 1).spread.empty());
  for (const double location : {0.0, 1.7e9}) {
    const InputScale heavy = measure_x(location + 60 * cauchy, 1);
    EXPECT_TRUE(heavy.curved(0));
    expect_unit(location + 60 * cauchy, heavy);
  }
  // Six decades of positive numbers are logarithms.
  const torch::Tensor decades =
      at::pow(10, 6 * torch::rand({4000, 1}, torch::kFloat64)) * torch::rand({4000, 1}, torch::kFloat64);
  const InputScale logs = measure_x(decades, 1);
  EXPECT_TRUE(logs.curved(0));
  expect_unit(decades, logs);
  const torch::Tensor steps = seen(torch::tensor({{1e2}, {1e3}, {1e4}, {1e5}}, torch::kFloat64), logs).diff(1, 0);
  EXPECT_LT((steps / steps[0] - 1).abs().max().item<double>(), 0.02) << "a decade is a decade";
  // The other columns are not curved; images never are.
  const InputScale both = measure_x(torch::cat({normal, cauchy}, 1), 2);
  EXPECT_FALSE(both.curved(0));
  EXPECT_TRUE(both.curved(1));
  EXPECT_TRUE(
      seen(torch::cat({normal, cauchy}, 1), both).select(1, 0).equal(seen(normal, measure_x(normal, 1)).select(1, 0)));
  EXPECT_TRUE(measure_x(cauchy.view({1, 1, 50, 80}), 1).spread.empty());
}

// The curve is part of the weights and of the run's copy of the task.
TEST_F(OwnInput, CurvedColumnsStayCurved) {
  const std::string functions =
      "import numpy as np\nfrom pairs_simulator import serve\n"
      "def prior(rng, size):\n    return rng.random(size), 0.3 + rng.random(size)\n"
      "def simulate(theta, psi, n, rng):\n    return theta[0] + psi[0] * rng.standard_cauchy(n)\n";
  write("simulate.py", functions + kServe);
  const auto file = write("task.toml", task_text("[\"/usr/bin/python3\", \"simulate.py\"]", "workers = 1\n"));
  allow_task_file(file);
  const auto task = tasks_->make(tasks_->open(file));
  ASSERT_TRUE(input_scale(*task).curved(0));
  const Trained trained = train(file);
  const LoadedRun run = load_run(tasks_, trained.run.string());
  EXPECT_EQ(input_scale(*run.task).spread, input_scale(*task).spread);
  EXPECT_THAT(read_file(trained.run / "task.toml"), HasSubstr("x_spread = ["));
  const torch::Tensor x = torch::tensor({{0.1}, {0.5}, {1e9}}, torch::kFloat64);
  const torch::Tensor far = aggregate_observed(*run.estimator, x);
  EXPECT_LT(far.abs().max().item<double>(), 1e3) << "one absurd number does not decide a mean";
  // Other weights of that network, of a task without a curve, bring none.
  Estimator other(task, run.estimator->config(), 3);
  auto plain = other.state();
  for (const char* name : {"embedder.x_middle", "embedder.x_spread"}) EXPECT_EQ(plain.erase(name), 1u) << name;
  Estimator curved(task, run.estimator->config(), 4);
  curved.load_state(plain);
  EXPECT_GT(aggregate_observed(curved, x).abs().max().item<double>(), 1e5);
  curved.load_state(other.state());
  EXPECT_TRUE(aggregate_observed(curved, x).equal(aggregate_observed(other, x)));
}

// Times at the present epoch are a second apart; float32 resolves only 128 s.
TEST_F(OwnInput, NothingIsRoundedBeforeItIsStandardized) {
  const auto spread = [](const Task& task) {
    const Latents latents = pairs::testing::latents_of(task, 1, Purpose::test, 0, 20);
    const torch::Tensor x = pairs::testing::sets_of(task, latents, 1, Purpose::test, 0, 5);
    EXPECT_EQ(x.scalar_type(), torch::kFloat64);
    const InputScale scale = input_scale(task);
    const Observations seen = standardized(x.flatten(0, 1), torch::tensor(scale.location, torch::kFloat64),
                                           torch::tensor(scale.scale, torch::kFloat64));
    EXPECT_EQ(seen.type(), torch::kFloat32);
    return seen.block().flatten();
  };
  const torch::Tensor one = spread(*make_simulated_task(read_task_file(program(kOne)))),
                      time = spread(*make_simulated_task(read_task_file(program(kTime))));
  EXPECT_LT((one - time).abs().max().item<double>(), 1e-5);
  const torch::Tensor stored_one = spread(*tasks_->make(tasks_->open(stored(kOne)))),
                      stored_time = spread(*tasks_->make(tasks_->open(stored(kTime))));
  EXPECT_LT((stored_one - stored_time).abs().max().item<double>(), 1e-5);
}

TEST_F(OwnInput, RaggedRowsToo) {
  const std::string functions = kPrior +
                                "def simulate(theta, psi, n, rng):\n"
                                "    return [1.7e9 + 60 * rng.standard_normal((int(rng.integers(0, 4)), 2)) for _ in "
                                "range(n)]\n" +
                                kServe;
  const auto rows = make_simulated_task(python_task(functions, "", "rows = [\"t\", \"u\"]\ntypical = 2"));
  const InputScale scale = input_scale(*rows);
  ASSERT_EQ(scale.location.size(), 2u);
  EXPECT_NEAR(scale.location[1], 1.7e9, 10);
  EXPECT_NEAR(scale.scale[1], 60, 10);
  const Latents latents = pairs::testing::latents_of(*rows, 1, Purpose::pretrain, 0, 1);
  const SetRange range{0, 0, 50};
  const Observations x = rows->observe(latents, 1, Purpose::pretrain, {&range, 1}, torch::kCPU);
  EXPECT_GT((x.rows() - x.rows().to(torch::kFloat32).to(torch::kFloat64)).abs().max().item<double>(), 1);
}

TEST_F(OwnInput, AFileSaysHow) {
  const auto input_of = [&](const std::string& x) {
    return input_scale(*make_simulated_task(python_task(kPrior + kSimulate + kServe, "", "columns = [\"x\"]\n" + x)));
  };
  EXPECT_TRUE(input_of("standardize = false").empty());
  EXPECT_EQ(input_of("location = 3\nscale = 2").location, std::vector{3.0});
  EXPECT_EQ(input_of("location = [3.5]\nscale = [2.0]").scale, std::vector{2.0});
  EXPECT_NEAR(input_of("").scale[0], 1.2, 0.4);
  EXPECT_EQ(input_of("").scale, input_of("").scale) << "the same draws each time";

  // As it is, x is float32 as ever.
  const auto plain =
      make_simulated_task(python_task(kPrior + kSimulate + kServe, "", "columns = [\"x\"]\nstandardize = false"));
  const Latents latents = pairs::testing::latents_of(*plain, 1, Purpose::test, 0, 2);
  EXPECT_EQ(pairs::testing::sets_of(*plain, latents, 1, Purpose::test, 0, 5).scalar_type(), torch::kFloat32);

  const auto problem = [&](const std::string& x) {
    return pairs::testing::sentence_of(
        [&] { parse_task(task_text("[\"x\"]", "", "columns = [\"a\", \"b\"]\n" + x), "/some/task.toml"); });
  };
  EXPECT_THAT(problem("standardize = 1"), HasSubstr("'x.standardize' must be true or false"));
  EXPECT_THAT(problem("location = 1"), HasSubstr("'x.location' and 'x.scale' belong together"));
  EXPECT_THAT(problem("location = 1\nscale = [1, 2, 3]"), HasSubstr("one for each of the 2 columns"));
  EXPECT_THAT(problem("location = 1\nscale = [1, 0]"), HasSubstr("'x.scale' must be above 0"));
  EXPECT_THAT(problem("location = inf\nscale = 1"), HasSubstr("'x.location' must hold finite numbers"));
  EXPECT_THAT(problem("location = 0\nscale = 1\nstandardize = false"), HasSubstr("no effect"));
}

// Weights bring their standardization with them, whatever a task measures, and those without one stay without.
TEST_F(OwnInput, BelongsToTheWeights) {
  const std::shared_ptr<const Task> one = make_simulated_task(read_task_file(program(kOne))),
                                    plain = make_simulated_task(python_task(kPrior + kSimulate + kServe, "",
                                                                            "columns = [\"x\"]\nstandardize = false"));
  EstimatorConfig config;
  config.embedder.size = 8;
  config.embedder.of<MlpEmbedder::Settings>().layers = {8};
  Estimator standardized(one, config, 1), other(plain, config, 2);
  const Observations x = at::linspace(-2, 5, 9, torch::kFloat64).unsqueeze(1);
  const torch::Tensor seen = standardized.embed(x), as_it_is = other.embed(x);
  EXPECT_TRUE(standardized.clone().embed(x).equal(seen));
  EXPECT_EQ(other.state().count("embedder.x_scale"), 0u);

  Estimator taken(plain, config, 3), left(one, config, 4);
  taken.start_from(standardized);
  EXPECT_TRUE(taken.embed(x).equal(seen));
  left.start_from(other);
  EXPECT_TRUE(left.embed(x).equal(as_it_is));

  auto state = standardized.state();
  state["embedder.x_scale"] = torch::zeros({1}, torch::kFloat64);
  EXPECT_THAT(pairs::testing::sentence_of([&] { taken.load_state(state); }), HasSubstr("not above 0"));
}

}  // namespace
}  // namespace pairs::own
