#include "app/model/train/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;

// What the shown command line would make: its --set assignments applied by the command line's own reader.
RunConfig set_by(const std::string& command, const std::string& task) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool open = false;
  bool escaped = false;
  for (const char c : command + " ") {
    if (escaped || (c == '\\' && quote != '\'')) {
      if (escaped) word += c;
      escaped = !escaped;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      open = true;
    } else if (c != ' ') {
      word += c;
      open = true;
    } else if (open) {
      words.push_back(word);
      word.clear();
      open = false;
    }
  }
  std::string preset, strategy;
  std::vector<std::string> set;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--preset") preset = words[i + 1];
    if (words[i] == "--strategy") strategy = words[i + 1];
    if (words[i] == "--set") set.push_back(words[i + 1]);
    if (words[i] == "--seed") set.push_back("seed=" + words[i + 1]);
    if (words[i] == "--device") set.push_back("device=" + words[i + 1]);
  }
  return load_preset(built_in_tasks(), built_in_tasks()->make(task)->info(), preset, strategy, set);
}

std::string text_of(RunConfig config) {
  return write_toml(fields(config));
}

TEST(Draft, HoldsPresetPaperAndChange) {
  const TemporaryFolder scratch;
  Draft draft(built_in_tasks(), "bump-hunt", scratch.path(), "");
  RunConfig quick = load_preset(built_in_tasks(), built_in_tasks()->make("bump-hunt")->info(), "quick", "pairs", {});
  RunConfig paper = load_preset(built_in_tasks(), built_in_tasks()->make("bump-hunt")->info(), "paper", "pairs", {});
  EXPECT_EQ(text_of(draft.config()), text_of(quick));
  EXPECT_EQ(draft.setting("pretrain.epochs").preset, std::to_string(quick.pretrain.epochs));
  EXPECT_EQ(draft.setting("pretrain.epochs").paper, std::to_string(paper.pretrain.epochs));
  EXPECT_EQ(draft.setting("cache.sizes").value, "100");
  EXPECT_EQ(draft.changes(), 0);
  const std::uint64_t before = draft.version();
  draft.set("pretrain.rate", "3e-4");
  EXPECT_GT(draft.version(), before);
  EXPECT_TRUE(draft.setting("pretrain.rate").changed);
  EXPECT_EQ(draft.setting("pretrain.rate").value, "3e-4");
  EXPECT_EQ(draft.config().pretrain.rate, 3e-4);
  EXPECT_EQ(draft.changes(), 1);
  draft.set("pretrain.rate", "0.2e-2");  // the preset's own value, written otherwise
  EXPECT_EQ(draft.changes(), 0);
  EXPECT_EQ(draft.batch_command().find("--set"), std::string::npos);
  for (const Setting& setting : draft.settings()) EXPECT_FALSE(setting.help.empty()) << setting.key;
}

TEST(Draft, SaysWhatIsWrongBesideTheSettingAsItIsTyped) {
  const TemporaryFolder scratch;
  Draft draft(built_in_tasks(), "gaussian", scratch.path(), "");
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"pretrain.rate", "fast"},
                                                                                   {"pretrain.rate", ""},
                                                                                   {"pretrain.rate", "99"},
                                                                                   {"pretrain.epochs", "1.5"},
                                                                                   {"pretrain.sizes", "1,,2"}}) {
    draft.set(key, value);
    EXPECT_EQ(draft.setting(key).value, value);
    EXPECT_FALSE(draft.setting(key).error.empty()) << key << "=" << value;
    EXPECT_EQ(draft.setting(key).error.find("setting '"), std::string::npos) << draft.setting(key).error;
    EXPECT_FALSE(draft.error().empty());
    draft.reset(key);
    EXPECT_EQ(draft.error(), "");
  }
  // If settings contradict each other, the message appears next to those that it names.
  draft.set("encoding", "none");
  EXPECT_THAT(draft.error(), HasSubstr("encoding"));
  EXPECT_FALSE(draft.setting("pretrain.sizes").error.empty());
  EXPECT_TRUE(draft.setting("pretrain.rate").error.empty());
  draft.reset_all();
  EXPECT_EQ(draft.error(), "");
  EXPECT_THROW(draft.set("no.such", "1"), Error);
  EXPECT_THROW(draft.set_preset("huge"), Error);
  EXPECT_THROW(draft.set_strategy("guess"), Error);
}

TEST(Draft, ShowsTheCommandThatMakesTheSameRun) {
  const TemporaryFolder scratch;
  for (const std::string task : {"gaussian", "bump-hunt"})
    for (const Choice& strategy : strategy_choices()) {
      Draft draft(built_in_tasks(), task, scratch.path(), "");
      draft.set_strategy(strategy.name);
      draft.set("seed", "42");
      draft.set("device", "cpu");
      draft.set("note", "it's a \"note\"; $HOME");
      const std::string sizes = pairs::strategy(strategy.name).stages_2_and_3 ? "cache.sizes" : "pretrain.sizes";
      draft.set(sizes, sizes == "cache.sizes" ? "5, 20" : "20");
      if (sizes == "cache.sizes") draft.set("cache.sets", "300");
      draft.set("pretrain.epochs", "3");
      if (strategy.name == "gaussian") {
        EXPECT_THROW(draft.setting("head.affine"), Error) << "nothing reads it";
        EXPECT_THROW(draft.setting("finetune.rate"), Error);
      } else {
        draft.set("head.affine", draft.setting("head.affine").value == "true" ? "false" : "true");
      }
      ASSERT_EQ(draft.error(), "") << strategy.name;
      EXPECT_EQ(text_of(set_by(draft.batch_command(), task)), text_of(draft.config())) << draft.batch_command();
      EXPECT_THAT(draft.batch_command(), HasSubstr("--out " + draft.folder().string()));
    }
}

// What was set for one kind waits while another is chosen, and counts when it is chosen again.
TEST(Draft, SettingsOfAnotherKindWait) {
  const TemporaryFolder scratch;
  Draft draft(built_in_tasks(), "bump-hunt", scratch.path(), "");
  draft.set("head.bins", "12");
  EXPECT_THAT(draft.batch_command(), HasSubstr("head.bins=12"));
  draft.set_strategy("gaussian");
  EXPECT_EQ(draft.error(), "");
  EXPECT_EQ(draft.batch_command().find("head.bins"), std::string::npos);
  EXPECT_EQ(text_of(set_by(draft.batch_command(), "bump-hunt")), text_of(draft.config()));
  draft.set_strategy("pairs");
  EXPECT_EQ(draft.setting("head.bins").value, "12");
}

TEST(Draft, TakesOverTheSettingsOfARun) {
  const TemporaryFolder scratch;
  RunConfig config = small_config("gaussian", "n1");
  config.seed = 7;
  Draft draft(built_in_tasks(), config, scratch.path(), "");
  RunConfig expected = config;
  expected.device = "auto";
  EXPECT_EQ(text_of(draft.config()), text_of(expected));
  EXPECT_GT(draft.changes(), 5);
}

TEST(Draft, EndToEndLooksLikeTheRunItMakes) {
  const TemporaryFolder scratch;
  Draft draft(built_in_tasks(), "bump-hunt", scratch.path(), "");
  draft.set_strategy("e2e");
  EXPECT_EQ(draft.setting("pretrain.sizes").value, "100");
  EXPECT_FALSE(draft.setting("pretrain.sizes").changed);
  EXPECT_EQ(draft.config().pretrain.sizes, std::vector<std::int64_t>{100});
}

TEST(Draft, NamesAreFolders) {
  const TemporaryFolder scratch;
  std::filesystem::create_directory(scratch.path() / "taken");
  Draft draft(built_in_tasks(), "gaussian", scratch.path(), "");
  EXPECT_EQ(draft.folder().parent_path(), scratch.path());
  EXPECT_TRUE(draft.name().starts_with("gaussian-"));
  for (const char* bad : {"taken", "a/b", ".."}) {
    draft.set_name(bad);
    EXPECT_FALSE(draft.name_error().empty()) << bad;
  }
  draft.set_name("my run");
  EXPECT_EQ(draft.name_error(), "");
  EXPECT_THAT(draft.batch_command(), HasSubstr("'"));
  draft.set_name("");
  EXPECT_TRUE(draft.name().starts_with("gaussian-"));
}

// A task's settings come from its own folder: here are those of all of them, and of no other task.
TEST(Draft, ShowsTheTasksOwnSettings) {
  const TemporaryFolder scratch;
  for (const std::string& task : built_in_tasks()->names()) {
    Draft draft(built_in_tasks(), task, scratch.path(), "");
    TaskSettings own = built_in_tasks()->default_settings(task);
    std::vector<std::string> keys, wanted;
    for (const Field& field : own.fields()) wanted.push_back("task." + field.key);
    for (const Setting& setting : draft.settings())
      if (setting.section == "Task") keys.push_back(setting.key);
    EXPECT_EQ(keys, wanted) << task;
  }
  Draft views(built_in_tasks(), "novel-view", scratch.path(), "");
  EXPECT_EQ(views.setting("task.size").value, "16") << "of the preset quick";
  EXPECT_EQ(views.setting("task.size").paper, "64");
  views.set("task.size", "4");
  EXPECT_THAT(views.setting("task.size").error, HasSubstr("between 8 and 512"));
  views.set("task.size", "24");
  views.set("task.frame", "world");
  EXPECT_EQ(views.error(), "");
  EXPECT_THAT(views.batch_command(), HasSubstr("--set task.size=24"));
  EXPECT_EQ(text_of(set_by(views.batch_command(), "novel-view")), text_of(views.config()));
  const Draft again(built_in_tasks(), views.config(), scratch.path(), "");
  EXPECT_EQ(text_of(again.config()), text_of(views.config()));
}

TEST(Draft, EveryTaskPresetAndStrategyCanBeDrafted) {
  const TemporaryFolder scratch;
  for (const std::string& task : built_in_tasks()->names())
    for (const Choice& preset : preset_choices())
      for (const Choice& strategy : strategy_choices()) {
        Draft draft(built_in_tasks(), task, scratch.path(), "");
        draft.set_preset(preset.name);
        draft.set_strategy(strategy.name);
        EXPECT_EQ(draft.changes(), 0) << task << " " << preset.name << " " << strategy.name;
        EXPECT_FALSE(strategy.text.empty());
      }
}

}  // namespace
}  // namespace pairs::model
