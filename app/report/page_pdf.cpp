#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/page.h"
#include "core/report/cairo_canvas.h"
#include "core/report/draw.h"
#include "core/report/layout.h"
#include "core/report/style.h"

namespace pairs {
namespace {

using chart::cairo_text_width;

constexpr double kWide = 595, kHigh = 842, kMargin = 54;  // A4 and its margins, in points
constexpr double kRoom = kWide - 2 * kMargin, kBottom = kHigh - kMargin;
constexpr double kText = 9.5, kSmall = 8, kHeading = 14, kTitle = 19, kSpacing = 1.45, kGap = 6, kColumnGap = 12;
constexpr std::uint32_t kInk = chart::kTextColor, kMuted = chart::kMutedColor, kWarning = 0xD55E00;

constexpr double kHighestPicture = 240;

// Height over width from a PNG's header; 1 if there is none.
double shape_of_png(const std::string& png) {
  if (png.size() < 24) return 1;
  const auto number = [&](std::size_t at) {
    double value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = 256 * value + static_cast<unsigned char>(png[at + k]);
    return value;
  };
  return number(16) > 0 ? number(20) / number(16) : 1;
}

struct TextLook {
  double size = kText;
  bool bold = false;
  std::uint32_t color = kInk;
};

double width_of(std::string_view text, const TextLook& look) {
  return cairo_text_width(text, look.size, look.bold);
}

// The bytes of the longest beginning of `word` that fits, at least one character.
std::size_t fitting(std::string_view word, double room, const TextLook& look) {
  std::size_t end = 0;
  for (std::size_t next = 1; next <= word.size(); ++next) {
    if (next < word.size() && (static_cast<unsigned char>(word[next]) & 0xC0) == 0x80) continue;
    if (end > 0 && width_of(word.substr(0, next), look) > room) break;
    end = next;
  }
  return end;
}

// Lines of a text of that width; wider words are cut.
std::vector<std::string> wrapped(std::string_view text, double room, const TextLook& look) {
  std::vector<std::string> lines(1);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    std::string_view word = text.substr(from, end - from);
    from = end + 1;
    std::string& last = lines.back();
    if (const std::string longer = last.empty() ? std::string(word) : last + " " + std::string(word);
        width_of(longer, look) <= room) {
      last = longer;
      continue;
    }
    while (!word.empty()) {
      if (!lines.back().empty()) lines.emplace_back();
      const std::size_t part = fitting(word, room, look);
      lines.back() = word.substr(0, part);
      word.remove_prefix(part);
    }
  }
  return lines;
}

// Lays out blocks on pages, one below the other.
class PdfWriter {
 public:
  PdfWriter(const std::string& title, std::string& pdf) : canvas_(kWide, kHigh, title, pdf) {}

  void heading(const std::string& text, double size, double above) {
    need(above + 3 * size);  // with the next lines
    y_ += above;
    paragraph(text, {size, true}, 0);
  }
  void paragraph(const std::string& text, const TextLook& look, double indent) {
    if (text.empty()) return;
    for (const std::string& line : wrapped(text, kRoom - indent, look)) put(line, look, kMargin + indent);
    y_ += kGap;
  }
  void finish() {
    number_page();
    canvas_.finish();
  }

  void operator()(const PageText& block) { paragraph(block.text, {}, 0); }
  void operator()(const PageWarning& block) { paragraph(block.text, {kText, true, kWarning}, 8); }
  void operator()(const PageTable& block) {
    paragraph(block.caption, {kSmall, false, kMuted}, 0);
    table(block.table);
  }
  void operator()(const PageFigure& block) {
    const chart::FigureLayout layout = chart::layout_figure(block.figure, cairo_text_width);
    const double scale = std::min({1.0, kRoom / layout.width, (kBottom - kMargin) / layout.height});
    need(layout.height * scale);
    canvas_.begin_part({kMargin, y_}, scale);
    chart::draw_figure(block.figure, layout, canvas_);
    canvas_.end_part();
    y_ += layout.height * scale + kGap;
    caption(block.shows);
    if (!block.better.empty()) caption("Better: " + block.better);
    if (!block.worse.empty()) caption("Worse: " + block.worse);
    caption("Drawn by: " + drawn_by(block));
  }
  void operator()(const PagePicture& block) {
    const double high = std::min(kHighestPicture, kRoom * shape_of_png(block.png));
    need(high);
    canvas_.png({kMargin, y_, kRoom, high}, block.png);
    y_ += high + kGap;
    caption(block.shows);
  }
  void operator()(const PageFacts& block) {
    double names = 0;
    for (const auto& [name, value] : block.facts) names = std::max(names, width_of(name, {}));
    for (const auto& [name, value] : block.facts) {
      const std::vector<std::string> lines = wrapped(value, kRoom - names - kColumnGap, {});
      need(kText * kSpacing);
      text(name, {kText, false, kMuted}, kMargin, 0);
      for (const std::string& line : lines) put(line, {}, kMargin + names + kColumnGap);
    }
    y_ += kGap;
  }
  void operator()(const PageLines& block) {
    caption(block.folded);
    for (std::size_t from = 0; from < block.lines.size();) {
      const std::size_t end = std::min(block.lines.find('\n', from), block.lines.size());
      const TextLook look{kSmall, false, kInk};
      for (const std::string& line : wrapped(block.lines.substr(from, end - from), kRoom - 8, look))
        put(line, look, kMargin + 8);
      from = end + 1;
    }
    y_ += kGap;
  }
  void operator()(const PageReferences& block) {
    for (std::size_t i = 0; i < block.references.size(); ++i) {
      need(kText * kSpacing);
      text(fmt::format("[{}]", i + 1), {}, kMargin, 0);
      for (const std::string& line : wrapped(block.references[i], kRoom - 24, {})) put(line, {}, kMargin + 24);
    }
    y_ += kGap;
  }

 private:
  // Starts a new page if there is not enough space on this one.
  void need(double height) {
    if (y_ + height <= kBottom || y_ <= kMargin) return;
    number_page();
    canvas_.next_page();
    ++page_;
    y_ = kMargin;
  }
  void number_page() {
    canvas_.text(std::to_string(page_), {kWide / 2, kHigh - kMargin / 2}, kSmall, false, 0.5, false, kMuted);
  }
  // Draws on the line that starts at y_.
  void text(std::string_view words, const TextLook& look, double x, double anchor) {
    canvas_.text(words, {x, y_ + 0.5 * look.size * kSpacing}, look.size, look.bold, anchor, false, look.color);
  }
  void put(std::string_view line, const TextLook& look, double x) {
    need(look.size * kSpacing);
    text(line, look, x, 0);
    y_ += look.size * kSpacing;
  }
  void caption(const std::string& words) { paragraph(words, {kSmall, false, kMuted}, 0); }

  // Shrinks the letters until the columns fit; remaining columns follow below, in groups.
  void table(const Table& table) {
    std::vector<double> widths;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      widths.push_back(cairo_text_width(table.columns()[c].title, 1, true));
      for (const auto& row : table.rows()) widths.back() = std::max(widths.back(), cairo_text_width(row[c], 1, false));
    }
    constexpr double kLeast = 6.5;
    for (std::size_t from = 0; from < widths.size();) {
      std::size_t end = from;
      double size = kText;
      for (double total = 0; end < widths.size(); ++end) {
        total += widths[end];
        const double room = kRoom - kColumnGap * static_cast<double>(end - from);
        if (end > from && total * kLeast > room) break;
        size = std::min(size, room / total);
      }
      columns(table, widths, from, end, size);
      from = end;
    }
  }
  void columns(const Table& table, const std::vector<double>& widths, std::size_t from, std::size_t end, double size) {
    const auto line = [&](const auto& cell, bool bold, std::uint32_t color) {
      need(size * kSpacing);
      double x = kMargin;
      for (std::size_t c = from; c < end; ++c) {
        const bool right = table.columns()[c].right;
        text(cell(c), {size, bold, color}, right ? x + widths[c] * size : x, right ? 1 : 0);
        x += widths[c] * size + kColumnGap;
      }
      y_ += size * kSpacing;
    };
    need(3 * size * kSpacing);
    line([&](std::size_t c) -> const std::string& { return table.columns()[c].title; }, true, kMuted);
    for (const auto& row : table.rows()) line([&](std::size_t c) -> const std::string& { return row[c]; }, false, kInk);
    y_ += kGap;
  }

  chart::CairoCanvas canvas_;
  double y_ = kMargin;
  int page_ = 1;
};

}  // namespace

std::string page_pdf(const Page& page) {
  std::string pdf;
  PdfWriter writer(page.title, pdf);
  writer.heading(page.title, kTitle, 0);
  writer.paragraph(page.subtitle, {kSmall, false, kMuted}, 0);
  for (const PageSection& section : page.sections) {
    writer.heading(section.title, kHeading, 10);
    for (const PageBlock& block : section.blocks) std::visit(writer, block);
  }
  writer.finish();
  return pdf;
}

}  // namespace pairs
