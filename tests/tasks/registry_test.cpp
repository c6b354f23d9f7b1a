#include "tasks/registry.h"

#include <gtest/gtest.h>

#include "core/base/fields/face.h"
#include "core/base/fields/fields.h"
#include "core/base/text/error.h"
#include "core/target_choice.h"
#include "tasks/scene_views.h"

namespace pairs {
namespace {

std::string message_of(const std::string& name, const TaskOptions& options = {}) {
  try {
    built_in_tasks()->make(name, options);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "";
}

TEST(Registry, MakesEveryTaskUnderItsName) {
  const Catalog tasks = built_in_tasks();
  std::vector<std::string> all = {"gaussian", "bump-hunt", "circle", "digits", "objects", "molecules", "novel-view"};
  for (const LeftOutTask& left : tasks->left_out()) std::erase(all, left.name);
  EXPECT_EQ(tasks->names(), all);
  for (const std::string& name : tasks->names()) EXPECT_EQ(tasks->make(name)->info().name, name);
}

TEST(Registry, SaysWhatATaskLacksThatWasLeftOut) {
  const Catalog tasks = built_in_tasks();
  EXPECT_EQ(tasks->left_out().size(), std::size_t{!PAIRS_WITH_OBJECTS} + std::size_t{!PAIRS_WITH_MOLECULES});
  for (const LeftOutTask& left : tasks->left_out())
    EXPECT_NE(message_of(left.name).find("was left out of this build: it needs"), std::string::npos);
}

TEST(Registry, NamesTheNearestTask) {
  EXPECT_NE(message_of("bump-hant").find("did you mean bump-hunt?"), std::string::npos) << message_of("bump-hant");
  EXPECT_NE(message_of("xyzzyxyzzyxyzzy").find("gaussian, bump-hunt, circle, digits"), std::string::npos);
}

TEST(Registry, OptionsTakeEffectOrAreRefused) {
  const auto with = [](const std::string& name, const std::string& assignment) {
    TaskOptions options;
    options.settings = built_in_tasks()->default_settings(name);
    set_field(options.settings.fields(), assignment);
    return options;
  };
  const TaskOptions literal = with("gaussian", "convention=literal"), views = with("novel-view", "size=16");
  EXPECT_TRUE(built_in_tasks()->make("gaussian", literal)->references().empty());
  EXPECT_EQ(built_in_tasks()->make("gaussian", literal)->info().variant, "literal");
  EXPECT_FALSE(built_in_tasks()->make("gaussian")->references().empty());
  EXPECT_EQ(built_in_tasks()->make("novel-view", views)->info().image.width, 16);
  for (const char* name : {"bump-hunt", "digits", "novel-view"})
    EXPECT_THROW(built_in_tasks()->make(name, literal), Error) << name;
  for (const char* name : {"bump-hunt", "digits", "gaussian"})
    EXPECT_THROW(built_in_tasks()->make(name, views), Error) << name;
  TaskOptions data;
  data.data = "no such folder";
  EXPECT_THROW(built_in_tasks()->make("digits", data), Error);
}

// Core and app show and check settings by their fields alone.
TEST(Registry, EverySettingOfATaskHasHelpARangeAndADefaultWithinIt) {
  for (const std::string& name : built_in_tasks()->names()) {
    TaskSettings settings = built_in_tasks()->default_settings(name), again = settings;
    EXPECT_EQ(settings.empty(), settings.fields().empty()) << name;
    for (const Field& field : settings.fields()) {
      EXPECT_EQ(field.key.find('.'), std::string::npos) << name << " " << field.key;
      EXPECT_FALSE(field.help.empty()) << name << " " << field.key;
      const bool text = std::holds_alternative<std::string*>(field.slot);
      // Names of targets are looked up in the task (tasks/parts/chosen_targets.h).
      EXPECT_TRUE(!text || !field.choices.empty() || field.key == kTargetsSetting) << field.key;
      const bool number =
          std::holds_alternative<std::int64_t*>(field.slot) || std::holds_alternative<double*>(field.slot);
      EXPECT_TRUE(!number || (field.low > -1e300 && field.high < 1e300)) << name << " " << field.key;
      EXPECT_NO_THROW(set_field(again.fields(), field.key + "=" + field_text(field))) << name << " " << field.key;
    }
    EXPECT_TRUE(settings == again) << name;
  }
}

TEST(Registry, SettingsAreValues) {
  TaskSettings settings = built_in_tasks()->default_settings("novel-view"), other = settings;
  EXPECT_TRUE(settings == other);
  set_field(other.fields(), "half_width=1.25");
  EXPECT_FALSE(settings == other) << "a copy is independent";
  settings = other;
  EXPECT_TRUE(settings == other);
  EXPECT_FALSE(settings == built_in_tasks()->default_settings("gaussian"));
  EXPECT_TRUE(TaskSettings() == built_in_tasks()->default_settings("digits"));
}

TEST(Registry, SaysWhatQuantitiesMeanAndWhatIsAsked) {
  for (const std::string& name : built_in_tasks()->names()) {
    const auto task = built_in_tasks()->make(name);
    const TaskInfo& info = task->info();
    for (const Target& target : info.targets) {
      EXPECT_FALSE(target.meaning.empty()) << name << " " << target.label;
      EXPECT_EQ(target.title().rfind(target.label + ", " + target.meaning, 0), 0u);
    }
    if (!info.image_target()) {
      for (const Nuisance& nuisance : info.nuisances) EXPECT_FALSE(nuisance.meaning.empty()) << name;
    }
    EXPECT_NE(info.question.many.find("{}"), std::string::npos) << name;
    EXPECT_EQ(info.question.many.find("{}"), info.question.many.rfind("{}")) << name;
    EXPECT_EQ(info.question.text(1, "1"), info.question.one);
    EXPECT_NE(info.question.text(1000, "1,000").find("these 1,000 "), std::string::npos) << name;
    EXPECT_NE(info.question.one.find("θ"), std::string::npos) << name;
  }
  EXPECT_EQ(built_in_tasks()->make("bump-hunt")->info().targets[0].title(), "θ, signal fraction");
  EXPECT_EQ(built_in_tasks()->make("bump-hunt")->info().nuisances[0].title(), "ψ, bump position");
  EXPECT_EQ(built_in_tasks()->make("digits")->info().nuisances[0].title(), "angle, of every image / rad");
}

TEST(Registry, TasksAreWhatTheirRolesSay) {
  for (const TaskRole role : {TaskRole::first, TaskRole::exact, TaskRole::data, TaskRole::views})
    EXPECT_EQ(built_in_tasks()->make(task_in_role(role))->info().name, task_in_role(role));
  EXPECT_FALSE(built_in_tasks()->make(task_in_role(TaskRole::first))->info().image_target()) << "the tour drags N";
  const auto exact = built_in_tasks()->make(task_in_role(TaskRole::exact));
  EXPECT_EQ(exact->references().front(), "exact");
  EXPECT_EQ(exact->info().targets.size(), 2u);
  EXPECT_NE(built_in_tasks()->data_set_of(task_in_role(TaskRole::data)), nullptr);
  EXPECT_NE(face<SceneViews>(*built_in_tasks()->make(task_in_role(TaskRole::views))), nullptr);
  EXPECT_EQ(face<SceneViews>(*exact), nullptr);
}

TEST(Registry, DataSetsBelongToTasksAndSayWhatIsMissing) {
  const Catalog tasks = built_in_tasks();
  for (const DataSet& set : tasks->data_sets()) {
    EXPECT_EQ(tasks->data_set_of(set.task), &set);
    EXPECT_FALSE(built_in_tasks()->make(set.task)->info().data_source.empty());
    for (const char* folder : {"", "no such folder"}) {
      const FoundData found = set.find(folder);
      EXPECT_EQ(found.missing(), static_cast<std::int64_t>(found.files.size())) << set.name;
      EXPECT_FALSE(found.problem.empty()) << set.name;
    }
  }
  EXPECT_EQ(tasks->data_set_of("no such task"), nullptr);
}

TEST(Registry, KnownNumbersOfTheTasksHold) {
  for (const SelfCheck& check : built_in_tasks()->self_checks())
    EXPECT_LE(check.deviation(), check.limit) << check.name;
}

}  // namespace
}  // namespace pairs
