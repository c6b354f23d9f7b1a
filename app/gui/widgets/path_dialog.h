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

// A dialog that asks for a file or folder to open, with a browser of what is there. It stays open, and says what is
// wrong, until it is told that the path was right.
class PathDialog {
 public:
  struct Texts {
    const char *title, *about, *hint;
    std::vector<model::FileFilter> filters = {};
    bool folder = false;  // nothing but a folder is asked for
  };

  void ask();
  bool is_open() const { return open_; }
  // The path was right: it is remembered among what was opened.
  void close();
  // What is wrong with the path; the field takes the keyboard again.
  void fail(std::string problem);
  // Once a frame: the path when a person has entered it. `waiting`, when not empty, says what is done with the last
  // one. The widgets are "<name>/path", ".../confirm" and ".../cancel", and those of the browser.
  std::optional<std::filesystem::path> draw(const std::string& name, const Texts& texts, std::string_view waiting = {});

 private:
  bool open_ = false, shown_ = false;
  std::string problem_;
  std::filesystem::path given_;  // the last path that was entered
  FileBrowser browser_;
};

// Whether Enter has just been pressed.
bool entered();

}  // namespace pairs::gui
