#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

#include "app/gui/platform/recorder.h"

// Keyboard navigation. Every drawn control registers itself; Tab and Shift+Tab move through them in drawing order,
// across child windows, and only through a dialog or menu while one is open. Enter and Space press the focused control,
// arrows move a slider, up and down move through a menu. Dear ImGui's own keyboard navigation is off because its arrows
// would also move the focus.
namespace pairs::gui::keyboard {

// Takes the keys of this frame; call before anything is drawn.
void begin_frame();

// The keyboard state of a control that was just drawn.
struct Held {
  bool focused = false;  // it has the focus, shown as a ring
  bool pressed = false;  // Enter or Space in this frame, if Dear ImGui cannot press it itself (plots)
  int steps = 0;         // for a slider: steps by arrow keys in this frame, tens with Shift
};
// Registers the last item of Dear ImGui, or `id`, with the keyboard and the recorder.
Held offer(Item item, ImGuiID id = 0);
Held offer(std::string_view name, ItemKind kind, ImVec2 min, ImVec2 max, std::string_view text = {}, ImGuiID id = 0);

// Where a control was drawn last; none if it is not in the window.
struct Place {
  ImVec2 min, max, clip_min, clip_max;
};
std::optional<Place> place_of(std::string_view name);

// Whether the focused control uses this key, which then has no other effect.
bool takes_space();
bool takes_arrows();
// Reserves the next Tab for a text field with completion.
void keep_tab();
// Whether Enter presses the first button of the dialog being drawn: it is the topmost, no text is being typed and no
// control has the focus. True for the first caller.
bool take_enter();

}  // namespace pairs::gui::keyboard
