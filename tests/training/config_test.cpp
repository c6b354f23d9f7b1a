#include "core/train/settings/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

template <class F>
std::string sentence_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Presets, EveryTaskPresetAndStrategyIsValid) {
  for (const std::string& name : built_in_tasks()->names()) {
    const auto task = built_in_tasks()->make(name);
    for (const std::string& preset : preset_names())
      for (const Strategy& plan : strategies()) {
        if (task->info().image_target() && !plan.head.empty()) {
          EXPECT_THROW(load_preset(built_in_tasks(), task->info(), preset, plan.name, {}), Error)
              << name << " " << plan.name;
          continue;
        }
        if (preset == "paper" && (plan.name == "n1-10" || plan.name == "e2e") && name != "digits") {
          // The paper's exact tasks pretrain at one size without an encoding; mixed sizes need one.
          const std::vector<std::string> set = {"encoding=\"log\""};
          EXPECT_NO_THROW(load_preset(built_in_tasks(), task->info(), preset, plan.name, set));
          continue;
        }
        std::vector<std::string> set;
        if (preset == "paper" && name != "digits") set = {"encoding=\"log\""};
        EXPECT_NO_THROW(load_preset(built_in_tasks(), task->info(), preset, plan.name, set))
            << name << " " << preset << " " << plan.name;
      }
  }
}

TEST(Presets, StrategiesChangeSizesAndHeadAlone) {
  const auto task = built_in_tasks()->make("bump-hunt");
  RunConfig pairs = load_preset(built_in_tasks(), task->info(), "quick", "pairs", {});
  RunConfig n1 = load_preset(built_in_tasks(), task->info(), "quick", "n1", {});
  EXPECT_EQ(pairs.pretrain.sizes, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(n1.pretrain.sizes, (std::vector<std::int64_t>{1}));
  n1.pretrain.sizes = pairs.pretrain.sizes;
  n1.strategy = pairs.strategy;
  EXPECT_EQ(write_run_toml(n1, ""), write_run_toml(pairs, ""));
  EXPECT_EQ(load_preset(built_in_tasks(), task->info(), "quick", "gaussian", {}).estimator.head.kind, "gaussian");
  EXPECT_EQ(load_preset(built_in_tasks(), task->info(), "quick", "e2e", {}).pretrain.sizes,
            (std::vector<std::int64_t>{100}));
}

TEST(Presets, HoldWhatOneStrategyHasForItself) {
  const auto objects = built_in_tasks()->make("objects");
  const auto batch = [&](const char* strategy) {
    return load_preset(built_in_tasks(), objects->info(), "paper", strategy, {}).pretrain.batch;
  };
  EXPECT_EQ(batch("n1"), 200);
  EXPECT_EQ(batch("pairs"), 200);
  EXPECT_EQ(batch("n1-5"), 100);
  EXPECT_EQ(batch("n1-10"), 64);
  const auto circle = built_in_tasks()->make("circle");
  const RunConfig e2e = load_preset(built_in_tasks(), circle->info(), "paper", "e2e", {"encoding=log"});
  EXPECT_EQ(finite_sets(e2e.pretrain), 5000);
  EXPECT_EQ(e2e.pretrain.sizes, std::vector<std::int64_t>{1000});
  EXPECT_EQ(finite_sets(load_preset(built_in_tasks(), circle->info(), "paper", "pairs", {}).pretrain), 50000);
  // What is given by hand comes last.
  EXPECT_EQ(load_preset(built_in_tasks(), circle->info(), "paper", "e2e", {"pretrain.sets=70"}).pretrain.sets, 70);
}

TEST(Presets, ContradictionsAreUsageErrorsThatSayWhatToDo) {
  const auto task = built_in_tasks()->make("gaussian");
  const auto with = [&](std::vector<std::string> set) {
    return sentence_of([&] { load_preset(built_in_tasks(), task->info(), "quick", "pairs", set); });
  };
  EXPECT_THAT(with({"encoding=none"}), testing::HasSubstr("hides N"));
  EXPECT_THAT(with({"cache.sizes=[10,1000000]"}), testing::HasSubstr("100000"));
  EXPECT_THAT(with({"cache.mode=fixed"}), testing::HasSubstr("log-uniform"));
  EXPECT_THAT(with({"cache.sets=[10,20]"}), testing::HasSubstr("cache.sets"));
  EXPECT_THAT(with({"finetun.rate=1e-3"}), testing::HasSubstr("finetune.rate"));
  EXPECT_THAT(with({"head.quadrature=7", "head.kind=umnn"}), testing::HasSubstr("even"));
  EXPECT_THAT(with({"task=digits"}), testing::HasSubstr("task"));
  EXPECT_THAT(with({"pretrain.rate=-1"}), testing::HasSubstr("pretrain.rate"));
  EXPECT_THAT(with({"pretrain.rotate=true"}), testing::HasSubstr("pretrain.rotate"));
  EXPECT_THAT(with({"pretrain.sets=500", "pretrain.budget=1000"}), testing::HasSubstr("set one of them to 0"));
  EXPECT_THAT(with({"pretrain.sets=9"}), testing::HasSubstr("fewer than 10 sets"));
  EXPECT_THAT(with({"pretrain.steps=0"}), testing::HasSubstr("pretrain.steps"));
  EXPECT_THAT(sentence_of([&] { load_preset(built_in_tasks(), task->info(), "smal", "pairs", {}); }),
              testing::HasSubstr("\"small\""));
  EXPECT_THAT(sentence_of([&] { load_preset(built_in_tasks(), task->info(), "small", "n-1", {}); }),
              testing::HasSubstr("\"n1\""));
}

// A task may have fewer observations ready for stage 1 than for the others.
TEST(Presets, StageOneAsksForNoMoreThanIsReady) {
  const auto task = built_in_tasks()->make("bump-hunt");
  TaskInfo info = task->info();
  info.pretrain_max_n = 2;
  const auto refusal = [&](const char* strategy) {
    return sentence_of([&] { validate(load_preset(built_in_tasks(), info, "quick", strategy, {}), info); });
  };
  EXPECT_EQ(refusal("pairs"), "");
  EXPECT_EQ(refusal("n1-10"),
            "pretrain.sizes asks for N = 10, but task bump-hunt has only 2 observations ready for a set of stage 1");
}

TEST(RunToml, ReadsBackWhatItWrote) {
  const auto task = built_in_tasks()->make("digits");
  RunConfig config = load_preset(built_in_tasks(), task->info(), "small", "pairs",
                                 {"pretrain.rate=0.00012345678901234567", "seed=77"});
  const auto file = std::filesystem::temp_directory_path() / fmt::format("pairs-run-{}.toml", ::getpid());
  write_file(file, write_run_toml(config, "cpu"));
  const RunConfig back = read_run_toml(built_in_tasks(), file);
  EXPECT_EQ(write_run_toml(back, "cpu"), write_run_toml(config, "cpu"));
  EXPECT_EQ(back.pretrain.rate, config.pretrain.rate);
  std::filesystem::remove(file);
}

TEST(RunToml, IsCheckedLikeAPreset) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("pairs-run-{}.toml", ::getpid());
  RunConfig good;
  good.tasks = built_in_tasks();
  good.task = "bump-hunt";
  good.pretrain.sizes = {1, 2};
  const auto problem = [&](const std::function<void(RunConfig&)>& edit) {
    RunConfig config = good;
    edit(config);
    write_file(file, write_run_toml(config, "cpu"));
    return sentence_of([&] { make_run_task(read_run_toml(built_in_tasks(), file), file); });
  };
  EXPECT_EQ(problem([](RunConfig&) {}), "");
  const auto names = [&](const char* what) {
    return testing::AllOf(testing::StartsWith(file.string() + ": "), testing::HasSubstr(what));
  };
  EXPECT_THAT(problem([](RunConfig& c) { c.evaluate.sets = {}; }), names("evaluate.sets holds 0 numbers"));
  EXPECT_THAT(problem([](RunConfig& c) { c.evaluate.sizes = {}; }), names("evaluate.sizes is empty"));
  EXPECT_THAT(problem([](RunConfig& c) { c.cache.sets = {}; }), names("cache.sets holds 0 numbers"));
  EXPECT_THAT(problem([](RunConfig& c) { c.cache.sizes = {}; }), names("cache.sizes is empty"));
  EXPECT_THAT(problem([](RunConfig& c) { c.pretrain.sizes = {}; }), names("pretrain.sizes is empty"));
  EXPECT_THAT(problem([](RunConfig& c) { c.cache.mode = "fixed"; }), names("log-uniform"));
  EXPECT_THAT(problem([](RunConfig& c) { c.cache.sizes = {1000000000}; }), names("beyond the largest N"));
  const auto listed = [](RunConfig& c) {
    c.finetune.size_distribution = "list";
    c.cache.sizes = {3, 50};
    c.cache.pieces = 7;
  };
  EXPECT_THAT(problem(listed), names("cache.pieces = 7 does not divide the set size 50 of cache.sizes"));
  EXPECT_EQ(problem([&](RunConfig& c) {
              listed(c);
              c.cache.pieces = 5;
            }),
            "")
      << "a smaller set is made of single observations";
  EXPECT_THAT(problem([](RunConfig& c) { c.strategy = "n-1"; }), names("no strategy"));
  EXPECT_THAT(problem([](RunConfig& c) { c.estimator.head.kind = "flow-matching"; }), names("does not model"));
  std::filesystem::remove(file);
}

TEST(PerSize, AnErrorIsAboutASettingWhereOneIsNamed) {
  const auto keys = [](const auto& name) {
    try {
      check_per_size(2, 3, name);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("holds 2 numbers for 3 sizes"));
      return error.keys();
    }
    return std::vector<std::string>{"nothing was thrown"};
  };
  EXPECT_EQ(keys("cache.sets"_key), std::vector<std::string>{"cache.sets"});
  EXPECT_EQ(keys(std::string("--sets")), std::vector<std::string>());
}

TEST(RunToml, OfAnUnknownTaskOrKeyIsRefused) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("pairs-run-{}.toml", ::getpid());
  const auto problem = [&](const std::string& text) {
    write_file(file, text);
    return sentence_of([&] { read_run_toml(built_in_tasks(), file); });
  };
  EXPECT_THAT(problem("[task]\nname = \"bump-hunt\"\nsize = 3\n"), testing::HasSubstr("unknown key 'task.size'"));
  EXPECT_THAT(problem("[task]\nname = \"telepathy\"\n"), testing::HasSubstr("has no task \"telepathy\""));
  EXPECT_THAT(problem("seed = 3\n"), testing::HasSubstr("names no task"));
  std::filesystem::remove(file);
}

TEST(RunToml, TheShippedRunsReadAsTheyWere) {
  int runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(assets_folder() / "weights")) {
    const auto file = entry.path() / run_file::config;
    if (!std::filesystem::exists(file)) continue;
    ++runs;
    const RunConfig config = read_run_toml(built_in_tasks(), file);
    const std::string text = read_file(file);
    const std::string again = write_run_toml(config, "");
    EXPECT_EQ(again.substr(again.find('\n')), text.substr(text.find('\n'))) << file;
    EXPECT_EQ(text.find(" = \"\""), std::string::npos) << file << " says what is not set";
    EXPECT_EQ(changed_setting(training_settings(config), config, Stage::finetune, "file"), "") << file;
    EXPECT_NO_THROW(make_run_task(config, file)) << file;
  }
  EXPECT_GE(runs, 4);
}

TEST(TaskSettings, AreAssignedUnderTheirTableAndNameTheNearest) {
  const TaskInfo views = built_in_tasks()->make("novel-view")->info(),
                 points = built_in_tasks()->make("bump-hunt")->info();
  const auto set = [](const TaskInfo& info, const std::string& assignment) {
    return sentence_of([&] { load_preset(built_in_tasks(), info, "quick", "pairs", {assignment}); });
  };
  EXPECT_EQ(set(views, "task.size=24"), "");
  EXPECT_THAT(set(views, "task.sise=24"), testing::HasSubstr("did you mean 'task.size'?"));
  EXPECT_THAT(set(views, "task.size=4"), testing::HasSubstr("between 8 and 512"));
  EXPECT_THAT(set(views, "task.map=orign"), testing::HasSubstr("did you mean 'origin'?"));
  EXPECT_THAT(set(points, "task.size=24"), testing::HasSubstr("unknown key 'task.size'"));
  EXPECT_THAT(set(points, "view.size=24"), testing::HasSubstr("unknown key 'view.size'"));
  EXPECT_THAT(set(points, "task.name=digits"), testing::HasSubstr("cannot change the task"));
}

TEST(RunToml, RecordedSettingsAreComparedByValue) {
  RunConfig config;
  config.tasks = built_in_tasks();
  config.task = "gaussian";
  const std::string recorded = training_settings(config);
  EXPECT_EQ(changed_setting(recorded, config, Stage::finetune, "file"), "");
  config.note = "a name";
  config.threads = 3;
  config.evaluate.samples = 7;
  EXPECT_EQ(changed_setting(recorded, config, Stage::finetune, "file"), "");
  config.finetune.rate = 0.5;
  EXPECT_EQ(changed_setting(recorded, config, Stage::pretrain, "file"), "");
  EXPECT_NE(changed_setting(recorded, config, Stage::finetune, "file").find("finetune.rate"), std::string::npos);
  config = {};
  config.tasks = built_in_tasks();
  config.task = "gaussian";
  // A version that had fewer settings: what it did not record has its default.
  EXPECT_EQ(changed_setting("[task]\nname = \"gaussian\"", config, Stage::finetune, "file"), "");
  config.seed = 77;
  EXPECT_EQ(changed_setting("[task]\nname = \"gaussian\"", config, Stage::finetune, "file"),
            "file was trained with seed = 1, not 77");
}

}  // namespace
}  // namespace pairs
