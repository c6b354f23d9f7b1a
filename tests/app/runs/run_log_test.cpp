#include "app/runs/run_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pairs {
namespace {

Event event_of(const char* type, Stage stage, std::int64_t epoch, double seconds, nlohmann::json values = {}) {
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
  return event_of("loss", stage, epoch, seconds, values);
}

// A story with resumed and restarted stages and two heads.
std::vector<Event> story() {
  const nlohmann::json plan = {{"epochs", 4}, {"steps", 10}};
  nlohmann::json second = plan;
  second["n"] = 5;
  return {
      event_of("stage-started", Stage::pretrain, 0, 0, plan),
      loss_of(Stage::pretrain, 0, 1),
      loss_of(Stage::pretrain, 1, 2.5),
      event_of("stopped", Stage::pretrain, 0, 3),
      event_of("resumed", Stage::pretrain, 1, 0, plan),
      loss_of(Stage::pretrain, 1, 0.5),
      loss_of(Stage::pretrain, 2, 1.5),
      event_of("warning", Stage::pretrain, 0, 0, {{"text", "slow"}}),
      event_of("stage-done", Stage::pretrain, 3, 4),
      event_of("stage-started", Stage::cache, 0, 0),
      event_of("stage-done", Stage::cache, 0, 7),
      event_of("stage-started", Stage::finetune, 0, 0, second),
      loss_of(Stage::finetune, 0, 1, 5),
      event_of("stage-started", Stage::finetune, 0, 0, {{"epochs", 4}, {"steps", 10}, {"n", 9}}),
      loss_of(Stage::finetune, 0, 1, 9),
      event_of("error", Stage::finetune, 0, 2, {{"text", "It broke"}}),
      event_of("stage-started", Stage::finetune, 0, 0, second),
      loss_of(Stage::finetune, 0, 1.25, 5),
      loss_of(Stage::finetune, 1, 3.25, 5),
  };
}

TEST(RunLog, HoldsTheLossesThatReadEventsLeaves) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("log-{}.jsonl", ::getpid());
  RunLog log;
  {
    std::ofstream out(file);
    for (const Event& event : story()) {
      out << log_line(event) << '\n';
      log.add(event);
    }
  }
  std::map<std::pair<Stage, std::int64_t>, std::vector<std::pair<std::int64_t, double>>> expected, held;
  for (const Event& event : read_events(file.string()))
    if (event.type == "loss")
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

TEST(RunLog, KnowsWhereEachStageStands) {
  RunLog log;
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
TEST(RunLog, CountsTheStepsUpToAStop) {
  RunLog log;
  for (const auto& [type, step] : {std::pair{"stage-started", 0}, {"loss", 400}, {"stopped", 518}, {"resumed", 518}}) {
    Event event;
    event.type = type;
    event.step = step;
    event.values = {{"epochs", 15}, {"steps", 200}, {"train", 1.0}, {"validation", 1.0}};
    if (event.type == "loss") event.epoch = 1;
    if (event.type == "resumed") event.epoch = 2;
    log.add(event);
    EXPECT_EQ(log.stage(Stage::pretrain).last.step, step) << type;
  }
}

TEST(RunLog, MarksWhereLessonsBegin) {
  RunLog log;
  log.add(event_of("stage-started", Stage::pretrain, 0, 0, {{"epochs", 4}, {"steps", 10}}));
  const std::pair<std::int64_t, const char*> lessons[] = {{0, "k=0"}, {10, "k=1"}, {10, "k=1"}, {30, "k=3"}};
  for (const auto& [step, text] : lessons) {
    Event event = event_of("lesson", Stage::pretrain, step / 10, 0, {{"text", text}});
    event.step = step;
    log.add(event);
    log.add(loss_of(Stage::pretrain, step / 10, static_cast<double>(step)));
  }
  EXPECT_EQ(log.lines().back(), "pretrain with k=3");
  Plot plot, named, finetuning;
  add_losses(plot, log, Stage::pretrain, SeriesRole::pairs, "");
  ASSERT_EQ(plot.rules.size(), 2u);
  EXPECT_EQ(plot.rules[0].name, "k=1");
  EXPECT_EQ(plot.rules[0].x, 10);
  EXPECT_EQ(plot.rules[1].x, 30);
  add_losses(named, log, Stage::pretrain, SeriesRole::pairs, "of one of several runs");
  EXPECT_TRUE(named.rules.empty());
  add_losses(finetuning, log, Stage::finetune, SeriesRole::pairs, "");
  EXPECT_TRUE(finetuning.rules.empty());
}

TEST(ParseEvent, RefusesWhatIsNoEvent) {
  Event event;
  for (const char* line :
       {"", "{", "[1]", "7", "{\"type\": 5}", "{\"stage\": []}", "{\"n\": \"two\"}", "{\"step\": \"x\"}"})
    EXPECT_FALSE(parse_event(line, event)) << line;
  const Event told = loss_of(Stage::finetune, 3, 1.5, 7);
  ASSERT_TRUE(parse_event(log_line(told), event));
  EXPECT_EQ(log_line(event), log_line(told));
}

}  // namespace
}  // namespace pairs
