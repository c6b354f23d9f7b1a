#include "app/runs/loss_figure.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pairs
