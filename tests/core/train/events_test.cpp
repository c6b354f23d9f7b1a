#include "core/train/events.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/files.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

Event event_of(EventType type, std::int64_t epoch) {
  Event event;
  event.type = type;
  event.epoch = epoch;
  return event;
}
std::string line_of(EventType type, std::int64_t epoch) {
  return log_line(event_of(type, epoch)) + "\n";
}

TEST(Events, WhatNestsTooDeepIsNoEvent) {
  const TemporaryFolder folder;
  const auto nested = [](std::size_t levels) {
    return R"({"type":"warning","text":)" + std::string(levels, '[') + std::string(levels, ']') + "}\n";
  };
  write_file(folder / "log", line_of(EventType::done, 1) + nested(1000000) + nested(30000) + nested(100) + nested(10) +
                                 line_of(EventType::done, 2));
  const std::vector<Event> events = read_events((folder / "log").string());
  const std::vector<Event> copies = events;  // a stack frame a level
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[1].type, EventType::warning);
  EXPECT_EQ(copies[2].epoch, 2);
}

TEST(Events, OnlyTheEndOfAHugeLogIsRead) {
  const TemporaryFolder folder;
  write_file(folder / "log", line_of(EventType::done, 1));
  std::filesystem::resize_file(folder / "log", std::uint64_t{64} << 30);  // a hole
  std::ofstream(folder / "log", std::ios::app) << "\n" << line_of(EventType::loss, 7) << line_of(EventType::done, 8);
  const std::vector<Event> events = read_events((folder / "log").string());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].epoch, 7);
}

TEST(Events, ALineBeyondItsLimitIsPassedOver) {
  const TemporaryFolder folder;
  const auto padded = [](std::size_t length) {
    return R"({"type":"warning","text":")" + std::string(length, 'x') + "\"}\n";
  };
  write_file(folder / "log", padded(1 << 20) + line_of(EventType::done, 1) + padded(60000) + padded(70000) +
                                 line_of(EventType::done, 2));
  const std::vector<Event> events = read_events((folder / "log").string());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].type, EventType::warning);
  EXPECT_EQ(events[2].epoch, 2);
}

TEST(Events, ManyRestartsTakeNoLongerThanTheyAre) {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 60000; ++k) text += line_of(EventType::loss, 0) + line_of(EventType::resumed, 1);
  write_file(folder / "log", text);
  EXPECT_EQ(read_events((folder / "log").string()).size(), 120000u);
}

TEST(Events, AGrowingLogIsTakenLineByWholeLine) {
  const TemporaryFolder folder;
  std::int64_t offset = 0;
  std::vector<std::int64_t> epochs;
  const auto look = [&] {
    return follow_events(folder / "log", offset, [&](const Event& event) { epochs.push_back(event.epoch); });
  };
  EXPECT_FALSE(look());
  const std::string third = line_of(EventType::loss, 3);
  write_file(folder / "log", line_of(EventType::loss, 1) + line_of(EventType::loss, 2) + third.substr(0, 9));
  EXPECT_TRUE(look());
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{1, 2}));
  std::ofstream(folder / "log", std::ios::app) << third.substr(9) << line_of(EventType::loss, 4);
  EXPECT_TRUE(look());
  EXPECT_TRUE(look());
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace pairs
