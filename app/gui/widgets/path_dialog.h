#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pairs::gui {

// A dialog that asks for a file or folder to open. It stays open, and says what is wrong, until it is told that the
// path was right.
class PathDialog {
 public:
  struct Texts {
    const char *title, *about, *hint;
  };

  void ask();
  bool is_open() const { return open_; }
  void close() { open_ = false; }
  // What is wrong with the path; the field takes the keyboard again.
  void fail(std::string problem);
  // Once a frame: the path when a person has entered it. `waiting`, when not empty, says what is done with the last
  // one. The widgets are "<name>/path", ".../confirm" and ".../cancel".
  std::optional<std::filesystem::path> draw(const std::string& name, const Texts& texts, std::string_view waiting = {});

 private:
  bool open_ = false, fresh_ = false;  // fresh: the field is to take the keyboard
  std::string text_, problem_;
};

// What a shell would make of a typed path: without blanks around it, "~" as the home folder.
std::filesystem::path typed_path(const std::string& text);
// Whether Enter has just been pressed.
bool entered();

}  // namespace pairs::gui
