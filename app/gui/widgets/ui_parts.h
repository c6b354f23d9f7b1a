#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"

// Internals shared by the widgets of ui.h; not for panels.
namespace pairs::gui::ui {

// Registers a drawn item with the recorder and the keyboard. `paper`: the background of its `ink_color`.
keyboard::Held record(std::string_view name, ItemKind kind, ImVec2 min, ImVec2 max, bool enabled,
                      std::string_view label, bool clipped = false, ImU32 ink_color = 0, ImU32 paper = 0,
                      ImU32 edge = 0, ImGuiID id = 0);

// The boundary of a control while it is drawn.
struct Edge {
  Edge() : color(palette().edge) {
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, px(1));
    ImGui::PushStyleColor(ImGuiCol_Border, color);
  }
  ~Edge() {
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }
  ImU32 color;
};

// The available width for a widget that requests `width` pixels (0: all).
float wish(float width);
// The text with lines broken at blanks to fit `width`. A wider word is left to Dear ImGui, which breaks lines after any
// comma or point, also within numbers.
std::string lines_of(std::string_view text, ImFont* font, float width);
// The pixels up to the right edge.
float text_room();
// Shows why the last item is blocked, else its tip, once the mouse rests on it.
void show_tip(std::string_view tip_text, std::string_view blocked);
// Shows the tip of a part of the last item, from `min` to `max`.
void show_tip_of(ImVec2 min, ImVec2 max, std::string_view tip_text, std::string_view blocked);

// The position of a tip of `size` pixels that covers nothing of `min` to `max`: below it, else above it, else at its
// side; `at_side`: there first. Below the mouse if there is no such space.
ImVec2 tip_place(ImVec2 size, ImVec2 min, ImVec2 max, bool at_side = false);
constexpr float kTipAcross = 12, kTipDown = 8;  // around a tip's text, at scale 1

// As Surface, for drawing that begins and ends in different functions.
void push_surface(ImU32 color);
void pop_surface();

// An id for Dear ImGui that depends only on the name: a label may change while the control has the focus.
std::string id_of(std::string_view label, std::string_view name);
// The longest beginning of `text` that fits with "…".
std::string fitted(std::string_view text, Look look, float width);

}  // namespace pairs::gui::ui
