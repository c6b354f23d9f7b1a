// Every dialog in a small window with large texts: it lies within the window, nothing in it is cut at a side, and each
// of its buttons can be reached.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <functional>

#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tests/app/gui/driver.h"
#include "tests/app/gui/tiny_draft.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;

class DialogsTest : public ::testing::Test {
 protected:
  void put_run(const std::string& name) {
    RunConfig config;
    config.tasks = built_in_tasks();
    config.task = "bump-hunt";
    fs::create_directories(folder_ / "runs" / name);
    write_file(folder_ / "runs" / name / run_file::config, write_run_toml(config, "cpu"));
  }

  // Opens a dialog in a large window, and looks at it in small ones.
  void look(Driver& d, const std::string& what, const std::function<void()>& open) {
    d.screen.resize(1440, 900);
    d.screen.restyle(d.shell.wanted_theme(), 1);
    d.frames(4);
    open();
    ASSERT_TRUE(d.until([&] { return d.find("dialog") != nullptr; })) << what << " does not open";
    for (const auto& [width, height, size] : {std::tuple{1024.f, 700.f, 1.5f}, {1024.f, 700.f, 1.f}}) {
      d.screen.resize(width, height);
      d.screen.restyle(d.shell.wanted_theme(), size);
      d.frames(8);
      const std::string where = fmt::format("{} at {}x{}, scale {}", what, width, height, size);
      ASSERT_TRUE(d.find("dialog")) << where;
      const Item dialog = d.item("dialog");
      EXPECT_GE(dialog.min.x, 0) << where;
      EXPECT_GE(dialog.min.y, 0) << where;
      EXPECT_LE(dialog.max.x, width) << where;
      EXPECT_LE(dialog.max.y, height) << where;
      std::vector<std::string> buttons;
      for (const Item& item : recorder().items()) {
        if (item.layer == 0 || item.kind == ItemKind::plot) continue;
        EXPECT_LE(item.max.x, dialog.max.x + 1) << where << ": " << item.name << " " << item.text;
        EXPECT_GE(item.min.x, dialog.min.x - 1) << where << ": " << item.name << " " << item.text;
        const bool control = item.kind != ItemKind::text && !item.name.empty();
        if (control) EXPECT_FALSE(item.clipped) << where << ": " << item.name << " " << item.text;
        if (item.kind == ItemKind::button && !item.name.empty()) buttons.push_back(item.name);
      }
      // The last ones end the dialog.
      for (std::size_t k = buttons.size() > 2 ? buttons.size() - 2 : 0; k < buttons.size(); ++k) {
        d.show(buttons[k]);
        EXPECT_TRUE(d.item(buttons[k]).reachable()) << where << ": " << buttons[k];
      }
    }
    ++seen_;
    for (int k = 0; k < 4 && d.find("dialog"); ++k) d.key(key::escape);
    EXPECT_FALSE(d.find("dialog")) << what << " does not close";
  }

  TemporaryFolder folder_;
  int seen_ = 0;
};

TEST_F(DialogsTest, LieWithinSmallWindows) {
  put_run("a-first-run-of-many");
  write_file(folder_ / "runs/a-first-run-of-many" / run_file::cache, std::string(1 << 20, 'x'));
  write_file(folder_ / "runs/a-first-run-of-many" / run_file::estimator, "weights");
  const fs::path file = folder_ / "observed.csv", broken = folder_ / "broken.csv";
  std::ofstream(file) << "energy,x,time\n0.1,0.2,3\n0.3,0.1,4\n1.2,0.4,5\n";
  std::ofstream(broken) << "run,x\na,0.1\na,0.4\nb,oops\nc,1.5\n";
  model::Settings settings = settings_in(folder_.path());
  settings.dismissed = {"welcome"};
  settings.recent_files = {file.string()};
  Driver d(settings, 1440, 900);
  ASSERT_TRUE(d.rest());
  look(d, "keys", [&] { d.key(key::f1); });
  look(d, "about", [&] { d.click("header/about"); });
  look(d, "commands", [&] { d.key('K', true); });
  look(d, "open", [&] { d.key('O', true); });
  look(d, "save a plot", [&] { d.key('S', true); });
  look(d, "samples", [&] { d.click("posterior/save"); });
  look(d, "new task", [&] { d.click("sidebar/new-task"); });
  for (const char* what : {"rename", "note", "aggregates", "delete"})
    look(d, what, [&] {
      d.click("sidebar/run/a-first-run-of-many/menu");
      d.click(std::string("sidebar/menu/") + what);
    });
  d.studio.open_path(file);
  ASSERT_TRUE(d.rest());
  look(d, "columns", [&] { d.click("posterior/choose-columns"); });
  look(d, "report", [&] { d.click("posterior/report"); });
  look(d, "one set or many", [&] { d.studio.open_path(broken); });
  d.studio.set_tab(model::Tab::train);
  ASSERT_TRUE(d.rest());
  look(d, "study", [&] { d.click("train/study"); });
  d.studio.set_tab(model::Tab::compare);
  ASSERT_TRUE(d.rest());
  const std::string row = "compare/row/" + (folder_ / "runs/a-first-run-of-many").string();
  ASSERT_TRUE(d.until([&] { return d.find(row) != nullptr; }));
  d.click(row);
  look(d, "tags", [&] { d.click("compare/chosen/tag"); });
  look(d, "delete runs", [&] { d.click("compare/chosen/delete"); });
  d.studio.set_tab(model::Tab::train);
  make_draft_tiny(d.studio);
  d.studio.training.drafts.shown().set("pretrain.epochs", "2000");
  ASSERT_TRUE(d.until([&] { return d.find("train/start") && d.item("train/start").enabled; }));
  d.click("train/start");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::running; }));
  look(d, "close", [&] { d.shell.ask_to_close(); });
  EXPECT_EQ(seen_, 18);
}

}  // namespace
}  // namespace pairs::gui
