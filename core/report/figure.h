#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// What a colour means is the same in every figure. Exact answers are always dashed and naive ones dotted. Several names
// of one role in one plot are shades of its colour, the last the full one. A ghost is what is kept of an earlier
// figure, muted.
enum class SeriesRole { pairs, n1, n1_10, end_to_end, gaussian, exact, naive, truth, other, ghost };

enum class LineStyle { solid, dashed, dotted };
enum class AxisScale { linear, log };

struct Axis {
  std::string label;
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 0;             // equal: fit to the data
  bool numbers = true;                  // at its ticks
  std::string shared = {};              // of axes with the same name in one figure, a person who zooms one zooms all
  std::vector<std::string> names = {};  // of an axis of things: those at 0, 1, 2, ..., written in place of numbers
};

// y(x); with lower/upper (same length) a band is drawn behind it. NaN breaks the line.
struct Line {
  std::string name;  // legend; "" leaves it out
  SeriesRole role = SeriesRole::pairs;
  LineStyle style = LineStyle::solid;
  bool markers = false;
  std::vector<double> x, y, lower, upper;
  std::vector<bool> hollow = {};  // [x], or empty: markers drawn as rings, of what only extends the line
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

// An image in data coordinates; rgb row by row from the top. A plot of nothing but pictures and curves over them,
// without axis labels, is drawn without axes, both scales equal.
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
  bool blank = false;   // an empty place of the grid
  bool turned = false;  // lines, bands and rules run along the y axis: their x is read upwards, their y to the right
};

// Plots laid out on a grid, as plain data: the window draws it, the writers below save it.
struct Figure {
  std::string title;
  std::string source;  // data source and run, a footnote: "simulated; runs/..."
  std::int64_t columns = 1;
  double plot_width = 320, plot_height = 240;  // points
  std::vector<Plot> plots;
  // Of plots that stand edge to edge, as those of a corner plot do: how wide columns and how high rows are beside one
  // another. The legend is the first plot's. Empty: each plot stands for itself.
  std::vector<double> column_shares = {}, row_shares = {};
  bool joined() const { return !column_shares.empty(); }
};

// All writers throw a usage Error that names plot and series on arrays that do not fit together and on impossible axes.
// What an axis cannot show (NaN, infinities, zero or less on a logarithmic one) is a gap; an empty plot says "no data".

// Vector graphics good enough to print in a paper: Okabe-Ito colours, ticks at round numbers, legend.
std::string figure_svg(const Figure& figure);
// Every series as long-format rows (RFC 4180, lines end in \n): plot, series, kind, x, y, lower, upper, in digits that
// read back exactly. Of bars x is the middle, lower and upper are the edges; a row of nan parts contours of one name;
// pictures are left out, and a figure of nothing else is refused.
std::string figure_csv(const Figure& figure);
// Rasterised by this program from the same description, at `scale` pixels a point.
void write_figure_png(const std::filesystem::path& file, const Figure& figure, double scale = 2);
// Writes FILE.svg, FILE.pdf, FILE.csv or FILE.png by extension, atomically.
void write_figure(const std::filesystem::path& file, const Figure& figure);

// RGB of a role on a light background as 0xRRGGBB.
std::uint32_t role_color(SeriesRole role);

}  // namespace pairs
