// The window draws when there is something to see, and rests otherwise.
#include "app/gui/frame_schedule.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/app/gui/driver.h"
#include "tests/app/model/environment.h"

namespace pairs::gui {
namespace {

// Draws everything that is due up to `end`; the times of the frames.
std::vector<double> frames_until(FrameSchedule& schedule, double& now, double end, bool training = false) {
  std::vector<double> times;
  for (; now < end; now += 0.001)
    if (schedule.due(now, training)) {
      times.push_back(now);
      schedule.drawn(now, INFINITY);
    }
  return times;
}

TEST(FrameSchedule, DrawsAfterInputAndRests) {
  FrameSchedule schedule;
  double now = 0;
  EXPECT_EQ(frames_until(schedule, now, 5).size(), static_cast<std::size_t>(FrameSchedule::settling_frames));
  EXPECT_EQ(schedule.wait(now, false), FrameSchedule::quiet_interval);
  schedule.touch(now);
  EXPECT_EQ(schedule.wait(now, false), 0);
  EXPECT_EQ(frames_until(schedule, now, 10).size(), static_cast<std::size_t>(FrameSchedule::settling_frames));
}

TEST(FrameSchedule, ANewsIsDrawnAtOnceAndWhileOneTrainsAtLeisure) {
  for (const bool training : {false, true}) {
    FrameSchedule schedule;
    double now = 0;
    frames_until(schedule, now, 5);
    schedule.look(true, false);
    const std::vector<double> times = frames_until(schedule, now, 10, training);
    ASSERT_EQ(times.size(), static_cast<std::size_t>(FrameSchedule::settling_frames));
    EXPECT_NEAR(times[0], 5, 0.002);
    EXPECT_NEAR(times[2] - times[0], 2 * (training ? FrameSchedule::quiet_interval : 1.0 / 60), 0.01);
  }
}

// A worker reports its result before it rests.
TEST(FrameSchedule, TheEndOfWorkIsNews) {
  FrameSchedule schedule;
  double now = 0;
  frames_until(schedule, now, 5);
  schedule.look(false, true);
  EXPECT_FALSE(frames_until(schedule, now, 6).empty());
  schedule.look(false, true);
  EXPECT_TRUE(frames_until(schedule, now, 7).empty());
  schedule.look(false, false);
  EXPECT_FALSE(frames_until(schedule, now, 8).empty());
}

TEST(FrameSchedule, WhatChangesByItselfIsDrawnInItsTime) {
  FrameSchedule schedule;
  double now = 0;
  frames_until(schedule, now, 5);
  schedule.drawn(now, 0.4);
  const std::vector<double> times = frames_until(schedule, now, 10);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], 5.4, 0.002);
}

class AloneTest : public ::testing::Test {
 protected:
  bool says(const std::string& part) {
    return std::any_of(recorder().items().begin(), recorder().items().end(),
                       [&](const Item& item) { return item.text.find(part) != std::string::npos; });
  }
  TemporaryFolder folder_;
};

TEST_F(AloneTest, AFolderIsListedAndAtRestNothingIsDrawn) {
  std::filesystem::create_directories(folder_ / "events");
  for (int k = 0; k < 400; ++k) std::ofstream(folder_ / "events" / (std::to_string(k) + ".csv")) << "1\n";
  model::Settings settings = settings_in(folder_.path());
  settings.remember_file(folder_ / "events/0.csv");
  Driver d(settings);
  ASSERT_TRUE(d.rest());
  d.click("sidebar/open");
  d.screen.input.move(-1000, -1000);
  d.leave_alone(60, [&] { return says("1.csv"); });
  EXPECT_TRUE(says("1.csv")) << "without the mouse";
  EXPECT_FALSE(says("Looking…"));
  d.key(key::escape);
  d.screen.input.move(-1000, -1000);
  d.frames(2);
  d.leave_alone(1);
  EXPECT_LE(d.leave_alone(1.2), FrameSchedule::settling_frames) << "at rest";
}

TEST_F(AloneTest, ATipComesToAMouseThatRests) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  const ImVec2 at = d.item("posterior/n").middle();
  d.screen.input.move(at.x, at.y);
  const auto tip = [&] { return d.find("tip") != nullptr; };
  d.frames(1);
  EXPECT_FALSE(tip());
  d.leave_alone(60, tip);
  ASSERT_TRUE(tip());
  EXPECT_NE(d.item("tip").text.find("observations"), std::string::npos);
}

// How far the simulation of sets is, and how long it goes on, is shown without the mouse.
TEST_F(AloneTest, AFurtherQuestionShowsHowFarItIs) {
  const model::Environment cache("PAIRS_CACHE", (folder_ / "cache").string());  // where no such sets were kept
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  d.studio.settings.dismiss("welcome");
  d.studio.posterior.set_n(1);
  ASSERT_TRUE(d.rest());
  d.click("posterior/confidence");
  d.screen.input.move(-1000, -1000);
  d.frames(2);
  ASSERT_TRUE(says("Confidence intervals: 0 %"));
  d.leave_alone(1);  // what the click has brought about is drawn
  const int before = ImGui::GetFrameCount();
  d.leave_alone(60, [&] { return ImGui::GetFrameCount() >= before + 3; });
  EXPECT_GE(ImGui::GetFrameCount(), before + 3);
  d.click("posterior/confidence/stop");
}

TEST_F(AloneTest, AToastGoesByItself) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  d.click("posterior/command");
  EXPECT_TRUE(d.find("toast"));
  d.screen.input.move(-1000, -1000);
  d.leave_alone(60, [&] { return !d.find("toast"); });
  EXPECT_FALSE(d.find("toast"));
}

}  // namespace
}  // namespace pairs::gui
