#include "app/gui/widgets/ui.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/widgets/ui_parts.h"
#include "core/report/fitted_name.h"

namespace pairs::gui::ui {
namespace {

std::vector<ImU32> surfaces;
constexpr double kTipSeconds = 0.4;

// The item under the mouse, and since when.
struct HoveredItem {
  ImVec2 at;
  double since = 0;
  int frame = -1;
};
HoveredItem hovered_item;
double soonest = INFINITY;  // seconds until this frame is out of date

struct Card {
  ImVec2 min;
  float width = 0;
  std::string name;
};
Card card;
bool in_card = false;

// Added to the width of a line, so that rounding does not break it again.
constexpr float kLineSlack = 1;

}  // namespace

std::string lines_of(std::string_view text, ImFont* font, float width) {
  const auto wide = [&](std::string_view word) {
    return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, word.data(), word.data() + word.size()).x;
  };
  const float blank = wide(" ");
  std::string out;
  out.reserve(text.size());
  float line = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", from), text.size());
    const std::string_view word = text.substr(from, end - from);
    const float size = wide(word);
    if (line > 0 && line + size > width) {
      if (out.ends_with(' ')) out.pop_back();
      out += '\n';
      line = 0;
    }
    out += word;
    line += size;
    if (end < text.size()) out += text[end];
    line = end < text.size() && text[end] == '\n' ? 0 : line + blank;
    from = end + 1;
  }
  return out;
}

keyboard::Held record(std::string_view name, ItemKind kind, ImVec2 min, ImVec2 max, bool enabled,
                      std::string_view label, bool clipped, ImU32 ink_color, ImU32 paper, ImU32 edge, ImGuiID id) {
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

float wish(float width) {
  const float left =
      in_card ? card.min.x + card.width - px(16) - ImGui::GetCursorScreenPos().x : ImGui::GetContentRegionAvail().x;
  return width > 0 ? std::min(width, std::max(left, px(20))) : std::max(left, px(20));
}

float text_room() {
  return in_card && !GImGui->CurrentTable ? card.min.x + card.width - px(16) - ImGui::GetCursorScreenPos().x
                                          : ImGui::GetContentRegionAvail().x;
}

ImVec2 tip_place(ImVec2 size, ImVec2 min, ImVec2 max, bool at_side) {
  const ImVec2 display = ImGui::GetIO().DisplaySize, mouse = ImGui::GetIO().MousePos;
  const float gap = px(6), edge = px(4);
  const auto within = [&](ImVec2 at) {
    return ImVec2{std::floor(std::clamp(at.x, edge, std::max(edge, display.x - edge - size.x))),
                  std::floor(std::clamp(at.y, edge, std::max(edge, display.y - edge - size.y)))};
  };
  const ImVec2 below = {mouse.x - px(12), max.y + gap}, above = {mouse.x - px(12), min.y - gap - size.y},
               right = {max.x + gap, mouse.y - px(12)}, left = {min.x - gap - size.x, mouse.y - px(12)};
  const bool low = below.y + size.y <= display.y - edge, high = above.y >= edge;
  const bool east = right.x + size.x <= display.x - edge, west = left.x >= edge;
  if (at_side && (east || west)) return within(east ? right : left);
  if (low || high) return within(low ? below : above);
  if (east || west) return within(east ? right : left);
  return within({mouse.x + px(16), mouse.y + px(20)});
}

void show_tip(std::string_view tip_text, std::string_view blocked) {
  const ImRect& rect = GImGui->LastItemData.Rect;
  show_tip_of(rect.Min, rect.Max, tip_text, blocked);
}

void show_tip_of(ImVec2 min, ImVec2 max, std::string_view tip_text, std::string_view blocked) {
  const std::string_view shown = blocked.empty() ? tip_text : blocked;
  if (shown.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  // Texts have no id, so Dear ImGui does not count how long they are under the mouse.
  const ImRect rect(min, max);
  const bool same = rect.Min.x == hovered_item.at.x && rect.Min.y == hovered_item.at.y &&
                    ImGui::GetFrameCount() - hovered_item.frame <= 1 && ImGui::GetTime() >= hovered_item.since;
  if (!same) hovered_item = {rect.Min, ImGui::GetTime(), 0};
  hovered_item.frame = ImGui::GetFrameCount();
  if (const double left = kTipSeconds - (ImGui::GetTime() - hovered_item.since); left > 0) return again_in(left);
  ImFont* const f = fonts().small;
  const ImVec2 padding = {px(kTipAcross), px(kTipDown)};
  const float room = px(360) - padding.x;
  const std::string lines = lines_of(shown, f, room);
  const ImVec2 text =
      f->CalcTextSizeA(f->FontSize, FLT_MAX, room + kLineSlack, lines.data(), lines.data() + lines.size());
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::SetNextWindowPos(tip_place({text.x + 2 * padding.x, text.y + 2 * padding.y}, rect.Min, rect.Max));
  ImGui::BeginTooltip();
  {
    const Surface on(palette().raised);
    ImGui::PushFont(f);
    ImGui::PushTextWrapPos(px(360) + kLineSlack);
    ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
  }
  // In its first frame, which is invisible, it has no position yet.
  if (ImGui::GetCurrentWindowRead()->Hidden)
    again_in(0);
  else
    record("tip", ItemKind::text, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), true, shown);
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

std::string id_of(std::string_view label, std::string_view name) {
  std::string id(label);
  id += "###";
  id += name;
  return id;
}

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

void push_surface(ImU32 color) {
  surfaces.push_back(color);
}

void pop_surface() {
  if (!surfaces.empty()) surfaces.pop_back();
}

Surface::Surface(ImU32 color) {
  push_surface(color);
}
Surface::~Surface() {
  pop_surface();
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

bool name_at(ImVec2 at, const std::string& name, const std::vector<std::string>& others, Look look, float width,
             std::string_view recorded) {
  const std::string shown = fitted_name(name, others, look, width);
  ImFont* const f = font(look);
  at = {std::floor(at.x), std::floor(at.y)};
  ImGui::GetWindowDrawList()->AddText(f, f->FontSize, at, ImGui::GetColorU32(ink(look)), shown.c_str());
  const ImVec2 size = text_size(shown, look);
  record(recorded, ItemKind::text, at, {at.x + size.x, at.y + size.y}, true, name, false, ink(look), surface());
  return shown != name;
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
  const std::string lines = lines_of(text, f, width);
  const float room = width + kLineSlack;
  const ImVec2 size = f->CalcTextSizeA(f->FontSize, FLT_MAX, room, lines.data(), lines.data() + lines.size());
  ImGui::GetWindowDrawList()->AddText(f, f->FontSize, {std::floor(at.x), std::floor(at.y)},
                                      ImGui::GetColorU32(ink(look)), lines.data(), lines.data() + lines.size(), room);
  record(name, ItemKind::text, at, {at.x + size.x, at.y + size.y}, true, text, false, ink(look), surface());
  ImGui::Dummy(size);
}

float wrapped_height(std::string_view text, Look look, float width) {
  ImFont* const f = font(look);
  const std::string lines = lines_of(text, f, width);
  return f->CalcTextSizeA(f->FontSize, FLT_MAX, width + kLineSlack, lines.data(), lines.data() + lines.size()).y;
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

void tip_of(ImVec2 min, ImVec2 max, std::string_view text) {
  show_tip_of(min, max, text, {});
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
  push_surface(palette().raised);
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
  pop_surface();
}

void heading(std::string_view text) {
  ui::text(text, Look::strong);
  space(2);
}

void space(float height) {
  ImGui::Dummy({0, std::max(0.0f, px(height) - ImGui::GetStyle().ItemSpacing.y)});
}

void again_in(double seconds) {
  soonest = std::min(soonest, seconds);
}

double take_again() {
  return std::exchange(soonest, INFINITY);
}

void recover() {
  in_card = false;
  surfaces.clear();
}

}  // namespace pairs::gui::ui
