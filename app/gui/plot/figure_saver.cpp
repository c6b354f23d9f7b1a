#include "app/gui/plot/figure_saver.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/ui.h"
#include "core/base/error.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;

// Keeps of the columns the rows for which `keep` holds and their neighbours.
void keep_rows(const std::vector<bool>& keep, std::initializer_list<std::vector<double>*> columns) {
  const std::size_t count = keep.size();
  for (std::vector<double>* column : columns) {
    if (column->size() != count) continue;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (keep[i] || (i > 0 && keep[i - 1]) || (i + 1 < count && keep[i + 1])) (*column)[kept++] = (*column)[i];
    column->resize(kept);
  }
}

}  // namespace

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
    const auto inside = [&](const std::vector<double>& x) {
      std::vector<bool> keep(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) keep[i] = x[i] >= along.low && x[i] <= along.high;
      return keep;
    };
    for (Line& line : plot.lines) keep_rows(inside(line.x), {&line.y, &line.lower, &line.upper, &line.x});
    for (Scatter& scatter : plot.scatters) {
      const auto keep = inside(scatter.x);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < keep.size(); ++i)
        if (keep[i]) {
          scatter.x[kept] = scatter.x[i];
          scatter.y[kept++] = scatter.y[i];
        }
      scatter.x.resize(kept);
      scatter.y.resize(kept);
    }
  }
  return figure;
}

void FigureSaver::ask(const Figure& figure, std::string_view extension) {
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  std::string title = figure.title;
  if (title.empty() && !figure.plots.empty()) title = figure.plots[0].title;
  path_ = (folder / (file_stem(title) + std::string(extension))).string();
  failure_.clear();
  look();
  open_ = fresh_ = true;
}

void FigureSaver::look() {
  std::error_code error;
  const fs::path file = typed_path(path_);
  exists_ = fs::exists(file, error) && !fs::is_directory(file, error);
}

void FigureSaver::write(const Figure& figure) {
  try {
    const fs::path file = typed_path(path_);
    write_figure(file, file.extension() == ".csv" ? within_axes(figure) : figure);
    open_ = false;
    ui::saved(file);
  } catch (const std::exception& error) {
    failure_ = sentence(error);
  }
}

void FigureSaver::draw(const std::string& name, const std::function<Figure()>& figure) {
  if (!open_) return;
  if (!ui::begin_dialog(name + "/save", "Save the plot", open_, 560)) return;
  ui::wrapped(
      "It is saved as it is seen: the zoom, the axes and the series that are shown. Its ending decides the "
      "format: .svg, .png or .csv.",
      ui::Look::muted);
  ui::space(4);
  if (fresh_) ImGui::SetKeyboardFocusHere();
  fresh_ = false;
  const std::string before = path_;
  const bool enter = ui::input(name + "/save/path", path_, "Path, e.g. ~/plot.svg") && entered();
  if (path_ != before) {
    failure_.clear();
    look();
  }
  if (!failure_.empty())
    ui::wrapped(failure_, ui::Look::bad);
  else if (exists_)
    ui::wrapped("There is a file of this name already. Replace it?", ui::Look::warning);
  const ui::Choice choice = ui::choose(name + "/save/write", exists_ ? "Replace" : "Save", ui::Button::primary,
                                       name + "/save/cancel", path_.empty() ? "Type a path first" : "");
  if (choice == ui::Choice::cancel) open_ = false;
  if (open_ && !path_.empty() && (enter || choice == ui::Choice::confirm)) {
    // Only the button that says so replaces; and there may be a file that was not there a moment ago.
    const bool replace = exists_ && choice == ui::Choice::confirm;
    look();
    if (!exists_ || replace) write(figure());
  }
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
