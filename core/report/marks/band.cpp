#include "core/report/marks/csv_rows.h"
#include "core/report/marks/kinds.h"
#include "core/report/marks/series_kind.h"

namespace pairs::chart {
namespace {

class BandMarks final : public SeriesKind<HorizontalBand> {
 public:
  BandMarks() : SeriesKind(&Plot::bands, KeyKind::floor) {}

  void fit_y(const Plot& plot, YFit& fit) const override {
    for (const HorizontalBand& band : plot.bands) {
      fit.extra.add(band.low);
      fit.extra.add(band.high);
    }
  }

  void draw(const MarkPage& page, Layer layer) const override {
    if (layer != Layer::floors) return;
    const AxisMap& map = page.at.y;
    const Rect& area = page.at.area;
    for (const HorizontalBand& band : page.plot.bands) {
      const bool from_end = map.scale == AxisScale::log && band.low <= 0;
      const double top = map.page(band.high), bottom = map.page(from_end ? map.low : band.low);
      if (!std::isfinite(top) || !std::isfinite(bottom)) continue;
      page.canvas.begin_group("band", band.name);
      page.canvas.rectangle(intersection({area.x, std::min(top, bottom), area.width, std::fabs(bottom - top)}, area),
                            kFloorColor, kFloorAlpha);
      page.canvas.end_group();
    }
  }

  void name(const Plot& plot, std::vector<LegendEntry>& entries) const override {
    for (const HorizontalBand& band : plot.bands) add_entry(entries, {key(band), band.name, {kFloorColor}});
  }

  void write(const Plot& plot, CsvRows& rows) const override {
    for (const HorizontalBand& band : plot.bands)
      rows.add(band.name, "band", "", "", csv_cell(band.low), csv_cell(band.high));
  }

 protected:
  void clear(HorizontalBand& band) const override { band.low = band.high = NAN; }
};

}  // namespace

const MarkKind& band_marks() {
  static const BandMarks kind;
  return kind;
}

}  // namespace pairs::chart
