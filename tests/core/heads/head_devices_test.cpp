#include "core/base/fields/face.h"
#include "core/heads/flow_matching_head.h"
#include "tests/core/base/set_fields.h"
#include "tests/core/heads/head_checks.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

using namespace testing_heads;

// The heads of the presets, made small, with every support and numbers of targets that take other paths.
struct DeviceHead {
  const char* name;
  std::int64_t d;
  HeadConfig config;
};

std::vector<DeviceHead> device_heads() {
  const auto head = [](const char* kind, const char* support, std::int64_t transforms) {
    HeadConfig config;
    config.kind = kind;
    set_fields(config,
               {fmt::format("head.support={}", support), fmt::format("head.transforms={}", transforms),
                "head.hidden=32", "head.context_layers=2", "head.blocks=1", "head.bins=8", "head.components=6",
                "head.context_blocks=1", "head.conditioner=32,32", "head.conditioner_size=8", "head.integrand=16,16"});
    return config;
  };
  std::vector<DeviceHead> heads = {{"spline, real, 1", 1, head("spline", "real", 2)},
                                   {"spline, real, 2", 2, head("spline", "real", 2)},
                                   {"spline, real, 5", 5, head("spline", "real", 4)},
                                   {"spline, box, 1", 1, head("spline", "box", 2)},
                                   {"spline, box, 2", 2, head("spline", "box", 2)},
                                   {"spline, box, plain", 1, head("spline", "box", 2)},
                                   {"spline without a context net", 1, head("spline", "real", 3)},
                                   {"umnn, 1", 1, head("umnn", "real", 1)},
                                   {"umnn, 2", 2, head("umnn", "real", 2)},
                                   {"umnn, plain", 2, head("umnn", "real", 1)},
                                   {"gaussian, 2", 2, head("gaussian", "real", 1)},
                                   {"mixture, box, 1", 1, head("mixture", "box", 1)},
                                   {"mixture, real, 3", 3, head("mixture", "real", 1)}};
  set_fields(heads[6].config, {"head.context_layers=0", "head.bins=24"});
  for (const int plain : {5, 9}) set_fields(heads[plain].config, {"head.affine=false"});
  return heads;
}

constexpr std::int64_t kDeviceContext = 7;

std::shared_ptr<Head> prepared(const DeviceHead& of, const torch::Device& device, torch::ScalarType type) {
  auto head = build(of.config, of.d, kDeviceContext);
  sharpen(*head, 1.0, 0.1);
  if (ResidualSpread* regression = face<ResidualSpread>(*head))
    regression->set_sigma(torch::tensor({std::int64_t{1}, std::int64_t{10}}),
                          torch::rand({2, of.d}, at::detail::createCPUGenerator(2)) + 0.1);
  head->to(device, type);
  return head;
}

// What a head gives, in training and in evaluation, and the gradients of its loss.
std::vector<std::pair<std::string, Tensor>> answers(Head& head, const Tensor& theta, const Tensor& context,
                                                    const Tensor& grid) {
  std::vector<std::pair<std::string, Tensor>> out;
  head.train();
  const Tensor loss = head.loss(theta, context);
  loss.backward();
  out.emplace_back("loss", loss);
  for (const auto& p : head.named_parameters())
    if (p.value().grad().defined()) out.emplace_back("gradient of " + p.key(), p.value().grad());
  head.eval();
  torch::NoGradGuard no_grad;
  out.emplace_back("log density", head.log_prob(theta, context));
  out.emplace_back("log density on a grid", head.log_prob_grid(grid, context.slice(0, 0, grid.size(0))));
  out.emplace_back("few samples", head.sample(context, 3, 5));
  out.emplace_back("many samples", head.sample(context.slice(0, 0, 2), 60, 5));
  return out;
}

PAIRS_DEVICE_TEST(Heads, AgreeWithFloat64OnTheCpu) {
  for (const DeviceHead& of : device_heads()) {
    SCOPED_TRACE(of.name);
    const Tensor context = random({24, kDeviceContext}, 4).abs().to(torch::kFloat);
    const bool box = confines(of.config);
    Tensor theta = random({24, of.d}, 5), grid = random({4, 70, of.d}, 6);
    if (box) {
      theta = torch::sigmoid(theta);
      grid = torch::sigmoid(grid);
    }
    theta = theta.to(torch::kFloat);
    grid = grid.to(torch::kFloat);
    const auto run = [&](const torch::Device& where, torch::ScalarType type) {
      const auto head = prepared(of, where, type);
      return answers(*head, theta.to(where, type), context.to(where, type), grid.to(where, type));
    };
    const auto reference = run(torch::kCPU, torch::kDouble), here = run(device, torch::kFloat);
    ASSERT_EQ(here.size(), reference.size());
    EXPECT_GT(here.size(), 8u);
    for (std::size_t k = 0; k < here.size(); ++k) {
      EXPECT_EQ(here[k].second.device().type(), device.type()) << here[k].first;
      EXPECT_LT(apart(here[k].second, reference[k].second), 2e-3) << here[k].first;
    }
  }
}

// A head for images of 8 x 8 with a context map, equal on every device. Zero-initialized weights get random values.
std::shared_ptr<FlowMatchingHead> device_flow(const std::string& precision, const torch::Device& device,
                                              torch::ScalarType type) {
  HeadConfig config;
  config.kind = "flow-matching";
  config.of<FlowMatchingHead::Settings>().unet.channels = 16;
  config.of<FlowMatchingHead::Settings>().unet.multipliers = {1, 2};
  config.of<FlowMatchingHead::Settings>().unet.blocks = 1;
  config.of<FlowMatchingHead::Settings>().unet.attention = {4};
  config.of<FlowMatchingHead::Settings>().unet.attention_channels = 16;
  config.of<FlowMatchingHead::Settings>().unet.time_size = 16;
  config.of<FlowMatchingHead::Settings>().given_size = 6;
  config.of<FlowMatchingHead::Settings>().hidden = 24;
  config.of<FlowMatchingHead::Settings>().context_layers = 2;
  config.of<FlowMatchingHead::Settings>().unet.context_map = true;
  config.of<FlowMatchingHead::Settings>().steps = 4;
  config.of<FlowMatchingHead::Settings>().summary = 1;
  config.of<FlowMatchingHead::Settings>().time_power = 2;
  config.of<FlowMatchingHead::Settings>().unet.precision = precision;
  HeadImage image;
  image.channels = 3;
  image.height = image.width = 8;
  image.given = 2;
  image.map_channels = 2;
  image.map = [](const Tensor& given) { return given.reshape({-1, 2, 1, 1}).expand({given.size(0), 2, 8, 8}); };
  const double inf = std::numeric_limits<double>::infinity();
  auto head = std::dynamic_pointer_cast<FlowMatchingHead>(
      make_head(config, std::vector<HeadTarget>(192, {-inf, inf}), 9, at::detail::createCPUGenerator(3), &image));
  sharpen(*head, 1.0, 0.05);
  head->to(device, type);
  return head;
}

PAIRS_DEVICE_TEST(FlowMatching, AgreesWithFloat64OnTheCpu) {
  const Tensor theta = random({6, 192}, 1).to(torch::kFloat), context = random({6, 9}, 2).to(torch::kFloat),
               noise = random({6, 192}, 3).to(torch::kFloat), t = torch::linspace(0.05, 0.95, 6);
  const auto exact = device_flow("float32", torch::kCPU, torch::kDouble);
  const auto wide = [](const Tensor& x) { return x.to(torch::kDouble); };
  const Tensor exact_loss = exact->loss_at(wide(theta), wide(context), wide(noise), wide(t));
  exact_loss.backward();
  // bfloat16 has 8 bits of mantissa.
  for (const auto& [precision, tolerance] : {std::pair{"float32", 1e-4}, std::pair{"bf16", 0.05}}) {
    SCOPED_TRACE(precision);
    const auto head = device_flow(precision, device, torch::kFloat);
    const Tensor loss = head->loss_at(theta.to(device), context.to(device), noise.to(device), t.to(device));
    loss.backward();
    EXPECT_LT(apart(loss, exact_loss), tolerance);
    // All gradients together: those of single parameters may be differences of large numbers.
    std::vector<Tensor> gradient, expected;
    const auto parameters = exact->named_parameters();
    for (const auto& p : head->named_parameters()) {
      if (!p.value().grad().defined()) continue;
      gradient.push_back(p.value().grad().flatten());
      expected.push_back(parameters[p.key()].grad().flatten());
    }
    EXPECT_GT(gradient.size(), 20u);
    EXPECT_LT(relative_rms(torch::cat(gradient), torch::cat(expected)), 4 * tolerance);
    // What training draws, samples, and the summary: against the same head on the CPU.
    const auto same = device_flow(precision, torch::kCPU, torch::kFloat);
    for (const bool training : {true, false}) {
      for (const auto& h : {head, same}) {
        h->train(training);
        h->set_noise(8);
      }
      const Tensor here = head->loss(theta.to(device), context.to(device));
      EXPECT_LT(apart(here, same->loss(theta, context)), tolerance);
    }
    EXPECT_LT(apart(head->auxiliary_loss(theta.to(device), context.to(device)), same->auxiliary_loss(theta, context)),
              tolerance);
    EXPECT_LT(relative_rms(head->sample(context.to(device), 2, 7), same->sample(context, 2, 7)), tolerance);
  }
}

}  // namespace
}  // namespace pairs
