#include "app/runs/task_words.h"

#include <gtest/gtest.h>

#include "tasks/registry.h"

namespace pairs {
namespace {

TEST(TaskWords, RolesBecomeNames) {
  const std::string first = task_in_role(TaskRole::first), views = task_in_role(TaskRole::views);
  EXPECT_EQ(with_task_names("run {first} --like {views} {first}"), "run " + first + " --like " + views + " " + first);
  EXPECT_EQ(with_task_names("{exact},{data}"), task_in_role(TaskRole::exact) + "," + task_in_role(TaskRole::data));
  EXPECT_EQ(with_task_names("{\"x\": {last}}"), "{\"x\": {last}}") << "other braces stay";
}

TEST(TaskWords, SayWhyRunsCannotStandSideBySide) {
  EXPECT_EQ(other_question({"a", "circle", ""}, {"b", "circle", ""}), "");
  EXPECT_EQ(other_question({"a", "circle", ""}, {"b", "digits", ""}),
            "a is of task circle and b of task digits; only runs of one task can be compared");
  EXPECT_EQ(other_question({"a", "circle", "distractors 1"}, {"b", "circle", ""}),
            "a is of circle with distractors 1 and b with its usual settings; only runs with the same settings of the "
            "task can be compared");
}

}  // namespace
}  // namespace pairs
