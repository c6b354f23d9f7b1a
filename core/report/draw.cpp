#include "core/report/draw.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pairs::chart {
namespace {

constexpr double kBandAlpha = 0.2, kFloorAlpha = 0.28, kBarAlpha = 0.62, kDotAlpha = 0.55;
constexpr double kMarker = 2.2, kSpot = 1.3;

void segment(Canvas& canvas, Point a, Point b, std::uint32_t color, double width) {
  const std::array<Point, 2> ends = {a, b};
  canvas.polyline(ends, {color, LineStyle::solid, width});
}

void text(Canvas& canvas, const PlacedText& t, std::uint32_t color) {
  canvas.text(t.text, t.at, t.size, t.bold, t.anchor, t.upright, color);
}

class PlotDrawer {
 public:
  PlotDrawer(const Plot& plot, const PlotLayout& layout, Canvas& canvas)
      : plot_(plot), at_(layout), area_(layout.area), canvas_(canvas) {}

  void draw() {
    if (plot_.blank) return;
    canvas_.begin_group("plot", plot_.title);
    if (at_.axes) grid();
    canvas_.begin_clip(area_);
    pictures();
    rules();
    bars();
    floors();
    bands();
    contours();
    lines();
    scatters();
    canvas_.end_clip();
    markers();
    if (at_.axes) axes();
    for (const PlacedText& t : at_.texts) text(canvas_, t, kTextColor);
    if (at_.empty)
      canvas_.text("no data", {area_.x + area_.width / 2, area_.y + area_.height / 2}, kLabelText, false, 0.5, false,
                   kMutedColor);
    legend();
    canvas_.end_group();
  }

 private:
  // Of a turned plot, the page with its axes exchanged.
  Point turned(Point p) const { return plot_.turned ? Point{p.y, p.x} : p; }
  Rect turned(const Rect& r) const { return plot_.turned ? Rect{r.y, r.x, r.height, r.width} : r; }

  void grid() {
    for (const Tick& tick : at_.x_ticks.major) {
      const double x = at_.x.page(tick.value);
      segment(canvas_, {x, area_.y}, {x, area_.bottom()}, kGridColor, 0.6);
    }
    for (const Tick& tick : at_.y_ticks.major) {
      const double y = at_.y.page(tick.value);
      segment(canvas_, {area_.x, y}, {area_.right(), y}, kGridColor, 0.6);
    }
  }

  void axes() {
    const auto mark = [&](const AxisMap& map, double value, double length, bool across) {
      const double p = map.page(value);
      if (across)
        segment(canvas_, {p, area_.bottom()}, {p, area_.bottom() + length}, kTextColor, 0.7);
      else
        segment(canvas_, {area_.x, p}, {area_.x - length, p}, kTextColor, 0.7);
    };
    for (const bool across : {true, false}) {
      const Ticks& ticks = across ? at_.x_ticks : at_.y_ticks;
      if (!(across ? plot_.x : plot_.y).numbers) continue;
      const AxisMap& map = across ? at_.x : at_.y;
      for (const Tick& tick : ticks.major) mark(map, tick.value, kTickLength, across);
      for (const double value : ticks.minor) mark(map, value, kMinorLength, across);
    }
    const std::array<Point, 3> frame = {
        {{area_.x, area_.y}, {area_.x, area_.bottom()}, {area_.right(), area_.bottom()}}};
    canvas_.polyline(frame, {kTextColor, LineStyle::solid, 0.8});
  }

  void floors() {
    for (const HorizontalBand& band : plot_.bands) {
      const bool from_end = at_.y.scale == AxisScale::log && band.low <= 0;
      const double top = at_.y.page(band.high), bottom = at_.y.page(from_end ? at_.y.low : band.low);
      if (!std::isfinite(top) || !std::isfinite(bottom)) continue;
      canvas_.begin_group("band", band.name);
      canvas_.rectangle(intersection({area_.x, std::min(top, bottom), area_.width, std::fabs(bottom - top)}, area_),
                        kFloorColor, kFloorAlpha);
      canvas_.end_group();
    }
  }

  void pictures() {
    for (const Picture& picture : plot_.pictures) {
      const double x0 = at_.x.page(picture.x0), x1 = at_.x.page(picture.x1);
      const double y0 = at_.y.page(picture.y0), y1 = at_.y.page(picture.y1);
      if (!std::isfinite(x0 + x1 + y0 + y1)) continue;
      const Rect rect{std::min(x0, x1), std::min(y0, y1), std::fabs(x1 - x0), std::fabs(y1 - y0)};
      const Rect seen = intersection(rect, area_);
      if (seen.width > 0 && seen.height > 0) canvas_.image(rect, picture.width, picture.height, picture.rgb);
    }
  }

  void rules() {
    const Rect along = turned(area_);
    for (const Rule& rule : plot_.rules) {
      const double x = (plot_.turned ? at_.y : at_.x).page(rule.x);
      if (!std::isfinite(x) || x < along.x - 1 || x > along.right() + 1) continue;
      canvas_.begin_group("rule", rule.name);
      segment(canvas_, turned(Point{x, along.y}), turned(Point{x, along.bottom()}), role_color(rule.role), 0.8);
      canvas_.end_group();
    }
  }

  void bars() {
    const auto styles = bar_styles(plot_);
    for (std::size_t b = 0; b < plot_.bars.size(); ++b) {
      const Bars& bars = plot_.bars[b];
      canvas_.begin_group("bars", bars.name);
      const double zero = at_.y.scale == AxisScale::log ? area_.bottom() : at_.y.page(0);
      for (std::size_t i = 0; i < bars.heights.size(); ++i) {
        const double x0 = at_.x.page(bars.edges[i]), x1 = at_.x.page(bars.edges[i + 1]);
        const double y = at_.y.page(bars.heights[i]);
        if (!std::isfinite(x0) || !std::isfinite(x1) || !std::isfinite(y)) continue;
        const double gap = x1 - x0 > 3 ? 0.35 : 0;
        const Rect bar = intersection({x0 + gap, std::min(y, zero), x1 - x0 - 2 * gap, std::fabs(zero - y)}, area_);
        if (bar.width > 0 && bar.height > 0) canvas_.rectangle(bar, styles[b].color, kBarAlpha);
      }
      canvas_.end_group();
    }
  }

  void bands() {
    const auto styles = line_styles(plot_);
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
      const Line& line = plot_.lines[i];
      if (line.lower.empty()) continue;
      canvas_.begin_group("spread", line.name);
      for (auto& outline : page_bands(line.x, line.lower, line.upper, plot_.turned ? at_.y : at_.x,
                                      plot_.turned ? at_.x : at_.y, turned(area_))) {
        for (Point& p : outline) p = turned(p);
        canvas_.polygon(outline, styles[i].color, kBandAlpha);
      }
      canvas_.end_group();
    }
  }

  void curve(std::string_view kind, std::string_view name, std::span<const double> x, std::span<const double> y,
             const SeriesStyle& style) {
    canvas_.begin_group(kind, name);
    for (const auto& piece : page_lines(x, y, at_.x, at_.y, area_)) {
      if (piece.size() > 1)
        canvas_.polyline(piece, style);
      else
        canvas_.circle(piece[0], style.width * 0.75, style.color, 1);
    }
    canvas_.end_group();
  }

  void contours() {
    const auto styles = contour_styles(plot_);
    for (std::size_t i = 0; i < plot_.contours.size(); ++i)
      curve("contour", plot_.contours[i].name, plot_.contours[i].x, plot_.contours[i].y, styles[i]);
  }

  void lines() {
    const auto styles = line_styles(plot_);
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
      const Line& line = plot_.lines[i];
      curve("line", line.name, plot_.turned ? line.y : line.x, plot_.turned ? line.x : line.y, styles[i]);
    }
  }

  void scatters() {
    const auto styles = scatter_styles(plot_);
    for (std::size_t i = 0; i < plot_.scatters.size(); ++i) {
      const Scatter& scatter = plot_.scatters[i];
      canvas_.begin_group("scatter", scatter.name);
      for (const Point p : page_points(scatter.x, scatter.y, at_.x, at_.y, area_, 0.5))
        if (scatter.role == SeriesRole::truth)
          marker(p, styles[i].color);
        else
          canvas_.circle(p, kSpot, styles[i].color, kDotAlpha);
      canvas_.end_group();
    }
  }

  // Outside the clip: a marker on the edge of the area stays round.
  void markers() {
    const auto styles = line_styles(plot_);
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
      if (!plot_.lines[i].markers) continue;
      const Line& line = plot_.lines[i];
      for (const bool hollow : {false, true}) {
        if (hollow && line.hollow.empty()) break;
        std::vector<double> x, y;
        for (std::size_t k = 0; k < line.x.size(); ++k) {
          if (!line.hollow.empty() && line.hollow[k] != hollow) continue;
          x.push_back(line.x[k]);
          y.push_back(line.y[k]);
        }
        for (const Point p : page_points(plot_.turned ? y : x, plot_.turned ? x : y, at_.x, at_.y, area_, 0.5))
          hollow ? ring(p, styles[i].color) : marker(p, styles[i].color);
      }
    }
  }

  void ring(Point p, std::uint32_t color) {
    marker(p, color);
    canvas_.circle(p, kMarker - 0.9, kPaper, 1);
  }

  void marker(Point p, std::uint32_t color) {
    canvas_.circle(p, kMarker + 0.6, kPaper, 1);
    canvas_.circle(p, kMarker, color, 1);
  }

  void legend() {
    const Legend& legend = at_.legend;
    if (legend.box.width <= 0) return;
    canvas_.begin_group("legend", "");
    for (std::size_t i = 0; i < legend.entries.size(); ++i) {
      const Rect& place = legend.places[i];
      const double x = legend.box.x + place.x, y = legend.box.y + place.y + place.height / 2;
      canvas_.begin_group("entry", legend.entries[i].name);
      key(legend.entries[i], x, y);
      canvas_.text(legend.entries[i].name, {x + kLegendKey + 5, y}, kLegendText, false, 0, false, kTextColor);
      canvas_.end_group();
    }
    canvas_.end_group();
  }

  void key(const LegendEntry& entry, double x, double y) {
    const std::uint32_t color = entry.style.color;
    const double middle = x + kLegendKey / 2;
    switch (entry.kind) {
      case KeyKind::floor:
        canvas_.rectangle({x, y - 3.5, kLegendKey, 7}, color, kFloorAlpha);
        return;
      case KeyKind::fill:
        canvas_.rectangle({x, y - 3.5, kLegendKey, 7}, color, kBarAlpha);
        return;
      case KeyKind::point:
        canvas_.circle({middle, y}, kSpot + 0.4, color, 1);
        return;
      case KeyKind::rule:
        segment(canvas_, {middle, y - 4.5}, {middle, y + 4.5}, color, entry.style.width);
        return;
      case KeyKind::line:
        break;
    }
    if (entry.band) canvas_.rectangle({x, y - 3.5, kLegendKey, 7}, color, kBandAlpha);
    const std::array<Point, 2> ends = {{{x, y}, {x + kLegendKey, y}}};
    canvas_.polyline(ends, entry.style);
    if (entry.markers) marker({middle, y}, color);
  }

  const Plot& plot_;
  const PlotLayout& at_;
  const Rect& area_;
  Canvas& canvas_;
};

}  // namespace

void draw_figure(const Figure& figure, const FigureLayout& layout, Canvas& canvas) {
  canvas.rectangle({0, 0, layout.width, layout.height}, kPaper, 1);
  for (std::size_t i = 0; i < figure.plots.size(); ++i) PlotDrawer(figure.plots[i], layout.plots[i], canvas).draw();
  for (const PlacedText& t : layout.texts) text(canvas, t, t.bold ? kTextColor : kMutedColor);
}

}  // namespace pairs::chart
