#include "tasks/registry.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace pairs {
namespace {

std::string message_of(const std::string& name, const TaskOptions& options = {}) {
  try {
    make_task(name, options);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "";
}

TEST(Registry, MakesEveryTaskUnderItsName) {
  EXPECT_EQ(task_names(), (std::vector<std::string>{"gaussian", "bump-hunt", "digits", "novel-view"}));
  for (const std::string& name : task_names()) EXPECT_EQ(make_task(name)->info().name, name);
}

TEST(Registry, NamesTheNearestTask) {
  EXPECT_NE(message_of("bump-hant").find("did you mean bump-hunt?"), std::string::npos) << message_of("bump-hant");
  EXPECT_NE(message_of("xyzzyxyzzyxyzzy").find("gaussian, bump-hunt, digits"), std::string::npos);
}

TEST(Registry, OptionsTakeEffectOrAreRefused) {
  TaskOptions options;
  options.convention = "literal";
  EXPECT_TRUE(make_task("gaussian", options)->references().empty());
  EXPECT_FALSE(make_task("gaussian")->references().empty());
  for (const char* name : {"bump-hunt", "digits"})
    EXPECT_NE(message_of(name, options).find("literal"), std::string::npos);
  options = {};
  options.data = "no such folder";
  EXPECT_THROW(make_task("digits", options), Error);
}

}  // namespace
}  // namespace pairs
