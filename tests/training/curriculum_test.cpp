#include "core/train/settings/curriculum.h"

#include <gmock/gmock.h>

#include "core/base/text/error.h"
#include "tasks/registry.h"
#include "tests/core/base/message.h"

namespace pairs {
namespace {

TEST(Curriculum, RefusesWhatIsNoLesson) {
  const auto refused = [](const char* task, const std::string& text) {
    return message_of([&] {
      load_preset(built_in_tasks(), built_in_tasks()->make(task)->info(), "quick", "pairs",
                  {"pretrain.curriculum=" + text});
    });
  };
  for (const char* text :
       {"distractors=0", "distractors=0:", "distractors=0: 0", "distractors=0: two", ": 3", ";", "0: 1",
        "distractors=0: 1;;", "distractors=0: 1e2", "distractors=0: 1.5", "distractors=0: -10 %", "distractors=0: %",
        "distractors=0: nan %", "distractors=0: inf", "distractors=0: 99999999999999999999"})
    EXPECT_THAT(refused("circle", text), testing::HasSubstr("no lesson")) << text;
  EXPECT_THAT(refused("circle", "distractor=0: 1"), testing::HasSubstr("distractors"));
  EXPECT_THAT(refused("circle", "distractors=-1: 1"), testing::HasSubstr("pretrain.curriculum, 'distractors=-1: 1'"));
  EXPECT_THAT(refused("bump-hunt", "distractors=0: 1"), testing::HasSubstr("distractors"));
  EXPECT_THAT(refused("circle", "distractors=0: 1000"), testing::HasSubstr("leaves none of"));
  EXPECT_THAT(refused("novel-view", "size=8: 1"), testing::HasSubstr("another shape"));
  // Checked together with the run's own settings, as the lessons would use them.
  EXPECT_THAT(refused("circle", "center_low=70: 1"), testing::HasSubstr("pretrain.curriculum, 'center_low=70: 1'"));
  EXPECT_NO_THROW(load_preset(built_in_tasks(), built_in_tasks()->make("novel-view")->info(), "quick", "pairs",
                              {"pretrain.curriculum=noise=0.1: 1"}));
  EXPECT_THAT(refused("novel-view", "size=64: 1"), testing::HasSubstr("another shape"));
  EXPECT_THAT(refused("circle",
                      [] {
                        std::string many;
                        for (int i = 0; i < 2000; ++i) many += "distractors=0: 100000; ";
                        return many;
                      }()),
              testing::HasSubstr("takes 200000000 epochs"));
  EXPECT_THAT(refused("circle", "distractors=0: 60 %; 1: 40%"), testing::HasSubstr("100 %"));
  EXPECT_THAT(refused("circle", "distractors=0: 60 %; 1: 4"), testing::HasSubstr("leaves none of 10"));
}

TEST(Curriculum, TakesSharesOfHoweverManyEpochs) {
  const auto task = built_in_tasks()->make("circle");
  const auto lessons = [&](const char* strategy, std::vector<std::string> set) {
    set.push_back("pretrain.curriculum=distractors=0: 10 %; 1 line=3: 30%; 1.5 : 2.5 % ;");
    std::string all;
    for (const Lesson& lesson : curriculum(load_preset(built_in_tasks(), task->info(), "quick", strategy, set)))
      all += lesson.text + ", ";
    return all;
  };
  EXPECT_EQ(lessons("pairs", {}), "distractors=0, distractors=1 line=3, distractors=1 line=3, distractors=1 line=3, ");
  RunConfig config = load_preset(built_in_tasks(), task->info(), "quick", "pairs", {"task.line=2.5"});
  EXPECT_EQ(own_settings(config, curriculum(config)), "distractors=3");
  config.pretrain.curriculum = "line=3 distractors=0: 1";
  EXPECT_EQ(own_settings(config, curriculum(config)), "line=2.5 distractors=3");
  EXPECT_EQ(own_settings(config, {}), "");
  EXPECT_EQ(lessons("pairs", {"pretrain.epochs=1"}), "");
  EXPECT_EQ(lessons("pairs", {"pretrain.epochs=3"}), "distractors=1 line=3, ");
  EXPECT_EQ(lessons("n1-10", {}), lessons("pairs", {}));
  EXPECT_THAT(lessons("pairs", {"pretrain.epochs=40"}), testing::EndsWith("line=1.5, "));
}

}  // namespace
}  // namespace pairs
