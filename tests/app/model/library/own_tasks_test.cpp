#include "app/model/library/own_tasks.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "app/model/library/task_sketch.h"
#include "app/model/studio.h"
#include "core/base/files/files.h"
#include "core/base/threads/clock.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

bool until(const std::function<bool()>& done, const std::function<void()>& poll, double seconds = 60) {
  const Stopwatch watch;
  while (!done()) {
    if (watch.seconds() > seconds) return false;
    poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

class OwnTasksTest : public testing::Test {
 protected:
  OwnTasksTest()
      : config_("XDG_CONFIG_HOME", (folder_ / "config").string()),
        data_("XDG_DATA_HOME", (folder_ / "data").string()) {}

  // A task in Python that leaves a trace when it is run.
  fs::path put_task(const std::string& name, const std::string& where) {
    TaskSketch sketch;
    sketch.name = name;
    sketch.title = "The task " + name;
    sketch.max_n = "100";
    sketch.python = "/usr/bin/python3";
    sketch.folder = (folder_ / where).string();
    const fs::path file = sketch.write(*hub_.tasks);
    const fs::path program = folder_ / where / "simulate.py";
    write_file(program, "open('trace', 'w').close()\n" + read_file(program));
    return file;
  }
  bool ran(const std::string& where) const { return fs::exists(folder_ / where / "trace"); }
  bool settle(OwnTasks& tasks) {
    return until([&] { return !tasks.busy(); }, [&] { tasks.poll(); });
  }

  TemporaryFolder folder_;
  const Environment config_, data_;
  Hub hub_{built_in_tasks()};
};

TEST_F(OwnTasksTest, NothingRunsBeforeItWasAgreedTo) {
  const fs::path file = put_task("own-asked", "asked");
  {
    OwnTasks tasks(hub_);
    tasks.open(folder_ / "asked", false);
    ASSERT_TRUE(settle(tasks));
    ASSERT_EQ(tasks.all().size(), 1u);
    EXPECT_EQ(tasks.all()[0].state, OwnState::asks);
    EXPECT_EQ(tasks.all()[0].file, file);
    EXPECT_EQ(tasks.all()[0].said.command, "/usr/bin/python3 simulate.py");
    EXPECT_EQ(tasks.asking(), nullptr) << "nobody waits for it";
    EXPECT_EQ(tasks.ready("own-asked"), nullptr);
    tasks.open(file, true);
    ASSERT_TRUE(settle(tasks));
    ASSERT_NE(tasks.asking(), nullptr);
    tasks.decline(file);
    EXPECT_EQ(tasks.asking(), nullptr);
    EXPECT_FALSE(ran("asked"));
    tasks.open(file, true);
    ASSERT_TRUE(settle(tasks));
    EXPECT_FALSE(ran("asked"));
    EXPECT_EQ(tasks.take_awaited(), nullptr);
    // Who agrees has agreed to what was shown, not to what stands there by now.
    const std::string shown = read_file(file);
    std::string other = shown;
    other.replace(other.find("\"simulate.py\""), 13, "\"simulate.py\", \"--other\"");
    write_file(file, other);
    tasks.agree(file);
    ASSERT_TRUE(settle(tasks));
    EXPECT_FALSE(ran("asked"));
    ASSERT_NE(tasks.asking(), nullptr);
    EXPECT_EQ(tasks.asking()->said.command, "/usr/bin/python3 simulate.py --other");
    write_file(file, shown);
    tasks.open(file, true);
    ASSERT_TRUE(settle(tasks));
    tasks.agree(file);
    ASSERT_TRUE(settle(tasks));
    ASSERT_NE(tasks.ready("own-asked"), nullptr) << tasks.all()[0].problem;
    const OwnTask* awaited = tasks.take_awaited();
    ASSERT_NE(awaited, nullptr);
    EXPECT_EQ(awaited->title(), "The task own-asked");
    EXPECT_EQ(tasks.take_awaited(), nullptr) << "once";
  }
  // It holds from then on, and ends where the file changes.
  OwnTasks tasks(hub_);
  tasks.open(file, true);
  ASSERT_TRUE(settle(tasks));
  EXPECT_NE(tasks.ready("own-asked"), nullptr);
  // How a machine runs it is not what was agreed to.
  write_file(file, read_file(file) + "timeout = 7\n");
  tasks.open(file, true);
  ASSERT_TRUE(settle(tasks));
  EXPECT_EQ(tasks.asking(), nullptr);
  write_file(file, read_file(file) + "# changed\n");
  tasks.open(file, true);
  ASSERT_TRUE(settle(tasks));
  EXPECT_NE(tasks.asking(), nullptr);
}

TEST_F(OwnTasksTest, WhatIsWrongIsToldAndTheListGoesOn) {
  const fs::path good = put_task("own-good", "good");
  allow_task_file(good);
  fs::create_directories(folder_ / "bad");
  write_file(folder_ / "bad/task.toml", "name = 'bad'\nmax_n = 1\n");
  OwnTasks tasks(hub_);
  tasks.open(folder_ / "bad/task.toml", true);
  tasks.open(folder_ / "nowhere/task.toml", false);
  tasks.open(good, false);
  ASSERT_TRUE(settle(tasks));
  ASSERT_EQ(tasks.all().size(), 3u);
  EXPECT_EQ(tasks.all()[0].state, OwnState::failed);
  EXPECT_THAT(tasks.all()[0].problem, HasSubstr("'max_n' must be"));
  EXPECT_EQ(tasks.all()[0].title(), "bad");
  EXPECT_EQ(tasks.all()[1].state, OwnState::failed);
  EXPECT_THAT(tasks.all()[1].problem, HasSubstr("nowhere/task.toml"));
  EXPECT_EQ(tasks.all()[2].state, OwnState::ready) << tasks.all()[2].problem;
  EXPECT_GE(hub_.messages.unseen(), 2);
  tasks.forget(folder_ / "bad");
  EXPECT_EQ(tasks.all().size(), 2u);
  // A task of the same name in another folder replaces it, with a message.
  const fs::path other = put_task("own-good", "other");
  allow_task_file(other);
  tasks.open(other, true);
  ASSERT_TRUE(settle(tasks));
  EXPECT_EQ(tasks.ready("own-good")->file, other);
  EXPECT_EQ(tasks.find(good)->state, OwnState::failed);
  EXPECT_THAT(tasks.find(good)->problem, HasSubstr("another name"));
}

TEST_F(OwnTasksTest, AChangedFileIsNoticed) {
  const fs::path file = put_task("own-changed", "changed");
  allow_task_file(file);
  OwnTasks tasks(hub_);
  tasks.open(file, false);
  ASSERT_TRUE(settle(tasks));
  ASSERT_NE(tasks.ready("own-changed"), nullptr);
  EXPECT_FALSE(tasks.ready("own-changed")->changed);
  write_file(file, "summary = 'Other words.'\n" + read_file(file));
  allow_task_file(file);
  ASSERT_TRUE(until([&] { return tasks.all()[0].changed; }, [&] { tasks.poll(); }));
  EXPECT_EQ(tasks.ready("own-changed")->note(), "its file or program has changed");
  tasks.open(file, true);
  ASSERT_TRUE(settle(tasks));
  EXPECT_FALSE(tasks.ready("own-changed")->changed);
  EXPECT_EQ(tasks.ready("own-changed")->said.summary, "Other words.");
}

TEST_F(OwnTasksTest, AChangedProgramIsNoticed) {
  const fs::path file = put_task("own-program", "program"), program = folder_ / "program/simulate.py";
  allow_task_file(file);
  OwnTasks tasks(hub_);
  tasks.open(file, false);
  ASSERT_TRUE(settle(tasks));
  ASSERT_NE(tasks.ready("own-program"), nullptr);
  EXPECT_FALSE(tasks.ready("own-program")->changed);
  write_file(program, read_file(program) + "\n# another program\n");
  ASSERT_TRUE(until([&] { return tasks.all()[0].changed; }, [&] { tasks.poll(); }));
  EXPECT_EQ(tasks.ready("own-program")->note(), "its file or program has changed");
}

// The program is part of the task: reloading runs the current program even if task.toml is unchanged.
TEST_F(OwnTasksTest, ReadAgainItStartsItsProgramAnew) {
  const fs::path file = put_task("own-again", "again"), program = folder_ / "again/simulate.py";
  allow_task_file(file);
  OwnTasks tasks(hub_);
  tasks.open(file, false);
  ASSERT_TRUE(settle(tasks));
  ASSERT_NE(tasks.ready("own-again"), nullptr) << tasks.all()[0].problem;
  const auto simulated = [this] {
    const auto task = hub_.tasks->make("own-again");
    const std::int64_t index[] = {0};
    const SetRange range[] = {{0, 0, 4}};
    return task->observe(task->latents(1, Purpose::explore, index), 1, Purpose::explore, range, torch::kCPU).block();
  };
  EXPECT_FALSE(simulated().eq(7).all().item<bool>());
  std::string other = read_file(program);
  const std::string drawn = "return rng.normal(theta[0], 1.0, (n, 1))";
  ASSERT_NE(other.find(drawn), other.npos);
  write_file(program, other.replace(other.find(drawn), drawn.size(), "return np.full((n, 1), 7.0)"));
  tasks.open(file, true);
  ASSERT_TRUE(settle(tasks));
  ASSERT_NE(tasks.asking(), nullptr) << "the program is part of what was agreed to";
  tasks.agree(file);
  ASSERT_TRUE(settle(tasks));
  ASSERT_NE(tasks.ready("own-again"), nullptr) << tasks.all()[0].problem;
  EXPECT_TRUE(simulated().eq(7).all().item<bool>());
}

class OwnStudioTest : public OwnTasksTest {
 protected:
  Settings settings() {
    Settings settings;
    settings.runs_folder = (folder_ / "runs").string();
    settings.tab = "task";
    return settings;
  }
  bool rest(Studio& studio) {
    int rested = 0;
    return until([&] { return (rested = studio.busy() ? 0 : rested + 1) > 5; }, [&] { studio.poll(); }, 120);
  }
};

TEST_F(OwnStudioTest, ItHasAllThatBuiltInTasksHave) {
  const fs::path file = put_task("own-whole", "whole");
  Settings kept;
  std::string run;
  {
    Studio studio(built_in_tasks(), settings());
    studio.open_path(folder_ / "whole");
    ASSERT_TRUE(until([&] { return studio.library.own().asking() != nullptr; }, [&] { studio.poll(); }));
    EXPECT_NE(studio.task(), "own-whole");
    studio.library.own().agree(file);
    ASSERT_TRUE(until([&] { return studio.task() == "own-whole"; }, [&] { studio.poll(); }));
    EXPECT_EQ(studio.tab(), Tab::task);
    EXPECT_EQ(studio.shown_title(), "The task own-whole");
    ASSERT_TRUE(rest(studio));
    ASSERT_NE(studio.specimen.card(), nullptr) << studio.specimen.failure();
    EXPECT_EQ(studio.specimen.card()->max_n, 100);
    ASSERT_NE(studio.specimen.figure(), nullptr);
    ASSERT_NE(studio.specimen.network(), nullptr) << studio.specimen.network_failure();
    EXPECT_NE(studio.library.task("own-whole")->thumbnail, nullptr);
    EXPECT_EQ(studio.training.drafts.shown().task(), "own-whole");
    EXPECT_EQ(studio.training.drafts.shown().error(), "");
    for (const Setting& setting : studio.training.drafts.shown().settings())
      EXPECT_EQ(setting.paper, "–") << setting.key << ": no paper knows this task";
    EXPECT_THAT(studio.training.drafts.shown().batch_command(), HasSubstr("--task-file " + file.string()));
    EXPECT_THAT(studio.settings.own_tasks, ElementsAre(file.string()));

    // A run of it, as the Train tab makes one.
    Draft& draft = studio.training.drafts.shown();
    for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
             {"embedder.layers", "8,8"}, {"embedder.size", "8"},   {"head.hidden", "8"},
             {"head.transforms", "2"},   {"head.bins", "4"},       {"pretrain.epochs", "2"},
             {"pretrain.steps", "4"},    {"pretrain.batch", "16"}, {"pretrain.validation_sets", "32"},
             {"cache.sizes", "10"},      {"cache.sets", "40"},     {"finetune.epochs", "2"},
             {"finetune.steps", "4"},    {"finetune.batch", "8"},  {"finetune.validation_draws", "32"},
             {"evaluate.sizes", "1,10"}, {"evaluate.sets", "40"},  {"evaluate.samples", "20"},
             {"device", "cpu"},          {"threads", "1"},         {"likelihood.enabled", "false"}})
      draft.set(key, value);
    ASSERT_EQ(draft.error(), "");
    draft.set_name("first");
    studio.training.start();
    ASSERT_TRUE(until(
        [&] {
          const RunEntry* entry = studio.library.find((folder_ / "runs/first").string());
          return entry && entry->finished && studio.run() == entry->run;
        },
        [&] { studio.poll(); }, 120));
    run = studio.run();
    EXPECT_TRUE(fs::exists(fs::path(run) / run_file::task)) << "the run's copy";
    ASSERT_TRUE(rest(studio));
    EXPECT_EQ(studio.posterior.failure(), "");
    ASSERT_NE(studio.posterior.shown(), nullptr);
    EXPECT_EQ(studio.posterior.shown()->series.size(), 1u);
    EXPECT_EQ(studio.library.task("own-whole")->badge, Badge::ready);
    studio.set_tab(Tab::evaluate);
    studio.evaluation.start();
    ASSERT_TRUE(rest(studio));
    EXPECT_TRUE(until([&] { return !studio.library.find(run)->verdict.text.empty(); }, [&] { studio.poll(); }))
        << "its scores say something";
    studio.comparison.toggle(run);
    EXPECT_TRUE(studio.comparison.holds(run));
    kept = studio.settings;
  }
  // The next start shows the run again.
  {
    Studio studio(built_in_tasks(), kept);
    ASSERT_TRUE(until([&] { return studio.run() == run; }, [&] { studio.poll(); }));
    EXPECT_EQ(studio.task(), "own-whole");
    ASSERT_TRUE(rest(studio));
    EXPECT_NE(studio.posterior.shown(), nullptr) << studio.posterior.failure();
    // Taken from the list, it is left.
    studio.library.own().forget(file);
    ASSERT_TRUE(until([&] { return studio.task() != "own-whole"; }, [&] { studio.poll(); }));
    EXPECT_TRUE(studio.settings.own_tasks.empty());
  }
  // The run stands by itself, too: with its own file forgotten, and gone.
  fs::remove_all(folder_ / "whole");
  kept.own_tasks.clear();
  kept.run.clear();
  kept.task.clear();
  Studio studio(built_in_tasks(), kept);
  studio.open_run(run);
  ASSERT_TRUE(until([&] { return studio.run() == run || studio.library.own().asking(); }, [&] { studio.poll(); }));
  // The program that was agreed to is gone, so that what would be run is asked for anew.
  ASSERT_NE(studio.library.own().asking(), nullptr);
  studio.library.own().agree(studio.library.own().asking()->file);
  ASSERT_TRUE(until([&] { return studio.run() == run; }, [&] { studio.poll(); }));
  ASSERT_TRUE(rest(studio));
  EXPECT_TRUE(studio.settings.own_tasks.empty()) << "a copy is no file of the person's";
  const fs::path set = folder_ / "set.csv";
  write_file(set, "x\n0.1\n0.3\n0.2\n");
  studio.open_path(set);
  ASSERT_TRUE(rest(studio));
  ASSERT_NE(studio.posterior.shown(), nullptr)
      << studio.posterior.failure() << " " << studio.posterior.set.failure() << " (its networks need no program)";
  EXPECT_EQ(studio.posterior.scene()->set_size, 3);
}

}  // namespace
}  // namespace pairs::model
