#pragma once

#include <string>

#include "app/model/settings/settings_page.h"

namespace pairs::model {

enum class Tab { task, train, posterior, evaluate, compare };
inline constexpr int tab_count = 5;
const char* tab_name(Tab tab);           // "task", ...: command line and settings
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
