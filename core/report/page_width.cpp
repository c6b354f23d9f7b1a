#include "core/report/page_width.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/report/cairo_canvas.h"
#include "core/report/layout.h"

namespace pairs {
namespace {

constexpr double kComfortable = 130;  // points; narrower plots move to another row
constexpr int kSteps = 8;             // labels, and with them margins, change with the width

double width_of(const Figure& figure) {
  return chart::layout_figure(figure, chart::cairo_text_width).width;
}

// Whether a figure keeps its height however narrow it is, because names along an axis need their room.
bool keeps_height(const Figure& figure) {
  return std::any_of(figure.plots.begin(), figure.plots.end(), [](const Plot& plot) { return !plot.y.names.empty(); });
}

void set_width(Figure& figure, double width) {
  if (!keeps_height(figure))
    figure.plot_height = std::max(figure.plot_height * width / figure.plot_width, chart::kLeastPlot);
  figure.plot_width = width;
}

// The plot width for which the page has the wanted width.
double plot_width_for(Figure figure, double width) {
  const double columns = figure.joined() ? 1 : static_cast<double>(figure.columns);
  for (int step = 0; step < kSteps; ++step) {
    const double missing = width - width_of(figure);
    if (std::fabs(missing) < 0.01) break;
    const double next = figure.plot_width + missing / columns;
    if (next < chart::kLeastPlot) return next;
    set_width(figure, next);
  }
  return figure.plot_width;
}

}  // namespace

Figure fitted_to_width(Figure figure, double width) {
  double fitting = plot_width_for(figure, width);
  while (fitting < kComfortable && figure.columns > 1 && !figure.joined()) {
    --figure.columns;
    fitting = plot_width_for(figure, width);
  }
  if (fitting < chart::kLeastPlot)
    fail_usage("This figure does not fit into {:.0f} mm; give {:.0f} or more", width / kPointsPerMillimeter,
               std::ceil((width + chart::kLeastPlot - fitting) / kPointsPerMillimeter));
  set_width(figure, fitting);
  return figure;
}

}  // namespace pairs
