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
  if (settings && !settings->save_folder.empty() && is_folder(settings->save_folder)) return settings->save_folder;
  return fs::current_path(error);
}

fs::path FileDesk::open_folder() const {
  std::error_code error;
  if (settings && !settings->recent_files.empty())
    if (const fs::path folder = fs::path(settings->recent_files.front()).parent_path(); is_folder(folder))
      return folder;
  return fs::current_path(error);
}

FileDesk& file_desk() {
  static FileDesk desk;
  return desk;
}

}  // namespace pairs::gui
