#include "core/sets/observations.h"

#include <gtest/gtest.h>

#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/sets/amounts.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/sets/saved_observations.h"

namespace pairs {
namespace {

// Five observations of 2, 0, 3, 0 and 1 rows.
Observations five() {
  return Observations::ragged(torch::arange(18, torch::kFloat32).view({6, 3}),
                              torch::tensor({0, 2, 2, 5, 5, 6}, torch::kInt64));
}

void expect_same(const Observations& a, const Observations& b) {
  ASSERT_EQ(a.is_ragged(), b.is_ragged());
  if (!a.is_ragged()) {
    EXPECT_TRUE(torch::equal(a.block(), b.block()));
    return;
  }
  EXPECT_TRUE(torch::equal(a.rows(), b.rows()));
  EXPECT_TRUE(torch::equal(a.offsets(), b.offsets()));
}

TEST(Observations, KnowTheirCountAndCost) {
  EXPECT_EQ(five().count(), 5);
  EXPECT_EQ(five().numbers(), 18);
  const Observations block = torch::zeros({4, 2, 3});
  EXPECT_EQ(block.count(), 4);
  EXPECT_EQ(block.numbers(), 24);
  EXPECT_FALSE(block.is_ragged());
  EXPECT_EQ(Observations().count(), 0);
  EXPECT_FALSE(Observations().defined());
}

TEST(Observations, SlicesShareMemoryAndBeginAtZero) {
  const Observations all = five(), part = all.slice(1, 4);
  EXPECT_EQ(part.count(), 3);
  EXPECT_EQ(part.rows().const_data_ptr<float>(), all.rows().const_data_ptr<float>() + 2 * 3);
  EXPECT_TRUE(torch::equal(part.offsets(), torch::tensor({0, 0, 3, 3}, torch::kInt64)));
  EXPECT_EQ(all.slice(3, 4).numbers(), 0) << "an observation without rows";
  EXPECT_THROW(all.slice(2, 6), Error);
  const Observations block = torch::rand({7, 2});
  EXPECT_TRUE(torch::equal(block.slice(2, 5).block(), block.block().slice(0, 2, 5)));
}

TEST(Observations, SlicesPutTogetherAreTheWhole) {
  for (const Observations& all : {five(), Observations(torch::rand({5, 2, 2}))})
    for (std::int64_t cut = 0; cut <= 5; ++cut) {
      const Observations parts[] = {all.slice(0, cut), all.slice(cut, 5)};
      expect_same(Observations::concatenate(parts), all);
    }
  const Observations mixed[] = {five(), torch::zeros({2, 3})};
  EXPECT_THROW(Observations::concatenate(mixed), Error);
}

TEST(Observations, RaggedOnesAreNoBlock) {
  EXPECT_THROW(five().block(), Error);
  EXPECT_THROW(static_cast<torch::Tensor>(five()), Error);
  EXPECT_THROW(Observations(torch::zeros({2, 2})).rows(), Error);
  EXPECT_THROW(Observations(torch::zeros({2, 2})).offsets(), Error);
}

TEST(Observations, RefuseOffsetsThatAreNone) {
  const torch::Tensor rows = torch::zeros({3, 2});
  const auto refused = [&](std::vector<std::int64_t> offsets) {
    EXPECT_THROW(Observations::ragged(rows, torch::tensor(offsets, torch::kInt64)), Error);
  };
  refused({1, 3});
  refused({0, 2});
  refused({0, 2, 1, 3});
  refused({});
  EXPECT_THROW(Observations::ragged(rows, torch::tensor({0.0, 3.0})), Error);
  EXPECT_THROW(Observations::ragged(torch::zeros({3}), torch::tensor({0, 3}, torch::kInt64)), Error);
}

TEST(Observations, PartsHoldNoMoreThanTheyMay) {
  const Observations all = five();
  EXPECT_EQ(all.part_end(0, 2, 1e9), 2);
  EXPECT_EQ(all.part_end(0, 5, 6), 2) << "two rows of three numbers, and an observation without rows";
  EXPECT_EQ(all.part_end(2, 5, 1), 3) << "one observation at least";
  EXPECT_EQ(all.part_end(3, 5, 3), 5);
  const Observations block = torch::zeros({10, 4});
  EXPECT_EQ(block.part_end(2, 3, 1e9), 5);
  EXPECT_EQ(block.part_end(2, 100, 12), 5);
  EXPECT_EQ(block.part_end(9, 100, 12), 10);
}

TEST(Observations, ArePickedInAnyOrder) {
  const Observations all = five(), picked = all.pick(torch::tensor({4, 0, 4, 2}));
  ASSERT_EQ(picked.count(), 4);
  for (const auto& [at, from] : {std::pair{0, 4}, {1, 0}, {2, 4}, {3, 2}})
    expect_same(picked.slice(at, at + 1), all.slice(from, from + 1));
  EXPECT_THROW(all.pick(torch::tensor({5})), Error);
  const torch::Tensor block = torch::rand({6, 2});
  EXPECT_TRUE(
      torch::equal(Observations(block).pick(torch::tensor({5, 1})).block(), torch::stack({block[5], block[1]})));
}

TEST(Observations, KeepTheirRaggednessOnAnotherTypeAndDevice) {
  const Observations moved = five().to(torch::kCPU, torch::kFloat64);
  EXPECT_EQ(moved.type(), torch::kFloat64);
  EXPECT_TRUE(torch::equal(moved.offsets(), five().offsets()));
}

TEST(ObservationsFile, GivesBackWhatItWasGiven) {
  const TemporaryFolder folder;
  for (const Observations& x : {five(), Observations(torch::rand({4, 1, 2, 2})), five().slice(3, 4)}) {
    save_observations(folder / "x.npz", x);
    expect_same(load_observations(folder / "x.npz"), x);
  }
}

// Stored simulations and exported sets name the arrays of ragged rows otherwise.
TEST(ObservationsFile, ReadsTheNamesOfStoredSimulations) {
  const TemporaryFolder folder;
  const Observations x = five();
  write_npz(folder / "x.npz", {{"x", x.rows()}, {"row_offsets", x.offsets()}});
  expect_same(load_observations(folder / "x.npz"), x);
}

// The values of tasks of points and of images, of which a seed's results are made.
TEST(Amounts, OfTheShippedTasksAreWhatTheyWere) {
  for (const double points : {1.0, 2.0}) {
    EXPECT_EQ(observations_at_once(points), 65536);
    EXPECT_EQ(sets_at_once(points), 512);
    EXPECT_EQ(statistics_sample(points).sets, 4000);
    EXPECT_EQ(statistics_sample(points).observations, 32);
  }
  for (const double pixels : {784.0, 6.0 * 16 * 16, 6.0 * 32 * 32, 9.0 * 64 * 64}) {
    EXPECT_EQ(observations_at_once(pixels), 2048);
    EXPECT_EQ(sets_at_once(pixels), 32);
    EXPECT_EQ(statistics_sample(pixels).sets, 1000);
    EXPECT_EQ(statistics_sample(pixels).observations, 8);
  }
  for (const std::int64_t d : {1, 2}) EXPECT_EQ(head_rows_at_once(d), 4096);
  for (const std::int64_t d : {3 * 16 * 16, 3 * 32 * 32, 3 * 64 * 64}) EXPECT_EQ(head_rows_at_once(d), 256);
}

}  // namespace
}  // namespace pairs
