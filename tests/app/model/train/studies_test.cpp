#include "app/model/train/studies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "app/model/train/swept_values.h"
#include "app/studies/study_results.h"
#include "app/studies/study_worker.h"
#include "core/base/files/files.h"
#include "core/base/system/presence.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StudiesTest : public ::testing::Test {
 protected:
  StudiesTest() {
    hub_.tasks = built_in_tasks();
    hub_.runs_folder = folder_ / "runs";
    std::filesystem::create_directories(hub_.runs_folder);
    // In place of the program: writes down how it was called.
    write_file(folder_ / "program", "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$(dirname \"$0\")/called\"\n");
    ::chmod((folder_ / "program").c_str(), 0755);
  }
  Draft draft() {
    Draft draft(hub_.tasks, "bump-hunt", hub_.runs_folder, "");
    draft.set("pretrain.epochs", "3");
    return draft;
  }
  StudyForm form() { return StudyForm(hub_.tasks, draft(), hub_.runs_folder, "", folder_ / "program"); }
  // What the program was called with, once it was.
  std::string called() {
    for (int k = 0; k < 500 && !std::filesystem::exists(folder_ / "called"); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return read_file(folder_ / "called");
  }
  std::vector<StudyEntry> looked(Studies& studies) {
    studies.look();
    for (int k = 0; k < 1000; ++k) {
      studies.shown();
      if (studies.poll()) return *studies.shown();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no look came to its end";
    return {};
  }
  TemporaryFolder folder_;
  Hub hub_;
};

TEST_F(StudiesTest, AFormMakesTheRunsOfTheDraft) {
  StudyForm form = this->form();
  EXPECT_EQ(form.problem(), "");
  EXPECT_EQ(form.runs().size(), 6u);  // two strategies, three seeds
  form.varied = {{"embedder.size", ""}};
  EXPECT_THAT(form.problem(), HasSubstr("Write the values"));
  form.varied[0].values = " 8, 16 ,";
  EXPECT_EQ(form.problem(), "");
  ASSERT_EQ(form.runs().size(), 12u);
  EXPECT_EQ(form.runs().front().name, "bump-hunt-pairs-size8-s1");
  EXPECT_EQ(form.runs().front().config.pretrain.epochs, 3);
  EXPECT_EQ(form.runs().front().config.preset, "quick");
  form.strategies = {"n1"};
  form.seeds = "1";
  EXPECT_EQ(form.problem(), "");
  EXPECT_EQ(form.runs().size(), 2u);
}

TEST_F(StudiesTest, AFormTakesOverWhatFieldsHoldSeveralValuesOf) {
  Draft draft = this->draft();
  draft.set_strategy("n1");
  draft.set("seed", "7");
  draft.set("embedder.size", "4, 16,64");
  draft.set("finetune.rate", "1e-3, 2e-3");
  EXPECT_EQ(draft.setting("embedder.size").error, "Several values: start a study, one run per value");
  EXPECT_THAT(draft.error(), HasSubstr("Several values")) << "a run cannot be started";
  EXPECT_EQ(draft.study_error(), "");
  StudyForm form(hub_.tasks, draft, hub_.runs_folder, "", folder_ / "program");
  EXPECT_EQ(form.problem(), "");
  EXPECT_THAT(form.swept(), ::testing::UnorderedElementsAre("embedder.size", "finetune.rate"));
  ASSERT_EQ(form.runs().size(), 6u) << "of the draft's strategy and seed alone";
  for (const StudyRun& run : form.runs()) {
    EXPECT_EQ(run.config.strategy, "n1");
    EXPECT_EQ(run.config.seed, 7);
    EXPECT_EQ(run.config.pretrain.epochs, 3) << "with its other settings";
  }
  form.seeds = "2";
  EXPECT_EQ(form.problem(), "");
  ASSERT_EQ(form.runs().size(), 12u);
  EXPECT_EQ(form.runs()[1].config.seed, 8);
}

TEST_F(StudiesTest, AValueThatStandsTwiceIsToldAtItsField) {
  Draft draft = this->draft();
  draft.set("embedder.size", "4, 16, 4");
  EXPECT_EQ(draft.setting("embedder.size").error, "4 appears twice; give each value once");
  EXPECT_THAT(draft.study_error(), HasSubstr("4 appears twice"));
  draft.set("embedder.size", "4, 16, four");
  EXPECT_THAT(draft.setting("embedder.size").error, HasSubstr("cannot be read"));
  EXPECT_NE(draft.study_error(), "");
}

TEST_F(StudiesTest, AFormWritesNumbersAsNumbers) {
  Draft draft = this->draft();
  draft.set("embedder.layers", "16, 16");
  draft.set("finetune.rate", "1e-3");
  StudyForm form(hub_.tasks, draft, hub_.runs_folder, "", folder_ / "program");
  form.varied = {{"embedder.size", "4, 16"}};
  EXPECT_EQ(form.problem(), "");
  EXPECT_THAT(form.text(), HasSubstr("pretrain.epochs = 3\n"));
  EXPECT_THAT(form.text(), HasSubstr("embedder.layers = [16, 16]\n"));
  EXPECT_THAT(form.text(), HasSubstr("finetune.rate = 1e-3\n"));
  EXPECT_THAT(form.text(), HasSubstr("embedder.size = [4, 16]\n"));
  EXPECT_EQ(form.runs().at(0).config.finetune.rate, 0.001);
  EXPECT_THAT(form.runs().at(0).wanted.set, ::testing::Contains("embedder.layers=[16, 16]"));
}

TEST_F(StudiesTest, SeveralValuesOfANumberAreThoseOfAStudy) {
  Draft draft = this->draft();
  const auto values = [&](const char* key, const char* text) {
    draft.set(key, text);
    return swept_values(draft.setting(key));
  };
  EXPECT_THAT(values("embedder.size", "1, 4,16"), ElementsAre("1", "4", "16"));
  EXPECT_THAT(values("finetune.rate", "1e-3, 2e-3"), ElementsAre("1e-3", "2e-3"));
  EXPECT_TRUE(values("embedder.size", "4").empty());
  EXPECT_TRUE(values("embedder.size", "4, four").empty());
  EXPECT_TRUE(values("embedder.layers", "16, 16").empty()) << "a list is one value";
  EXPECT_TRUE(values("seed", "1, 2").empty()) << "the dialog asks for seeds";
  EXPECT_TRUE(values("threads", "1, 2").empty());
}

TEST_F(StudiesTest, AFormSaysWhatIsWrong) {
  StudyForm form = this->form();
  form.varied = {{"embedder.size", "eight"}};
  EXPECT_THAT(form.problem(), HasSubstr("embedder.size"));
  EXPECT_THAT(form.problem(), ::testing::Not(HasSubstr(".toml"))) << "no file is there yet";
  form.varied = {{"embedder.size", "8, 8"}};
  EXPECT_THAT(form.problem(), HasSubstr("(embedder.size): 8 appears twice"));
  form.varied = {{"embedder.size", "8, 16"}, {"embedder.size", "4, 2"}};
  EXPECT_THAT(form.problem(), HasSubstr("is varied twice"));
  form.varied.clear();
  form.strategies.clear();
  EXPECT_EQ(form.problem(), "Select a strategy");
  form.strategies = {"pairs"};
  for (const char* seeds : {"0", "abc", "", "1.5", "101"}) {
    form.seeds = seeds;
    EXPECT_THAT(form.problem(), HasSubstr("Seeds: take from 1 to 100")) << seeds;
  }
  form.seeds = "1";
  form.processes = "0";
  EXPECT_THAT(form.problem(), HasSubstr("Processes"));
  form.processes = "1";
  form.name = "My study";
  EXPECT_THAT(form.problem(), HasSubstr("lower-case"));
  std::filesystem::create_directories(hub_.runs_folder / "taken");
  form.name = "taken";
  EXPECT_THAT(form.problem(), HasSubstr("there already"));
}

TEST_F(StudiesTest, StartingWritesTheFileAndCallsTheProgram) {
  StudyForm form = this->form();
  form.name = "mine";
  form.processes = "2";
  form.varied = {{"finetune.rate", "1e-3,2e-3"}};
  ASSERT_EQ(form.problem(), "");
  form.start();
  const std::string file = (hub_.runs_folder / "mine" / "mine.toml").string();
  EXPECT_EQ(called(), "--batch\nstudy\n" + file + "\n--out\n" + (hub_.runs_folder / "mine").string() + "\n--jobs\n2\n");
  EXPECT_EQ(study_runs(hub_.tasks, read_study(file), {}).size(), 12u);
}

TEST_F(StudiesTest, ShowsHowFarAStudyIsAndGoesOnWithIt) {
  StudyForm form = this->form();
  form.name = "mine";
  form.seeds = "1";
  ASSERT_EQ(form.problem(), "");
  std::filesystem::create_directories(form.folder());
  write_file(form.folder() / "mine.toml", form.text());
  Studies studies(hub_);
  studies.program = folder_ / "program";
  std::vector<StudyEntry> all = looked(studies);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "mine");
  EXPECT_EQ(all[0].all, 2u);
  EXPECT_EQ(all[0].done, 0u);
  EXPECT_TRUE(all[0].processes.empty());
  // A look leaves nothing behind.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(form.folder()), {}), 1);
  {
    const Presence here(workers_folder(form.folder()));
    EXPECT_THAT(looked(studies)[0].processes, ElementsAre(::getpid()));
  }
  studies.go_on(all[0]);
  EXPECT_THAT(called(), HasSubstr("mine.toml"));
  // One that is done is not shown any more.
  for (const char* run : {"bump-hunt-pairs-s1", "bump-hunt-n1-s1"}) {
    std::filesystem::create_directories(form.folder() / run);
    write_file(form.folder() / run / run_file::estimator, "x");
    write_file(form.folder() / run / run_file::metrics, "x");
  }
  EXPECT_TRUE(looked(studies).empty());
}

TEST_F(StudiesTest, GoesOnWithAsManyProcessesAsBeforeAndOnce) {
  write_file(folder_ / "program", "#!/bin/sh\necho \"$@\" >>\"$(dirname \"$0\")/called\"\nsleep 4\n");
  ::chmod((folder_ / "program").c_str(), 0755);
  StudyForm form = this->form();
  form.name = "mine";
  form.processes = "3";
  ASSERT_EQ(form.problem(), "");
  Studies studies(hub_);
  studies.program = folder_ / "program";
  studies.start(form);
  std::vector<StudyEntry> all = looked(studies);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(studies.starting(all[0])) << "at once, not when its process is seen";
  studies.go_on(all[0]);  // pressed again
  EXPECT_THAT(called(), HasSubstr("--jobs 3"));
  // If its process ends silently, a warning appears, no child process is left, and the study can be resumed.
  for (int k = 0; k < 1000 && studies.starting(all[0]); ++k) {
    studies.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(studies.starting(all[0]));
  EXPECT_EQ(::waitid(P_ALL, 0, nullptr, WEXITED | WNOHANG | WNOWAIT), -1) << "no child is left";
  EXPECT_THAT(hub_.messages.matching("", Level::warning).at(0)->text, HasSubstr("ended at once"));
  EXPECT_EQ(std::ranges::count(called(), '\n'), 1);
  studies.go_on(all[0]);
  for (int k = 0; k < 500 && std::ranges::count(called(), '\n') < 2; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(called().substr(called().find('\n')), HasSubstr("--jobs 3"));
}

TEST_F(StudiesTest, TellsWhatAFinishedStudyHasAndItsFigures) {
  StudyForm form = this->form();
  form.name = "mine";
  form.seeds = "1";
  form.strategies = {"pairs"};
  ASSERT_EQ(form.problem(), "");
  form.write();
  Studies studies(hub_);
  auto here = std::make_unique<Presence>(workers_folder(form.folder()));
  EXPECT_FALSE(looked(studies)[0].processes.empty());
  const std::filesystem::path run = form.folder() / "bump-hunt-pairs-s1";
  std::filesystem::create_directories(run);
  write_file(run / run_file::estimator, "x");
  write_file(run / run_file::metrics, "x");
  here.reset();
  EXPECT_TRUE(looked(studies).empty());
  ASSERT_FALSE(hub_.messages.matching("", Level::info).empty());
  const std::string reported = hub_.messages.matching("", Level::info)[0]->text;
  EXPECT_THAT(reported, HasSubstr("The study mine has ended: 1 of 1 run done; its figures: pairs --batch study "));
  EXPECT_THAT(reported, HasSubstr("--figures"));
}

TEST_F(StudiesTest, TellsOfTheEndWhereNobodyLooks) {
  std::vector<std::string> reported;
  std::mutex mutex;
  hub_.notifier = std::make_shared<Notifier>([&](const std::string& title, const std::string& text) {
    const std::lock_guard lock(mutex);
    reported.push_back(title + ": " + text);
    return true;
  });
  StudyForm form = this->form();
  form.name = "mine";
  form.write();
  Studies studies(hub_);
  const auto end_of_work = [&] {
    auto here = std::make_unique<Presence>(workers_folder(form.folder()));
    EXPECT_FALSE(looked(studies)[0].processes.empty());
    here.reset();
    EXPECT_TRUE(looked(studies)[0].processes.empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::lock_guard lock(mutex);
    return std::exchange(reported, {});
  };
  EXPECT_TRUE(end_of_work().empty()) << "somebody looks";
  hub_.notifier->focused = false;
  EXPECT_THAT(end_of_work(), ElementsAre("The study mine has ended: 0 of 6 runs done"));
  hub_.notifier->on = false;
  EXPECT_TRUE(end_of_work().empty()) << "the settings say no";
}

TEST_F(StudiesTest, ADamagedStudyIsShownWithItsProblem) {
  std::filesystem::create_directories(hub_.runs_folder / "bad");
  write_file(hub_.runs_folder / "bad" / kStudyCopy, "title = 3\n");
  Studies studies(hub_);
  studies.program = folder_ / "program";
  const std::vector<StudyEntry> all = looked(studies);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].problem, HasSubstr("'title' must be a text"));
}

}  // namespace
}  // namespace pairs::model
