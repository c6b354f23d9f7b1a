#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/file_browser.h"
#include "app/model/files/typed_path.h"

namespace pairs::gui {

using model::typed_path;

// A dialog that asks for a file or folder to open, with a browser. It stays open and reports problems until the path is
// accepted by close().
class PathDialog {
 public:
  struct Texts {
    const char *title, *about, *hint;
    std::vector<model::FileFilter> filters = {};
    bool folder = false;  // only a folder can be opened
  };

  void ask();
  bool is_open() const { return open_; }
  // Accepts the path and adds it to the recent files.
  void close();
  // Reports the problem with the path; the field takes the keyboard focus again.
  void fail(std::string problem);
  // Call once per frame: returns the path when the user has entered it. `waiting`, if not empty, describes the
  // processing of the last path. The widgets are "<name>/path", ".../confirm" and ".../cancel", and those of the
  // browser.
  std::optional<std::filesystem::path> draw(const std::string& name, const Texts& texts, std::string_view waiting = {});

 private:
  bool open_ = false, shown_ = false;
  std::string problem_;
  std::filesystem::path given_;  // the last path entered
  FileBrowser browser_;
};

// Whether Enter was just pressed.
bool entered();

}  // namespace pairs::gui
