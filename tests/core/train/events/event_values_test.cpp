#include "core/train/events/event_values.h"

#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(EventValues, AreReadWhereTheyAreOfTheirKind) {
  Event event;
  event.values = {{"train", 1.5}, {"n", 10}, {"text", "slow"}, {"from", 3}};
  EXPECT_EQ(event_number(event, "train"), 1.5);
  EXPECT_EQ(event_number(event, "n"), 10);
  EXPECT_TRUE(std::isnan(event_number(event, "validation")));
  EXPECT_EQ(event_number(event, "text", -1), -1);
  EXPECT_EQ(event_count(event, "n"), 10);
  EXPECT_EQ(event_count(event, "train"), 0);
  EXPECT_EQ(event_count(event, "steps"), 0);
  EXPECT_EQ(event_text(event), "slow");
  EXPECT_EQ(event_text(event, "from"), "");
}

TEST(EventValues, ListsHoldNumbersOrNone) {
  Event event;
  event.values = {{"unexplained", {0.5, nullptr, 2}}, {"n", 10}};
  const std::vector<double> reported = event_numbers(event, "unexplained");
  ASSERT_EQ(reported.size(), 3u);
  EXPECT_EQ(reported[0], 0.5);
  EXPECT_TRUE(std::isnan(reported[1]));
  EXPECT_EQ(reported[2], 2);
  EXPECT_TRUE(event_numbers(event, "n").empty());
  EXPECT_TRUE(event_numbers(event, "missing").empty());
}

TEST(EventValues, AStageBeginsOrGoesOn) {
  Event event;
  for (const auto& [type, begins] : {std::pair{EventType::stage_started, true},
                                     {EventType::resumed, true},
                                     {EventType::loss, false},
                                     {EventType::stage_done, false}}) {
    event.type = type;
    EXPECT_EQ(begins_stage(event), begins) << event_type_name(type);
  }
}

}  // namespace
}  // namespace pairs
