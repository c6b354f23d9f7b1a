#include "core/report/pdf.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/report/cairo_canvas.h"
#include "core/report/layout.h"
#include "core/report/page_width.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Figure line_figure(std::int64_t plots = 1) {
  Figure figure;
  figure.title = "Posterior of θ₁";
  figure.columns = plots;
  for (std::int64_t k = 0; k < plots; ++k) {
    Plot plot;
    plot.title = "N = 10";
    plot.x.label = "θ₁";
    plot.y.label = "density";
    plot.lines.push_back({"PAIRS", SeriesRole::pairs, LineStyle::solid, false, {0, 1, 2}, {0, 3, 1}, {}, {}});
    figure.plots.push_back(plot);
  }
  return figure;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

double page_width(const Figure& figure) {
  return chart::layout_figure(figure, chart::cairo_text_width).width;
}

TEST(Pdf, IsOnePageOfTheFiguresSizeWithEveryFontEmbedded) {
  const Figure figure = line_figure();
  const std::string pdf = figure_pdf(figure);
  EXPECT_TRUE(pdf.starts_with("%PDF-1."));
  EXPECT_THAT(pdf, HasSubstr("%%EOF"));
  std::smatch box;
  ASSERT_TRUE(std::regex_search(pdf, box, std::regex(R"(/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \])")));
  const chart::FigureLayout layout = chart::layout_figure(figure, chart::cairo_text_width);
  EXPECT_NEAR(std::stod(box[1]), layout.width, 0.01);
  EXPECT_NEAR(std::stod(box[2]), layout.height, 0.01);
  EXPECT_EQ(std::regex_search(pdf, std::regex(R"(/Type /Page\s)")), true);
  const std::size_t fonts = count_of(pdf, "/Type /FontDescriptor");
  EXPECT_GE(fonts, 2u);  // plain and bold
  EXPECT_EQ(count_of(pdf, "/FontFile"), fonts);
  EXPECT_EQ(count_of(pdf, "/Subtype /Image"), 0u);  // drawn, not painted
}

TEST(Pdf, OfTheSameFigureIsTheSameFile) {
  const std::string pdf = figure_pdf(line_figure());
  EXPECT_EQ(pdf, figure_pdf(line_figure()));
  EXPECT_THAT(pdf, Not(HasSubstr("CreationDate")));
}

// By poppler, where it is installed: the columns "emb" and "sub" of each font.
TEST(Pdf, PdffontsFindsEveryFontEmbedded) {
  if (std::system("command -v pdffonts >/dev/null 2>&1") != 0) GTEST_SKIP() << "pdffonts is not installed";
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("pairs-pdf-{}", ::getpid());
  std::filesystem::create_directory(folder);
  write_figure(folder / "a.pdf", line_figure());
  const std::string command = fmt::format("pdffonts {0}/a.pdf >{0}/fonts", folder.string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::istringstream said(read_file(folder / "fonts"));
  std::filesystem::remove_all(folder);
  std::string line;
  std::size_t fonts = 0;
  for (int k = 0; std::getline(said, line); ++k) {
    if (k < 2) continue;  // heading
    ++fonts;
    EXPECT_TRUE(std::regex_search(line, std::regex(R"(\syes\s+(yes|no)\s+(yes|no)\s)"))) << line;
  }
  EXPECT_GE(fonts, 2u);
}

TEST(PageWidth, IsWhatIsAskedForWithTextsInTheirSize) {
  for (const std::int64_t plots : {1, 2, 3})
    for (const double millimeters : {85.0, 170.0}) {
      const Figure fitted = fitted_to_width(line_figure(plots), millimeters * kPointsPerMillimeter);
      EXPECT_NEAR(page_width(fitted) / kPointsPerMillimeter, millimeters, 0.01) << plots;
      const chart::FigureLayout layout = chart::layout_figure(fitted, chart::cairo_text_width);
      for (const chart::PlacedText& text : layout.plots.front().texts) EXPECT_GE(text.size, chart::kTickText);
    }
  EXPECT_EQ(fitted_to_width(line_figure(3), 85 * kPointsPerMillimeter).columns, 1);
  EXPECT_EQ(fitted_to_width(line_figure(3), 500 * kPointsPerMillimeter).columns, 3);
}

TEST(PageWidth, ThatHoldsNoPlotIsRefusedWithOneThatDoes) {
  try {
    fitted_to_width(line_figure(), 20 * kPointsPerMillimeter);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    std::smatch least;
    const std::string text = error.what();
    ASSERT_TRUE(std::regex_search(text, least, std::regex("does not fit into 20 mm; give ([0-9]+) or more"))) << text;
    fitted_to_width(line_figure(), std::stod(least[1]) * kPointsPerMillimeter);
  }
}

// A plot of three things, drawn from the bottom.
Figure named_figure() {
  Figure figure;
  Plot plot;
  plot.y.names = {"run 3", "a, b", "run 1"};
  plot.y.low = -0.5;
  plot.y.high = 2.5;
  plot.scatters.push_back({"mean", SeriesRole::pairs, {0.1, 0.2, 0.3}, {0, 1, 2}});
  plot.contours.push_back({"90 %", SeriesRole::pairs, LineStyle::solid, {0, 1}, {1, 1}});
  figure.plots.push_back(plot);
  return figure;
}

TEST(NamedAxis, WritesNamesInPlaceOfNumbers) {
  const chart::FigureLayout layout = chart::layout_figure(named_figure(), chart::cairo_text_width);
  const chart::PlotLayout& plot = layout.plots.front();
  std::vector<std::string> names;
  for (const chart::Tick& tick : plot.y_ticks.major) {
    names.push_back(tick.label);
    const auto placed = std::find_if(plot.texts.begin(), plot.texts.end(),
                                     [&](const chart::PlacedText& text) { return text.text == tick.label; });
    ASSERT_NE(placed, plot.texts.end()) << tick.label;
    EXPECT_NEAR(placed->at.y, plot.y.page(tick.value), 1e-9);
    EXPECT_GE(placed->at.x - chart::cairo_text_width(tick.label, chart::kTickText, false), 0);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("run 3", "a, b", "run 1"));
  EXPECT_EQ(figure_csv(named_figure()),
            "plot,series,kind,x,y,lower,upper\n"
            "1,90 %,contour,0,\"a, b\",,\n1,90 %,contour,1,\"a, b\",,\n"
            "1,mean,scatter,0.1,run 3,,\n1,mean,scatter,0.2,\"a, b\",,\n1,mean,scatter,0.3,run 1,,\n");
}

TEST(NamedAxis, LeavesOutNamesThatHaveNoRoomAndKeepsItsHeight) {
  Figure figure = named_figure();
  for (int k = 3; k < 60; ++k) figure.plots.front().y.names.push_back(fmt::format("run {}", k));
  figure.plots.front().y.high = 59.5;
  const chart::FigureLayout layout = chart::layout_figure(figure, chart::cairo_text_width);
  const auto& ticks = layout.plots.front().y_ticks.major;
  ASSERT_GT(ticks.size(), 10u);
  EXPECT_LT(ticks.size(), 60u);
  for (std::size_t k = 1; k < ticks.size(); ++k)
    EXPECT_GE(layout.plots.front().y.page(ticks[k - 1].value) - layout.plots.front().y.page(ticks[k].value), 5.5);
  EXPECT_EQ(fitted_to_width(named_figure(), 60 * kPointsPerMillimeter).plot_height, named_figure().plot_height);
}

}  // namespace
}  // namespace pairs
