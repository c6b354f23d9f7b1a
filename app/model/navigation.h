#pragma once

#include <iterator>
#include <string>

#include "app/model/settings/settings_page.h"

namespace pairs::model {

enum class Tab { task, train, posterior, evaluate, compare };
struct TabEntry {
  const char* name;   // on the command line and in settings
  const char* title;  // for people
};
// In the order of the enumerators: from left to right, Ctrl+1 to at most Ctrl+9.
inline constexpr TabEntry kTabs[] = {
    {"task", "Task"}, {"train", "Train"}, {"posterior", "Posterior"}, {"evaluate", "Evaluate"}, {"compare", "Compare"}};
inline constexpr int tab_count = static_cast<int>(std::size(kTabs));
inline const TabEntry& entry(Tab tab) {
  return kTabs[static_cast<std::size_t>(tab)];
}
Tab parse_tab(const std::string& name);  // usage error naming the nearest

// Where a panel can lead to from what it shows.
class Navigation {
 public:
  virtual ~Navigation() = default;
  // Shows a run: a folder, or a task's name for shipped weights. What is wrong with it becomes a message.
  virtual void open_run(const std::string& run) = 0;
  virtual void set_tab(Tab tab) = 0;
  // Makes the shown task again, of a person's own with its file and its program as they are by now.
  virtual void reopen_task() = 0;
  virtual void open_settings(SettingsSection section) = 0;
  virtual void show_log() = 0;
};

}  // namespace pairs::model
