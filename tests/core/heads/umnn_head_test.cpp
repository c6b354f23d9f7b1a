#include "core/heads/umnn_head.h"

#include "core/base/text/error.h"
#include "core/ops/umnn_integral.h"
#include "tests/core/heads/head_checks.h"

namespace pairs {
namespace {

using namespace testing_heads;

HeadConfig small_umnn() {
  HeadConfig config;
  config.kind = "umnn";
  config.of<UmnnHead::Settings>().transforms = 2;
  config.of<UmnnHead::Settings>().conditioner = {24, 24};
  config.of<UmnnHead::Settings>().conditioner_size = 6;
  config.of<UmnnHead::Settings>().integrand = {16, 16};
  return config;
}

struct UmnnShape {
  std::int64_t d, transforms;
  bool affine;
};

class UmnnHeads : public testing::TestWithParam<UmnnShape> {
 protected:
  std::shared_ptr<UmnnHead> make(double factor, double fresh, torch::Dtype type) {
    HeadConfig config = small_umnn();
    config.of<UmnnHead::Settings>().transforms = GetParam().transforms;
    config.of<UmnnHead::Settings>().affine = GetParam().affine;
    auto head = std::dynamic_pointer_cast<UmnnHead>(build(config, GetParam().d, 5));
    head->to(type);
    sharpen(*head, factor, fresh);
    return head;
  }
};

TEST_P(UmnnHeads, IntegratesToOne) {
  if (GetParam().d > 2) GTEST_SKIP() << "no grid in more than two dimensions";
  for (const double factor : {1.0, 1.5}) {
    auto head = make(factor, 0.1, torch::kDouble);
    const Tensor context = random({1, 5}, 4);
    const std::int64_t side = GetParam().d == 1 ? 6000 : 160;
    EXPECT_NEAR(mass(*head, context, spread(*head, context), side), 1.0, 1e-4) << "weights times " << factor;
  }
}

TEST_P(UmnnHeads, InverseUndoesTheMap) {
  for (const double factor : {1.0, 2.0}) {
    auto head = make(factor, 0.1, torch::kFloat);
    torch::NoGradGuard no_grad;
    const Tensor z = random({60, GetParam().d}, 9).to(torch::kFloat), context = random({60, 5}, 4).to(torch::kFloat);
    const Tensor back = std::get<0>(head->forward_map(head->inverse_map(z, context), context));
    EXPECT_LT((back - z).abs().max().item<double>(), 1e-5) << "a context each, weights times " << factor;
    const Tensor two = context.narrow(0, 0, 1);
    const Tensor shared = std::get<0>(head->forward_map(head->inverse_map(z, two), two));
    EXPECT_LT((shared - z).abs().max().item<double>(), 1e-5) << "one context, weights times " << factor;
  }
}

// Many draws of a context are solved for by integrals over grids; compares them with a quadrature of 400 steps.
TEST_P(UmnnHeads, ManyDrawsUndoTheMapAsAFineQuadratureSeesIt) {
  if (GetParam().d > 1) GTEST_SKIP() << "draws of several targets share no conditions";
  for (const double factor : {1.0, 1.5, 2.0}) {
    HeadConfig config = small_umnn();
    config.of<UmnnHead::Settings>().transforms = GetParam().transforms;
    config.of<UmnnHead::Settings>().affine = GetParam().affine;
    const auto made = [&](std::int64_t steps) {
      config.of<UmnnHead::Settings>().quadrature_test = steps;
      auto head = std::dynamic_pointer_cast<UmnnHead>(build(config, 1, 5));
      sharpen(*head, factor, 0.1);
      return head;
    };
    torch::NoGradGuard no_grad;
    const std::int64_t sets = 2, draws = 1000;
    const Tensor z = random({sets * draws, 1}, 9).to(torch::kFloat), context = random({sets, 5}, 4).to(torch::kFloat);
    const Tensor theta = made(50)->inverse_map(z, context);
    const Tensor error = (std::get<0>(made(400)->forward_map(theta, context)) - z).abs();
    EXPECT_LT(error.max().item<double>(), 1e-4) << "weights times " << factor;
    EXPECT_LT(error.mean().item<double>(), 1e-5) << "weights times " << factor;
    const Tensor one = made(50)->inverse_map(z.narrow(0, draws, draws), context.narrow(0, 1, 1));
    EXPECT_LT((one - theta.narrow(0, draws, draws)).abs().max().item<double>(), 1e-5)
        << "whatever sets stand beside it";
  }
}

TEST_P(UmnnHeads, GradientsMatchFiniteDifferences) {
  auto head = make(1.0, 0.1, torch::kDouble);
  // The slope in x is g itself, that of the value is the quadrature's: they agree where the quadrature is exact, so
  // every unit of the integrands is held on one side of its kink. The operator's own test covers the kinks.
  torch::NoGradGuard no_grad;
  for (auto& p : head->named_parameters()) {
    if (p.key().ends_with("_bias0")) p.value().copy_(torch::tensor({20.0, -20.0}, torch::kDouble).repeat({8}));
    if (p.key().ends_with("_bias1")) p.value().copy_(torch::tensor({200.0, -200.0}, torch::kDouble).repeat({8}));
    if (p.key().ends_with("_weight2")) p.value().mul_(0.002);
  }
  torch::GradMode::set_enabled(true);
  check_gradients(*head, random({4, GetParam().d}, 9), random({4, 5}, 8), 4);
}

TEST_P(UmnnHeads, GridAgreesWithLogProb) {
  auto head = make(1.0, 0.1, torch::kFloat);
  torch::NoGradGuard no_grad;
  const std::int64_t sets = 3, points = 11;
  const Tensor context = random({sets, 5}, 8).to(torch::kFloat);
  const Tensor grid = random({sets, points, GetParam().d}, 10).to(torch::kFloat);
  const Tensor expected = head->log_prob(grid.view({sets * points, -1}), context.repeat_interleave(points, 0));
  const Tensor got = head->log_prob_grid(grid, context);
  EXPECT_LT((got - expected.view({sets, points})).abs().max().item<double>(), 1e-4);
}

// The grid's integrals against quadratures of 1,000 steps a value, far into the tails, and against the usual 50.
TEST_P(UmnnHeads, LargeGridAgreesWithAFineQuadrature) {
  HeadConfig config = small_umnn();
  config.of<UmnnHead::Settings>().transforms = GetParam().transforms;
  config.of<UmnnHead::Settings>().affine = GetParam().affine;
  const std::int64_t d = GetParam().d, sets = 2;
  const auto made = [&](std::int64_t steps) {
    config.of<UmnnHead::Settings>().quadrature_test = steps;
    auto head = build(config, d, 5);
    sharpen(*head, 1.5, 0.1);
    return head;
  };
  torch::NoGradGuard no_grad;
  const Tensor context = random({sets, 5}, 8).to(torch::kFloat);
  Tensor grid;
  if (d == 2) {  // 20 x 70 points in random order
    const Tensor first = 3 * random({sets, 20, 1}, 10), second = 3 * random({sets, 20, 70}, 11);
    grid = torch::stack({first.expand({sets, 20, 70}).reshape({sets, -1}), second.reshape({sets, -1})}, 2);
    grid = grid.index_select(1, torch::randperm(1400, at::detail::createCPUGenerator(3), torch::kLong));
  } else {
    grid = torch::cat({3 * random({sets, 90, d}, 10), 30 * random({sets, 10, d}, 12)}, 1);
  }
  grid = grid.to(torch::kFloat);
  const std::int64_t points = grid.size(1);
  const auto each = [&](Head& head) {
    return head.log_prob(grid.view({sets * points, d}), context.repeat_interleave(points, 0)).view({sets, points});
  };
  const Tensor expected = each(*made(1000)), usual = each(*made(50)), got = made(50)->log_prob_grid(grid, context);
  EXPECT_LT(((got - expected).abs() / (1 + expected.abs())).max().item<double>(), 2e-4);
  const Tensor body = expected > expected.amax(1, true) - 10;
  EXPECT_GT(body.sum().item<std::int64_t>(), points / 4);
  EXPECT_LT(expected.min().item<double>(), expected.max().item<double>() - 60) << "no tails";
  const auto error = [&](const Tensor& of) { return (of - expected).abs().masked_select(body).mean().item<double>(); };
  EXPECT_LT(error(got), 1e-4);
  EXPECT_LT(error(got), d > 2 ? 1.1 * error(usual) : error(usual));
}

TEST_P(UmnnHeads, SamplesFollowTheDensity) {
  auto head = make(1.5, 0.1, torch::kFloat);
  const Tensor context = random({1, 5}, 4).to(torch::kFloat);
  const std::int64_t draws = GetParam().d == 1 ? 10000 : 1000;
  const Tensor sample = head->sample(context, draws, 99);
  ASSERT_EQ(sample.sizes(), (torch::IntArrayRef{1, draws, GetParam().d}));
  if (GetParam().d == 1) {
    const double low = sample.min().item<double>() - 3, high = sample.max().item<double>() + 3;
    const double distance = ks_distance(sample, [&](const Tensor& x) {
      const std::int64_t points = 4000;
      const double step = (high - low) / static_cast<double>(points);
      const Tensor grid = ((torch::arange(points, torch::kDouble) + 0.5) * step + low).to(torch::kFloat);
      const Tensor p = head->log_prob_grid(grid.view({1, points, 1}), context)[0].to(torch::kDouble).exp() * step;
      const Tensor edges = torch::cat({torch::zeros({1}, torch::kDouble), p.cumsum(0)});
      const Tensor at = (x - low) / step, cell = at.floor().clamp(0, points - 1).to(torch::kLong);
      return edges.index_select(0, cell) + (at - cell) * p.index_select(0, cell);
    });
    EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(draws)));
  }
  const Tensor x = sample[0], center = x.mean(0), sd = 0.5 * x.std(0);
  const Tensor log_q = head->log_prob_grid(sample, context)[0];
  const Tensor log_p = (-0.5 * ((x - center) / sd).square() - sd.log() - 0.918938533).sum(1);
  const Tensor ratio = torch::exp(log_p - log_q).to(torch::kDouble);
  EXPECT_NEAR(ratio.mean().item<double>(), 1.0, 5 * ratio.std().item<double>() / std::sqrt(static_cast<double>(draws)));
  EXPECT_TRUE(torch::equal(sample, head->sample(context, draws, 99)));
}

TEST_P(UmnnHeads, AbsorbsAnAffineMapOfTheContext) {
  auto head = make(1.0, 0.1, torch::kDouble);
  check_absorb(*head, random({9, GetParam().d}, 7), random({9, 5}, 8), 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, UmnnHeads,
                         testing::Values(UmnnShape{1, 1, false}, UmnnShape{1, 2, true}, UmnnShape{2, 2, true},
                                         UmnnShape{2, 2, false}, UmnnShape{3, 2, false}));

TEST(UmnnHead, TrainingAndEvaluatingUseTheirOwnQuadrature) {
  HeadConfig config = small_umnn();
  config.of<UmnnHead::Settings>().quadrature = 4;
  config.of<UmnnHead::Settings>().quadrature_test = 50;
  auto head = build(config, 1, 5);
  const Tensor theta = random({8, 1}, 7).to(torch::kFloat), context = random({8, 5}, 8).to(torch::kFloat);
  const Tensor evaluating = head->log_prob(theta, context);
  head->train();
  const Tensor training = head->log_prob(theta, context);
  EXPECT_FALSE(torch::equal(evaluating, training));
  config.of<UmnnHead::Settings>().quadrature = 50;
  auto same = build(config, 1, 5);
  same->train();
  EXPECT_TRUE(torch::equal(evaluating, same->log_prob(theta, context)));
}

TEST(Conditioner, ContextReachesEveryUnit) {
  for (const std::int64_t d : {2, 3}) {
    const std::int64_t context = 7;
    const auto masks = autoregressive_masks(context, d, {32, 32}, 4);
    EXPECT_EQ(masks[0].narrow(1, 0, context).sum().item<std::int64_t>(), 32 * context);
    for (std::int64_t i = 0; i < d; ++i) {
      Tensor reach = masks[2][i * 4];
      reach = reach.matmul(masks[1]).matmul(masks[0]);
      EXPECT_GT(reach.narrow(0, 0, context).min().item<float>(), 0);
      for (std::int64_t j = 0; j < d; ++j) EXPECT_EQ(reach[context + j].item<float>() > 0, j < i) << i << " from " << j;
    }
  }
}

TEST(Conditioner, GradientsObeyTheOrder) {
  Conditioner net(5, 3, {40, 40}, 2, at::detail::createCPUGenerator(4));
  const Tensor context = random({1, 5}, 1).to(torch::kFloat);
  for (std::int64_t i = 0; i < 3; ++i) {
    const Tensor x = random({1, 3}, 2).to(torch::kFloat).requires_grad_();
    net.forward(context, x).select(1, i).sum().backward();
    for (std::int64_t j = 0; j < 3; ++j) EXPECT_EQ(x.grad()[0][j].item<float>() != 0, j < i) << i << " from " << j;
  }
}

TEST(UmnnHead, CountsLikeThePaper) {
  // FLOPs and parameters of the authors' networks, whose conditioner has the targets as inputs even where no unit may
  // see them: here one target saves that column, 2 * width FLOPs and width parameters a transform.
  struct Row {
    std::int64_t d, context, transforms;
    std::vector<std::int64_t> conditioner;
    std::int64_t size;
    std::vector<std::int64_t> integrand;
    double flops;
    std::int64_t parameters;
  };
  const std::vector<Row> rows = {{1, 11, 1, {128, 128}, 32, {64, 64, 64}, 500224, 32865},
                                 {1, 257, 2, {256, 256}, 64, {128, 128, 128}, 4218880, 380290},
                                 {2, 17, 2, {128, 128}, 32, {64, 64, 64}, 1932800, 75778},
                                 {1, 129, 1, {256, 256}, 32, {128, 128, 128}, 1847296, 145057}};
  for (const Row& row : rows) {
    HeadConfig config;
    config.kind = "umnn";
    auto& own = config.of<UmnnHead::Settings>();
    own.affine = false;
    own.transforms = row.transforms;
    own.conditioner = row.conditioner;
    own.conditioner_size = row.size;
    own.integrand = row.integrand;
    auto head = build(config, row.d, row.context);
    const std::int64_t saved = row.d > 1 ? 0 : row.transforms * row.conditioner[0];
    std::int64_t parameters = 0;
    for (const Tensor& p : head->parameters()) parameters += p.numel();
    EXPECT_EQ(parameters, row.parameters - saved);
    EXPECT_EQ(head->flops(), row.flops - 2 * static_cast<double>(saved));
  }
}

TEST(UmnnHead, RefusesSettingsThatDoNotFit) {
  HeadConfig config = small_umnn();
  config.of<UmnnHead::Settings>().quadrature = 21;
  EXPECT_THROW(build(config, 1, 5), Error);
  config = small_umnn();
  config.of<UmnnHead::Settings>().integrand = {};
  EXPECT_THROW(build(config, 1, 5), Error);
  config = small_umnn();
  config.of<UmnnHead::Settings>().transforms = 0;
  EXPECT_THROW(build(config, 1, 5), Error);
}

}  // namespace
}  // namespace pairs
