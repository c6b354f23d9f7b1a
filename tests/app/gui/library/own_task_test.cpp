// A task of one's own as a person makes, agrees to and uses one in the window.
#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/files/files.h"
#include "tests/app/gui/driver.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OwnTaskTest : public testing::Test {
 protected:
  OwnTaskTest() { settings_ = settings_in(folder_.path(), "bump-hunt", "task"); }

  Driver& window() {
    if (!driver_) {
      driver_ = std::make_unique<Driver>(settings_, 1440, 900);
      driver_->until([&] { return driver_->studio.library.listed(); });
      driver_->frames(2);
    }
    return *driver_;
  }
  bool says(const std::string& part) {
    return std::any_of(recorder().items().begin(), recorder().items().end(),
                       [&](const Item& item) { return item.text.find(part) != std::string::npos; });
  }
  void describe(const std::string& name) {
    Driver& d = window();
    d.click("sidebar/new-task");
    d.type("new-task/name", name);
    d.type("new-task/interpreter", "/usr/bin/python3");
    d.type("new-task/folder", (folder_ / name).string());
  }

  TemporaryFolder folder_;
  model::Settings settings_;
  std::unique_ptr<Driver> driver_;
};

TEST_F(OwnTaskTest, IsDescribedWrittenAgreedToAndShown) {
  Driver& d = window();
  describe("my-lines");
  d.type("new-task/title", "Lines of mine");
  d.type("new-task/targets/1/name", "slope");
  d.click("new-task/targets/add");
  EXPECT_THAT(d.item("new-task/preview").text, HasSubstr("name = \"theta2\""));
  d.click("new-task/targets/2/remove");
  EXPECT_THAT(d.item("new-task/preview").text, testing::Not(HasSubstr("theta2")));
  d.click("new-task/given/add");
  d.type("new-task/given/1/name", "exposure");
  EXPECT_THAT(d.item("new-task/preview").text, HasSubstr("[[conditions]]\nname = \"exposure\"\nuniform = [0, 1]"));
  d.click("new-task/preview/simulator");
  EXPECT_THAT(d.item("new-task/preview").text, HasSubstr("def simulate(theta, psi, n, rng, given):"));
  d.click("new-task/preview/task");
  d.click("new-task/given/1/remove");
  d.type("new-task/targets/1/low", "3");
  EXPECT_THAT(d.item("new-task/problem").text, HasSubstr("support of slope"));
  d.click("new-task/write");
  EXPECT_FALSE(fs::exists(folder_ / "my-lines")) << "what is wrong is not written";
  d.type("new-task/targets/1/low", "-1");
  d.click("new-task/preview/simulator");
  EXPECT_THAT(d.item("new-task/preview").text, HasSubstr("rng.uniform(-1, 1, size),  # slope"));
  d.click("new-task/write");
  ASSERT_TRUE(fs::exists(folder_ / "my-lines/task.toml"));
  d.frames(20);
  EXPECT_EQ(d.find("permission/agree"), nullptr) << "nobody is asked about a placeholder";
  EXPECT_EQ(d.item("new-task/program").text, (folder_ / "my-lines/simulate.py").string());
  d.click("new-task/copy-path");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), (folder_ / "my-lines/simulate.py").string());
  d.click("new-task/open");
  ASSERT_TRUE(d.until([&] { return d.find("permission/agree") != nullptr; }));
  EXPECT_EQ(d.item("permission/command").text, "/usr/bin/python3 simulate.py");
  EXPECT_EQ(d.item("permission/folder").text, (folder_ / "my-lines").string());
  d.click("permission/decline");
  d.frames(3);
  EXPECT_EQ(d.find("permission/agree"), nullptr);
  EXPECT_TRUE(says("asks to run a program"));
  EXPECT_EQ(d.studio.task(), "bump-hunt");
  d.click("sidebar/task/my-lines");
  ASSERT_TRUE(d.until([&] { return d.find("permission/agree") != nullptr; }));
  d.click("permission/agree");
  ASSERT_TRUE(d.until([&] { return d.studio.task() == "my-lines"; }));
  ASSERT_TRUE(d.rest(60));
  EXPECT_THAT(d.item("header/shown").text, HasSubstr("Lines of mine"));
  EXPECT_TRUE(says("Lines of mine"));
  EXPECT_EQ(d.studio.specimen.failure(), "");
  for (const char* tab : {"train", "posterior", "evaluate", "compare", "task"}) {
    d.click(std::string("tab/") + tab);
    ASSERT_TRUE(d.rest(60));
  }
  // Off the list: another task is shown, the folder stays.
  d.click("sidebar/task/my-lines/menu");
  d.click("sidebar/own-menu/forget");
  d.frames(5);
  EXPECT_EQ(d.find("sidebar/task/my-lines"), nullptr);
  EXPECT_EQ(d.studio.task(), "bump-hunt");
  EXPECT_TRUE(fs::exists(folder_ / "my-lines/task.toml"));
}

// Escape is no agreement.
TEST_F(OwnTaskTest, EscapeDeclines) {
  Driver& d = window();
  describe("my-escape");
  d.click("new-task/write");
  d.click("new-task/later");
  ASSERT_TRUE(d.until([&] { return says("asks to run a program"); }));
  EXPECT_EQ(d.find("permission/agree"), nullptr);
  d.click("sidebar/task/my-escape");
  ASSERT_TRUE(d.until([&] { return d.find("permission/agree") != nullptr; }));
  d.key(key::escape);
  d.frames(5);
  EXPECT_EQ(d.find("permission/agree"), nullptr);
  EXPECT_EQ(d.studio.library.own().all()[0].state, model::OwnState::asks);
  d.key(key::escape);
  d.click("sidebar/new-task");
  d.key(key::escape);
  d.frames(3);
  EXPECT_EQ(d.find("new-task/write"), nullptr);
}

TEST_F(OwnTaskTest, AFileThatIsWrongStaysInTheListAndSaysWhy) {
  fs::create_directories(folder_ / "bad");
  write_file(folder_ / "bad/task.toml", "name = 'bad'\nmax_n = 100\n");
  Driver& d = window();
  d.studio.open_path(folder_ / "bad");
  ASSERT_TRUE(d.until([&] { return says("cannot be used"); }));
  EXPECT_TRUE(d.studio.settings.log_open) << "which says why";
  EXPECT_THAT(d.studio.library.own().all()[0].problem, HasSubstr("[x] is missing"));
  d.move(d.item("sidebar/task/bad").middle());
  ASSERT_TRUE(d.until([&] { return says("the table [x] is missing"); })) << "its tip says why";
  d.click("sidebar/task/bad/menu");
  d.click("sidebar/own-menu/copy");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), (folder_ / "bad/task.toml").string());
}

// An error of the simulator appears in place of the set, with a way to go on.
TEST_F(OwnTaskTest, ASetThatCannotBeSimulatedSaysWhy) {
  Driver& d = window();
  describe("my-fault");
  d.click("new-task/write");
  d.click("new-task/open");
  ASSERT_TRUE(d.until([&] { return d.find("permission/agree") != nullptr; }));
  const fs::path program = folder_ / "my-fault/simulate.py";
  const std::string right = read_file(program);
  std::string wrong = right;
  // A worker is tried with two observations when it starts.
  const std::string head = "def simulate(theta, psi, n, rng):\n";
  wrong.insert(wrong.find(head) + head.size(), "    if n > 2:\n        raise ValueError('no beam')\n");
  write_file(program, wrong);
  d.click("permission/agree");
  ASSERT_TRUE(d.until([&] { return d.find("task/sample-failure") != nullptr; }, 60));
  EXPECT_THAT(d.item("task/sample-failure").text, HasSubstr("set 0: ValueError: no beam\n  "))
      << "lines as the program's";
  write_file(program, right);
  d.click("task/again");
  ASSERT_TRUE(d.until([&] { return d.studio.specimen.figure() != nullptr; }, 60)) << d.studio.specimen.sample_failure();
  d.frames(2);
  EXPECT_EQ(d.find("task/sample-failure"), nullptr);
}

// With many of them the list scrolls, and the runs keep their room.
TEST_F(OwnTaskTest, ManyOfThemScroll) {
  for (int k = 0; k < 12; ++k) {
    const fs::path place = folder_ / fmt::format("many{}", k);
    fs::create_directories(place);
    write_file(place / "task.toml", fmt::format("name = 'many{}'\n", k));
    settings_.own_tasks.push_back((place / "task.toml").string());
  }
  Driver& d = window();
  ASSERT_TRUE(d.rest());
  EXPECT_FALSE(d.item("sidebar/task/many11").reachable());
  EXPECT_TRUE(d.item("sidebar/open").reachable());
  d.show("sidebar/task/many11");
  EXPECT_TRUE(d.item("sidebar/task/many11").reachable());
}

}  // namespace
}  // namespace pairs::gui
