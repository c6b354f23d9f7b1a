#include "core/ops/group_norm_act.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/text/error.h"
#include "core/ops/ops.h"
#include "tests/on_device.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

struct NormCase {
  std::int64_t images, channels, extra, height, width, groups;
  bool shared;  // one scale and shift for all images
  std::string act;
};

const std::vector<NormCase> kNormCases = {{3, 32, 0, 8, 8, 8, false, "silu"},  {2, 6, 0, 5, 7, 3, false, "silu"},
                                          {1, 128, 0, 4, 4, 32, true, "silu"}, {3, 32, 64, 6, 6, 16, true, "silu"},
                                          {2, 8, 4, 3, 5, 2, false, "silu"},   {2, 16, 0, 33, 31, 4, true, "none"},
                                          {2, 12, 12, 9, 9, 3, true, "none"},  {1, 640, 64, 3, 3, 32, false, "silu"}};

// What goes in, and the derivatives of a random functional of what comes out.
struct NormTensors {
  Tensor x, extra, scale, shift, weight;

  explicit NormTensors(const NormCase& c) {
    torch::manual_seed(5);
    const std::int64_t all = c.channels + c.extra, rows = c.shared ? 1 : c.images;
    const auto d = torch::kDouble;
    // A mean that is large relative to the spread, and differs between channels.
    x = (2 * torch::randn({c.images, c.channels, c.height, c.width}, d) + 3 * torch::randn({1, c.channels, 1, 1}, d));
    if (c.extra > 0) extra = torch::randn({c.images, c.extra, c.height, c.width}, d) - 1;
    scale = 1 + 0.5 * torch::randn({rows, all}, d);
    shift = 0.5 * torch::randn({rows, all}, d);
    weight = torch::randn({c.images, all, c.height, c.width}, d);
  }

  // Values that the type holds, so that references see the same.
  void round(torch::ScalarType type) {
    for (Tensor* t : {&x, &extra, &weight})
      if (t->defined()) *t = t->to(type).to(torch::kDouble);
    if (type != torch::kDouble)
      for (Tensor* t : {&scale, &shift}) *t = t->to(torch::kFloat).to(torch::kDouble);
  }
};

using NormFunction = Tensor (*)(const NormCase&, const Tensor&, const Tensor&, const Tensor&, const Tensor&);

Tensor through_operator(const NormCase& c, const Tensor& x, const Tensor& extra, const Tensor& scale,
                        const Tensor& shift) {
  return group_norm_act(x, extra.defined() ? std::optional<Tensor>(extra) : std::nullopt, scale, shift, c.groups,
                        c.act);
}

Tensor through_libtorch(const NormCase& c, const Tensor& x, const Tensor& extra, const Tensor& scale,
                        const Tensor& shift) {
  const Tensor normal = torch::group_norm(extra.defined() ? torch::cat({x, extra}, 1) : x, c.groups);
  const Tensor z = normal * scale.unsqueeze(2).unsqueeze(3) + shift.unsqueeze(2).unsqueeze(3);
  return c.act == "silu" ? torch::silu(z) : z;
}

// The result and the gradients of x, of `extra` (where there is one), of scale and of shift, in float64.
std::vector<Tensor> evaluate(const NormCase& c, const NormTensors& in, torch::ScalarType type, NormFunction f,
                             torch::Device device = torch::kCPU) {
  const auto wide = type == torch::kDouble ? torch::kDouble : torch::kFloat;
  std::vector<Tensor> leaves = {in.x.to(device, type), in.scale.to(device, wide), in.shift.to(device, wide)};
  if (in.extra.defined()) leaves.push_back(in.extra.to(device, type));
  for (Tensor& leaf : leaves) leaf = leaf.detach().clone().requires_grad_(true);
  const Tensor y = f(c, leaves[0], in.extra.defined() ? leaves[3] : Tensor(), leaves[1], leaves[2]);
  EXPECT_EQ(y.scalar_type(), type);
  y.backward(in.weight.to(device, type));
  std::vector<Tensor> out = {y.detach()};
  for (const Tensor& leaf : leaves) out.push_back(leaf.grad());
  for (Tensor& t : out) t = t.to(torch::kCPU, torch::kDouble);
  return out;
}

double relative_error(const Tensor& value, const Tensor& exact) {
  return (value - exact).abs().max().item<double>() / exact.abs().max().item<double>();
}

TEST(GroupNormAct, AgreesWithLibtorchsGroupNorm) {
  for (const auto& [type, tolerance] :
       {std::pair{torch::kDouble, 1e-12}, std::pair{torch::kFloat, 5e-6}, std::pair{torch::kBFloat16, 1.2e-2}})
    for (const NormCase& c : kNormCases) {
      NormTensors in(c);
      in.round(type);
      const auto value = evaluate(c, in, type, through_operator),
                 exact = evaluate(c, in, torch::kDouble, through_libtorch);
      for (std::size_t k = 0; k < value.size(); ++k)
        EXPECT_LT(relative_error(value[k], exact[k]), tolerance)
            << c10::toString(type) << ", " << c.channels << " + " << c.extra << " channels, tensor " << k;
    }
}

TEST(GroupNormAct, RoundsToBfloat16OnlyOnce) {
  const NormCase c = {2, 64, 0, 16, 16, 16, false, "silu"};
  NormTensors in(c);
  in.round(torch::kBFloat16);
  const Tensor exact = through_libtorch(c, in.x, {}, in.scale, in.shift);
  const Tensor y = group_norm_act(in.x.to(torch::kBFloat16), std::nullopt, in.scale.to(torch::kFloat),
                                  in.shift.to(torch::kFloat), c.groups, c.act)
                       .to(torch::kDouble);
  // Half a unit in the last place is at most 2^-8; the rest is the kernel's own error.
  EXPECT_LT(((y - exact).abs() / (exact.abs() + 1e-3)).max().item<double>(), 1.05 * 0x1p-8);
}

TEST(GroupNormAct, IsChannelsLastWhateverItIsGiven) {
  const NormCase c = {2, 8, 0, 6, 5, 2, true, "silu"};
  const NormTensors in(c);
  const Tensor x = in.x.to(torch::kFloat), scale = in.scale.to(torch::kFloat), shift = in.shift.to(torch::kFloat);
  const Tensor y = group_norm_act(x, std::nullopt, scale, shift, 2, "silu");
  EXPECT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast));
  const Tensor last =
      group_norm_act(x.contiguous(at::MemoryFormat::ChannelsLast), std::nullopt, scale, shift, 2, "silu");
  EXPECT_TRUE(torch::equal(y, last));
}

TEST(GroupNormAct, SameForAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  const NormCase c = {7, 32, 64, 6, 6, 16, true, "silu"};
  const NormTensors in(c);
  std::vector<std::vector<Tensor>> results;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    results.push_back(evaluate(c, in, torch::kFloat, through_operator));
  }
  at::set_num_threads(before);
  for (const auto& result : results)
    for (std::size_t k = 0; k < result.size(); ++k) EXPECT_TRUE(torch::equal(result[k], results[0][k])) << k;
}

TEST(GroupNormAct, KeepsATinySpreadOnALargeMean) {
  const NormCase c = {1, 4, 0, 64, 64, 1, true, "none"};
  torch::manual_seed(3);
  const Tensor x = (100 + torch::randn({1, 4, 64, 64}, torch::kDouble)).to(torch::kFloat);
  const Tensor one = torch::ones({1, 4}), zero = torch::zeros({1, 4});
  const Tensor y = group_norm_act(x, std::nullopt, one, zero, c.groups, c.act).to(torch::kDouble);
  EXPECT_LT((y - torch::group_norm(x.to(torch::kDouble), 1)).abs().max().item<double>(), 2e-3);
}

TEST(GroupNormAct, RefusesWhatDoesNotFit) {
  const Tensor x = torch::zeros({2, 6, 4, 4}), one = torch::ones({1, 6});
  EXPECT_THROW(group_norm_act(x, std::nullopt, one, one, 4, "silu"), Error);
  EXPECT_THROW(group_norm_act(x, std::nullopt, torch::ones({3, 6}), torch::ones({3, 6}), 2, "silu"), Error);
  EXPECT_THROW(group_norm_act(x, torch::zeros({2, 2, 4, 5}), torch::ones({1, 8}), torch::ones({1, 8}), 2, "silu"),
               Error);
  EXPECT_THROW(group_norm_act(x, std::nullopt, one, one, 2, "relu"), Error);
}

TEST(GroupNormAct, CountsThatDoNotFit32BitsAreRefused) {
  const std::int64_t half = std::int64_t{1} << 15;
  EXPECT_NO_THROW(check_counts_in_32_bits(half, half, 640));
  EXPECT_THROW(check_counts_in_32_bits(half + 1, half, 640), Error);
  EXPECT_THROW(check_counts_in_32_bits(std::int64_t{1} << 33, 1, 1), Error);
  EXPECT_THROW(check_counts_in_32_bits(std::int64_t{1} << 32, std::int64_t{1} << 32, 1), Error);  // 2^64 wraps to 0
  EXPECT_THROW(check_counts_in_32_bits(1, 1, std::int64_t{1} << 32), Error);
}

PAIRS_DEVICE_TEST(GroupNormAct, AgreesWithFloat64OnTheCpu) {
  for (const auto& [type, tolerance] : {std::pair{torch::kFloat, 1e-4}, std::pair{torch::kBFloat16, 2e-2}})
    for (const NormCase& c : kNormCases) {
      NormTensors in(c);
      in.round(type);
      const auto reference = evaluate(c, in, torch::kDouble, through_operator),
                 here = evaluate(c, in, type, through_operator, device);
      for (std::size_t k = 0; k < here.size(); ++k) EXPECT_LT(relative_error(here[k], reference[k]), tolerance) << k;
    }
}

}  // namespace
}  // namespace pairs::ops
