#include "core/heads/gaussian_head.h"

#include "core/base/text/error.h"
#include "tests/core/heads/head_checks.h"

namespace pairs {
namespace {

using namespace testing_heads;

std::shared_ptr<GaussianHead> gaussian(std::int64_t d) {
  HeadConfig config;
  config.kind = "gaussian";
  config.of<GaussianHead::Settings>().hidden = 20;
  config.of<GaussianHead::Settings>().context_layers = 2;
  auto head = std::dynamic_pointer_cast<GaussianHead>(build(config, d, 6));
  head->to(torch::kDouble);
  return head;
}

// Context of five columns and log N.
Tensor contexts(const std::vector<double>& n) {
  const Tensor log_n = torch::tensor(n, torch::kDouble).log().unsqueeze(1);
  return torch::cat({random({log_n.size(0), 5}, 3), log_n}, 1);
}

TEST(GaussianHead, LossIsTheMeanSquaredErrorAndDoesNotSeeTheSize) {
  auto head = gaussian(2);
  const Tensor context = contexts({1, 10, 100}), theta = random({3, 2}, 1);
  const Tensor mean = head->predict(context);
  EXPECT_NEAR(head->loss(theta, context).item<double>(), (theta - mean).square().mean().item<double>(), 1e-12);
  Tensor other = context.clone();
  other.select(1, 5).fill_(7);
  EXPECT_TRUE(torch::equal(mean, head->predict(other)));
}

TEST(GaussianHead, InterpolatesLogSigmaInLogN) {
  auto head = gaussian(2);
  const Tensor theta = torch::zeros({5, 2}, torch::kDouble);
  EXPECT_THROW(head->log_prob(theta, contexts({1, 2, 3, 4, 5})), Error);
  head->set_sigma(torch::tensor({2, 8, 32}), torch::tensor({{1.0, 4.0}, {0.25, 1.0}, {0.125, 0.1}}));
  const Tensor context = contexts({1, 2, 4, 8, 1000});
  const std::vector<std::vector<double>> expected = {{1, 4}, {1, 4}, {0.5, 2}, {0.25, 1}, {0.125, 0.1}};
  const Tensor mean = head->predict(context), log_q = head->log_prob(theta, context);
  for (std::int64_t b = 0; b < 5; ++b) {
    double want = 0;
    for (std::int64_t j = 0; j < 2; ++j) {
      const double s = expected[static_cast<std::size_t>(b)][static_cast<std::size_t>(j)];
      const double z = -mean[b][j].item<double>() / s;
      want += -0.5 * z * z - std::log(s) - 0.9189385332046727;
    }
    EXPECT_NEAR(log_q[b].item<double>(), want, 1e-6 * std::abs(want));
  }
  const Tensor grid = head->log_prob_grid(theta.unsqueeze(1).expand({5, 3, 2}), context);
  EXPECT_LT((grid - log_q.unsqueeze(1)).abs().max().item<double>(), 1e-12);
}

TEST(GaussianHead, SamplesHaveTheMeanAndSigma) {
  auto head = gaussian(2);
  head->set_sigma(torch::tensor({10}), torch::tensor({{0.5, 0.02}}));
  const Tensor context = contexts({10, 10});
  const Tensor sample = head->sample(context, 40000, 5), mean = head->predict(context);
  const Tensor sd = torch::tensor({0.5, 0.02}, torch::kDouble);
  EXPECT_LT(((sample.mean(1) - mean) / sd).abs().max().item<double>(), 4.5 / 200);
  EXPECT_LT((sample.std(1) / sd - 1).abs().max().item<double>(), 4.5 / std::sqrt(80000.0));
}

TEST(GaussianHead, AbsorbsAnAffineMapOfTheContext) {
  auto head = gaussian(1);
  head->set_sigma(torch::tensor({10}), torch::tensor({{0.5}}));
  check_absorb(*head, random({4, 1}, 2), contexts({10, 10, 10, 10}), 5);
}

TEST(GaussianHead, RefusesSigmasThatDoNotFit) {
  auto head = gaussian(1);
  EXPECT_THROW(head->set_sigma(torch::tensor({2, 2}), torch::ones({2, 1})), Error);
  EXPECT_THROW(head->set_sigma(torch::tensor({0}), torch::ones({1, 1})), Error);
  EXPECT_THROW(head->set_sigma(torch::tensor({2}), torch::zeros({1, 1})), Error);
  EXPECT_THROW(head->set_sigma(torch::tensor({2}), torch::ones({1, 2})), Error);
  HeadConfig config;
  config.kind = "gaussian";
  EXPECT_THROW(build(config, 1, 1), Error);
}

}  // namespace
}  // namespace pairs
