#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "app/posterior/answer/posterior_answer.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

PosteriorNumbers two_bells(double apart) {
  PosteriorNumbers numbers;
  numbers.ours = true;
  numbers.cells = {{-8, 8, 200}};
  numbers.marginals.emplace_back();
  for (const double x : numbers.cells[0].middles())
    numbers.marginals[0].push_back(std::exp(-0.5 * (x - apart / 2) * (x - apart / 2)) +
                                   std::exp(-0.5 * (x + apart / 2) * (x + apart / 2)));
  return numbers;
}

TEST(PeaksText, IsOfADensityOfTheRunWithSeveral) {
  const ToyTask task;
  PosteriorAnswer answer;
  EXPECT_EQ(peaks_text(task, answer), "") << "nothing was answered";
  answer.numbers = {two_bells(6)};
  EXPECT_THAT(peaks_text(task, answer), HasSubstr("The density of θ has several peaks apart (2): draw it"));
  answer.typicality.outside = true;
  EXPECT_EQ(peaks_text(task, answer), "") << "more than that is wrong with it";
  answer.typicality.outside = false;
  answer.numbers = {two_bells(1), two_bells(6)};
  EXPECT_EQ(peaks_text(task, answer), "") << "the second is none that is asked about";
  answer.numbers = {two_bells(6)};
  answer.numbers[0].ours = false;
  EXPECT_EQ(peaks_text(task, answer), "") << "a reference's";
}

}  // namespace
}  // namespace pairs
