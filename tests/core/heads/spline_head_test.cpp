#include "core/heads/spline_head.h"

#include "core/base/text/error.h"
#include "tests/core/heads/head_checks.h"

namespace pairs {
namespace {

using namespace testing_heads;

HeadConfig small_spline(const std::string& support) {
  HeadConfig config;
  config.of<SplineHead::Settings>().support = support;
  config.of<SplineHead::Settings>().hidden = 24;
  config.of<SplineHead::Settings>().context_layers = 2;
  config.of<SplineHead::Settings>().bins = 8;
  return config;
}

struct SplineShape {
  std::string support;
  std::int64_t d;
  bool affine;
  std::int64_t context_layers;
};

class SplineHeads : public testing::TestWithParam<SplineShape> {
 protected:
  std::shared_ptr<Head> make(double factor, double fresh, torch::Dtype type) {
    const SplineShape& s = GetParam();
    HeadConfig config = small_spline(s.support);
    config.of<SplineHead::Settings>().affine = s.affine;
    config.of<SplineHead::Settings>().context_layers = s.context_layers;
    auto head = build(config, s.d, 5);
    head->to(type);
    sharpen(*head, factor, fresh);
    return head;
  }
  Tensor theta(std::int64_t rows) const {
    const Tensor x = random({rows, GetParam().d}, 21);
    return GetParam().support == "box" ? torch::sigmoid(x) : x;
  }
};

TEST_P(SplineHeads, IntegratesToOne) {
  const SplineShape& s = GetParam();
  if (s.d > 2) GTEST_SKIP() << "no grid in more than two dimensions";
  for (const double factor : {1.0, 2.0}) {
    auto head = make(factor, 0.15, s.d == 1 ? torch::kDouble : torch::kFloat);
    const Tensor context = random({2, 5}, 4).to(s.d == 1 ? torch::kDouble : torch::kFloat);
    for (std::int64_t b = 0; b < 2; ++b) {
      const Tensor one = context.narrow(0, b, 1);
      const Tensor unit = torch::stack({torch::zeros({s.d}, one.options()), torch::ones({s.d}, one.options())});
      const Tensor box = s.support == "box" ? unit : spread(*head, one);
      EXPECT_NEAR(mass(*head, one, box, s.d == 1 ? 40000 : 400), 1.0, 1e-4) << "weights times " << factor;
    }
  }
}

TEST_P(SplineHeads, GradientsMatchFiniteDifferences) {
  auto head = make(1.0, 0.1, torch::kDouble);
  check_gradients(*head, theta(7), random({7, 5}, 8));
}

TEST_P(SplineHeads, GridAgreesWithLogProb) {
  auto head = make(1.5, 0.1, torch::kFloat);
  torch::NoGradGuard no_grad;
  const std::int64_t sets = 3, points = 11;
  const Tensor context = random({sets, 5}, 8).to(torch::kFloat), grid = theta(sets * points).to(torch::kFloat);
  const Tensor expected = head->log_prob(grid, context.repeat_interleave(points, 0)).view({sets, points});
  const Tensor got = head->log_prob_grid(grid.view({sets, points, -1}), context);
  EXPECT_LT((got - expected).abs().max().item<double>(), 1e-4);
}

TEST_P(SplineHeads, SamplesFollowTheDensity) {
  const SplineShape& s = GetParam();
  auto head = make(1.5, 0.15, torch::kFloat);
  const Tensor context = random({2, 5}, 4).to(torch::kFloat);
  const std::int64_t draws = 20000;
  const Tensor sample = head->sample(context, draws, 99);
  ASSERT_EQ(sample.sizes(), (torch::IntArrayRef{2, draws, s.d}));
  if (s.d == 1) {
    // Kolmogorov's 99.9 % point.
    for (std::int64_t b = 0; b < 2; ++b) {
      const double low = s.support == "box" ? 0 : -16, high = s.support == "box" ? 1 : 16;
      const double distance =
          ks_distance(sample[b], [&](const Tensor& x) { return cdf_1d(*head, context.narrow(0, b, 1), x, low, high); });
      EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(draws)));
    }
  }
  // For any distribution p, E_q[p / q] = 1: with p a narrow Gaussian at the samples' mean.
  const Tensor x = sample[0], center = x.mean(0), sd = 0.4 * x.std(0);
  const Tensor log_q = head->log_prob_grid(sample.narrow(0, 0, 1), context.narrow(0, 0, 1))[0];
  const Tensor log_p = (-0.5 * ((x - center) / sd).square() - sd.log() - 0.918938533).sum(1);
  const Tensor ratio = torch::exp(log_p - log_q).to(torch::kDouble);
  const double error = ratio.std().item<double>() / std::sqrt(static_cast<double>(draws));
  if (s.support == "real") {
    EXPECT_NEAR(ratio.mean().item<double>(), 1.0, 5 * error);
  }
  EXPECT_TRUE(torch::equal(sample, head->sample(context, draws, 99)));
  EXPECT_FALSE(torch::equal(sample, head->sample(context, draws, 100)));
  // Fewer draws are the first of more.
  EXPECT_LT((head->sample(context, 10, 99) - sample.narrow(1, 0, 10)).abs().max().item<double>(), 1e-5);
}

TEST_P(SplineHeads, AbsorbsAnAffineMapOfTheContext) {
  auto head = make(1.0, 0.1, torch::kDouble);
  check_absorb(*head, theta(9), random({9, 5}, 8), 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SplineHeads,
                         testing::Values(SplineShape{"box", 1, true, 2}, SplineShape{"box", 1, false, 2},
                                         SplineShape{"real", 1, true, 2}, SplineShape{"real", 1, false, 2},
                                         SplineShape{"box", 2, true, 2}, SplineShape{"box", 2, false, 2},
                                         SplineShape{"real", 2, true, 2}, SplineShape{"real", 2, true, 0},
                                         SplineShape{"real", 5, true, 2}));

TEST(SplineHead, StartsNearTheBaseAndIgnoresNothingOutside) {
  auto box = build(small_spline("box"), 1, 5);
  const Tensor context = random({4, 5}, 2).to(torch::kFloat);
  const Tensor outside = torch::tensor({-0.1f, 1.1f, 0.0f, 1.0f}).view({4, 1});
  const Tensor log_q = box->log_prob(outside, context);
  EXPECT_EQ(log_q[0].item<float>(), -INFINITY);
  EXPECT_EQ(log_q[1].item<float>(), -INFINITY);
  EXPECT_TRUE(std::isfinite(log_q[2].item<float>()) && std::isfinite(log_q[3].item<float>()));
  // Far outside the bound of real support only the normal base is left.
  HeadConfig config = small_spline("real");
  config.of<SplineHead::Settings>().affine = false;
  auto real = build(config, 1, 5);
  const double far = real->log_prob(torch::full({4, 1}, 9.0f), context)[0].item<double>();
  EXPECT_NEAR(far, -0.5 * 81 - 0.9189385332, 1e-4);
}

TEST(SplineHead, AffineLayerReachesNarrowPosteriors) {
  // A posterior of width e^-12 at a location that varies with the context, set by hand; the shift is in units of the
  // width.
  HeadConfig config = small_spline("real");
  auto head = build(config, 1, 5);
  head->to(torch::kDouble);
  torch::NoGradGuard no_grad;
  for (auto& p : head->named_parameters()) {
    if (p.key() == "affine.context_weight") p.value().index_put_({0, 1}, 0.7 * std::exp(12.0));
    if (p.key() == "affine.bias") p.value().index_put_({1}, -15 * std::atanh(12.0 / 15));
  }
  const Tensor context = random({6, 5}, 2), center = 0.7 * context.select(1, 1);
  const Tensor sample = head->sample(context, 4000, 1);
  EXPECT_LT((sample.mean(1).squeeze(1) - center).abs().max().item<double>(), 3 * std::exp(-12.0));
  const Tensor width = sample.std(1).squeeze(1) / std::exp(-12.0);
  EXPECT_GT(width.min().item<double>(), 0.3);
  EXPECT_LT(width.max().item<double>(), 3.0);
}

TEST(SplineHead, BoxSupportReachesNarrowPosteriorsAtTheEndsOfTheRange) {
  // Width e^-6 of half the range, at its lower end: half of the logistic is cut off, and the density at the end itself
  // is finite.
  auto head = build(small_spline("box"), 1, 5);
  head->to(torch::kDouble);
  torch::NoGradGuard no_grad;
  for (auto& p : head->named_parameters()) {
    if (p.key() == "affine.bias") {
      p.value().index_put_({0}, -std::exp(6.0));
      p.value().index_put_({1}, -15 * std::atanh(6.0 / 15));
    }
    if (p.key().starts_with("transform")) p.value().zero_();
  }
  const Tensor context = random({1, 5}, 2), width = torch::full({1}, 0.5 * std::exp(-6.0), torch::kDouble);
  const Tensor sample = head->sample(context, 4000, 1);
  EXPECT_GE(sample.min().item<double>(), 0);
  EXPECT_NEAR(sample.median().item<double>() / width.item<double>(), std::log(3.0), 0.1);
  const double at_end = head->log_prob(torch::zeros({1, 1}, torch::kDouble), context).item<double>();
  EXPECT_NEAR(at_end, -std::log(2 * width.item<double>()), 0.02);  // 2 σ(0) σ(-0) / width
  const double far = head->log_prob(torch::ones({1, 1}, torch::kDouble), context).item<double>();
  EXPECT_NEAR(far, -1 / width.item<double>() + std::log(2 / width.item<double>()), 0.02);
}

TEST(SplineHead, EveryCoordinateIsChanged) {
  for (std::int64_t d = 1; d <= 9; ++d)
    for (std::int64_t transforms = d == 1 ? 1 : 2; transforms <= 5; ++transforms) {
      const auto masks = coupling_masks(d, transforms);
      ASSERT_EQ(static_cast<std::int64_t>(masks.size()), transforms);
      std::vector<int> hits(static_cast<std::size_t>(d), 0);
      for (const auto& mask : masks) {
        EXPECT_FALSE(mask.empty());
        EXPECT_TRUE(d == 1 || static_cast<std::int64_t>(mask.size()) < d);
        for (const std::int64_t i : mask) ++hits[static_cast<std::size_t>(i)];
      }
      EXPECT_GE(*std::min_element(hits.begin(), hits.end()), 1);
    }
  EXPECT_EQ(coupling_masks(2, 3), (std::vector<std::vector<std::int64_t>>{{0}, {1}, {0}}));
  EXPECT_THROW(coupling_masks(2, 1), Error);
}

TEST(SplineHead, SameSeedSameWeights) {
  auto a = build(small_spline("real"), 2, 5, 8), b = build(small_spline("real"), 2, 5, 8),
       c = build(small_spline("real"), 2, 5, 9);
  const auto pa = a->parameters(), pb = b->parameters(), pc = c->parameters();
  bool differs = false;
  for (std::size_t i = 0; i < pa.size(); ++i) {
    EXPECT_TRUE(torch::equal(pa[i], pb[i]));
    differs = differs || !torch::equal(pa[i], pc[i]);
  }
  EXPECT_TRUE(differs);
}

TEST(SplineHead, RefusesSettingsThatDoNotFit) {
  HeadConfig config = small_spline("real");
  config.of<SplineHead::Settings>().bins = 65;
  EXPECT_THROW(build(config, 1, 5), Error);
  config = small_spline("round");
  EXPECT_THROW(build(config, 1, 5), Error);
  config = small_spline("box");
  const HeadTarget open{0, std::numeric_limits<double>::infinity()};
  EXPECT_THROW(make_head(config, std::vector<HeadTarget>{open}, 5, at::detail::createCPUGenerator(1)), Error);
  config = small_spline("real");
  config.kind = "splines";
  EXPECT_THROW(build(config, 1, 5), Error);
}

}  // namespace
}  // namespace pairs
