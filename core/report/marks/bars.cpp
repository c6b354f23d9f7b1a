#include <fmt/format.h>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/marks/csv_rows.h"
#include "core/report/marks/kinds.h"
#include "core/report/marks/page_points.h"
#include "core/report/marks/series_kind.h"

namespace pairs::chart {
namespace {

std::vector<SeriesStyle> bar_styles(const Plot& plot) {
  return series_styles(plot.bars, 1);
}

class BarMarks final : public SeriesKind<Bars> {
 public:
  BarMarks() : SeriesKind(&Plot::bars, KeyKind::fill) {}

  void check(const Plot& plot, const std::string& where) const override {
    for (const Bars& bars : plot.bars) {
      const std::size_t edges = bars.edges.size(), heights = bars.heights.size();
      if (edges != heights + 1 && !(edges == 0 && heights == 0))
        fail_usage("{}: bars '{}' have {} heights and {} edges; give one edge more than heights", where,
                   printable(bars.name), heights, edges);
      for (std::size_t i = 0; i + 1 < edges; ++i)
        if (!(bars.edges[i] <= bars.edges[i + 1]))
          fail_usage("{}: edge {} of bars '{}' is {} and the next is {}; give edges in rising order", where, i,
                     printable(bars.name), bars.edges[i], bars.edges[i + 1]);
    }
  }

  void fit_x(const Plot& plot, XFit& fit) const override {
    fit.fills |= !plot.bars.empty();
    for (const Bars& bars : plot.bars)
      for (const double edge : bars.edges) fit.extent.add(edge);
  }
  void fit_y(const Plot& plot, YFit& fit) const override {
    fit.from_zero |= !plot.bars.empty();
    for (const Bars& bars : plot.bars)
      for (std::size_t i = 0; i < bars.heights.size(); ++i)
        if (fit.x.fitted || (bars.edges[i + 1] >= fit.x.low && bars.edges[i] <= fit.x.high))
          fit.data.add(bars.heights[i]);
  }

  void draw(const MarkPage& page, Layer layer) const override {
    if (layer != Layer::bars) return;
    const auto styles = bar_styles(page.plot);
    const PlotLayout& at = page.at;
    const double zero = at.y.scale == AxisScale::log ? at.area.bottom() : at.y.page(0);
    for (std::size_t b = 0; b < styles.size(); ++b) {
      const Bars& bars = page.plot.bars[b];
      page.canvas.begin_group("bars", bars.name);
      for (std::size_t i = 0; i < bars.heights.size(); ++i) {
        const double x0 = at.x.page(bars.edges[i]), x1 = at.x.page(bars.edges[i + 1]);
        const double y = at.y.page(bars.heights[i]);
        if (!std::isfinite(x0) || !std::isfinite(x1) || !std::isfinite(y)) continue;
        const double gap = x1 - x0 > 3 ? 0.35 : 0;
        const Rect bar = intersection({x0 + gap, std::min(y, zero), x1 - x0 - 2 * gap, std::fabs(zero - y)}, at.area);
        if (bar.width > 0 && bar.height > 0) page.canvas.rectangle(bar, styles[b].color, kBarAlpha);
      }
      page.canvas.end_group();
    }
  }

  void mark(const Plot& plot, const PlotLayout& at, PagePoints& points) const override {
    for (const Bars& bars : plot.bars)
      for (std::size_t i = 0; i < bars.heights.size(); ++i) {
        const double left = at.x.page(bars.edges[i]), right = at.x.page(bars.edges[i + 1]);
        const double top = at.y.page(bars.heights[i]);
        if (std::isfinite(left) && std::isfinite(right) && std::isfinite(top))
          points.add(intersection({left, top, right - left, at.area.bottom() - top}, at.area));
      }
  }

  void name(const Plot& plot, std::vector<LegendEntry>& entries) const override {
    const auto styles = bar_styles(plot);
    for (std::size_t i = 0; i < styles.size(); ++i)
      add_entry(entries, {key(plot.bars[i]), plot.bars[i].name, styles[i]});
  }

  void write(const Plot& plot, CsvRows& rows) const override {
    for (const Bars& bars : plot.bars)
      for (std::size_t i = 0; i < bars.heights.size(); ++i)
        rows.add(bars.name, "bar", csv_cell(bars.edges[i] / 2 + bars.edges[i + 1] / 2), csv_cell(bars.heights[i]),
                 csv_cell(bars.edges[i]), csv_cell(bars.edges[i + 1]));
  }

  void read(const ReadingPlace& place, FoundReadings& found) const override {
    const AxisMap &map_x = place.layout.x, &map_y = place.layout.y;
    const auto styles = bar_styles(place.plot);
    for (std::size_t i = 0; i < styles.size(); ++i) {
      const Bars& bars = place.plot.bars[i];
      const auto edge = std::upper_bound(bars.edges.begin(), bars.edges.end(), found.x);
      if (edge == bars.edges.begin() || edge == bars.edges.end()) continue;
      const auto k = static_cast<std::size_t>(edge - bars.edges.begin()) - 1;
      if (found.bin.empty())
        found.bin = fmt::format("{} to {}", axis_value(bars.edges[k], map_x), axis_value(bars.edges[k + 1], map_x));
      found.reported.rows.push_back({bars.name.empty() ? place.plot.y.label : bars.name,
                                     axis_value(bars.heights[k], map_y),
                                     styles[i].color,
                                     false,
                                     {}});
    }
  }

  bool above_zero(const Plot& plot, bool across) const override {
    return std::any_of(plot.bars.begin(), plot.bars.end(),
                       [&](const Bars& bars) { return any_above_zero(across ? bars.edges : bars.heights); });
  }

 protected:
  void clear(Bars& bars) const override { bars.edges = bars.heights = {}; }
};

}  // namespace

const MarkKind& bar_marks() {
  static const BarMarks kind;
  return kind;
}

}  // namespace pairs::chart
