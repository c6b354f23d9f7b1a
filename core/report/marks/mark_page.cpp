#include <array>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/marks/series_kind.h"

namespace pairs::chart {
namespace {

constexpr double kMarker = 2.2;

}  // namespace

void XFit::add(const std::vector<double>& x, const std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) extent.add(x[i], std::fabs(y[i]) <= std::numeric_limits<double>::max());
}

void YFit::add(const std::vector<double>& at, const std::vector<double>& values) {
  if (x.fitted)
    for (const double value : values) data.add(value);
  else
    for (std::size_t i = 0; i < values.size(); ++i) data.add(values[i], (at[i] >= x.low) & (at[i] <= x.high));
}

void MarkPage::segment(Point a, Point b, std::uint32_t color, double width) const {
  const std::array<Point, 2> ends = {a, b};
  canvas.polyline(ends, {color, LineStyle::solid, width});
}

void MarkPage::curve(std::string_view kind, std::string_view name, std::span<const double> x, std::span<const double> y,
                     const SeriesStyle& style) const {
  canvas.begin_group(kind, name);
  for (const auto& piece : page_lines(x, y, at.x, at.y, at.area)) {
    if (piece.size() > 1)
      canvas.polyline(piece, style);
    else
      canvas.circle(piece[0], style.width * 0.75, style.color, 1);
  }
  canvas.end_group();
}

void MarkPage::marker(Point p, std::uint32_t color) const {
  canvas.circle(p, kMarker + 0.6, kPaper, 1);
  canvas.circle(p, kMarker, color, 1);
}

void MarkPage::ring(Point p, std::uint32_t color) const {
  marker(p, color);
  canvas.circle(p, kMarker - 0.9, kPaper, 1);
}

std::vector<bool> inside(const std::vector<double>& x, double low, double high) {
  std::vector<bool> keep(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) keep[i] = x[i] >= low && x[i] <= high;
  return keep;
}

void check_lengths(const std::string& where, const char* kind, const std::string& name, std::size_t x, std::size_t y) {
  if (x != y)
    fail_usage("{}: {} '{}' has {} x and {} y values; give as many of each", where, kind, printable(name), x, y);
}

}  // namespace pairs::chart
