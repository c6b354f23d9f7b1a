// Runs that keep to a budget of simulations.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "core/base/fields/face.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/threads/clock.h"
#include "core/invalid_draws.h"
#include "core/simulation_budget.h"
#include "core/stored_sets.h"
#include "core/train/run/run.h"
#include "core/train/run/run_progress.h"
#include "core/train/stages/likelihood_stage.h"
#include "core/train/stages/plan.h"
#include "tasks/file_facts.h"
#include "tasks/own/budget/pool.h"
#include "tasks/own/budget/pool_layout.h"
#include "tasks/own/own_tasks.h"
#include "tasks/registry.h"
#include "tests/core/base/message.h"
#include "tests/core/train/test_monitor.h"
#include "tests/long_tests.h"
#include "tests/tasks/own/exact_gap.h"
#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(PoolLayout, KeepsToItsBudgetAndFillsEverySplit) {
  for (const bool likelihood : {false, true})
    for (const std::int64_t max_n : {2, 3, 20, 100, 1000, 5000})
      for (const std::int64_t budget : {3000, 20000, 1000000}) {
        PoolLayout layout;
        try {
          layout = pool_layout(budget, max_n, likelihood);
        } catch (const Error&) {
          EXPECT_LT(budget, 30 * max_n);
          continue;
        }
        EXPECT_LE(layout.observations() + layout.checks, budget);
        EXPECT_GE(layout.observations() + layout.checks, budget - 6) << budget << " of " << max_n;
        EXPECT_EQ(layout.sizes.back().n, max_n);
        for (const Split split : kSplits) EXPECT_GE(layout.sizes.back().of(split), 2);
        EXPECT_GE(layout.sizes.back().of(Split::training), 8);
        for (std::size_t k = 1; k < layout.sizes.size(); ++k) EXPECT_LT(layout.sizes[k - 1].n, layout.sizes[k].n);
      }
}

TEST(PoolLayout, HasMostObservationsInSmallSetsWhereALikelihoodLearnsFromThem) {
  const auto in_small = [](const PoolLayout& layout, Split split) {
    std::int64_t observations = 0;
    for (const PoolSize& size : layout.sizes)
      if (size.n <= 32) observations += size.n * size.of(split);
    return static_cast<double>(observations) / static_cast<double>(layout.observations(split));
  };
  const PoolLayout without = pool_layout(100'000, 1000, false), with = pool_layout(100'000, 1000, true);
  EXPECT_LT(in_small(without, Split::training), 0.4);
  EXPECT_GT(in_small(with, Split::training), 0.7);
  EXPECT_GT(with.sets(Split::training), 2 * without.sets(Split::training));
  for (const Split held_out : {Split::validation, Split::test}) EXPECT_EQ(with.sets(held_out), without.sets(held_out));
}

TEST(PoolLayout, RepeatsParametersForATestOfIndependence) {
  EXPECT_EQ(pool_layout(100'000, 1000, false).groups, 0);
  std::int64_t before = 0;
  for (const std::int64_t budget : {4'000, 20'000, 100'000, 1'000'000}) {
    const PoolLayout layout = pool_layout(budget, 100, true);
    EXPECT_GE(layout.groups, 20) << budget;
    EXPECT_GE(layout.repeated_n, before) << "larger sets show weaker dependence";
    before = layout.repeated_n;
    const std::int64_t spent = PoolLayout::kRepeats * layout.groups * layout.repeated_n;
    EXPECT_LE(static_cast<double>(spent), 0.06 * static_cast<double>(layout.observations(Split::training)));
    for (const PoolSize& size : layout.sizes)
      if (size.n == layout.repeated_n)
        EXPECT_GE(size.of(Split::training), PoolLayout::kRepeats * layout.groups) << budget;
  }
  EXPECT_GE(before, 64);
}

TEST(PoolLayout, RefusesABudgetThatIsTooSmall) {
  EXPECT_THAT(message_of([] { pool_layout(500, 100, true); }),
              AllOf(HasSubstr("task.simulations = 500"), HasSubstr("max_n = 100"), HasSubstr("or more")));
}

// A normal with unknown mean and width, whose program writes down how many observations it is asked for.
class Budget : public OwnFolder {
 protected:
  Budget() {
    write("simulate.py", std::string(kPrior) +
                             "def simulate(theta, psi, n, rng):\n"
                             "    with open('calls', 'a') as file: file.write(f'{n}\\n')\n"
                             "    return rng.normal(psi[0], 0.1 + theta[0], n)\n"
                             "serve(prior, simulate)\n");
    file_ = write("task.toml", task_text("[\"/usr/bin/python3\", \"simulate.py\"]"));
    allow_task_file(file_);
    name_ = tasks_->open(file_);
  }

  RunConfig config(std::int64_t simulations, std::vector<std::string> more = {}) const {
    std::vector<std::string> settings = {"device=cpu",        "threads=1",         "pretrain.epochs=2",
                                         "pretrain.steps=10", "finetune.epochs=2", "finetune.steps=10",
                                         "cache.sets=500"};
    if (simulations > 0) settings.push_back("task.simulations=" + std::to_string(simulations));
    settings.insert(settings.end(), more.begin(), more.end());
    return load_preset(tasks_, tasks_->make(name_)->info(), "quick", "pairs", settings);
  }
  // Observations that the program was asked for so far.
  std::int64_t calls() const {
    std::ifstream in(folder_ / "calls");
    std::int64_t sum = 0;
    for (std::int64_t n = 0; in >> n;) sum += n;
    return sum;
  }

  const Catalog tasks_ = built_in_tasks();
  std::filesystem::path file_;
  std::string name_;
};

constexpr std::int64_t kBudget = 3000;

// Asks to stop when that is so.
class StoppingMonitor : public TestMonitor {
 public:
  explicit StoppingMonitor(std::function<bool()> stop) : stop_(std::move(stop)) {}
  bool should_stop() override { return stop_(); }

 private:
  std::function<bool()> stop_;
};

TEST_F(Budget, IsNotExceededByARun) {
  TestMonitor monitor;
  const auto run = create_run(config(kBudget), folder_ / "run");
  execute_run(tasks_, run, monitor, Stage::finetune);
  EXPECT_TRUE(run_status(run).finished);
  EXPECT_LE(calls(), kBudget);
  EXPECT_GE(calls(), kBudget - kBudget / 20) << "most of it is used";
  const std::int64_t before = calls();
  const LoadedRun trained = load_run(tasks_, run.string());
  ASSERT_NE(trained.task->stored(), nullptr);
  EXPECT_THAT(trained.task->info().data_source, HasSubstr("3,000 simulations"));
  EXPECT_FALSE(input_scale(*trained.task).empty());
  EXPECT_GE(trained.task->stored()->sets(Purpose::test, 100), 2);
  const std::map<std::int64_t, std::int64_t> held = read_progress(run / run_file::events).held();
  ASSERT_TRUE(held.contains(2) && held.contains(100));
  EXPECT_EQ(held.at(100), trained.task->stored()->sets(Purpose::finetune, 100)) << "answers at N = 100 rest on so many";
  EXPECT_EQ(held.at(2), trained.task->stored()->sets(Purpose::finetune, 2));
  EXPECT_LT(held.at(100), held.at(2));
  EXPECT_EQ(calls(), before);
}

TEST_F(Budget, CountsWhatItDrewAgainBesideItself) {
  write("simulate.py", std::string(kPrior) +
                           "def simulate(theta, psi, n, rng):\n"
                           "    x = rng.normal(psi[0], 0.1 + theta[0], n)\n"
                           "    x[rng.random(n) < 0.2 * theta[0]] = np.inf\n"
                           "    return x\n"
                           "serve(prior, simulate)\n");
  file_ =
      write("again.toml", task_text("[\"/usr/bin/python3\", \"simulate.py\"]",
                                    "workers = 2\ntimeout = 20\ninvalid = \"redraw\"\n", "columns = [\"x\"]", "again"));
  allow_task_file(file_);
  name_ = tasks_->open(file_);
  TestMonitor monitor;
  const auto run = create_run(config(kBudget), folder_ / "run");
  execute_run(tasks_, run, monitor, Stage::finetune);
  const nlohmann::json reported = parse_json(read_file(run / "simulations" / kInvalidRecord));
  EXPECT_GT(reported.at("attempts").get<int>(), kBudget);
  EXPECT_LT(reported.at("attempts").get<int>(), kBudget * 12 / 10);
  EXPECT_NEAR(reported.at("share").get<double>(), 0.1, 0.04);
  EXPECT_EQ(reported.at("targets").at(0).at("bins").size(), 5u);
  EXPECT_TRUE(std::any_of(monitor.events.begin(), monitor.events.end(), [](const Event& event) {
    return event.type == EventType::warning &&
           event.values.value("text", "").find("conditional on observations being valid") != std::string::npos;
  }));
}

// A program of which a set costs the same whatever its size, and one that takes its time for each observation.
TEST_F(Budget, ItsPaceIsThatOfItsOwnSets) {
  for (const bool by_set : {true, false}) {
    write("simulate.py", std::string(kPrior) +
                             "import time\n"
                             "def simulate(theta, psi, n, rng):\n"
                             "    time.sleep(" +
                             (by_set ? "0.05" : "0.01 * n") +
                             ")\n"
                             "    return rng.normal(psi[0], 0.1 + theta[0], n)\n"
                             "serve(prior, simulate)\n");
    allow_task_file(file_);
    const auto task = config(kBudget).make_task();
    const BudgetedSimulator& budget = *face<BudgetedSimulator>(*task);
    double seconds = 0, observations = 0;
    for (const BudgetedSets& size : budget.budgeted_sets()) {
      const auto sets = static_cast<double>(size.training + size.validation + size.test);
      seconds += sets * (by_set ? 0.05 : 0.01 * static_cast<double>(size.n));
      observations += sets * static_cast<double>(size.n);
    }
    const double measured = budget.pace().seconds * observations;
    EXPECT_GT(measured, 0.8 * seconds) << by_set;
    EXPECT_LT(measured, 1.8 * seconds) << by_set;
  }
}

TEST_F(Budget, PlansTheSetsThatItMakes) {
  const RunConfig planned = config(kBudget);
  const auto plan = planned_task(planned);
  ASSERT_NE(plan->stored(), nullptr);
  const std::int64_t before = calls();
  const auto demands = set_demands(planned, plan);
  const auto service = plan->stored()->service(demands);
  EXPECT_LE(calls(), 4 * 4) << "the prior alone was asked, by workers whose seeds are checked";
  EXPECT_EQ(calls(), before);
  TestMonitor monitor;
  const auto run = create_run(planned, folder_ / "run");
  execute_run(tasks_, run, monitor, Stage::finetune);
  const LoadedRun trained = load_run(tasks_, run.string());
  const auto made = trained.task->stored()->service(set_demands(trained.config, trained.task));
  ASSERT_EQ(made.size(), service.size());
  for (std::size_t k = 0; k < made.size(); ++k) EXPECT_EQ(made[k].held, service[k].held) << made[k].demand.use;
}

TEST_F(Budget, GoesOnWhereItWasStopped) {
  TestMonitor whole;
  const auto once = create_run(config(kBudget), folder_ / "once");
  execute_run(tasks_, once, whole, Stage::finetune);
  const auto twice = create_run(config(kBudget), folder_ / "twice");
  const std::int64_t first = calls();
  StoppingMonitor stopping([&] { return calls() > first + kBudget / 3; });
  EXPECT_THROW(execute_run(tasks_, twice, stopping, Stage::finetune), Stopped);
  EXPECT_FALSE(pool_complete(twice));
  const std::int64_t before = calls();
  EXPECT_LT(before - first, kBudget);
  TestMonitor rest;
  execute_run(tasks_, twice, rest, Stage::finetune);
  EXPECT_LT(calls() - before, kBudget - kBudget / 4) << "what was made is kept";
  EXPECT_EQ(read_file(once / run_file::estimator), read_file(twice / run_file::estimator));
}

// Where the program raises in the middle of a question all is kept that it had answered.
TEST_F(Budget, KeepsWhatWasAnsweredBeforeTheProgramRaised) {
  write("simulate.py", std::string("import os, time\n") + kPrior +
                           "def simulate(theta, psi, n, rng):\n"
                           "    with open('calls', 'a') as file: file.write(f'{n}\\n')\n"
                           "    with open('made', 'a') as file:\n"
                           "        file.write('x' * n)\n"
                           "        made = file.tell()\n"
                           "    if os.path.exists('fail'):\n"
                           "        time.sleep(0.002)\n"
                           "        if made > int(open('fail').read()): raise ValueError('the detector is full')\n"
                           "    return rng.normal(psi[0], 0.1 + theta[0], n)\n"
                           "serve(prior, simulate)\n");
  allow_task_file(file_);
  tasks_->renew(file_);
  TestMonitor whole, failing, rest;
  const auto once = create_run(config(kBudget), folder_ / "once");
  execute_run(tasks_, once, whole, Stage::finetune);
  const auto twice = create_run(config(kBudget), folder_ / "twice");
  // In the middle, whichever worker is asked then.
  write("fail", std::to_string(std::filesystem::file_size(folder_ / "made") + kBudget / 2));
  const std::int64_t first = calls();
  EXPECT_THAT(message_of([&] { execute_run(tasks_, twice, failing, Stage::finetune); }),
              HasSubstr("the detector is full"));
  const std::int64_t spent = calls() - first;
  std::int64_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(pool_folder(twice)))
    if (entry.path().extension() == ".npz") kept += NpzReader(entry.path()).shapes().at("x").front();
  EXPECT_GT(spent, 1000);
  EXPECT_GT(kept, spent - 350) << "all but the last requests, a fiftieth of a second each, and the checks of the seeds";
  std::filesystem::remove(folder_ / "fail");
  const std::int64_t before = calls();
  execute_run(tasks_, twice, rest, Stage::finetune);
  EXPECT_LE(calls() - before, kBudget - kept);
  EXPECT_EQ(read_file(once / run_file::estimator), read_file(twice / run_file::estimator));
}

TEST_F(Budget, IsGoneOnWithTheSameProgramAlone) {
  const auto run = create_run(config(kBudget), folder_ / "run");
  StoppingMonitor stopping([&] { return calls() > kBudget / 3; });
  EXPECT_THROW(execute_run(tasks_, run, stopping, Stage::finetune), Stopped);
  write("simulate.py", std::string(kPrior) +
                           "def simulate(theta, psi, n, rng):\n"
                           "    return rng.normal(psi[0], 0.2 + theta[0], n)\n"
                           "serve(prior, simulate)\n");
  allow_task_file(file_);
  tasks_->renew(file_);
  TestMonitor rest;
  EXPECT_THAT(message_of([&] { execute_run(tasks_, run, rest, Stage::finetune); }), HasSubstr("answers otherwise"));
}

TEST_F(Budget, ChangesPresetsAndIsKnownByTheirVariant) {
  const RunConfig free = config(0), within = config(20000);
  EXPECT_NE(free.pretrain.weight_decay, within.pretrain.weight_decay);
  EXPECT_EQ(within.cache.sizes.back(), 100);
  EXPECT_EQ(within.make_task()->info().variant, "simulations 20000");
  EXPECT_NE(face<BudgetedSimulator>(*within.make_task()), nullptr);
  EXPECT_EQ(face<BudgetedSimulator>(*free.make_task()), nullptr);
}

TEST_F(Budget, ServesChosenTargets) {
  const RunConfig both = config(kBudget, {"task.targets=theta,psi"});
  TestMonitor monitor;
  const auto run = create_run(both, folder_ / "run");
  execute_run(tasks_, run, monitor, Stage::finetune);
  EXPECT_EQ(load_run(tasks_, run.string()).task->info().targets.size(), 2u);
  EXPECT_LE(calls(), kBudget);
}

// Some of a budget's sets have the same parameters, which shows what a simulator keeps to itself.
TEST_F(Budget, ShowsWhetherObservationsAreIndependent) {
  for (const bool shared : {false, true}) {
    write("simulate.py", std::string(kPrior) +
                             "def simulate(theta, psi, n, rng):\n"
                             "    shift = " +
                             (shared ? "rng.normal()" : "rng.normal(size=n)") +
                             "\n"
                             "    return rng.normal(psi[0] + shift, 0.1 + theta[0], n)\n"
                             "serve(prior, simulate)\n");
    allow_task_file(file_);
    tasks_->renew(file_);
    TestMonitor monitor;
    RunConfig c = config(10'000, {"likelihood.steps=200", "likelihood.batch=512", "likelihood.hidden=16"});
    c.likelihood.compared = 0;
    const auto run = create_run(c, folder_ / (shared ? "shared" : "own"));
    execute_run(tasks_, run, monitor);
    const LoadedRun trained = load_run(tasks_, run.string());
    const std::optional<RunLikelihood> known = load_likelihood(run, *trained.task);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->independence.rejected, shared) << known->independence.text;
    EXPECT_GE(known->independence.n, 2);
    EXPECT_EQ(known->unusable().empty(), !shared);
    EXPECT_TRUE(trained.task->stored()->notes().empty()) << "repeats on purpose are no fault of a file";
  }
}

TEST_F(Budget, OfStoredSetsIsRefused) {
  const auto file =
      write("stored.toml",
            "name = \"stored\"\nmax_n = 10\n[[targets]]\nname = \"theta\"\nsupport = [0, 1]\n[x]\ncolumns = "
            "[\"x\"]\n[simulations]\nfiles = [\"none.npz\"]\n");
  EXPECT_THAT(message_of([&] { OwnTasks({}).make("stored", file, 1000); }), HasSubstr("are stored"));
}

}  // namespace
}  // namespace pairs::own
