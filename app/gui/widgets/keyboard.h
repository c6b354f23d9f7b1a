#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

#include "app/gui/platform/recorder.h"

// The way through the window without a mouse. Every control that is drawn offers itself; Tab and Shift+Tab lead through
// them in the order of drawing, across child windows, and through a dialog's or menu's alone while one is open. Enter
// and Space press the control that has the focus, arrows move a slider, up and down lead through a menu. Dear ImGui's
// own keyboard navigation is off: its arrows would move the focus beside what they move here.
namespace pairs::gui::keyboard {

// Takes the keys of this frame; before anything is drawn.
void begin_frame();

// What a control that has just been drawn learns.
struct Held {
  bool focused = false;  // it has the focus, and a ring around it
  bool pressed = false;  // Enter or Space in this frame, where Dear ImGui cannot press it itself (plots)
  int steps = 0;         // of a slider: by how many steps arrows move it in this frame, tens with Shift
};
// Of the last item of Dear ImGui, or of `id` where that is not it. Tells the recorder, too.
Held offer(Item item, ImGuiID id = 0);
Held offer(std::string_view name, ItemKind kind, ImVec2 min, ImVec2 max, std::string_view text = {}, ImGuiID id = 0);

// Where a control was drawn last; nothing where it is not in the window.
struct Place {
  ImVec2 min, max, clip_min, clip_max;
};
std::optional<Place> place_of(std::string_view name);

// Whether the control with the focus takes this key, so that it means nothing else.
bool takes_space();
bool takes_arrows();
// A text that completes what is typed keeps the next Tab for itself.
void keep_tab();
// Whether Enter means the first button of the dialog that is being drawn: it is the topmost, no text is typed and no
// control has the focus. True for the first that asks.
bool take_enter();

}  // namespace pairs::gui::keyboard
