#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/file_browser.h"

namespace pairs::gui {

// A dialog that asks where to save a file: it starts in the folder of the last saved file, asks before replacing a
// file, and stays open and reports problems until the file is written.
class SaveDialog {
 public:
  struct Texts {
    std::string title, about, hint;
    std::vector<model::FileFilter> filters = {};
    std::string ending = {};  // required extension; "": any
  };
  struct Names {
    std::string browser, path, write, cancel;
  };

  // Opens the dialog with the suggested `name`.
  void ask(const std::string& name);
  // Whether draw() has anything to do.
  bool is_drawn() const { return open_ || shown_; }
  void close() { open_ = false; }
  void fail(std::string problem) { failure_ = std::move(problem); }
  // Call once per frame: returns the path to write when the user has entered it.
  std::optional<std::filesystem::path> draw(const Names& names, const Texts& texts);

 private:
  void look();

  bool open_ = false, shown_ = false;
  bool exists_ = false;  // whether the path exists, as of the last look()
  std::string failure_;
  FileBrowser browser_;
};

}  // namespace pairs::gui
