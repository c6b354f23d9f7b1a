#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/layout.h"
#include "core/report/marks/csv_rows.h"
#include "core/report/marks/mark_kind.h"

namespace pairs {

namespace chart {

namespace {

// A name as a cell, with invisible characters escaped; it may have several lines.
std::string named_cell(std::string_view name) {
  std::string shown;
  for (std::size_t end; (end = name.find('\n')) != name.npos; name.remove_prefix(end + 1))
    shown += printable(name.substr(0, end), name.size()) + '\n';
  return csv_quoted(shown + printable(name, name.size()));
}

}  // namespace

CsvRows::CsvRows(const std::string& plot, std::string& text) : plot_(named_cell(plot)), text_(text) {}

void CsvRows::add(const std::string& series, const char* kind, const std::string& x, const std::string& y,
                  const std::string& lower, const std::string& upper) {
  text_ += fmt::format("{},{},{},{},{},{},{}\n", plot_, named_cell(series), kind, x, y, lower, upper);
}

std::string csv_cell(double value) {
  return fmt::format("{}", value);
}

std::string csv_cell(const Axis& axis, double value) {
  const bool named = value >= 0 && value < static_cast<double>(axis.names.size()) && value == std::floor(value);
  return named ? named_cell(axis.names[static_cast<std::size_t>(value)]) : csv_cell(value);
}

}  // namespace chart

std::string figure_csv(const Figure& figure) {
  chart::check_figure(figure);
  std::map<std::string, int> titles;
  for (const Plot& plot : figure.plots) ++titles[plot.title];
  std::string text = "plot,series,kind,x,y,lower,upper\n";
  for (std::size_t i = 0; i < figure.plots.size(); ++i) {
    const std::string& title = figure.plots[i].title;
    const std::string number = std::to_string(i + 1);
    chart::CsvRows rows(title.empty()       ? number
                        : titles[title] > 1 ? fmt::format("{} ({})", title, number)
                                            : title,
                        text);
    for (const chart::MarkKind* kind : chart::mark_kinds()) kind->write(figure.plots[i], rows);
  }
  const bool pictures =
      std::any_of(figure.plots.begin(), figure.plots.end(), [](const Plot& plot) { return !plot.pictures.empty(); });
  if (pictures && text.find('\n') + 1 == text.size())
    fail_usage("The figure \"{}\" holds nothing but pictures, which CSV cannot; save it as .svg or .png", figure.title);
  return text;
}

}  // namespace pairs
