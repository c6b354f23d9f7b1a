#include "core/report/cairo_canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "core/base/text/error.h"
#include "core/report/display_text.h"

namespace pairs::chart {
namespace {

void check(cairo_status_t status) {
  PAIRS_CHECK(status == CAIRO_STATUS_SUCCESS, "Drawing a figure failed: {}.", cairo_status_to_string(status));
}

// Inter, and DejaVu Sans for characters that it lacks; fontconfig substitutes the system's sans-serif if they are not
// installed.
constexpr std::array<const char*, 2> kFamilies = {"Inter", "DejaVu Sans"};

struct Face {
  explicit Face(const char* family, bool bold) {
    cairo_font_face_t* face = cairo_toy_font_face_create(family, CAIRO_FONT_SLANT_NORMAL,
                                                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_matrix_t size, page;
    cairo_matrix_init_scale(&size, 1, 1);
    cairo_matrix_init_identity(&page);
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    unit = cairo_scaled_font_create(face, &size, &page, options);
    cairo_font_options_destroy(options);
    cairo_font_face_destroy(face);
  }
  ~Face() { cairo_scaled_font_destroy(unit); }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  bool has(std::string_view character) const {
    cairo_glyph_t* glyphs = nullptr;
    int count = 0;
    check(cairo_scaled_font_text_to_glyphs(unit, 0, 0, character.data(), static_cast<int>(character.size()), &glyphs,
                                           &count, nullptr, nullptr, nullptr));
    const bool found = count > 0 && glyphs[0].index != 0;
    cairo_glyph_free(glyphs);
    return found;
  }

  double width(const std::string& text) const {
    cairo_text_extents_t extents;
    cairo_scaled_font_text_extents(unit, text.c_str(), &extents);
    check(cairo_scaled_font_status(unit));
    return extents.x_advance;
  }

  cairo_scaled_font_t* unit;  // at a size of one point
};

const Face& face(std::size_t family, bool bold) {
  thread_local const Face kFaces[4] = {Face(kFamilies[0], false), Face(kFamilies[0], true), Face(kFamilies[1], false),
                                       Face(kFamilies[1], true)};
  return kFaces[2 * family + bold];
}

struct Run {
  std::string text;
  std::size_t family;
};

// Splits a text where it needs the other family.
std::vector<Run> runs_of(std::string_view raw, bool bold) {
  const std::string text = display_text(raw);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    const std::string character = text.substr(i, end - i);
    const bool ascii = character.size() == 1;
    const std::size_t family = ascii || face(0, bold).has(character) || !face(1, bold).has(character) ? 0 : 1;
    if (runs.empty() || runs.back().family != family) runs.push_back({"", family});
    runs.back().text += character;
    i = end;
  }
  return runs;
}

}  // namespace

double cairo_text_width(std::string_view text, double size, bool bold) {
  double width = 0;
  for (const Run& run : runs_of(text, bold)) width += face(run.family, bold).width(run.text) * size;
  return width;
}

CairoCanvas::CairoCanvas(double width, double height, double scale) {
  const double w = std::ceil(width * scale - 1e-9), h = std::ceil(height * scale - 1e-9);
  if (!(scale > 0) || !(w >= 1) || !(h >= 1) || w > 32767 || h > 32767)
    fail_usage(
        "A picture of {:.0f} by {:.0f} points at {} pixels per point cannot be drawn; choose a scale that gives 1 to "
        "32,767 pixels each way.",
        width, height, scale);
  surface_ = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(w), static_cast<int>(h));
  begin();
  cairo_scale(cairo_, scale, scale);
}

CairoCanvas::CairoCanvas(double width, double height, const std::string& title, std::string& pdf) {
  const auto append = [](void* bytes, const unsigned char* data, unsigned int size) {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
    return CAIRO_STATUS_SUCCESS;
  };
  surface_ = cairo_pdf_surface_create_for_stream(append, &pdf, width, height);
  // No creation date is written, so that a figure always gives the same file.
  cairo_pdf_surface_set_metadata(surface_, CAIRO_PDF_METADATA_CREATE_DATE, "");
  cairo_pdf_surface_set_metadata(surface_, CAIRO_PDF_METADATA_TITLE, display_text(title).c_str());
  begin();
}

void CairoCanvas::begin() {
  cairo_ = cairo_create(surface_);
  const cairo_status_t status = cairo_status(cairo_);
  if (status != CAIRO_STATUS_SUCCESS) {
    cairo_destroy(cairo_);
    cairo_surface_destroy(surface_);
    check(status);
  }
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo_, options);
  cairo_font_options_destroy(options);
}

CairoCanvas::~CairoCanvas() {
  cairo_destroy(cairo_);
  cairo_surface_destroy(surface_);
}

void CairoCanvas::finish() {
  check(cairo_status(cairo_));
  cairo_surface_finish(surface_);
  check(cairo_surface_status(surface_));
}

void CairoCanvas::next_page() {
  cairo_show_page(cairo_);
}

void CairoCanvas::begin_part(Point origin, double scale) {
  cairo_save(cairo_);
  cairo_translate(cairo_, origin.x, origin.y);
  cairo_scale(cairo_, scale, scale);
}

void CairoCanvas::end_part() {
  cairo_restore(cairo_);
}

void CairoCanvas::png(const Rect& room, const std::string& bytes) {
  std::string_view left = bytes;
  const auto read = [](void* from, unsigned char* to, unsigned int size) {
    auto& rest = *static_cast<std::string_view*>(from);
    if (rest.size() < size) return CAIRO_STATUS_READ_ERROR;
    std::copy_n(rest.data(), size, reinterpret_cast<char*>(to));
    rest.remove_prefix(size);
    return CAIRO_STATUS_SUCCESS;
  };
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> picture(
      cairo_image_surface_create_from_png_stream(read, &left), cairo_surface_destroy);
  check(cairo_surface_status(picture.get()));
  const double scale = std::min(room.width / cairo_image_surface_get_width(picture.get()),
                                room.height / cairo_image_surface_get_height(picture.get()));
  begin_part({room.x, room.y}, scale);
  cairo_set_source_surface(cairo_, picture.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo_);
  end_part();
}

std::int64_t CairoCanvas::width() const {
  return cairo_image_surface_get_width(surface_);
}
std::int64_t CairoCanvas::height() const {
  return cairo_image_surface_get_height(surface_);
}

std::vector<std::uint8_t> CairoCanvas::rgb() {
  check(cairo_status(cairo_));
  cairo_surface_flush(surface_);
  const std::uint8_t* data = cairo_image_surface_get_data(surface_);
  const std::int64_t stride = cairo_image_surface_get_stride(surface_);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width() * height() * 3));
  std::uint8_t* out = pixels.data();
  for (std::int64_t y = 0; y < height(); ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(data + y * stride);
    for (std::int64_t x = 0; x < width(); ++x)
      for (const int shift : {16, 8, 0}) *out++ = static_cast<std::uint8_t>(row[x] >> shift);
  }
  return pixels;
}

void CairoCanvas::color(std::uint32_t color, double alpha) {
  cairo_set_source_rgba(cairo_, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0, alpha);
}

void CairoCanvas::begin_clip(const Rect& area) {
  cairo_save(cairo_);
  cairo_rectangle(cairo_, area.x, area.y, area.width, area.height);
  cairo_clip(cairo_);
}

void CairoCanvas::end_clip() {
  cairo_restore(cairo_);
}

void CairoCanvas::polyline(std::span<const Point> points, const SeriesStyle& style) {
  const double w = style.width;
  const std::array<double, 2> dashed = {kDash * w, kDashGap * w}, dotted = {kDot * w, kDotGap * w};
  cairo_new_path(cairo_);
  for (const Point p : points) cairo_line_to(cairo_, p.x, p.y);
  color(style.color, 1);
  cairo_set_line_width(cairo_, w);
  cairo_set_line_join(cairo_, points.size() > 2 ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER);
  cairo_set_dash(cairo_, style.style == LineStyle::dotted ? dotted.data() : dashed.data(),
                 style.style == LineStyle::solid ? 0 : 2, 0);
  cairo_stroke(cairo_);
}

void CairoCanvas::polygon(std::span<const Point> points, std::uint32_t fill, double alpha) {
  cairo_new_path(cairo_);
  for (const Point p : points) cairo_line_to(cairo_, p.x, p.y);
  cairo_close_path(cairo_);
  color(fill, alpha);
  cairo_fill(cairo_);
}

void CairoCanvas::rectangle(const Rect& rect, std::uint32_t fill, double alpha) {
  cairo_new_path(cairo_);
  cairo_rectangle(cairo_, rect.x, rect.y, rect.width, rect.height);
  color(fill, alpha);
  cairo_fill(cairo_);
}

void CairoCanvas::circle(Point center, double radius, std::uint32_t fill, double alpha) {
  cairo_new_path(cairo_);
  cairo_arc(cairo_, center.x, center.y, radius, 0, 2 * std::numbers::pi);
  color(fill, alpha);
  cairo_fill(cairo_);
}

void CairoCanvas::image(const Rect& rect, std::int64_t width, std::int64_t height, std::span<const std::uint8_t> rgb) {
  cairo_surface_t* picture =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height));
  check(cairo_surface_status(picture));
  std::uint8_t* data = cairo_image_surface_get_data(picture);
  const std::int64_t stride = cairo_image_surface_get_stride(picture);
  for (std::int64_t y = 0; y < height; ++y) {
    auto* row = reinterpret_cast<std::uint32_t*>(data + y * stride);
    for (std::int64_t x = 0; x < width; ++x) {
      const std::uint8_t* p = rgb.data() + (y * width + x) * 3;
      row[x] = static_cast<std::uint32_t>(p[0]) << 16 | static_cast<std::uint32_t>(p[1]) << 8 | p[2];
    }
  }
  cairo_surface_mark_dirty(picture);
  cairo_save(cairo_);
  cairo_rectangle(cairo_, rect.x, rect.y, rect.width, rect.height);
  cairo_clip(cairo_);
  cairo_translate(cairo_, rect.x, rect.y);
  cairo_scale(cairo_, rect.width / static_cast<double>(width), rect.height / static_cast<double>(height));
  cairo_set_source_surface(cairo_, picture, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo_);
  cairo_restore(cairo_);
  cairo_surface_destroy(picture);
}

void CairoCanvas::text(std::string_view raw, Point at, double size, bool bold, double anchor, bool upright,
                       std::uint32_t fill) {
  cairo_save(cairo_);
  cairo_translate(cairo_, at.x, at.y);
  if (upright) cairo_rotate(cairo_, -std::numbers::pi / 2);
  cairo_move_to(cairo_, -anchor * cairo_text_width(raw, size, bold), kCapitalMiddle * size);
  color(fill, 1);
  for (const Run& run : runs_of(raw, bold)) {
    cairo_select_font_face(cairo_, kFamilies[run.family], CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, size);
    cairo_show_text(cairo_, run.text.c_str());
  }
  cairo_restore(cairo_);
}

}  // namespace pairs::chart
