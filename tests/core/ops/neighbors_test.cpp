#include "core/ops/neighbors.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "tests/on_device.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// By sorting all pairs (distance, row).
void expect_nearest(const Neighbors& found, const Tensor& places, const Tensor& offsets, double cutoff,
                    std::int64_t most) {
  const Tensor at = places.to(torch::kDouble), start = found.start.cpu(), index = found.index.cpu(),
               distance = found.distance.cpu();
  ASSERT_EQ(start.size(0), places.size(0) + 1);
  ASSERT_EQ(start[-1].item<std::int64_t>(), index.size(0));
  for (std::int64_t m = 0; m + 1 < offsets.size(0); ++m) {
    const std::int64_t first = offsets[m].item<std::int64_t>(), last = offsets[m + 1].item<std::int64_t>();
    for (std::int64_t i = first; i < last; ++i) {
      std::vector<std::pair<double, std::int64_t>> near;
      for (std::int64_t j = first; j < last; ++j) {
        const double d = (at[i] - at[j]).square().sum().sqrt().item<double>();
        if (j != i && d < cutoff) near.emplace_back(d, j);
      }
      std::sort(near.begin(), near.end());
      near.resize(std::min<std::size_t>(near.size(), static_cast<std::size_t>(most)));
      std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      const std::int64_t begin = start[i].item<std::int64_t>();
      ASSERT_EQ(start[i + 1].item<std::int64_t>() - begin, static_cast<std::int64_t>(near.size())) << i;
      for (std::size_t k = 0; k < near.size(); ++k) {
        EXPECT_EQ(index[begin + static_cast<std::int64_t>(k)].item<std::int64_t>(), near[k].second) << i;
        EXPECT_NEAR(distance[begin + static_cast<std::int64_t>(k)].item<double>(), near[k].first, 1e-12) << i;
      }
    }
  }
}

PAIRS_DEVICE_TEST(Neighbors, AreTheNearestWithinTheCutoff) {
  const Tensor offsets = torch::tensor({0, 40, 40, 41, 120}, torch::kLong);
  const Tensor places = 6 * torch::rand({120, 3}, at::detail::createCPUGenerator(3));
  for (const std::int64_t most : {1, 7, 32, 200}) {
    const Neighbors found = nearest_neighbors(places.to(device), offsets.to(device), 3.5, most);
    EXPECT_EQ(found.index.device().type(), device.type());
    expect_nearest(found, places, offsets, 3.5, most);
  }
}

// On a grid of whole numbers most distances are shared by many.
PAIRS_DEVICE_TEST(Neighbors, OfEquallyNearOnesTheFirstAreKept) {
  const Tensor line = torch::arange(4, torch::kFloat);
  const Tensor places = at::stack(at::meshgrid({line, line, line}, "ij"), 3).view({64, 3});
  const Tensor offsets = torch::tensor({0, 64}, torch::kLong);
  for (const std::int64_t most : {2, 5, 10})
    expect_nearest(nearest_neighbors(places.to(device), offsets.to(device), 2.5, most), places, offsets, 2.5, most);
}

PAIRS_DEVICE_TEST(Neighbors, MayShareAPlaceAndHaveNone) {
  const Tensor places = torch::tensor({{1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f}, {9.0f, 1.0f, 1.0f}}),
               offsets = torch::tensor({0, 3}, torch::kLong);
  const Neighbors found = nearest_neighbors(places.to(device), offsets.to(device), 8, 5);
  EXPECT_TRUE(found.start.cpu().equal(torch::tensor({0, 1, 2, 2}, torch::kLong))) << "8 is not below 8";
  EXPECT_TRUE(found.distance.cpu().equal(torch::zeros({2}, torch::kDouble)));
  const Tensor lost = places.clone();
  lost[1][0] = std::nan("");
  EXPECT_EQ(nearest_neighbors(lost.to(device), offsets.to(device), 8, 5).index.size(0), 0);
}

TEST(Neighbors, RefuseWhatDoesNotFit) {
  const Tensor places = torch::zeros({3, 3}), offsets = torch::tensor({0, 3}, torch::kLong);
  EXPECT_THROW(nearest_neighbors(torch::zeros({3, 4}), offsets, 1, 1), Error);
  EXPECT_THROW(nearest_neighbors(places, torch::tensor({0, 2}, torch::kLong), 1, 1), Error);
  EXPECT_THROW(nearest_neighbors(places, torch::tensor({0, 4, 3}, torch::kLong), 1, 1), Error);
  EXPECT_THROW(nearest_neighbors(places, offsets, 0, 1), Error);
  EXPECT_THROW(nearest_neighbors(places, offsets, 1, 0), Error);
}

}  // namespace
}  // namespace pairs::ops
