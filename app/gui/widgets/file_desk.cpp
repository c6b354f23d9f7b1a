#include "app/gui/widgets/file_desk.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

}  // namespace

fs::path FileDesk::save_folder() const {
  std::error_code error;
  if (settings) {
    const std::string chosen = task.empty() ? settings->save_folder : settings->chosen_save_folder(task);
    if (!chosen.empty() && is_folder(chosen)) return chosen;
  }
  if (!run.empty() && is_folder(run)) return run;
  return fs::current_path(error);
}

fs::path FileDesk::open_folder() const {
  std::error_code error;
  if (settings && !settings->recent_files.empty())
    for (const fs::path& folder :
         {fs::path(settings->recent_files.front()), fs::path(settings->recent_files.front()).parent_path()})
      if (is_folder(folder)) return folder;
  return fs::current_path(error);
}

FileDesk& file_desk() {
  static FileDesk desk;
  return desk;
}

}  // namespace pairs::gui
