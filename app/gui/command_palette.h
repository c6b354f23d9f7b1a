#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pairs::gui {

// Something that can be done by name: in the command palette and by a shortcut.
struct Command {
  std::string name;     // "train/start": for tests
  std::string title;    // "Start training"
  std::string keys;     // "Ctrl+T"; "" when it has none
  std::string blocked;  // why not now; "" when it can be done
  std::function<void()> run;
};

// Commands whose title holds the letters of `query` in order, best first.
std::vector<const Command*> matching(const std::vector<Command>& commands, const std::string& query);

// The list of everything that can be done, filtered as one types (Ctrl+K).
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
