#include "app/gui/posterior/pin_list.h"

#include <fmt/format.h>

#include "app/gui/widgets/ui.h"

namespace pairs::gui {

void PinList::draw(model::Posterior& posterior) {
  const auto pins = posterior.pins.shown();
  if (pins.empty()) return;
  ui::text("Pinned posteriors", ui::Look::small_strong);
  const float remove = px(26), dot = px(14);
  for (std::size_t k = 0; k < pins.size(); ++k) {
    const model::PosteriorPins::Pin& pin = pins[k];
    const std::string name = fmt::format("posterior/pins/{}", k + 1);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = ImGui::GetFrameHeight();
    ui::swatch(name + "/color", {at.x + px(6), at.y + side / 2}, px(4), series_color(pin.role));
    ImGui::SetCursorScreenPos({at.x + dot, at.y});
    const float room = ImGui::GetContentRegionAvail().x - remove - px(4);
    std::string shown = typing_ == pin.id ? typed_ : pin.name;
    if (ui::input(name + "/name", shown, "name", "What the legend and the table call it: type another name", room, {},
                  true))
      posterior.pins.rename(pin.id, shown);
    if (ImGui::IsItemActive()) {
      typing_ = pin.id;
      typed_ = shown;
    } else if (typing_ == pin.id) {
      typing_ = 0;
    }
    ImGui::SameLine(0, px(4));
    if (ui::button(name + "/unpin", "×", ui::Button::quiet, "", "Removes it", remove)) posterior.pins.remove(pin.id);
  }
  ui::space(8);
}

}  // namespace pairs::gui
