// Notes next to the tabs, and sessions that the user saves and opens.
#include <gmock/gmock.h>

#include "app/runs/run_about.h"
#include "app/session/session.h"
#include "core/base/files/files.h"
#include "tests/app/gui/driver.h"

namespace pairs::gui {
namespace {

using testing::HasSubstr;

class NotesPanelTest : public ::testing::Test {
 protected:
  NotesPanelTest() : driver(settings_in(folder_.path())) {
    EXPECT_TRUE(driver.rest(60));
    driver.click("header/notes");
  }
  void write(const std::string& name, const std::string& text) {
    driver.click(name);
    for (const char c : text) {
      if (c == '\n') {
        driver.key(key::enter);
        continue;
      }
      driver.screen.input.character(static_cast<unsigned char>(c));
      driver.frames();
    }
    driver.frames(3);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
  Driver driver;
};

TEST_F(NotesPanelTest, WhatIsTypedIsKeptLetterByLetter) {
  write("notes/session", "two\nlines");
  EXPECT_EQ(driver.studio.session.note(), "two\nlines");
  driver.key(key::escape);
  EXPECT_EQ(driver.studio.session.note(), "two\nlines") << "Escape takes nothing back";
  driver.click("header/notes");
  EXPECT_FALSE(driver.find("notes/session"));
  driver.click("header/notes");
  EXPECT_EQ(driver.item("notes/session").text, "two\nlines");
}

TEST_F(NotesPanelTest, KeysThatAreTypedDoNothingElse) {
  const std::int64_t n = driver.studio.posterior.n();
  driver.click("notes/session");
  driver.key(key::space);
  driver.key(key::left);
  driver.frames(10);
  EXPECT_FALSE(driver.studio.posterior.playing());
  EXPECT_EQ(driver.studio.posterior.n(), n);
}

TEST_F(NotesPanelTest, DataHaveNotesOfTheirOwn) {
  EXPECT_FALSE(driver.find("notes/data")) << "of a simulated set there is none";
  write_file(path("events.csv"), "x\n0.1\n0.7\n");
  driver.studio.open_path(path("events.csv"));
  ASSERT_TRUE(driver.rest(60));
  write("notes/data", "of mine");
  EXPECT_EQ(driver.studio.session.data_note(), "of mine");
  driver.studio.posterior.set.simulate();
  ASSERT_TRUE(driver.rest(60));
  EXPECT_FALSE(driver.find("notes/data"));
  EXPECT_EQ(driver.studio.session.data_note(), "");
}

TEST_F(NotesPanelTest, ShippedWeightsTakeNoNote) {
  ASSERT_TRUE(driver.find("notes/run"));
  EXPECT_FALSE(driver.item("notes/run").enabled);
}

TEST_F(NotesPanelTest, ASessionIsSavedAndOpenedByHand) {
  write("notes/session", "first");
  driver.click("notes/save");
  driver.type("notes/save/path", path("work.pairs"));
  driver.frames(5);
  if (driver.find("notes/save/confirm")) driver.click("notes/save/confirm");
  ASSERT_TRUE(driver.rest(60));
  EXPECT_EQ(read_session(path("work.pairs")).note, "first");
  EXPECT_THAT(driver.item("notes/file").text, HasSubstr("work.pairs"));
  write("notes/session", " more");
  EXPECT_THAT(driver.item("notes/file").text, HasSubstr("notes changed since"));
  driver.studio.open_path(path("work.pairs"));
  driver.frames(5);
  ASSERT_TRUE(driver.find("notes/question/confirm")) << "notes would be lost";
  driver.click("notes/question/cancel");
  EXPECT_THAT(driver.studio.session.note(), HasSubstr("more"));
  driver.studio.open_path(path("work.pairs"));
  driver.frames(5);
  driver.click("notes/question/confirm");
  ASSERT_TRUE(driver.rest(60));
  EXPECT_EQ(driver.studio.session.note(), "first");
}

}  // namespace
}  // namespace pairs::gui
