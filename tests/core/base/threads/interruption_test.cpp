#include "core/base/threads/interruption.h"

#include <gtest/gtest.h>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(Interruption, PointsAskTheInnermostWhileItLives) {
  EXPECT_FALSE(interruptible());
  EXPECT_NO_THROW(interruption_point());
  bool stop = false;
  {
    const Interruptible outer([&] { return stop; });
    EXPECT_TRUE(interruptible());
    EXPECT_NO_THROW(interruption_point());
    stop = true;
    EXPECT_THROW(interruption_point(), Stopped);
    {
      const Interruptible never({});
      EXPECT_FALSE(interruptible());
      EXPECT_NO_THROW(interruption_point());
    }
    EXPECT_THROW(interruption_point(), Stopped);
  }
  EXPECT_NO_THROW(interruption_point());
}

}  // namespace
}  // namespace pairs
