#pragma once

#include <string>

#include "core/report/canvas.h"

namespace pairs::chart {

// Writes SVG 1.1: text stays text, every series is a group with its kind and name, images are embedded.
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, std::string_view title);
  // The finished document.
  std::string finish();

  void begin_group(std::string_view kind, std::string_view name) override;
  void end_group() override;
  void begin_clip(const Rect& area) override;
  void end_clip() override;
  void polyline(std::span<const Point> points, const SeriesStyle& style) override;
  void polygon(std::span<const Point> points, std::uint32_t color, double alpha) override;
  void rectangle(const Rect& rect, std::uint32_t color, double alpha) override;
  void circle(Point centre, double radius, std::uint32_t color, double alpha) override;
  void image(const Rect& rect, std::int64_t width, std::int64_t height, std::span<const std::uint8_t> rgb) override;
  void text(std::string_view text, Point at, double size, bool bold, double anchor, bool upright,
            std::uint32_t color) override;

 private:
  std::string path(std::span<const Point> points) const;
  std::string body_;
};

}  // namespace pairs::chart
