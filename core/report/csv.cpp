#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/report/layout.h"

namespace pairs {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

// The shortest digits that read back as the same double.
std::string cell(double value) {
  return fmt::format("{}", value);
}

class Rows {
 public:
  Rows(std::string plot, std::string& text) : plot_(csv_field(plot)), text_(text) {}
  void add(const std::string& series, const char* kind, const std::string& x, const std::string& y,
           const std::string& lower = "", const std::string& upper = "") {
    text_ += fmt::format("{},{},{},{},{},{},{}\n", plot_, csv_field(series), kind, x, y, lower, upper);
  }

 private:
  std::string plot_;
  std::string& text_;
};

void add_plot(const Plot& plot, Rows rows) {
  for (const Line& line : plot.lines)
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      const char* const kind = !line.hollow.empty() && line.hollow[i] ? "extrapolation" : "line";
      if (line.lower.empty())
        rows.add(line.name, kind, cell(line.x[i]), cell(line.y[i]));
      else
        rows.add(line.name, kind, cell(line.x[i]), cell(line.y[i]), cell(line.lower[i]), cell(line.upper[i]));
    }
  for (const Bars& bars : plot.bars)
    for (std::size_t i = 0; i < bars.heights.size(); ++i)
      rows.add(bars.name, "bar", cell(bars.edges[i] / 2 + bars.edges[i + 1] / 2), cell(bars.heights[i]),
               cell(bars.edges[i]), cell(bars.edges[i + 1]));
  std::map<std::string, int> pieces;
  for (const Contour& contour : plot.contours) {
    if (pieces[contour.name]++ > 0) rows.add(contour.name, "contour", "nan", "nan");
    for (std::size_t i = 0; i < contour.x.size(); ++i)
      rows.add(contour.name, "contour", cell(contour.x[i]), cell(contour.y[i]));
  }
  for (const Scatter& scatter : plot.scatters)
    for (std::size_t i = 0; i < scatter.x.size(); ++i)
      rows.add(scatter.name, "scatter", cell(scatter.x[i]), cell(scatter.y[i]));
  for (const Rule& rule : plot.rules)
    if (std::isfinite(rule.x)) rows.add(rule.name, "rule", cell(rule.x), "");
  for (const HorizontalBand& band : plot.bands) rows.add(band.name, "band", "", "", cell(band.low), cell(band.high));
}

}  // namespace

std::string figure_csv(const Figure& figure) {
  chart::check_figure(figure);
  std::map<std::string, int> titles;
  for (const Plot& plot : figure.plots) ++titles[plot.title];
  std::string text = "plot,series,kind,x,y,lower,upper\n";
  for (std::size_t i = 0; i < figure.plots.size(); ++i) {
    const std::string& title = figure.plots[i].title;
    const std::string number = std::to_string(i + 1);
    add_plot(figure.plots[i], Rows(title.empty()       ? number
                                   : titles[title] > 1 ? fmt::format("{} ({})", title, number)
                                                       : title,
                                   text));
  }
  const bool pictures =
      std::any_of(figure.plots.begin(), figure.plots.end(), [](const Plot& plot) { return !plot.pictures.empty(); });
  if (pictures && text.find('\n') + 1 == text.size())
    fail_usage("The figure \"{}\" holds nothing but pictures, which CSV cannot; save it as .svg or .png", figure.title);
  return text;
}

}  // namespace pairs
