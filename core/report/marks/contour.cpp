#include <map>

#include "core/report/marks/csv_rows.h"
#include "core/report/marks/kinds.h"
#include "core/report/marks/page_points.h"
#include "core/report/marks/series_kind.h"

namespace pairs::chart {
namespace {

std::vector<SeriesStyle> contour_styles(const Plot& plot) {
  return series_styles(plot.contours, 1.25);
}

class ContourMarks final : public SeriesKind<Contour> {
 public:
  ContourMarks() : SeriesKind(&Plot::contours, KeyKind::line) {}

  bool over_pictures() const override { return true; }

  void check(const Plot& plot, const std::string& where) const override {
    for (const Contour& contour : plot.contours)
      check_lengths(where, "contour", contour.name, contour.x.size(), contour.y.size());
  }

  void fit_x(const Plot& plot, XFit& fit) const override {
    fit.roomy |= !plot.contours.empty();
    for (const Contour& contour : plot.contours) fit.add(contour.x, contour.y);
  }
  void fit_y(const Plot& plot, YFit& fit) const override {
    fit.floating |= !plot.contours.empty();
    for (const Contour& contour : plot.contours) fit.add(contour.x, contour.y);
  }

  void draw(const MarkPage& page, Layer layer) const override {
    if (layer != Layer::contours) return;
    const auto styles = contour_styles(page.plot);
    for (std::size_t i = 0; i < styles.size(); ++i) {
      const Contour& contour = page.plot.contours[i];
      page.curve("contour", contour.name, contour.x, contour.y, styles[i]);
    }
  }

  void mark(const Plot& plot, const PlotLayout& at, PagePoints& points) const override {
    for (const Contour& contour : plot.contours) points.add(page_lines(contour.x, contour.y, at.x, at.y, at.area));
  }

  void name(const Plot& plot, std::vector<LegendEntry>& entries) const override {
    const auto styles = contour_styles(plot);
    for (std::size_t i = 0; i < styles.size(); ++i)
      add_entry(entries, {key(plot.contours[i]), plot.contours[i].name, styles[i]});
  }

  void write(const Plot& plot, CsvRows& rows) const override {
    std::map<std::string, int> pieces;
    for (const Contour& contour : plot.contours) {
      if (pieces[contour.name]++ > 0) rows.add(contour.name, "contour", "nan", "nan");
      for (std::size_t i = 0; i < contour.x.size(); ++i)
        rows.add(contour.name, "contour", csv_cell(plot.x, contour.x[i]), csv_cell(plot.y, contour.y[i]));
    }
  }

  bool above_zero(const Plot& plot, bool across) const override {
    return std::any_of(plot.contours.begin(), plot.contours.end(),
                       [&](const Contour& contour) { return any_above_zero(across ? contour.x : contour.y); });
  }

 protected:
  void clear(Contour& contour) const override { contour.x = contour.y = {}; }
};

}  // namespace

const MarkKind& contour_marks() {
  static const ContourMarks kind;
  return kind;
}

}  // namespace pairs::chart
