#include "app/model/viewer/view_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/kinds/target/heat_map.h"
#include "core/report/cairo_canvas.h"

namespace pairs::model {
namespace {

constexpr double kSheetMargin = 24, kSheetGap = 16, kSmallSide = 200, kLabel = 20, kHead = 44;
constexpr double kLargeSide = 2 * kSmallSide + kSheetGap + kLabel, kMostViewSide = 56;
constexpr double kSheetWidth = 2 * kSheetMargin + 2 * kSmallSide + 2 * kSheetGap + kLargeSide;
constexpr std::uint32_t kPaper = 0xFFFFFF, kSheetInk = 0x1B222C, kSheetMuted = 0x566070, kSlot = 0xE9EBEF;
constexpr std::size_t kViewsInRow = 25;

void draw_picture(chart::Canvas& canvas, const PicturePointer& picture, const chart::Rect& rect) {
  if (picture)
    canvas.image(rect, picture->width, picture->height, picture->rgb);
  else
    canvas.rectangle(rect, kSlot, 1);
}

void draw_label(chart::Canvas& canvas, const std::string& text, double x, double y) {
  canvas.text(text, {x, y + kLabel / 2 - 2}, 11, true, 0, false, kSheetInk);
}

void draw_scale(chart::Canvas& canvas, double right, double y) {
  constexpr int kCells = 48;
  constexpr double kWidth = 60, kHeight = 8;
  const std::string most = fmt::format("{}", kHeatMost);
  canvas.text(most, {right, y + kLabel / 2 - 2}, 9, false, 1, false, kSheetMuted);
  const double end = right - chart::cairo_text_width(most, 9, false) - 4, start = end - kWidth;
  for (int k = 0; k < kCells; ++k) {
    const auto c = heat_color((k + 0.5) / kCells);
    canvas.rectangle({start + kWidth * k / kCells, y + 4, kWidth / kCells + 0.2, kHeight},
                     static_cast<std::uint32_t>(c[0] << 16 | c[1] << 8 | c[2]), 1);
  }
  canvas.text("0", {start - 4, y + kLabel / 2 - 2}, 9, false, 1, false, kSheetMuted);
}

}  // namespace

Picture draw_sheet(const ViewSheet& sheet, double scale) {
  const auto views = sheet.views.size();
  const double inside = kSheetWidth - 2 * kSheetMargin;
  const auto in_row = static_cast<double>(std::clamp<std::size_t>(views, 1, kViewsInRow));
  const double side = std::min(kMostViewSide, (inside - 4 * (in_row - 1)) / in_row);
  const auto rows = static_cast<double>((views + kViewsInRow - 1) / kViewsInRow);
  const double main_end = kSheetMargin + kHead + kLabel + kLargeSide;
  const double height = std::ceil(main_end + kSheetGap + kLabel + rows * (side + 4) - 4 + kSheetMargin);

  chart::CairoCanvas canvas(kSheetWidth, height, scale);
  canvas.rectangle({0, 0, kSheetWidth, height}, kPaper, 1);
  canvas.text(sheet.title, {kSheetMargin, kSheetMargin + 8}, 18, true, 0, false, kSheetInk);
  canvas.text(sheet.note, {kSheetWidth - kSheetMargin, kSheetMargin + 10}, 10, false, 1, false, kSheetMuted);

  const double top = kSheetMargin + kHead, low = top + kLabel + kSmallSide + kSheetGap;
  const double middle = kSheetMargin + kSmallSide + kSheetGap, last = middle + kLargeSide + kSheetGap;
  draw_label(canvas, "Truth", kSheetMargin, top);
  draw_picture(canvas, sheet.truth, {kSheetMargin, top + kLabel, kSmallSide, kSmallSide});
  draw_label(canvas, "Mean of the samples", kSheetMargin, low);
  draw_picture(canvas, sheet.mean, {kSheetMargin, low + kLabel, kSmallSide, kSmallSide});
  draw_label(canvas, "Samples", middle, top);
  const auto across = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(sheet.samples.size()))));
  for (std::size_t k = 0; k < sheet.samples.size(); ++k) {
    const double cell = (kLargeSide - 4 * (static_cast<double>(across) - 1)) / static_cast<double>(across);
    draw_picture(canvas, sheet.samples[k],
                 {middle + static_cast<double>(k % across) * (cell + 4),
                  top + kLabel + static_cast<double>(k / across) * (cell + 4), cell, cell});
  }
  draw_label(canvas, "Spread", last, top);
  draw_scale(canvas, last + kSmallSide, top);
  draw_picture(canvas, sheet.spread, {last, top + kLabel, kSmallSide, kSmallSide});
  draw_label(canvas, "Error of the mean", last, low);
  draw_scale(canvas, last + kSmallSide, low);
  draw_picture(canvas, sheet.error, {last, low + kLabel, kSmallSide, kSmallSide});

  const double strip = main_end + kSheetGap;
  draw_label(canvas, fmt::format("Observed views: the first {} of {}", sheet.n, views), kSheetMargin, strip);
  for (std::size_t k = 0; k < views; ++k) {
    const chart::Rect rect = {kSheetMargin + static_cast<double>(k % kViewsInRow) * (side + 4),
                              strip + kLabel + static_cast<double>(k / kViewsInRow) * (side + 4), side, side};
    draw_picture(canvas, sheet.views[k], rect);
    if (static_cast<std::int64_t>(k) >= sheet.n) canvas.rectangle(rect, kPaper, 0.82);
  }
  Picture out;
  out.width = canvas.width();
  out.height = canvas.height();
  out.rgb = canvas.rgb();
  return out;
}

}  // namespace pairs::model
