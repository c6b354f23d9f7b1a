#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/report/canvas.h"
#include "core/report/figure.h"
#include "core/report/layout.h"
#include "core/report/legend.h"
#include "core/report/ranges.h"
#include "core/report/readings.h"

// What a plot does with its marks, by kind. Each kind is one file in this folder and one line of mark_kinds.cpp.
namespace pairs::chart {

class PagePoints;  // page_points.h
class CsvRows;     // csv_rows.h

// The drawing order, from the back. Markers may extend beyond the edge of the area.
enum class Layer { pictures, rules, bars, floors, spreads, contours, lines, scatters, markers };
inline constexpr Layer kLayers[] = {Layer::pictures, Layer::rules, Layer::bars,     Layer::floors, Layer::spreads,
                                    Layer::contours, Layer::lines, Layer::scatters, Layer::markers};

// The smallest and the largest value that an axis can show.
struct Extent {
  explicit Extent(AxisScale scale) : above(scale == AxisScale::log ? 0 : -std::numeric_limits<double>::infinity()) {}
  double above;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  // Branch-free, so that compilers vectorize loops over it. NaN fails every comparison.
  void add(double value, bool wanted = true) {
    const bool counts = wanted & (value > above) & (value <= std::numeric_limits<double>::max());
    low = counts & (value < low) ? value : low;
    high = counts & (value > high) ? value : high;
  }
  void add(const Extent& other) {
    add(other.low);
    add(other.high);
  }
  bool empty() const { return low > high; }
};

// What marks require of the x axis.
struct XFit {
  Extent extent;
  bool roomy = false;  // some need room at the ends
  bool fills = false;  // some fill the axis from end to end
  bool exact = false;  // pictures end where the axis does
  // Adds the x values whose y the y axis can show.
  void add(const std::vector<double>& x, const std::vector<double>& y);
};

// What marks require of the y axis, given the range `x`.
struct YFit {
  Range x;
  Extent data, extra;      // beside: values that are not data but must fit on the axis
  bool from_zero = false;  // some stand on zero
  bool floating = false;   // some do not
  bool exact = false;
  // Adds the values at places that the x axis shows.
  void add(const std::vector<double>& at, const std::vector<double>& values);
};

// A plot on its page, with its canvas.
struct MarkPage {
  const Plot& plot;
  const PlotLayout& at;
  Canvas& canvas;

  // For a turned plot, exchanges the page's axes.
  Point turned(Point p) const { return plot.turned ? Point{p.y, p.x} : p; }
  Rect turned(const Rect& r) const { return plot.turned ? Rect{r.y, r.x, r.height, r.width} : r; }
  const AxisMap& along() const { return plot.turned ? at.y : at.x; }
  const AxisMap& across() const { return plot.turned ? at.x : at.y; }
  void segment(Point a, Point b, std::uint32_t color, double width) const;
  // Draws the pieces of a curve, in a group of their own.
  void curve(std::string_view kind, std::string_view name, std::span<const double> x, std::span<const double> y,
             const SeriesStyle& style) const;
  void marker(Point p, std::uint32_t color) const;
  void ring(Point p, std::uint32_t color) const;
};

inline constexpr double kBandAlpha = 0.2, kFloorAlpha = 0.28, kBarAlpha = 0.62, kDotAlpha = 0.55, kSpot = 1.3;

// One kind of mark: everything that plots do with it. Kinds override only what applies to them.
class MarkKind {
 public:
  virtual ~MarkKind() = default;

  // How many a plot has, and whether a plot with pictures may have them and still be drawn without axes.
  virtual std::size_t count(const Plot& plot) const = 0;
  virtual bool over_pictures() const { return false; }
  // Throws a usage Error, which begins with `where`, for arrays that do not fit together.
  virtual void check(const Plot&, const std::string& /*where*/) const {}
  virtual void fit_x(const Plot&, XFit&) const {}
  virtual void fit_y(const Plot&, YFit&) const {}
  // Draws the parts in this layer.
  virtual void draw(const MarkPage&, Layer) const = 0;
  // Marks the places that they cover on the page.
  virtual void mark(const Plot&, const PlotLayout&, PagePoints&) const {}
  virtual void name(const Plot&, std::vector<LegendEntry>&) const {}
  virtual void write(const Plot&, CsvRows&) const {}
  // snap: moves the crosshair to one of them if it is near. read: adds the values that they show there.
  virtual void snap(const ReadingPlace&, FoundReadings&) const {}
  virtual void read(const ReadingPlace&, FoundReadings&) const {}
  // Whether a logarithmic x (y) axis could show any of them.
  virtual bool above_zero(const Plot&, bool /*across*/) const { return false; }
  // Removes points outside the ends of the axis, except those that a line needs to reach them.
  virtual void cut(Plot&, double /*low*/, double /*high*/) const {}
  // Removes the selected series, or only their data: they are then ignored for ranges and drawing but keep their places
  // in the legend.
  using Chosen = std::function<bool(const SeriesKey&)>;
  virtual void remove(Plot&, const Chosen&) const {}
  virtual void empty(Plot&, const Chosen&) const {}
};

// All kinds, in the order of legends and tables.
const std::vector<const MarkKind*>& mark_kinds();

}  // namespace pairs::chart
