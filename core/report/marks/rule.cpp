#include "core/report/marks/csv_rows.h"
#include "core/report/marks/kinds.h"
#include "core/report/marks/page_points.h"
#include "core/report/marks/series_kind.h"

namespace pairs::chart {
namespace {

class RuleMarks final : public SeriesKind<Rule> {
 public:
  RuleMarks() : SeriesKind(&Plot::rules, KeyKind::rule) {}

  void fit_x(const Plot& plot, XFit& fit) const override {
    for (const Rule& rule : plot.rules) fit.extent.add(rule.x);
  }

  void draw(const MarkPage& page, Layer layer) const override {
    if (layer != Layer::rules) return;
    const Rect along = page.turned(page.at.area);
    for (const Rule& rule : page.plot.rules) {
      const double x = page.along().page(rule.x);
      if (!std::isfinite(x) || x < along.x - 1 || x > along.right() + 1) continue;
      page.canvas.begin_group("rule", rule.name);
      page.segment(page.turned(Point{x, along.y}), page.turned(Point{x, along.bottom()}), role_color(rule.role), 0.8);
      page.canvas.end_group();
    }
  }

  void mark(const Plot& plot, const PlotLayout& at, PagePoints& points) const override {
    for (const Rule& rule : plot.rules) {
      const double x = at.x.page(rule.x);
      if (std::isfinite(x)) points.add(Point{x, at.area.y}, Point{x, at.area.bottom()});
    }
  }

  void name(const Plot& plot, std::vector<LegendEntry>& entries) const override {
    for (const Rule& rule : plot.rules)
      add_entry(entries, {key(rule), rule.name, {role_color(rule.role), LineStyle::solid, 0.8}});
  }

  void write(const Plot& plot, CsvRows& rows) const override {
    for (const Rule& rule : plot.rules)
      if (std::isfinite(rule.x)) rows.add(rule.name, "rule", csv_cell(rule.x), "");
  }

  void read(const ReadingPlace& place, FoundReadings& found) const override {
    const AxisMap& map_x = place.layout.x;
    for (const Rule& rule : place.plot.rules)
      if (!rule.name.empty() && std::fabs(map_x.page(rule.x) - place.mouse.x) < place.reach)
        found.reported.rows.push_back({rule.name, axis_value(rule.x, map_x), role_color(rule.role), false, {}});
  }

 protected:
  void clear(Rule& rule) const override { rule.x = NAN; }
};

}  // namespace

const MarkKind& rule_marks() {
  static const RuleMarks kind;
  return kind;
}

}  // namespace pairs::chart
