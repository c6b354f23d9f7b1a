#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"

// What the widgets of ui.h share among their files; panels have no use for it.
namespace pairs::gui::ui {

// Tells the recorder and the keyboard of an item that was drawn. `paper`: what its `ink_color` stands on.
keyboard::Held record(std::string_view name, ItemKind kind, ImVec2 min, ImVec2 max, bool enabled,
                      std::string_view label, bool clipped = false, ImU32 ink_color = 0, ImU32 paper = 0,
                      ImU32 edge = 0, ImGuiID id = 0);

// The boundary of a control, while it is drawn.
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

// Pixels for a widget that wishes so many (0: all) where there may be less room.
float wish(float width);
// The text with its lines broken at blanks so that none is wider than `width`. A word that is wider alone is left to
// Dear ImGui, which breaks lines behind any comma or point, within numbers, too.
std::string lines_of(std::string_view text, ImFont* font, float width);
// Pixels to the right edge.
float text_room();
// Of what was drawn last: the reason why it is blocked, else its tip, once the mouse rests on it.
void show_tip(std::string_view tip_text, std::string_view blocked);
// Shows the tip of a part of what was drawn last, from `min` to `max`.
void show_tip_of(ImVec2 min, ImVec2 max, std::string_view tip_text, std::string_view blocked);

// Where a tip of `size` pixels stands that covers nothing of `min` to `max`: below it, else above it, else at its side;
// `beside`: at its side first. Below the mouse where what it explains leaves no such room.
ImVec2 tip_place(ImVec2 size, ImVec2 min, ImVec2 max, bool beside = false);
constexpr float kTipAcross = 12, kTipDown = 8;  // around a tip's text, at scale 1

// What Surface does, for what begins and ends in different functions.
void push_surface(ImU32 color);
void pop_surface();

// An id for Dear ImGui, known by its name alone: a label may change while the control has the focus.
std::string id_of(std::string_view label, std::string_view name);
// The longest beginning of `text` that fits with "…".
std::string fitted(std::string_view text, Look look, float width);

}  // namespace pairs::gui::ui
