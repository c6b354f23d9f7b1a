#include "app/model/posterior/posterior.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "app/kinds/observed.h"
#include "app/kinds/samples_figure.h"
#include "app/model/posterior/shown/posterior_scene.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/question/random_subset.h"
#include "app/posterior/source/posterior_source.h"
#include "core/aggregate.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/aggregate_observed.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/posterior/many_targets_task.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/own_stopwatch.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr double kPosteriorPatience = 60;

// What a window with shipped weights does, with no window.
class ShippedPosterior : public testing::Test {
 protected:
  ShippedPosterior() : posterior(hub) {}
  void settle() { ASSERT_TRUE(posterior.wait(kPosteriorPatience)) << posterior.activity(); }
  const PosteriorNumbers& series(const std::string& name) {
    for (const PosteriorNumbers& one : posterior.shown()->series)
      if (one.name == name) return one;
    throw Error("no series " + name);
  }
  // The exact posterior of the prior's set `index` by other means: its own draws.
  torch::Tensor exact_draws(const std::string& name, std::int64_t set, std::int64_t n) {
    const auto task = built_in_tasks()->make(name);
    const std::int64_t index[] = {set};
    const SetRange range[] = {{set, 0, n}};
    const Latents latents = task->latents(kFigureSeed, Purpose::explore, index);
    const auto reference = task->reference("exact");
    reference->add(task->observe(latents, kFigureSeed, Purpose::explore, range, torch::kCPU));
    Stream stream(5, 9);
    return reference->sample(100000, stream);
  }

  Hub hub{built_in_tasks()};
  Posterior posterior;
};

TEST_F(ShippedPosterior, BumpHuntBesideTheExact) {
  posterior.open("bump-hunt");
  posterior.set_n(64);
  settle();
  ASSERT_EQ(posterior.failure(), "");
  const auto shown = posterior.shown();
  ASSERT_TRUE(shown && shown->density && posterior.width() && posterior.check() && posterior.nuisance());
  EXPECT_FALSE(posterior.observed()) << "the check shows it";
  EXPECT_EQ(shown->n, 64);
  EXPECT_TRUE(shown->warnings.empty());
  EXPECT_EQ(posterior.embedded(), 1);
  EXPECT_EQ(posterior.most(), 100);
  ASSERT_EQ(shown->series.size(), 4u);
  EXPECT_TRUE(shown->series[0].ours);
  EXPECT_EQ(shown->series[1].name, "exact");
  const torch::Tensor draws = exact_draws("bump-hunt", 0, 64).flatten();
  const TargetNumbers& exact = series("exact").targets[0];
  EXPECT_NEAR(exact.mean, draws.mean().item<double>(), 0.02 * exact.sd);
  EXPECT_NEAR(exact.sd, draws.std().item<double>(), 0.02 * exact.sd);
  EXPECT_NEAR(exact.quantiles[4], torch::quantile(draws, 0.95).item<double>(), 0.03 * exact.sd);
  EXPECT_NEAR(exact.quantiles[1], torch::quantile(draws, 0.25).item<double>(), 0.03 * exact.sd);
  // Ours as `infer` would give it: draws of the estimator at the aggregate of the prefix.
  const LoadedRun run = load_run(built_in_tasks(), "bump-hunt");
  const std::int64_t index[] = {0};
  const Latents latents = run.task->latents(kFigureSeed, Purpose::explore, index);
  const torch::Tensor aggregate = aggregate_sets(*run.estimator, latents, kFigureSeed, Purpose::explore, index, 64);
  const torch::Tensor ours = run.estimator->sample(aggregate, torch::full({1}, 64, torch::kInt64), 50000, 3).flatten();
  const TargetNumbers& first = shown->series[0].targets[0];
  EXPECT_NEAR(first.mean, ours.mean().item<double>(), 0.02 * first.sd);
  EXPECT_NEAR(first.sd, ours.std().item<double>(), 0.02 * first.sd);
  EXPECT_NEAR(first.quantiles[0], torch::quantile(ours, 0.05).item<double>(), 0.03 * first.sd);
  EXPECT_NEAR(first.sd_ratio, (ours.std() / draws.std()).item<double>(), 0.04);
  EXPECT_GE(shown->series[0].kl, 0);
  EXPECT_LT(shown->series[0].kl, 0.2);
  EXPECT_NE(shown->question.find("these 64 events"), std::string::npos);
  EXPECT_TRUE(shown->typicality.known);
  EXPECT_EQ(posterior.batch_command(), "pairs --batch figure posterior bump-hunt --index 0 --n 64");
}

// One posterior, one set of numbers: the table of the window and `infer` agree for a file, whatever the number of
// samples that `infer` writes.
TEST_F(ShippedPosterior, ItsNumbersAreThoseOfInfer) {
  TemporaryFolder folder;
  for (const auto& [task, columns] : {std::pair("bump-hunt", 1), std::pair("gaussian", 2)}) {
    const std::string file = (folder / (std::string(task) + ".csv")).string();
    std::string text = columns == 1 ? "x\n" : "x1,x2\n";
    for (int i = 0; i < 30; ++i)
      text += fmt::format("{}{}\n", 0.31 * (i % 9) - 1.1, columns == 1 ? "" : fmt::format(",{}", 0.4 * (i % 7)));
    std::ofstream(file) << text;
    posterior.open(task);
    posterior.set.open_file(file);
    settle();
    ASSERT_TRUE(posterior.shown() && posterior.shown()->n == 30) << task << posterior.set.failure();
    for (const char* samples : {"5", "1000"}) {
      const batch::Answer answer = batch::run_words({"infer", task, "--data", file, "--samples", samples, "--interval",
                                                     "hpd", "--out", (folder / "s.npz").string(), "--json"});
      ASSERT_EQ(answer.code, 0) << answer.err;
      const nlohmann::json reported = nlohmann::json::parse(answer.out);
      for (std::size_t t = 0; t < static_cast<std::size_t>(columns); ++t) {
        const TargetNumbers& ours = posterior.shown()->series[0].targets[t];
        const double near = 1e-4 * ours.sd;
        EXPECT_NEAR(reported.at("mean")[t].get<double>(), ours.mean, near) << task;
        EXPECT_NEAR(reported.at("sd")[t].get<double>(), ours.sd, near) << task;
        EXPECT_NEAR(reported.at("quantiles").at("0.05")[t].get<double>(), ours.quantiles[0], near) << task;
        EXPECT_NEAR(reported.at("intervals").at("0.9")[t][1].get<double>(),
                    ours.most(IntervalKind::highest_density).high, near)
            << task;
        EXPECT_NEAR(reported.at("exact").at("sd")[t].get<double>(), series("exact").targets[t].sd, near) << task;
      }
    }
  }
}

// References that are not exact have their KL, too. Selecting another interval changes the shade, the numbers and the
// copied command.
TEST_F(ShippedPosterior, ReferencesHaveTheirDistanceAndIntervalsAreChosen) {
  posterior.open("bump-hunt");
  posterior.set_n(64);
  settle();
  for (const char* name : {"naive product", "per-event classifier"}) EXPECT_GT(series(name).kl, 0) << name;
  EXPECT_TRUE(std::isnan(series("exact").kl));
  EXPECT_NE(posterior.shown()->null.find("Bayes factor"), std::string::npos);
  const auto shaded = [&] { return posterior.shown()->density->plots.at(0).lines.at(0); };
  const Interval central = series("exact").targets[0].most(IntervalKind::central);
  EXPECT_GT(central.low, 0);
  const double before = shaded().x.front();
  posterior.options.set_interval(IntervalKind::upper_limit);
  settle();
  EXPECT_EQ(posterior.shown()->interval, IntervalKind::upper_limit);
  EXPECT_LT(shaded().x.front(), before);
  EXPECT_NEAR(shaded().x.back(), posterior.shown()->series[0].targets[0].most(IntervalKind::upper_limit).high, 1e-12);
  EXPECT_NE(posterior.shown()->sentence.find("is below"), std::string::npos) << posterior.shown()->sentence;
  EXPECT_NE(posterior.batch_command().find(" --interval upper"), std::string::npos);
  EXPECT_EQ(posterior.batch_command().find("--range"), std::string::npos);
}

// It is worked out when asked for, at the N that stands, and is drawn by the copied command; where the answers to
// single events are nearly exact, it is nearly the naive product.
TEST_F(ShippedPosterior, TheLearnedProductIsAskedFor) {
  posterior.open("bump-hunt");
  posterior.set_n(10);
  settle();
  const auto shows = [&] {
    const auto& all = posterior.shown()->series;
    return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.name == "learned product"; });
  };
  EXPECT_EQ(posterior.scene()->no_product, "");
  EXPECT_FALSE(shows());
  EXPECT_EQ(posterior.batch_command().find("--learned-product"), std::string::npos);
  posterior.options.set_learned_product(true);
  settle();
  ASSERT_TRUE(shows());
  const TargetNumbers learned = series("learned product").targets[0], naive = series("naive product").targets[0];
  EXPECT_NEAR(learned.mean, naive.mean, 0.2 * naive.sd);
  EXPECT_NEAR(learned.sd / naive.sd, 1, 0.1);
  EXPECT_NE(posterior.batch_command().find(" --learned-product"), std::string::npos);
  posterior.options.set_learned_product(false);
  settle();
  EXPECT_FALSE(shows());
}

// The posterior by the shipped likelihood is near the exact one, and the copied command draws it, too.
TEST_F(ShippedPosterior, TheRefinedPosteriorIsAskedFor) {
  posterior.open("bump-hunt");
  posterior.set_n(10);
  settle();
  const auto shows = [&] {
    const auto& all = posterior.shown()->series;
    return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.name == kRefined; });
  };
  ASSERT_EQ(posterior.scene()->no_refined, "");
  EXPECT_FALSE(shows());
  EXPECT_EQ(posterior.batch_command().find("--refine"), std::string::npos);
  posterior.options.set_source(SourceWish::both);
  settle();
  ASSERT_TRUE(shows());
  const TargetNumbers refined = series(kRefined).targets[0], exact = series("exact").targets[0];
  EXPECT_NEAR(refined.mean, exact.mean, 0.15 * exact.sd);
  EXPECT_NEAR(refined.sd / exact.sd, 1, 0.1);
  EXPECT_NE(posterior.batch_command().find(" --refine"), std::string::npos);
  EXPECT_EQ(posterior.shown()->shown_source(), SourceWish::run);
  posterior.options.set_source(SourceWish::refined);
  settle();
  EXPECT_EQ(posterior.shown()->series.front().name, kRefined);
  EXPECT_TRUE(posterior.shown()->series.front().ours);
  EXPECT_EQ(posterior.shown()->series.front().role, SeriesRole::pairs) << "in the run's color";
  EXPECT_NE(posterior.shown()->why_first, "");
  EXPECT_NE(posterior.batch_command().find(" --source refined"), std::string::npos);
  EXPECT_EQ(posterior.files.samples_asked()->question.source, SourceWish::refined) << "samples are of what is shown";
  posterior.pins.add();
  EXPECT_EQ(posterior.pins.questions().front().source, SourceWish::refined);
  posterior.options.set_source(SourceWish::run);
  settle();
  EXPECT_FALSE(shows());
  posterior.open("digits");
  settle();
  EXPECT_NE(posterior.scene()->no_refined, "");
}

TEST_F(ShippedPosterior, NewestNWinsAndAxesStandStill) {
  posterior.open("bump-hunt");
  posterior.set_n(90);
  settle();
  const std::uint64_t before = posterior.shown()->version;
  const double low = posterior.shown()->density->plots[0].x.low, high = posterior.shown()->density->plots[0].x.high;
  for (std::int64_t n = 60; n < 80; ++n) {
    posterior.set_n(n);
    posterior.poll();
  }
  settle();
  EXPECT_EQ(posterior.shown()->n, 79);
  EXPECT_GT(posterior.shown()->version, before);
  EXPECT_EQ(posterior.shown()->density->plots[0].x.low, low);
  EXPECT_EQ(posterior.shown()->density->plots[0].x.high, high);
  // The width's figure covers the whole range of N, falls, and carries the marker.
  const Plot& width = posterior.width()->plots[0];
  EXPECT_EQ(width.rules[0].x, 79);
  for (const Line& line : width.lines) {
    EXPECT_EQ(line.x.front(), 1) << line.name;
    EXPECT_EQ(line.x.back(), 100) << line.name;
    EXPECT_LT(line.y.back(), line.y.front()) << line.name;
  }
}

TEST_F(ShippedPosterior, AnotherSetAndValuesSetByHand) {
  posterior.open("bump-hunt");
  posterior.set_n(100);
  settle();
  const std::vector<SetParameter> first = posterior.scene()->parameters;
  ASSERT_EQ(first.size(), 2u);
  posterior.new_set();
  settle();
  EXPECT_NE(posterior.scene()->parameters[0].value, first[0].value);
  EXPECT_EQ(posterior.batch_command(), "pairs --batch figure posterior bump-hunt --index 1 --n 100");
  posterior.set.set_parameter(1, 4.0);
  posterior.set.set_parameter(0, 0.9);
  settle();
  EXPECT_EQ(posterior.scene()->parameters[0].value, 0.9);
  EXPECT_EQ(posterior.scene()->parameters[1].value, 4.0);
  EXPECT_EQ(posterior.shown()->density->plots[0].rules[0].x, 0.9);
  EXPECT_NEAR(series("exact").targets[0].mean, 0.9, 0.15);
  EXPECT_THAT(posterior.batch_command(), testing::HasSubstr(" --theta=0.9 --psi=4"));
  posterior.set.choose_index(0);
  settle();
  EXPECT_EQ(posterior.scene()->parameters[0].value, first[0].value);
  EXPECT_EQ(posterior.scene()->set_name, "Set 0 of the prior");
}

// A slider sends its value in every frame in which it is held, even where the task rounds that value to another one.
TEST_F(ShippedPosterior, AValueThatWasAskedForMakesNoOtherSet) {
  posterior.open("gaussian");
  settle();
  posterior.set.set_parameter(0, 0.25);
  settle();
  const std::uint64_t set = posterior.scene()->set;
  posterior.set.set_parameter(0, 0.25);
  EXPECT_FALSE(posterior.busy());
  settle();
  EXPECT_EQ(posterior.scene()->set, set);
  posterior.set.set_parameter(0, 0.5);
  settle();
  EXPECT_NE(posterior.scene()->set, set);
}

TEST_F(ShippedPosterior, FilesAndThoseThatCannotBeRead) {
  const TemporaryFolder folder;
  posterior.open("bump-hunt");
  posterior.set_n(100);
  settle();
  const std::uint64_t set = posterior.scene()->set;
  {
    std::ofstream(folder.path() / "bad.csv") << "x\n1\nnonsense\n";
    std::ofstream good(folder.path() / "events.csv");
    good << "x\n";
    for (int i = 0; i < 40; ++i) good << 0.1 * i - 2 << "\n";
    std::ofstream odd(folder.path() / "odd.csv");
    odd << "x\n";
    for (int i = 0; i < 40; ++i) odd << 30 + i << "\n";
  }
  posterior.set.open_file(folder.path() / "bad.csv");
  settle();
  EXPECT_NE(posterior.set.failure().find("bad.csv"), std::string::npos);
  EXPECT_EQ(posterior.scene()->set, set);
  EXPECT_EQ(posterior.failure(), "");
  EXPECT_TRUE(posterior.scene()->simulated);
  EXPECT_EQ(hub.messages.unseen(), 1);
  posterior.set_n(50);
  settle();
  EXPECT_EQ(posterior.shown()->n, 50);
  posterior.set.open_file(folder.path() / "events.csv");
  settle();
  EXPECT_EQ(posterior.set.failure(), "");
  EXPECT_FALSE(posterior.scene()->simulated);
  EXPECT_EQ(posterior.most(), 40);
  EXPECT_EQ(posterior.n(), 40);
  EXPECT_EQ(posterior.shown()->n, 40);
  EXPECT_TRUE(posterior.shown()->density->plots[0].rules.empty()) << "no truth is known";
  EXPECT_EQ(posterior.batch_command(),
            "pairs --batch figure posterior bump-hunt --data " + (folder.path() / "events.csv").string() + " --n 40");
  EXPECT_FALSE(posterior.shown()->typicality.outside);
  posterior.set.open_file(folder.path() / "odd.csv");
  settle();
  EXPECT_TRUE(posterior.shown()->typicality.outside);
  posterior.set.simulate();
  settle();
  EXPECT_EQ(posterior.most(), 100);
}

TEST_F(ShippedPosterior, AFileIsUsedWholeAndStaysWithItsTask) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "events.csv";
  {
    std::ofstream events(file);
    events << "id,x\n";
    for (int i = 0; i < 60; ++i) events << "event" << i << "," << 0.05 * i - 1.5 << "\n";
  }
  posterior.open("bump-hunt");
  posterior.set_n(7);
  settle();
  posterior.set.open_file(file);
  settle();
  EXPECT_EQ(posterior.shown()->n, 60);
  EXPECT_EQ(posterior.scene()->set_size, 60);
  posterior.set_n(20);
  settle();
  const double mean = posterior.shown()->series[0].targets[0].mean;
  posterior.open("gaussian");
  settle();
  EXPECT_TRUE(posterior.scene()->simulated);
  posterior.set_n(500);
  settle();
  posterior.open("bump-hunt");
  settle();
  EXPECT_FALSE(posterior.scene()->simulated);
  EXPECT_EQ(posterior.scene()->set_source, file.string());
  EXPECT_EQ(posterior.shown()->n, 20);
  EXPECT_EQ(posterior.shown()->series[0].targets[0].mean, mean);
  posterior.set.simulate();
  settle();
  posterior.open("gaussian");
  settle();
  posterior.open("bump-hunt");
  settle();
  EXPECT_TRUE(posterior.scene()->simulated) << "who went back to the prior's sets finds them again";
}

TEST_F(ShippedPosterior, AFileThatCannotBeReadLeavesNothingToAnotherTask) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "good.csv") << "1,2.5\n3,4\n";
  std::ofstream(folder.path() / "bad.csv") << "1,nonsense\n";
  posterior.open("gaussian");
  settle();
  posterior.set.open_file(folder.path() / "good.csv");
  settle();
  posterior.set.open_file(folder.path() / "bad.csv");
  settle();
  EXPECT_FALSE(posterior.scene()->simulated);
  posterior.open("bump-hunt");
  settle();
  EXPECT_EQ(posterior.set.failure(), "");
  EXPECT_TRUE(posterior.scene()->simulated);
}

TEST_F(ShippedPosterior, MoreThanTrainingSawIsNotUsedUnasked) {
  const TemporaryFolder folder;
  const std::string run = small_run(folder.path(), "few", "bump-hunt");
  const std::filesystem::path file = folder.path() / "events.csv";
  {
    std::ofstream events(file);
    events << "x\n";
    for (int i = 0; i < 110; ++i) events << 0.01 * i << "\n";
  }
  posterior.open(run);
  posterior.set.open_file(file);
  settle();
  ASSERT_EQ(posterior.failure(), "");
  const auto large = posterior.set.take_large_set();
  ASSERT_TRUE(large) << posterior.set.failure();
  EXPECT_EQ(large->most, 10) << "that training saw";
  EXPECT_TRUE(posterior.scene()->simulated);
  posterior.set.open_part(large->choice, {});
  settle();
  EXPECT_EQ(posterior.scene()->trained, 10);
  EXPECT_EQ(posterior.n(), 10);
  EXPECT_EQ(posterior.most(), 100);
  EXPECT_EQ(posterior.scene()->set_size, 110);
  const std::string command = fmt::format("pairs --batch figure posterior {} --data {} --n ", run, file.string());
  EXPECT_EQ(posterior.batch_command(), command + "10");
  posterior.set_n(50);
  EXPECT_EQ(posterior.batch_command(), command + "50");
}

TEST_F(ShippedPosterior, OfAFileARandomSubsetCanBeDrawn) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "events.csv";
  {
    std::ofstream events(file);
    for (int i = 0; i < 400; ++i) events << (i < 200 ? 1.0 : 9.0) << "\n";
  }
  posterior.open("bump-hunt");
  settle();
  EXPECT_FALSE(posterior.scene()->drawable);
  posterior.set.choose_random(1);
  settle();
  EXPECT_FALSE(posterior.scene()->choice.random) << "a simulated set has nothing to draw from";
  posterior.set.open_file(file);
  settle();
  const auto large = posterior.set.take_large_set();
  ASSERT_TRUE(large);
  posterior.set.open_part(large->choice, {});
  settle();
  ASSERT_TRUE(posterior.scene()->drawable);
  EXPECT_EQ(posterior.scene()->set_size, 400);
  posterior.set_n(37);
  settle();
  const double first = posterior.shown()->typicality.distance;
  posterior.set.choose_random(3);
  settle();
  EXPECT_EQ(posterior.scene()->choice.random, 3u);
  EXPECT_EQ(posterior.n(), 37) << "N stays";
  const double random = posterior.shown()->typicality.distance;
  EXPECT_NE(random, first);
  posterior.set.choose_random(4);
  settle();
  EXPECT_NE(posterior.shown()->typicality.distance, random);
  posterior.set.choose_random(3);
  settle();
  EXPECT_EQ(posterior.shown()->typicality.distance, random) << "a seed says it all";
  // It is the subset that infer draws.
  const LoadedRun run = load_run(built_in_tasks(), "bump-hunt", "", "cpu");
  Observations all = read_observed(file, run.task->info()).x;
  const torch::Tensor aggregate = aggregate_observed(*run.estimator, random_subset(all, 37, 3));
  EXPECT_NEAR(typicality_of(*run.estimator, aggregate, torch::full({1}, 37, torch::kInt64)).distance, random, 1e-6);
  EXPECT_THAT(posterior.batch_command(), testing::HasSubstr("--random 3 --n 37"));
  // It is come back to.
  posterior.open("gaussian");
  settle();
  EXPECT_FALSE(posterior.scene()->choice.random);
  posterior.open("bump-hunt");
  settle();
  EXPECT_EQ(posterior.scene()->choice.random, 3u);
  EXPECT_EQ(posterior.n(), 37);
  posterior.set.choose_random({});
  settle();
  EXPECT_EQ(posterior.shown()->typicality.distance, first);
}

TEST_F(ShippedPosterior, ManyTargetsInACorner) {
  const TemporaryFolder folder;
  for (const std::int64_t count : {3, 10}) {
    Hub other{many_targets(count)};
    const std::string run =
        small_run(folder.path(), fmt::format("many{}", count), "gaussian", 1, "pairs", {}, other.tasks);
    Posterior many(other);
    many.open(run);
    many.set_n(5);
    ASSERT_TRUE(many.wait(kPosteriorPatience));
    ASSERT_EQ(many.failure(), "");
    const auto shown = many.shown();
    const std::size_t side = std::min<std::size_t>(static_cast<std::size_t>(count), 8);
    ASSERT_TRUE(shown && shown->density);
    ASSERT_EQ(shown->density->plots.size(), side * side);
    EXPECT_FALSE(shown->density->plots[side * (side - 1)].contours.empty());
    EXPECT_EQ(shown->series.front().targets.size(), static_cast<std::size_t>(count)) << "the table has all";
    const bool reported =
        std::any_of(shown->warnings.begin(), shown->warnings.end(), [](const PosteriorWarning& warning) {
          return warning.text.find("shows the first 8 of 10 unknowns") != std::string::npos;
        });
    EXPECT_EQ(reported, count > 8);
    // The command draws the same figure and gives the same warning.
    PosteriorFigureOptions options;
    options.asked.n = 5;
    bool warned = false;
    options.warn = [&](const PosteriorWarning& warning) {
      warned |= warning.text.find("first 8 of 10") != std::string::npos;
    };
    const Figure figure = posterior_figure({load_run(other.tasks, run)}, options);
    Figure screen = *shown->density;
    screen.plots.front().title = "N = 5";
    EXPECT_TRUE(figure_csv(figure) == figure_csv(screen));
    EXPECT_TRUE(figure_svg(figure) == figure_svg(screen));
    EXPECT_EQ(warned, count > 8);
  }
}

TEST_F(ShippedPosterior, TwoTargetsWithContoursAndMarginals) {
  posterior.open("gaussian");
  posterior.set_n(400);
  settle();
  ASSERT_EQ(posterior.failure(), "");
  const auto shown = posterior.shown();
  ASSERT_TRUE(shown && shown->density);
  EXPECT_EQ(shown->n, 400);
  ASSERT_EQ(shown->density->plots.size(), 4u);
  EXPECT_GE(shown->density->plots[2].contours.size(), 4u);
  EXPECT_TRUE(shown->density->plots[3].turned);
  const torch::Tensor draws = exact_draws("gaussian", 0, 400);
  for (std::int64_t t = 0; t < 2; ++t) {
    const TargetNumbers& exact = series("exact").targets[static_cast<std::size_t>(t)];
    EXPECT_NEAR(exact.mean, draws.select(1, t).mean().item<double>(), 0.02 * exact.sd);
    EXPECT_NEAR(exact.quantiles[4], torch::quantile(draws.select(1, t), 0.95).item<double>(), 0.03 * exact.sd);
    EXPECT_NEAR(shown->series[0].targets[static_cast<std::size_t>(t)].sd_ratio, 1, 0.15);
  }
  EXPECT_LT(shown->series[0].kl, 0.2);
  posterior.set_n(posterior.most());
  settle();
  EXPECT_EQ(posterior.shown()->n, 100000);
  EXPECT_LT(posterior.shown()->series[0].targets[0].sd, 0.02);
}

TEST_F(ShippedPosterior, AnotherTaskForgetsFileAndValues) {
  posterior.open("bump-hunt");
  settle();
  posterior.set.set_parameter(0, 0.5);
  settle();
  EXPECT_TRUE(posterior.scene()->by_hand);
  posterior.open("gaussian");
  EXPECT_EQ(posterior.shown(), nullptr);
  settle();
  EXPECT_EQ(posterior.scene()->task, "gaussian");
  EXPECT_FALSE(posterior.scene()->by_hand);
  EXPECT_EQ(posterior.batch_command(),
            fmt::format("pairs --batch figure posterior gaussian --index 0 --n {}", posterior.n()));
}

TEST_F(ShippedPosterior, RunsBesideIt) {
  posterior.open("bump-hunt");
  posterior.set_n(30);
  settle();
  posterior.set_others({"gaussian", "no-such-run"});
  settle();
  EXPECT_EQ(posterior.shown()->series.size(), 4u);
  EXPECT_EQ(hub.messages.unseen(), 2) << hub.messages.text("", Level::info);
  // A copy of the weights in another folder is a different run with an equal posterior.
  const TemporaryFolder folder;
  std::filesystem::copy(find_run(built_in_tasks(), "bump-hunt").folder, folder.path() / "copy",
                        std::filesystem::copy_options::recursive);
  posterior.set_others({(folder.path() / "copy").string()});
  settle();
  ASSERT_EQ(posterior.shown()->series.size(), 5u);
  EXPECT_EQ(posterior.shown()->series[1].name, "copy");
  EXPECT_EQ(posterior.shown()->series[1].targets[0].mean, posterior.shown()->series[0].targets[0].mean);
  EXPECT_EQ(posterior.batch_command(), "pairs --batch figure posterior bump-hunt " + (folder.path() / "copy").string() +
                                           " --index 0 --n 30 --shades=0,0")
      << "no library has listed the copy, which two runs of a figure would tell from the first by its shade";
}

TEST_F(ShippedPosterior, PlaysAndSteps) {
  posterior.open("bump-hunt");
  posterior.set_n(99);
  settle();
  posterior.step_n(1);
  EXPECT_EQ(posterior.n(), 100);
  posterior.step_n(1);
  EXPECT_EQ(posterior.n(), 100);
  posterior.step_n(-1);
  EXPECT_EQ(posterior.n(), 99);
  posterior.set_n(100);
  posterior.toggle_play();
  EXPECT_TRUE(posterior.playing());
  posterior.advance(4);  // half of the way, logarithmically
  EXPECT_EQ(posterior.n(), 10);
  posterior.advance(2);
  EXPECT_EQ(posterior.n(), 32);
  posterior.advance(3);
  EXPECT_EQ(posterior.n(), 100);
  EXPECT_FALSE(posterior.playing());
  posterior.set_loop(true);
  posterior.toggle_play();
  posterior.advance(9);
  EXPECT_TRUE(posterior.playing());
  EXPECT_EQ(posterior.n(), 1);
  posterior.set_n(7);
  EXPECT_FALSE(posterior.playing()) << "a hand on the slider stops it";
  settle();
  EXPECT_EQ(posterior.shown()->n, 7);
}

TEST_F(ShippedPosterior, SaysWhatIsWrongWithARun) {
  posterior.open("no-such-run");
  settle();
  EXPECT_NE(posterior.failure().find("no-such-run"), std::string::npos);
  EXPECT_EQ(posterior.scene(), nullptr);
  posterior.open("bump-hunt");
  EXPECT_EQ(posterior.failure(), "");
  settle();
  EXPECT_EQ(posterior.failure(), "");
  EXPECT_TRUE(posterior.shown());
  posterior.open("");
  EXPECT_EQ(posterior.shown(), nullptr);
  settle();
  EXPECT_EQ(posterior.shown(), nullptr);
}

// Nothing on the window's thread waits: asking while the worker is busy returns at once.
TEST_F(ShippedPosterior, NeverWaits) {
  posterior.open("gaussian");
  double longest = 0;
  for (int i = 0; i < 200 && !posterior.shown(); ++i) {
    const OwnStopwatch watch;
    posterior.set_n(1 + 37 * i);
    posterior.poll();
    longest = std::max(longest, watch.seconds());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(longest, 0.1);
}

// A field's example is of the task that is shown.
TEST(PriorExample, LiesWhereTheTasksOwnPriorDoes) {
  for (const std::string& name : built_in_tasks()->names()) {
    const TaskInfo info = built_in_tasks()->make(name)->info();
    const std::string example = prior_example(info);
    if (info.targets.empty()) {
      EXPECT_EQ(example, "") << name;
      continue;
    }
    const Target& first = info.targets.front();
    double mean = NAN, sd = NAN;
    ASSERT_EQ(std::sscanf(example.c_str() + example.find("normal("), "normal(%lf, %lf)", &mean, &sd), 2) << example;
    EXPECT_GT(mean - 2 * sd, first.view_low) << name << ": " << example;
    EXPECT_LT(mean + 2 * sd, first.view_high) << name << ": " << example;
    EXPECT_EQ(example.starts_with(first.name + " = "), info.targets.size() > 1) << example;
  }
}

}  // namespace
}  // namespace pairs::model
