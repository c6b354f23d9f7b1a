#include "core/report/layout.h"

#include <algorithm>
#include <cmath>

#include "core/report/joined_layout.h"
#include "core/report/ranges.h"

namespace pairs::chart {
namespace {

constexpr double kPad = 7;            // around the outside of a cell
constexpr double kTickGap = 3;        // between a tick and its label
constexpr double kLabelGap = 5;       // between tick labels and axis label
constexpr double kLegendGap = 3;      // between legend and area: markers extend beyond it
constexpr double kCorner = 16;        // to the right of a legend, where the window has a button
constexpr double kLeastArea = 36;     // smallest width and height that a legend leaves for the data
constexpr double kTextHeight = 0.73;  // height of a capital letter, relative to the text size

struct Draft {
  Range x, y;
  Ticks x_ticks, y_ticks;
  std::vector<std::string> title;
  Legend legend;
  bool legend_aside = false;  // right of the area, not above it
  LabelRoom labels;
  bool axes = true;
  double left = 0, right = 0, top = 0, bottom = 0;  // margins between cell and area
};

std::vector<std::string> wrap(const std::string& text, double size, bool bold, double width,
                              const TextMeasure& measure) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = std::min(text.find(' ', start), text.size());
    while (end < text.size()) {
      const std::size_t next = std::min(text.find(' ', end + 1), text.size());
      if (measure(text.substr(start, next - start), size, bold) > width) break;
      end = next;
    }
    if (end > start) lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string axis_label(const Axis& axis, const Ticks& ticks) {
  if (ticks.exponent == 0 || !axis.numbers) return axis.label;
  const std::string unit = "×10" + superscript(ticks.exponent);
  return axis.label.empty() ? unit : axis.label + " (" + unit + ")";
}

AxisMap map_of(const Axis& axis, const Range& range, double from, double to) {
  return {axis.scale, range.low, range.high, from, to};
}

// Ticks of a categorical axis: at all names, or at as many as fit.
Ticks name_ticks(const Axis& axis, const Range& range, double length, bool across, const TextMeasure& measure) {
  double wide = kTickText * kTextHeight;
  for (const std::string& name : axis.names)
    if (across) wide = std::max(wide, measure(name, kTickText, false) + 8);
  const double apart = std::max(length / (range.high - range.low), 1e-9);
  const auto step = static_cast<std::size_t>(std::max(std::ceil(wide / apart - 1e-9), 1.0));
  Ticks ticks;
  for (std::size_t k = 0; k < axis.names.size(); k += step)
    if (const auto at = static_cast<double>(k); at >= range.low && at <= range.high)
      ticks.major.push_back({at, axis.names[k]});
  return ticks;
}

Ticks ticks_for(const Axis& axis, const Range& range, double length, bool across, const TextMeasure& measure) {
  if (!axis.names.empty()) return name_ticks(axis, range, length, across, measure);
  const AxisMap map = map_of(axis, range, 0, length);
  return choose_ticks(axis.scale, range.low, range.high, [&](const Ticks& ticks) {
    for (std::size_t i = 0; i + 1 < ticks.major.size(); ++i) {
      const Tick &a = ticks.major[i], &b = ticks.major[i + 1];
      const double apart = map.page(b.value) - map.page(a.value);
      const bool linear = axis.scale == AxisScale::linear;
      if (!across && apart < (linear ? 22 : 13)) return false;
      if (across && (apart < (linear ? 30 : 0) ||
                     apart < 8 + (measure(a.label, kTickText, false) + measure(b.label, kTickText, false)) / 2))
        return false;
    }
    return true;
  });
}

double widest_label(const Ticks& ticks, const TextMeasure& measure) {
  double widest = 0;
  for (const Tick& tick : ticks.major) widest = std::max(widest, measure(tick.label, kTickText, false));
  return widest;
}

// Margins of one plot for a given height of its area.
void measure_margins(const Plot& plot, double width, double height, const TextMeasure& measure, Draft& draft) {
  draft.top = kPad + (draft.title.empty() ? 2 : draft.title.size() * (kPlotTitle + 3.0) + 5);
  draft.left = draft.right = draft.bottom = kPad;
  if (!draft.axes) return;
  if (plot.x.numbers) draft.bottom += kTickLength + kTickGap + kTickText * kTextHeight;
  draft.x_ticks = ticks_for(plot.x, draft.x, width - 60, true, measure);
  if (!axis_label(plot.x, draft.x_ticks).empty()) draft.bottom += kLabelGap + kLabelText;
  draft.y_ticks = ticks_for(plot.y, draft.y, std::max(20.0, height - draft.top - draft.bottom), false, measure);
  if (plot.y.numbers) {
    draft.labels.left = std::max(draft.labels.left, widest_label(draft.y_ticks, measure));
    draft.left += kTickLength + kTickGap + draft.labels.left;
  }
  if (!axis_label(plot.y, draft.y_ticks).empty()) draft.left += kLabelGap + kLabelText;
  if (!draft.x_ticks.major.empty() && plot.x.numbers) {
    const double area = std::max(20.0, width - draft.left - draft.right);
    const Tick& last = draft.x_ticks.major.back();
    const double end = map_of(plot.x, draft.x, 0, area).page(last.value) + measure(last.label, kTickText, false) / 2;
    draft.labels.right = std::max(draft.labels.right, end - area);
  }
  draft.right += draft.labels.right;
  if (draft.legend.box.width <= 0) return;
  if (draft.legend_aside)
    draft.right += draft.legend.box.width + kLegendGap;
  else
    draft.top += draft.legend.box.height + kLegendGap - (draft.title.empty() ? 6 : 0);
}

constexpr double kTitleTop = 8, kTitleRow = kFigureTitle + 4, kSourceRow = kSourceText + 2.5, kSourceBottom = 4;

// Title and source of a figure, broken into lines.
struct FrameTexts {
  FrameTexts(const Figure& figure, double width, const TextMeasure& measure)
      : title(wrap(figure.title, kFigureTitle, true, width - 2 * kPad - 8, measure)),
        source(wrap(figure.source, kSourceText, false, width - 2 * kPad - 8, measure)) {}
  double above() const { return title.empty() ? 0 : kTitleTop + title.size() * kTitleRow; }
  double below() const { return source.empty() ? 0 : source.size() * kSourceRow + kSourceBottom; }

  std::vector<std::string> title, source;
};

class Builder {
 public:
  Builder(const Figure& figure, const TextMeasure& measure, const std::vector<LabelRoom>& least)
      : figure_(figure), measure_(measure), least_(least) {
    const auto count = static_cast<std::int64_t>(figure.plots.size());
    columns_ = std::min(figure.columns, count);
    rows_ = (count + columns_ - 1) / columns_;
  }

  FigureLayout build() {
    page_.width = columns_ * figure_.plot_width;
    place_frame_texts();
    for (const Plot& plot : figure_.plots) {
      Draft draft;
      draft.x = x_range(plot);
      draft.y = y_range(plot, draft.x);
      draft.axes = !pictures_only(plot);
      draft.title = wrap(plot.title, kPlotTitle, true, figure_.plot_width - 2 * kPad, measure_);
      if (drafts_.size() < least_.size()) draft.labels = least_[drafts_.size()];
      if (!figure_.joined()) fit_legend(plot, draft);
      drafts_.push_back(std::move(draft));
    }
    figure_.joined() ? arrange_joined() : arrange();
    for (std::size_t i = 0; i < drafts_.size(); ++i)
      if (!figure_.plots[i].blank) finish(i);
    return std::move(page_);
  }

 private:
  void place_frame_texts() {
    const FrameTexts texts(figure_, page_.width, measure_);
    top_ = texts.above();
    double y = kTitleTop;
    for (const std::string& line : texts.title) {
      page_.texts.push_back({line, {kPad + 4, y + kFigureTitle / 2}, kFigureTitle, 0, true, false});
      y += kTitleRow;
    }
    y = top_ + rows_ * figure_.plot_height;
    page_.height = y + texts.below();
    for (const std::string& line : texts.source) {
      page_.texts.push_back({line, {page_.width - kPad - 4, y + kSourceText / 2}, kSourceText, 1, false, false});
      y += kSourceRow;
    }
  }

  // Arranges the areas of all plots: those in a row share top and bottom, those in a column left and right.
  void arrange() {
    std::vector<double> left(columns_), right(columns_), top(rows_), bottom(rows_);
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      Draft& d = drafts_[i];
      measure_margins(figure_.plots[i], figure_.plot_width, figure_.plot_height, measure_, d);
      const auto column = i % columns_, row = i / columns_;
      left[column] = std::max(left[column], d.left);
      right[column] = std::max(right[column], d.right);
      top[row] = std::max(top[row], d.top);
      bottom[row] = std::max(bottom[row], d.bottom);
    }
    page_.plots.assign(drafts_.size(), {});
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const auto column = i % columns_, row = i / columns_;
      PlotLayout& out = page_.plots[i];
      out.cell = {column * figure_.plot_width, top_ + row * figure_.plot_height, figure_.plot_width,
                  figure_.plot_height};
      const double l = drafts_[i].axes ? left[column] : kPad, r = drafts_[i].axes ? right[column] : kPad;
      const double b = drafts_[i].axes ? bottom[row] : kPad;
      out.area = {out.cell.x + l, out.cell.y + top[row], std::max(20.0, out.cell.width - l - r),
                  std::max(20.0, out.cell.height - top[row] - b)};
      if (!drafts_[i].axes) out.area = equal_scales(out.area, drafts_[i]);
      map_axes(i);
    }
  }

  // Arranges the areas of a joined figure, and its legend: in the blank plots next to the first plot if it fits there,
  // else above all plots.
  void arrange_joined() {
    JoinedMargins margins{kPad, kPad, kPad, kPad};
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (figure_.plots[i].blank) continue;
      Draft& d = drafts_[i];
      measure_margins(figure_.plots[i], figure_.plot_width, figure_.plot_height, measure_, d);
      const auto count = static_cast<std::int64_t>(i), column = count % columns_, row = count / columns_;
      if (column == 0) margins.left = std::max(margins.left, d.left);
      if (column == columns_ - 1) margins.right = std::max(margins.right, d.right);
      if (row == 0) margins.top = std::max(margins.top, d.top);
      if (row == rows_ - 1) margins.bottom = std::max(margins.bottom, d.bottom);
    }
    const Rect page{0, top_, page_.width, rows_ * figure_.plot_height};
    std::vector<JoinedPlace> places = joined_places(figure_, page, margins);
    const std::vector<LegendEntry> entries = legend_entries(figure_.plots.front());
    const JoinedPlace& first = places.front();
    Legend legend =
        row_legend(entries, std::max(0.0, first.cell.right() - first.area.right() - 2 * kPad - kCorner), measure_);
    const bool whole = std::equal(entries.begin(), entries.end(), legend.entries.begin(), legend.entries.end(),
                                  [](const LegendEntry& a, const LegendEntry& b) { return a.name == b.name; });
    if (whole && legend.box.height <= first.area.height) {
      legend.box.x = first.area.right() + kPad;
      legend.box.y = first.area.y;
    } else {
      legend = row_legend(entries, page.width - 2 * kPad - kCorner, measure_);
      legend.box.x = std::max(0.0, margins.left - kLegendPad);
      legend.box.x = std::min(legend.box.x, page.width - kPad - kCorner - legend.box.width);
      legend.box.y = top_ + 1;
      margins.top += legend.box.height + kLegendGap - 4;
      places = joined_places(figure_, page, margins);
    }
    drafts_.front().legend = std::move(legend);
    page_.plots.assign(drafts_.size(), {});
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      PlotLayout& out = page_.plots[i];
      out.axes = !figure_.plots[i].blank;
      out.cell = places[i].cell;
      out.area = places[i].area;
      if (out.axes) map_axes(i);
    }
  }

  // Maps the axes of a plot whose area is fixed.
  void map_axes(std::size_t i) {
    const Plot& plot = figure_.plots[i];
    PlotLayout& out = page_.plots[i];
    Draft& draft = drafts_[i];
    out.x = map_of(plot.x, draft.x, out.area.x, out.area.right());
    out.y = map_of(plot.y, draft.y, out.area.bottom(), out.area.y);
    draft.x_ticks = ticks_for(plot.x, draft.x, out.area.width, true, measure_);
    draft.y_ticks = ticks_for(plot.y, draft.y, out.area.height, false, measure_);
    if (plot.y.numbers) draft.labels.left = std::max(draft.labels.left, widest_label(draft.y_ticks, measure_));
  }

  static Rect equal_scales(const Rect& room, const Draft& draft) {
    const double wide = draft.x.high - draft.x.low, tall = draft.y.high - draft.y.low;
    const double scale = std::min(room.width / wide, room.height / tall);
    const double width = wide * scale, height = tall * scale;
    return {room.x + (room.width - width) / 2, room.y + (room.height - height) / 2, width, height};
  }

  // Places the legend above the area, or to the right of a single one if that leaves more room for the data. If either
  // would leave almost no room, there is none.
  void fit_legend(const Plot& plot, Draft& draft) const {
    if (!draft.axes) return;
    const double room = figure_.plot_width - 2 * kPad - kCorner;
    Legend above = row_legend(legend_entries(plot), room, measure_);
    if (above.box.width <= 0) return;
    measure_margins(plot, figure_.plot_width, figure_.plot_height, measure_, draft);
    const double wide = figure_.plot_width - draft.left - draft.right;
    const double high = figure_.plot_height - draft.top - draft.bottom;
    const double left_high = high - above.box.height - kLegendGap;
    if (above.rows > 1 && figure_.plots.size() == 1) {
      double widest = 0;
      for (const Rect& place : above.places) widest = std::max(widest, place.width);
      const double most = std::min(widest + 2 * kLegendPad + 0.01, 0.4 * figure_.plot_width);
      Legend aside = row_legend(legend_entries(plot), most, measure_);
      const double left_wide = wide - aside.box.width - kLegendGap;
      if (left_wide >= kLeastArea && aside.box.height <= high && left_wide * high > 1.1 * wide * left_high) {
        draft.legend = std::move(aside);
        draft.legend_aside = true;
        return;
      }
    }
    if (left_high >= kLeastArea) draft.legend = std::move(above);
  }

  // Whether the legends of this plot's row are above its titles, as for all plots of the row.
  bool legend_on_top(std::size_t i) const {
    const std::size_t columns = static_cast<std::size_t>(columns_), first = i / columns * columns;
    for (std::size_t k = first; k < std::min(first + columns, drafts_.size()); ++k)
      if (drafts_[k].legend.box.width <= 0) return true;
    return false;
  }

  // Places the legend; returns how far above the area the title ends.
  double settle_legend(std::size_t i) {
    Draft& draft = drafts_[i];
    const PlotLayout& out = page_.plots[i];
    Rect& box = draft.legend.box;
    if (box.width <= 0) return 0;
    if (draft.legend_aside) {
      box.x = out.cell.right() - kPad - box.width;
      box.y = out.area.y - kLegendPad + 1;
      return 0;
    }
    const bool on_top = legend_on_top(i);
    const double titles = draft.title.empty() ? 0 : draft.title.size() * (kPlotTitle + 3.0) + 5;
    const double right = out.cell.right() - kPad - kCorner - box.width;
    box.x = std::max(out.cell.x + kPad - kLegendPad, std::min(out.area.x - kLegendPad, right));
    box.y = out.area.y - kLegendGap - box.height - (on_top ? titles : 0);
    return on_top ? 0 : box.height + kLegendGap;
  }

  void finish(std::size_t i) {
    const Plot& plot = figure_.plots[i];
    Draft& draft = drafts_[i];
    PlotLayout& out = page_.plots[i];
    const double lifted = figure_.joined() ? 0 : settle_legend(i);
    out.axes = draft.axes;
    out.empty = draft.x.empty || draft.y.empty;
    out.legend = draft.legend;
    out.labels = draft.labels;
    out.x_ticks = draft.x_ticks;
    out.y_ticks = draft.y_ticks;
    const Rect& area = out.area;
    double y =
        (draft.axes ? area.y : out.cell.y + draft.top) - lifted - 9 - (draft.title.size() - 1.0) * (kPlotTitle + 3);
    for (const std::string& line : draft.title) {
      // Centered on the area, as far as the cell allows.
      const double room = std::max(0.0, (out.cell.width - measure_(line, kPlotTitle, true)) / 2 - kPad);
      const double middle = out.cell.x + out.cell.width / 2;
      const double x = std::clamp(area.x + area.width / 2, middle - room, middle + room);
      out.texts.push_back({line, {x, y}, kPlotTitle, 0.5, true, false});
      y += kPlotTitle + 3;
    }
    if (!draft.axes) return;
    const double below = area.bottom() + kTickLength + kTickGap + kTickText * kTextHeight / 2;
    // Where plots stand edge to edge, a number at the end of an axis would overlap the neighbor's.
    const double reach = figure_.joined() ? kJoinedGap / 2 : 1e9;
    for (const Tick& tick : out.x_ticks.major) {
      if (!plot.x.numbers) break;
      const double half = measure_(tick.label, kTickText, false) / 2, low = out.cell.x + half;
      const double x = std::clamp(out.x.page(tick.value), low, std::max(low, out.cell.right() - half));
      if (x - half < area.x - reach || x + half > area.right() + reach) continue;
      out.texts.push_back({tick.label, {x, below}, kTickText, 0.5, false, false});
    }
    const double aside = area.x - kTickLength - kTickGap;
    for (const Tick& tick : out.y_ticks.major) {
      const double y_at = out.y.page(tick.value), half = kTickText * kTextHeight / 2;
      if (!plot.y.numbers || y_at - half < area.y - reach || y_at + half > area.bottom() + reach) continue;
      out.texts.push_back({tick.label, {aside, y_at}, kTickText, 1, false, false});
    }
    const std::string x_label = axis_label(plot.x, out.x_ticks), y_label = axis_label(plot.y, out.y_ticks);
    if (!x_label.empty()) {
      const double at = below + kTickText * kTextHeight / 2 + kLabelGap + kLabelText / 2;
      out.texts.push_back(
          between(x_label, area.x + area.width / 2, at, out.cell.x + kPad, out.cell.right() - kPad, false));
    }
    if (!y_label.empty()) {
      const double at = aside - draft.labels.left - kLabelGap - kLabelText / 2;
      out.texts.push_back(between(y_label, area.y + area.height / 2, at, area.y, out.cell.bottom() - kPad, true));
    }
  }

  // An axis label centered at `middle` as far as [from, to] allows, and smaller if it does not fit.
  PlacedText between(const std::string& text, double middle, double across, double from, double to,
                     bool upright) const {
    const double width = measure_(text, kLabelText, false), room = to - from;
    const double shown = std::min(width, room);
    middle = std::clamp(middle, from + shown / 2, std::max(from + shown / 2, to - shown / 2));
    return {text,
            upright ? Point{across, middle} : Point{middle, across},
            kLabelText * shown / std::max(width, 1e-9),
            0.5,
            false,
            upright};
  }

  const Figure& figure_;
  const TextMeasure& measure_;
  const std::vector<LabelRoom>& least_;
  std::int64_t columns_, rows_;
  double top_ = 0;
  std::vector<Draft> drafts_;
  FigureLayout page_;
};

}  // namespace

double frame_height(const Figure& figure, double width, const TextMeasure& measure) {
  const FrameTexts texts(figure, width, measure);
  return texts.above() + texts.below();
}

FigureLayout layout_figure(const Figure& figure, const TextMeasure& measure, const std::vector<LabelRoom>& least) {
  check_figure(figure);
  return Builder(figure, measure, least).build();
}

}  // namespace pairs::chart
