#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/aggregate.h"
#include "core/base/files/files.h"
#include "core/base/threads/clock.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/eval/evaluate/set_digest.h"
#include "core/likelihood/likelihood_task.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"
#include "core/train/stages/held_out_sets.h"
#include "core/train/stages/plan.h"
#include "core/train/stages/refined_density.h"
#include "core/train/stages/source_choice.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_row_task.h"
#include "tests/core/train/toy_task.h"
#include "tests/long_tests.h"
#include "tests/peak_memory.h"
#include "tests/tasks/in_place_of.h"
#include "tests/tasks/own/stored/stored_files.h"
#include "tests/tasks/sets.h"

// Whole runs on stored simulations, and what they need.

namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Sets of the toy: θ and ψ normal, x = θ + ψ + noise.
Arrays normal_sets(std::int64_t sets, std::int64_t m, std::uint64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  const torch::Tensor theta = at::randn({sets, 1}, generator, torch::kFloat64),
                      psi = 0.5 * at::randn({sets, 1}, generator, torch::kFloat64);
  const torch::Tensor x = (theta + psi).unsqueeze(1) + at::randn({sets, m, 1}, generator, torch::kFloat64);
  return {{"theta", theta}, {"psi", psi}, {"x", x.to(torch::kFloat32)}};
}

TaskInfo normal_info(std::int64_t max_n) {
  TaskInfo info = ToyTask().info();
  info.max_n = max_n;
  info.data_source = "";
  return info;
}

class StoredRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_stored_npz(folder_ / "pairs.npz", normal_sets(6000, 2, 1));
    write_stored_npz(folder_ / "large.npz", normal_sets(1500, 60, 2));
    tasks_ = std::make_shared<TaskCatalog>(
        std::vector<TaskEntry>{{.name = "toy", .make = [this](const TaskOptions&) {
                                  return stored_task(folder_.path(), {"pairs.npz", "large.npz"}, normal_info(60));
                                }}});
  }
  RunConfig config() const {
    RunConfig c;
    c.tasks = tasks_;
    c.task = "toy";
    c.device = "cpu";
    c.threads = 2;
    c.checkpoint = 0;
    c.estimator = toy_estimator();
    c.pretrain.epochs = 10;
    c.pretrain.steps = 40;
    c.pretrain.batch = 128;
    c.pretrain.rate = 5e-3;
    c.pretrain.validation_sets = 1000;
    c.cache.sizes = {40};
    c.cache.sets = {1500};
    c.finetune.epochs = 10;
    c.finetune.steps = 40;
    c.finetune.batch = 128;
    c.finetune.rate = 5e-3;
    c.finetune.validation_draws = 512;
    c.evaluate = {{1, 10, 40}, {200}, 19};
    return c;
  }
  RunConfig quick() const {
    RunConfig c = config();
    c.pretrain.epochs = c.finetune.epochs = 3;
    c.pretrain.steps = c.finetune.steps = 5;
    c.cache.sets = {60};
    c.cache.chunk = 200;
    c.cache.refresh = 1;
    return c;
  }

  TemporaryFolder folder_;
  Tasks tasks_;
};

// Stops once the likelihood has two losses.
class StopInLikelihood : public TestMonitor {
 public:
  bool should_stop() override {
    return std::count_if(events.begin(), events.end(), [](const Event& event) {
             return event.type == EventType::loss && event.stage == Stage::likelihood;
           }) >= 2;
  }
};

// A likelihood is learned from the sets for training alone, and refined posteriors come near the exact ones.
TEST_F(StoredRunTest, LearnsALikelihood) {
  RunConfig c = quick();
  c.likelihood.enabled = true;
  c.likelihood.batch = 1024;
  c.likelihood.compared = 12;
  c.likelihood.networks.density = {.components = 2, .hidden = 24, .layers = 1};
  const auto run = create_run(c, folder_ / "run");
  TestMonitor monitor;
  execute_run(tasks_, run, monitor);
  const LoadedRun loaded = load_run(tasks_, run.string());
  const std::optional<RunLikelihood> known = load_likelihood(run, *loaded.task);
  ASSERT_TRUE(known);
  EXPECT_FALSE(known->independence.rejected);
  EXPECT_EQ(known->independence.n, 0) << "stored sets are not simulated again";
  // Four in five of 102,000 observations are for training or for validation.
  EXPECT_NEAR(static_cast<double>(known->simulations), 0.8 * 102000, 5000);
  // Coarsening is what the file says of it, and widens posteriors: half of the likelihood counts at N = α.
  LearnedLikelihood likelihood =
      LearnedLikelihood::load(likelihood_folder(run) / likelihood_file::weights, *loaded.task);
  EXPECT_EQ(likelihood.coarsening(), known->likelihood->coarsening());
  EXPECT_EQ(std::isfinite(likelihood.coarsening()), likelihood.metadata().contains("coarsening"));
  EXPECT_GT(likelihood.coarsening(), 60) << "which 60,000 observations of a normal distribution determine well";
  // Sets that it simulates are those of the model: x is N(θ + ψ, 1), and smaller sets are prefixes of larger ones.
  const std::shared_ptr<const Task> simulator = simulated_by(known->likelihood, loaded.task);
  EXPECT_EQ(simulator->stored(), nullptr);
  const Latents at{
      torch::tensor({{0.5}, {-0.4}}, torch::kFloat64), torch::tensor({{0.25}, {0.1}}, torch::kFloat64), {}};
  const torch::Tensor x =
      simulator->observe(at, 1, Purpose::test, std::vector<SetRange>{{3, 0, 3000}, {4, 0, 3000}}, torch::kCPU).block();
  for (std::int64_t k = 0; k < 2; ++k) {
    const torch::Tensor one = x.slice(0, 3000 * k, 3000 * (k + 1));
    EXPECT_NEAR(one.mean().item<double>(), k == 0 ? 0.75 : -0.3, 0.12) << k;
    EXPECT_NEAR(one.std().item<double>(), 1, 0.1) << k;
    const std::vector<SetRange> part = {{3 + k, 50, 40}};
    const Latents own{at.theta.slice(0, k, k + 1), at.psi.slice(0, k, k + 1), {}};
    EXPECT_TRUE(at::equal(simulator->observe(own, 1, Purpose::test, part, torch::kCPU).block(), one.slice(0, 50, 90)));
  }
  const std::vector<std::int64_t> indices = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_GT(std::get<0>(at::_unique(simulator->latents(1, Purpose::test, indices).theta)).numel(), 4);
  const std::vector<HeldOutSet> sets =
      largest_sets(*loaded.task, static_cast<std::uint64_t>(c.seed), Purpose::pretrain_validation, 100);
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.size(), 24u);
  for (const HeldOutSet& one : sets) EXPECT_EQ(one.x.count(), 60) << "sets of two say nothing about sixty";
  const auto refined = [&](double alpha) {
    likelihood.coarsen(alpha);
    return refined_by(likelihood, *loaded.task, sets.front().x, sets.front().own.given, {}, 1, {}, {});
  };
  const RefinedPosterior sharp = refined(INFINITY), wide = refined(60);
  EXPECT_EQ(sharp.power, 1);
  EXPECT_DOUBLE_EQ(wide.power, 0.5);
  // The data determine one direction of (θ, ψ), whose variance doubles.
  const auto spread_of = [](const RefinedPosterior& posterior) {
    const torch::Tensor values = at::cat({posterior.theta, posterior.psi}, 1),
                        away = values - at::matmul(posterior.weight, values);
    return at::linalg_det(at::matmul((away * posterior.weight.unsqueeze(1)).t(), away)).item<double>();
  };
  EXPECT_NEAR(spread_of(wide) / spread_of(sharp), 2, 0.4);
  EXPECT_NEAR(wide.log_evidence, sharp.log_evidence, 5 * (wide.log_evidence_se + sharp.log_evidence_se) + 0.01);
  // Where every set has a shift of its own, which the likelihood does not know, hardly any of it counts.
  likelihood.coarsen(INFINITY);
  std::vector<PowerScore> shifted;
  for (std::size_t k = 0; k < 8; ++k) {
    HeldOutSet one = sets[k];
    one.x = Observations(one.x.block() + (k % 2 == 0 ? 1.0 : -1.0));
    if (const auto score = power_score(likelihood, *loaded.task, one, [] { return true; })) shifted.push_back(*score);
  }
  ASSERT_GE(shifted.size(), 4u);
  EXPECT_LT(fitted_coarsening(shifted), 20);
  const std::optional<SourceChoice> choice = load_source_choice(run);
  ASSERT_TRUE(choice);
  ASSERT_EQ(choice->scores.size(), 3u);
  for (const SourceScore& one : choice->scores) {
    EXPECT_GT(one.gain, 0) << "the run was hardly trained, N = " << one.n;
    EXPECT_TRUE(choice->refined(one.n));
  }
  EvaluationOptions options;
  options.sizes = {10};
  options.sets = {50};
  options.samples = 0;
  options.made = refined_density(*known, loaded.task, 50);
  const EvaluationRow row = evaluate(*loaded.estimator, options).front();
  const double spread = 0.25 + 0.1, exact = 0.5 * std::log(2 * M_PI * M_E * spread / (1 + spread));
  EXPECT_NEAR(row.reference_nll.at(kRefined), exact, 0.06 + 3 * row.nll_se);
  EXPECT_LT(row.reference_gain.at(kRefined).left_out, 5);
  // Stopped and resumed, it is learned to the same bits.
  const auto again = folder_ / "again";
  create_run(c, again);
  StopInLikelihood stopped;
  EXPECT_THROW(execute_run(tasks_, again, stopped), Stopped);
  EXPECT_FALSE(std::filesystem::exists(likelihood_folder(again) / likelihood_file::weights));
  EXPECT_TRUE(likelihood_begun(again));
  execute_run(tasks_, again, monitor);
  for (const char* file : {likelihood_file::weights, "comparison.json"})
    EXPECT_EQ(read_file(likelihood_folder(again) / file), read_file(likelihood_folder(run) / file)) << file;
}

TEST_F(StoredRunTest, LearnsWhatASimulatorTeaches) {
  const auto run = create_run(config(), folder_ / "run");
  TestMonitor monitor;
  execute_run(tasks_, run, monitor, Stage::finetune);
  LoadedRun loaded = load_run(tasks_, run.string());
  ASSERT_TRUE(loaded.finetuned);
  EvaluationOptions options;
  options.sizes = {1, 10, 40};
  options.sets = {100000};
  options.samples = 19;
  const auto rows = evaluate(*loaded.estimator, options);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(static_cast<double>(rows[0].sets), 1500, 5 * std::sqrt(7500 * 0.16)) << "one in five of all";
  EXPECT_NEAR(static_cast<double>(rows[2].sets), 300, 5 * std::sqrt(1500 * 0.16)) << "one in five of the large ones";
  for (const EvaluationRow& row : rows) {
    // θ and x̄ are normal: x̄ given θ has the variance 1/4 + 1/N.
    const double spread = 0.25 + 1.0 / static_cast<double>(row.n),
                 exact = 0.5 * std::log(2 * M_PI * M_E * spread / (1 + spread));
    EXPECT_NEAR(row.nll, exact, 0.1 + 3 * row.nll_se) << row.n;
  }
  EXPECT_THAT(sentence_of([&] {
                options.sizes = {61};
                evaluate(*loaded.estimator, options);
              }),
              HasSubstr("holds N = 61 observations; stop at N = 60"));
}

TEST_F(StoredRunTest, StoppedAnywhereARunEndsWithTheSameBits) {
  const auto whole = create_run(quick(), folder_ / "whole"), cut = create_run(quick(), folder_ / "cut");
  TestMonitor all;
  execute_run(tasks_, whole, all, Stage::finetune);
  EXPECT_GT(execute_with_stops(tasks_, cut, 15), 1);
  EXPECT_EQ(read_file(whole / run_file::estimator), read_file(cut / run_file::estimator));
}

TEST_F(StoredRunTest, ARunWhoseFilesHaveChangedIsNotResumed) {
  const auto run = create_run(quick(), folder_ / "run");
  TestMonitor stopped(20, 3);
  EXPECT_THROW(execute_run(tasks_, run, stopped, Stage::finetune), Stopped);
  ASSERT_TRUE(std::filesystem::exists(run / run_file::stored));
  const auto resume = [&] {
    TestMonitor monitor;
    return sentence_of([&] { execute_run(tasks_, run, monitor, Stage::finetune); });
  };
  const std::string kept = read_file(folder_ / "large.npz");
  const auto time = std::filesystem::last_write_time(folder_ / "large.npz");
  write_stored_npz(folder_ / "large.npz", normal_sets(1500, 60, 3));
  EXPECT_THAT(resume(), AllOf(StartsWith("large.npz has changed since the run began (then "), HasSubstr("restore it")));
  std::ofstream(folder_ / "large.npz", std::ios::binary) << kept;
  std::filesystem::last_write_time(folder_ / "large.npz", time);
  // Under other names it is the same data.
  std::filesystem::rename(folder_ / "large.npz", folder_ / "held.npz");
  std::filesystem::rename(folder_ / "pairs.npz", folder_ / "large.npz");
  std::filesystem::rename(folder_ / "held.npz", folder_ / "pairs.npz");
  EXPECT_EQ(resume(), "");
}

// A test set is known by its θ and its first observation: renamed files have the same ones, simulated again they
// differ.
TEST_F(StoredRunTest, TestSetsAreToldApartByWhatTheyHold) {
  const auto digests = [&](const std::string& file) {
    return first_digests(*stored_task(folder_.path(), {file, "pairs.npz"}, normal_info(60)), 1, 200);
  };
  const auto before = digests("large.npz");
  std::filesystem::rename(folder_ / "large.npz", folder_ / "a.npz");
  EXPECT_EQ(digests("a.npz"), before);
  Arrays again = normal_sets(1500, 60, 2);
  again["x"] = again.at("x") + 0.01;
  write_stored_npz(folder_ / "b.npz", again);
  EXPECT_EQ(shared_sets(digests("b.npz"), before), 0u);
  EXPECT_EQ(shared_sets(digests("a.npz"), std::vector<std::uint16_t>(before.begin(), before.begin() + 20)), 20u);
}

TEST_F(StoredRunTest, SizesBeyondWhatIsStoredAreRefusedBeforeTraining) {
  RunConfig large = quick();
  large.cache.sizes = {61};
  const auto task = stored_task(folder_.path(), {"pairs.npz", "large.npz"}, normal_info(60));
  EXPECT_THAT(sentence_of([&] { set_demands(large, task); }), HasSubstr("cache.sizes asks for N = 61"));
  RunConfig wide = quick();
  wide.pretrain.sizes = {100};
  EXPECT_THAT(sentence_of([&] { task->stored()->serving(set_demands(wide, task)); }),
              StartsWith("stage 1 needs sets of N = 100 observations, but only up to N = 60"));
  // Who serves what, for people. Of 60 observations 40 make a set, and no more than 60 are asked for.
  std::vector<std::string> reported;
  for (const SetService& one : task->stored()->service(set_demands(config(), task))) reported.push_back(one.text);
  const auto held = [&](Purpose purpose, std::int64_t n) { return count_text(task->stored()->sets(purpose, n)); };
  EXPECT_THAT(reported,
              ::testing::ElementsAre(
                  AllOf(StartsWith(fmt::format(
                            "stage 1: {} stored sets of 2 observations or more, of 51,200 that are drawn, each ",
                            held(Purpose::pretrain, 2))),
                        HasSubstr("the others as repeats")),
                  fmt::format("stage 1, validation: {} stored sets of 2 observations or more, of 1,000 that are drawn",
                              held(Purpose::pretrain_validation, 2)),
                  HasSubstr(fmt::format("stages 2 and 3, N up to 40: {} stored sets of ", held(Purpose::finetune, 60))),
                  HasSubstr(fmt::format("validation: {} stored sets of ", held(Purpose::finetune_validation, 60))),
                  HasSubstr(fmt::format("stage 2, standardizer: {} stored sets of 2 observations or more",
                                        held(Purpose::pretrain, 2))),
                  HasSubstr(fmt::format("evaluation, N = 1: 200 of the {}", held(Purpose::test, 1))),
                  HasSubstr(fmt::format("evaluation, N = 10: 200 of the {}", held(Purpose::test, 10))),
                  HasSubstr(fmt::format("evaluation, N = 40: 200 of the {}", held(Purpose::test, 40)))));
}

// A NPY file of zeros that takes no room on disk.
void write_sparse_npy(const std::filesystem::path& file, torch::ScalarType type, std::vector<std::int64_t> shape) {
  std::ofstream(file, std::ios::binary) << npy_header_text(type, shape, file.string());
  std::uintmax_t bytes = std::filesystem::file_size(file) + c10::elementSize(type);
  std::uintmax_t numbers = 1;
  for (const std::int64_t extent : shape) numbers *= static_cast<std::uintmax_t>(extent);
  std::filesystem::resize_file(file, bytes + (numbers - 1) * c10::elementSize(type));
}

TEST(StoredMemory, FortyGigabytesTakeAsMuchMemoryAsFortyMegabytes) {
  if (const std::string why = cannot_measure(); !why.empty()) GTEST_SKIP() << why;
  TemporaryFolder folder;
  // Sets of 10,000: 40 MB, and 40 GB in ten folders.
  const auto peak = [&](const std::string& name, std::int64_t files, std::int64_t sets) {
    for (std::int64_t f = 0; f < files; ++f) {
      const auto one = folder / fmt::format("{}/{}", name, f);
      std::filesystem::create_directories(one);
      write_npy(one / "theta.npy", numbered_theta(sets, f * sets));
      write_sparse_npy(one / "x.npy", torch::kFloat32, {sets, 10000, 1});
    }
    const double before = megabytes("VmRSS:");
    reset_peak();
    const auto task = stored_task(folder.path(), {name + "/*"}, stored_info(1000));
    for (std::int64_t first = 0; first < 4000; first += 500) {
      const Latents pairs = latents_of(*task, 1, Purpose::pretrain, first, 500);
      EXPECT_EQ(sets_of(*task, pairs, 1, Purpose::pretrain, first, 2).abs().max().item<float>(), 0);
      const Latents large = latents_of(*task, 1, Purpose::finetune, first, 500);
      sets_of(*task, large, 1, Purpose::finetune, first, 1000);
    }
    return megabytes("VmHWM:") - before;
  };
  try {
    peak("warm", 1, 1000);
    const double small = peak("small", 1, 1000), large = peak("large", 10, 100000);
    std::printf("peak above the program's own: %.1f MB with 40 MB of simulations, %.1f MB with 40 GB\n", small, large);
    EXPECT_LT(large, small + 100) << "a gigabyte would do";
  } catch (const std::filesystem::filesystem_error& error) {
    GTEST_SKIP() << "the disk takes no files of 4 GB: " << error.what();
  }
}

// Ragged rows: 0 to 1,000 of them in each of 10,000 observations, and the same with the rows of each observation in
// another order, in a file of the same name.
TEST(StoredRows, TheOrderOfRowsChangesNothingAndMemoryGoesWithTheRows) {
  TemporaryFolder folder;
  constexpr std::int64_t kSets = 5, kEach = 10000;
  at::Generator generator = at::detail::createCPUGenerator(1);
  const torch::Tensor counts = at::randint(0, 1001, {kSets * kEach}, generator, torch::kInt64);
  const torch::Tensor ends = at::cat({at::zeros({1}, torch::kInt64), counts.cumsum(0)});
  const std::int64_t rows = ends[-1].item<std::int64_t>();
  const torch::Tensor x = at::randn({rows, 2}, generator);
  const torch::Tensor of = at::arange(kSets * kEach, torch::kInt64).repeat_interleave(counts);
  // Sorted by observation, then by a random number.
  const torch::Tensor order = (of.to(torch::kFloat64) + at::rand({rows}, generator, torch::kFloat64)).argsort();
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directories(folder / "b");
  for (const char* name : {"a", "b"})
    for (const auto& [array, values] : Arrays{{"theta", numbered_theta(kSets)},
                                              {"x", *name == 'a' ? x : x.index_select(0, order)},
                                              {"row_offsets", ends}})
      write_npy(folder / fmt::format("{}/{}.npy", name, array), values);
  ASSERT_FALSE(at::equal(x, x.index_select(0, order)));
  TaskInfo info = stored_row_info(kEach);
  info.rows = 500;
  const auto embedded = [&](const std::string& name) {
    // The folder itself is the task's, so that both sources have one name and one division.
    const auto task = stored_task(folder / name, {"x.npy"}, info);
    Estimator estimator(task, toy_row_estimator(), 3);
    estimator.train(false);
    const std::vector<std::int64_t> index = {0};
    return aggregate_sets(estimator, latents_of(*task, 1, Purpose::finetune, 0, 1), 1, Purpose::finetune, index, kEach);
  };
  const std::string unreported = cannot_measure();
  const double before = megabytes("VmRSS:");
  const torch::Tensor a = embedded("a");
  const double peak = megabytes("VmHWM:") - before, mb = static_cast<double>(rows) / kSets * 2 * 4 / 1e6,
               padded = static_cast<double>(kEach) * 1000 * 2 * 4 / 1e6;
  const torch::Tensor b = embedded("b");
  const double difference = (a - b).abs().max().item<double>();
  std::printf(
      "a set of 10,000 observations of 0 to 1,000 rows (%.0f MB, %.0f MB if padded): peak %.0f MB; another order of "
      "rows changes its aggregate by %.1g\n",
      mb, padded, peak, difference);
  EXPECT_LT(difference, 1e-5);
  const SetRange range[] = {{0, 0, kEach}};
  const auto observed = [&](const char* name) {
    const auto task = stored_task(folder / name, {"x.npy"}, info);
    return task->observe(latents_of(*task, 1, Purpose::finetune, 0, 1), 1, Purpose::finetune, range, torch::kCPU);
  };
  const Observations whole = observed("a"), other = observed("b");
  EXPECT_EQ(whole.numbers(), 2 * whole.offsets()[kEach].item<std::int64_t>()) << "nothing is padded";
  EXPECT_TRUE(at::equal(whole.offsets(), other.offsets()));
  EXPECT_GT((whole.rows() - other.rows()).abs().mean().item<double>(), 0.5) << "the rows do stand in another order";
  if (unreported.empty()) {
    EXPECT_LT(peak, mb + 100) << "in chunks of observations: no more than a set's rows";
  }
}

// The script of the example, and the description of its files in the README.
TEST(StoredExample, TheFilesOfTheExampleAreRead) {
  const std::filesystem::path example = PAIRS_SOURCE_DIR "/assets/examples/stored-lifetime";
  if (std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") != 0)
    GTEST_SKIP() << "/usr/bin/python3 has no numpy: install python3-numpy";
  TemporaryFolder folder;
  ASSERT_EQ(std::system(fmt::format("/usr/bin/python3 '{}' --pairs 3000 --large 400 --out '{}'",
                                    (example / "simulate.py").string(), folder.path().string())
                            .c_str()),
            0);
  TaskInfo info = stored_info(200, 0.5, 5);
  info.nuisances = {{"noise", "b"}};
  const auto task = stored_task(folder.path(), {"pairs-*.npz", "large-*.npz"}, info);
  EXPECT_THAT(task->info().data_source, StartsWith("3,400 stored sets (content "));
  EXPECT_TRUE(task->stored()->notes().empty());
  const std::int64_t sets = task->stored()->sets(Purpose::finetune, 200);
  EXPECT_NEAR(static_cast<double>(sets), 240, 5 * std::sqrt(400 * 0.24));
  const Latents latents = latents_of(*task, 1, Purpose::finetune, 0, sets);
  const torch::Tensor x = sets_of(*task, latents, 1, Purpose::finetune, 0, 200).to(torch::kFloat64).flatten(1),
                      psi = latents.psi;
  // With q = 1 / (exp(W / τ) − 1), a decay within the window W has mean τ − W q and mean square 2 τ² − (W² + 2 W τ) q.
  // Noise has mean W / 2 and mean square W² / 3.
  const torch::Tensor tau = latents.theta, q = 1 / (20 / tau).expm1();
  const torch::Tensor mean = (1 - psi) * (tau - 20 * q) + psi * 10,
                      square = (1 - psi) * (2 * tau * tau - (400 + 40 * tau) * q) + psi * 400 / 3;
  const torch::Tensor z = (x.mean(1, true) - mean) / ((square - mean * mean) / 200).sqrt();
  EXPECT_LT(z.mean().abs().item<double>(), 4 / std::sqrt(static_cast<double>(sets)));
  EXPECT_NEAR(z.std().item<double>(), 1, 0.2);
}

// Compares the bump hunt from files, 200,000 sets of 2 and 20,000 of 200, at the budgets of its preset `quick`, with
// the built-in task that simulates every set anew.
TEST(StoredBumpHunt, FilesTeachNearlyWhatTheSimulatorDoes) {
  if (!long_tests()) GTEST_SKIP() << "takes minutes; set PAIRS_LONG_TESTS=1";
  const auto simulator = built_in_tasks()->make("bump-hunt");
  TemporaryFolder folder;
  const auto write = [&](const char* name, std::int64_t sets, std::int64_t m, Purpose purpose) {
    const Latents latents = latents_of(*simulator, 77, purpose, 0, sets);
    write_stored_npz(
        folder / name,
        {{"theta", latents.theta}, {"psi", latents.psi}, {"x", sets_of(*simulator, latents, 77, purpose, 0, m)}});
  };
  write("pairs.npz", 200000, 2, Purpose::pretrain);
  write("large.npz", 20000, 200, Purpose::finetune);
  // On one thread: several wait for each other at every step, which on a busy machine takes hours.
  RunConfig config = load_preset(built_in_tasks(), simulator->info(), "quick", "pairs", {"device=cpu", "threads=1"});
  std::map<std::string, std::vector<EvaluationRow>> rows;
  for (const std::string source : {"files", "simulator"}) {
    config.tasks = in_place_of("bump-hunt", [&](const TaskOptions&) {
      if (source == "simulator") return simulator;
      TaskInfo info = simulator->info();
      info.data_source = "";
      return stored_task(folder.path(), {"pairs.npz", "large.npz"}, info);
    });
    const Stopwatch watch;
    const auto run = create_run(config, folder / source);
    for (const Stage stage : {Stage::pretrain, Stage::cache, Stage::finetune}) {
      TestMonitor monitor;
      execute_run(config.tasks, run, monitor, stage);
      std::printf("from %s: stage %d after %.0f s\n", source.c_str(), static_cast<int>(stage) + 1, watch.seconds());
      std::fflush(stdout);
    }
    Estimator estimator = Estimator::load(run / run_file::estimator, simulator);
    EvaluationOptions options;
    options.sizes = {1, 2, 10, 100};
    options.sets = {4000};
    options.samples = 99;
    rows[source] = evaluate(estimator, options);
    for (const EvaluationRow& row : rows[source])
      std::printf("from %s, N = %ld: gap to the exact posterior %.4f ± %.4f\n", source.c_str(),
                  static_cast<long>(row.n), row.gap, row.gap_se);
    std::fflush(stdout);
  }
  EXPECT_LT(rows["files"][3].gap, 0.1);
}

}  // namespace
}  // namespace pairs
