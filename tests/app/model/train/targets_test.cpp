#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/model/train/draft.h"
#include "core/target_choice.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

// Which of θ and ψ are inferred, as the Train tab ticks them.

namespace pairs::model {
namespace {

using ::testing::HasSubstr;

std::string ticked(const Draft& draft) {
  std::string names;
  for (const TargetTick& one : draft.targets())
    if (one.on) names += (names.empty() ? "" : ",") + one.name;
  return names;
}

TEST(DraftTargets, AreTickedAndCommandedAlike) {
  const TemporaryFolder scratch;
  Draft draft(built_in_tasks(), "bump-hunt", scratch.path(), "");
  ASSERT_EQ(draft.targets().size(), 2u);
  EXPECT_EQ(draft.targets()[1].title, "ψ, bump position");
  EXPECT_EQ(ticked(draft), "theta");
  draft.set_target("psi", true);
  EXPECT_EQ(ticked(draft), "theta,psi");
  EXPECT_EQ(draft.error(), "");
  EXPECT_EQ(draft.config().make_task()->info().targets.size(), 2u);
  EXPECT_THAT(draft.batch_command(), HasSubstr("--set task.targets=theta,psi"));
  draft.set_target("theta", false);
  EXPECT_EQ(ticked(draft), "psi");
  draft.set_target("psi", false);
  EXPECT_EQ(ticked(draft), "psi") << "the last one stays";
  // The run that such settings are of begins a draft with them.
  const Draft again(built_in_tasks(), draft.config(), scratch.path(), "");
  EXPECT_EQ(ticked(again), "psi");
  EXPECT_EQ(again.changes(), 1);
  draft.set_target("theta", true);
  draft.set_target("psi", false);
  EXPECT_EQ(ticked(draft), "theta");
  EXPECT_EQ(draft.changes(), 0) << "as the preset has it";
  draft.set(kTaskTargets, "theta,phi");
  EXPECT_THAT(draft.setting(kTaskTargets).error, HasSubstr("phi"));
  EXPECT_EQ(ticked(draft), "theta");
}

TEST(DraftTargets, AreNotOfferedWhereThereIsNoChoice) {
  const TemporaryFolder scratch;
  for (const char* task : {"digits", "novel-view"})
    EXPECT_TRUE(Draft(built_in_tasks(), task, scratch.path(), "").targets().empty()) << task;
  EXPECT_EQ(Draft(built_in_tasks(), "gaussian", scratch.path(), "").targets().size(), 5u);
}

}  // namespace
}  // namespace pairs::model
