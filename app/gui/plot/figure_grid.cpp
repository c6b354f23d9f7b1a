#include "app/gui/plot/figure_grid.h"

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/ui.h"

namespace pairs::gui {

void FigureGrid::draw(const std::vector<model::ShownFigure>& figures) {
  const float width = ImGui::GetContentRegionAvail().x, gap = px(24);
  const int columns = width >= px(1240) ? 3 : width >= px(640) ? 2 : 1;
  const float each = std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const float left = ImGui::GetCursorPosX();
  float top = ImGui::GetCursorPosY(), bottom = top;
  int column = 0;
  hovered_.clear();
  for (const model::ShownFigure& shown : figures) {
    const bool wide = shown.figure && shown.figure->plots.size() > 1;
    if (column == columns || (wide && column > 0)) {
      column = 0;
      top = bottom + px(16);
    }
    const float room = wide ? width : each;
    ImGui::SetCursorPos({left + static_cast<float>(column) * (each + gap), top});
    ImGui::BeginGroup();
    if (shown.figure) {
      const Figure& figure = *shown.figure;
      const auto plots = static_cast<std::int64_t>(figure.plots.size());
      const std::int64_t across = std::max<std::int64_t>(1, std::min(figure.columns, plots));
      const std::int64_t down = (plots + across - 1) / across;
      const auto ratio = static_cast<float>(figure.plot_height / figure.plot_width);
      const float one = std::clamp(room / static_cast<float>(across) * ratio, px(150), px(down > 1 ? 220 : 300));
      PlotView& view = views_.try_emplace(shown.name, prefix_ + shown.name).first->second;
      view.light(lit_);
      view.draw(shown.figure, {room, one * static_cast<float>(down)});
      if (!view.line_under_mouse().empty()) hovered_ = view.line_under_mouse();
      if (std::string line = view.take_clicked_line(); !line.empty()) clicked_ = std::move(line);
      ui::wrapped(shown.meaning, ui::Look::small_muted, room);
    } else {
      ui::text(shown.title, ui::Look::strong);
      ui::wrapped(shown.missing, ui::Look::muted, room);
    }
    ImGui::EndGroup();
    bottom = std::max(bottom, ImGui::GetCursorPosY());
    column = wide ? columns : column + 1;
  }
  ImGui::SetCursorPos({left, bottom});
  ImGui::Dummy({0, 0});
}

}  // namespace pairs::gui
