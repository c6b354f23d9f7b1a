#include "core/nn/unet.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/nn/precision.h"

namespace pairs {
namespace {

using torch::Tensor;

// A network whose zero-initialized weights have become random.
std::shared_ptr<UNet> lively(const UNetConfig& config, const UNetShape& shape, double size = 0.1) {
  auto net = std::make_shared<UNet>(config, shape, at::detail::createCPUGenerator(3));
  torch::NoGradGuard no_grad;
  auto generator = at::detail::createCPUGenerator(4);
  for (auto& p : net->parameters())
    if (p.abs().max().item<double>() == 0) p.copy_(size * torch::randn(p.sizes(), generator, torch::kFloat));
  return net;
}

struct UNetInputs {
  Tensor image, map, t, context;

  UNetInputs(std::int64_t batch, const UNetShape& s, torch::ScalarType type = torch::kFloat) {
    torch::manual_seed(6);
    image = torch::randn({batch, s.channels, s.height, s.width}, type);
    if (s.map_channels > 0) map = torch::randn({batch, s.map_channels, s.height, s.width}, type);
    t = torch::rand({batch}, type);
    context = torch::randn({batch, s.context}, type);
  }
  Tensor through(const UNet& net) const { return net.forward(image, map, t, context); }
};

UNetConfig tiny() {
  UNetConfig config;
  config.channels = 8;
  config.multipliers = {1, 2};
  config.blocks = 1;
  config.attention = {4};
  config.attention_channels = 8;
  config.time_size = 16;
  return config;
}
constexpr UNetShape kTinyShape = {3, 8, 8, 2, 5};

// Method B3's figures of the network between input and output; the embedding of time and context is not in them.
TEST(UNet, CountsAsTheReferenceDoes) {
  const UNetShape shape = {3, 64, 64, 3, 321};
  UNetConfig paper;
  paper.channels = 192;
  const UNet net(paper, shape, at::detail::createCPUGenerator(1));
  EXPECT_EQ(net.flops() - net.embedding_flops(), 138558111744);
  UNetConfig narrow;
  narrow.multipliers = {1, 2, 3, 4};
  narrow.attention = {16, 8};
  const UNet base64(narrow, shape, at::detail::createCPUGenerator(1));
  EXPECT_EQ(base64.flops() - base64.embedding_flops(), 20082196480);
}

TEST(UNet, NormalizesInGroupsOfFourAndMore) {
  for (const auto& [channels, groups] : {std::pair{192, 32}, {32, 8}, {96, 16}, {36, 4}, {8, 2}, {6, 1}, {7, 1}})
    EXPECT_EQ(norm_groups(channels), groups) << channels;
}

TEST(UNet, CountsTheEmbeddingAndTheContextMap) {
  UNetConfig config = tiny();
  const UNet net(config, kTinyShape, at::detail::createCPUGenerator(1));
  EXPECT_EQ(net.embedding_flops(), 2 * (16 * 32 + 32 * 32 + 5 * 32));
  config.context_map = true;
  const UNet mapped(config, kTinyShape, at::detail::createCPUGenerator(1));
  EXPECT_EQ(mapped.flops() - net.flops(), 2 * 5 * 16 * 4 * 4);
}

TEST(UNet, StartsAtZero) {
  for (const std::int64_t patch : {1, 2}) {
    UNetConfig config = tiny();
    config.patch = patch;
    const UNet net(config, kTinyShape, at::detail::createCPUGenerator(1));
    const Tensor v = UNetInputs(3, kTinyShape).through(net);
    EXPECT_EQ(v.sizes(), torch::IntArrayRef({3, 3, 8, 8}));
    EXPECT_EQ(v.abs().max().item<double>(), 0);
  }
}

TEST(UNet, TakesImagesThatAreNotSquare) {
  const UNetShape shape = {1, 8, 12, 0, 2};
  const auto net = lively(tiny(), shape);
  const Tensor v = UNetInputs(2, shape).through(*net);
  EXPECT_EQ(v.sizes(), torch::IntArrayRef({2, 1, 8, 12}));
  EXPECT_GT(v.abs().max().item<double>(), 0);
}

TEST(UNet, DependsOnEverythingItIsGiven) {
  UNetConfig config = tiny();
  for (const bool map : {false, true}) {
    config.context_map = map;
    const auto net = lively(config, kTinyShape);
    const UNetInputs in(2, kTinyShape);
    const Tensor before = in.through(*net);
    for (Tensor UNetInputs::*part : {&UNetInputs::image, &UNetInputs::map, &UNetInputs::t, &UNetInputs::context}) {
      UNetInputs changed = in;
      changed.*part = (changed.*part).clone();
      (changed.*part).select(0, 1).add_(0.5);
      const Tensor after = changed.through(*net);
      EXPECT_GT((after - before)[1].abs().max().item<double>(), 1e-4);
      // Rows do not see each other.
      EXPECT_LT((after - before)[0].abs().max().item<double>(), 1e-6);
    }
  }
}

TEST(UNet, PatchesAreSpaceToDepth) {
  UNetConfig config = tiny();
  config.attention = {};
  const auto plain = lively(config, {12, 4, 4, 8, 5});
  config.patch = 2;
  const auto patched = lively(config, kTinyShape);
  const UNetInputs in(2, kTinyShape);
  // The input's channels are those of the image and the map together.
  const Tensor both = torch::pixel_unshuffle(torch::cat({in.image, in.map}, 1), 2);
  const Tensor v = plain->forward(both.narrow(1, 0, 12), both.narrow(1, 12, 8), in.t, in.context);
  EXPECT_TRUE(torch::allclose(torch::pixel_shuffle(v, 2), in.through(*patched), 1e-5, 1e-6));
}

TEST(UNet, GradientsAgreeWithFiniteDifferences) {
  UNetConfig config = tiny();
  config.context_map = true;
  const auto net = lively(config, kTinyShape);
  net->to(torch::kDouble);
  UNetInputs in(2, kTinyShape, torch::kDouble);
  const Tensor weight = torch::randn({2, 3, 8, 8}, torch::kDouble);
  const auto functional = [&] { return (in.through(*net) * weight).sum(); };
  std::vector<std::pair<std::string, Tensor>> checked;
  for (const auto& item : net->named_parameters()) checked.emplace_back(item.key(), item.value());
  in.image.requires_grad_(true);
  in.context.requires_grad_(true);
  checked.emplace_back("image", in.image);
  checked.emplace_back("context", in.context);
  functional().backward();
  torch::NoGradGuard no_grad;
  auto generator = at::detail::createCPUGenerator(8);
  for (const auto& [name, tensor] : checked) {
    // Along one random direction of each tensor.
    const Tensor direction = torch::randn(tensor.sizes(), generator, torch::kDouble);
    constexpr double kStep = 1e-5;
    Tensor value = tensor.detach();
    value.add_(direction, kStep);
    const double above = functional().item<double>();
    value.add_(direction, -2 * kStep);
    const double below = functional().item<double>();
    value.add_(direction, kStep);
    const double slope = (tensor.grad() * direction).sum().item<double>();
    EXPECT_NEAR((above - below) / (2 * kStep), slope, 1e-5 * (1 + std::abs(slope))) << name;
  }
}

TEST(UNet, Bfloat16IsClose) {
  UNetConfig config = tiny();
  config.channels = 32;
  config.attention_channels = 32;
  const auto exact = lively(config, kTinyShape, 0.02);
  config.precision = "bf16";
  const auto rounded = lively(config, kTinyShape, 0.02);
  const UNetInputs in(4, kTinyShape);
  std::vector<Tensor> results, gradients;
  for (const auto& net : {exact, rounded}) {
    results.push_back(in.through(*net));
    EXPECT_EQ(results.back().scalar_type(), torch::kFloat);
    results.back().square().mean().backward();
    std::vector<Tensor> all;
    for (const auto& p : net->parameters()) {
      EXPECT_EQ(p.scalar_type(), torch::kFloat);
      all.push_back(p.grad().flatten());
    }
    gradients.push_back(torch::cat(all));
  }
  const auto distance = [](const std::vector<Tensor>& pair) {
    return (pair[0] - pair[1]).norm().item<double>() / pair[0].norm().item<double>();
  };
  EXPECT_LT(distance(results), 0.02);
  EXPECT_EQ(distance(results) > 0, processor_has_bfloat16());  // or the setting has no effect
  EXPECT_LT(distance(gradients), 0.05);
}

TEST(UNet, SameSeedSameNetwork) {
  const UNet a(tiny(), kTinyShape, at::detail::createCPUGenerator(7)),
      b(tiny(), kTinyShape, at::detail::createCPUGenerator(7)),
      c(tiny(), kTinyShape, at::detail::createCPUGenerator(8));
  EXPECT_TRUE(torch::equal(a.parameters()[0], b.parameters()[0]));
  EXPECT_FALSE(torch::equal(a.parameters()[0], c.parameters()[0]));
  const UNetInputs in(3, kTinyShape);
  const auto net = lively(tiny(), kTinyShape);
  EXPECT_TRUE(torch::equal(in.through(*net), in.through(*net)));
}

TEST(UNet, TimeEmbeddingIsOf1000T) {
  const Tensor e = time_embedding(torch::tensor({0.0, 0.25}, torch::kDouble), 6);
  for (int i = 0; i < 3; ++i) {
    const double angle = 250 * std::exp(-std::log(1e4) * i / 3);
    EXPECT_EQ(e[0][i].item<double>(), 1);
    EXPECT_EQ(e[0][3 + i].item<double>(), 0);
    EXPECT_NEAR(e[1][i].item<double>(), std::cos(angle), 1e-9);
    EXPECT_NEAR(e[1][3 + i].item<double>(), std::sin(angle), 1e-9);
  }
}

TEST(UNet, RefusesWhatDoesNotFit) {
  const auto make = [](const UNetConfig& config, const UNetShape& shape) {
    UNet(config, shape, at::detail::createCPUGenerator(1));
  };
  EXPECT_THROW(make(tiny(), {3, 9, 8, 0, 5}), Error);
  UNetConfig config = tiny();
  config.patch = 8;
  EXPECT_THROW(make(config, kTinyShape), Error);
  config = tiny();
  config.precision = "half";
  EXPECT_THROW(make(config, kTinyShape), Error);
  config = tiny();
  config.attention = {4, 3};
  EXPECT_THROW(make(config, kTinyShape), Error);
  config = tiny();
  config.attention_channels = 6;
  EXPECT_NO_THROW(make(config, kTinyShape));  // two heads of 8
  config.attention_channels = 5;              // three heads
  EXPECT_THROW(make(config, kTinyShape), Error);
}

}  // namespace
}  // namespace pairs
