#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "app/gui/frame_schedule.h"
#include "app/gui/shell.h"
#include "app/model/studio.h"
#include "core/base/threads/clock.h"
#include "tasks/registry.h"
#include "tests/app/gui/platform/null_screen.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/long_tests.h"

namespace pairs::gui {

// Settings of a test: runs and everything else go to a folder of its own.
inline model::Settings settings_in(const std::filesystem::path& folder, const std::string& task = "bump-hunt",
                                   const std::string& tab = "posterior") {
  setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
  setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  model::Settings settings;
  settings.task = task;
  settings.tab = tab;
  settings.runs_folder = (folder / "runs").string();
  settings.file_dialogs = "own";  // whatever the desktop of the machine has
  return settings;
}

// Names tasks that differ in what their pages hold: points of one target and of two, images, items, views. Long tests
// take all tasks, also the second one of images and of items.
inline std::vector<std::string> tasks_by_kind() {
  if (long_tests()) return built_in_tasks()->names();
  return {"gaussian", "bump-hunt", "digits", "objects", "novel-view"};
}

// A person at the window: presses things by name, one frame after the other, on a screen without a renderer.
class Driver {
 public:
  explicit Driver(model::Settings settings, float width = 1280, float height = 800, float scale = 1,
                  const Catalog& tasks = built_in_tasks())
      : screen(width, height, settings.theme == "light" ? ThemeKind::light : ThemeKind::dark, scale),
        studio(tasks, std::move(settings), [this] { woken = true; }),
        shell(studio) {
    frames(3);
  }

  NullScreen screen;
  std::atomic<bool> woken{false};  // by a worker
  model::Studio studio;
  Shell shell;

  void frames(int count = 1) {
    for (int i = 0; i < count; ++i) {
      studio.poll();
      screen.restyle(shell.wanted_theme(), scale());
      screen.frame([&] { shell.frame(60); });
    }
  }

  // Draws frames until `done`; whether it is. Gives up after four times as many seconds, which a machine that is busy
  // with other work may need, and after sixteen times as many with a sanitizer: what works costs none of them.
  bool until(const std::function<bool()>& done, double seconds = 30) {
    seconds *= 4;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    seconds *= 4;
#endif
    const Stopwatch watch;
    while (!done()) {
      if (watch.seconds() > seconds) return false;
      frames();
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    return true;
  }
  // The window left alone for `seconds`, its frames drawn when run_window draws them: how many were. Ends with `done`.
  int leave_alone(
      double seconds, const std::function<bool()>& done = [] { return false; }) {
    FrameSchedule schedule;
    const Stopwatch watch;
    double last = 0;
    int drawn = 0;
    while (watch.seconds() < seconds && !done()) {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::min(schedule.wait(watch.seconds(), studio.training.busy()), 0.01)));
      const bool reported = woken.exchange(false), changed = studio.poll();
      schedule.look(reported || changed, studio.busy());
      const double now = watch.seconds();
      if (!schedule.due(now, studio.training.busy())) continue;
      screen.frame([&] { shell.frame(60); }, std::clamp(now - last, 1e-4, 0.5));
      last = now;
      schedule.drawn(now, shell.again_in());
      ++drawn;
    }
    return drawn;
  }
  // Until nothing is at work.
  bool rest(double seconds = 30) {
    int rested = 0;
    return until([&] { return (rested = studio.busy() ? 0 : rested + 1) > 5; }, seconds);
  }

  const Item* find(const std::string& name) {
    return recorder().find(name);
  }
  // The item; a failure of the test when it is not there.
  Item item(const std::string& name) {
    const Item* found = find(name);
    if (!found) {
      ADD_FAILURE() << "There is nothing called " << name;
      return {};
    }
    return *found;
  }

  void move(ImVec2 at) {
    screen.input.move(at.x, at.y);
    frames(2);
  }
  void click(const std::string& name, int button = 0) {
    show(name);
    // What arrives meanwhile may move it.
    for (int look = 0; look < 10; ++look) {
      const ImVec2 at = item(name).middle();
      move(at);
      const ImVec2 now = item(name).middle();
      if (now.x == at.x && now.y == at.y) break;
    }
    press_at(item(name).middle(), button);
  }
  void press_at(ImVec2 at, int button = 0) {
    move(at);
    screen.input.button(button, true);
    screen.input.button(button, false);
    frames(4);
  }
  // From one share of its width to another.
  void drag(const std::string& name, double from, double to, int steps = 8) {
    show(name);
    const Item i = item(name);
    const auto at = [&](double share) {
      return ImVec2{static_cast<float>(i.min.x + share * (i.max.x - i.min.x)), (i.min.y + i.max.y) / 2};
    };
    move(at(from));
    screen.input.button(0, true);
    frames(2);
    for (int k = 1; k <= steps; ++k) move(at(from + (to - from) * k / steps));
    screen.input.button(0, false);
    frames(3);
  }
  void key(int code, bool control = false, bool shift = false) {
    if (control) screen.input.press(key::left_control, true);
    if (shift) screen.input.press(key::left_shift, true);
    screen.input.press(code, true);
    frames(2);
    screen.input.press(code, false);
    if (control) screen.input.press(key::left_control, false);
    if (shift) screen.input.press(key::left_shift, false);
    frames(3);
  }
  // Replaces the text of an input.
  void type(const std::string& name, const std::string& text) {
    click(name);
    key('A', true);
    for (const char c : text) screen.input.character(static_cast<unsigned char>(c));
    frames(3);
    key(key::enter);
  }
  // Scrolls its window until the item can be pressed.
  void show(const std::string& name) {
    for (int i = 0; i < 60; ++i) {
      const Item* found = find(name);
      if (!found || found->reachable()) return;
      const float x = (std::max(found->min.x, found->clip_min.x) + std::min(found->max.x, found->clip_max.x)) / 2;
      const bool below = found->middle().y >= found->clip_max.y;
      move({x, (found->clip_min.y + found->clip_max.y) / 2});
      screen.input.wheel(0, below ? -1.0f : 1.0f);
      frames(2);
    }
  }
};

}  // namespace pairs::gui
