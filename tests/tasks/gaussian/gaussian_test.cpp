#include "tasks/gaussian/gaussian.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "core/base/fields/face.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/sufficient_statistics.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;

torch::Tensor points(std::vector<double> values) {
  return at::tensor(values, torch::kFloat64).view({-1, 2});
}

TEST(Gaussian, PosteriorOfFourPointsMatchesTheWorkedExample) {
  const auto task = make_gaussian("");
  const auto exact = task->reference("exact");
  exact->add(points({-1, 2, 0, 1.5}));
  exact->add(points({-2, 3, .5, 2.5}));
  EXPECT_NEAR(exact->mean()[0].item<double>(), -0.7, 1e-12);
  EXPECT_NEAR(exact->mean()[1].item<double>(), 2.2, 1e-12);
  // Psi_n / (lambda_n (nu_n - d - 1)) with lambda_n = 5, nu_n = 9.
  const torch::Tensor cov = exact->covariance() * 30.0;
  EXPECT_NEAR(cov[0][0].item<double>(), 6.085714285714286, 1e-12);
  EXPECT_NEAR(cov[0][1].item<double>(), -1.621428571428571, 1e-12);
  EXPECT_NEAR(cov[1][1].item<double>(), 2.442857142857143, 1e-12);
  EXPECT_NEAR(exact->log_density(points({-1, 2})).item<double>(), -0.591558, 5e-7);
}

TEST(Gaussian, ExactNllMatchesTheReference) {
  const auto task = make_gaussian("precision");
  const torch::Tensor table = read_csv(PAIRS_SOURCE_DIR "/tests/reference/bivariate_gaussian_nll.csv");
  ASSERT_GE(table.size(0), 7);
  for (std::int64_t i = 0; i < table.size(0); ++i)
    EXPECT_NEAR(task->exact_nll(table[i][0].item<std::int64_t>()), table[i][1].item<double>(), 1e-5);
  EXPECT_NEAR(task->exact_nll(100000), -9.518, 5e-4);
  const auto covariance = make_gaussian("covariance");
  EXPECT_NEAR(covariance->exact_nll(0), 1.538, 5e-4);
  EXPECT_NEAR(covariance->exact_nll(100), -3.432, 6e-4);
  EXPECT_NEAR(covariance->exact_nll(100000), -10.345, 5e-4);
}

TEST(Gaussian, SimulatedNllMatchesItsClosedForm) {
  for (const char* convention : {"precision", "covariance"}) {
    const auto task = make_gaussian(convention);
    for (const std::int64_t n : {1, 2, 10, 100}) {
      const std::int64_t sets = 20000;
      const Latents latents = latents_of(*task, 11, Purpose::test, 0, sets);
      const torch::Tensor x = sets_of(*task, latents, 11, Purpose::test, 0, n);
      double sum = 0.0, square = 0.0;
      for (std::int64_t k = 0; k < sets; ++k) {
        const auto exact = task->reference("exact");
        exact->add(x[k]);
        const double nll = -exact->log_density(latents.theta.slice(0, k, k + 1)).item<double>();
        sum += nll;
        square += nll * nll;
      }
      const double mean = sum / sets, error = std::sqrt((square / sets - mean * mean) / sets);
      EXPECT_LT(error, 0.02);
      EXPECT_NEAR(mean, task->exact_nll(n), 4.0 * error) << convention << " N = " << n;
    }
  }
}

// Two sets that differ and whose statistics have the same means have the same posterior; the mean alone does not do.
TEST(Gaussian, MeansOfItsStatisticsAreSufficient) {
  for (const char* convention : {"precision", "covariance"}) {
    const auto task = make_gaussian(convention);
    const auto* const knows = face<HasSufficientStatistics>(*task);
    ASSERT_TRUE(knows);
    const torch::Tensor x = points({-0.3, 1.1, -1.2, 2.6, 0.4, 1.9, -2.0, 0.5});
    // A reflection of the four points that keeps their mean and scatter.
    const torch::Tensor v = at::tensor({0.5, -0.5, 0.7, -0.7}, torch::kFloat64).unsqueeze(1);
    const torch::Tensor other = x - 2 * v.mm(v.t().mm(x)) / v.square().sum();
    EXPECT_GT((other - x).abs().max().item<double>(), 0.1);
    const torch::Tensor t = knows->statistics(x), u = knows->statistics(other);
    EXPECT_EQ(t.size(1), static_cast<std::int64_t>(knows->statistic_names().size()));
    EXPECT_LT((t.mean(0) - u.mean(0)).abs().max().item<double>(), 1e-12);
    const torch::Tensor theta = points({-1, 2, 0, 0, -0.7, 1.4});
    const auto log_density = [&](const torch::Tensor& set) {
      const auto exact = task->reference("exact");
      exact->add(set);
      return exact->log_density(theta);
    };
    EXPECT_LT((log_density(x) - log_density(other)).abs().max().item<double>(), 1e-9);
    const torch::Tensor spread = x + 0.5 * (x - x.mean(0));  // the same mean, another scatter
    EXPECT_GT((log_density(x) - log_density(spread)).abs().max().item<double>(), 0.05);
  }
}

// Importance sampling over (theta, Lambda) from the prior, written out without the posterior's formulas.
TEST(Gaussian, PosteriorMatchesBruteForce) {
  for (const char* convention : {"precision", "covariance"}) {
    const auto task = make_gaussian(convention);
    const torch::Tensor x = points({-0.3, 1.1, -1.2, 2.6, 0.4, 1.9});
    const auto exact = task->reference("exact");
    exact->add(x);
    const std::int64_t draws = 400000;
    const Latents prior = latents_of(*task, 3, Purpose::check, 0, draws);
    const torch::Tensor a = prior.psi.select(1, 0), b = prior.psi.select(1, 1), c = prior.psi.select(1, 2);
    const torch::Tensor det = a * c - b * b;
    torch::Tensor log_weight = at::zeros({draws}, torch::kFloat64);
    for (int i = 0; i < 3; ++i) {
      const torch::Tensor d1 = x[i][0] - prior.theta.select(1, 0), d2 = x[i][1] - prior.theta.select(1, 1);
      log_weight = log_weight - 0.5 * (c * d1 * d1 - 2.0 * b * d1 * d2 + a * d2 * d2) / det - 0.5 * det.log();
    }
    torch::Tensor w = (log_weight - log_weight.max()).exp();
    w = w / w.sum();
    const double effective = 1.0 / (w * w).sum().item<double>();
    ASSERT_GT(effective, 3000.0);
    const torch::Tensor mean = (w.unsqueeze(1) * prior.theta).sum(0), centered = prior.theta - mean;
    const torch::Tensor cov = (w.unsqueeze(1) * centered).t().matmul(centered), exact_cov = exact->covariance();
    for (int i = 0; i < 2; ++i) {
      const double sd = std::sqrt(exact_cov[i][i].item<double>());
      EXPECT_NEAR(exact->mean()[i].item<double>(), mean[i].item<double>(), 4.5 * sd / std::sqrt(effective));
      for (int j = 0; j < 2; ++j)
        EXPECT_NEAR(exact_cov[i][j].item<double>(), cov[i][j].item<double>(), 9.0 * sd * sd / std::sqrt(effective));
    }
  }
}

TEST(Gaussian, DensityIntegratesToOneAndMatchesItsSamples) {
  const auto task = make_gaussian("");
  const auto exact = task->reference("exact");
  exact->add(points({-1, 2, 0, 1.5, -2, 3, .5, 2.5, 1, 1}));
  const torch::Tensor mean = exact->mean(), cov = exact->covariance();
  const torch::Tensor grid = at::linspace(-30, 30, 1501, torch::kFloat64);
  const auto mesh = at::meshgrid({grid, grid}, "ij");
  const torch::Tensor at = at::stack({mesh[0].flatten(), mesh[1].flatten()}, 1);
  const torch::Tensor theta = at * cov.diagonal().sqrt() + mean;
  const double cell = 0.04 * 0.04 * cov.diagonal().sqrt().prod().item<double>();
  EXPECT_NEAR(exact->log_density(theta).exp().sum().item<double>() * cell, 1.0, 1e-4);

  Stream stream(stream_key(1, Purpose::posterior), 0);
  const torch::Tensor s = exact->sample(40000, stream), centered = s - s.mean(0);
  const torch::Tensor sample_cov = centered.t().matmul(centered) / 40000.0;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(s.mean(0)[i].item<double>(), mean[i].item<double>(), 4.0 * std::sqrt(cov[i][i].item<double>() / 40000));
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(sample_cov[i][j].item<double>(), cov[i][j].item<double>(),
                  0.06 * std::sqrt(cov[i][i].item<double>() * cov[j][j].item<double>()));
  }
}

TEST(Gaussian, PosteriorIsStableForManyPointsFarFromTheOrigin) {
  const auto task = make_gaussian("");
  const auto chunks = task->reference("exact"), once = task->reference("exact");
  const Latents latents = latents_of(*task, 4, Purpose::test, 0, 1);
  const torch::Tensor x = sets_of(*task, latents, 4, Purpose::test, 0, 100000)[0].to(torch::kFloat64) + 1e5;
  once->add(x);
  for (std::int64_t at = 0; at < 100000; at += 333)
    chunks->add(x.slice(0, at, std::min<std::int64_t>(at + 333, 100000)));
  // Two passes: the formula of the posterior on exactly centered sums.
  const torch::Tensor center = x.mean(0), d = x - center, e = center - points({-1, 2})[0];
  const torch::Tensor psi =
      d.t().matmul(d) + e.unsqueeze(1) * e * (100000.0 / 100001.0) + points({16, -4, -4, 8}) / 7.0;
  const torch::Tensor cov = psi / (100001.0 * 100002.0);
  for (const auto& posterior : {chunks.get(), once.get()}) {
    EXPECT_LT(((posterior->covariance() - cov) / cov).abs().max().item<double>(), 1e-9);
    EXPECT_LT((posterior->mean() - (center - e / 100001.0)).abs().max().item<double>(), 1e-8);
  }
}

TEST(Gaussian, PriorHasTheMomentsOfItsConvention) {
  const std::int64_t sets = 200000;
  // E Lambda = nu W under "precision"; E psi = nu W under "literal"; E Lambda = nu W^-1 under "covariance".
  const double w[3] = {0.5, 0.25, 1.0}, w_inverse[3] = {16.0 / 7, -4.0 / 7, 8.0 / 7};
  for (const char* convention : {"precision", "covariance", "literal"}) {
    const auto task = make_gaussian(convention);
    const Latents l = latents_of(*task, 8, Purpose::test, 0, sets);
    const torch::Tensor a = l.psi.select(1, 0), b = l.psi.select(1, 1), c = l.psi.select(1, 2), det = a * c - b * b;
    const bool literal = std::string(convention) == "literal";
    const torch::Tensor wishart = literal ? l.psi : at::stack({c / det, -b / det, a / det}, 1);
    const double* scale = std::string(convention) == "covariance" ? w_inverse : w;
    for (int k = 0; k < 3; ++k) {
      const torch::Tensor v = wishart.select(1, k);
      EXPECT_NEAR(v.mean().item<double>(), 5.0 * scale[k], 4.0 * v.std().item<double>() / std::sqrt(sets))
          << convention;
    }
    // theta given psi is N(mu0, psi): whitened, its squared length is chi-square with two degrees of freedom.
    const torch::Tensor d1 = l.theta.select(1, 0) + 1.0, d2 = l.theta.select(1, 1) - 2.0;
    const torch::Tensor q = (c * d1 * d1 - 2.0 * b * d1 * d2 + a * d2 * d2) / det;
    EXPECT_LT(kolmogorov(doubles(q.slice(0, 0, 20000)), [](double v) { return 1.0 - std::exp(-0.5 * v); }), 1.95);
  }
}

TEST(Gaussian, ObservationsFollowTheirLatents) {
  const auto task = make_gaussian("");
  const Latents l = latents_of(*task, 2, Purpose::test, 7, 1);
  const std::int64_t n = 1000000;
  const torch::Tensor x = sets_of(*task, l, 2, Purpose::test, 7, n)[0].to(torch::kFloat64);
  const torch::Tensor d = x - l.theta[0], cov = d.t().matmul(d) / static_cast<double>(n);
  const double psi[2][2] = {{l.psi[0][0].item<double>(), l.psi[0][1].item<double>()},
                            {l.psi[0][1].item<double>(), l.psi[0][2].item<double>()}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_LT(std::abs(d.mean(0)[i].item<double>()), 4.0 * std::sqrt(psi[i][i] / n));
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(cov[i][j].item<double>(), psi[i][j], 4.0 * std::sqrt(2.0 * psi[i][i] * psi[j][j] / n));
  }
}

TEST(Gaussian, IsAddressableAndDescribed) {
  for (const char* convention : {"precision", "covariance", "literal"}) {
    const auto task = make_gaussian(convention);
    expect_addressable(*task);
    expect_described(*task);
  }
}

TEST(Gaussian, LiteralHasNoExactPosterior) {
  const auto task = make_gaussian("literal");
  EXPECT_TRUE(task->references().empty());
  EXPECT_TRUE(std::isnan(task->exact_nll(10)));
  EXPECT_THROW(task->reference("exact"), Error);
}

TEST(Gaussian, RefusesWhatItCannotUse) {
  try {
    make_gaussian("precison");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("did you mean precision"), std::string::npos) << e.what();
  }
  const auto exact = make_gaussian("")->reference("exact");
  EXPECT_THROW(exact->add(points({1, std::nan("")})), Error);
  EXPECT_THROW(exact->add(at::zeros({3, 1})), Error);
}

}  // namespace
}  // namespace pairs
