#include "app/model/hub/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "app/model/hub/program_time.h"

namespace pairs::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> message_texts(const std::vector<const Message*>& found) {
  std::vector<std::string> out;
  for (const Message* message : found) out.push_back(message->text);
  return out;
}

TEST(Messages, CountsEqualOnesInARow) {
  Messages messages;
  for (int k = 0; k < 12; ++k) messages.warning("train", "The loss is not finite");
  ASSERT_EQ(messages.all().size(), 1);
  EXPECT_EQ(messages.all().front().count, 12);
  messages.warning("posterior", "The loss is not finite");
  messages.info("posterior", "The loss is not finite");
  messages.warning("train", "The loss is not finite");
  EXPECT_EQ(messages.all().size(), 4) << "another place, another level, or not in a row";
}

TEST(Messages, SayWhereAFileWasSaved) {
  Messages messages;
  messages.saved("/figures/../tables/a.csv");
  EXPECT_EQ(messages.all().back().text, "Saved /tables/a.csv");
  EXPECT_EQ(messages.all().back().file, "/tables/a.csv");
  messages.saved("b.csv");
  EXPECT_EQ(messages.all().back().file, std::filesystem::current_path() / "b.csv");
  messages.info("train", "done");
  EXPECT_TRUE(messages.all().back().file.empty());
}

TEST(Messages, FiltersByTextInAnyCaseAndByLevel) {
  Messages messages;
  messages.info("train", "Stage 1 has begun");
  messages.warning("data", "MNIST was not found");
  messages.error("train", "The disk is full");
  EXPECT_THAT(message_texts(messages.matching("", Level::info)),
              ElementsAre("Stage 1 has begun", "MNIST was not found", "The disk is full"));
  EXPECT_THAT(message_texts(messages.matching("", Level::warning)),
              ElementsAre("MNIST was not found", "The disk is full"));
  EXPECT_THAT(message_texts(messages.matching("mnist", Level::info)), ElementsAre("MNIST was not found"));
  EXPECT_THAT(message_texts(messages.matching("TRAIN", Level::error)), ElementsAre("The disk is full"));
  EXPECT_THAT(message_texts(messages.matching("nothing like it", Level::info)), ElementsAre());
}

TEST(Messages, KeepsTheNewestTwoThousand) {
  Messages messages;
  for (int k = 0; k < 2500; ++k) messages.info("test", std::to_string(k));
  EXPECT_EQ(messages.all().size(), 2000);
  EXPECT_EQ(messages.all().front().text, "500");
  EXPECT_EQ(messages.all().back().text, "2499");
}

TEST(Messages, TellsWhatNobodyHasSeen) {
  Messages messages;
  messages.info("test", "fine");
  EXPECT_EQ(messages.unseen(), 0) << "only warnings and errors call";
  messages.warning("test", "odd");
  messages.error("test", "bad");
  EXPECT_EQ(messages.unseen(), 2);
  messages.mark_seen();
  EXPECT_EQ(messages.unseen(), 0);
  messages.error("test", "bad");
  EXPECT_EQ(messages.unseen(), 1) << "a repeated one calls again";
}

TEST(Messages, AreALineEachForTheClipboard) {
  Messages messages;
  messages.info("train", "one");
  messages.error("eval", "two");
  messages.error("eval", "two");
  const std::string text = messages.text("", Level::info);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(text, HasSubstr("info     train: one\n"));
  EXPECT_THAT(text, HasSubstr("error    eval: two (2 times)\n"));
  EXPECT_THAT(messages.text("", Level::error), testing::Not(HasSubstr("one")));
  messages.clear();
  EXPECT_EQ(messages.text("", Level::info), "");
}

TEST(Messages, TimesGoForward) {
  Messages messages;
  messages.info("test", "first");
  messages.info("test", "second");
  EXPECT_LE(messages.all()[0].time, messages.all()[1].time);
  EXPECT_GE(messages.all()[0].time, 0);
}

TEST(Messages, TimesAreThoseOfTheClock) {
  // However late the first message comes, its time is the wall's.
  const auto clock = [] {
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%T", std::localtime(&now));
    return std::string(text);
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Messages messages;
  const std::string before = clock();
  messages.info("test", "now");
  const std::string after = clock();
  EXPECT_THAT(wall_time(messages.all()[0].time), testing::AnyOf(before, after));
  EXPECT_GT(messages.all()[0].time, 0.01) << "it counts from the program's start";
}

}  // namespace
}  // namespace pairs::model
