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

}  // namespace
}  // namespace pairs
