#include "app/batch/parts/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "app/batch/parts/drive.h"
#include "app/text/table.h"

namespace pairs::batch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Progress halfway() {
  Progress progress;
  progress.stage = Stage::finetune;
  progress.done = 1200;
  progress.total = 2400;
  progress.unit = "steps";
  progress.rate = 40;
  progress.eta_seconds = 30;
  progress.loss = -1.5;
  progress.validation = NAN;
  return progress;
}

TEST(ProgressLine, TellsShareRateEtaAndLoss) {
  const std::string line = progress_line(halfway(), 120);
  EXPECT_EQ(line, "finetune [############------------]  50 %  1,200/2,400 steps  40 steps/s  ETA 0:30  loss −1.500");
}

TEST(ProgressLine, FitsTheWidth) {
  for (int width : {40, 60, 80, 100}) EXPECT_LE(display_width(progress_line(halfway(), width)), width);
}

TEST(ProgressLine, LeavesOutWhatIsNotKnown) {
  Progress progress = halfway();
  progress.rate = 0;
  progress.loss = NAN;
  const std::string line = progress_line(progress, 120);
  EXPECT_THAT(line, Not(HasSubstr("ETA")));
  EXPECT_THAT(line, Not(HasSubstr("loss")));
}

TEST(EventLine, ShowsWarningsAndFinishedStagesButNotLosses) {
  Event event;
  event.type = EventType::loss;
  EXPECT_THAT(event_line(event), IsEmpty());
  event.type = EventType::warning;
  event.values["text"] = "the disk is nearly full";
  EXPECT_EQ(event_line(event), "warning: the disk is nearly full");
  event = {};
  event.type = EventType::stage_done;
  event.seconds = 12.2;
  event.values = {{"loss", -0.1}, {"validation", -0.25}};
  EXPECT_EQ(event_line(event), "pretrain done in 12 s, loss −0.1000, validation −0.2500");
}

TEST(ProgressPrinter, PrintsALineAnIntervalWithoutATerminal) {
  std::vector<std::string> lines;
  ProgressPrinter printer([&](const std::string& text) { lines.push_back(text); }, false, 100, 10);
  for (double now = 0; now < 35; now += 0.5) printer.progress(halfway(), now);
  ASSERT_EQ(lines.size(), 3u);
  for (const std::string& line : lines) {
    EXPECT_EQ(line.back(), '\n');
    EXPECT_THAT(line, Not(HasSubstr("\033")));
  }
}

TEST(ProgressPrinter, RedrawsOneLineOnATerminal) {
  std::string out;
  ProgressPrinter printer([&](const std::string& text) { out += text; }, true, 90);
  printer.progress(halfway(), 0);
  printer.progress(halfway(), 0.01);
  EXPECT_EQ(out.find('\n'), std::string::npos);
  EXPECT_EQ(out.rfind("\r\033[K"), 0u) << "a second drawing within 0.1 s is left out";
  printer.line("a line");
  EXPECT_THAT(out, testing::EndsWith("\r\033[Ka line\n"));
}

// Progress of a stage is no longer printed once the stage has ended, even before the next stage reports any.
TEST(Drive, TellsNoProgressOfAStageThatHasEnded) {
  std::vector<std::string> lines;
  ProgressPrinter printer([&](const std::string& text) { lines.push_back(text); }, false, 100, 0.01);
  drive(
      [](Monitor& monitor) {
        monitor.progress(halfway());
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        Event event;
        event.type = EventType::stage_done;
        event.stage = Stage::finetune;
        monitor.event(event);
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
      },
      printer);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(lines.front(), HasSubstr("1,200/2,400"));
  EXPECT_THAT(lines.back(), HasSubstr("finetune done"));
}

}  // namespace
}  // namespace pairs::batch
