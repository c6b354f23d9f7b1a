#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "core/nn/embedder.h"
#include "core/nn/unet.h"
#include "tests/core/base/set_fields.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

// Values and gradients of two equal networks, one of them on `device`. Both in float32: what differs is the order of
// sums, and for bfloat16 where a sum is rounded.
template <class Network, class Forward>
void expect_agreement_on(const torch::Device& device, Network& here, Network& reference, const Forward& forward,
                         double tolerance) {
  const torch::Tensor value = forward(here, device), expected = forward(reference, torch::Device(torch::kCPU));
  EXPECT_EQ(value.device().type(), device.type());
  EXPECT_LT(relative_rms(value, expected), tolerance);
  const torch::Tensor direction = torch::randn(expected.sizes(), at::detail::createCPUGenerator(8));
  (value * direction.to(device)).mean().backward();
  (expected * direction).mean().backward();
  // All gradients together: those of single parameters may be differences of large numbers.
  std::vector<torch::Tensor> gradient, expected_gradient;
  const auto parameters = reference.named_parameters();
  for (const auto& p : here.named_parameters()) {
    ASSERT_TRUE(p.value().grad().defined()) << p.key();
    gradient.push_back(p.value().grad().flatten());
    expected_gradient.push_back(parameters[p.key()].grad().flatten());
  }
  EXPECT_LT(relative_rms(torch::cat(gradient), torch::cat(expected_gradient)), 4 * tolerance);
}

PAIRS_DEVICE_TEST(Embedders, AgreeWithTheCpu) {
  struct Case {
    const char* name;
    EmbedderConfig config;
    std::vector<std::int64_t> shape;
    double tolerance;
  };
  const auto made = [](std::initializer_list<std::string_view> settings) {
    EmbedderConfig config;
    set_fields(config, settings);
    return config;
  };
  std::vector<Case> cases(7);
  cases[0] = {"mlp, silu", made({"embedder.size=16", "embedder.layers=64,64"}), {2}, 1e-5};
  cases[1] = {
      "mlp, relu, Fourier features",
      made({"embedder.size=16", "embedder.activation=relu", "embedder.layers=64,64", "embedder.frequencies=16"}),
      {1},
      1e-4};
  cases[2] = {"cnn",
              made({"embedder.kind=cnn", "embedder.size=16", "embedder.channels=8,16,32", "embedder.kernels=5,3,3"}),
              {1, 28, 28},
              1e-5};
  cases[3] = {"resnet",
              made({"embedder.kind=resnet", "embedder.size=16", "embedder.channels=8,16,32", "embedder.projection=32"}),
              {1, 28, 28},
              1e-4};
  cases[4] = {"view",
              made({"embedder.kind=view", "embedder.size=16", "embedder.channels=16,16,32",
                    "embedder.input_location=0.1", "embedder.input_scale=0.1"}),
              {6, 16, 16},
              1e-4};
  cases[5] = cases[4];
  cases[5].name = "view, bf16";
  set_fields(cases[5].config, {"embedder.precision=bf16", "embedder.stride=2"});
  cases[5].tolerance = 0.02;
  cases[6] = cases[3];
  cases[6].name = "resnet, bf16";
  set_fields(cases[6].config, {"embedder.precision=bf16"});
  cases[6].tolerance = 0.02;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto make = [&] { return make_embedder(c.config, c.shape, at::detail::createCPUGenerator(3)); };
    const auto here = make(), reference = make();
    here->to(device);
    // Dropout draws from each device's own generator.
    here->eval();
    reference->eval();
    std::vector<std::int64_t> shape = {10};
    shape.insert(shape.end(), c.shape.begin(), c.shape.end());
    const torch::Tensor x = torch::rand(shape, at::detail::createCPUGenerator(4));
    const auto forward = [&](Embedder& net, const torch::Device& where) { return net.forward(x.to(where)); };
    expect_agreement_on(device, *here, *reference, forward, c.tolerance);
  }
}

PAIRS_DEVICE_TEST(UNets, AgreeWithTheCpu) {
  const auto base = [] {
    UNetConfig config;
    config.channels = 16;
    config.multipliers = {1, 2};
    config.blocks = 1;
    config.attention = {};
    config.time_size = 16;
    return config;
  }();
  std::vector<std::pair<UNetConfig, double>> cases(4, {base, 1e-4});
  cases[1].first.attention = {8, 4};
  cases[1].first.attention_channels = 8;
  cases[1].first.blocks = 2;
  cases[2].first.patch = 2;
  cases[2].first.context_map = true;
  cases[3].first.precision = "bf16";
  cases[3].first.context_map = true;
  cases[3].second = 0.03;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE(k);
    const auto& [config, tolerance] = cases[k];
    const UNetShape shape = {3, 8, 8, 3, 12};
    const auto make = [&] {
      auto net = std::make_shared<UNet>(config, shape, at::detail::createCPUGenerator(3));
      torch::NoGradGuard no_grad;
      auto generator = at::detail::createCPUGenerator(4);
      for (auto& p : net->parameters())
        if (p.abs().max().item<double>() == 0) p.copy_(0.1 * torch::randn(p.sizes(), generator));
      return net;
    };
    const auto here = make(), reference = make();
    here->to(device);
    auto generator = at::detail::createCPUGenerator(5);
    const torch::Tensor image = torch::randn({5, 3, 8, 8}, generator), map = torch::randn({5, 3, 8, 8}, generator),
                        t = torch::rand({5}, generator), context = torch::randn({5, 12}, generator);
    const auto forward = [&](UNet& net, const torch::Device& where) {
      return net.forward(image.to(where), map.to(where), t.to(where), context.to(where));
    };
    expect_agreement_on(device, *here, *reference, forward, tolerance);
  }
}

}  // namespace
}  // namespace pairs
