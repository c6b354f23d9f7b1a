#include "core/parallel/slot_sum.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"

namespace pairs {
namespace {

torch::Tensor values(std::int64_t slot) {
  return at::randn({1000}, at::detail::createCPUGenerator(static_cast<std::uint64_t>(slot) + 1)) * 1e3;
}

// The sum as so many ranks make it.
torch::Tensor shared_sum(std::int64_t slots, std::int64_t ranks) {
  SlotSum total;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    SlotSum branch;
    for (std::int64_t slot = rank * slots / ranks; slot < (rank + 1) * slots / ranks; ++slot) branch.add(values(slot));
    total.add(branch.total());
  }
  return total.total();
}

TEST(SlotSum, IsTheSameWhoeverAddsWhichBranch) {
  for (const std::int64_t slots : {1, 2, 8, 64}) {
    const torch::Tensor alone = shared_sum(slots, 1);
    for (std::int64_t ranks = 2; ranks <= slots; ranks *= 2)
      EXPECT_TRUE(alone.equal(shared_sum(slots, ranks))) << slots << " slots, " << ranks << " ranks";
    torch::Tensor exact = at::zeros({1000}, torch::kFloat64);
    for (std::int64_t slot = 0; slot < slots; ++slot) exact += values(slot).to(torch::kFloat64);
    EXPECT_TRUE(alone.to(torch::kFloat64).allclose(exact, 1e-5, 1e-2));
  }
}

TEST(SlotSum, OneAfterTheOtherWouldDiffer) {
  torch::Tensor plain = values(0);
  for (std::int64_t slot = 1; slot < 8; ++slot) plain = plain + values(slot);
  EXPECT_FALSE(plain.equal(shared_sum(8, 1)));
}

TEST(SlotSum, RefusesAnOpenTree) {
  SlotSum sum;
  EXPECT_THROW(static_cast<void>(sum.total()), Error);
  for (std::int64_t slot = 0; slot < 3; ++slot) sum.add(values(slot));
  EXPECT_THROW(static_cast<void>(sum.total()), Error);
}

}  // namespace
}  // namespace pairs
