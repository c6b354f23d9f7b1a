#include "core/train/run/run_progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pairs {
namespace {

Event event_of(EventType type, Stage stage, std::int64_t epoch, double seconds, nlohmann::json values = {}) {
  Event event;
  event.type = type;
  event.stage = stage;
  event.epoch = epoch;
  event.step = 10 * (epoch + 1);
  event.seconds = seconds;
  if (!values.is_null()) event.values = std::move(values);
  return event;
}

Event loss_of(Stage stage, std::int64_t epoch, double seconds, std::int64_t n = 0) {
  nlohmann::json values = {{"train", 1.0 / static_cast<double>(epoch + 1)}, {"validation", seconds}};
  if (n > 0) values["n"] = n;
  return event_of(EventType::loss, stage, epoch, seconds, values);
}

// A story with resumed and restarted stages and two heads.
std::vector<Event> story() {
  const nlohmann::json plan = {{"epochs", 4}, {"steps", 10}};
  nlohmann::json second = plan;
  second["n"] = 5;
  return {
      event_of(EventType::stage_started, Stage::pretrain, 0, 0, plan),
      loss_of(Stage::pretrain, 0, 1),
      loss_of(Stage::pretrain, 1, 2.5),
      event_of(EventType::stopped, Stage::pretrain, 0, 3),
      event_of(EventType::resumed, Stage::pretrain, 1, 0, plan),
      loss_of(Stage::pretrain, 1, 0.5),
      loss_of(Stage::pretrain, 2, 1.5),
      event_of(EventType::warning, Stage::pretrain, 0, 0, {{"text", "slow"}}),
      event_of(EventType::stage_done, Stage::pretrain, 3, 4),
      event_of(EventType::stage_started, Stage::cache, 0, 0),
      event_of(EventType::stage_done, Stage::cache, 0, 7),
      event_of(EventType::stage_started, Stage::finetune, 0, 0, second),
      loss_of(Stage::finetune, 0, 1, 5),
      event_of(EventType::stage_started, Stage::finetune, 0, 0, {{"epochs", 4}, {"steps", 10}, {"n", 9}}),
      loss_of(Stage::finetune, 0, 1, 9),
      event_of(EventType::error, Stage::finetune, 0, 2, {{"text", "It broke"}}),
      event_of(EventType::stage_started, Stage::finetune, 0, 0, second),
      loss_of(Stage::finetune, 0, 1.25, 5),
      loss_of(Stage::finetune, 1, 3.25, 5),
  };
}

TEST(RunProgress, HoldsTheLossesThatReadEventsLeaves) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("log-{}.jsonl", ::getpid());
  RunProgress log;
  {
    std::ofstream out(file);
    for (const Event& event : story()) {
      out << log_line(event) << '\n';
      log.add(event);
    }
  }
  std::map<std::pair<Stage, std::int64_t>, std::vector<std::pair<std::int64_t, double>>> expected, held;
  for (const Event& event : read_events(file.string()))
    if (event.type == EventType::loss)
      expected[{event.stage, event.values.value("n", std::int64_t{0})}].emplace_back(event.step,
                                                                                     event.values["validation"]);
  std::filesystem::remove(file);
  for (const Stage stage : {Stage::pretrain, Stage::cache, Stage::finetune})
    for (const auto& [n, points] : log.losses(stage))
      for (const LossPoint& point : points) held[{stage, n}].emplace_back(point.step, point.validation);
  EXPECT_EQ(held, expected);
  EXPECT_EQ((held[{Stage::pretrain, 0}].size()), 3u);
  EXPECT_EQ((held[{Stage::finetune, 5}].size()), 2u);
}

TEST(RunProgress, KnowsWhereEachStageStands) {
  RunProgress log;
  const std::vector<Event> events = story();
  for (std::size_t i = 0; i < 7; ++i) log.add(events[i]);
  const StageRecord& first = log.stage(Stage::pretrain);
  EXPECT_TRUE(first.begun && first.running && !first.done);
  EXPECT_EQ(first.before, 2.5);  // the session that was stopped, up to its last loss
  EXPECT_EQ(first.seconds, 1.5);
  EXPECT_EQ(first.last.step, 30);
  EXPECT_EQ(first.rate, 10.0);  // ten steps in the second between the last two losses
  for (std::size_t i = 7; i < 16; ++i) log.add(events[i]);
  EXPECT_TRUE(first.done && !first.running);
  EXPECT_EQ(first.before + first.seconds, 4);  // told by the stage itself
  EXPECT_EQ(log.stage(Stage::cache).seconds, 7);
  EXPECT_EQ(log.error(), "It broke");
  EXPECT_FALSE(log.stage(Stage::finetune).running);
  EXPECT_EQ(log.current(), Stage::finetune);
  for (std::size_t i = 16; i < events.size(); ++i) log.add(events[i]);
  EXPECT_EQ(log.error(), "");
  EXPECT_EQ(log.stage(Stage::finetune).head, 5);
  EXPECT_EQ(log.stage(Stage::finetune).rate, 5.0);
  EXPECT_EQ(log.lines().size(), 11u);  // all but the losses
}

// A stop saves the steps since the last loss: they count, before and after going on.
TEST(RunProgress, CountsTheStepsUpToAStop) {
  RunProgress log;
  for (const auto& [type, step] : {std::pair{EventType::stage_started, 0},
                                   {EventType::loss, 400},
                                   {EventType::stopped, 518},
                                   {EventType::resumed, 518}}) {
    Event event;
    event.type = type;
    event.step = step;
    event.values = {{"epochs", 15}, {"steps", 200}, {"train", 1.0}, {"validation", 1.0}};
    if (event.type == EventType::loss) event.epoch = 1;
    if (event.type == EventType::resumed) event.epoch = 2;
    log.add(event);
    EXPECT_EQ(log.stage(Stage::pretrain).last.step, step) << event_type_name(type);
  }
}

TEST(RunProgress, MarksWhereLessonsBegin) {
  RunProgress log;
  log.add(event_of(EventType::stage_started, Stage::pretrain, 0, 0, {{"epochs", 4}, {"steps", 10}}));
  const std::pair<std::int64_t, const char*> lessons[] = {{0, "k=0"}, {10, "k=1"}, {10, "k=1"}, {30, "k=3"}};
  for (const auto& [step, text] : lessons) {
    Event event = event_of(EventType::lesson, Stage::pretrain, step / 10, 0, {{"text", text}});
    event.step = step;
    log.add(event);
    log.add(loss_of(Stage::pretrain, step / 10, static_cast<double>(step)));
  }
  EXPECT_EQ(log.lines().back(), "pretrain with k=3");
  EXPECT_EQ(log.lessons(), (std::map<std::int64_t, std::string>{{0, "k=0"}, {10, "k=1"}, {30, "k=3"}}));
}

TEST(RunProgress, TellsTheShareOfTheStageThatItIsAt) {
  RunConfig config;
  config.pretrain.epochs = 8;
  config.cache.sizes = {1, 10, 100, 1000};
  config.finetune.heads = "per-n";
  RunProgress run;
  EXPECT_EQ(run.share(config), 0);
  EXPECT_FALSE(run.begun());
  run.add(loss_of(Stage::pretrain, 1, 1));  // the log's end alone: epochs by the configuration
  EXPECT_DOUBLE_EQ(run.share(config), 2.0 / 8);
  run.add(event_of(EventType::resumed, Stage::pretrain, 2, 0, {{"epochs", 4}, {"steps", 10}}));
  EXPECT_DOUBLE_EQ(run.share(config), 30.0 / 40) << "the steps since the last loss";
  run.add(event_of(EventType::stage_done, Stage::pretrain, 4, 9, {{"sets", 640}}));
  EXPECT_EQ(run.share(config), 1);
  run.add(event_of(EventType::stage_started, Stage::finetune, 0, 0, {{"epochs", 10}, {"n", 10}}));
  run.add(loss_of(Stage::finetune, 4, 1, 10));
  EXPECT_DOUBLE_EQ(run.share(config), (1 + 0.5) / 4);
  EXPECT_EQ(run.current(), Stage::finetune);
}

TEST(RunProgress, KeepsWhatTheLastEndOfAStageTold) {
  RunProgress run;
  const nlohmann::json plan = {{"epochs", 4}, {"steps", 10}};
  run.add(event_of(EventType::started_from, Stage::pretrain, 0, 0, {{"gflop", 7.0}}));
  EXPECT_EQ(run.before(), 7);
  EXPECT_TRUE(std::isnan(run.before_with_cache()));
  run.add(event_of(EventType::stage_started, Stage::pretrain, 0, 0, plan));
  run.add(event_of(EventType::stage_done, Stage::pretrain, 4, 1,
                   {{"sets", 640}, {"prior_gain", 0.0}, {"learned_nothing", true}}));
  EXPECT_TRUE(run.learned_nothing());
  run.add(event_of(EventType::stage_started, Stage::pretrain, 0, 0, plan));
  EXPECT_EQ(run.stage(Stage::pretrain).sets, 0);
  run.add(event_of(EventType::stage_done, Stage::pretrain, 4, 1, {{"sets", 320}, {"prior_gain", 2.0}}));
  EXPECT_FALSE(run.learned_nothing());
  EXPECT_EQ(run.stage(Stage::pretrain).sets, 320) << "told again, counted once";
  run.add(event_of(EventType::stage_done, Stage::finetune, 4, 1, {{"sets", 5}, {"refreshes", 3}}));
  EXPECT_EQ(run.stage(Stage::finetune).refreshes, 3);
  EXPECT_TRUE(run.held().empty());
  run.add(event_of(EventType::stage_done, Stage::cache, 0, 0, {{"held_n", {2, 100}}, {"held", {405, 13}}}));
  EXPECT_EQ(run.held(), (std::map<std::int64_t, std::int64_t>{{2, 405}, {100, 13}}));
  run.add(event_of(EventType::stage_done, Stage::cache, 0, 0, {{"sets", 5}}));
  EXPECT_TRUE(run.held().empty()) << "made again, of simulated sets";
}

TEST(ParseEvent, RefusesWhatIsNoEvent) {
  Event event;
  for (const char* line : {"", "{", "[1]", "7", "{\"type\": 5}", "{\"type\": \"none such\"}", "{\"stage\": []}",
                           "{\"n\": \"two\"}", "{\"step\": \"x\"}"})
    EXPECT_FALSE(parse_event(line, event)) << line;
  const Event reported = loss_of(Stage::finetune, 3, 1.5, 7);
  ASSERT_TRUE(parse_event(log_line(reported), event));
  EXPECT_EQ(log_line(event), log_line(reported));
}

// The steps behind the last loss took time, too.
TEST(RunProgress, CountsTheTimeUpToAStop) {
  RunProgress log;
  log.add(event_of(EventType::stage_started, Stage::pretrain, 0, 0, {{"epochs", 4}, {"steps", 1000}}));
  log.add(event_of(EventType::stopped, Stage::pretrain, 0, 40, {{"stage_seconds", 36.0}}));
  EXPECT_EQ(log.stage(Stage::pretrain).before + log.stage(Stage::pretrain).seconds, 36);
  log.add(event_of(EventType::resumed, Stage::pretrain, 0, 0, {{"epochs", 4}, {"steps", 1000}}));
  log.add(loss_of(Stage::pretrain, 0, 5));
  EXPECT_EQ(log.stage(Stage::pretrain).before + log.stage(Stage::pretrain).seconds, 41);
}

TEST(RunProgress, AFinishedRunHasToldTheEndOfItsStages) {
  RunConfig config;
  RunProgress log;
  EXPECT_NE(record_problem(config, log, true).find("end of stage 1"), std::string::npos);
  for (const auto& [stage, next] :
       {std::pair{Stage::pretrain, "end of stage 2"}, {Stage::cache, "end of stage 3"}, {Stage::finetune, ""}}) {
    log.add(event_of(EventType::stage_done, stage, 4, 1, {{"sets", 640}}));
    EXPECT_EQ(record_problem(config, log, false), "");
    const std::string problem = record_problem(config, log, true);
    EXPECT_TRUE(*next ? problem.find(next) != std::string::npos : problem.empty()) << problem;
  }
  Event damage;
  damage.type = EventType::damaged;
  log.add(damage);
  EXPECT_NE(record_problem(config, log, false).find("is damaged"), std::string::npos);
}

}  // namespace
}  // namespace pairs
