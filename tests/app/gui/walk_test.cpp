// Random presses in the real panels: nothing breaks, and at every step what the header names is what would start, be
// evaluated, copied and exported.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "app/model/shortcuts.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/gui/tiny_draft.h"
#include "tests/app/model/small_run.h"
#include "tests/long_tests.h"

namespace pairs::gui {
namespace {

// The first thing on which the window and what it would do disagree, in words; empty when they agree.
class Agreement {
 public:
  explicit Agreement(Driver& driver) : d_(driver) {}

  std::string check() {
    problem_.clear();
    const model::Studio& studio = d_.studio;
    const std::string& task = studio.task();
    const model::TaskEntry* entry = studio.library.task(task);
    const Item* header = d_.find("header/shown");
    // The header shows in the next frame what the panel has changed in this one.
    if (header && header->text != studio.shown_title()) {
      d_.frames();
      header = d_.find("header/shown");
    }
    if (!entry) return fmt::format("the task {} is not in the list", task);
    if (header) {
      expect(header->text.starts_with(entry->title), "the header says {} of the task {}", header->text, task);
      const std::string run = studio.shown_run();
      if (studio.tab() == model::Tab::train && studio.training.drafting())
        expect(header->text.ends_with("new run"), "the header says {} of a new run", header->text);
      else if (!run.empty())
        expect(header->text.ends_with(studio.library.name_of(run)), "the header says {} of the run {}", header->text,
               run);
    }
    training(task);
    shown_run(task);
    session(task);
    copied();
    return problem_;
  }

  // Before a press: what it copies and starts is compared with what stood here.
  void before_press(const std::string& name) {
    pressed_ = name;
    ImGui::SetClipboardText("");
    commands_.clear();
    task_before_ = d_.studio.task();
    note_command();
  }
  const std::string& pressed() const { return pressed_; }
  int copies() const { return copies_; }
  int starts() const { return starts_; }

 private:
  template <class... Args>
  void expect(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds && problem_.empty()) problem_ = fmt::format(text, std::forward<Args>(args)...);
  }

  std::string task_of(const std::string& run) {
    if (const auto known = tasks_.find(run); known != tasks_.end()) return known->second;
    try {
      return tasks_[run] = read_run_toml(built_in_tasks(), std::filesystem::path(run) / run_file::config).task;
    } catch (const std::exception&) {
      return "";  // its folder is being made, or is damaged
    }
  }

  void training(const std::string& task) {
    const model::Training& t = d_.studio.training;
    if (t.task().empty()) return;
    expect(t.task() == task, "the Train tab is about {}, the window about {}", t.task(), task);
    const std::string command = t.batch_command();
    if (t.drafting()) {
      expect(t.drafts.shown().task() == task && t.drafts.shown().config().task == task,
             "the draft is of {}, the window about {}", t.drafts.shown().task(), task);
      const model::OwnTask* const own = d_.studio.library.own().ready(task);
      const std::string named = "pairs --batch run " + (own ? "--task-file " + shell_word(own->file.string()) : task);
      expect(command.starts_with(named + " ") || command == named, "“Copy command” of a new run of {}: {}", task,
             command);
    } else {
      const std::string of = task_of(t.folder().string());
      expect(of.empty() || of == task, "the Train tab shows a run of {}, the window {}", of, task);
      expect(command == "pairs --batch run --resume " + shell_word(t.folder().string()), "“Copy command” of {}: {}",
             t.folder().string(), command);
    }
  }

  // Posterior, scores and exports are of the run that the window is about.
  void shown_run(const std::string& task) {
    model::Studio& studio = d_.studio;
    const bool viewing = &studio.posterior_page() == &studio.viewer;
    const std::string& run = studio.run();
    if (!run.empty() && run != task) {
      const std::string of = task_of(run);
      expect(of.empty() || of == task, "the run {} is of {}, the window about {}", run, of, task);
    }
    const std::string& posterior = viewing ? studio.viewer.run() : studio.posterior.run();
    expect(posterior == run || posterior.empty(), "the posterior is of {}, the window about {}", posterior, run);
    if (viewing) expect(studio.posterior.run().empty(), "two posteriors are open");
    expect(studio.evaluation.run() == run || studio.evaluation.run().empty(), "the scores are of {}, the window {}",
           studio.evaluation.run(), run);
    expect(posterior == studio.evaluation.run(), "the posterior is of {}, the scores of {}", posterior,
           studio.evaluation.run());
    if (!studio.evaluation.run().empty())
      expect(studio.evaluation.batch_command().starts_with("pairs --batch evaluate " + shell_word(run)),
             "“Copy command” of the scores of {}: {}", run, studio.evaluation.batch_command());
    if (const auto scene = studio.posterior.scene(); scene && !viewing) {
      expect(scene->task == task, "the posterior is of {}, the window about {}", scene->task, task);
      expect(!scene->runs.empty() && scene->runs.front().run == run, "the curves are of another run than {}", run);
      const std::string command = studio.posterior.batch_command();
      expect(command.empty() || command.find(" " + shell_word(run) + " ") != std::string::npos,
             "“Copy command” of the posterior of {}: {}", run, command);
      if (const auto shown = studio.posterior.shown(); shown && shown->density)
        expect(shown->density->source.find(scene->runs.front().name) != std::string::npos,
               "the plot that is saved says {}, and is of {}", shown->density->source, scene->runs.front().name);
    }
  }

  // What was started is of the task that the header named.
  void session(const std::string& task) {
    const model::Training& t = d_.studio.training;
    const std::string folder = t.session.folder().string();
    if (folder != session_ && t.session.active()) {
      session_ = folder;
      started_ = {task_before_, task};
    }
    if (started_.empty()) return;
    const std::string of = task_of(session_);  // its folder may still be on its way
    if (of.empty()) return;
    ++starts_;
    expect(of == started_.front() || of == started_.back(), "a run of {} was started where the header named {}", of,
           started_.front());
    started_.clear();
  }

  // What the button that was pressed would copy now: it is read from what workers have found, which may arrive in the
  // frames that a press takes.
  void note_command() {
    const model::Studio& studio = d_.studio;
    std::string command;
    if (pressed_ == "train/copy") command = studio.training.batch_command();
    if (pressed_ == "evaluate/command") command = studio.evaluation.batch_command();
    if (pressed_ == "posterior/command") command = studio.posterior.batch_command();
    if (!command.empty()) commands_.push_back(std::move(command));
  }

  void copied() {
    if (commands_.empty()) return;
    note_command();
    const char* text = ImGui::GetClipboardText();
    if (!text || !*text) return;
    ++copies_;
    expect(std::ranges::find(commands_, text) != commands_.end(), "{} copied {}, and said {}", pressed_, text,
           fmt::join(commands_, ", then "));
    commands_.clear();
  }

  Driver& d_;
  std::string problem_, pressed_, session_, task_before_;
  std::vector<std::string> commands_;         // that the pressed button has stood for since before the press
  std::map<std::string, std::string> tasks_;  // of run folders, once read
  std::vector<std::string> started_;          // what the header named when the last run was started
  int copies_ = 0, starts_ = 0;
};

// Presses random items. PAIRS_WALK sets the number of presses (20,000 under sanitizers), PAIRS_WALK_SEED the seed.
TEST(Walk, WhatTheHeaderNamesIsWhatHappens) {
  const char* wanted = std::getenv("PAIRS_WALK");
  const int presses = wanted ? std::atoi(wanted) : long_tests() ? 1500 : 800;
  const char* seed = std::getenv("PAIRS_WALK_SEED");
  std::mt19937 random(seed ? static_cast<unsigned>(std::atoi(seed)) : 7);
  const auto pick = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
  const TemporaryFolder folder;
  const model::Settings settings = settings_in(folder.path());
  // Runs of one's own: finished, begun and not begun, of three tasks.
  std::filesystem::create_directories(folder / "runs");
  for (const char* task : {"bump-hunt", "gaussian"})
    model::small_run(folder / "runs", std::string(task) + "-mine", task);
  model::QuietMonitor quiet;
  execute_run(built_in_tasks(), create_run(model::small_config("gaussian"), folder / "runs/gaussian-begun"), quiet,
              Stage::pretrain);
  create_run(model::small_config("bump-hunt"), folder / "runs/bump-hunt-new");
  create_run(model::small_config("digits"), folder / "runs/digits-new");
  Driver d(settings);
  Agreement agreement(d);
  const float widths[] = {1280, 1024, 1600, 800}, heights[] = {800, 700, 1000, 560};
  const int keys[] = {key::escape, key::enter, key::tab, key::up,   key::down,
                      key::left,   key::right, key::f1,  key::space};
  for (int press = 0; press < presses; ++press) {
    // What takes the window from this test, or writes outside its folder.
    std::vector<Item> items;
    for (const Item& item : recorder().items())
      if (!item.name.empty() && item.reachable() && item.name.find("reveal") == std::string::npos &&
          item.name.find(fmt::format("shortcut/{}", static_cast<int>(model::Shortcut::quit))) == std::string::npos &&
          item.name.find("/save") == std::string::npos && !item.name.ends_with("/write") &&
          item.name != "settings/runs-default" && !item.name.starts_with("close/"))
        items.push_back(item);
    const auto kind = pick(20);
    bool copies = false;
    agreement.before_press("");
    if (kind == 0) {
      const auto size = pick(4);
      d.screen.resize(widths[size], heights[size]);
    } else if (kind == 1) {
      d.key(keys[pick(std::size(keys))]);
    } else if (kind == 2) {
      d.key(static_cast<int>(std::string("12345KLNT,")[pick(10)]), true);
    } else if (kind == 3) {
      d.screen.input.wheel(0, pick(2) ? 3.0f : -3.0f);
    } else if (!items.empty()) {
      Item item = items[pick(items.size())];
      // Compares the copied text with the label of the button; earlier presses finish first.
      copies = item.name == "train/copy" || item.name == "evaluate/command" || item.name == "posterior/command";
      if (copies) {
        d.frames(6);
        const Item* now = d.find(item.name);
        const auto over = [&](const Item& other) { return now && other.layer > now->layer; };
        if (!now || !now->reachable() || std::ranges::any_of(recorder().items(), over)) continue;
        item = *now;
      }
      const float share = static_cast<float>(pick(100)) / 100;
      if (item.name.starts_with("train/") && item.name.ends_with("start") && d.studio.training.drafting())
        make_draft_tiny(d.studio);
      agreement.before_press(item.name);
      const ImVec2 at = {item.min.x + share * (item.max.x - item.min.x), item.middle().y};
      d.screen.input.move(at.x, at.y);
      d.screen.input.button(kind == 4 ? 1 : 0, true);
      if (kind == 5)
        d.screen.input.move(at.x + static_cast<float>(pick(200)) - 100, at.y + static_cast<float>(pick(100)) - 50);
      d.screen.input.button(kind == 4 ? 1 : 0, false);
      if (item.kind == ItemKind::input && pick(2) == 0)
        for (const char c : std::string("1e9,-abc").substr(pick(8))) d.screen.input.character(static_cast<unsigned>(c));
    }
    const int frames = copies ? 6 : pick(8) == 0 ? 4 : 1;
    for (int frame = 0; frame < frames; ++frame) {
      d.frames();
      const std::string problem = agreement.check();
      if (!problem.empty()) FAIL() << "at press " << press << " (" << agreement.pressed() << "): " << problem;
    }
  }
  RecordProperty("copies", agreement.copies());
  RecordProperty("starts", agreement.starts());
}

// The walk without randomness: opens custom runs of several tasks and goes from each run to each task.
TEST(Walk, FromEachRunToEachTaskNothingOfTheOldOneStays) {
  const TemporaryFolder folder;
  const model::Settings settings = settings_in(folder.path());
  std::filesystem::create_directories(folder / "runs");
  std::vector<std::string> runs;
  for (const char* task : {"bump-hunt", "gaussian"})
    runs.push_back(model::small_run(folder / "runs", std::string(task) + "-mine", task));
  runs.push_back(create_run(model::small_config("digits"), folder / "runs/digits-new").string());
  Driver d(settings);
  Agreement agreement(d);
  const auto agree = [&](const std::string& step) {
    for (int frame = 0; frame < 5; ++frame) {
      d.frames();
      EXPECT_EQ(agreement.check(), "") << step;
    }
  };
  for (const std::string& run : runs)
    for (const std::string& task : built_in_tasks()->names())
      for (const bool train_first : {false, true}) {
        d.studio.open_run(run);
        if (train_first) d.click("tab/train");
        agree("opened " + run);
        d.click(std::string("sidebar/task/") + task);
        d.click("tab/train");
        agree(fmt::format("{} after {}", task, run));
        ASSERT_TRUE(d.until([&] { return d.find("train/copy") != nullptr; }));
        if (d.find("train/new")) {
          d.click("train/new");
          agree(fmt::format("new run of {} after {}", task, run));
        }
        EXPECT_TRUE(d.studio.training.drafting());
        EXPECT_EQ(d.studio.training.drafts.shown().task(), task);
        EXPECT_THAT(d.item("header/shown").text, ::testing::HasSubstr("new run"));
        d.frames(30);  // two quick clicks at one place press one button
        agreement.before_press("train/copy");
        d.click("train/copy");
        agree("copied");
        EXPECT_THAT(ImGui::GetClipboardText(), ::testing::HasSubstr(task));
      }
}

}  // namespace
}  // namespace pairs::gui
