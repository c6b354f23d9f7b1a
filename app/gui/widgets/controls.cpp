#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/gui/widgets/ui.h"
#include "app/gui/widgets/ui_parts.h"
#include "core/report/ticks.h"

namespace pairs::gui::ui {
namespace {

constexpr double kSliderSteps = 100;

std::string pressed_on;    // the button on which the last press started
bool stray_press = false;  // it was the second of two quick clicks, the first of which was on another button

// A button that replaces another under the mouse is not pressed by the second of two quick clicks.
void follow_press(const std::string& name) {
  if (!ImGui::IsItemActivated()) return;
  const ImGuiIO& io = ImGui::GetIO();
  stray_press = io.MouseDown[0] && io.MouseClickedCount[0] > 1 && !pressed_on.empty() && pressed_on != name;
  pressed_on = name;
}

std::string count(std::int64_t value) {
  return chart::grouped_number(static_cast<double>(value), 0);
}

// Whole numbers up to a hundred, two digits beyond.
std::int64_t next_count(std::int64_t value, int direction) {
  std::int64_t step = 1;
  while ((direction < 0 ? value - 1 : value) / step >= 100) step *= 10;
  return (direction > 0 ? value / step + 1 : (value - 1) / step) * step;
}

std::string slider_text(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text[0] == '-' ? "−" + std::string(text + 1) : text;
}

}  // namespace

float button_width(std::string_view label) {
  return text_size(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

bool button(std::string_view name, std::string_view label, Button kind, std::string_view blocked,
            std::string_view tip_text, float width) {
  const Palette& p = palette();
  ImU32 back = p.hovered, hover = p.pressed, ink_color = p.text;
  if (kind == Button::primary) back = p.accent, hover = p.accent_hovered, ink_color = p.on_accent;
  if (kind == Button::quiet) back = 0, hover = p.hovered;
  if (kind == Button::danger) ink_color = p.bad;
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  const float wide = width > 0 ? width : text_size(label).x + 2 * padding.x;
  ImGui::BeginDisabled(!blocked.empty());
  ImGui::PushStyleColor(ImGuiCol_Button, back);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, hover);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, hover);
  ImGui::PushStyleColor(ImGuiCol_Text, ink_color);
  const bool edged = kind == Button::normal || kind == Button::danger;
  std::optional<Edge> edge;
  if (edged) edge.emplace();
  const std::string id = id_of(label, name);
  bool pressed = ImGui::Button(id.c_str(), {wide, 0});
  edge.reset();
  follow_press(std::string(name));
  if (stray_press) pressed = false;
  ImGui::PopStyleColor(4);
  ImGui::EndDisabled();
  const bool does_it = kind == Button::primary || kind == Button::danger;
  if (does_it && blocked.empty() && keyboard::take_enter()) pressed = true;
  record(name, ItemKind::button, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), blocked.empty(), label,
         text_size(label).x > wide + 1, blocked.empty() ? ink_color : 0, back ? back : surface(),
         edged && blocked.empty() ? palette().edge : 0);
  show_tip(tip_text, blocked);
  return pressed;
}

bool segment(std::string_view name, std::string_view label, bool chosen, std::string_view tip_text,
             std::string_view blocked) {
  const Palette& p = palette();
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  ImGui::BeginDisabled(!blocked.empty());
  const ImU32 back = chosen ? p.accent : p.hovered;
  ImGui::PushStyleColor(ImGuiCol_Button, back);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, chosen ? p.accent_hovered : p.pressed);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, chosen ? p.accent_hovered : p.pressed);
  ImGui::PushStyleColor(ImGuiCol_Text, chosen ? p.on_accent : p.text);
  std::optional<Edge> edge;
  if (!chosen) edge.emplace();
  const bool pressed = ImGui::Button(id_of(label, name).c_str(), {text_size(label).x + 2 * padding.x, 0});
  edge.reset();
  ImGui::PopStyleColor(4);
  ImGui::EndDisabled();
  record(name, ItemKind::button, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), blocked.empty(), label, false,
         blocked.empty() ? (chosen ? p.on_accent : p.text) : 0, back, chosen ? p.accent : p.edge);
  show_tip(tip_text, blocked);
  return pressed;
}

bool toggle(std::string_view name, std::string_view label, bool& on, std::string_view tip_text,
            std::string_view blocked) {
  ImGui::BeginDisabled(!blocked.empty());
  bool changed = false;
  {
    const Edge edge;
    changed = ImGui::Checkbox(id_of(label, name).c_str(), &on);
  }
  ImGui::EndDisabled();
  record(name, ItemKind::toggle, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), blocked.empty(), label, false,
         palette().text, surface(), palette().edge);
  show_tip(tip_text, blocked);
  return changed;
}

bool row(std::string_view name, bool chosen, float height, ImVec2& min, ImVec2& max, std::string_view tip_text) {
  const float width = wish(0);
  min = ImGui::GetCursorScreenPos();
  max = {min.x + width, min.y + height};
  const bool pressed = ImGui::InvisibleButton(std::string(name).c_str(), {width, height});
  const bool hovered = ImGui::IsItemHovered();
  if (chosen || hovered)
    ImGui::GetWindowDrawList()->AddRectFilled(min, max, chosen ? palette().hovered : palette().raised, px(6));
  record(name, ItemKind::row, min, max, true, name);
  show_tip(tip_text, {});
  return pressed;
}

bool slider(std::string_view name, double& value, double low, double high, const char* format,
            std::string_view tip_text, float width) {
  width = wish(width);
  // The number is next to the rail, where the knob never covers it.
  float room = 0;
  for (const double end : {low, high}) room = std::max(room, text_size(slider_text(end, format), Look::body).x);
  room = px(8) * std::ceil(room / px(8));
  const std::string id = id_of("", name);
  ImGui::BeginGroup();
  ImGui::SetNextItemWidth(std::max(width - room - px(8), px(20)));
  const bool typing = ImGui::TempInputIsActive(ImGui::GetID(id.c_str()));
  if (!typing)
    for (const ImGuiCol color : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_SliderGrab,
                                 ImGuiCol_SliderGrabActive, ImGuiCol_Text})
      ImGui::PushStyleColor(color, 0);
  double edited = value;
  ImGui::SliderScalar(id.c_str(), ImGuiDataType_Double, &edited, &low, &high, format, ImGuiSliderFlags_AlwaysClamp);
  if (!typing) ImGui::PopStyleColor(6);
  bool changed = edited != value;
  const bool live = ImGui::IsItemActive() || ImGui::IsItemHovered();
  value = edited;
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const keyboard::Held held =
      record(name, ItemKind::slider, min, max, true, slider_text(value, format), false, 0, 0, palette().edge);
  show_tip(ImGui::IsItemActive() ? std::string_view() : tip_text, {});
  if (held.steps != 0) {
    double step = (high - low) / kSliderSteps;
    if (std::string_view(format).starts_with("%.0f")) step = std::max(std::round(step), 1.0);
    value = std::clamp(value + held.steps * step, low, high);
    changed = value != edited || changed;
  }
  if (!typing) {
    const float inset = 2 + ImGui::GetStyle().GrabMinSize / 2, from = min.x + inset, to = max.x - inset;
    const float rail = std::floor((min.y + max.y) / 2);
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0;
    const float knob = from + static_cast<float>(share) * (to - from);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Palette& p = palette();
    list.AddRectFilled({from, rail - px(2)}, {to, rail + px(2)}, p.edge, px(2));
    list.AddRectFilled({from, rail - px(2)}, {knob, rail + px(2)}, p.accent, px(2));
    list.AddCircleFilled({knob, rail}, live ? px(8) : px(7), ImGui::IsItemActive() ? p.accent_hovered : p.accent, 24);
    list.AddCircleFilled({knob, rail}, px(2.5f), p.on_accent, 12);
  }
  const std::string shown = slider_text(value, format);
  const ImVec2 size = text_size(shown, Look::body);
  text_at({min.x + width - size.x, min.y + ImGui::GetStyle().FramePadding.y}, shown, Look::body);
  ImGui::SameLine(0, 0);
  ImGui::Dummy({std::max(1.0f, min.x + width - max.x), max.y - min.y});
  ImGui::EndGroup();
  return changed;
}

bool log_slider(std::string_view name, std::int64_t& value, std::int64_t low, std::int64_t high,
                std::string_view tip_text, float width, int* steps) {
  width = wish(width);
  const float height = px(34), radius = px(8), inset = px(10);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
  ImGui::InvisibleButton(std::string(name).c_str(), {width, height});
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  const double span = std::log(static_cast<double>(std::max(high, low + 1)) / static_cast<double>(low));
  const float from = min.x + inset, to = max.x - inset, rail = min.y + px(11);
  const auto place = [&](double n) {
    return from + (to - from) * static_cast<float>(std::log(n / static_cast<double>(low)) / span);
  };
  bool changed = false;
  if (active) {
    const double share = std::clamp((ImGui::GetIO().MousePos.x - from) / std::max(to - from, 1.0f), 0.0f, 1.0f);
    const auto wanted = std::clamp(
        static_cast<std::int64_t>(std::llround(static_cast<double>(low) * std::exp(share * span))), low, high);
    changed = wanted != value;
    value = wanted;
  }
  const int held =
      record(name, ItemKind::slider, min, {max.x, min.y + px(22)}, true, count(value), false, 0, 0, palette().edge)
          .steps;
  if (steps) *steps = held;
  for (int k = 0; !steps && k < std::abs(held); ++k) {
    const std::int64_t next = std::clamp(next_count(value, held > 0 ? 1 : -1), low, high);
    changed = changed || next != value;
    value = next;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& p = palette();
  list.AddRectFilled({from, rail - px(2)}, {to, rail + px(2)}, p.edge, px(2));
  const float knob = place(static_cast<double>(std::clamp(value, low, high)));
  list.AddRectFilled({from, rail - px(2)}, {knob, rail + px(2)}, p.accent, px(2));
  // The bounds come first; a number in between is omitted if there is no space.
  float free_from = min.x - px(8), free_to = max.x + px(8);
  const auto tick = [&](std::int64_t n) {
    const float x = place(static_cast<double>(n));
    list.AddLine({x, rail + px(5)}, {x, rail + px(9)}, p.muted, px(1));
    const std::string number = count(n);
    const float wide = text_size(number, Look::small_muted).x;
    const float left = std::clamp(x - wide / 2, min.x, std::max(min.x, max.x - wide));
    if (left < free_from + px(8) || left + wide > free_to - px(8)) return;
    text_at({left, rail + px(9)}, number, Look::small_muted);
    if (n == high)
      free_to = left;
    else
      free_from = left + wide;
  };
  tick(low);
  tick(high);
  for (std::int64_t n = 1; n > 0 && n < high; n *= 10)
    if (n > low) tick(n);
  list.AddCircleFilled({knob, rail}, active || hovered ? radius + px(1) : radius, active ? p.accent_hovered : p.accent,
                       24);
  list.AddCircleFilled({knob, rail}, px(3), p.on_accent, 12);
  show_tip(active ? std::string_view() : tip_text, {});
  return changed;
}

bool combo(std::string_view name, int& index, std::span<const std::string> items, std::string_view tip_text,
           float width, std::string_view blocked) {
  ImGui::SetNextItemWidth(wish(width));
  ImGui::BeginDisabled(!blocked.empty());
  const bool any = index >= 0 && index < static_cast<int>(items.size());
  const std::string shown = any ? items[static_cast<std::size_t>(index)] : "";
  bool changed = false;
  const ImGuiID id = ImGui::GetID(id_of("", name).c_str());
  std::optional<Edge> edge(std::in_place);
  const bool open = ImGui::BeginCombo(id_of("", name).c_str(), shown.c_str());
  edge.reset();
  // The last item of an open combo box is its list, which receives the keys.
  if (!open) {
    const float room = ImGui::GetItemRectSize().x - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    record(name, ItemKind::combo, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), blocked.empty(), shown,
           text_size(shown).x > room + 1, 0, 0, palette().edge, id);
  }
  if (!open) show_tip(tip_text, blocked);
  if (open) {
    const Surface on(palette().raised);
    for (int i = 0; i < static_cast<int>(items.size()); ++i) {
      const std::string& item = items[static_cast<std::size_t>(i)];
      if (ImGui::Selectable(id_of(item, fmt::format("{}/{}", name, i)).c_str(), i == index)) {
        changed = i != index;
        index = i;
      }
      record(fmt::format("{}/{}", name, i), ItemKind::row, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), true,
             item);
    }
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
  return changed;
}

bool input(std::string_view name, std::string& value, std::string_view hint, std::string_view tip_text, float width,
           std::string_view blocked, bool select) {
  ImGui::SetNextItemWidth(wish(width));
  ImGui::BeginDisabled(!blocked.empty());
  const std::string before = value;
  std::optional<Edge> edge(std::in_place);
  const bool entered =
      ImGui::InputTextWithHint(id_of("", name).c_str(), std::string(hint).c_str(), &value,
                               ImGuiInputTextFlags_EnterReturnsTrue | (select ? ImGuiInputTextFlags_AutoSelectAll : 0));
  edge.reset();
  const bool left = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::EndDisabled();
  const float value_room = ImGui::GetItemRectSize().x - 2 * ImGui::GetStyle().FramePadding.x;
  record(name, ItemKind::input, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), blocked.empty(), value,
         text_size(value.empty() ? hint : std::string_view(value)).x > value_room + 1, 0, 0, palette().edge);
  if (!ImGui::IsItemActive()) show_tip(tip_text, blocked);
  return entered || left;
}

}  // namespace pairs::gui::ui
