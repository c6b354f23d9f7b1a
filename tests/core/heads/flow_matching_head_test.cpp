#include "core/heads/flow_matching_head.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/text/error.h"
#include "core/nn/adamw.h"

namespace pairs {
namespace {

using torch::Tensor;

// Two columns of aggregate, one of N, two that are given.
constexpr std::int64_t kFlowContext = 5, kFlowPixels = 16;

HeadConfig flow_config() {
  HeadConfig config;
  config.kind = "flow-matching";
  config.of<FlowMatchingHead::Settings>().unet.channels = 8;
  config.of<FlowMatchingHead::Settings>().unet.multipliers = {1, 2};
  config.of<FlowMatchingHead::Settings>().unet.blocks = 1;
  config.of<FlowMatchingHead::Settings>().unet.attention = {};
  config.of<FlowMatchingHead::Settings>().unet.time_size = 16;
  config.of<FlowMatchingHead::Settings>().given_size = 6;
  config.of<FlowMatchingHead::Settings>().steps = 10;
  return config;
}

HeadImage flow_image() {
  HeadImage image;
  image.channels = 1;
  image.height = image.width = 4;
  image.given = 2;
  image.map_channels = 2;
  image.map = [](const Tensor& given) { return given.reshape({-1, 2, 1, 1}).expand({given.size(0), 2, 4, 4}); };
  return image;
}

std::shared_ptr<FlowMatchingHead> flow_head(const HeadConfig& config, std::uint64_t seed = 3) {
  const double inf = std::numeric_limits<double>::infinity();
  const HeadImage image = flow_image();
  const auto head = make_head(config, std::vector<HeadTarget>(kFlowPixels, {-inf, inf}), kFlowContext,
                              at::detail::createCPUGenerator(seed), &image);
  head->eval();
  return std::dynamic_pointer_cast<FlowMatchingHead>(head);
}

// flow_head with random values for zero-initialized weights.
std::shared_ptr<FlowMatchingHead> lively_head(const HeadConfig& config) {
  auto head = flow_head(config);
  torch::NoGradGuard no_grad;
  auto generator = at::detail::createCPUGenerator(9);
  for (auto& p : head->parameters())
    if (p.abs().max().item<double>() == 0) p.copy_(0.1 * torch::randn(p.sizes(), generator, torch::kFloat));
  return head;
}

Tensor flow_random(at::IntArrayRef sizes, std::uint64_t seed) {
  return torch::randn(sizes, at::detail::createCPUGenerator(seed), torch::kFloat);
}

TEST(FlowMatchingHead, LossOfAnUntrainedHeadByHand) {
  const Tensor theta = flow_random({3, kFlowPixels}, 1), context = flow_random({3, kFlowContext}, 2),
               noise = flow_random({3, kFlowPixels}, 4), t = torch::tensor({0.0f, 0.3f, 0.9f});
  HeadConfig config = flow_config();
  config.of<FlowMatchingHead::Settings>().precondition = false;
  EXPECT_NEAR(flow_head(config)->loss_at(theta, context, noise, t).item<double>(),
              (theta - noise).square().mean().item<double>(), 1e-6);
  config.of<FlowMatchingHead::Settings>().precondition = true;
  double sum = 0;
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t j = 0; j < kFlowPixels; ++j) {
      const double s = t[b].item<double>(), x1 = theta[b][j].item<double>(), x0 = noise[b][j].item<double>();
      const double slope = (2 * s - 1) / ((1 - s) * (1 - s) + s * s);
      sum += std::pow(slope * ((1 - s) * x0 + s * x1) - (x1 - x0), 2);
    }
  EXPECT_NEAR(flow_head(config)->loss_at(theta, context, noise, t).item<double>(), sum / (3 * kFlowPixels), 1e-6);
}

TEST(FlowMatchingHead, NoiseIsAFunctionOfKeyAndRow) {
  const FlowNoise many = flow_noise(77, 4000, kFlowPixels, 1), few = flow_noise(77, 7, kFlowPixels, 1);
  EXPECT_TRUE(torch::equal(many.noise.narrow(0, 0, 7), few.noise));
  EXPECT_TRUE(torch::equal(many.t.narrow(0, 0, 7), few.t));
  const FlowNoise other = flow_noise(78, 7, kFlowPixels, 1);
  EXPECT_FALSE(torch::equal(other.noise, few.noise));
  EXPECT_FALSE(torch::equal(other.t, few.t));
  EXPECT_LT(many.noise.mean().abs().item<double>(), 0.02);
  EXPECT_NEAR(many.noise.var().item<double>(), 1, 0.02);
  // Far more even than independent draws, whose means would be off by 0.005.
  EXPECT_NEAR(many.t.mean().item<double>(), 0.5, 0.001);
  EXPECT_NEAR(many.t.square().mean().item<double>(), 1.0 / 3, 0.001);
  EXPECT_GE(many.t.min().item<double>(), 0);
  EXPECT_LT(many.t.max().item<double>(), 1);
  const FlowNoise skewed = flow_noise(77, 4000, kFlowPixels, 3);
  EXPECT_TRUE(torch::allclose(skewed.t, many.t.pow(3)));
  EXPECT_TRUE(torch::equal(skewed.noise, many.noise));
}

// A resumed run must draw what the first would have, whatever else draws meanwhile.
TEST(FlowMatchingHead, TrainingNoiseFollowsItsKeyAlone) {
  const auto head = lively_head(flow_config());
  head->train();
  const Tensor theta = flow_random({3, kFlowPixels}, 1), context = flow_random({3, kFlowContext}, 2);
  const auto loss = [&](std::uint64_t key) {
    head->set_noise(key);
    return head->loss(theta, context).item<double>();
  };
  const double first = loss(100);
  EXPECT_NE(loss(101), first);
  at::manual_seed(1);
  EXPECT_EQ(loss(100), first);
}

TEST(FlowMatchingHead, ValidationNoiseIsFixed) {
  const auto head = lively_head(flow_config());
  const Tensor theta = flow_random({3, kFlowPixels}, 1), context = flow_random({3, kFlowContext}, 2);
  const double first = head->loss(theta, context).item<double>();
  head->set_noise(101);
  EXPECT_EQ(head->loss(theta, context).item<double>(), first);
}

TEST(FlowMatchingHead, TrainingAndValidationAreAtTheSameTimes) {
  HeadConfig config = flow_config();
  config.of<FlowMatchingHead::Settings>().time_power = 3;
  const auto head = lively_head(config);
  const std::int64_t rows = 4000;
  const Tensor theta = flow_random({rows, kFlowPixels}, 1), context = flow_random({rows, kFlowContext}, 2);
  torch::NoGradGuard no_grad;
  const double validation = head->loss(theta, context).item<double>();
  head->train();
  head->set_noise(7);
  EXPECT_NEAR(head->loss(theta, context).item<double>(), validation, 0.02 * validation);
  HeadConfig uniform = flow_config();
  EXPECT_GT(std::abs(lively_head(uniform)->loss(theta, context).item<double>() - validation), 0.04 * validation);
}

// Against the cosine transform by its definition.
TEST(FlowMatchingHead, SummaryTellsTheLowestFrequencies) {
  HeadConfig config = flow_config();
  config.of<FlowMatchingHead::Settings>().summary = 0.5;
  config.of<FlowMatchingHead::Settings>().summary_frequencies = 2;
  const auto head = flow_head(config);
  const HeadImage image = flow_image();
  const Tensor theta = flow_random({3, kFlowPixels}, 1), context = flow_random({3, kFlowContext}, 2);
  // A constant prediction costs, for each coefficient, its mean square distance over its variance.
  for (const auto& parameter : head->named_parameters())
    if (parameter.key().starts_with("summary.")) {
      torch::NoGradGuard no_grad;
      parameter.value().zero_();
    }
  double wanted = 0, terms = 0;
  for (std::int64_t c = 0; c < image.channels; ++c)
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < 2; ++l) {
        double first = 0, second = 0;
        for (std::int64_t b = 0; b < 3; ++b) {
          double coefficient = 0;
          for (std::int64_t i = 0; i < image.height; ++i)
            for (std::int64_t j = 0; j < image.width; ++j) {
              const double down =
                  std::cos(M_PI * k * (static_cast<double>(i) + 0.5) / static_cast<double>(image.height));
              const double across =
                  std::cos(M_PI * l * (static_cast<double>(j) + 0.5) / static_cast<double>(image.width));
              coefficient += theta[b][(c * image.height + i) * image.width + j].item<double>() * down * across;
            }
          first += coefficient / 3;
          second += coefficient * coefficient / 3;
        }
        wanted += second / (second - first * first);
        ++terms;
      }
  EXPECT_NEAR(head->summary_loss(theta, context).item<double>(), wanted / terms, 1e-4 * wanted);
  EXPECT_NEAR(head->auxiliary_loss(theta, context).item<double>(), 0.5 * wanted / terms, 1e-4 * wanted);
  config.of<FlowMatchingHead::Settings>().summary = 0;
  const auto plain = flow_head(config);
  EXPECT_FALSE(plain->auxiliary_loss(theta, context).defined());
  EXPECT_THROW(plain->summary_loss(theta, context), Error);
}

TEST(FlowMatchingHead, HasNoDensity) {
  const auto head = flow_head(flow_config());
  EXPECT_FALSE(head->has_density());
  EXPECT_THROW(head->log_prob(torch::zeros({1, kFlowPixels}), torch::zeros({1, kFlowContext})), Error);
  EXPECT_THROW(head->log_prob_grid(torch::zeros({1, 2, kFlowPixels}), torch::zeros({1, kFlowContext})), Error);
}

TEST(FlowMatchingHead, SamplesAreTheIntegralOfTheVelocity) {
  const auto head = lively_head(flow_config());
  const Tensor context = flow_random({2, kFlowContext}, 2);
  torch::NoGradGuard no_grad;
  Tensor start;
  std::int64_t reported = 0;
  const Tensor x = head->sample_path(context, 3, 5, 4, [&](std::int64_t step, const Tensor& at) {
    EXPECT_EQ(at.sizes(), torch::IntArrayRef({2, 3, kFlowPixels}));
    if (step == 0) start = at.clone();
    ++reported;
    return true;
  });
  EXPECT_EQ(reported, 5);
  Tensor by_hand = start.reshape({6, kFlowPixels});
  const Tensor rows = context.repeat_interleave(3, 0);
  for (int k = 0; k < 4; ++k) by_hand = by_hand + 0.25 * head->velocity(by_hand, torch::full({6}, 0.25 * k), rows);
  EXPECT_TRUE(torch::allclose(by_hand.reshape({2, 3, kFlowPixels}), x, 1e-4, 1e-5));
  EXPECT_TRUE(torch::equal(head->sample_path(context, 3, 5, 10, {}), head->sample(context, 3, 5)));
  EXPECT_FALSE(torch::equal(head->sample(context, 3, 6), head->sample(context, 3, 5)));
  EXPECT_EQ(head->sample(context, 0, 5).sizes(), torch::IntArrayRef({2, 0, kFlowPixels}));
}

TEST(FlowMatchingHead, ManySamplesAreTheSameAsFew) {
  HeadConfig config = flow_config();
  config.of<FlowMatchingHead::Settings>().unet.channels = 64;  // so wide that not all rows are evaluated at once
  config.of<FlowMatchingHead::Settings>().unet.multipliers = {1};
  const auto head = lively_head(config);
  const Tensor context = flow_random({1, kFlowContext}, 2);
  const Tensor many = head->sample_path(context, 1100, 5, 1, {}), few = head->sample_path(context, 2, 5, 1, {});
  EXPECT_TRUE(torch::allclose(many.narrow(1, 0, 2), few, 1e-3, 1e-4));
}

TEST(FlowMatchingHead, AnUntrainedHeadsPosteriorMeanIsThePriors) {
  // The velocity at t = 0 is E[θ] - x_0, and the mean of a standardized target is 0.
  const auto head = flow_head(flow_config());
  const Tensor mean = head->posterior_mean_estimate(flow_random({2, kFlowContext}, 2), 3, 1);
  EXPECT_EQ(mean.sizes(), torch::IntArrayRef({2, kFlowPixels}));
  EXPECT_LT(mean.abs().max().item<double>(), 1e-6);
}

TEST(FlowMatchingHead, TakesStandardizedAggregatesAfterFolding) {
  HeadConfig config = flow_config();
  config.of<FlowMatchingHead::Settings>().unet.context_map = true;
  const auto head = lively_head(config);
  const Tensor x = flow_random({3, kFlowPixels}, 1), t = torch::tensor({0.1f, 0.5f, 0.7f});
  Tensor context = flow_random({3, kFlowContext}, 2);
  const Tensor before = head->velocity(x, t, context);
  const Tensor scale = torch::tensor({2.0, 0.5}, torch::kDouble), shift = torch::tensor({1.0, -3.0}, torch::kDouble);
  head->absorb_context_affine(scale, shift);
  context.narrow(1, 0, 2).mul_(scale.to(torch::kFloat)).add_(shift.to(torch::kFloat));
  EXPECT_TRUE(torch::allclose(head->velocity(x, t, context), before, 1e-4, 1e-5));
}

TEST(FlowMatchingHead, CountsTheEncoderOfWhatIsGiven) {
  HeadConfig config = flow_config();
  config.of<FlowMatchingHead::Settings>().context_layers = 0;
  const double before = flow_head(config)->flops();
  config.of<FlowMatchingHead::Settings>().given_size = 7;
  // given 2 -> s -> s, then s columns of the context into 32.
  EXPECT_EQ(flow_head(config)->flops() - before, 2.0 * ((2 * 7 + 7 * 7 + 7 * 32) - (2 * 6 + 6 * 6 + 6 * 32)));
  // All columns -> 5 -> 5, and those into 32.
  const double direct = flow_head(config)->flops();
  config.of<FlowMatchingHead::Settings>().context_layers = 2;
  config.of<FlowMatchingHead::Settings>().hidden = 5;
  const double columns = kFlowContext - 2 + 7;
  EXPECT_EQ(flow_head(config)->flops() - direct, 2.0 * (columns * 5 + 5 * 5 + (5 - columns) * 32));
}

// θ is the aggregate times one pattern and what is given times another, with a little noise.
TEST(FlowMatchingHead, LearnsAConditionalImage) {
  HeadConfig config = flow_config();
  const auto head = flow_head(config);
  const Tensor patterns = flow_random({2, kFlowPixels}, 31);
  auto generator = at::detail::createCPUGenerator(6);
  const auto images = [&](const Tensor& context) {
    return 0.5 * (context.select(1, 0).unsqueeze(1) * patterns[0] + context.select(1, 3).unsqueeze(1) * patterns[1]);
  };
  AdamW adam(head->parameters(), {.weight_decay = 0, .clip = 1});
  head->train();
  constexpr int kFlowTraining = 300;
  for (int step = 0; step < kFlowTraining; ++step) {
    const Tensor context = torch::randn({64, kFlowContext}, generator, torch::kFloat);
    head->set_noise(static_cast<std::uint64_t>(step));
    head->loss(images(context) + 0.1 * torch::randn({64, kFlowPixels}, generator, torch::kFloat), context).backward();
    adam.step(4e-3 * (1 - static_cast<double>(step) / kFlowTraining));
    adam.zero_grad();
  }
  head->eval();
  const Tensor context = torch::randn({64, kFlowContext}, generator, torch::kFloat), truth = images(context);
  const double prior = truth.square().mean().item<double>();
  const Tensor draws = head->sample(context, 4, 8);
  EXPECT_LT((draws.mean(1) - truth).square().mean().item<double>(), 0.1 * prior);
  EXPECT_LT((head->posterior_mean_estimate(context, 2, 9) - truth).square().mean().item<double>(), 0.1 * prior);
}

TEST(FlowMatchingHead, RefusesWhatDoesNotFit) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto make = [&](const HeadConfig& config, std::int64_t d, std::int64_t context, const HeadImage* image) {
    make_head(config, std::vector<HeadTarget>(static_cast<std::size_t>(d), {-inf, inf}), context,
              at::detail::createCPUGenerator(1), image);
  };
  const HeadImage image = flow_image();
  EXPECT_NO_THROW(make(flow_config(), kFlowPixels, kFlowContext, &image));
  EXPECT_THROW(make(flow_config(), kFlowPixels, kFlowContext, nullptr), Error);
  EXPECT_THROW(make(flow_config(), kFlowPixels + 1, kFlowContext, &image), Error);
  EXPECT_THROW(make(flow_config(), kFlowPixels, 2, &image), Error);
  HeadConfig config = flow_config();
  config.of<FlowMatchingHead::Settings>().time_power = 0.5;
  EXPECT_THROW(make(config, kFlowPixels, kFlowContext, &image), Error);
}

}  // namespace
}  // namespace pairs
