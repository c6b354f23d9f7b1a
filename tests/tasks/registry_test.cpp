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

TEST(Registry, SaysWhatQuantitiesMeanAndWhatIsAsked) {
  for (const std::string& name : task_names()) {
    const auto task = make_task(name);
    const TaskInfo& info = task->info();
    for (const Target& target : info.targets) {
      EXPECT_FALSE(target.meaning.empty()) << name << " " << target.label;
      EXPECT_EQ(target.title().rfind(target.label + ", " + target.meaning, 0), 0u);
    }
    if (!info.image_target())
      for (const Nuisance& nuisance : info.nuisances) EXPECT_FALSE(nuisance.meaning.empty()) << name;
    EXPECT_NE(info.question.many.find("{}"), std::string::npos) << name;
    EXPECT_EQ(info.question.many.find("{}"), info.question.many.rfind("{}")) << name;
    EXPECT_EQ(info.question.text(1, "1"), info.question.one);
    EXPECT_NE(info.question.text(1000, "1,000").find("these 1,000 "), std::string::npos) << name;
    EXPECT_NE(info.question.one.find("θ"), std::string::npos) << name;
  }
  EXPECT_EQ(make_task("bump-hunt")->info().targets[0].title(), "θ, signal fraction");
  EXPECT_EQ(make_task("bump-hunt")->info().nuisances[0].title(), "ψ, bump position");
  EXPECT_EQ(make_task("digits")->info().nuisances[0].title(), "angle, of every image / rad");
}

}  // namespace
}  // namespace pairs
