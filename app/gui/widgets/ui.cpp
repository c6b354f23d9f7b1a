#include "app/gui/widgets/ui.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/gui/widgets/keyboard.h"
#include "core/report/fitted_name.h"
#include "core/report/ticks.h"

namespace pairs::gui::ui {
namespace {

std::vector<ImU32> surfaces;
constexpr double kToastSeconds = 4, kTipSeconds = 0.4, kSliderSteps = 100;
std::string toast_text;
double toast_end = -1;
std::vector<std::filesystem::path> saved_files;

// What is under the mouse and since when.
struct HoveredItem {
  ImVec2 at;
  double since = 0;
  int frame = -1;
};
HoveredItem hovered_item;

struct Card {
  ImVec2 min;
  float width = 0;
  std::string name;
};
Card card;
bool in_card = false;

keyboard::Held record(std::string_view name, ItemKind kind, ImVec2 min, ImVec2 max, bool enabled,
                      std::string_view label, bool clipped = false, ImU32 ink_color = 0, ImU32 paper = 0,
                      ImU32 edge = 0, ImGuiID id = 0) {
  if (kind == ItemKind::text && !recorder().on()) return {};
  Item item;
  item.name = name;
  item.kind = kind;
  item.min = min;
  item.max = max;
  item.enabled = enabled;
  item.text = label;
  item.clipped = clipped;
  item.ink = ink_color;
  item.paper = paper;
  item.edge = edge;
  item.behind = edge ? surface() : 0;
  return keyboard::offer(std::move(item), id);
}

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

float wish(float width) {
  const float left =
      in_card ? card.min.x + card.width - px(16) - ImGui::GetCursorScreenPos().x : ImGui::GetContentRegionAvail().x;
  return width > 0 ? std::min(width, std::max(left, px(20))) : std::max(left, px(20));
}

void show_tip(std::string_view tip_text, std::string_view blocked) {
  const std::string_view shown = blocked.empty() ? tip_text : blocked;
  if (shown.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  // Texts have no id, so Dear ImGui does not count how long they are under the mouse.
  const ImRect& rect = GImGui->LastItemData.Rect;
  const bool same = rect.Min.x == hovered_item.at.x && rect.Min.y == hovered_item.at.y &&
                    ImGui::GetFrameCount() - hovered_item.frame <= 1 && ImGui::GetTime() >= hovered_item.since;
  if (!same) hovered_item = {rect.Min, ImGui::GetTime(), 0};
  hovered_item.frame = ImGui::GetFrameCount();
  if (ImGui::GetTime() - hovered_item.since < kTipSeconds) return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(8)});
  ImGui::BeginTooltip();
  {
    const Surface on(palette().raised);
    ImGui::PushFont(fonts().small);
    ImGui::PushTextWrapPos(px(360));
    ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
  }
  // In its first frame, which is not seen, it has no place yet.
  if (!ImGui::GetCurrentWindowRead()->Hidden)
    record("tip", ItemKind::text, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), true, shown);
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

// Known by its name alone: a label may change while the control has the focus.
std::string id_of(std::string_view label, std::string_view name) {
  std::string id(label);
  id += "###";
  id += name;
  return id;
}

// The longest beginning of `text` that fits with "…".
std::string fitted(std::string_view text, Look look, float width) {
  std::size_t end = text.size();
  std::string cut(text);
  while (end > 0 && text_size(cut, look).x > width) {
    --end;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    cut = std::string(text.substr(0, end)) + "…";
  }
  return cut;
}

std::string pressed_on;    // the button that the last press began on
bool stray_press = false;  // it was the second of two quick clicks, of which the first was meant for another button

// A button that takes another's place under the mouse is not pressed by the second of two quick clicks.
void follow_press(const std::string& name) {
  if (!ImGui::IsItemActivated()) return;
  const ImGuiIO& io = ImGui::GetIO();
  stray_press = io.MouseDown[0] && io.MouseClickedCount[0] > 1 && !pressed_on.empty() && pressed_on != name;
  pressed_on = name;
}

float text_room() {
  return in_card && !GImGui->CurrentTable ? card.min.x + card.width - px(16) - ImGui::GetCursorScreenPos().x
                                          : ImGui::GetContentRegionAvail().x;
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

Surface::Surface(ImU32 color) {
  surfaces.push_back(color);
}
Surface::~Surface() {
  if (!surfaces.empty()) surfaces.pop_back();
}
ImU32 surface() {
  return surfaces.empty() ? palette().window : surfaces.back();
}

ImU32 ink(Look look) {
  const Palette& p = palette();
  switch (look) {
    case Look::muted:
    case Look::small_muted:
      return p.muted;
    case Look::link:
      return p.link;
    case Look::good:
      return p.good;
    case Look::warning:
    case Look::small_warning:
      return p.warning;
    case Look::bad:
    case Look::small_bad:
      return p.bad;
    default:
      return p.text;
  }
}

ImFont* font(Look look) {
  const Fonts& f = fonts();
  switch (look) {
    case Look::strong:
      return f.body_bold;
    case Look::small:
    case Look::small_muted:
    case Look::small_bad:
    case Look::small_warning:
      return f.small;
    case Look::small_strong:
      return f.small_bold;
    case Look::title:
      return f.title;
    default:
      return f.body;
  }
}

ImVec2 text_size(std::string_view text, Look look) {
  ImFont* f = font(look);
  if (text.empty()) return {0, f->FontSize};  // Dear ImGui takes two null pointers for a text that ends in a null
  return f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, text.data(), text.data() + text.size());
}

void text_at(ImVec2 at, std::string_view text, Look look, float width, bool given, std::string_view name) {
  ImFont* f = font(look);
  std::string shown(text);
  const bool cut = width > 0 && text_size(text, look).x > width;
  if (cut) shown = fitted(text, look, width);
  at = {std::floor(at.x), std::floor(at.y)};
  ImGui::GetWindowDrawList()->AddText(f, f->FontSize, at, ImGui::GetColorU32(ink(look)), shown.c_str());
  const ImVec2 size = text_size(shown, look);
  record(name, ItemKind::text, at, {at.x + size.x, at.y + size.y}, true, name.empty() ? shown : std::string(text),
         cut && !given, ink(look), surface());
}

std::string fitted_name(const std::string& name, const std::vector<std::string>& others, Look look, float width) {
  return pairs::fitted_name(name, others, [&](const std::string& shown) { return text_size(shown, look).x <= width; });
}

void swatch(std::string_view name, ImVec2 middle, float radius, ImU32 color, bool filled) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (filled)
    list.AddCircleFilled(middle, radius, color, 16);
  else
    list.AddCircle(middle, radius - px(0.5f), color, 16, px(1.5f));
  record(name, ItemKind::text, {middle.x - radius, middle.y - radius}, {middle.x + radius, middle.y + radius}, true, "",
         false, color);
}

void text(std::string_view text, Look look) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = text_size(text, look);
  const float room = std::max(text_room(), px(16));
  text_at({at.x, at.y + ImGui::GetCurrentWindowRead()->DC.CurrLineTextBaseOffset}, text, look, room);
  ImGui::Dummy({std::min(size.x, room), size.y + ImGui::GetCurrentWindowRead()->DC.CurrLineTextBaseOffset});
  if (size.x > room) show_tip(text, {});
}

void right(std::string_view text, Look look) {
  const float room = text_room(), width = text_size(text, look).x;
  if (width < room) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  ui::text(text, look);
}

void wrapped(std::string_view text, Look look, float width, std::string_view name) {
  width = wish(width);
  ImFont* f = font(look);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = f->CalcTextSizeA(f->FontSize, FLT_MAX, width, text.data(), text.data() + text.size());
  ImGui::GetWindowDrawList()->AddText(f, f->FontSize, {std::floor(at.x), std::floor(at.y)},
                                      ImGui::GetColorU32(ink(look)), text.data(), text.data() + text.size(), width);
  record(name, ItemKind::text, at, {at.x + size.x, at.y + size.y}, true, text, false, ink(look), surface());
  ImGui::Dummy(size);
}

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
  // The number stands beside the rail, where the knob never covers it.
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
    value = std::clamp(value + held.steps * (high - low) / kSliderSteps, low, high);
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
  // The ends come first; a number in between is left out where it has no room.
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
  // Of an open one the last item is its list, to which the keys belong.
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

void label(std::string_view name, std::string_view tip_text, float column) {
  const float start = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = px(column) - px(8);
  text_at({at.x, at.y + ImGui::GetStyle().FramePadding.y}, name, Look::muted, width);
  ImGui::Dummy({width, ImGui::GetFrameHeight()});
  show_tip(tip_text, {});
  ImGui::SameLine(start + px(column) - (ImGui::GetCurrentWindowRead()->DC.GroupOffset.x), 0);
}

void progress(float share, std::string_view label_text, float width) {
  width = wish(width);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + px(6)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, palette().pressed, px(3));
  share = std::clamp(share, 0.0f, 1.0f);
  if (share > 0) list.AddRectFilled(min, {min.x + std::max(px(6), width * share), max.y}, palette().accent, px(3));
  ImGui::Dummy({width, px(6)});
  if (!label_text.empty()) text(label_text, Look::small_muted);
}

void tip(std::string_view text) {
  show_tip(text, {});
}

void help(std::string_view text) {
  ImGui::SameLine(0, px(4));
  ui::text("?", Look::link);
  show_tip(text, {});
}

void begin_card(std::string_view name, float width) {
  IM_ASSERT(!in_card && "no card inside a card");
  card.min = ImGui::GetCursorScreenPos();
  card.width = width > 0 ? width : ImGui::GetContentRegionAvail().x;
  card.name = name;
  surfaces.push_back(palette().raised);
  ImGui::PushID(card.name.c_str());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::BeginGroup();
  ImGui::Dummy({card.width, px(4)});
  ImGui::Indent(px(16));
  in_card = true;
}

void end_card() {
  in_card = false;
  ImGui::Unindent(px(16));
  ImGui::Dummy({card.width, px(4)});
  ImGui::EndGroup();
  const ImVec2 end = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(card.min, {card.min.x + card.width, end.y}, palette().raised, px(8));
  if (theme() == ThemeKind::light) list.AddRect(card.min, {card.min.x + card.width, end.y}, palette().line, px(8));
  list.ChannelsMerge();
  ImGui::PopID();
  surfaces.pop_back();
}

void heading(std::string_view text) {
  ui::text(text, Look::strong);
  space(2);
}

void space(float height) {
  ImGui::Dummy({0, std::max(0.0f, px(height) - ImGui::GetStyle().ItemSpacing.y)});
}

void empty_state(std::string_view title, std::string_view sentence, bool failed) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), start = ImGui::GetCursorPos();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  record("empty-state", ItemKind::plot, corner, {corner.x + room.x, corner.y + room.y}, true, title);
  const float width = std::min(px(460), std::max(room.x - px(32), px(80)));
  ImGui::SetCursorPosY(start.y + std::max(px(16), room.y * 0.3f));
  const float x = start.x + (room.x - width) / 2;
  ImGui::SetCursorPosX(x + std::max(0.0f, (width - text_size(title, Look::title).x) / 2));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  text_at(at, title, failed ? Look::title : Look::title);
  ImGui::Dummy({text_size(title, Look::title).x, text_size(title, Look::title).y});
  ImGui::SetCursorPosX(x);
  wrapped(sentence, failed ? Look::bad : Look::muted, width);
  ImGui::SetCursorPosX(x);
}

void working_state(std::string_view sentence, float share) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), start = ImGui::GetCursorPos();
  const float width = std::min(px(320), std::max(room.x - px(32), px(80)));
  ImGui::SetCursorPos({start.x + (room.x - width) / 2, start.y + room.y * 0.4f});
  progress(share < 0 ? 0.15f : share, "", width);
  ImGui::SetCursorPosX(start.x + (room.x - width) / 2);
  wrapped(sentence, Look::muted, width);
}

float notice_height(Look look, std::string_view sentence, std::string_view button_label) {
  const float button_room = button_label.empty() ? 0 : button_width(button_label) + px(8);
  ImFont* f = font(look);
  const ImVec2 size = f->CalcTextSizeA(f->FontSize, FLT_MAX, wish(0) - px(28) - button_room, sentence.data(),
                                       sentence.data() + sentence.size());
  return std::max(size.y, button_label.empty() ? 0.0f : ImGui::GetFrameHeight()) + px(16);
}

bool notice(std::string_view name, Look look, std::string_view sentence, std::string_view button_label) {
  bool pressed = false;
  const float button_room = button_label.empty() ? 0 : button_width(button_label) + px(8);
  const float width = wish(0), text_width = width - px(28) - button_room;
  ImFont* f = font(look);
  const ImVec2 size =
      f->CalcTextSizeA(f->FontSize, FLT_MAX, text_width, sentence.data(), sentence.data() + sentence.size());
  const float height = notice_height(look, sentence, button_label);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, palette().raised, px(6));
  list.AddRectFilled(min, {min.x + px(4), max.y}, ink(look), px(2));
  const Surface on(palette().raised);
  const ImVec2 at = {std::floor(min.x + px(16)), std::floor(min.y + (height - size.y) / 2)};
  list.AddText(f, f->FontSize, at, ImGui::GetColorU32(ink(look)), sentence.data(), sentence.data() + sentence.size(),
               text_width);
  record(name, ItemKind::text, at, {at.x + size.x, at.y + size.y}, true, sentence, false, ink(look), surface());
  const ImVec2 cursor = ImGui::GetCursorPos();
  if (!button_label.empty()) {
    ImGui::SetCursorScreenPos({max.x - button_room, min.y + (height - ImGui::GetFrameHeight()) / 2});
    pressed = button(std::string(name) + "/button", button_label);
  }
  ImGui::SetCursorPos(cursor);
  ImGui::Dummy({width, height});
  return pressed;
}

Choice offer(std::string_view name, std::string_view sentence, std::string_view accept, std::string_view decline) {
  const float gap = px(8), inset = px(12), width = wish(0);
  const float buttons = button_width(accept) + gap + button_width(decline) + inset;
  const float text_width = width - px(28) - buttons;
  ImFont* f = font(Look::body);
  const ImVec2 size =
      f->CalcTextSizeA(f->FontSize, FLT_MAX, text_width, sentence.data(), sentence.data() + sentence.size());
  const float height = std::max(size.y, ImGui::GetFrameHeight()) + px(16);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
  ImGui::GetWindowDrawList()->AddRectFilled(min, max, palette().raised, px(6));
  ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + px(4), max.y}, palette().accent, px(2));
  const Surface on(palette().raised);
  const ImVec2 cursor = ImGui::GetCursorPos();
  ImGui::SetCursorScreenPos({min.x + px(16), std::floor(min.y + (height - size.y) / 2)});
  wrapped(sentence, Look::body, text_width);
  ImGui::SetCursorScreenPos({max.x - buttons, std::floor(min.y + (height - ImGui::GetFrameHeight()) / 2)});
  Choice choice = Choice::none;
  if (button(std::string(name) + "/accept", accept, Button::primary)) choice = Choice::confirm;
  ImGui::SameLine(0, gap);
  if (button(std::string(name) + "/decline", decline)) choice = Choice::cancel;
  ImGui::SetCursorPos(cursor);
  ImGui::Dummy({width, height});
  return choice;
}

bool begin_dialog(std::string_view name, std::string_view title, bool& open, float width) {
  const std::string id = id_of("", name);
  if (open && !ImGui::IsPopupOpen(id.c_str())) ImGui::OpenPopup(id.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.45f}, ImGuiCond_Always, {0.5f, 0.5f});
  const float wide = std::min(px(width), display.x - px(32));
  ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, display.y * 0.9f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(24), px(20)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(10));
  const bool shown = ImGui::BeginPopupModal(id.c_str(), nullptr,
                                            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleVar(2);
  if (!shown) {
    open = false;
    return false;
  }
  // Dear ImGui 1.86 asserts when another window appears in a dialog's first frame, because it does not yet count as
  // active.
  ImGui::GetCurrentWindow()->WasActive = true;
  surfaces.push_back(palette().raised);
  if (!title.empty()) {
    ui::text(title, Look::title);
    space(4);
  }
  if (!open || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) {
    open = false;
    ImGui::CloseCurrentPopup();
  }
  return true;
}

void end_dialog() {
  surfaces.pop_back();
  ImGui::EndPopup();
}

Choice choose(std::string_view name, std::string_view label, Button kind, std::string_view cancel_name,
              std::string_view blocked) {
  space(8);
  const bool done = button(name, label, kind, blocked);
  ImGui::SameLine();
  const bool cancelled = button(cancel_name, "Cancel");
  return done ? Choice::confirm : cancelled ? Choice::cancel : Choice::none;
}

void copy(std::string_view text) {
  ImGui::SetClipboardText(std::string(text).c_str());
  toast("Copied to the clipboard");
}

void saved(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  saved_files.push_back(error ? file : whole.lexically_normal());
}

std::vector<std::filesystem::path> take_saved() {
  return std::exchange(saved_files, {});
}

void toast(std::string_view text) {
  toast_text = text;
  toast_end = ImGui::GetTime() + kToastSeconds;
}

bool toast_shown() {
  return ImGui::GetTime() < toast_end;
}

void draw_toast() {
  if (!toast_shown()) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  std::string shown = toast_text;
  std::size_t from = 0;
  while (from < toast_text.size() && text_size(shown).x > display.x - px(96)) {
    ++from;
    while (from < toast_text.size() && (static_cast<unsigned char>(toast_text[from]) & 0xC0) == 0x80) ++from;
    shown = "…" + toast_text.substr(from);
  }
  const ImVec2 size = text_size(shown);
  const ImVec2 min = {std::floor((display.x - size.x) / 2 - px(16)), display.y - px(48) - size.y - px(16)};
  const ImVec2 max = {min.x + size.x + px(32), min.y + size.y + px(16)};
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled(min, max, palette().accent, px(8));
  list.AddText(font(Look::body), font(Look::body)->FontSize, {min.x + px(16), min.y + px(8)}, palette().on_accent,
               shown.c_str());
  record("toast", ItemKind::text, {min.x + px(16), min.y + px(8)}, {max.x - px(16), max.y - px(8)}, true, toast_text);
}

bool tip_waiting() {
  return hovered_item.frame == ImGui::GetFrameCount() && ImGui::GetTime() - hovered_item.since <= kTipSeconds;
}

void recover() {
  in_card = false;
  surfaces.clear();
}

}  // namespace pairs::gui::ui
