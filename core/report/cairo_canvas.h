#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/canvas.h"

struct _cairo;
struct _cairo_surface;

namespace pairs::chart {

// Draws with cairo, without any display: pixels, anti-aliased, or a page of PDF.
class CairoCanvas : public Canvas {
 public:
  // A page of width by height points at `scale` pixels a point. Throws Error when cairo cannot make it.
  CairoCanvas(double width, double height, double scale);
  // A page of PDF of that size, called `title`, with its fonts embedded, whose bytes are appended to `pdf`, which
  // outlives it: all of them once finish() is called.
  CairoCanvas(double width, double height, const std::string& title, std::string& pdf);
  ~CairoCanvas() override;
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

  std::int64_t width() const;
  std::int64_t height() const;
  // What was drawn, row by row from the top; of pixels alone. Throws Error when cairo failed on the way.
  std::vector<std::uint8_t> rgb();
  // Ends a PDF. Throws Error when cairo failed on the way.
  void finish();
  // Of a PDF: what follows stands on another page of the same size.
  void next_page();
  // What follows is drawn `scale` times as large, from `origin` on, until end_part().
  void begin_part(Point origin, double scale);
  void end_part();
  // A PNG in the upper left of `room`, as large as it fits; pixels stay sharp. Throws Error where it is none.
  void png(const Rect& room, const std::string& bytes);

  void begin_group(std::string_view, std::string_view) override {}
  void end_group() override {}
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
  void begin();
  void color(std::uint32_t color, double alpha);
  _cairo_surface* surface_;
  _cairo* cairo_ = nullptr;
};

// Width in points of a text as CairoCanvas draws it.
double cairo_text_width(std::string_view text, double size, bool bold);

}  // namespace pairs::chart
