#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/text/error.h"
#include "core/report/marks/kinds.h"
#include "core/report/marks/mark_kind.h"
#include "core/report/marks/page_points.h"

namespace pairs::chart {
namespace {

std::optional<Rect> place_of(const Picture& picture, const PlotLayout& at) {
  const double x0 = at.x.page(picture.x0), x1 = at.x.page(picture.x1);
  const double y0 = at.y.page(picture.y0), y1 = at.y.page(picture.y1);
  if (!std::isfinite(x0 + x1 + y0 + y1)) return {};
  return Rect{std::min(x0, x1), std::min(y0, y1), std::fabs(x1 - x0), std::fabs(y1 - y0)};
}

// Pictures have no names and are omitted from CSV.
class PictureMarks final : public MarkKind {
 public:
  std::size_t count(const Plot& plot) const override { return plot.pictures.size(); }
  bool over_pictures() const override { return true; }

  void check(const Plot& plot, const std::string& where) const override {
    constexpr std::int64_t most = 1 << 15;
    for (const Picture& picture : plot.pictures) {
      const bool sized = picture.width > 0 && picture.height > 0 && picture.width <= most && picture.height <= most;
      if (!sized || picture.rgb.size() != static_cast<std::size_t>(picture.width * picture.height) * 3)
        fail_usage("{}: a picture of {} by {} pixels has {} bytes; give three a pixel", where, picture.width,
                   picture.height, picture.rgb.size());
      if (!std::isfinite(picture.x0 + picture.x1 + picture.y0 + picture.y1))
        fail_usage("{}: a picture's corners are not finite numbers", where);
    }
  }

  void fit_x(const Plot& plot, XFit& fit) const override {
    fit.exact |= !plot.pictures.empty();
    for (const Picture& picture : plot.pictures) {
      fit.extent.add(picture.x0);
      fit.extent.add(picture.x1);
    }
  }
  void fit_y(const Plot& plot, YFit& fit) const override {
    fit.exact |= !plot.pictures.empty();
    for (const Picture& picture : plot.pictures) {
      fit.extra.add(picture.y0);
      fit.extra.add(picture.y1);
    }
  }

  void draw(const MarkPage& page, Layer layer) const override {
    if (layer != Layer::pictures) return;
    for (const Picture& picture : page.plot.pictures) {
      const std::optional<Rect> rect = place_of(picture, page.at);
      if (!rect) continue;
      const Rect seen = intersection(*rect, page.at.area);
      if (seen.width > 0 && seen.height > 0) page.canvas.image(*rect, picture.width, picture.height, picture.rgb);
    }
  }

  void mark(const Plot& plot, const PlotLayout& at, PagePoints& points) const override {
    for (const Picture& picture : plot.pictures)
      if (const std::optional<Rect> rect = place_of(picture, at)) points.add(intersection(*rect, at.area));
  }
};

}  // namespace

const MarkKind& picture_marks() {
  static const PictureMarks kind;
  return kind;
}

}  // namespace pairs::chart
