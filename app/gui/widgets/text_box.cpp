#include "app/gui/widgets/text_box.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <optional>

#include "app/gui/platform/input.h"
#include "app/gui/widgets/ui_parts.h"

namespace pairs::gui::ui {

TextBox text_box(std::string_view name, std::string& value, std::string_view hint, std::string_view tip_text,
                 float height, std::string_view blocked) {
  const std::string before = value;
  ImGui::BeginDisabled(!blocked.empty());
  // Dear ImGui does not wrap lines; while the user is not typing, they are drawn wrapped instead.
  const ImGuiID id = ImGui::GetID(id_of("", name).c_str());
  const bool typing = GImGui->ActiveId == id;
  if (!typing) ImGui::PushStyleColor(ImGuiCol_Text, 0);
  std::optional<Edge> edge(std::in_place);
  ImGui::InputTextMultiline(id_of("", name).c_str(), &value, {text_room(), height});
  edge.reset();
  if (!typing) ImGui::PopStyleColor();
  // Dear ImGui would undo everything typed.
  if (ImGui::IsKeyPressed(key::escape, false)) value = before;
  const bool ended = ImGui::IsItemDeactivatedAfterEdit(), active = ImGui::IsItemActive();
  ImGui::EndDisabled();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax(), padding = ImGui::GetStyle().FramePadding;
  record(name, ItemKind::input, min, max, blocked.empty(), value, false, 0, 0, palette().edge, id);
  if (!typing) {
    const std::string_view none = blocked.empty() ? hint : blocked;
    const std::string_view shown = value.empty() ? none : std::string_view(value);
    const Look look = value.empty() ? Look::small_muted : Look::body;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(min, max, true);
    list.AddText(font(look), font(look)->FontSize, {min.x + padding.x, min.y + padding.y}, ink(look), shown.data(),
                 shown.data() + shown.size(), max.x - min.x - 2 * padding.x);
    list.PopClipRect();
  }
  if (!active) show_tip(tip_text, blocked);
  return {value != before, ended};
}

}  // namespace pairs::gui::ui
