#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/model/files/portal.h"
#include "app/model/hub/settings.h"
#include "core/task_library.h"

namespace pairs::gui {

// What dialogs for files know of the window that they belong to. The shell says it; without one, the current folder is
// all there is.
struct FileDesk {
  Tasks tasks;  // of which runs are told; null: of none
  std::function<void()> wake = [] {};
  model::Settings* settings = nullptr;
  model::Portal* portal = nullptr;  // null: the desktop's dialogs are not wanted
  std::filesystem::path runs_folder, data_folder;
  std::string task;           // that is shown
  std::filesystem::path run;  // the folder of the run that is shown; "": none
  std::string window;         // as Portal::Question wants it

  // Whether the desktop's own dialogs are shown.
  bool uses_desktop() const { return portal && portal->there(); }
  // Where the next file is saved: in the folder that was chosen for the shown task, else in the shown run's, else in
  // the current one. Where no task is shown, in the folder of the last.
  std::filesystem::path save_folder() const;
  // Where a file is looked for: beside the last that was opened, else in the current folder.
  std::filesystem::path open_folder() const;
};
FileDesk& file_desk();

}  // namespace pairs::gui
