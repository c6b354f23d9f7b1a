#include <fmt/format.h>

#include <optional>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/marks/csv_rows.h"
#include "core/report/marks/kinds.h"
#include "core/report/marks/page_points.h"
#include "core/report/marks/series_kind.h"

namespace pairs::chart {

std::vector<SeriesStyle> line_styles(const Plot& plot) {
  return series_styles(plot.lines, 1.5);
}

namespace {

constexpr double kSnap = 0.08;       // share of the width within which the crosshair snaps to a point
constexpr double kSameColumn = 0.7;  // points of the page

// The index of the visible point whose x is nearest on the page; none for lines without any.
std::optional<std::size_t> nearest_in_x(const std::vector<double>& x, const std::vector<double>& y, bool rising,
                                        const AxisMap& map_x, const AxisMap& map_y, double page) {
  std::optional<std::size_t> best;
  double distance = 0;
  const auto look = [&](std::size_t i) {
    const double at = map_x.page(x[i]);
    if (!std::isfinite(at) || !std::isfinite(map_y.page(y[i]))) return false;
    if (!best || std::fabs(at - page) < distance) {
      best = i;
      distance = std::fabs(at - page);
    }
    return true;
  };
  if (rising) {
    // Searches a few points across gaps.
    const auto after = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), map_x.value(page)) - x.begin());
    for (std::size_t i = after; i < std::min(x.size(), after + 64); ++i)
      if (look(i)) break;
    for (std::size_t i = after; i-- > 0 && after - i <= 64;)
      if (look(i)) break;
    return best;
  }
  const double value = map_x.value(page);
  std::size_t near = x.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(y[i]) && (near == x.size() || std::fabs(x[i] - value) < std::fabs(x[near] - value))) near = i;
  if (near < x.size()) look(near);
  return best;
}

// Keeps the rows for which `keep` holds and their neighbors, so that a line reaches the ends of an axis. Ignores a
// column of another length than `keep`.
template <class Values>
void keep_rows(const std::vector<bool>& keep, Values& column) {
  const std::size_t count = keep.size();
  if (column.size() != count) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (keep[i] || (i > 0 && keep[i - 1]) || (i + 1 < count && keep[i + 1])) column[kept++] = column[i];
  column.resize(kept);
}

// y(x) with its band.
struct LineValue {
  double x, y, lower = NAN, upper = NAN;
};

class LineMarks final : public SeriesKind<Line> {
 public:
  LineMarks() : SeriesKind(&Plot::lines, KeyKind::line) {}

  void check(const Plot& plot, const std::string& where) const override {
    for (const Line& line : plot.lines) {
      check_lengths(where, "line", line.name, line.x.size(), line.y.size());
      const bool band = !line.lower.empty() || !line.upper.empty();
      if (!line.hollow.empty() && line.hollow.size() != line.x.size())
        fail_usage("{}, line {}: {} marks of hollow points for {} points", where, printable(line.name),
                   line.hollow.size(), line.x.size());
      if (band && (line.lower.size() != line.x.size() || line.upper.size() != line.x.size()))
        fail_usage("{}: the band of line '{}' has {} lower and {} upper values for {} points; give one of each a point",
                   where, printable(line.name), line.lower.size(), line.upper.size(), line.x.size());
    }
  }

  void fit_x(const Plot& plot, XFit& fit) const override {
    fit.fills |= !plot.lines.empty();
    for (const Line& line : plot.lines) {
      fit.roomy |= line.markers;
      fit.add(line.x, line.y);
    }
  }
  void fit_y(const Plot& plot, YFit& fit) const override {
    for (const Line& line : plot.lines)
      for (const auto* values : {&line.y, &line.lower, &line.upper}) fit.add(line.x, *values);
  }

  void draw(const MarkPage& page, Layer layer) const override {
    if (layer == Layer::spreads) spreads(page);
    if (layer == Layer::markers) markers(page);
    if (layer != Layer::lines) return;
    const auto styles = line_styles(page.plot);
    for (std::size_t i = 0; i < styles.size(); ++i) {
      const Line& line = page.plot.lines[i];
      const bool turned = page.plot.turned;
      page.curve("line", line.name, turned ? line.y : line.x, turned ? line.x : line.y, styles[i]);
    }
  }

  void mark(const Plot& plot, const PlotLayout& at, PagePoints& points) const override {
    for (const Line& line : plot.lines) {
      points.add(page_lines(line.x, line.y, at.x, at.y, at.area));
      if (!line.lower.empty()) {
        points.add(page_lines(line.x, line.lower, at.x, at.y, at.area));
        points.add(page_lines(line.x, line.upper, at.x, at.y, at.area));
      }
      if (!line.markers) continue;
      for (const Point p : page_points(line.x, line.y, at.x, at.y, at.area, 0.5))
        for (const double by : {-kMarkerReach, kMarkerReach}) {
          points.add(Point{p.x + by, p.y});
          points.add(Point{p.x, p.y + by});
        }
    }
  }

  void name(const Plot& plot, std::vector<LegendEntry>& entries) const override {
    const auto styles = line_styles(plot);
    for (std::size_t i = 0; i < styles.size(); ++i)
      add_entry(entries, {key(plot.lines[i]), plot.lines[i].name, styles[i], plot.lines[i].markers,
                          !plot.lines[i].lower.empty()});
  }

  void write(const Plot& plot, CsvRows& rows) const override {
    for (const Line& line : plot.lines)
      for (std::size_t i = 0; i < line.x.size(); ++i) {
        const char* const kind = !line.hollow.empty() && line.hollow[i] ? "extrapolation" : "line";
        if (line.lower.empty())
          rows.add(line.name, kind, csv_cell(line.x[i]), csv_cell(line.y[i]));
        else
          rows.add(line.name, kind, csv_cell(line.x[i]), csv_cell(line.y[i]), csv_cell(line.lower[i]),
                   csv_cell(line.upper[i]));
      }
  }

  void snap(const ReadingPlace& place, FoundReadings& found) const override {
    double best = kSnap * place.layout.area.width;
    for (std::size_t i = 0; i < place.plot.lines.size(); ++i) {
      const auto nearest = nearest_in(place, i, place.mouse.x);
      if (!nearest) continue;
      const double at = place.layout.x.page(place.plot.lines[i].x[*nearest]);
      if (std::fabs(at - place.mouse.x) >= best || at < place.layout.area.x - 0.5 ||
          at > place.layout.area.right() + 0.5)
        continue;
      best = std::fabs(at - place.mouse.x);
      found.reported.page_x = at;
      found.snapped = true;
    }
  }

  void read(const ReadingPlace& place, FoundReadings& found) const override {
    const AxisMap &map_x = place.layout.x, &map_y = place.layout.y;
    const auto styles = line_styles(place.plot);
    for (std::size_t i = 0; i < styles.size(); ++i) {
      const std::optional<LineValue> value = value_at(place, i, found);
      if (!value || !std::isfinite(value->y)) continue;
      const Line& line = place.plot.lines[i];
      Reading row{line.name.empty() ? place.plot.y.label : line.name,
                  axis_value(value->y, map_y),
                  styles[i].color,
                  true,
                  {map_x.page(value->x), map_y.page(value->y)}};
      if (std::isfinite(value->lower) && std::isfinite(value->upper) && value->lower < value->upper)
        row.value += fmt::format(" ({} to {})", axis_value(value->lower, map_y), axis_value(value->upper, map_y));
      found.reported.rows.push_back(std::move(row));
    }
  }

  bool above_zero(const Plot& plot, bool across) const override {
    return std::any_of(plot.lines.begin(), plot.lines.end(),
                       [&](const Line& line) { return any_above_zero(across != plot.turned ? line.x : line.y); });
  }

  void cut(Plot& plot, double low, double high) const override {
    for (Line& line : plot.lines) {
      const std::vector<bool> keep = inside(line.x, low, high);
      for (auto* const column : {&line.y, &line.lower, &line.upper, &line.x}) keep_rows(keep, *column);
      keep_rows(keep, line.hollow);
    }
  }

 protected:
  void clear(Line& line) const override {
    line.x = line.y = line.lower = line.upper = {};
    line.hollow = {};
  }

 private:
  static void spreads(const MarkPage& page) {
    const auto styles = line_styles(page.plot);
    for (std::size_t i = 0; i < styles.size(); ++i) {
      const Line& line = page.plot.lines[i];
      if (line.lower.empty()) continue;
      page.canvas.begin_group("spread", line.name);
      for (auto& outline :
           page_bands(line.x, line.lower, line.upper, page.along(), page.across(), page.turned(page.at.area))) {
        for (Point& p : outline) p = page.turned(p);
        page.canvas.polygon(outline, styles[i].color, kBandAlpha);
      }
      page.canvas.end_group();
    }
  }

  // A marker on the edge of the area stays round.
  static void markers(const MarkPage& page) {
    const auto styles = line_styles(page.plot);
    for (std::size_t i = 0; i < styles.size(); ++i) {
      const Line& line = page.plot.lines[i];
      if (!line.markers) continue;
      for (const bool hollow : {false, true}) {
        if (hollow && line.hollow.empty()) break;
        std::vector<double> x, y;
        for (std::size_t k = 0; k < line.x.size(); ++k) {
          if (!line.hollow.empty() && line.hollow[k] != hollow) continue;
          x.push_back(line.x[k]);
          y.push_back(line.y[k]);
        }
        const bool turned = page.plot.turned;
        for (const Point p : page_points(turned ? y : x, turned ? x : y, page.at.x, page.at.y, page.at.area, 0.5))
          hollow ? page.ring(p, styles[i].color) : page.marker(p, styles[i].color);
      }
    }
  }

  static std::optional<std::size_t> nearest_in(const ReadingPlace& place, std::size_t i, double page_x) {
    const Line& line = place.plot.lines[i];
    return nearest_in_x(line.x, line.y, place.order.rising(place.index, i, line.x), place.layout.x, place.layout.y,
                        page_x);
  }

  // The value of line i at the crosshair: at a point, or between two if the segment is drawn there.
  static std::optional<LineValue> value_at(const ReadingPlace& place, std::size_t i, FoundReadings& found) {
    const AxisMap &map_x = place.layout.x, &map_y = place.layout.y;
    const Line& line = place.plot.lines[i];
    const auto nearest = nearest_in(place, i, place.mouse.x);
    if (!nearest) return {};
    const double page_x = found.reported.page_x;
    const std::size_t k = found.snapped ? *nearest_in(place, i, page_x) : *nearest;
    const double page = map_x.page(line.x[k]);
    const bool band = !line.lower.empty();
    if (std::fabs(page - page_x) <= kSameColumn) {
      if (found.snapped) found.shown_x = line.x[k];
      return band ? LineValue{line.x[k], line.y[k], line.lower[k], line.upper[k]} : LineValue{line.x[k], line.y[k]};
    }
    const bool before = page < page_x;
    if (!place.order.rising(place.index, i, line.x) || (before ? k + 1 >= line.x.size() : k == 0)) return {};
    const std::size_t a = before ? k : k - 1, b = a + 1;
    const double from = map_x.page(line.x[a]), to = map_x.page(line.x[b]);
    if (!(to > from) || page_x < from || page_x > to) return {};
    const double t = (page_x - from) / (to - from);
    const auto between = [&](const std::vector<double>& values) {
      return map_y.value(map_y.page(values[a]) * (1 - t) + map_y.page(values[b]) * t);
    };
    LineValue value{found.x, between(line.y)};
    if (band) value.lower = between(line.lower), value.upper = between(line.upper);
    return value;
  }
};

}  // namespace

const MarkKind& line_marks() {
  static const LineMarks kind;
  return kind;
}

}  // namespace pairs::chart
