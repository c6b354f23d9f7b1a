#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/model/files/portal.h"
#include "app/model/hub/settings.h"
#include "core/task_library.h"

namespace pairs::gui {

// The window's state for file dialogs, set by the shell; without it, only the current folder is known.
struct FileDesk {
  Tasks tasks;  // tasks whose runs are previewed; null: none
  std::function<void()> wake = [] {};
  model::Settings* settings = nullptr;
  model::Portal* portal = nullptr;  // null: the desktop's dialogs are not wanted
  std::filesystem::path runs_folder, data_folder;
  std::string task;           // the shown task
  std::filesystem::path run;  // the folder of the shown run; "": none
  std::string window;         // as in Portal::Question

  // Whether the desktop's own dialogs are shown.
  bool uses_desktop() const { return portal && portal->there(); }
  // The folder for the next saved file: the one chosen for the shown task, else the shown run's, else the current one.
  // Without a task, the folder of the last saved file.
  std::filesystem::path save_folder() const;
  // The folder for opening files: that of the last opened file, else the current one.
  std::filesystem::path open_folder() const;
};
FileDesk& file_desk();

}  // namespace pairs::gui
