#include "core/report/draw.h"

#include <array>

#include "core/report/marks/mark_kind.h"

namespace pairs::chart {
namespace {

void text(Canvas& canvas, const PlacedText& t, std::uint32_t color) {
  canvas.text(t.text, t.at, t.size, t.bold, t.anchor, t.upright, color);
}

class PlotDrawer {
 public:
  PlotDrawer(const Plot& plot, const PlotLayout& layout, Canvas& canvas)
      : plot_(plot), at_(layout), area_(layout.area), canvas_(canvas), page_{plot, layout, canvas} {}

  void draw() {
    if (plot_.blank) return;
    canvas_.begin_group("plot", plot_.title);
    if (at_.axes) grid();
    canvas_.begin_clip(area_);
    for (const Layer layer : kLayers) {
      if (layer == Layer::markers) canvas_.end_clip();
      for (const MarkKind* kind : mark_kinds()) kind->draw(page_, layer);
    }
    if (at_.axes) axes();
    for (const PlacedText& t : at_.texts) text(canvas_, t, kTextColor);
    if (at_.empty)
      canvas_.text("no data", {area_.x + area_.width / 2, area_.y + area_.height / 2}, kLabelText, false, 0.5, false,
                   kMutedColor);
    legend();
    canvas_.end_group();
  }

 private:
  void grid() {
    for (const Tick& tick : at_.x_ticks.major) {
      const double x = at_.x.page(tick.value);
      page_.segment({x, area_.y}, {x, area_.bottom()}, kGridColor, 0.6);
    }
    for (const Tick& tick : at_.y_ticks.major) {
      const double y = at_.y.page(tick.value);
      page_.segment({area_.x, y}, {area_.right(), y}, kGridColor, 0.6);
    }
  }

  void axes() {
    const auto mark = [&](const AxisMap& map, double value, double length, bool across) {
      const double p = map.page(value);
      if (across)
        page_.segment({p, area_.bottom()}, {p, area_.bottom() + length}, kTextColor, 0.7);
      else
        page_.segment({area_.x, p}, {area_.x - length, p}, kTextColor, 0.7);
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
    switch (entry.key.kind) {
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
        page_.segment({middle, y - 4.5}, {middle, y + 4.5}, color, entry.style.width);
        return;
      case KeyKind::line:
        break;
    }
    if (entry.band) canvas_.rectangle({x, y - 3.5, kLegendKey, 7}, color, kBandAlpha);
    const std::array<Point, 2> ends = {{{x, y}, {x + kLegendKey, y}}};
    canvas_.polyline(ends, entry.style);
    if (entry.markers) page_.marker({middle, y}, color);
  }

  const Plot& plot_;
  const PlotLayout& at_;
  const Rect& area_;
  Canvas& canvas_;
  MarkPage page_;
};

}  // namespace

void draw_figure(const Figure& figure, const FigureLayout& layout, Canvas& canvas) {
  canvas.rectangle({0, 0, layout.width, layout.height}, kPaper, 1);
  for (std::size_t i = 0; i < figure.plots.size(); ++i) PlotDrawer(figure.plots[i], layout.plots[i], canvas).draw();
  for (const PlacedText& t : layout.texts) text(canvas, t, t.bold ? kTextColor : kMutedColor);
}

}  // namespace pairs::chart
