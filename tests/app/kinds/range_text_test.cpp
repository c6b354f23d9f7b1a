#include "app/kinds/range_text.h"

#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(RangeText, TellsThePriorsRangesAsPeopleWriteThem) {
  EXPECT_EQ(degrees_text(render::scene_prior.camera_elevation), "22.5° to 67.5°");
  EXPECT_EQ(degrees_text(render::scene_prior.camera_elevation, ""), "22.5 to 67.5");
  EXPECT_EQ(degrees_text(render::scene_prior.light_elevation), "30° to 60°");
  EXPECT_EQ(range_text(render::scene_prior.background), "0.05 to 0.2");
}

}  // namespace
}  // namespace pairs
