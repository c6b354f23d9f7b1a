#include "app/gui/settings/settings_panel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "app/gui/offscreen_window.h"
#include "app/gui/platform/recorder.h"
#include "core/base/gpu/devices.h"
#include "core/base/threads/threads.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"
#include "tests/tasks/digits/tiny_mnist.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class SettingsPanelTest : public ::testing::Test {
 protected:
  ~SettingsPanelTest() override {
    set_background_threads(0);
    use_threads(0);
  }
  TemporaryFolder folder_;
  model::Environment real_{"PAIRS_DATA", ""};
};

TEST_F(SettingsPanelTest, OpensFromHeaderKeysAndPaletteAndCloses) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  d.click("header/settings");
  EXPECT_TRUE(d.find("settings/done"));
  EXPECT_FALSE(d.find("posterior/n"));
  d.key(key::escape);
  EXPECT_FALSE(d.find("settings/done"));
  EXPECT_TRUE(d.find("posterior/n"));
  d.key(',', true);
  EXPECT_TRUE(d.find("settings/done"));
  const std::int64_t n = d.studio.posterior.n();
  d.key(key::left);
  EXPECT_EQ(d.studio.posterior.n(), n) << "the arrows are not the posterior's";
  d.key(',', true);
  EXPECT_FALSE(d.find("settings/done"));
  d.key('K', true);
  for (const char c : std::string("settings")) d.screen.input.character(static_cast<unsigned char>(c));
  d.frames(3);
  d.key(key::enter);
  EXPECT_TRUE(d.find("settings/done"));
  d.click("settings/done");
  EXPECT_FALSE(d.find("settings/done"));
  d.key(',', true);
  d.click("tab/train");
  EXPECT_FALSE(d.find("settings/done"));
  EXPECT_EQ(d.studio.tab(), model::Tab::train);
  d.key(',', true);
  d.click("sidebar/task/gaussian");
  EXPECT_FALSE(d.find("settings/done"));
  EXPECT_EQ(d.studio.task(), "gaussian");
  // Escape first leaves the text that is being typed.
  d.key(',', true);
  ASSERT_TRUE(d.rest());
  d.click("settings/runs");
  d.key(key::escape);
  EXPECT_TRUE(d.find("settings/done"));
  d.key(key::escape);
  EXPECT_FALSE(d.find("settings/done"));
}

TEST_F(SettingsPanelTest, EveryControlDoesWhatItSays) {
  create_run(model::small_config("bump-hunt"), folder_ / "other" / "mine");
  create_run(model::small_config("bump-hunt"), folder_ / "elsewhere" / "theirs");
  write_tiny_mnist(folder_ / "mnist");
  model::Settings settings = settings_in(folder_.path());
  settings.run_folders = {(folder_ / "elsewhere").string()};
  Driver d(settings);
  model::Studio& studio = d.studio;
  ASSERT_TRUE(d.rest());
  d.key(',', true);
  ASSERT_TRUE(d.until([&] { return studio.page.survey() != nullptr; }));
  ASSERT_TRUE(d.rest());

  // Runs.
  EXPECT_THAT(d.item("settings/runs-facts").text, StartsWith("No runs yet"));
  EXPECT_THAT(d.item("settings/runs-facts").text, HasSubstr("the folder is made with the first run"));
  d.type("settings/runs", (folder_ / "other").string());
  ASSERT_TRUE(d.until([&] { return studio.hub.runs_folder == folder_ / "other"; }));
  ASSERT_TRUE(d.until([&] { return d.item("settings/runs-facts").text.starts_with("1 run, "); }));
  EXPECT_THAT(d.item("settings/runs-facts").text, HasSubstr(" free"));
  EXPECT_EQ(d.item("settings/runs").text, studio.settings.runs_folder);
  std::ofstream(folder_ / "file") << "x";
  d.type("settings/runs", (folder_ / "file").string());
  ASSERT_TRUE(d.until([&] { return d.find("settings/runs-problem") != nullptr; }));
  EXPECT_EQ(d.item("settings/runs-problem").text, studio.page.runs_problem());
  EXPECT_EQ(studio.hub.runs_folder, folder_ / "other");
  d.click("settings/runs-default");
  ASSERT_TRUE(d.until([&] { return studio.settings.runs_folder.empty(); }));
  EXPECT_FALSE(d.find("settings/runs-default"));
  EXPECT_EQ(d.item("settings/runs").text, model::default_runs_folder().string());
  ASSERT_TRUE(d.until([&] { return d.item("settings/added/0").text.ends_with(": 1 run"); }));
  d.click("settings/added/0/remove");
  EXPECT_FALSE(d.find("settings/added/0"));
  d.frames(2);
  EXPECT_TRUE(studio.settings.run_folders.empty()) << "kept so";

  // Data.
  EXPECT_THAT(d.item("settings/set/MNIST").text, StartsWith("Not found; sets are drawn from generated digits"));
  d.type("settings/data", (folder_ / "elsewhere").string());
  ASSERT_TRUE(d.until([&] { return d.find("settings/data-problem") != nullptr; }));
  EXPECT_EQ(studio.hub.data_folder, "");
  d.type("settings/data", (folder_ / "mnist").string());
  ASSERT_TRUE(d.until([&] { return studio.hub.data_folder == folder_ / "mnist"; }));
  ASSERT_TRUE(d.until([&] { return d.find("settings/set/MNIST/place") != nullptr; }));
  EXPECT_THAT(d.item("settings/set/MNIST").text, HasSubstr("120 training and 120 test images"));
  EXPECT_THAT(d.item("settings/set/MNIST/place").text, HasSubstr((folder_ / "mnist").string()));
  EXPECT_FALSE(d.find("settings/data-problem"));
  d.click("settings/data-none");
  ASSERT_TRUE(d.until([&] { return studio.hub.data_folder.empty(); }));
  ASSERT_TRUE(d.rest(60));

  // Device and threads.
  d.click("settings/device/cpu");
  EXPECT_EQ(studio.hub.device, "cpu");
  EXPECT_THAT(d.item("settings/device-facts").text, HasSubstr("core"));
  if (!why_no_gpu().empty()) {
    EXPECT_FALSE(d.item("settings/device/cuda").enabled);
    EXPECT_THAT(d.item("settings/why-not/cuda").text, StartsWith("GPU: "));
  }
  d.click("settings/device/auto");
  EXPECT_EQ(studio.hub.device, "auto");
  d.type("settings/threads", "1");
  EXPECT_EQ(studio.hub.threads, 1);
  d.type("settings/threads", "99999");
  EXPECT_EQ(studio.hub.threads, 1);
  EXPECT_THAT(d.item("settings/threads-problem").text, HasSubstr("99999 is no number of threads"));
  d.type("settings/threads", "0");
  EXPECT_EQ(studio.hub.threads, 0);
  EXPECT_FALSE(d.find("settings/threads-problem"));

  // Looks.
  d.click("settings/dialogs/desktop");
  EXPECT_EQ(studio.settings.file_dialogs, "desktop");
  d.click("settings/dialogs/own");
  EXPECT_EQ(studio.settings.file_dialogs, "own");
  d.click("settings/theme/light");
  EXPECT_EQ(studio.settings.theme, "light");
  d.click("settings/theme/dark");
  EXPECT_EQ(studio.settings.theme, "dark");
  d.click("settings/scale");
  d.click("settings/scale/4");
  EXPECT_EQ(studio.settings.scale, 1.5);
  EXPECT_EQ(d.item("settings/scale").text, "150 %");

  // The file.
  EXPECT_EQ(d.item("settings/file").text, model::SettingsFile::settings_path().string());
  d.click("settings/copy-path");
  EXPECT_EQ(ImGui::GetClipboardText(), model::SettingsFile::settings_path().string());
}

TEST_F(SettingsPanelTest, AGpusLibrariesAreFetchedWhereTheyAreMissing) {
  const model::Environment cache("PAIRS_CACHE", (folder_ / "cache").string());
  const model::Environment settings("PIP_CONFIG_FILE", (folder_ / "none").string());
  const model::Environment index("PIP_INDEX_URL", ""), proxy("no_proxy", "*");
  Driver d(settings_in(folder_.path()));
  model::GpuSetup& gpu = d.studio.page.gpu();
  gpu.why_not = [] { return "there is none"; };
  d.key(',', true);
  ASSERT_TRUE(d.until([&] { return gpu.found() != nullptr; }));
  ASSERT_TRUE(d.rest(60));
  EXPECT_FALSE(d.find("settings/gpu/needs")) << "of no use";
  d.key(',', true);
  gpu.why_not = [] { return ""; };
  d.key(',', true);
  ASSERT_TRUE(d.until([&] { return d.find("settings/gpu/needs") != nullptr; }));
  EXPECT_THAT(d.item("settings/gpu/needs").text, HasSubstr("2.3 GiB to fetch, 3.1 GiB on disk"));
  EXPECT_THAT(d.item("settings/gpu/needs").text, HasSubstr("NVIDIA driver for CUDA 13.0"));
  EXPECT_FALSE(d.item("settings/gpu/add").enabled) << "nobody names an index";
  EXPECT_FALSE(d.find("settings/gpu/remove"));
  d.type("settings/gpu/index", "http://127.0.0.1:1/simple");
  d.click("settings/gpu/add");
  ASSERT_TRUE(d.until([&] { return d.find("settings/gpu/outcome") != nullptr; }));
  EXPECT_TRUE(gpu.failed());
  EXPECT_THAT(d.item("settings/gpu/outcome").text, HasSubstr("127.0.0.1:1/simple cannot be asked for torch"));

  // What an earlier try has left.
  const fs::path part = folder_ / "cache" / "gpu-libraries-0123.part";
  fs::create_directories(part);
  std::ofstream(part / "torch.whl") << "x";
  gpu.look();
  ASSERT_TRUE(d.until([&] { return d.find("settings/gpu/remove") != nullptr; }));
  d.click("settings/gpu/remove");
  ASSERT_TRUE(d.until([&] { return d.find("settings/gpu/outcome") && !gpu.failed(); }));
  EXPECT_THAT(d.item("settings/gpu/outcome").text, HasSubstr("They are removed"));
  EXPECT_FALSE(fs::exists(part));
}

TEST_F(SettingsPanelTest, WhatCanBeCuredHereLeadsHere) {
  // A folder of runs that is a file.
  std::ofstream(folder_ / "runs") << "x";
  Driver d(settings_in(folder_.path(), "digits", "task"));
  ASSERT_TRUE(d.until([&] { return d.find("sidebar/problem") != nullptr; }));
  EXPECT_THAT(d.item("sidebar/problem").text, HasSubstr("under Runs on the Settings page"));
  d.click("sidebar/problem/button");
  ASSERT_TRUE(d.until([&] { return d.find("settings/runs-problem") != nullptr; }));
  d.type("settings/runs", (folder_ / "mine").string());
  ASSERT_TRUE(d.until([&] { return d.find("sidebar/problem") == nullptr; }));
  EXPECT_FALSE(d.find("settings/runs-problem"));
  d.click("settings/done");
  ASSERT_TRUE(d.rest(60));
  d.click("data/settings");
  EXPECT_TRUE(d.find("settings/done"));
  EXPECT_TRUE(d.item("settings/data").reachable()) << "scrolled there";
}

TEST_F(SettingsPanelTest, IsDrawnInSmallAndLargeWindows) {
  struct Size {
    int width, height;
    float scale;
  };
  recorder().turn(true);
  for (const Size& size : {Size{800, 560, 1}, Size{1600, 1000, 2}})
    for (const char* theme : {"dark", "light"}) {
      model::Settings settings = settings_in(folder_.path());
      settings.theme = theme;
      OffscreenWindow window(built_in_tasks(), settings, size.width, size.height, size.scale);
      window.studio().page.open();
      ASSERT_TRUE(window.settle(60)) << window.studio().activity();
      const std::vector<std::uint8_t> rgb = window.pixels();
      for (const char* name : {"settings/done", "settings/runs", "settings/data"}) {
        const Item* item = recorder().find(name);
        ASSERT_TRUE(item && item->reachable()) << name << " at " << size.width;
        const auto color = [&](float x, float y) {
          const std::uint8_t* p = &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                                            static_cast<std::size_t>(x))];
          return p[0] << 16 | p[1] << 8 | p[2];
        };
        EXPECT_NE(color(item->middle().x, item->min.y), color(item->min.x - 3, item->max.y + 3))
            << name << ": its edge is not drawn";
      }
      for (const Item& item : recorder().items())
        EXPECT_FALSE(item.name.starts_with("settings/") && item.clipped) << item.name << " at " << size.width;
    }
  recorder().turn(false);
}

}  // namespace
}  // namespace pairs::gui
