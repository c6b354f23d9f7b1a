// The Posterior tab of novel views, driven by name.
#include "app/gui/viewer/viewer_panel.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "core/base/files/files.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/viewer/view_run.h"

namespace pairs::gui {
namespace {

class ViewerPanelTest : public ::testing::Test {
 protected:
  Driver& window(float width = 1280, float height = 800, float scale = 1) {
    model::Settings settings = settings_in(folder_.path(), "novel-view");
    if (run_.empty()) run_ = model::untrained_view_run(folder_.path(), "untrained");
    settings.run = run_;
    driver_.reset();
    driver_ = std::make_unique<Driver>(settings, width, height, scale);
    EXPECT_TRUE(driver_->rest(60));
    driver_->frames(3);
    return *driver_;
  }
  model::Viewer& viewer() { return driver_->studio.viewer; }
  // Presses at one place and lets go at another.
  void drag(ImVec2 from, ImVec2 by, int steps = 6) {
    driver_->move(from);
    driver_->screen.input.button(0, true);
    driver_->frames(2);
    for (int k = 1; k <= steps; ++k)
      driver_->move({from.x + by.x * static_cast<float>(k) / static_cast<float>(steps),
                     from.y + by.y * static_cast<float>(k) / static_cast<float>(steps)});
    driver_->screen.input.button(0, false);
    driver_->frames(3);
  }
  // Where a sphere's middle is on the screen.
  ImVec2 sphere_at(std::size_t k) {
    const Item truth = driver_->item("viewer/truth");
    const auto basis = render::camera_basis(viewer().cameras.target().azimuth, viewer().cameras.target().elevation);
    const double* center = viewer().scene.shown().spheres[k].center;
    const double half = static_cast<double>(truth.max.x - truth.min.x) / 2, unit = half / viewer().info().half_width;
    return {static_cast<float>(static_cast<double>(truth.middle().x) + unit * render::dot3(center, basis.right)),
            static_cast<float>(static_cast<double>(truth.middle().y) - unit * render::dot3(center, basis.up))};
  }

  TemporaryFolder folder_;
  std::string run_;
  std::unique_ptr<Driver> driver_;
};

TEST_F(ViewerPanelTest, SpheresAreDraggedAndTheRestFollows) {
  Driver& d = window();
  ASSERT_EQ(viewer().failure(), "");
  // The one in front where they cover each other.
  const auto half_side = static_cast<double>(d.item("viewer/truth").max.x - d.item("viewer/truth").min.x) / 2;
  const ImVec2 middle = d.item("viewer/truth").middle(), first = sphere_at(0);
  const std::size_t k = *viewer().scene.sphere_at(static_cast<double>(first.x - middle.x) / half_side,
                                                  static_cast<double>(middle.y - first.y) / half_side);
  const ImVec2 before = sphere_at(k);
  const std::uint64_t version = viewer().shown()->version;
  drag(before, {14, -9});
  EXPECT_TRUE(viewer().scene.edited());
  EXPECT_EQ(viewer().scene.selected(), k);
  EXPECT_NEAR(sphere_at(k).x, before.x + 14, 0.6);
  EXPECT_NEAR(sphere_at(k).y, before.y - 9, 0.6);
  ASSERT_TRUE(d.rest(60));
  EXPECT_GT(viewer().shown()->version, version) << "samples follow";
  // The wheel changes its radius, with Shift its distance.
  const double radius = viewer().scene.shown().spheres[k].radius;
  d.move(sphere_at(k));
  d.screen.input.wheel(0, -1);
  d.frames(3);
  EXPECT_LT(viewer().scene.shown().spheres[k].radius, radius);
  const ImVec2 seen = sphere_at(k);
  const double x = viewer().scene.shown().spheres[k].center[0];
  d.screen.input.press(key::left_shift, true);
  d.screen.input.wheel(0, 1);
  d.frames(3);
  d.screen.input.press(key::left_shift, false);
  EXPECT_NE(viewer().scene.shown().spheres[k].center[0], x);
  EXPECT_NEAR(sphere_at(k).x, seen.x, 0.1) << "along the view";
  d.click("viewer/undo");
  EXPECT_FALSE(viewer().scene.edited());
}

TEST_F(ViewerPanelTest, TheTargetIsOrbited) {
  Driver& d = window();
  const render::Camera before = viewer().cameras.target();
  const Item truth = d.item("viewer/truth");
  drag({truth.min.x + 4, truth.max.y - 4}, {30, 12});
  EXPECT_FALSE(viewer().scene.edited()) << "the background was dragged";
  EXPECT_LT(std::remainder(viewer().cameras.target().azimuth - before.azimuth, 2 * std::numbers::pi), -0.1);
  EXPECT_GT(viewer().cameras.target().elevation, before.elevation + 0.05);
  const render::Camera after = viewer().cameras.target();
  drag(d.item("viewer/dome").middle(), {40, 0});
  EXPECT_GT(std::remainder(viewer().cameras.target().azimuth - after.azimuth, 2 * std::numbers::pi), 0.2);
  EXPECT_NEAR(viewer().cameras.target().elevation, after.elevation, 1e-9);
  drag(d.item("viewer/dome").middle(), {0, -400});
  EXPECT_NEAR(viewer().cameras.target().elevation, model::kElevationHigh, 1e-9);
  d.drag("viewer/elevation", 0.5, 0.3);
  EXPECT_LT(viewer().cameras.target().elevation, model::kElevationHigh);
  ASSERT_TRUE(d.rest(60));
}

TEST_F(ViewerPanelTest, AClickOnACameraMovesTheTargetThere) {
  Driver& d = window();
  const Item dome = d.item("viewer/dome");
  const auto is_view = [&] {
    return std::any_of(viewer().cameras.observed().begin(), viewer().cameras.observed().end(),
                       [&](const render::Camera& view) {
                         return std::abs(view.azimuth - viewer().cameras.target().azimuth) < 1e-9 &&
                                std::abs(view.elevation - viewer().cameras.target().elevation) < 1e-9;
                       });
  };
  EXPECT_FALSE(is_view());
  // With a hundred cameras one is near any place of the dome's upper half.
  for (float share = 0.3f; share < 0.7f && !is_view(); share += 0.05f)
    d.press_at({dome.min.x + share * (dome.max.x - dome.min.x), dome.min.y + 0.35f * (dome.max.y - dome.min.y)});
  EXPECT_TRUE(is_view());
}

TEST_F(ViewerPanelTest, ViewsAreAddedAndRemoved) {
  Driver& d = window();
  EXPECT_FALSE(d.item("viewer/add").enabled);
  const double third = viewer().cameras.observed()[2].azimuth;
  d.click("viewer/view/1");
  ASSERT_EQ(viewer().cameras.observed().size(), 99u);
  EXPECT_EQ(viewer().cameras.observed()[1].azimuth, third);
  ASSERT_TRUE(d.rest(60));
  d.click("viewer/add");
  EXPECT_EQ(viewer().cameras.observed().size(), 100u);
  d.click("viewer/clear");
  EXPECT_TRUE(viewer().cameras.observed().empty());
  ASSERT_TRUE(d.rest(60));
  d.frames(2);
  EXPECT_FALSE(d.item("viewer/play").enabled);
  EXPECT_FALSE(d.find("viewer/sample/0")) << "there is nothing to sample from";
  d.click("viewer/fill");
  EXPECT_EQ(viewer().cameras.observed().size(), 100u);
  ASSERT_TRUE(d.rest(60));
  d.frames(2);
  EXPECT_TRUE(d.find("viewer/sample/0"));
}

TEST_F(ViewerPanelTest, NIsMovedTypedAndPlayed) {
  Driver& d = window();
  d.drag("viewer/n", 0.5, 0.02);
  EXPECT_EQ(viewer().n(), 1);
  d.type("viewer/n-text", "17");
  EXPECT_EQ(viewer().n(), 17);
  d.key(key::right);
  EXPECT_EQ(viewer().n(), 18);
  d.click("viewer/play");
  EXPECT_TRUE(viewer().playing());
  EXPECT_TRUE(d.until([&] { return viewer().n() > 22; }));
  d.key(key::space);
  EXPECT_FALSE(viewer().playing());
  const std::int64_t seed = viewer().scene.seed();
  d.click("viewer/new");
  EXPECT_EQ(viewer().scene.seed(), seed + 1);
  d.click("viewer/count/4");
  EXPECT_EQ(viewer().samples(), 4);
  ASSERT_TRUE(d.rest(60));
  EXPECT_EQ(viewer().shown()->n, viewer().n());
}

TEST_F(ViewerPanelTest, OneSampleIsShownLargeAndItsWayWatched) {
  Driver& d = window();
  const float small = d.item("viewer/sample/5").max.x - d.item("viewer/sample/5").min.x;
  d.click("viewer/sample/5");
  EXPECT_GT(d.item("viewer/sample/5").max.x - d.item("viewer/sample/5").min.x, 3 * small);
  EXPECT_FALSE(d.find("viewer/sample/4"));
  d.click("viewer/sample/5");
  EXPECT_TRUE(d.find("viewer/sample/4"));
  d.drag("viewer/step", 0.9, 0.1);
  EXPECT_NE(d.item("viewer/step").text.find("step "), std::string::npos);
  EXPECT_EQ(d.item("viewer/step").text, "step 0");
  d.click("viewer/watch");
  EXPECT_EQ(d.item("viewer/watch").text, "Stop");
  d.click("viewer/watch");
  EXPECT_EQ(d.item("viewer/step").text, "step 6") << "the image again";
}

TEST_F(ViewerPanelTest, SettingsOfTheScene) {
  Driver& d = window();
  d.click("viewer/sphere/1");
  EXPECT_EQ(viewer().scene.selected(), 1u);
  const auto color = viewer().scene.shown().spheres[1].color[0] + 2 * viewer().scene.shown().spheres[1].color[1];
  d.drag("viewer/hue", 0.2, 0.6);
  EXPECT_NE(viewer().scene.shown().spheres[1].color[0] + 2 * viewer().scene.shown().spheres[1].color[1], color);
  d.drag("viewer/radius", 0.5, 0.95);
  EXPECT_GT(viewer().scene.shown().spheres[1].radius, 0.35);
  const double light = viewer().scene.shown().light_elevation;
  d.drag("viewer/light-elevation", 0.5, 0.05);
  EXPECT_LT(viewer().scene.shown().light_elevation, light);
  EXPECT_NE(viewer().cameras.beyond(), "");
  ASSERT_TRUE(d.rest(60));
}

TEST_F(ViewerPanelTest, Exports) {
  Driver& d = window();
  d.click("viewer/export");
  d.frames(3);
  ASSERT_TRUE(d.find("viewer/save/path"));
  const std::filesystem::path picture = folder_ / "n10.png";
  d.type("viewer/save/path", (folder_ / "wrong.jpg").string());
  EXPECT_FALSE(d.item("viewer/save/write").enabled) << "it says what the name must end in";
  d.type("viewer/save/path", picture.string());
  if (d.find("viewer/save/write")) d.click("viewer/save/write");
  ASSERT_TRUE(d.until([&] { return std::filesystem::exists(picture); }));
  ASSERT_TRUE(d.until([&] { return !d.find("viewer/save/path"); })) << "the dialog closes";
  ASSERT_TRUE(d.until([&] { return d.find("saved/0/close") != nullptr; }));
  EXPECT_EQ(d.item("saved/0").text, "Saved n10.png");
  d.click("saved/0/close");
  // The scene as a file, and the command that reads it.
  d.drag("viewer/radius", 0.5, 0.9);
  d.show("viewer/render-command");
  EXPECT_FALSE(d.item("viewer/render-command").enabled) << "no command knows the changed scene";
  d.click("viewer/export");
  d.click("viewer/save/scene");
  d.type("viewer/save/path", (folder_ / "scene.toml").string());
  ASSERT_TRUE(d.until([&] { return !viewer().render_command().empty(); }));
}

TEST_F(ViewerPanelTest, WithoutWeightsTheSceneIsThereNevertheless) {
  std::filesystem::create_directory(folder_ / "assets");
  std::filesystem::copy(assets_folder() / "presets", folder_ / "assets/presets",
                        std::filesystem::copy_options::recursive);
  const model::Environment assets("PAIRS_ASSETS", (folder_ / "assets").string());
  driver_ = std::make_unique<Driver>(settings_in(folder_.path(), "novel-view"));
  Driver& d = *driver_;
  ASSERT_EQ(viewer().run(), "");
  ASSERT_TRUE(d.rest(60));
  d.frames(2);
  EXPECT_TRUE(d.find("viewer/truth"));
  EXPECT_TRUE(d.find("viewer/dome"));
  EXPECT_FALSE(d.find("viewer/sample/0"));
  EXPECT_TRUE(viewer().truth());
  d.click("viewer/new");
  ASSERT_TRUE(d.rest(60));
}

TEST_F(ViewerPanelTest, KeepsItsTextsWhole) {
  for (const auto& [width, height, scale] :
       {std::tuple{1280.f, 800.f, 1.f}, {1024.f, 700.f, 1.f}, {2048.f, 1400.f, 2.f}, {1920.f, 1080.f, 1.f}}) {
    Driver& d = window(width, height, scale);
    viewer().set_n(60);  // more than training saw: a warning
    viewer().cameras.set_target({0, 1.5});
    for (const char* theme : {"dark", "light"}) {
      d.studio.settings.theme = theme;
      ASSERT_TRUE(d.rest(60));
      d.frames(3);
      const std::vector<Item>& items = recorder().items();
      const auto visible = [](const Item& t) {
        return ImRect{std::max(t.min.x, t.clip_min.x), std::max(t.min.y, t.clip_min.y), std::min(t.max.x, t.clip_max.x),
                      std::min(t.max.y, t.clip_max.y)};
      };
      for (std::size_t i = 0; i < items.size(); ++i) {
        const Item& a = items[i];
        EXPECT_FALSE(a.clipped) << a.text;
        if (a.ink && a.paper) {
          EXPECT_GE(contrast(a.ink, a.paper), 4.5) << a.text;
        }
        if (a.kind != ItemKind::text || a.text.empty()) continue;
        const bool shown = a.max.y > a.clip_min.y && a.min.y < a.clip_max.y;
        EXPECT_FALSE(shown && a.max.x > a.clip_max.x + 1.5f) << width << ": cut at the side: " << a.text;
        EXPECT_EQ(a.text.find("…") == std::string::npos, true) << width << ": " << a.text;
        for (std::size_t j = i + 1; j < items.size(); ++j) {
          const Item& b = items[j];
          if (b.kind != ItemKind::text || a.layer != b.layer) continue;
          const ImRect ra = visible(a), rb = visible(b);
          EXPECT_FALSE(std::min(ra.Max.x, rb.Max.x) - std::max(ra.Min.x, rb.Min.x) > 2 &&
                       std::min(ra.Max.y, rb.Max.y) - std::max(ra.Min.y, rb.Min.y) > 4)
              << width << ": overlap: " << a.text << " | " << b.text;
        }
      }
    }
  }
}

// Next to the samples, the panel shows the average error from the run's evaluation; without one it explains how to get
// it.
TEST_F(ViewerPanelTest, TheAverageErrorStandsBesideTheSamples) {
  const auto says = [](const std::string& part) {
    return std::any_of(recorder().items().begin(), recorder().items().end(),
                       [&](const Item& item) { return item.text.find(part) != std::string::npos; });
  };
  Driver& d = window();
  EXPECT_TRUE(d.until([&] { return says("Evaluate this run to see its error"); }));
  EXPECT_FALSE(says("On average, N ="));
  d.studio.open_run("novel-view");
  ASSERT_TRUE(d.rest(120));
  const float below = d.item("viewer/count/4").min.y;
  for (const auto& [n, evaluated, error, share] : std::vector<std::tuple<int, int, const char*, const char*>>{
           {10, 10, "3.41", "92 %"}, {30, 25, "3.04", "89 %"}, {100, 100, "2.90", "81 %"}}) {
    viewer().set_n(n);
    ASSERT_TRUE(d.until([&, n = n] { return viewer().shown() && viewer().shown()->n == n; }));
    d.frames(2);
    EXPECT_TRUE(says(fmt::format("On average, N = {}", evaluated))) << n;
    EXPECT_TRUE(says(error)) << n;
    EXPECT_TRUE(says(share)) << n;
    EXPECT_EQ(d.item("viewer/count/4").min.y, below) << "nothing moves while N is dragged";
  }
  EXPECT_FALSE(says("Evaluate this run"));
}

}  // namespace
}  // namespace pairs::gui
