#include "app/model/train/training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "app/model/train/run_history.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/estimator.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/own_stopwatch.h"
#include "tests/core/train/toy_task.h"
#include "tests/tasks/in_place_of.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;

class TrainingTest : public testing::Test {
 protected:
  void SetUp() override { hub_.runs_folder = scratch_.path(); }

  // A draft of a run that takes about a second.
  static void make_small(Draft& draft, const std::vector<std::pair<std::string, std::string>>& more = {}) {
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, std::string>>{{"embedder.layers", "8, 8"},
                                                          {"embedder.size", "8"},
                                                          {"head.hidden", "8"},
                                                          {"head.bins", "4"},
                                                          {"head.blocks", "1"},
                                                          {"pretrain.epochs", "3"},
                                                          {"pretrain.steps", "20"},
                                                          {"pretrain.batch", "32"},
                                                          {"pretrain.validation_sets", "64"},
                                                          {"cache.sizes", "10"},
                                                          {"cache.sets", "60"},
                                                          {"finetune.epochs", "3"},
                                                          {"finetune.steps", "20"},
                                                          {"finetune.batch", "16"},
                                                          {"finetune.validation_draws", "64"},
                                                          {"device", "cpu"},
                                                          {"threads", "1"}})
      draft.set(key, value);
    for (const auto& [key, value] : more) draft.set(key, value);
    ASSERT_EQ(draft.error(), "");
  }

  // Polls as the window does until `done` or so many seconds have gone.
  static bool poll_until(Training& training, const std::function<bool()>& done, double seconds = 20) {
    const Stopwatch watch;
    while (!done()) {
      if (watch.seconds() > seconds) return false;
      training.shown();
      training.poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  static bool poll_to_rest(Training& training) {
    return poll_until(training, [&] { return !training.session.active(); });
  }

  TemporaryFolder scratch_;
  Hub hub_{built_in_tasks()};
};

TEST_F(TrainingTest, TrainsADraftToTheWeightsOfTheCommandLine) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown(), {{"pretrain.steps", "250"}, {"finetune.steps", "250"}});
  EXPECT_EQ(training.state(), Activity::draft);
  EXPECT_EQ(training.blocked(Action::start), "");
  EXPECT_NE(training.blocked(Action::pause), "");
  EXPECT_NE(training.blocked(Action::stop), "");
  const RunConfig config = training.drafts.shown().config();
  training.drafts.shown().set_name("mine");
  training.start();
  EXPECT_EQ(training.state(), Activity::running);
  EXPECT_NE(training.blocked(Action::start), "");
  ASSERT_TRUE(poll_until(training, [&] { return !training.session.active(); }));
  ASSERT_EQ(training.problem(), "");
  EXPECT_EQ(training.session.take_ended(), scratch_.path() / "mine");
  EXPECT_EQ(training.session.take_ended(), std::nullopt);
  ASSERT_TRUE(poll_until(training, [&] { return training.finished() && training.state() == Activity::rest; }));
  for (int k = 0; k < kLikelihoodStage; ++k) {
    EXPECT_EQ(training.card(k).state, StageState::done) << k;
    EXPECT_EQ(training.card(k).share, 1) << k;
  }
  EXPECT_THAT(training.blocked(Action::start), HasSubstr("finished"));
  // Its likelihood, which the settings do not want, can be learned by hand.
  EXPECT_EQ(training.card(kLikelihoodStage).state, StageState::waiting);
  EXPECT_EQ(training.blocked(Action::start, kLikelihoodStage), "");

  const std::filesystem::path same = create_run(config, scratch_.path() / "same");
  QuietMonitor quiet;
  execute_run(built_in_tasks(), same, quiet);
  EXPECT_EQ(read_file(scratch_.path() / "mine" / run_file::estimator), read_file(same / run_file::estimator));

  // The figure has every loss of the log, and the bound.
  ASSERT_TRUE(training.losses(0) && training.losses(2));
  int reported = 0;
  for (const Event& event : read_events((scratch_.path() / "mine" / run_file::events).string()))
    reported += event.type == EventType::loss && event.stage == Stage::finetune;
  const Plot& plot = training.losses(2)->plots[0];
  ASSERT_EQ(plot.lines.size(), 3u);
  EXPECT_EQ(plot.lines[1].y.size(), static_cast<std::size_t>(reported));
  EXPECT_EQ(plot.lines[2].role, SeriesRole::exact);
  EXPECT_LT(plot.lines[2].y[0], plot.lines[1].y.back());
  EXPECT_FALSE(training.log().empty());
}

TEST_F(TrainingTest, ShowsAPosteriorWhileItIsLearned) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown(), {{"pretrain.epochs", "100000"}});
  training.start();
  ASSERT_TRUE(poll_until(training, [&] {
    training.shown();
    return training.live() != nullptr;
  }));
  const std::shared_ptr<const Figure> first = training.live();
  EXPECT_FALSE(first->plots.empty());
  ASSERT_TRUE(poll_until(training, [&] {
    training.shown();
    return training.live() != first;
  })) << "it is drawn anew";
  ASSERT_TRUE(poll_until(training, [&] { return training.card(0).rate > 0 && training.card(0).eta > 0; }));
  training.stop();
  ASSERT_TRUE(poll_until(training, [&] { return !training.session.active(); }));
}

TEST_F(TrainingTest, StopsAfterAStageAndGoesOn) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown());
  training.start(0);
  ASSERT_TRUE(poll_to_rest(training));
  ASSERT_TRUE(poll_until(training, [&] { return training.card(0).state == StageState::done; }));
  EXPECT_EQ(training.card(1).state, StageState::waiting);
  EXPECT_NE(training.blocked(Action::start, 0), "");
  EXPECT_EQ(training.blocked(Action::start, 1), "");
  const std::filesystem::path run = training.folder();

  // From another window's point of view: an unfinished run on disk.
  Training other(hub_);
  other.open_run(run);
  other.settle(5);
  EXPECT_EQ(other.state(), Activity::rest);
  EXPECT_EQ(other.blocked(Action::start), "");
  EXPECT_THAT(other.batch_command(), HasSubstr("--resume"));
  ASSERT_TRUE(other.run_settings());
  other.start();
  ASSERT_TRUE(poll_to_rest(other));
  ASSERT_TRUE(poll_until(other, [&] { return other.finished(); }));
  EXPECT_TRUE(run_status(run).finished);
  // The first one sees what the other did.
  ASSERT_TRUE(poll_until(training, [&] { return training.finished(); }));
}

TEST_F(TrainingTest, PausesResumesAndStopsSaved) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown(), {{"pretrain.epochs", "1000"}, {"pretrain.steps", "1000"}});
  training.start();
  ASSERT_TRUE(poll_until(training, [&] { return training.card(0).done > 20; }));
  EXPECT_EQ(training.card(0).state, StageState::running);
  training.pause();
  ASSERT_TRUE(poll_until(training, [&] { return training.state() == Activity::paused; }));
  EXPECT_EQ(training.card(0).state, StageState::paused);
  EXPECT_NE(training.blocked(Action::pause), "");
  EXPECT_EQ(training.blocked(Action::resume), "");
  const std::int64_t held = training.card(0).done;
  training.resume();
  ASSERT_TRUE(poll_until(training, [&] { return training.card(0).done > held + 20; }));
  // A draft or another run may be looked at meanwhile, and the run is still there.
  const std::filesystem::path run = training.folder();
  training.drafts.open();
  EXPECT_TRUE(training.session.active());
  EXPECT_THAT(training.blocked(Action::start), HasSubstr("being trained"));
  EXPECT_NE(training.blocked(Action::pause), "");
  training.open_task("bump-hunt");
  EXPECT_EQ(training.state(), Activity::draft);
  training.open_task("gaussian");
  EXPECT_EQ(training.folder(), run);
  training.stop();
  ASSERT_TRUE(poll_to_rest(training));
  EXPECT_EQ(training.problem(), "");
  ASSERT_TRUE(poll_until(training, [&] { return training.state() == Activity::rest; }));
  EXPECT_TRUE(std::filesystem::exists(run / run_file::resume));
  EXPECT_EQ(training.blocked(Action::start), "");
  EXPECT_EQ(training.card(0).state, StageState::waiting);
}

TEST_F(TrainingTest, OpeningATaskBesideAShownRunTrainsThatTask) {
  const std::filesystem::path run = create_run(small_config("gaussian"), scratch_.path() / "shown");
  Training training(hub_);
  training.open_run(run);
  ASSERT_TRUE(poll_until(training, [&] { return training.run_settings() != nullptr; }));
  ASSERT_EQ(training.task(), "gaussian");
  training.open_task("bump-hunt");
  EXPECT_TRUE(training.drafting());
  EXPECT_EQ(training.task(), "bump-hunt");
  EXPECT_EQ(training.drafts.shown().config().task, "bump-hunt");
  EXPECT_THAT(training.batch_command(), HasSubstr("bump-hunt"));
  // Leaving the run for a draft keeps its task.
  training.open_run(run);
  ASSERT_TRUE(poll_until(training, [&] { return training.run_settings() != nullptr; }));
  training.drafts.open();
  EXPECT_EQ(training.task(), "gaussian");
}

TEST_F(TrainingTest, ClosingStopsWithinTwoSeconds) {
  std::filesystem::path run;
  Stopwatch watch;
  {
    Training training(hub_);
    training.open_task("bump-hunt");
    training.drafts.shown().set("device", "cpu");
    training.drafts.shown().set("threads", "1");
    training.start();
    ASSERT_TRUE(poll_until(training, [&] { return training.card(0).done > 0; }));
    run = training.folder();
    watch.restart();
  }
  EXPECT_LT(watch.seconds(), 2);
  EXPECT_TRUE(std::filesystem::exists(run / run_file::resume));
}

// Observations turn into NaN after a few steps.
class BrokenTask : public ToyTask {
 public:
  BrokenTask() : ToyTask("gaussian") {}
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const torch::Tensor x = ToyTask::observe(latents, seed, purpose, ranges, device);
    return ranges.front().index >= 32 * 9 && ranges.front().index < 1 << 20 ? x * NAN : x;
  }
};

TEST_F(TrainingTest, AFailureIsASentenceUntilItIsDismissed) {
  hub_.tasks = in_place_of("gaussian", [](const TaskOptions&) { return std::make_shared<BrokenTask>(); });
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown(),
             {{"evaluate.sizes", "1, 10"}, {"evaluate.sets", "10"}});  // within the toy's largest N
  training.start();
  ASSERT_TRUE(poll_to_rest(training));
  EXPECT_EQ(training.state(), Activity::failed);
  EXPECT_THAT(training.problem(), HasSubstr("nan"));
  EXPECT_THAT(training.problem(), HasSubstr("pretrain.rate"));
  EXPECT_EQ(training.card(0).state, StageState::failed);
  EXPECT_THAT(training.blocked(Action::start), HasSubstr("dismiss"));
  EXPECT_EQ(training.blocked(Action::dismiss), "");
  ASSERT_FALSE(hub_.messages.all().empty());
  EXPECT_EQ(hub_.messages.all().back().level, Level::error);
  // On another task the problem is shown with the name of the run.
  const std::string name = training.name();
  training.open_task("bump-hunt");
  EXPECT_THAT(training.problem(), HasSubstr(name));
  training.open_task("gaussian");
  training.dismiss();
  EXPECT_EQ(training.problem(), "");
  EXPECT_NE(training.blocked(Action::dismiss), "");
  ASSERT_TRUE(poll_until(training, [&] { return training.blocked(Action::start).empty(); }));
}

TEST_F(TrainingTest, ADeletedFolderFailsTheRunAndNotTheProgram) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown(), {{"pretrain.epochs", "100000"}});
  training.start();
  ASSERT_TRUE(poll_until(training, [&] { return training.losses(0) != nullptr; }));
  std::filesystem::remove_all(training.folder());
  ASSERT_TRUE(poll_to_rest(training));
  EXPECT_EQ(training.state(), Activity::failed);
  EXPECT_THAT(training.problem(), HasSubstr(training.folder().string()));
  ASSERT_TRUE(poll_until(training, [&] { return !training.run_settings(); }));
  training.dismiss();
  EXPECT_EQ(training.state(), Activity::draft);
}

TEST_F(TrainingTest, AFullDiskFailsTheRunAndItCanBeResumed) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown(), {{"pretrain.epochs", "100000"}, {"checkpoint", "0"}});
  training.start();
  ASSERT_TRUE(poll_until(training, [&] { return training.losses(0) != nullptr; }));
  // No file of this process may grow beyond a kilobyte: writing fails as on a full disk.
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &before);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small = {1024, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const bool rested = poll_to_rest(training);
  setrlimit(RLIMIT_FSIZE, &limit);
  sigaction(SIGXFSZ, &before, nullptr);
  ASSERT_TRUE(rested);
  EXPECT_EQ(training.state(), Activity::failed);
  EXPECT_FALSE(training.problem().empty());
  training.dismiss();
  ASSERT_TRUE(poll_until(training, [&] { return training.blocked(Action::start).empty(); }));
  training.start();
  ASSERT_TRUE(poll_until(training, [&] { return training.card(0).state == StageState::running; }));
  training.stop();
  ASSERT_TRUE(poll_to_rest(training));
  EXPECT_EQ(training.problem(), "");
}

TEST_F(TrainingTest, ARunThatCannotBeMadeLeavesItsDraft) {
  std::ofstream(scratch_.path() / "file") << "in the way";
  hub_.runs_folder = scratch_.path() / "file";
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown());
  training.start();
  ASSERT_TRUE(poll_to_rest(training));
  EXPECT_THAT(training.problem(), HasSubstr("file"));
  ASSERT_TRUE(poll_until(training, [&] { return training.state() == Activity::failed; }));
  training.settle(5);
  training.dismiss();
  EXPECT_EQ(training.state(), Activity::draft);
}

TEST_F(TrainingTest, WatchesAnotherProcessAndTailsItsLog) {
  RunConfig config = small_config("gaussian");
  const std::filesystem::path run = create_run(config, scratch_.path() / "theirs");
  const std::filesystem::path log = run / run_file::events;
  const auto line = [](EventType type, std::int64_t epoch, double seconds, nlohmann::json values) {
    Event event;
    event.type = type;
    event.epoch = epoch;
    event.step = 4 * (epoch + (event.type == EventType::loss));
    event.seconds = seconds;
    event.values = std::move(values);
    return log_line(event) + "\n";
  };
  auto held = std::make_unique<FolderLock>(run);
  std::ofstream out(log, std::ios::app);
  out << line(EventType::stage_started, 0, 0, {{"epochs", 10}, {"steps", 4}})
      << line(EventType::loss, 0, 2, {{"train", 3.0}, {"validation", 2.0}}) << std::flush;
  Training training(hub_);
  training.open_run(run);
  ASSERT_TRUE(poll_until(training, [&] { return training.state() == Activity::elsewhere; }));
  EXPECT_THAT(training.blocked(Action::start), HasSubstr("Another process"));
  const auto losses = [&] {
    return training.losses(0) ? training.losses(0)->plots[0].lines[1].y : std::vector<double>();
  };
  EXPECT_EQ(losses(), std::vector<double>{2.0});
  EXPECT_EQ(training.card(0).state, StageState::running);
  EXPECT_NEAR(training.card(0).share, 0.1, 1e-9);

  // A line that is not whole yet waits.
  const std::string second = line(EventType::loss, 1, 4, {{"train", 2.0}, {"validation", 1.5}});
  out << second.substr(0, 20) << std::flush;
  ASSERT_FALSE(poll_until(
      training, [&] { return losses().size() > 1; }, 0.8));
  out << second.substr(20) << std::flush;
  ASSERT_TRUE(poll_until(training, [&] { return losses().size() == 2; }));
  EXPECT_NEAR(training.card(0).rate, 2.0, 1e-9);  // four steps in two seconds
  EXPECT_NEAR(training.card(0).eta, 16, 1e-9);    // 32 steps are left

  // Killed and resumed at epoch 1: repeated epochs replace the earlier ones. The log has a torn line before them.
  out << "{\"type\": \"lo" << std::flush;
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  training.poll();
  out.close();
  for (const std::string& text : {line(EventType::resumed, 1, 0, {{"epochs", 10}, {"steps", 4}}),
                                  line(EventType::loss, 1, 1, {{"train", 2.0}, {"validation", 1.25}})})
    append_line(log, text.substr(0, text.size() - 1));
  ASSERT_TRUE(poll_until(training, [&] { return losses() == std::vector<double>{2.0, 1.25}; }));
  held.reset();
  ASSERT_TRUE(poll_until(training, [&] { return training.state() == Activity::rest; }));
  EXPECT_EQ(training.blocked(Action::start), "");
  // Another file in its place is read anew.
  std::filesystem::remove(log);
  std::ofstream(log) << line(EventType::stage_started, 0, 0, {{"epochs", 2}, {"steps", 4}})
                     << line(EventType::loss, 0, 2, {{"train", 9.0}, {"validation", 8.0}});
  ASSERT_TRUE(poll_until(training, [&] { return losses() == std::vector<double>{8.0}; }));
}

TEST_F(TrainingTest, LongHistoriesAreReadOnceAndPollingCostsNothing) {
  const std::filesystem::path run = create_run(small_config("gaussian"), scratch_.path() / "long");
  {
    std::ofstream out(run / run_file::events);
    out << R"({"type":"stage-started","stage":"pretrain","step":0,"epoch":0,"seconds":0,"epochs":100000,"steps":1})"
        << '\n';
    for (int i = 0; i < 100000; ++i)
      out << fmt::format(
          R"({{"type":"loss","stage":"pretrain","step":{},"epoch":{},"seconds":{},"train":{},"validation":{},"rate":1}})"
          "\n",
          i + 1, i, i, 1.0 / (i + 1), 2.0 / (i + 1));
  }
  Training training(hub_);
  training.open_run(run);
  ASSERT_TRUE(poll_until(training, [&] { return training.losses(0) != nullptr; }));
  ASSERT_EQ(training.losses(0)->plots[0].lines[0].x.size(), 100000u);
  const auto before = training.losses(0);
  const OwnStopwatch watch;
  constexpr int kPolls = 2000;
  bool changed = false;
  for (int i = 0; i < kPolls; ++i) changed = training.poll() || changed;
  EXPECT_LT(watch.seconds() / kPolls, 1e-4);
  EXPECT_FALSE(changed);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  training.poll();
  training.settle(5);
  EXPECT_EQ(training.losses(0), before) << "a figure was made anew although nothing had changed";
}

TEST_F(TrainingTest, EstimatesWhoLooksAndSaysWhyNot) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown());
  for (int i = 0; i < 20; ++i) training.poll();
  EXPECT_FALSE(training.busy()) << "estimated although nobody looks";
  ASSERT_TRUE(poll_until(training, [&] { return training.drafts.estimate() != nullptr; }));
  const auto small = training.drafts.estimate();
  EXPECT_EQ(small->error, "");
  EXPECT_GT(small->seconds[0], 0);
  EXPECT_GT(small->seconds[2], 0);
  EXPECT_GT(small->cache_bytes, 60 * 8 * 4);
  EXPECT_EQ(training.card(0).expected, small->seconds[0]);
  training.drafts.shown().set("note", "words cost nothing");
  training.poll();
  EXPECT_EQ(training.drafts.estimate(), small);
  training.drafts.shown().set("pretrain.epochs", "30000");
  training.poll();
  EXPECT_EQ(training.drafts.estimate(), nullptr);
  training.settle(20);
  ASSERT_TRUE(training.drafts.estimate());
  EXPECT_GT(training.drafts.estimate()->seconds[0], 100 * small->seconds[0]);
  // More than any disk holds; a step that no machine holds at once is trained in parts.
  training.drafts.shown().set("cache.sets", "10000000000");
  training.drafts.shown().set("cache.oversample", "100");
  training.settle(20);
  ASSERT_TRUE(training.drafts.estimate());
  EXPECT_THAT(training.blocked(Action::start), HasSubstr("free"));
  training.drafts.shown().set("cache.sets", "60");
  training.drafts.shown().set("pretrain.batch", "10000000");
  training.settle(20);
  EXPECT_EQ(training.blocked(Action::start), "");
}

TEST_F(TrainingTest, TheLivePosteriorStandsBesideTheExactOne) {
  Training training(hub_);
  training.open_task("bump-hunt");
  make_small(training.drafts.shown(), {{"pretrain.epochs", "100000"}});
  training.start();
  ASSERT_TRUE(poll_until(training, [&] { return training.live() != nullptr; }));
  const auto first = training.live();
  ASSERT_TRUE(poll_until(training, [&] { return training.live() != first; }));
  training.stop();
  ASSERT_TRUE(poll_to_rest(training));
  const Plot& plot = training.live()->plots.at(0);
  EXPECT_THAT(plot.title, HasSubstr("N = 2"));
  ASSERT_EQ(plot.lines.size(), 2u);
  EXPECT_NE(plot.lines[1].y, first->plots[0].lines[1].y) << "the head learns, its posterior must move";
  EXPECT_EQ(plot.lines[0].y, first->plots[0].lines[0].y);
  // The exact curve is the task's own at the same θ for the same set; both are densities.
  const auto task = built_in_tasks()->make("bump-hunt");
  const std::int64_t index[] = {0};
  const Latents latents = task->latents(1, Purpose::explore, index);
  EXPECT_EQ(plot.rules.at(0).x, latents.theta.item<double>());
  const SetRange range[] = {{0, 0, 2}};
  const auto exact = task->reference("exact");
  exact->add(task->observe(latents, 1, Purpose::explore, range, torch::kCPU));
  const Line& curve = plot.lines[0];
  EXPECT_EQ(curve.role, SeriesRole::exact);
  const torch::Tensor density = exact->log_density(torch::tensor(curve.x, torch::kFloat64).unsqueeze(1)).exp();
  for (std::size_t i = 0; i < curve.x.size(); i += 17)
    EXPECT_NEAR(curve.y[i], density[static_cast<std::int64_t>(i)].item<double>(), 1e-9);
  double mass = 0;
  for (const double y : plot.lines[1].y) mass += y * (curve.x[1] - curve.x[0]);
  EXPECT_NEAR(mass, 1, 0.1);
}

TEST_F(TrainingTest, NobodyLooksNothingIsPreviewed) {
  Training training(hub_);
  training.open_task("gaussian");
  make_small(training.drafts.shown());
  training.start();
  const Stopwatch watch;
  while (training.session.active() && watch.seconds() < 120) {
    training.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_FALSE(training.session.active());
  EXPECT_EQ(training.live(), nullptr);
}

}  // namespace
}  // namespace pairs::model
