#include "app/gui/plot/plot_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/gui/platform/textures.h"
#include "app/gui/plot/draw_list_canvas.h"
#include "app/gui/plot/figure_saver.h"
#include "core/report/draw.h"
#include "tests/app/gui/platform/null_screen.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;

Line line(const std::string& name, std::vector<double> x, std::vector<double> y, SeriesRole role = SeriesRole::pairs) {
  Line made;
  made.name = name;
  made.role = role;
  made.x = std::move(x);
  made.y = std::move(y);
  return made;
}

// y = x and y = 10 - x on [0, 10].
Figure cross() {
  Figure figure;
  figure.title = "Width against N";
  Plot plot;
  plot.title = "cross";
  plot.x = {"step"};
  plot.y = {"loss"};
  std::vector<double> x, up, down;
  for (int i = 0; i <= 100; ++i) {
    x.push_back(0.1 * i);
    up.push_back(0.1 * i);
    down.push_back(10 - 0.1 * i);
  }
  plot.lines = {line("up", x, up), line("down", x, down, SeriesRole::n1)};
  figure.plots = {plot};
  return figure;
}

std::shared_ptr<const Figure> share(Figure figure) {
  return std::make_shared<const Figure>(std::move(figure));
}

class PlotViewTest : public ::testing::Test {
 protected:
  NullScreen screen{800, 600};
  PlotView view{"loss"};
  std::shared_ptr<const Figure> figure = share(cross());
  ImVec2 size{600, 400};

  void frames(int count = 1) {
    for (int i = 0; i < count; ++i)
      screen.frame([&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({800, 600});
        ImGui::Begin("main", nullptr, ImGuiWindowFlags_NoDecoration);
        view.draw(figure, size);
        ImGui::End();
      });
  }
  Item item(const std::string& name) {
    const Item* found = recorder().find(name);
    EXPECT_TRUE(found) << name;
    return found ? *found : Item{};
  }
  // A place in the data area of a plot, in shares from its top left.
  ImVec2 place(double x, double y, int plot = 0) {
    const Item area = item("loss/" + std::to_string(plot));
    return {static_cast<float>(area.min.x + x * (area.max.x - area.min.x)),
            static_cast<float>(area.min.y + y * (area.max.y - area.min.y))};
  }
  void move(ImVec2 at) {
    screen.input.move(at.x, at.y);
    frames(2);
  }
  void drag(ImVec2 from, ImVec2 to, int button = 0) {
    move(from);
    screen.input.button(button, true);
    frames(2);
    move({(from.x + to.x) / 2, (from.y + to.y) / 2});
    move(to);
    screen.input.button(button, false);
    frames(2);
  }
  void click(ImVec2 at, int button = 0) {
    move(at);
    screen.input.button(button, true);
    screen.input.button(button, false);
    frames(40);  // longer than a double click takes
  }
  void click(const std::string& name) { click(item(name).middle()); }
  void choose(const std::string& entry) {
    click(place(0.5, 0.5), 1);
    click("loss/menu/" + entry);
  }
  void type(const std::string& name, const std::string& text) {
    click(name);
    screen.input.press(key::left_control, true);
    screen.input.press('A', true);
    frames(2);
    screen.input.press('A', false);
    screen.input.press(key::left_control, false);
    frames(2);
    for (const char c : text) screen.input.character(static_cast<unsigned char>(c));
    frames(3);
  }
  bool says(const std::string& text) {
    return std::any_of(recorder().items().begin(), recorder().items().end(),
                       [&](const Item& i) { return i.kind == ItemKind::text && i.text == text; });
  }
  Axis x() { return view.seen().plots[0].x; }
  Axis y() { return view.seen().plots[0].y; }
};

TEST_F(PlotViewTest, FillsItsSizeAndNamesWhatItDraws) {
  frames(2);
  const Item area = item("loss/0");
  EXPECT_GT(area.max.x - area.min.x, 500);
  EXPECT_GT(area.max.y - area.min.y, 240);
  EXPECT_LE(area.max.x, 16 + 600);
  EXPECT_TRUE(says("step") && says("loss") && says("cross") && says("up") && says("Width against N"));
  EXPECT_EQ(item("loss/0/legend/1").text, "down");
  for (const Item& i : recorder().items())
    if (i.kind == ItemKind::text) {
      EXPECT_FALSE(i.clipped) << i.text;
      EXPECT_GE(contrast(i.ink, i.paper), 4.5) << i.text;
    }
}

TEST_F(PlotViewTest, TextsKeepApart) {
  Figure grid = cross();
  grid.plots = {4, cross().plots[0]};
  grid.columns = 4;
  grid.source = "MNIST; runs/digits-1";
  for (const ImVec2 s : {ImVec2{700, 200}, ImVec2{760, 500}, ImVec2{320, 560}}) {
    size = s;
    figure = share(grid);
    frames(2);
    std::vector<Item> texts;
    for (const Item& i : recorder().items())
      if (i.kind == ItemKind::text) texts.push_back(i);
    ASSERT_GT(texts.size(), 20u);
    for (std::size_t a = 0; a < texts.size(); ++a)
      for (std::size_t b = a + 1; b < texts.size(); ++b) {
        const bool apart = texts[a].max.x <= texts[b].min.x + 1 || texts[b].max.x <= texts[a].min.x + 1 ||
                           texts[a].max.y <= texts[b].min.y + 3 || texts[b].max.y <= texts[a].min.y + 3;
        EXPECT_TRUE(apart) << texts[a].text << " and " << texts[b].text << " at " << s.x << " by " << s.y;
      }
  }
}

TEST_F(PlotViewTest, NarrowGridsHaveFewerColumns) {
  Figure grid = cross();
  grid.plots = {3, cross().plots[0]};
  grid.columns = 3;
  figure = share(grid);
  size = {750, 560};
  frames(2);
  EXPECT_LT(item("loss/0").max.x, item("loss/1").min.x);
  EXPECT_LT(item("loss/1").max.x, item("loss/2").min.x);
  size = {500, 560};
  frames(2);
  EXPECT_LT(item("loss/0").max.x, item("loss/1").min.x);
  EXPECT_LT(item("loss/0").max.y, item("loss/2").min.y);
  EXPECT_NEAR(item("loss/0").min.x, item("loss/2").min.x, 1);
}

// A contour that closes is drawn as a ring: with as many corners as edges, and no two ends that lie over each other.
TEST_F(PlotViewTest, ClosedContoursHaveNoEnds) {
  const auto vertices = [&](bool closed) {
    Figure made = cross();
    made.plots[0].lines.clear();
    Contour ring{"ring", SeriesRole::pairs, LineStyle::solid, {}, {}};
    for (int k = 0; k <= 40; ++k) {
      const double turn = 2 * 3.141592653589793 * k / (closed ? 40 : 41);
      ring.x.push_back(closed && k == 40 ? ring.x.front() : 5 + 3 * std::cos(turn));
      ring.y.push_back(closed && k == 40 ? ring.y.front() : 5 + 3 * std::sin(turn));
    }
    made.plots[0].contours = {ring};
    figure = share(made);
    frames(3);
    int count = 0;
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int list = 0; list < data.CmdListsCount; ++list) count += data.CmdLists[list]->VtxBuffer.Size;
    return count;
  };
  const int open = vertices(false), closed = vertices(true);
  EXPECT_LT(closed, open) << "40 corners rather than 41";
}

TEST_F(PlotViewTest, HoveringNamesTheNearestValues) {
  frames(2);
  move(place(0.3, 0.5));  // x = 3
  frames(3);
  EXPECT_TRUE(says("step  3"));
  EXPECT_TRUE(says("3.00"));
  EXPECT_TRUE(says("7.00"));
  move({790, 590});
  EXPECT_FALSE(says("step  3"));
}

TEST_F(PlotViewTest, HidesFromTheTipWhatIsHidden) {
  frames(2);
  click("loss/0/legend/0");
  move(place(0.3, 0.5));
  frames(3);
  EXPECT_TRUE(says("7.00"));
  EXPECT_FALSE(says("3.00"));
}

TEST_F(PlotViewTest, WheelZoomsAroundTheMouse) {
  frames(2);
  move(place(0.25, 0.5));
  screen.input.wheel(0, 1);
  frames(2);
  EXPECT_NEAR(x().low, 2.5 - 2.5 / 1.2, 0.05);
  EXPECT_NEAR(x().high, 2.5 + 7.5 / 1.2, 0.05);
  EXPECT_LT(y().high - y().low, 10);
  EXPECT_GT(y().high - y().low, 7);
  screen.input.wheel(0, -1);
  frames(2);
  EXPECT_NEAR(x().low, 0, 0.05);
  EXPECT_NEAR(x().high, 10, 0.05);
}

TEST_F(PlotViewTest, WheelOverAnAxisZoomsThatAxis) {
  frames(2);
  move({place(0.5, 0).x, item("loss/0").max.y + 12});
  screen.input.wheel(0, 2);
  frames(2);
  EXPECT_LT(x().high - x().low, 8);
  EXPECT_EQ(y().low, y().high);  // still fitted
}

TEST_F(PlotViewTest, ADragZoomsToABox) {
  frames(2);
  drag(place(0.2, 0.3), place(0.6, 0.8));
  EXPECT_NEAR(x().low, 2, 0.05);
  EXPECT_NEAR(x().high, 6, 0.05);
  EXPECT_GT(y().low, 0);
  EXPECT_LT(y().high, 8);
  const Axis before = y();
  drag(place(0.25, 0.5), place(0.75, 0.5));  // flat: along x alone
  EXPECT_NEAR(x().low, 3, 0.05);
  EXPECT_NEAR(x().high, 5, 0.05);
  EXPECT_EQ(y().low, before.low);
  EXPECT_EQ(y().high, before.high);
}

TEST_F(PlotViewTest, ADragTurnsWhereItMay) {
  ImVec2 turned = {0, 0};
  int back = 0;
  view.let_turn(
      [&](ImVec2 by) {
        turned.x += by.x;
        turned.y += by.y;
      },
      [&] { ++back; });
  frames(2);
  const ImVec2 from = place(0.2, 0.3), to = place(0.6, 0.8);
  drag(from, to);
  EXPECT_NEAR(turned.x, to.x - from.x, 1);
  EXPECT_NEAR(turned.y, to.y - from.y, 1);
  EXPECT_EQ(x().low, x().high) << "still fitted: nothing was zoomed";
  EXPECT_EQ(back, 0);
  for (int i = 0; i < 2; ++i) {
    screen.input.button(0, true);
    screen.input.button(0, false);
    frames(2);
  }
  EXPECT_EQ(back, 1);
  view.let_turn({}, {});
  frames(20);
  const ImVec2 before = turned;
  drag(from, to);
  EXPECT_EQ(turned.x, before.x);
  EXPECT_NEAR(x().high, 6, 0.05) << "zoomed again";
}

TEST_F(PlotViewTest, RightAndShiftDragsPan) {
  frames(2);
  drag(place(0.5, 0.5), place(0.25, 0.5), 1);
  EXPECT_NEAR(x().low, 2.5, 0.05);
  EXPECT_NEAR(x().high, 12.5, 0.05);
  EXPECT_EQ(recorder().find("loss/menu/reset"), nullptr) << "a pan opened the menu";
  screen.input.press(key::left_shift, true);
  frames();
  drag(place(0.25, 0.5), place(0.5, 0.5));
  screen.input.press(key::left_shift, false);
  EXPECT_NEAR(x().low, 0, 0.05);
}

TEST_F(PlotViewTest, ADoubleClickResets) {
  frames(2);
  drag(place(0.2, 0.3), place(0.6, 0.8));
  ASSERT_NE(x().low, x().high);
  frames(40);
  move(place(0.5, 0.5));
  for (int i = 0; i < 2; ++i) {
    screen.input.button(0, true);
    screen.input.button(0, false);
  }
  frames(6);
  EXPECT_EQ(x().low, x().high);
  EXPECT_EQ(y().low, y().high);
}

TEST_F(PlotViewTest, TheViewStaysWhenANewFigureComes) {
  frames(2);
  drag(place(0.2, 0.3), place(0.6, 0.8));
  click("loss/0/legend/0");
  const Axis before = x();
  figure = share(cross());
  frames(2);
  EXPECT_EQ(x().low, before.low);
  EXPECT_EQ(x().high, before.high);
  ASSERT_EQ(view.seen().plots[0].lines.size(), 1u);
}

TEST_F(PlotViewTest, LegendEntriesToggleSeriesAndStay) {
  frames(2);
  const std::size_t all = view.vertices();
  const Item entry = item("loss/0/legend/0");
  click("loss/0/legend/0");
  ASSERT_EQ(view.seen().plots[0].lines.size(), 1u);
  EXPECT_EQ(view.seen().plots[0].lines[0].name, "down");
  EXPECT_LT(view.vertices(), all);
  EXPECT_TRUE(says("up"));
  EXPECT_NEAR(item("loss/0/legend/0").min.x, entry.min.x, 1) << "the legend ran away from the mouse";
  click("loss/0/legend/0");
  EXPECT_EQ(view.seen().plots[0].lines.size(), 2u);
  EXPECT_EQ(view.vertices(), all);
}

TEST_F(PlotViewTest, OneEntryHidesTheSeriesInAllPlotsOfAFigure) {
  Figure two = cross();
  two.plots = {2, cross().plots[0]};
  two.plots[1].legend = false;
  two.columns = 2;
  figure = share(two);
  frames(2);
  click("loss/0/legend/1");
  EXPECT_EQ(view.seen().plots[0].lines.size(), 1u);
  EXPECT_EQ(view.seen().plots[1].lines.size(), 1u);
}

TEST_F(PlotViewTest, EverySeriesKindCanBeHidden) {
  Figure all = cross();
  Plot& plot = all.plots[0];
  plot.bars = {{"bars", SeriesRole::other, {0, 5, 10}, {3, 4}}};
  plot.scatters = {{"dots", SeriesRole::naive, {1, 2}, {3, 4}}};
  plot.contours = {{"ring", SeriesRole::gaussian, LineStyle::solid, {1, 2, 1}, {1, 2, 3}}};
  plot.rules = {{"truth", SeriesRole::truth, 5}};
  plot.bands = {{"floor", 1, 2}};
  figure = share(all);
  frames(2);
  for (int k = 0; k < 7; ++k) click("loss/0/legend/" + std::to_string(k));
  const Plot seen = view.seen().plots[0];
  EXPECT_TRUE(seen.lines.empty() && seen.bars.empty() && seen.scatters.empty() && seen.contours.empty() &&
              seen.rules.empty() && seen.bands.empty());
  EXPECT_TRUE(says("no data"));
  choose("reset");
  EXPECT_EQ(view.seen().plots[0].lines.size(), 2u);
  EXPECT_EQ(view.seen().plots[0].bands.size(), 1u);
}

TEST_F(PlotViewTest, TheMenuSwitchesAxes) {
  frames(2);
  choose("log-y");
  EXPECT_EQ(y().scale, AxisScale::log);
  EXPECT_EQ(x().scale, AxisScale::linear);
  choose("log-x");
  EXPECT_EQ(x().scale, AxisScale::log);
  choose("log-y");
  EXPECT_EQ(y().scale, AxisScale::linear);
  choose("reset");
  EXPECT_EQ(x().scale, AxisScale::linear);
}

TEST_F(PlotViewTest, ALogarithmicAxisForgetsALimitBelowZero) {
  Figure limited = cross();
  limited.plots[0].x.low = -5;
  limited.plots[0].x.high = 10;
  figure = share(limited);
  frames(2);
  choose("log-x");
  EXPECT_EQ(x().scale, AxisScale::log);
  EXPECT_EQ(x().low, x().high);
  EXPECT_TRUE(says("step"));
}

TEST_F(PlotViewTest, WhatCannotBeLogarithmicSaysSo) {
  Figure negative = cross();
  for (Line& l : negative.plots[0].lines)
    for (double& v : l.y) v = -1 - v;
  figure = share(negative);
  frames(2);
  click(place(0.5, 0.5), 1);
  EXPECT_FALSE(item("loss/menu/log-y").enabled);
  EXPECT_TRUE(item("loss/menu/log-x").enabled);
  click("loss/menu/log-y");
  EXPECT_EQ(y().scale, AxisScale::linear);
}

TEST_F(PlotViewTest, TheCornerButtonOpensTheMenu) {
  frames(2);
  EXPECT_EQ(recorder().find("loss/0/menu"), nullptr);
  move(place(0.5, 0.5));
  click("loss/0/menu");
  click("loss/menu/log-x");
  EXPECT_EQ(x().scale, AxisScale::log);
}

TEST_F(PlotViewTest, SavesWhatIsSeen) {
  const TemporaryFolder folder;
  frames(2);
  click("loss/0/legend/0");
  drag(place(0.2, 0.3), place(0.6, 0.8));
  choose("save-svg");
  EXPECT_THAT(item("loss/save/path").text, HasSubstr("/width-against-n.svg"));
  const std::filesystem::path file = folder / "plot.svg";
  type("loss/save/path", file.string());
  click("loss/save/write");
  ASSERT_TRUE(std::filesystem::exists(file));
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), figure_svg(view.seen()));
  EXPECT_THAT(text.str(), HasSubstr("data-name=\"down\""));
  EXPECT_EQ(text.str().find("data-name=\"up\""), std::string::npos);
  EXPECT_EQ(recorder().find("loss/save/path"), nullptr) << "the dialog stayed open";
}

TEST_F(PlotViewTest, SavesTheRowsThatAreSeen) {
  const TemporaryFolder folder;
  frames(2);
  drag(place(0.2, 0.5), place(0.4, 0.5));
  choose("save-csv");
  const std::filesystem::path file = folder / "plot.csv";
  type("loss/save/path", file.string());
  screen.input.press(key::enter, true);
  frames(3);
  screen.input.press(key::enter, false);
  frames(3);
  std::ifstream in(file);
  std::string row;
  int rows = 0;
  while (std::getline(in, row)) {
    if (++rows == 1) continue;
    std::stringstream fields(row);
    std::string field;
    for (int i = 0; i < 4; ++i) std::getline(fields, field, ',');
    EXPECT_GE(std::stod(field), 1.8);
    EXPECT_LE(std::stod(field), 4.2);
  }
  EXPECT_GE(rows, 1 + 2 * 20);
  EXPECT_LE(rows, 1 + 2 * 24);
}

TEST_F(PlotViewTest, AFailedSaveBecomesASentence) {
  frames(2);
  choose("save-png");
  type("loss/save/path", "/proc/nowhere/all.png");
  click("loss/save/write");
  EXPECT_TRUE(std::any_of(recorder().items().begin(), recorder().items().end(), [](const Item& i) {
    return i.text.find("/proc/nowhere") != std::string::npos && i.kind == ItemKind::text;
  }));
  type("loss/save/path", "/tmp/plot.gif");
  click("loss/save/write");
  EXPECT_TRUE(std::any_of(recorder().items().begin(), recorder().items().end(),
                          [](const Item& i) { return i.text.find(".svg, .png or .csv") != std::string::npos; }));
  click("loss/save/cancel");
  EXPECT_EQ(recorder().find("loss/save/path"), nullptr);
}

TEST_F(PlotViewTest, CopiesTheTable) {
  frames(2);
  static std::string clipboard;
  ImGui::GetIO().SetClipboardTextFn = [](void*, const char* text) { clipboard = text; };
  click("loss/0/legend/1");
  choose("copy-csv");
  EXPECT_EQ(clipboard, figure_csv(view.seen()));
}

TEST_F(PlotViewTest, NothingIsComputedWhileNothingChanges) {
  frames(3);
  const std::int64_t before = view.rebuilds();
  frames(20);
  move(place(0.5, 0.5));
  move(place(0.6, 0.5));
  EXPECT_EQ(view.rebuilds(), before);
  size.x -= 10;
  frames(2);
  EXPECT_EQ(view.rebuilds(), before + 1);
  screen.restyle(ThemeKind::light, 1);
  frames(2);
  EXPECT_EQ(view.rebuilds(), before + 2);
  screen.restyle(ThemeKind::light, 1.5f);
  frames(2);
  EXPECT_EQ(view.rebuilds(), before + 3);
}

TEST_F(PlotViewTest, LongHistoriesAreDrawnInFewVerticesWithTheirExtremes) {
  Figure history;
  Plot plot;
  plot.lines = {line("loss", {}, {})};
  for (int i = 0; i < 100000; ++i) {
    plot.lines[0].x.push_back(i);
    plot.lines[0].y.push_back(i == 33333 ? 5.0 : i == 77777 ? -5.0 : std::sin(0.7 * i));
  }
  plot.legend = false;
  plot.y.low = -6;
  plot.y.high = 6;
  history.plots = {plot};
  const chart::FigureLayout layout = chart::layout_figure(
      history, [](std::string_view t, double s, bool b) { return draw_list_text_width(t, s, b, 1.5); });
  DrawListCanvas canvas;
  canvas.begin(1.5);
  chart::draw_figure(history, layout, canvas);
  canvas.finish();
  EXPECT_LT(canvas.vertices(), 12000u);
  const chart::Rect& area = layout.plots[0].area;
  const double high = 1.5 * layout.plots[0].y.page(5), low = 1.5 * layout.plots[0].y.page(-5);
  double nearest_high = 1e9, nearest_low = 1e9;
  for (std::size_t i = 0; i < canvas.vertices(); ++i) {
    const ImVec2 p = canvas.vertex_data()[i].pos;
    if (p.x > 1.5 * (area.x + area.width * 0.32) && p.x < 1.5 * (area.x + area.width * 0.35))
      nearest_high = std::min(nearest_high, std::fabs(p.y - high));
    if (p.x > 1.5 * (area.x + area.width * 0.76) && p.x < 1.5 * (area.x + area.width * 0.79))
      nearest_low = std::min(nearest_low, std::fabs(p.y - low));
  }
  EXPECT_LT(nearest_high, 2.5);
  EXPECT_LT(nearest_low, 2.5);
}

TEST_F(PlotViewTest, AnImpossibleFigureSaysWhatIsWrong) {
  Figure wrong = cross();
  wrong.plots[0].lines[0].y.pop_back();
  figure = share(wrong);
  frames(2);
  EXPECT_TRUE(std::any_of(recorder().items().begin(), recorder().items().end(),
                          [](const Item& i) { return i.text.find("'up' has 101 x and 100 y") != std::string::npos; }));
  figure = share(cross());
  frames(2);
  EXPECT_TRUE(says("up"));
  figure = nullptr;
  frames(2);
  EXPECT_EQ(recorder().find("loss/0"), nullptr);
}

// Bands are filled without gaps and without overlaps: the area of the triangles is that of the band.
TEST_F(PlotViewTest, ConcaveBandsAreFilledOnce) {
  std::vector<chart::Point> outline;
  double expected = 0;
  const auto top = [](double x) { return 60 + 25 * std::sin(0.2 * x); };
  const auto bottom = [](double x) { return 120 + 10 * std::cos(0.35 * x); };
  for (int i = 0; i <= 100; ++i) outline.push_back({1.0 * i, top(i)});
  for (int i = 100; i >= 0; i -= 2) outline.push_back({1.0 * i, bottom(i)});
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const chart::Point a = outline[i], b = outline[(i + 1) % outline.size()];
    expected += (a.x * b.y - b.x * a.y) / 2;
  }
  DrawListCanvas canvas;
  canvas.begin(2);
  canvas.polygon(outline, 0x0072B2, 0.2);
  canvas.finish();
  ImDrawList list(ImGui::GetDrawListSharedData());
  list._ResetForNewFrame();
  list.PushClipRectFullScreen();
  list.PushTextureID(ImGui::GetIO().Fonts->TexID);
  canvas.replay(list, {10, 20});
  double area = 0;
  for (int i = 0; i + 2 < list.IdxBuffer.Size; i += 3) {
    const ImDrawVert* v[3];
    double alpha = 0;
    for (int k = 0; k < 3; ++k) {
      v[k] = &list.VtxBuffer[list.IdxBuffer[i + k]];
      alpha += ((v[k]->col >> IM_COL32_A_SHIFT) & 255) / 255.0 / 3;
    }
    const double cross = (v[1]->pos.x - v[0]->pos.x) * (v[2]->pos.y - v[0]->pos.y) -
                         (v[2]->pos.x - v[0]->pos.x) * (v[1]->pos.y - v[0]->pos.y);
    area += std::fabs(cross) / 2 * alpha / 0.2;
  }
  EXPECT_NEAR(area, 4 * std::fabs(expected), 0.01 * 4 * std::fabs(expected));
}

TEST_F(PlotViewTest, PicturesAreTexturesWhereThereIsAStoreElseRectangles) {
  Figure sheet;
  Plot plot;
  for (int k = 0; k < 36; ++k) {
    Picture picture;
    picture.width = picture.height = 28;
    picture.rgb.assign(28 * 28 * 3, 0);
    for (int i = 0; i < 28 * 3; ++i) picture.rgb[static_cast<std::size_t>(14 * 28 * 3 + i)] = 255;
    picture.x0 = k % 6;
    picture.x1 = k % 6 + 0.9;
    picture.y0 = k / 6;
    picture.y1 = k / 6 + 0.9;
    plot.pictures.push_back(picture);
  }
  sheet.plots = {plot};
  figure = share(sheet);
  frames(2);
  EXPECT_GE(view.vertices(), 36u * 28 * 4);
  static int made, destroyed;
  made = destroyed = 0;
  set_texture_store({[](int width, int height, const std::uint8_t* rgba) -> ImTextureID {
                       EXPECT_EQ(width * height, 36 * 28 * 28);
                       EXPECT_EQ(rgba[4 * (14 * width + 3)], 255);
                       EXPECT_EQ(rgba[4 * (13 * width + 3)], 0);
                       ++made;
                       return reinterpret_cast<ImTextureID>(std::intptr_t{7});
                     },
                     [](ImTextureID) { ++destroyed; }});
  frames(2);
  EXPECT_EQ(made, 1) << "one texture for the sheet";
  EXPECT_LT(view.vertices(), 36u * 4 + 100);
  figure = share(sheet);
  frames(2);
  collect_textures();
  EXPECT_EQ(made, 2);
  EXPECT_EQ(destroyed, 1);
  set_texture_store({});
}

TEST(FileStem, IsPlain) {
  EXPECT_EQ(file_stem("Width against N"), "width-against-n");
  EXPECT_EQ(file_stem("../etc/passwd"), "etc-passwd");
  EXPECT_EQ(file_stem("θ"), "figure");
  EXPECT_LE(file_stem(std::string(500, 'a')).size(), 60u);
}

// At a quarter of the width, from the top: the line that falls, nothing, the line that rises.
TEST_F(PlotViewTest, KnowsTheLineUnderTheMouseAndTheOneThatWasClicked) {
  frames(3);
  std::vector<std::string> met;
  double up = 0;  // where the line that rises was met
  for (double y = 0.05; y < 0.95; y += 0.01) {
    move(place(0.25, y));
    if (met.empty() || met.back() != view.line_under_mouse()) met.push_back(view.line_under_mouse());
    if (view.line_under_mouse() == "up") up = y;
  }
  EXPECT_THAT(met, ::testing::ElementsAre("", "down", "", "up", ""));
  EXPECT_EQ(view.take_clicked_line(), "");
  click(place(0.25, up));
  EXPECT_EQ(view.take_clicked_line(), "up");
  EXPECT_EQ(view.take_clicked_line(), "") << "told once";
  drag(place(0.25, up), place(0.6, 0.3));
  EXPECT_EQ(view.take_clicked_line(), "") << "a drag zooms";
}

TEST_F(PlotViewTest, ALineThatStandsOutIsDrawnOverTheOthers) {
  frames(3);
  const int before = ImGui::GetDrawData()->TotalVtxCount;
  view.light({"up"});
  frames(2);
  const int lit = ImGui::GetDrawData()->TotalVtxCount;
  EXPECT_GT(lit, before);
  view.light({"no line's name"});
  frames(2);
  EXPECT_EQ(ImGui::GetDrawData()->TotalVtxCount, before);
  EXPECT_TRUE(PlotView::names_line("first", "first, training"));
  EXPECT_TRUE(PlotView::names_line("first", "first (3 seeds)"));
  EXPECT_FALSE(PlotView::names_line("first", "first-2"));
}

}  // namespace
}  // namespace pairs::gui
