// Dialogs about files where the desktop has some of its own.
#include <gmock/gmock.h>

#include <fstream>
#include <memory>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/save_dialog.h"
#include "tests/app/gui/widgets/file_screen.h"
#include "tests/app/model/files/mock_portal.h"

namespace pairs::gui {
namespace {

class DesktopDialogTest : public FileScreen {
 protected:
  DesktopDialogTest() : bus_(folder_.path()), desktop_(std::make_unique<model::MockPortal>()), portal_([] {}) {
    portal_.look();
    const Stopwatch watch;
    while (portal_.looking() && watch.seconds() < 120) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    file_desk().portal = &portal_;
    std::ofstream(folder_ / "a.csv") << "x\n1\n";
  }
  void draw() override {
    if (const auto path = open_.draw("open", open_texts_)) opened_ = *path;
    if (const auto path = save_.draw({"save", "save/path", "save/write", "save/cancel"}, save_texts_)) {
      written_ = *path;
      save_.close();
    }
  }
  model::MockPortal::Call call(std::size_t index) {
    EXPECT_TRUE(until([&] { return desktop_->calls() > index; }));
    return desktop_->call(index);
  }
  std::string address(const std::string& name) const { return "file://" + (folder_ / name).string(); }

  model::PrivateBus bus_;
  std::unique_ptr<model::MockPortal> desktop_;
  model::Portal portal_;
  PathDialog open_;
  SaveDialog save_;
  PathDialog::Texts open_texts_{"Open", "Something.", "Path", {{"Tables", {".csv"}}}};
  SaveDialog::Texts save_texts_{"Save the plot", "Something.", "Path", {}, ".svg"};
  std::filesystem::path opened_, written_;
};

TEST_F(DesktopDialogTest, WhatItAnswersIsAsIfTyped) {
  ASSERT_TRUE(portal_.there());
  open_.ask();
  frames();
  EXPECT_FALSE(find("open/up")) << "no list of ours";
  click("open/browse");
  EXPECT_EQ(call(0).method, "OpenFile");
  EXPECT_FALSE(find("open/browse")->enabled);
  desktop_->respond(1, {});
  ASSERT_TRUE(until([&] { return find("open/browse")->enabled; })) << "canceled: words may be typed";
  click("open/browse-folder");
  EXPECT_EQ(call(1).options.at("directory"), "true");
  desktop_->respond(0, {address("a.csv")});
  ASSERT_TRUE(until([&] { return !opened_.empty(); }));
  EXPECT_EQ(opened_, folder_ / "a.csv");
  open_.fail("It is wrong");
  frames();
  EXPECT_TRUE(says("It is wrong")) << "it stays open";
  type((folder_ / "b.csv").string());
  press(key::enter);
  EXPECT_EQ(opened_, folder_ / "b.csv");
}

TEST_F(DesktopDialogTest, SavingAsksItAtOnce) {
  settings_.save_folder = folder_.path().string();
  save_.ask("plot.svg");
  frames();
  const model::MockPortal::Call asked = call(0);
  EXPECT_EQ(asked.method, "SaveFile");
  EXPECT_EQ(asked.title, "Save the plot");
  EXPECT_EQ(asked.options.at("current_name"), "plot.svg");
  EXPECT_EQ(asked.options.at("current_folder"), (folder_ / "").string());
  // It has asked about replacing.
  std::ofstream(folder_ / "old.svg") << "old";
  desktop_->respond(0, {address("old.svg")});
  ASSERT_TRUE(until([&] { return !written_.empty(); }));
  EXPECT_EQ(written_, folder_ / "old.svg");
  frames();
  EXPECT_FALSE(find("save/path"));
  save_.ask("plot.svg");
  call(1);
  desktop_->respond(1, {});
  EXPECT_TRUE(until([&] { return !find("save/path"); })) << "canceled there, canceled here";
  // Impossible answers of the dialog are reported here.
  written_.clear();
  save_.ask("plot.svg");
  call(2);
  desktop_->respond(0, {address("plot.gif")});
  ASSERT_TRUE(until([&] { return says("must end in .svg"); }));
  EXPECT_TRUE(written_.empty());
}

TEST_F(DesktopDialogTest, IsClosedWithOurs) {
  save_.ask("plot.svg");
  frames();
  call(0);
  press(key::escape);
  press(key::escape);
  frames();
  EXPECT_FALSE(find("save/path"));
  EXPECT_TRUE(until([&] { return desktop_->closed() == 1; }));
}

TEST_F(DesktopDialogTest, OursComesWhereItFails) {
  open_.ask();
  frames();
  click("open/browse");
  call(0);
  desktop_.reset();
  ASSERT_TRUE(until([&] { return find("open/up") != nullptr; }));
  EXPECT_TRUE(says("The desktop's file dialog failed"));
  EXPECT_TRUE(find("open/filter"));
}

TEST_F(DesktopDialogTest, OursComesWhereItIsNotWanted) {
  file_desk().portal = nullptr;
  save_.ask("plot.svg");
  frames();
  EXPECT_TRUE(find("save/up"));
  EXPECT_EQ(desktop_->calls(), 0u);
}

}  // namespace
}  // namespace pairs::gui
