#include "core/eval/references/learned_product.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/prior_density.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

std::shared_ptr<const Task> task_of(const std::string& name) {
  return built_in_tasks()->make(name, {});
}

// The exact posterior of each observation alone, in place of a head's answers.
SingleLogDensity exact_answers(const Task& task) {
  return [&task](const torch::Tensor& rows, const torch::Tensor& theta) {
    std::vector<torch::Tensor> out;
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
      const auto exact = task.reference("exact");
      exact->add(rows.slice(0, i, i + 1));
      out.push_back(exact->log_density(theta));
    }
    return at::stack(out);
  };
}

torch::Tensor set_of(const Task& task, std::int64_t index, std::int64_t n) {
  const std::vector<std::int64_t> indices = {index};
  return task.observe(task.latents(4, Purpose::test, indices), 4, Purpose::test, std::vector<SetRange>{{index, 0, n}},
                      torch::kCPU);
}

torch::Tensor thetas(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64).unsqueeze(1);
}

TEST(LearnedProduct, OfExactAnswersIsTheNaiveProductOfTheBumpHunt) {
  const auto task = task_of("bump-hunt");
  for (const std::int64_t n : {1, 2, 10, 100})
    for (std::int64_t index = 0; index < 4; ++index) {
      const torch::Tensor x = set_of(*task, index, n);
      const LearnedProduct product(*task, exact_answers(*task), x);
      const auto naive = task->reference("naive product");
      naive->add(x);
      const double sd = std::sqrt(naive->covariance().item<double>());
      EXPECT_NEAR(product.mean().item<double>(), naive->mean().item<double>(), 1e-3 * sd) << n;
      EXPECT_NEAR(product.sd().item<double>() / sd, 1, 1e-3) << n;
      const torch::Tensor theta = thetas({0.02, 0.2, 0.5, 0.9});
      EXPECT_LT((product.log_density(theta) - naive->log_density(theta)).abs().max().item<double>(), 1e-3) << n;
      EXPECT_EQ(product.log_density(thetas({1.2})).item<double>(), -INFINITY);
    }
}

// Π p(x_i | θ) p(θ) in closed form, with p(x_i | θ) = p(θ | x_i) p(x_i) / p(θ) from two bivariate t densities, made a
// density by a fine grid about its mean.
TEST(LearnedProduct, OfExactAnswersIsTheClosedFormOfTheGaussian) {
  const auto task = task_of("gaussian");
  for (const std::int64_t n : {1, 3, 30}) {
    const torch::Tensor x = set_of(*task, 5, n);
    const SingleLogDensity single = exact_answers(*task);
    const LearnedProduct product(*task, single, x);
    const std::int64_t side = 301;
    std::vector<torch::Tensor> axes;
    double area = 1;
    for (std::int64_t k = 0; k < 2; ++k) {
      const double middle = product.mean()[k].item<double>(), sd = product.sd()[k].item<double>();
      axes.push_back(torch::linspace(middle - 12 * sd, middle + 12 * sd, side, torch::kFloat64));
      area *= 24 * sd / static_cast<double>(side - 1);
    }
    axes = torch::meshgrid(axes, "ij");
    const torch::Tensor theta = at::stack({axes[0].flatten(), axes[1].flatten()}, 1);
    torch::Tensor log = single(x, theta).sum(0) - static_cast<double>(n - 1) * log_prior(*task, theta);
    log -= log.logsumexp(0) + std::log(area);
    const torch::Tensor mass = log.exp() * area, mean = mass.matmul(theta);
    const torch::Tensor sd = mass.matmul((theta - mean).square()).sqrt();
    // The t density of one observation has tails beyond this window, and its grid is coarse.
    const double tolerance = n == 1 ? 0.03 : 1e-3;
    EXPECT_LT(((product.mean() - mean) / sd).abs().max().item<double>(), tolerance) << n;
    EXPECT_LT((product.sd() / sd - 1).abs().max().item<double>(), tolerance) << n;
    const torch::Tensor there = theta.slice(0, 0, {}, 5003);
    EXPECT_LT((product.log_density(there) - log.slice(0, 0, {}, 5003)).abs().max().item<double>(), tolerance) << n;
  }
}

TEST(LearnedProduct, DrawsComeFromItsDensity) {
  const auto task = task_of("gaussian");
  const LearnedProduct product(*task, exact_answers(*task), set_of(*task, 2, 20));
  Stream stream(stream_key(1, Purpose::posterior), 1);
  const torch::Tensor draws = product.sample(20000, stream);
  const torch::Tensor error = product.sd() / std::sqrt(20000.0);
  EXPECT_LT(((draws.mean(0) - product.mean()) / error).abs().max().item<double>(), 4);
  EXPECT_LT((draws.std(0) / product.sd() - 1).abs().max().item<double>(), 0.03);
}

TEST(LearnedProduct, PriorsAreDensities) {
  const auto circle = task_of("circle"), bump = task_of("bump-hunt"), gaussian = task_of("gaussian");
  EXPECT_NEAR(log_prior(*circle, thetas({20, 45})).exp().sum().item<double>(), 2 / 35.0, 1e-12);
  EXPECT_EQ(log_prior(*bump, thetas({0.5})).item<double>(), 0);
  // The prior's draws: the mean of 1 / (p(θ) · area of a box) over those inside the box is 1 / their share.
  std::vector<std::int64_t> indices(20000);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
  const torch::Tensor theta = gaussian->latents(1, Purpose::test, indices).theta;
  const torch::Tensor off = (theta - torch::tensor({-1.0, 2.0}, torch::kFloat64)).abs().amax(1);
  const torch::Tensor weight = at::where(off < 1, (-log_prior(*gaussian, theta)).exp() / 4, at::zeros_like(off));
  EXPECT_NEAR(weight.mean().item<double>(), 1, 4 * weight.std().item<double>() / std::sqrt(20000.0));
  EXPECT_FALSE(log_prior(*task_of("digits"), thetas({3})).defined());
}

TEST(LearnedProduct, IsStoppedAndRefusesWhatIsNoNumber) {
  const auto task = task_of("bump-hunt");
  const torch::Tensor x = set_of(*task, 0, 3);
  EXPECT_THROW(LearnedProduct(*task, exact_answers(*task), x, [] { return false; }), Stopped);
  const SingleLogDensity nothing = [](const torch::Tensor& rows, const torch::Tensor& theta) {
    return at::full({rows.size(0), theta.size(0)}, NAN, torch::kFloat64);
  };
  EXPECT_THROW(LearnedProduct(*task, nothing, x), Error);
  EXPECT_THROW(LearnedProduct(*task_of("digits"), nothing, x), Error);
}

}  // namespace
}  // namespace pairs
