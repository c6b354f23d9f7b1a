#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/cairo_canvas.h"
#include "core/report/draw.h"
#include "core/report/pdf.h"
#include "core/report/png.h"

namespace pairs {

void write_figure_png(const std::filesystem::path& file, const Figure& figure, double scale) {
  const chart::FigureLayout layout = chart::layout_figure(figure, chart::cairo_text_width);
  chart::CairoCanvas canvas(layout.width, layout.height, scale);
  chart::draw_figure(figure, layout, canvas);
  write_file(file, chart::encode_png(canvas.width(), canvas.height(), canvas.rgb(), scale));
}

std::string figure_pdf(const Figure& figure) {
  const chart::FigureLayout layout = chart::layout_figure(figure, chart::cairo_text_width);
  std::string bytes;
  chart::CairoCanvas canvas(layout.width, layout.height, figure.title, bytes);
  chart::draw_figure(figure, layout, canvas);
  canvas.finish();
  return bytes;
}

void write_figure(const std::filesystem::path& file, const Figure& figure) {
  const std::string extension = file.extension().string();
  if (extension == ".svg")
    write_file(file, figure_svg(figure));
  else if (extension == ".csv")
    write_file(file, figure_csv(figure));
  else if (extension == ".png")
    write_figure_png(file, figure);
  else if (extension == ".pdf")
    write_file(file, figure_pdf(figure));
  else
    fail_usage("A figure cannot be written to '{}'; end its name in .svg, .pdf, .png or .csv.",
               printable(file.string(), 200));
}

}  // namespace pairs
