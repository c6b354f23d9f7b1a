#include "core/train/settings/source.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/rot90.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/train/settings/curriculum.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

TEST(SetSource, TurnsAllImagesOfASetAlikeAndEachVisitAnew) {
  const std::shared_ptr<const Task> task = built_in_tasks()->make("digits");
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
        const std::int64_t quarters = b.rotations[static_cast<std::size_t>(i)];
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
  const auto plain = built_in_tasks()->make("circle");
  RunConfig config = load_preset(built_in_tasks(), plain->info(), "small", "pairs", {});
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

}  // namespace
}  // namespace pairs
