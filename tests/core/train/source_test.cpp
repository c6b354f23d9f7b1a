#include "core/train/source.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/rot90.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/base/error.h"
#include "core/train/curriculum.h"
#include "tasks/registry.h"
#include "tests/core/base/message.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

TEST(StratifiedSizes, EachSizeEquallyOftenAndTheRemainderRotates) {
  const std::vector<std::int64_t> sizes = {1, 2, 3};
  std::map<std::int64_t, int> total;
  for (std::uint64_t batch = 0; batch < 30; ++batch) {
    std::map<std::int64_t, int> count;
    for (std::int64_t n : stratified_sizes(sizes, 20, 5, batch)) ++count[n], ++total[n];
    for (std::int64_t n : sizes) {
      EXPECT_GE(count[n], 6);
      EXPECT_LE(count[n], 7);
    }
  }
  for (std::int64_t n : sizes) EXPECT_EQ(total[n], 200);
  EXPECT_EQ(stratified_sizes(sizes, 20, 5, 3), stratified_sizes(sizes, 20, 5, 3));
  EXPECT_NE(stratified_sizes(sizes, 20, 5, 3), stratified_sizes(sizes, 20, 5, 4));
}

TEST(SetSource, SetsThatComeAgainAreVisitedOnceAPassAndNeverMeetValidation) {
  const SetSource source(std::make_shared<ToyTask>(), 3, {1, 2}, 100, 0);
  EXPECT_EQ(source.training_sets(), 80);
  EXPECT_EQ(source.validation_sets(), 20);
  std::set<double> validation;
  const SetBatch held_out = source.validation(0, 20, torch::kCPU);
  for (std::int64_t i = 0; i < 20; ++i) validation.insert(held_out.theta[i][0].item<double>());
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    std::set<double> seen;
    for (std::int64_t at = 0; at < 80; at += 16) {
      const SetBatch batch = source.training(epoch, at, 16, 80, torch::kCPU);
      for (std::int64_t i = 0; i < 16; ++i) seen.insert(batch.theta[i][0].item<double>());
      EXPECT_EQ(batch.offsets[16].item<std::int64_t>(), batch.x.block().size(0));
      EXPECT_EQ(batch.n.sum().item<std::int64_t>(), batch.x.block().size(0));
    }
    EXPECT_EQ(seen.size(), 80u);
    for (double theta : validation) EXPECT_FALSE(seen.contains(theta));
  }
}

// However many steps stand between two validations: five passes in epochs of 25 of 80 sets.
TEST(SetSource, PassesDoNotDependOnEpochs) {
  const SetSource source(std::make_shared<ToyTask>(), 3, {1, 2}, 100, 0);
  std::vector<double> visited;
  for (std::int64_t epoch = 0; epoch < 16; ++epoch) {
    const SetBatch batch = source.training(epoch, 0, 25, 25, torch::kCPU);
    for (std::int64_t i = 0; i < 25; ++i) visited.push_back(batch.theta[i][0].item<double>());
  }
  std::vector<std::vector<double>> passes;
  for (auto at = visited.begin(); at != visited.end(); at += 80) {
    passes.emplace_back(at, at + 80);
    EXPECT_EQ(std::set<double>(at, at + 80).size(), 80u);
  }
  EXPECT_EQ(passes.size(), 5u);
  EXPECT_NE(passes[0], passes[1]) << "each pass has an order of its own";
}

TEST(SetSource, UnlimitedSetsNeverRepeatAndDependOnPositionAlone) {
  const SetSource source(std::make_shared<ToyTask>(), 3, {1, 2}, 0, 10);
  std::set<double> seen;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch)
    for (std::int64_t at = 0; at < 64; at += 32) {
      const SetBatch batch = source.training(epoch, at, 32, 64, torch::kCPU);
      for (std::int64_t i = 0; i < 32; ++i) EXPECT_TRUE(seen.insert(batch.theta[i][0].item<double>()).second);
      EXPECT_TRUE(batch.x.block().equal(source.training(epoch, at, 32, 64, torch::kCPU).x));
    }
}

TEST(SetSource, ASmallerVisitIsAPrefixOfALargerOne) {
  const auto task = std::make_shared<ToyTask>();
  const SetSource ones(task, 3, {1}, 0, 10), fives(task, 3, {5}, 0, 10);
  const SetBatch small = ones.training(0, 0, 8, 8, torch::kCPU), large = fives.training(0, 0, 8, 8, torch::kCPU);
  for (std::int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(small.x.block()[i].item<float>(), large.x.block()[5 * i].item<float>());
}

TEST(SetSource, TurnsAllImagesOfASetAlikeAndEachVisitAnew) {
  const std::shared_ptr<const Task> task = make_task("digits");
  const SetSource plain(task, 3, {1, 2}, 50, 0), turning(task, 3, {1, 2}, 50, 0, true);
  const std::int64_t batch = 20, sets = plain.training_sets();
  std::map<double, std::set<std::int64_t>> by_set;  // quarters of each set's visits, the set known by its θ
  std::map<std::int64_t, int> by_quarter;
  for (std::int64_t epoch = 0; epoch < 6; ++epoch)
    for (std::int64_t at = 0; at < sets; at += batch) {
      const SetBatch a = plain.training(epoch, at, batch, sets, torch::kCPU),
                     b = turning.training(epoch, at, batch, sets, torch::kCPU);
      ASSERT_TRUE(a.theta.equal(b.theta) && a.n.equal(b.n));
      for (std::int64_t i = 0; i < batch; ++i) {
        const auto images = [&](const SetBatch& of) {
          return of.x.block().slice(0, of.offsets[i].item<std::int64_t>(), of.offsets[i + 1].item<std::int64_t>());
        };
        const std::int64_t quarters = b.turns[static_cast<std::size_t>(i)];
        EXPECT_TRUE(images(b).equal(at::rot90(images(a), quarters, {2, 3})));
        by_set[a.theta[i][0].item<double>()].insert(quarters);
        ++by_quarter[quarters];
      }
      std::vector<torch::Tensor> cut;
      SetBatch later = turning.training(epoch, at, batch, sets, torch::kCPU, 3);
      ASSERT_FALSE(later.x.defined());
      for (const SetPart& part : parts(later, 3)) cut.push_back(turning.observe(later, part).block());
      EXPECT_TRUE(at::cat(cut).equal(b.x.block())) << "in parts as at once";
    }
  ASSERT_EQ(by_quarter.size(), 4u);
  for (const auto& [quarters, count] : by_quarter) EXPECT_NEAR(count, 60, 30) << quarters;
  std::size_t changed = 0;
  for (const auto& [theta, seen] : by_set) changed += seen.size() > 1;
  EXPECT_GT(changed, by_set.size() / 2);
  EXPECT_TRUE(turning.validation(0, 10, torch::kCPU).x.block().equal(plain.validation(0, 10, torch::kCPU).x.block()));
}

TEST(SetSource, TheFirstEpochsAreOfTheLessons) {
  const auto plain = make_task("circle");
  RunConfig config = load_preset(plain->info(), "small", "pairs", {});
  config.pretrain.curriculum = "distractors=0: 2.5 %; distractors=1 line=3: 2";
  const auto lessons = curriculum(config);
  ASSERT_EQ(lessons.size(), 3u);
  const SetSource taught(plain, 3, {1, 2}, 0, 8, false, lessons), straight(plain, 3, {1, 2}, 0, 8);
  const auto images = [](const SetSource& source, std::int64_t epoch) {
    return source.training(epoch, 0, 8, 8, torch::kCPU).x.block();
  };
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    const SetSource lesson(epoch < 3 ? lessons[static_cast<std::size_t>(epoch)].task : plain, 3, {1, 2}, 0, 8);
    EXPECT_TRUE(images(taught, epoch).equal(images(lesson, epoch))) << epoch;
    EXPECT_EQ(images(taught, epoch).equal(images(straight, epoch)), epoch == 3) << epoch;
  }
  // What is held out is of the lesson, too; without an epoch, of the task itself.
  const auto held_out = [](const SetSource& source, std::int64_t epoch) {
    return source.validation(0, 8, torch::kCPU, SetSource::kAll, epoch).x.block();
  };
  const SetSource lesson(lessons[0].task, 3, {1, 2}, 0, 8);
  EXPECT_TRUE(held_out(taught, 0).equal(held_out(lesson, SetSource::kAll)));
  EXPECT_TRUE(held_out(taught, 3).equal(held_out(straight, 0)));
  EXPECT_TRUE(held_out(taught, SetSource::kAll).equal(held_out(straight, 0)));
  // A part of a lesson's batch is made as the whole is.
  const SetBatch batch = taught.training(0, 0, 8, 8, torch::kCPU);
  torch::Tensor made = torch::empty({0, 1, 64, 64});
  for (const SetPart& part : parts(batch, 3)) made = torch::cat({made, taught.observe(batch, part).block()});
  EXPECT_TRUE(made.equal(batch.x.block()));
}

TEST(Turned, RefusesWhatIsNoSquareImage) {
  EXPECT_THROW(turned(torch::zeros({2, 1, 3, 4}), {0, 1}), Error);
  EXPECT_THROW(turned(torch::zeros({2, 1, 4, 4}), {0}), Error);
  EXPECT_THROW(turned(torch::zeros({2, 3}), {0, 1}), Error);
}

}  // namespace
}  // namespace pairs
