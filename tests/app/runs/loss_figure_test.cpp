#include "app/runs/loss_figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(AddLosses, MarksWhereLessonsBegin) {
  RunProgress run;
  for (const auto& [step, text] : {std::pair{0, "k=0"}, {10, "k=1"}, {10, "k=1"}, {30, "k=3"}}) {
    Event lesson, loss;
    lesson.type = EventType::lesson;
    lesson.step = loss.step = step;
    lesson.values = {{"text", text}};
    loss.type = EventType::loss;
    loss.values = {{"train", 1.0}, {"validation", 2.0}};
    run.add(lesson);
    run.add(loss);
  }
  Plot plot, named, finetuning;
  add_losses(plot, run, Stage::pretrain, SeriesRole::pairs, "");
  ASSERT_EQ(plot.rules.size(), 2u);
  EXPECT_EQ(plot.rules[0].name, "k=1");
  EXPECT_EQ(plot.rules[0].x, 10);
  EXPECT_EQ(plot.rules[1].x, 30);
  ASSERT_EQ(plot.lines.size(), 2u);
  EXPECT_EQ(plot.lines[0].x.size(), 4u);
  add_losses(named, run, Stage::pretrain, SeriesRole::pairs, "of one of several runs");
  EXPECT_TRUE(named.rules.empty());
  add_losses(finetuning, run, Stage::finetune, SeriesRole::pairs, "");
  EXPECT_TRUE(finetuning.rules.empty() && finetuning.lines.empty());
}

// Two epochs of stage 1, the second after a pause: seconds of work begin anew with the session.
RunProgress two_sessions() {
  RunProgress run;
  const auto print = [&](EventType type, std::int64_t epoch, std::int64_t step, double seconds, double loss) {
    Event event;
    event.type = type;
    event.epoch = epoch;
    event.step = step;
    event.seconds = seconds;
    if (type == EventType::loss) event.values = {{"train", loss}, {"validation", loss + 1}, {"rate", 0.001 / loss}};
    run.add(event);
  };
  print(EventType::stage_started, 0, 0, 0, 0);
  print(EventType::loss, 0, 10, 4, 1);
  print(EventType::resumed, 1, 10, 0, 0);
  print(EventType::loss, 1, 20, 3, 2);
  return run;
}

// The training loss of each part of an epoch is a point of its own; smoothing is by epochs.
TEST(LossFigure, ShowsTheTrainingLossWithinEpochs) {
  RunProgress run;
  for (const std::int64_t epoch : {0, 1}) {
    Event event;
    event.type = EventType::loss;
    event.epoch = epoch;
    event.step = 8 * (epoch + 1);
    event.seconds = static_cast<double>(4 * (epoch + 1));
    event.values = {{"train", 1.5}, {"train_parts", {4.0 - epoch, 3.0 - epoch, 2.0, 1.0}}, {"validation", 1.0}};
    run.add(event);
  }
  const auto training = [&](const LossLook& look) {
    const Figure figure = loss_figure({{"a", "pairs", run}}, look);
    return figure.plots.front().lines.front();
  };
  const Line steps = training({});
  EXPECT_EQ(steps.x, (std::vector<double>{2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(steps.y, (std::vector<double>{4, 3, 2, 1, 3, 2, 2, 1}));
  EXPECT_EQ(training({LossAxis::epoch}).x, (std::vector<double>{0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2}));
  EXPECT_EQ(training({LossAxis::seconds}).x, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(training({LossAxis::step, 0.5}).x, (std::vector<double>{8, 16}));
  EXPECT_EQ(loss_figure({{"a", "pairs", run}}).plots.front().lines.back().x, (std::vector<double>{8, 16}));
}

TEST(LossFigure, IsDrawnAgainstWhatIsAsked) {
  std::vector<LossCurves> runs = {{"a", "pairs", two_sessions()}, {"b", "n1", two_sessions()}};
  runs[0].pretrain_gflop = 0.5;
  const auto x = [&](LossAxis axis) {
    const Figure figure = loss_figure(runs, {axis, 0});
    return figure.plots.at(0).lines.at(0).x;
  };
  EXPECT_EQ(x(LossAxis::step), (std::vector<double>{10, 20}));
  EXPECT_EQ(x(LossAxis::epoch), (std::vector<double>{1, 2}));
  EXPECT_EQ(x(LossAxis::seconds), (std::vector<double>{4, 7})) << "with those of the first session";
  EXPECT_EQ(x(LossAxis::gflop), (std::vector<double>{5, 10}));
  const Figure figure = loss_figure(runs, {LossAxis::gflop, 0});
  EXPECT_EQ(figure.plots[0].lines.size(), 2u);
  EXPECT_EQ(figure.title, "Training and validation loss; without a run of unknown cost");
  EXPECT_EQ(figure.plots[0].x.label, "training cost of the stage / GFLOP");
  runs[0].pretrain_gflop = NAN;
  EXPECT_THROW(loss_figure(runs, {LossAxis::gflop, 0}), Error);
}

TEST(LossFigure, SmoothsWithoutABiasOfTheFirstPoints) {
  const std::vector<LossCurves> runs = {{"a", "pairs", two_sessions()}};
  const Figure figure = loss_figure(runs, {LossAxis::step, 0.5});
  EXPECT_EQ(figure.title, "Training and validation loss, smoothed (0.5)");
  const Line& training = figure.plots[0].lines[0];
  EXPECT_EQ(training.name, "a, training");
  EXPECT_DOUBLE_EQ(training.y[0], 1);
  EXPECT_DOUBLE_EQ(training.y[1], (0.25 * 1 + 0.5 * 2) / 0.75);
}

TEST(RateFigure, DrawsTheLearningRateWhereTheLogHoldsIt) {
  const std::vector<LossCurves> runs = {{"a", "pairs", two_sessions()}};
  const Figure figure = rate_figure(runs, LossAxis::epoch);
  EXPECT_EQ(figure.plots.at(0).lines.at(0).y, (std::vector<double>{0.001, 0.0005}));
  RunProgress old;
  Event loss;
  loss.type = EventType::loss;
  loss.values = {{"train", 1.0}, {"validation", 2.0}};
  old.add(loss);
  EXPECT_THROW(rate_figure({{"b", "pairs", old}}, LossAxis::step), Error);
}

}  // namespace
}  // namespace pairs
