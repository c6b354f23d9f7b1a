#include "app/gui/platform/input.h"

#include <array>
#include <bitset>

namespace pairs::gui {

void Input::map_keys(ImGuiIO& io) {
  // Tab is not among them: keyboard.h handles it.
  io.KeyMap[ImGuiKey_LeftArrow] = key::left;
  io.KeyMap[ImGuiKey_RightArrow] = key::right;
  io.KeyMap[ImGuiKey_UpArrow] = key::up;
  io.KeyMap[ImGuiKey_DownArrow] = key::down;
  io.KeyMap[ImGuiKey_PageUp] = key::page_up;
  io.KeyMap[ImGuiKey_PageDown] = key::page_down;
  io.KeyMap[ImGuiKey_Home] = key::home;
  io.KeyMap[ImGuiKey_End] = key::end;
  io.KeyMap[ImGuiKey_Insert] = key::insert;
  io.KeyMap[ImGuiKey_Delete] = key::del;
  io.KeyMap[ImGuiKey_Backspace] = key::backspace;
  io.KeyMap[ImGuiKey_Space] = key::space;
  io.KeyMap[ImGuiKey_Enter] = key::enter;
  io.KeyMap[ImGuiKey_Escape] = key::escape;
  io.KeyMap[ImGuiKey_KeyPadEnter] = key::keypad_enter;
  for (const auto& [imgui, letter] : {std::pair{ImGuiKey_A, 'A'},
                                      {ImGuiKey_C, 'C'},
                                      {ImGuiKey_V, 'V'},
                                      {ImGuiKey_X, 'X'},
                                      {ImGuiKey_Y, 'Y'},
                                      {ImGuiKey_Z, 'Z'}})
    io.KeyMap[imgui] = letter;
}

bool Input::apply(ImGuiIO& io) {
  if (events_.empty()) return false;
  std::bitset<8> buttons;
  std::bitset<512> keys;
  bool pressed = false;
  while (!events_.empty()) {
    const Event& event = events_.front();
    switch (event.kind) {
      case Kind::move:
        if (pressed) return true;  // the press belongs to the previous mouse position
        io.MousePos = {event.x, event.y};
        break;
      case Kind::button:
        if (event.code < 0 || event.code >= 5) break;
        if (buttons[static_cast<std::size_t>(event.code)]) return true;
        buttons.set(static_cast<std::size_t>(event.code));
        io.MouseDown[event.code] = event.down;
        pressed = true;
        break;
      case Kind::wheel:
        io.MouseWheelH += event.x;
        io.MouseWheel += event.y;
        break;
      case Kind::key: {
        if (event.code < 0 || event.code >= 512) break;
        const bool modifier = event.code >= key::left_shift && event.code < key::left_shift + 8;
        if (modifier && pressed) return true;  // the press belongs to the previous modifiers
        // Letters of a text are taken at once: only their characters count.
        if (keys[static_cast<std::size_t>(event.code)] &&
            !(io.WantTextInput && !io.KeyCtrl && event.code < key::escape))
          return true;
        keys.set(static_cast<std::size_t>(event.code));
        pressed = pressed || (event.down && !modifier);
        io.KeysDown[event.code] = event.down;
        const auto held = [&](int left) { return io.KeysDown[left] || io.KeysDown[left + 4]; };
        io.KeyShift = held(key::left_shift);
        io.KeyCtrl = held(key::left_control);
        io.KeyAlt = held(key::left_alt);
        io.KeySuper = held(key::left_super);
        break;
      }
      case Kind::character:
        io.AddInputCharacter(static_cast<unsigned>(event.code));
        break;
    }
    events_.pop_front();
  }
  return true;
}

}  // namespace pairs::gui
