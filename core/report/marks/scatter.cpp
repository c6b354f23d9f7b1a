#include <fmt/format.h>

#include <optional>

#include "core/report/marks/csv_rows.h"
#include "core/report/marks/kinds.h"
#include "core/report/marks/page_points.h"
#include "core/report/marks/series_kind.h"

namespace pairs::chart {
namespace {

std::vector<SeriesStyle> scatter_styles(const Plot& plot) {
  return series_styles(plot.scatters, 1);
}

// A dot: the index of its scatter, and of the point.
struct Spot {
  std::size_t scatter, point;
};

class ScatterMarks final : public SeriesKind<Scatter> {
 public:
  ScatterMarks() : SeriesKind(&Plot::scatters, KeyKind::point) {}

  void check(const Plot& plot, const std::string& where) const override {
    for (const Scatter& scatter : plot.scatters)
      check_lengths(where, "scatter", scatter.name, scatter.x.size(), scatter.y.size());
  }

  void fit_x(const Plot& plot, XFit& fit) const override {
    fit.roomy |= !plot.scatters.empty();
    for (const Scatter& scatter : plot.scatters) fit.add(scatter.x, scatter.y);
  }
  void fit_y(const Plot& plot, YFit& fit) const override {
    fit.floating |= !plot.scatters.empty();
    for (const Scatter& scatter : plot.scatters) fit.add(scatter.x, scatter.y);
  }

  void draw(const MarkPage& page, Layer layer) const override {
    if (layer != Layer::scatters) return;
    const auto styles = scatter_styles(page.plot);
    for (std::size_t i = 0; i < styles.size(); ++i) {
      const Scatter& scatter = page.plot.scatters[i];
      page.canvas.begin_group("scatter", scatter.name);
      for (const Point p : page_points(scatter.x, scatter.y, page.at.x, page.at.y, page.at.area, 0.5))
        if (scatter.role == SeriesRole::truth)
          page.marker(p, styles[i].color);
        else
          page.canvas.circle(p, kSpot, styles[i].color, kDotAlpha);
      page.canvas.end_group();
    }
  }

  void mark(const Plot& plot, const PlotLayout& at, PagePoints& points) const override {
    for (const Scatter& scatter : plot.scatters)
      for (const Point p : page_points(scatter.x, scatter.y, at.x, at.y, at.area, 2)) points.add(p);
  }

  void name(const Plot& plot, std::vector<LegendEntry>& entries) const override {
    const auto styles = scatter_styles(plot);
    for (std::size_t i = 0; i < styles.size(); ++i)
      add_entry(entries, {key(plot.scatters[i]), plot.scatters[i].name, styles[i]});
  }

  void write(const Plot& plot, CsvRows& rows) const override {
    for (const Scatter& scatter : plot.scatters)
      for (std::size_t i = 0; i < scatter.x.size(); ++i)
        rows.add(scatter.name, "scatter", csv_cell(plot.x, scatter.x[i]), csv_cell(plot.y, scatter.y[i]));
  }

  void snap(const ReadingPlace& place, FoundReadings& found) const override {
    const std::optional<Spot> spot = spot_at(place);
    found.spotted = spot.has_value();
    if (spot && !found.snapped)
      found.reported.page_x = place.layout.x.page(place.plot.scatters[spot->scatter].x[spot->point]);
  }

  void read(const ReadingPlace& place, FoundReadings& found) const override {
    const std::optional<Spot> spot = spot_at(place);
    if (!spot) return;
    const AxisMap &map_x = place.layout.x, &map_y = place.layout.y;
    const Scatter& scatter = place.plot.scatters[spot->scatter];
    const double x = scatter.x[spot->point], y = scatter.y[spot->point];
    if (!found.snapped) found.shown_x = x;
    const std::string value = axis_value(y, map_y);
    found.reported.rows.push_back({scatter.name.empty() ? place.plot.y.label : scatter.name,
                                   found.snapped ? fmt::format("{} at {}", value, axis_value(x, map_x)) : value,
                                   scatter_styles(place.plot)[spot->scatter].color,
                                   true,
                                   {map_x.page(x), map_y.page(y)}});
  }

  bool above_zero(const Plot& plot, bool across) const override {
    return std::any_of(plot.scatters.begin(), plot.scatters.end(),
                       [&](const Scatter& scatter) { return any_above_zero(across ? scatter.x : scatter.y); });
  }

  void cut(Plot& plot, double low, double high) const override {
    for (Scatter& scatter : plot.scatters) {
      const std::vector<bool> keep = inside(scatter.x, low, high);
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

 protected:
  void clear(Scatter& scatter) const override { scatter.x = scatter.y = {}; }

 private:
  // The dot nearest to the mouse within reach.
  static std::optional<Spot> spot_at(const ReadingPlace& place) {
    const AxisMap &map_x = place.layout.x, &map_y = place.layout.y;
    std::optional<Spot> spot;
    double least = place.reach;
    const double x0 = map_x.value(place.mouse.x - place.reach), x1 = map_x.value(place.mouse.x + place.reach);
    for (std::size_t i = 0; i < place.plot.scatters.size(); ++i) {
      const Scatter& scatter = place.plot.scatters[i];
      for (std::size_t k = 0; k < scatter.x.size(); ++k) {
        if (!(scatter.x[k] >= x0 && scatter.x[k] <= x1)) continue;
        const double distance =
            std::hypot(map_x.page(scatter.x[k]) - place.mouse.x, map_y.page(scatter.y[k]) - place.mouse.y);
        if (!(distance < least)) continue;
        least = distance;
        spot = {i, k};
      }
    }
    return spot;
  }
};

}  // namespace

const MarkKind& scatter_marks() {
  static const ScatterMarks kind;
  return kind;
}

}  // namespace pairs::chart
