#include "app/gui/widgets/n_row.h"

#include <algorithm>

#include "app/gui/widgets/typed_count.h"
#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"

namespace pairs::gui {
NRow::Asked NRow::draw(const Shown& shown) {
  Asked asked;
  const float gap = px(12), near = px(8);
  asked.play = ui::button(name_ + "/play", shown.playing ? "Pause" : "Play",
                          shown.playing ? ui::Button::normal : ui::Button::primary, shown.blocked,
                          "Lets N grow from 1 to the largest in eight seconds (space)",
                          std::max(ui::button_width("Pause"), ui::button_width("Play")));
  ImGui::SameLine(0, gap);
  const ImVec2 at = ImGui::GetCursorScreenPos(), sign = ui::text_size("N =", ui::Look::strong);
  ui::text_at({at.x, at.y + (ImGui::GetFrameHeight() - sign.y) / 2}, "N =", ui::Look::strong);
  ImGui::Dummy({sign.x, ImGui::GetFrameHeight()});
  ImGui::SameLine(0, near);
  ImGui::BeginDisabled(!shown.blocked.empty());
  if (!typing_) typed_ = count_text(shown.n);
  const float field = std::max(ui::button_width(count_text(shown.most)), px(48)) + px(4);
  if (ui::input(name_ + "/n-text", typed_, "", std::string(shown.n_tip) + ": type a number", field, {}, true))
    asked.n = typed_count(typed_);
  typing_ = ImGui::IsItemActive();
  ImGui::SameLine(0, gap);
  const float loop_width = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ui::text_size("Loop").x;
  const float rail = ImGui::GetContentRegionAvail().x - ui::button_width(shown.other) - loop_width - gap - near -
                     (shown.room > 0 ? shown.room + near : 0);
  std::int64_t n = shown.n;
  if (ui::log_slider(name_ + "/n", n, 1, std::max<std::int64_t>(shown.most, 2),
                     std::string(shown.n_tip) + " (arrow keys move it)", rail, &asked.steps))
    asked.n = n;
  ImGui::EndDisabled();
  ImGui::SameLine(0, gap);
  asked.other = ui::button(name_ + "/new", shown.other, ui::Button::normal, "", shown.other_tip);
  ImGui::SameLine(0, near);
  bool loop = shown.loop;
  if (ui::toggle(name_ + "/loop", "Loop", loop, "Begin again at the end")) asked.loop = loop;
  return asked;
}

}  // namespace pairs::gui
