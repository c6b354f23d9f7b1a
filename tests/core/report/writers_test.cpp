#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/report/cairo_canvas.h"
#include "core/report/display_text.h"
#include "core/report/draw.h"
#include "core/report/figure.h"
#include "core/report/pdf.h"
#include "core/report/png.h"

namespace pairs {
namespace {

using boost::property_tree::ptree;

const double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

struct Image {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  std::uint32_t at(double x, double y) const {
    const std::uint8_t* p = rgb.data() + (static_cast<std::int64_t>(y) * width + static_cast<std::int64_t>(x)) * 3;
    return static_cast<std::uint32_t>(p[0]) << 16 | static_cast<std::uint32_t>(p[1]) << 8 | p[2];
  }
};

Image decode(const std::string& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()));
  png.format = PNG_FORMAT_RGB;
  Image image{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  EXPECT_TRUE(png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr));
  return image;
}

class WritersTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pairs-figures-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Image png_of(const Figure& figure, double scale = 2) {
    write_figure_png(folder_ / "figure.png", figure, scale);
    return decode(read_file(folder_ / "figure.png"));
  }

  std::filesystem::path folder_;
};

Line make_line(const std::string& name, SeriesRole role, std::vector<double> x, std::vector<double> y) {
  Line line;
  line.name = name;
  line.role = role;
  line.x = std::move(x);
  line.y = std::move(y);
  return line;
}

Figure demo() {
  Figure figure;
  figure.title = "Loss & \"quality\" <of> runs";
  figure.source = "generated digits; runs/digits";
  figure.columns = 2;
  Plot first;
  first.title = "NLL";
  first.x = {"N", AxisScale::log};
  first.y.label = "nat";
  first.bands = {{"floor", 0, 0.1}};
  first.lines = {make_line("pairs", SeriesRole::pairs, {1, 10, 100}, {2, 1, 0.5}),
                 make_line("exact", SeriesRole::exact, {1, 10, 100}, {1.9, 0.9, 0.4}),
                 make_line("naive", SeriesRole::naive, {1, kNaN, 10, 100}, {2, 1, 1, 3})};
  first.lines[0].lower = {1.8, 0.9, 0.4};
  first.lines[0].upper = {2.2, 1.1, 0.6};
  first.lines[0].markers = true;
  first.rules = {{"truth", SeriesRole::truth, 20}};
  Plot second;
  second.title = "Ranks";
  second.bars = {{"ranks", SeriesRole::n1, {0, 0.5, 1}, {3, 4}}};
  second.contours = {{"region", SeriesRole::gaussian, LineStyle::solid, {0.2, 0.8, 0.5, 0.2}, {1, 1, 2, 1}},
                     {"region", SeriesRole::gaussian, LineStyle::solid, {0.3, 0.4}, {2, 2}}};
  second.scatters = {{"draws", SeriesRole::other, {0.1, 0.9}, {0.5, 0.7}}};
  second.pictures = {{1, 1, {255, 0, 255}, 0.6, 3, 0.7, 3.5}};
  figure.plots = {first, second};
  return figure;
}

void collect(const ptree& node, const std::string& name, std::vector<const ptree*>& found) {
  for (const auto& [tag, child] : node) {
    if (tag == name) found.push_back(&child);
    collect(child, name, found);
  }
}

ptree parse_svg(const std::string& svg) {
  std::istringstream stream(svg);
  ptree tree;
  boost::property_tree::read_xml(stream, tree);
  return tree;
}

std::vector<std::string> groups(const ptree& tree, const std::string& kind) {
  std::vector<const ptree*> all;
  collect(tree, "g", all);
  std::vector<std::string> names;
  for (const ptree* g : all)
    if (g->get("<xmlattr>.class", "") == kind) names.push_back(g->get("<xmlattr>.data-name", ""));
  return names;
}

TEST_F(WritersTest, SvgIsWellFormedAndHoldsEverySeriesAndLabel) {
  const std::string svg = figure_svg(demo());
  const ptree tree = parse_svg(svg);
  EXPECT_THAT(groups(tree, "plot"), testing::ElementsAre("NLL", "Ranks"));
  EXPECT_THAT(groups(tree, "line"), testing::ElementsAre("pairs", "exact", "naive"));
  EXPECT_THAT(groups(tree, "spread"), testing::ElementsAre("pairs"));
  EXPECT_THAT(groups(tree, "band"), testing::ElementsAre("floor"));
  EXPECT_THAT(groups(tree, "rule"), testing::ElementsAre("truth"));
  EXPECT_THAT(groups(tree, "bars"), testing::ElementsAre("ranks"));
  EXPECT_THAT(groups(tree, "contour"), testing::ElementsAre("region", "region"));
  EXPECT_THAT(groups(tree, "scatter"), testing::ElementsAre("draws"));
  std::vector<const ptree*> nodes;
  collect(tree, "text", nodes);
  std::vector<std::string> texts;
  for (const ptree* node : nodes) texts.push_back(node->data());
  for (const char* label : {"Loss & \"quality\" <of> runs", "generated digits; runs/digits", "NLL", "N", "nat", "1",
                            "10", "100", "pairs", "exact", "naive", "truth", "floor", "region", "draws"})
    EXPECT_THAT(texts, testing::Contains(label));
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "region"), 1);
  EXPECT_EQ(tree.get<std::string>("svg.<xmlattr>.viewBox"),
            "0 0 640 " + tree.get<std::string>("svg.<xmlattr>.height")
                             .substr(0, tree.get<std::string>("svg.<xmlattr>.height").size() - 2));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST_F(WritersTest, MarkersOfExtrapolationsAreRings) {
  const auto circles = [](const std::vector<bool>& hollow) {
    Figure figure;
    Plot plot;
    Line line;
    line.markers = true;
    line.x = {1, 2, 3};
    line.y = {1, 2, 3};
    line.hollow = hollow;
    plot.lines = {line};
    figure.plots = {plot};
    std::vector<const ptree*> all;
    const ptree tree = parse_svg(figure_svg(figure));
    collect(tree, "circle", all);
    return all.size();
  };
  EXPECT_EQ(circles({}), circles({false, false, false}));
  EXPECT_EQ(circles({true, false, true}), circles({}) + 2) << "a paper-colored disc within each";
  EXPECT_THROW(circles({true}), Error);
  Figure figure;
  figure.plots.emplace_back();
  figure.plots[0].lines.push_back(
      {.name = "a", .x = {1, 2}, .y = {3, 4}, .lower = {}, .upper = {}, .hollow = {true, false}});
  const std::string csv = figure_csv(figure);
  EXPECT_NE(csv.find("a,extrapolation,1,3"), std::string::npos);
  EXPECT_NE(csv.find("a,line,2,4"), std::string::npos);
}

TEST_F(WritersTest, SvgBreaksLinesAtNaNAndDashesByRole) {
  const ptree tree = parse_svg(figure_svg(demo()));
  std::vector<const ptree*> all;
  collect(tree, "g", all);
  for (const ptree* g : all) {
    if (g->get("<xmlattr>.class", "") != "line") continue;
    const std::string name = g->get("<xmlattr>.data-name", "");
    const bool dashed = g->get_optional<std::string>("path.<xmlattr>.stroke-dasharray").has_value();
    EXPECT_EQ(dashed, name != "pairs") << name;
    EXPECT_EQ(g->get<std::string>("path.<xmlattr>.stroke"), name == "pairs"   ? "#0072B2"
                                                            : name == "exact" ? "#1F2937"
                                                                              : "#8A8F98");
    // The lone point before the gap is a dot, the rest a line.
    EXPECT_EQ(g->count("circle"), name == "naive" ? 1u : 0u);
    EXPECT_EQ(g->count("path"), 1u);
  }
}

TEST_F(WritersTest, SvgEmbedsPicturesAsPng) {
  const ptree tree = parse_svg(figure_svg(demo()));
  std::vector<const ptree*> images;
  collect(tree, "image", images);
  ASSERT_EQ(images.size(), 1u);
  EXPECT_THAT(images[0]->get<std::string>("<xmlattr>.href"), testing::StartsWith("data:image/png;base64,iVBORw0KGgo"));
}

TEST_F(WritersTest, SvgSurvivesHostileText) {
  Figure figure = demo();
  figure.title = "]]> &amp; \x01\x02 \xff\xfe <script>\n\t'\"";
  figure.plots[0].lines[0].name = "\xed\xa0\x80<b>";
  const ptree tree = parse_svg(figure_svg(figure));
  EXPECT_EQ(groups(tree, "line")[0], "\uFFFD\uFFFD\uFFFD<b>");
  EXPECT_EQ(chart::display_text("a\xC3\xA9\xC3\n\x7F\xF4\x90\x80\x80"), "aé\uFFFD \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(chart::xml_text("<&>\"'"), "&lt;&amp;&gt;&quot;&#39;");
}

// A reader of RFC 4180 that knows nothing of the writer.
std::vector<std::vector<std::string>> read_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows = {{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = rows.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      rows.back().emplace_back();
    else if (!quoted && text[i] == '\n')
      rows.push_back({""});
    else
      field += text[i];
  }
  EXPECT_FALSE(quoted);
  rows.pop_back();
  return rows;
}

TEST_F(WritersTest, CsvHoldsEveryDoubleExactly) {
  Figure figure;
  Plot plot;
  plot.title = "one, \"two\"\nthree";
  const std::vector<double> x = {0.1, 1.0 / 3, 1e-308, 5e-324, -0.0, 1e300}, y = {M_PI, kNaN, kInf, -kInf, 2, 1e22};
  plot.lines = {make_line("a,b", SeriesRole::pairs, x, y)};
  figure.plots = {plot};
  const auto rows = read_rows(figure_csv(figure));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_THAT(rows[0], testing::ElementsAre("plot", "series", "kind", "x", "y", "lower", "upper"));
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(rows[i + 1].size(), 7u);
    EXPECT_EQ(rows[i + 1][0], plot.title);
    EXPECT_EQ(rows[i + 1][1], "a,b");
    EXPECT_EQ(rows[i + 1][2], "line");
    EXPECT_EQ(std::strtod(rows[i + 1][3].c_str(), nullptr), x[i]);
    const double back = std::strtod(rows[i + 1][4].c_str(), nullptr);
    EXPECT_TRUE(back == y[i] || (std::isnan(back) && std::isnan(y[i])));
    EXPECT_EQ(rows[i + 1][5], "");
  }
}

TEST_F(WritersTest, CsvHoldsEveryKind) {
  const auto rows = read_rows(figure_csv(demo()));
  const auto has = [&](const std::vector<std::string>& row) { EXPECT_THAT(rows, testing::Contains(row)); };
  has({"NLL", "pairs", "line", "10", "1", "0.9", "1.1"});
  has({"NLL", "floor", "band", "", "", "0", "0.1"});
  has({"NLL", "truth", "rule", "20", "", "", ""});
  has({"Ranks", "ranks", "bar", "0.75", "4", "0.5", "1"});
  has({"Ranks", "region", "contour", "nan", "nan", "", ""});
  has({"Ranks", "draws", "scatter", "0.9", "0.7", "", ""});
}

TEST_F(WritersTest, PngHasTheRightSizeAndIsNotBlank) {
  for (const double scale : {1.0, 2.5}) {
    const Image image = png_of(demo(), scale);
    EXPECT_EQ(image.width, static_cast<std::int64_t>(640 * scale));
    EXPECT_GE(image.height, 240 * scale);
    std::int64_t inked = 0;
    for (std::size_t i = 0; i < image.rgb.size(); i += 3) inked += image.rgb[i] < 200;
    EXPECT_GT(inked, image.width * image.height / 200);
    EXPECT_LT(inked, image.width * image.height / 2);
    EXPECT_EQ(image.at(0, 0), 0xFFFFFFu);
  }
}

TEST_F(WritersTest, PngShowsRolesInTheirColors) {
  const std::vector<std::pair<SeriesRole, std::uint32_t>> colors = {
      {SeriesRole::pairs, 0x0072B2},      {SeriesRole::n1, 0xE69F00},       {SeriesRole::n1_10, 0x009E73},
      {SeriesRole::end_to_end, 0xCC79A7}, {SeriesRole::gaussian, 0xD55E00}, {SeriesRole::other, 0x56B4E9}};
  Figure figure;
  Plot plot;
  plot.x = {"", AxisScale::linear, 0, 1};
  plot.y = {"", AxisScale::linear, 0, 7};
  for (std::size_t i = 0; i < colors.size(); ++i)
    plot.lines.push_back(make_line("", colors[i].first, {0, 1}, {i + 1.0, i + 1.0}));
  figure.plots = {plot};
  const chart::PlotLayout layout = chart::layout_figure(figure, chart::cairo_text_width).plots[0];
  const Image image = png_of(figure, 4);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    EXPECT_EQ(role_color(colors[i].first), colors[i].second);
    EXPECT_EQ(image.at(4 * layout.x.page(0.31), 4 * layout.y.page(i + 1.0)), colors[i].second) << i;
  }
}

TEST_F(WritersTest, PngPlacesPicturesTheRightWayUp) {
  Figure figure;
  Plot plot;  // red green over blue white
  plot.pictures = {{2, 2, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}, 0, 0, 1, 1}};
  figure.plots = {plot};
  const chart::PlotLayout layout = chart::layout_figure(figure, chart::cairo_text_width).plots[0];
  const Image image = png_of(figure, 1);
  const auto at = [&](double x, double y) { return image.at(layout.x.page(x), layout.y.page(y)); };
  EXPECT_EQ(at(0.25, 0.75), 0xFF0000u);
  EXPECT_EQ(at(0.75, 0.75), 0x00FF00u);
  EXPECT_EQ(at(0.25, 0.25), 0x0000FFu);
  EXPECT_EQ(at(0.45, 0.55), 0xFF0000u);  // pixels stay sharp up to their edges
}

TEST_F(WritersTest, ShadesOfOneRoleEndInItsFullColor) {
  Figure figure;
  Plot plot;
  plot.lines = {make_line("N = 1", SeriesRole::pairs, {0, 1}, {1, 1}),
                make_line("N = 10", SeriesRole::pairs, {0, 1}, {2, 2})};
  figure.plots = {plot};
  const std::string svg = figure_svg(figure);
  EXPECT_THAT(svg, testing::HasSubstr("#0072B2"));
  EXPECT_THAT(svg, testing::HasSubstr("#99C7E0"));  // 40 % of it on white
}

TEST_F(WritersTest, NothingIsDrawnOutsideTheAxes) {
  Figure figure;
  Plot plot;
  plot.x = {"", AxisScale::linear, 0, 1};
  plot.y = {"", AxisScale::linear, 0, 1};
  plot.lines = {make_line("", SeriesRole::gaussian, {-1e9, 0.5, 1e9}, {-1e12, 0.5, 1e12})};
  plot.lines[0].lower = {-1e300, 0.4, -kInf};
  plot.lines[0].upper = {1e300, 0.6, 1};
  plot.bars = {{"", SeriesRole::n1, {-5, 0.2, 9}, {50, -50}}};
  figure.plots = {plot};
  const chart::PlotLayout layout = chart::layout_figure(figure, chart::cairo_text_width).plots[0];
  const Image image = png_of(figure, 1);
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      const std::uint32_t c = image.at(x, y);
      const int red = c >> 16, blue = c & 255;
      if (red - blue > 60) {
        EXPECT_TRUE(layout.area.grown(1).contains({static_cast<double>(x), static_cast<double>(y)})) << x << " " << y;
      }
    }
}

TEST_F(WritersTest, EmptyAndUnshowableDataGiveAFigureThatSaysSo) {
  Figure figure;
  Plot none, unshown, logged;
  unshown.lines = {make_line("nan", SeriesRole::pairs, {kNaN, 1}, {1, kNaN})};
  logged.y.scale = AxisScale::log;
  logged.lines = {make_line("negative", SeriesRole::pairs, {0, 1}, {-1, 0})};
  logged.lines[0].lower = logged.lines[0].upper = {-1, 0};
  figure.plots = {none, unshown, logged};
  const std::string svg = figure_svg(figure);
  std::size_t said = 0;
  for (std::size_t at = svg.find(">no data<"); at != std::string::npos; at = svg.find(">no data<", at + 1)) ++said;
  EXPECT_EQ(said, 3u);
  EXPECT_EQ(png_of(figure).width, 640);
}

TEST_F(WritersTest, WriteFigureGoesByExtension) {
  for (const char* name : {"a.svg", "a.csv", "a.png"}) write_figure(folder_ / name, demo());
  EXPECT_EQ(read_file(folder_ / "a.svg"), figure_svg(demo()));
  EXPECT_EQ(read_file(folder_ / "a.csv"), figure_csv(demo()));
  EXPECT_EQ(decode(read_file(folder_ / "a.png")).width, 1280);
  write_figure(folder_ / "a.pdf", demo());
  EXPECT_EQ(read_file(folder_ / "a.pdf"), figure_pdf(demo()));
  EXPECT_THROW(write_figure(folder_ / "a.txt", demo()), Error);
  EXPECT_THROW(write_figure(folder_ / "a.png", Figure{}), Error);
  EXPECT_THROW(write_figure_png(folder_ / "b.png", demo(), 0), Error);
  EXPECT_THROW(write_figure_png(folder_ / "b.png", demo(), 1000), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.png"));
}

TEST_F(WritersTest, PngRoundTripsPixels) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < 7 * 5 * 3; ++i) rgb.push_back(static_cast<std::uint8_t>(37 * i));
  EXPECT_EQ(decode(chart::encode_png(7, 5, rgb)).rgb, rgb);
  EXPECT_THROW(chart::encode_png(7, 4, rgb), Error);
}

TEST_F(WritersTest, TextWidthsGrowWithTextAndSizeAndCoverEveryScript) {
  EXPECT_EQ(chart::cairo_text_width("", 10, false), 0);
  const double width = chart::cairo_text_width("posterior", 10, false);
  EXPECT_GT(width, 20);
  EXPECT_LT(width, 90);
  EXPECT_NEAR(chart::cairo_text_width("posterior", 20, false), 2 * width, 1e-3);
  EXPECT_GT(chart::cairo_text_width("posterior", 10, true), width);
  EXPECT_GT(chart::cairo_text_width("θ ψ 10⁻⁵ ∫", 10, false), 20);
}

TEST_F(WritersTest, NamesShowWhatTheyHold) {
  Figure figure;
  figure.plots.emplace_back();
  Line line;
  line.name = "a\x1b[31m\u202eb\u200b";
  line.x = line.y = {0, 1};
  figure.plots[0].lines.push_back(line);
  const std::string csv = figure_csv(figure), svg = figure_svg(figure);
  EXPECT_NE(csv.find("a\\x1b[31m\\u202eb\\u200b"), std::string::npos) << csv;
  EXPECT_EQ(csv.find('\x1b'), std::string::npos);
  EXPECT_EQ(svg.find("\u202e"), std::string::npos);
  EXPECT_EQ(svg.find("\u200b"), std::string::npos);
}

}  // namespace
}  // namespace pairs
