#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "app/gui/platform/input.h"
#include "app/gui/platform/recorder.h"
#include "app/gui/widgets/file_desk.h"
#include "app/gui/widgets/keyboard.h"
#include "core/base/threads/clock.h"
#include "tasks/registry.h"
#include "tests/app/gui/platform/null_screen.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::gui {

// A screen for a dialog about files, with the settings of a window.
class FileScreen : public ::testing::Test {
 protected:
  FileScreen() {
    file_desk() = {};
    file_desk().tasks = built_in_tasks();
    file_desk().settings = &settings_;
  }
  ~FileScreen() override { file_desk() = {}; }

  virtual void draw() = 0;
  void frames(int count = 4) {
    for (int i = 0; i < count; ++i) frame();
  }
  void frame(double seconds = 1.0 / 60) {
    screen_.frame(
        [this] {
          keyboard::begin_frame();
          draw();
        },
        seconds);
  }
  bool until(const std::function<bool()>& done, double seconds = 120) {
    const Stopwatch watch;
    while (!done()) {
      if (watch.seconds() > seconds) return false;
      frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  static const Item* find(const std::string& name) { return recorder().find(name); }
  static std::string text_of(const std::string& name) {
    const Item* found = find(name);
    return found ? found->text : "(nothing called " + name + ")";
  }
  // Whether some text is drawn that holds this.
  static bool says(const std::string& part) {
    for (const Item& item : recorder().items())
      if (item.kind == ItemKind::text && item.text.find(part) != std::string::npos) return true;
    return false;
  }
  void press(int code, int with = 0) {
    if (with) screen_.input.press(with, true);
    screen_.input.press(code, true);
    frames(2);
    screen_.input.press(code, false);
    if (with) screen_.input.press(with, false);
    frames();
  }
  void write(const std::string& text) {
    for (const char c : text) screen_.input.character(static_cast<unsigned char>(c));
    frames();
  }
  // Over what the field holds, which has the keyboard.
  void type(const std::string& text) {
    press('A', key::left_control);
    write(text);
  }
  void click(const std::string& name, int times = 1) {
    ASSERT_TRUE(until([&] { return find(name) != nullptr; })) << "there is nothing called " << name;
    frames();  // what has just come is not yet in its place
    screen_.input.move(find(name)->middle().x, find(name)->middle().y);
    for (int k = 0; k < times; ++k) {
      screen_.input.button(0, true);
      screen_.input.button(0, false);
    }
    frames(4 + 2 * times);
    // The next press elsewhere is no second click.
    frame(1);
  }

  TemporaryFolder folder_;
  model::Settings settings_;
  NullScreen screen_{1024, 700};
};

}  // namespace pairs::gui
