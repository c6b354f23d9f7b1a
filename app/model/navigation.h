#pragma once

#include <iterator>
#include <string>

#include "app/model/settings/settings_page.h"

namespace pairs::model {

enum class Tab { task, train, posterior, evaluate, compare };
struct TabEntry {
  const char* name;   // on the command line and in settings
  const char* title;  // display name
};
// In the order of the enumerators, from left to right: Ctrl+1 to at most Ctrl+9.
inline constexpr TabEntry kTabs[] = {
    {"task", "Task"}, {"train", "Train"}, {"posterior", "Posterior"}, {"evaluate", "Evaluate"}, {"compare", "Compare"}};
inline constexpr int tab_count = static_cast<int>(std::size(kTabs));
inline const TabEntry& entry(Tab tab) {
  return kTabs[static_cast<std::size_t>(tab)];
}
Tab parse_tab(const std::string& name);  // usage error naming the nearest

// The places to which a panel can navigate.
class Navigation {
 public:
  virtual ~Navigation() = default;
  // Shows a run: a folder, or a task's name for its shipped weights. Problems become a message.
  virtual void open_run(const std::string& run) = 0;
  virtual void set_tab(Tab tab) = 0;
  // Reloads the shown task; a custom task from its current file and program.
  virtual void reopen_task() = 0;
  virtual void open_settings(SettingsSection section) = 0;
  virtual void show_log() = 0;
};

}  // namespace pairs::model
