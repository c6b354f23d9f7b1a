#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/canvas.h"

struct _cairo;
struct _cairo_surface;

namespace pairs::chart {

// Draws with cairo, without any display: anti-aliased pixels, or a page of a PDF.
class CairoCanvas : public Canvas {
 public:
  // A bitmap of width by height points at `scale` pixels per point. Throws Error if cairo cannot make it.
  CairoCanvas(double width, double height, double scale);
  // A PDF page of that size with the title `title` and embedded fonts. Its bytes are appended to `pdf`, which must
  // outlive the canvas and is complete after finish().
  CairoCanvas(double width, double height, const std::string& title, std::string& pdf);
  ~CairoCanvas() override;
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

  std::int64_t width() const;
  std::int64_t height() const;
  // The pixels, row by row from the top; not for a PDF. Throws Error if cairo failed while drawing.
  std::vector<std::uint8_t> rgb();
  // Ends a PDF. Throws Error if cairo failed while drawing.
  void finish();
  // Starts another page of the same size in a PDF.
  void next_page();
  // Draws everything up to end_part() `scale` times as large, with `origin` as its origin.
  void begin_part(Point origin, double scale);
  void end_part();
  // Draws a PNG in the upper left of `room`, as large as it fits; pixels stay sharp. Throws Error if it is not a PNG.
  void png(const Rect& room, const std::string& bytes);

  void begin_group(std::string_view, std::string_view) override {}
  void end_group() override {}
  void begin_clip(const Rect& area) override;
  void end_clip() override;
  void polyline(std::span<const Point> points, const SeriesStyle& style) override;
  void polygon(std::span<const Point> points, std::uint32_t color, double alpha) override;
  void rectangle(const Rect& rect, std::uint32_t color, double alpha) override;
  void circle(Point center, double radius, std::uint32_t color, double alpha) override;
  void image(const Rect& rect, std::int64_t width, std::int64_t height, std::span<const std::uint8_t> rgb) override;
  void text(std::string_view text, Point at, double size, bool bold, double anchor, bool upright,
            std::uint32_t color) override;

 private:
  void begin();
  void color(std::uint32_t color, double alpha);
  _cairo_surface* surface_;
  _cairo* cairo_ = nullptr;
};

// Width in points of a text drawn by CairoCanvas.
double cairo_text_width(std::string_view text, double size, bool bold);

}  // namespace pairs::chart
