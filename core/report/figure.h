#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// The role of a series determines its color in every figure. Exact posteriors are always dashed and naive ones dotted.
// Several names with one role in one plot are shades of its color, the last in full color. A ghost is a muted remainder
// of an earlier figure.
enum class SeriesRole { pairs, n1, n1_10, end_to_end, gaussian, exact, naive, truth, other, foreign, ghost };

enum class LineStyle { solid, dashed, dotted };
enum class AxisScale { linear, log };

struct Axis {
  std::string label;
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 0;             // equal: fitted to the data
  bool numbers = true;                  // whether its ticks have numbers
  std::string shared = {};              // axes with the same name in one figure zoom together
  std::vector<std::string> names = {};  // for a categorical axis: the names at 0, 1, 2, ..., shown instead of numbers
};

// y(x), with a band between lower and upper (of the same length) behind it. NaN breaks the line.
struct Line {
  std::string name;  // in the legend; "" omits it
  SeriesRole role = SeriesRole::pairs;
  LineStyle style = LineStyle::solid;
  bool markers = false;
  std::vector<double> x, y, lower, upper;
  std::vector<bool> hollow = {};  // [x], or empty: markers drawn as rings, for points that only extend the line
};

struct Bars {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  std::vector<double> edges, heights;  // edges.size() == heights.size() + 1
};

// A full-width band between two values of y, e.g. a noise floor.
struct HorizontalBand {
  std::string name;
  double low, high;
};

// A vertical rule, e.g. the truth.
struct Rule {
  std::string name;
  SeriesRole role = SeriesRole::truth;
  double x;
};

// An image in data coordinates; rgb row by row from the top. A plot with only pictures and curves over them, and
// without axis labels, is drawn without axes and with equal scales.
struct Picture {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  double x0 = 0, y0 = 0, x1 = 1, y1 = 1;
};

// A closed curve or open polyline in data coordinates, e.g. a contour.
struct Contour {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  LineStyle style = LineStyle::solid;
  std::vector<double> x, y;
};

struct Scatter {
  std::string name;
  SeriesRole role = SeriesRole::other;
  std::vector<double> x, y;
};

struct Plot {
  std::string title;
  Axis x, y;
  std::vector<HorizontalBand> bands;
  std::vector<Picture> pictures;
  std::vector<Bars> bars;
  std::vector<Line> lines;
  std::vector<Contour> contours;
  std::vector<Scatter> scatters;
  std::vector<Rule> rules;
  bool legend = true;
  bool blank = false;   // an empty cell of the grid
  bool turned = false;  // lines, bands and rules run along the y axis: their x points upwards, their y to the right
};

// Plots laid out on a grid, as plain data: the window draws it, the writers below save it.
struct Figure {
  std::string title;
  std::string source;  // data source and run, a footnote: "simulated; runs/..."
  std::int64_t columns = 1;
  double plot_width = 320, plot_height = 240;  // points
  std::vector<Plot> plots;
  // For plots that stand edge to edge, as in a corner plot: relative widths of the columns and heights of the rows. The
  // legend is that of the first plot. Empty: plots are placed separately.
  std::vector<double> column_shares = {}, row_shares = {};
  bool joined() const { return !column_shares.empty(); }
};

// All writers throw a usage Error that names plot and series for arrays that do not fit together and for impossible
// axes. Values that an axis cannot show (NaN, infinities, zero or less on a logarithmic one) become gaps; an empty plot
// shows "no data".

// Vector graphics suitable for a paper: Okabe-Ito colors, ticks at round numbers, legend.
std::string figure_svg(const Figure& figure);
// Every series as long-format rows (RFC 4180, lines end in
// ): plot, series, kind, x, y, lower, upper, with digits that read back exactly. For bars, x is the center, and lower
// and upper are the edges; a row of nan separates contours of one name. Pictures are omitted, and a figure with only
// pictures is refused.
std::string figure_csv(const Figure& figure);
// Rasterized by this program from the same description, at `scale` pixels per point.
void write_figure_png(const std::filesystem::path& file, const Figure& figure, double scale = 2);
// Writes FILE.svg, FILE.pdf, FILE.csv or FILE.png by extension, atomically.
void write_figure(const std::filesystem::path& file, const Figure& figure);

// RGB of a role on a light background as 0xRRGGBB.
std::uint32_t role_color(SeriesRole role);

}  // namespace pairs
