#include "core/base/threads/latest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace pairs {
namespace {

constexpr double kPatience = 30;

std::shared_ptr<const int> number(int value) {
  return std::make_shared<const int>(value);
}

TEST(Latest, AnAnswerIsTakenOnceAndStays) {
  std::atomic<int> woken{0};
  Latest<int> latest([&] { ++woken; });
  EXPECT_EQ(latest.take(), nullptr);
  EXPECT_EQ(latest.last(), nullptr);
  latest.ask([](const auto&) { return number(3); });
  ASSERT_TRUE(latest.wait(kPatience));
  EXPECT_EQ(woken, 1);
  EXPECT_TRUE(latest.fresh() && latest.waits());
  const auto answer = latest.take();
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(*answer->value, 3);
  EXPECT_EQ(answer->failure, "");
  EXPECT_EQ(latest.take(), nullptr);
  EXPECT_FALSE(latest.waits());
  EXPECT_EQ(*latest.last(), 3);
  // Nothing new leaves what there is.
  latest.ask([](const auto&) { return nullptr; });
  ASSERT_TRUE(latest.wait(kPatience));
  EXPECT_EQ(latest.take(), nullptr);
  EXPECT_EQ(*latest.last(), 3);
}

TEST(Latest, AFailureIsASentenceAndLeavesTheLastValue) {
  Latest<int> latest([] {});
  latest.ask([](const auto&) { return number(3); });
  ASSERT_TRUE(latest.wait(kPatience));
  latest.take();
  latest.ask([](const auto&) -> std::shared_ptr<const int> { fail_usage("{} is not there; name another", "x"); });
  ASSERT_TRUE(latest.wait(kPatience));
  const auto answer = latest.take();
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->value, nullptr);
  EXPECT_EQ(answer->failure, "x is not there; name another");
  EXPECT_EQ(*latest.last(), 3);
}

// Two requests follow one another; the first is ready only once the second waits.
TEST(Latest, WhatIsReadyTooLateIsDroppedOrKept) {
  for (const Late late : {Late::drop, Late::keep}) {
    std::promise<void> begun, asked;
    Latest<int> latest([] {}, late);
    latest.ask([&](const auto&) {
      begun.set_value();
      asked.get_future().wait();
      return number(1);
    });
    begun.get_future().wait();
    std::promise<void> second;
    latest.ask([&](const auto&) {
      second.get_future().wait();
      return number(2);
    });
    asked.set_value();
    if (late == Late::keep) {
      while (!latest.fresh()) std::this_thread::yield();
      EXPECT_EQ(*latest.take()->value, 1);
    }
    second.set_value();
    ASSERT_TRUE(latest.wait(kPatience));
    EXPECT_EQ(*latest.take()->value, 2);
    EXPECT_EQ(latest.take(), nullptr);
  }
}

TEST(Latest, WhatIsForgottenNeverComes) {
  std::promise<void> begun, forgotten;
  Latest<int> latest([] {}, Late::keep);
  latest.ask([&](const auto&) {
    begun.set_value();
    forgotten.get_future().wait();
    return number(1);
  });
  begun.get_future().wait();
  latest.forget();
  forgotten.set_value();
  ASSERT_TRUE(latest.wait(kPatience));
  EXPECT_EQ(latest.take(), nullptr);
  EXPECT_EQ(latest.last(), nullptr);
  latest.ask([](const auto&) { return number(2); });
  ASSERT_TRUE(latest.wait(kPatience));
  EXPECT_EQ(*latest.take()->value, 2);
}

}  // namespace
}  // namespace pairs
