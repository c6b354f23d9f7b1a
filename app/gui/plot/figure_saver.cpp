#include "app/gui/plot/figure_saver.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/gui/widgets/ui.h"
#include "core/base/text/error.h"
#include "core/report/marks/mark_kind.h"

namespace pairs::gui {
std::string file_stem(std::string_view title) {
  std::string stem;
  for (const char c : title) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      stem += static_cast<char>(upper ? c - 'A' + 'a' : c);
    else if (!stem.empty() && stem.back() != '-' && stem.size() < 60)
      stem += '-';
    if (stem.size() >= 60) break;
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return stem.empty() ? "figure" : stem;
}

Figure within_axes(Figure figure) {
  for (Plot& plot : figure.plots) {
    const Axis& along = plot.turned ? plot.y : plot.x;
    if (along.low == along.high) continue;
    for (const chart::MarkKind* kind : chart::mark_kinds()) kind->cut(plot, along.low, along.high);
  }
  return figure;
}

void FigureSaver::ask(const Figure& figure, std::string_view extension) {
  std::string title = figure.title;
  if (title.empty() && !figure.plots.empty()) title = figure.plots[0].title;
  dialog_.ask(file_stem(title) + std::string(extension));
}

void FigureSaver::draw(const std::string& name, const std::function<Figure()>& figure) {
  if (!dialog_.is_drawn()) return;
  const SaveDialog::Texts texts = {
      "Save the plot",
      "It is saved as it is seen: the zoom, the axes and the series that are shown. Its ending decides the "
      "format: .pdf, .svg, .png or .csv.",
      "Path, e.g. ~/plot.svg",
      {{"Figures", {".pdf", ".svg", ".png", ".csv"}}}};
  const std::string save = name + "/save";
  const auto file = dialog_.draw({save, save + "/path", save + "/write", save + "/cancel"}, texts);
  if (!file) return;
  try {
    const Figure whole = figure();
    write_figure(*file, file->extension() == ".csv" ? within_axes(whole) : whole);
    dialog_.close();
    ui::saved(*file);
  } catch (const std::exception& error) {
    dialog_.fail(sentence(error));
  }
}

}  // namespace pairs::gui
