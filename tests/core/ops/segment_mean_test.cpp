#include <gtest/gtest.h>
#include <torch/types.h>

#include <vector>

#include "core/base/text/error.h"
#include "core/ops/ops.h"
#include "tests/on_device.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

Tensor int64s(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, torch::kLong);
}

// Means by LibTorch's own float64 mean of each slice, differentiable.
Tensor reference(const Tensor& x, const std::vector<std::int64_t>& offsets) {
  std::vector<Tensor> rows;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) rows.push_back(x.slice(0, offsets[b], offsets[b + 1]).mean(0));
  return torch::stack(rows);
}

TEST(SegmentMean, AgreesWithMeansOfSlices) {
  const std::vector<std::int64_t> offsets = {0, 1, 3, 3 + 700, 3 + 700 + 5};
  for (const auto type : {torch::kFloat, torch::kDouble})
    for (const std::int64_t width : {1, 17, 128}) {
      torch::manual_seed(2);
      Tensor x = torch::randn({offsets.back(), width}, type).requires_grad_(true);
      Tensor x64 = x.detach().to(torch::kDouble).requires_grad_(true);
      const Tensor mean = segment_mean(x, int64s(offsets)), exact = reference(x64, offsets);
      const Tensor weight = torch::randn(exact.sizes(), torch::kDouble);
      (mean * weight.to(type)).sum().backward();
      (exact * weight).sum().backward();
      const double tolerance = type == torch::kFloat ? 2e-7 : 1e-14;
      EXPECT_EQ(mean.scalar_type(), type);
      EXPECT_LT((mean.to(torch::kDouble) - exact).abs().max().item<double>(), 4 * tolerance);
      EXPECT_LT((x.grad().to(torch::kDouble) - x64.grad()).abs().max().item<double>(), 4 * tolerance);
    }
}

TEST(SegmentMean, AccumulatesInFloat64) {
  // Sums of 1e8 and many small numbers lose them in float32.
  Tensor x = torch::full({100001, 1}, 1.0f);
  x[0][0] = 1e8f;
  const double sum = segment_sum64(x, int64s({0, 100001})).item<double>();
  EXPECT_EQ(sum, 1e8 + 1e5);
  EXPECT_EQ(segment_mean(x, int64s({0, 100001})).item<float>(), static_cast<float>((1e8 + 1e5) / 100001));
}

TEST(SegmentMean, SumsOfEmptySegmentsAreZero) {
  const Tensor sum = segment_sum64(torch::ones({3, 2}), int64s({0, 0, 3, 3}));
  EXPECT_TRUE(torch::equal(sum, torch::tensor({0.0, 0.0, 3.0, 3.0, 0.0, 0.0}, torch::kDouble).reshape({3, 2})));
  EXPECT_EQ(sum.scalar_type(), torch::kDouble);
}

TEST(SegmentMean, TakesRowsThatAreNotContiguous) {
  torch::manual_seed(2);
  const Tensor x = torch::randn({4, 6}).t();
  EXPECT_TRUE(torch::equal(segment_mean(x, int64s({0, 2, 6})), segment_mean(x.contiguous(), int64s({0, 2, 6}))));
}

TEST(SegmentMean, RefusesBadOffsets) {
  const Tensor x = torch::ones({3, 2});
  EXPECT_THROW(segment_mean(x, int64s({0, 2})), Error);        // does not end at the last row
  EXPECT_THROW(segment_mean(x, int64s({1, 3})), Error);        // does not start at the first
  EXPECT_THROW(segment_mean(x, int64s({0, 2, 2, 3})), Error);  // an empty segment has no mean
  EXPECT_THROW(segment_sum64(x, int64s({0, 4, 2, 3})), Error);
  EXPECT_THROW(segment_mean(x, torch::tensor({0.0, 3.0})), Error);
  EXPECT_THROW(segment_mean(torch::ones({3}), int64s({0, 3})), Error);
}

PAIRS_DEVICE_TEST(SegmentMean, AgreesWithFloat64OnTheCpu) {
  const std::vector<std::int64_t> offsets = {0, 1, 3, 703, 708};
  for (const auto& [type, tolerance] : {std::pair{torch::kFloat, 1e-6}, std::pair{torch::kDouble, 1e-12}})
    for (const std::int64_t width : {1, 17, 128}) {
      torch::manual_seed(2);
      const Tensor x = torch::randn({offsets.back(), width});
      const auto run = [&](const torch::Device& where, torch::ScalarType as) {
        Tensor rows = x.to(where, as).detach().clone().requires_grad_(true);
        const Tensor mean = segment_mean(rows, int64s(offsets).to(where));
        mean.pow(2).sum().backward();
        return std::vector<Tensor>{mean, rows.grad(), segment_sum64(rows.detach(), int64s(offsets).to(where))};
      };
      const auto reference = run(torch::kCPU, torch::kDouble), here = run(device, type);
      for (std::size_t k = 0; k < here.size(); ++k)
        EXPECT_LT(apart(here[k], reference[k]), k == 2 ? 1e-12 : tolerance) << width << " columns, tensor " << k;
    }
}

}  // namespace
}  // namespace pairs::ops
