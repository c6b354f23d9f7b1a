#include "core/eval/evaluate/set_digest.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace pairs {
namespace {

std::uint16_t digest_of(double theta, const torch::Tensor& x) {
  return set_digest(torch::tensor({theta, 2.0}, torch::kFloat64), Observations(x));
}

TEST(SetDigest, DependsOnThetaAndOnTheFirstObservation) {
  at::Generator generator = at::detail::createCPUGenerator(1);
  int theta_reported = 0, x_reported = 0, kept = 0, swapped = 0;
  constexpr int kSets = 1000;
  for (int k = 0; k < kSets; ++k) {
    const torch::Tensor x = at::randn({1, 3, 8, 8}, generator);
    const std::uint16_t digest = digest_of(0.5 + k, x);
    EXPECT_EQ(digest_of(0.5 + k, x.clone()), digest);
    theta_reported += digest_of(0.501 + k, x) != digest;
    x_reported += digest_of(0.5 + k, x * 1.01f) != digest;
    swapped += digest_of(0.5 + k, x.flip(3)) != digest;
    // The last bits of float32, as other machines and devices round them.
    kept += digest_of(0.5 + k, x * (1 + 1e-7 * at::randn(x.sizes(), generator))) == digest;
  }
  EXPECT_GT(theta_reported, 990);
  EXPECT_GT(x_reported, 950);
  EXPECT_GT(swapped, 990);
  EXPECT_GT(kept, 990);
}

TEST(SetDigest, OfRaggedRowsAndOfAStreamInPieces) {
  const Observations rows =
      Observations::ragged(at::arange(12, torch::kFloat32).view({6, 2}), torch::tensor({0, 2, 2, 6}, torch::kInt64));
  const torch::Tensor theta = torch::tensor({{1.0}, {2.0}}, torch::kFloat64);
  SetDigests stream;
  stream.begin(2);
  stream.add(rows.slice(0, 2), {{0, 0, 0, 1}, {1, 0, 1, 2}});
  stream.add(rows.slice(2, 3), {{1, 0, 0, 1}});  // a further observation of the second set
  std::vector<std::uint16_t> digests;
  stream.finish(theta, digests);
  EXPECT_EQ(digests, (std::vector<std::uint16_t>{set_digest(theta[0], rows.slice(0, 1)),
                                                 set_digest(theta[1], rows.slice(1, 2))}));
  EXPECT_NE(set_digest(theta[0], rows.slice(1, 2)), set_digest(theta[0], rows.slice(0, 1)));
}

}  // namespace
}  // namespace pairs
