#include "app/model/hub/n_player.h"

#include <gtest/gtest.h>

namespace pairs::model {
namespace {

TEST(NPlayer, KeepsWhatIsWantedUntilItCanBeHad) {
  NPlayer player(10);
  EXPECT_EQ(player.n(), 10) << "nothing is known yet";
  player.set_range(4);
  EXPECT_EQ(player.n(), 4);
  player.set_range(0);
  EXPECT_EQ(player.n(), 0);
  player.set_range(100);
  EXPECT_EQ(player.n(), 10);
  player.want(-3);
  EXPECT_EQ(player.n(), 1);
}

TEST(NPlayer, TakesTheNearestSizeThatHasAHead) {
  NPlayer player(9);
  player.set_range(50, {2, 5, 20, 100});
  EXPECT_EQ(player.n(), 5);
  player.want(11);
  EXPECT_EQ(player.n(), 20) << "by ratio";
  player.want(90);
  EXPECT_EQ(player.n(), 20) << "there are 50 observations";
  player.step(1);
  EXPECT_EQ(player.n(), 20);
  player.step(-2);
  EXPECT_EQ(player.n(), 2);
  player.step(-1);
  EXPECT_EQ(player.n(), 2);
  player.set_range(1, {2, 5});
  EXPECT_EQ(player.n(), 0);
}

TEST(NPlayer, StepsByWholeNumbersThenByTwoDigits) {
  NPlayer player(98);
  player.set_range(100000);
  for (const std::int64_t next : {99, 100, 110, 120}) {
    player.step(1);
    EXPECT_EQ(player.n(), next);
  }
  for (const std::int64_t last : {110, 100, 99}) {
    player.step(-1);
    EXPECT_EQ(player.n(), last);
  }
  player.set(12345);
  player.step(1);
  EXPECT_EQ(player.n(), 13000);
  player.set(12345);
  player.step(-1);
  EXPECT_EQ(player.n(), 12000);
  player.set(99990);
  player.step(3);
  EXPECT_EQ(player.n(), 100000);
  player.set(2);
  player.step(-7);
  EXPECT_EQ(player.n(), 1);
}

TEST(NPlayer, PlaysOnceOrInALoopAndWaits) {
  NPlayer player(1000);
  player.set_range(1000);
  player.toggle();
  ASSERT_TRUE(player.playing());
  player.advance(8.0 / 3, true);
  EXPECT_EQ(player.n(), 10) << "each factor takes the same time";
  player.advance(4, false);
  EXPECT_EQ(player.n(), 10) << "what is shown is not there yet";
  player.advance(9, true);
  EXPECT_EQ(player.n(), 1000);
  EXPECT_FALSE(player.playing());
  player.set_loop(true);
  player.toggle();
  player.advance(9, true);
  EXPECT_EQ(player.n(), 1);
  EXPECT_TRUE(player.playing());
  player.set(7);
  EXPECT_FALSE(player.playing()) << "a hand on the slider stops it";
  player.toggle();
  player.set_range(0);
  EXPECT_FALSE(player.playing());
  player.toggle();
  EXPECT_FALSE(player.playing()) << "there is nothing to play";
}

}  // namespace
}  // namespace pairs::model
