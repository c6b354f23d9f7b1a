#include "core/train/events/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/base/files/files.h"
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
  ASSERT_EQ(copies.size(), 5u);
  EXPECT_EQ(copies[1].type, EventType::damaged);
  EXPECT_EQ(copies[3].type, EventType::warning);
  EXPECT_EQ(copies[4].epoch, 2);
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

// A run's record as training leaves it.
std::vector<Event> record() {
  std::vector<Event> events;
  for (const Stage stage : {Stage::pretrain, Stage::cache, Stage::finetune})
    for (const EventType type : {EventType::stage_started, EventType::loss, EventType::loss, EventType::stage_done}) {
      Event& event = events.emplace_back(event_of(type, static_cast<std::int64_t>(events.size())));
      event.stage = stage;
      event.seconds = 1.25;
      event.values = {{"sets", 38400}, {"train", -0.25}};
    }
  return events;
}

std::string reported(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) text += log_line(event) + "\n";
  return text;
}

bool holds_damage(const std::vector<Event>& events) {
  return std::ranges::any_of(events, [](const Event& event) { return event.type == EventType::damaged; });
}

TEST(Record, IsReadAsItWasAppended) {
  const TemporaryFolder folder;
  for (const Event& event : record()) append_event(folder / "log", event);
  EXPECT_EQ(read_file(folder / "log"), log_text(record()));
  EXPECT_EQ(reported(read_events((folder / "log").string())), reported(record()));
  // A follower reads on behind what it has read.
  std::int64_t offset = 0;
  std::vector<Event> followed;
  const auto take = [&](const Event& event) { followed.push_back(event); };
  const std::string text = log_text(record());
  for (std::size_t bytes = 0; bytes <= text.size(); bytes += 97) {
    write_file(folder / "growing", text.substr(0, bytes));
    follow_events(folder / "growing", offset, take);
  }
  write_file(folder / "growing", text);
  follow_events(folder / "growing", offset, take);
  EXPECT_EQ(reported(followed), reported(record()));
}

TEST(Record, NoByteChangesUnnoticed) {
  const TemporaryFolder folder;
  const std::string text = log_text(record());
  const std::string whole = reported(record());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ (at % 2 == 0 ? 1 : 4));
    write_file(folder / "log", changed);
    const std::vector<Event> events = read_events((folder / "log").string());
    // Damage to the last byte, a line break, may pass unnoticed: the line then counts as incomplete.
    EXPECT_TRUE(holds_damage(events) || reported(events) == whole || at + 1 == text.size()) << "byte " << at;
  }
}

TEST(Record, NoLineIsLostUnnoticedBeforeTheLast) {
  const TemporaryFolder folder;
  std::vector<std::string> lines;
  std::istringstream stream(log_text(record()));
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  for (std::size_t lost = 0; lost + 1 < lines.size(); ++lost) {
    std::string text;
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (k != lost) text += lines[k];
    write_file(folder / "log", text);
    EXPECT_TRUE(holds_damage(read_events((folder / "log").string()))) << lost;
  }
}

TEST(Record, GoesOnBehindLinesOfEarlierVersions) {
  const TemporaryFolder folder;
  write_file(folder / "log", reported(record()));
  append_event(folder / "log", event_of(EventType::resumed, 1000));
  append_event(folder / "log", event_of(EventType::done, 1001));
  const std::vector<Event> events = read_events((folder / "log").string());
  EXPECT_FALSE(holds_damage(events));
  EXPECT_EQ(events.back().type, EventType::done);
  // But nothing without a checksum stands behind a line that has one.
  write_file(folder / "log", read_file(folder / "log") + log_line(event_of(EventType::loss, 3)) + "\n");
  EXPECT_TRUE(holds_damage(read_events((folder / "log").string())));
}

TEST(Record, ImpossibleNumbersAreNone) {
  const TemporaryFolder folder;
  for (const char* values : {R"("epoch":-1)", R"("step":-3)", R"("seconds":-0.5)", R"("sets":-38400)",
                             R"("train":-1e300)", R"("refreshes":-1)", R"("gflop":1e30)"}) {
    write_file(folder / "log", fmt::format("{{\"type\":\"loss\",\"stage\":\"pretrain\",{}}}\n", values));
    EXPECT_TRUE(holds_damage(read_events((folder / "log").string()))) << values;
  }
}

}  // namespace
}  // namespace pairs
