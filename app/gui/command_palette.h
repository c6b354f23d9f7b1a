#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pairs::gui {

// An action with a name, for the command palette and shortcuts.
struct Command {
  std::string name;     // "train/start": for tests
  std::string title;    // "Start training"
  std::string keys;     // "Ctrl+T"; "" if it has none
  std::string blocked;  // why it is not possible now; "" if it is
  std::function<void()> run;
};

// Commands whose title contains the letters of `query` in order, best first.
std::vector<const Command*> matching(const std::vector<Command>& commands, const std::string& query);

// The list of all actions, filtered while typing (Ctrl+K).
class CommandPalette {
 public:
  void open() { open_ = true, query_.clear(), chosen_ = 0, fresh_ = true; }
  bool is_open() const { return open_; }
  void draw(const std::vector<Command>& commands);

 private:
  bool open_ = false, fresh_ = false;
  std::string query_;
  int chosen_ = 0;
};

}  // namespace pairs::gui
