#pragma once

#include <imgui.h>

#include <deque>

namespace pairs::gui {

// Key codes: GLFW's, which are ASCII for letters and digits.
namespace key {
inline constexpr int space = 32, escape = 256, enter = 257, tab = 258, backspace = 259, insert = 260, del = 261,
                     right = 262, left = 263, down = 264, up = 265, page_up = 266, page_down = 267, home = 268,
                     end = 269, f1 = 290, keypad_enter = 335, left_shift = 340, left_control = 341, left_alt = 342,
                     left_super = 343;
}

// The user's input in order. A frame takes only as much as Dear ImGui can distinguish: a press and a release of the
// same button, two press positions, or a press and the release of its Ctrl or Shift go to different frames, so that
// quick clicks and keys are never lost.
class Input {
 public:
  void move(float x, float y) { events_.push_back({Kind::move, 0, false, x, y}); }
  void button(int index, bool down) { events_.push_back({Kind::button, index, down}); }
  void wheel(float x, float y) { events_.push_back({Kind::wheel, 0, false, x, y}); }
  void press(int code, bool down) { events_.push_back({Kind::key, code, down}); }
  void character(unsigned code) { events_.push_back({Kind::character, static_cast<int>(code)}); }
  bool pending() const { return !events_.empty(); }
  // Call before ImGui::NewFrame. Returns whether any input was taken.
  bool apply(ImGuiIO& io);
  // Maps the codes to ImGuiKey_…; call once per context.
  static void map_keys(ImGuiIO& io);

 private:
  enum class Kind { move, button, wheel, key, character };
  struct Event {
    Kind kind;
    int code = 0;
    bool down = false;
    float x = 0, y = 0;
  };
  std::deque<Event> events_;
};

}  // namespace pairs::gui
