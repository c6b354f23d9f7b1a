#include "core/heads/mixture_head.h"

#include <torch/optim/adam.h>

#include "core/base/text/error.h"
#include "tests/core/heads/head_checks.h"

namespace pairs {
namespace {

using namespace testing_heads;

HeadConfig small_mixture(const std::string& support, std::int64_t components = 6) {
  HeadConfig config;
  config.kind = "mixture";
  auto& own = config.of<MixtureHead::Settings>();
  own.support = support;
  own.components = components;
  own.hidden = 24;
  own.context_blocks = 1;
  return config;
}

struct MixtureShape {
  std::string support;
  std::int64_t d, components;
};

class MixtureHeads : public testing::TestWithParam<MixtureShape> {
 protected:
  std::shared_ptr<Head> make(double factor, torch::Dtype type) {
    auto head = build(small_mixture(GetParam().support, GetParam().components), GetParam().d, 5);
    head->to(type);
    sharpen(*head, factor, 0.15);
    return head;
  }
  Tensor theta(std::int64_t rows) const {
    const Tensor x = random({rows, GetParam().d}, 21);
    return GetParam().support == "box" ? torch::sigmoid(x) : x;
  }
  // The box that holds the density: all of it, or so wide that logistic tails beyond are below 1e-6.
  static Tensor whole(bool box, std::int64_t d) {
    const double reach = box ? 1 : 60;
    const auto all = torch::full({d}, reach, torch::kDouble);
    return torch::stack({box ? torch::zeros({d}, torch::kDouble) : all.neg(), all});
  }
};

TEST_P(MixtureHeads, IntegratesToOne) {
  const MixtureShape& s = GetParam();
  if (s.d > 2) GTEST_SKIP() << "no grid in more than two dimensions";
  for (const double factor : {1.0, 1.5}) {
    auto head = make(factor, torch::kDouble);
    const Tensor context = random({2, 5}, 4);
    for (std::int64_t b = 0; b < 2; ++b)
      EXPECT_NEAR(mass(*head, context.narrow(0, b, 1), whole(s.support == "box", s.d), s.d == 1 ? 100000 : 1500), 1.0,
                  s.d == 1 ? 1e-4 : 1e-3)
          << "weights times " << factor;
  }
}

TEST_P(MixtureHeads, GradientsMatchFiniteDifferences) {
  auto head = make(1.0, torch::kDouble);
  check_gradients(*head, theta(7), random({7, 5}, 8));
}

TEST_P(MixtureHeads, GridAgreesWithLogProb) {
  auto head = make(1.5, torch::kFloat);
  torch::NoGradGuard no_grad;
  const std::int64_t sets = 3;
  for (const std::int64_t points : {std::int64_t{1}, std::int64_t{11}, kRowsAtOnce + 5}) {
    const Tensor context = random({sets, 5}, 8).to(torch::kFloat), grid = theta(sets * points).to(torch::kFloat);
    const Tensor expected = head->log_prob(grid, context.repeat_interleave(points, 0)).view({sets, points});
    const Tensor got = head->log_prob_grid(grid.view({sets, points, -1}), context);
    EXPECT_LT((got - expected).abs().max().item<double>(), 1e-4) << points;
  }
}

TEST_P(MixtureHeads, SamplesFollowTheDensity) {
  const MixtureShape& s = GetParam();
  auto head = make(1.5, torch::kFloat);
  const Tensor context = random({2, 5}, 4).to(torch::kFloat);
  const std::int64_t draws = 20000;
  const Tensor sample = head->sample(context, draws, 99);
  ASSERT_EQ(sample.sizes(), (torch::IntArrayRef{2, draws, s.d}));
  if (s.d == 1) {
    const double low = s.support == "box" ? 0 : -16, high = s.support == "box" ? 1 : 16;
    for (std::int64_t b = 0; b < 2; ++b) {
      const double distance =
          ks_distance(sample[b], [&](const Tensor& x) { return cdf_1d(*head, context.narrow(0, b, 1), x, low, high); });
      EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(draws)));  // Kolmogorov's 99.9 % point
    }
  }
  if (s.d == 2) {
    // Counts of draws in cells against the density's mass there: chi-square of 8 × 8 cells, 99.99 % point.
    const std::int64_t cells = 8, fine = 40;
    const Tensor box = s.support == "box" ? whole(true, 2).to(torch::kFloat) : spread(*head, context.narrow(0, 0, 1));
    const Tensor low = box[0], width = (box[1] - low) / static_cast<double>(cells);
    double chi = 0, used = 0;
    const Tensor where = ((sample[0] - low) / width).floor();
    for (std::int64_t i = 0; i < cells; ++i)
      for (std::int64_t j = 0; j < cells; ++j) {
        const Tensor at = torch::tensor({static_cast<float>(i), static_cast<float>(j)});
        const Tensor corner = low + at * width;
        const double expected = static_cast<double>(draws) *
                                mass(*head, context.narrow(0, 0, 1), torch::stack({corner, corner + width}), fine);
        if (expected < 10) continue;
        const double seen = static_cast<double>((where == at).all(1).sum().item<std::int64_t>());
        chi += (seen - expected) * (seen - expected) / expected;
        ++used;
      }
    EXPECT_GT(used, 4);
    EXPECT_LT(chi, used + 3.7 * std::sqrt(2 * used) + 10);
  }
  EXPECT_TRUE(torch::equal(sample, head->sample(context, draws, 99)));
  EXPECT_FALSE(torch::equal(sample, head->sample(context, draws, 100)));
  EXPECT_LT((head->sample(context, 10, 99) - sample.narrow(1, 0, 10)).abs().max().item<double>(), 1e-5);
}

TEST_P(MixtureHeads, AbsorbsAnAffineMapOfTheContext) {
  auto head = make(1.0, torch::kDouble);
  check_absorb(*head, theta(9), random({9, 5}, 8), 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MixtureHeads,
                         testing::Values(MixtureShape{"box", 1, 6}, MixtureShape{"real", 1, 6},
                                         MixtureShape{"box", 2, 6}, MixtureShape{"real", 2, 6},
                                         MixtureShape{"real", 5, 4}, MixtureShape{"box", 1, 1}));

// Without a word from the context the components lie evenly over the prior: three standard deviations of it on either
// side, within the support.
TEST(MixtureHead, StartsSpreadOverThePrior) {
  const auto mean_and_sd = [](const std::string& support, const HeadTarget& target) {
    auto head = make_head(small_mixture(support, 24), std::vector{target}, 5, at::detail::createCPUGenerator(3));
    torch::NoGradGuard no_grad;
    for (auto& p : head->parameters()) p.zero_();
    const Tensor draws = head->sample(torch::zeros({1, 5}), 40000, 7).flatten();
    return std::pair{draws.mean().item<double>(), draws.std().item<double>()};
  };
  const double inf = std::numeric_limits<double>::infinity();
  const auto [whole, whole_sd] = mean_and_sd("box", {0, 1, 0.5, 0.2887});
  EXPECT_NEAR(whole, 0.5, 0.01);
  EXPECT_NEAR(whole_sd, 1 / std::sqrt(12.0), 0.02);
  const auto [part, part_sd] = mean_and_sd("box", {0, 1, 0.7, 0.05});
  EXPECT_NEAR(part, 0.7, 0.01);
  EXPECT_NEAR(part_sd, 0.3 / std::sqrt(12.0), 0.01);
  const auto [real, real_sd] = mean_and_sd("real", {-inf, inf});
  EXPECT_NEAR(real, 0, 0.05);
  EXPECT_NEAR(real_sd, 6 / std::sqrt(12.0), 0.1);
}

// The posterior has two modes a hundredth as wide as the prior, at places that follow from the context. The mixture
// comes within 0.1 nat of its entropy.
TEST(MixtureHead, LearnsNarrowModes) {
  HeadConfig config = small_mixture("box", 16);
  config.of<MixtureHead::Settings>().hidden = 64;
  auto head = build(config, 1, 4);
  head->train();
  torch::optim::Adam adam(head->parameters(), torch::optim::AdamOptions(3e-3));
  constexpr double sd = 0.01, entropy = 0.5 + 0.918938533 + 0.693147181;  // with ln sd: of two modes that do not meet
  auto generator = at::detail::createCPUGenerator(5);
  const auto batch = [&](std::int64_t rows) {
    const Tensor low = 0.1 + 0.3 * torch::rand({rows, 1}, generator),
                 high = 0.6 + 0.3 * torch::rand({rows, 1}, generator);
    const Tensor side = torch::rand({rows, 1}, generator) < 0.5;
    return std::pair{
        torch::where(side, low, high) + sd * torch::randn({rows, 1}, generator),
        torch::cat({torch::cos(6 * low), torch::sin(6 * low), torch::cos(6 * high), torch::sin(6 * high)}, 1)};
  };
  constexpr int steps = 1500;
  for (int i = 0; i < steps; ++i) {
    for (auto& group : adam.param_groups()) group.options().set_lr(3e-3 * (1 - i / static_cast<double>(steps)));
    const auto [theta, context] = batch(256);
    adam.zero_grad();
    head->loss(theta, context).backward();
    adam.step();
  }
  head->eval();
  torch::NoGradGuard no_grad;
  const auto [theta, context] = batch(4000);
  EXPECT_NEAR(head->loss(theta, context).item<double>(), entropy + std::log(sd), 0.1);
}

TEST(MixtureHead, RefusesNoComponents) {
  EXPECT_THROW(build(small_mixture("real", 0), 1, 5), Error);
}

}  // namespace
}  // namespace pairs
