#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/report/cairo_canvas.h"
#include "core/report/canvas.h"
#include "core/report/display_text.h"
#include "core/report/draw.h"
#include "core/report/figure.h"
#include "core/report/png.h"

namespace pairs::chart {
namespace {

// Rounds to hundredths of a point, without trailing zeros.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string fill(std::uint32_t color, double alpha) {
  std::string text = fmt::format("fill=\"#{:06X}\"", color);
  if (alpha < 1) text += fmt::format(" fill-opacity=\"{}\"", number(alpha));
  return text;
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (i + j < bytes.size() ? static_cast<std::uint8_t>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) text += i + j > bytes.size() ? '=' : kDigits[word >> (18 - 6 * j) & 63];
  }
  return text;
}

// Writes SVG 1.1: text stays text, every series is a group with its kind and name, images are embedded.
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, std::string_view title) {
    body_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Inter, Helvetica, Arial, sans-serif\">\n",
        number(width), number(height));
    if (!title.empty()) body_ += fmt::format("<title>{}</title>\n", xml_text(title));
  }

  std::string finish() { return std::move(body_) + "</svg>\n"; }

  void begin_group(std::string_view kind, std::string_view name) override {
    body_ += fmt::format("<g class=\"{}\"", kind);
    if (!name.empty()) body_ += fmt::format(" data-name=\"{}\"", xml_text(name));
    body_ += ">\n";
  }

  void end_group() override { body_ += "</g>\n"; }

  void begin_clip(const Rect& area) override {
    const std::string x = number(area.x), y = number(area.y), w = number(area.width), h = number(area.height);
    // Named by its content: documents combined in one page may share it.
    const std::string id = fmt::format("clip-{}-{}-{}-{}", x, y, w, h);
    body_ += fmt::format(
        "<clipPath id=\"{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n"
        "<g clip-path=\"url(#{0})\">\n",
        id, x, y, w, h);
  }

  void end_clip() override { body_ += "</g>\n"; }

  void polyline(std::span<const Point> points, const SeriesStyle& style) override {
    const double w = style.width;
    std::string dashes;
    if (style.style == LineStyle::dashed)
      dashes = fmt::format(" stroke-dasharray=\"{} {}\"", number(kDash * w), number(kDashGap * w));
    if (style.style == LineStyle::dotted)
      dashes = fmt::format(" stroke-dasharray=\"{} {}\"", number(kDot * w), number(kDotGap * w));
    body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#{:06X}\" stroke-width=\"{}\"{}{}/>\n", path(points),
                         style.color, number(w), dashes, points.size() > 2 ? " stroke-linejoin=\"round\"" : "");
  }

  void polygon(std::span<const Point> points, std::uint32_t color, double alpha) override {
    body_ += fmt::format("<path d=\"{}Z\" {}/>\n", path(points), fill(color, alpha));
  }

  void rectangle(const Rect& rect, std::uint32_t color, double alpha) override {
    body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", number(rect.x), number(rect.y),
                         number(rect.width), number(rect.height), fill(color, alpha));
  }

  void circle(Point center, double radius, std::uint32_t color, double alpha) override {
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", number(center.x), number(center.y),
                         number(radius), fill(color, alpha));
  }

  void image(const Rect& rect, std::int64_t width, std::int64_t height, std::span<const std::uint8_t> rgb) override {
    body_ += fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
        number(rect.x), number(rect.y), number(rect.width), number(rect.height),
        base64(encode_png(width, height, rgb)));
  }

  void text(std::string_view text, Point at, double size, bool bold, double anchor, bool upright,
            std::uint32_t color) override {
    const double shift = kCapitalMiddle * size;
    const std::string x = number(upright ? at.x + shift : at.x), y = number(upright ? at.y : at.y + shift);
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}{} fill=\"#{:06X}\">{}</text>\n", x, y,
                         number(size), bold ? " font-weight=\"bold\"" : "",
                         anchor == 0   ? ""
                         : anchor == 1 ? " text-anchor=\"end\""
                                       : " text-anchor=\"middle\"",
                         upright ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "", color, xml_text(text));
  }

 private:
  std::string path(std::span<const Point> points) const {
    std::string text;
    for (std::size_t i = 0; i < points.size(); ++i)
      fmt::format_to(std::back_inserter(text), "{}{} {}", i == 0 ? "M" : "L", number(points[i].x), number(points[i].y));
    return text;
  }

  std::string body_;
};

}  // namespace
}  // namespace pairs::chart

namespace pairs {

std::string figure_svg(const Figure& figure) {
  const chart::FigureLayout layout = chart::layout_figure(figure, chart::cairo_text_width);
  chart::SvgCanvas canvas(layout.width, layout.height, figure.title);
  chart::draw_figure(figure, layout, canvas);
  return canvas.finish();
}

}  // namespace pairs
