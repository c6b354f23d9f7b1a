#include "tasks/gaussian/gaussian.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/inverse_gamma.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/fields/fields.h"
#include "core/base/gpu/transfer.h"
#include "core/base/numbers/fast_normal.h"
#include "core/base/text/error.h"
#include "core/nuisance_posterior.h"
#include "core/prior_density.h"
#include "core/sufficient_statistics.h"
#include "core/target_choice.h"
#include "tasks/gaussian/nuisance.h"
#include "tasks/parts/rows.h"

namespace pairs {
namespace {

constexpr double mu0[2] = {-1.0, 2.0};
constexpr double lambda0 = 1.0, nu = 5.0;

// A symmetric 2 x 2 matrix.
struct Sym {
  double a, b, c;  // [[a, b], [b, c]]
  double det() const { return a * c - b * b; }
  Sym inverse() const { return {c / det(), -b / det(), a / det()}; }
  Sym scaled(double s) const { return {a * s, b * s, c * s}; }
};
constexpr Sym wishart_scale{0.5, 0.25, 1.0};

// Lower triangle of a 2 x 2 matrix: the Cholesky factor of a Sym.
struct Lower {
  double a, b, c;  // [[a, 0], [b, c]]
};
Lower cholesky(const Sym& m) {
  const double a = std::sqrt(m.a), b = m.b / a;
  return {a, b, std::sqrt(m.c - b * b)};
}

// Wishart(scale, nu) by Bartlett's decomposition.
Sym draw_wishart(const Sym& scale, Stream& stream) {
  const Lower l = cholesky(scale);
  const double t11 = std::sqrt(2.0 * stream.gamma64(0.5 * nu)), t21 = stream.normal64(),
               t22 = std::sqrt(2.0 * stream.gamma64(0.5 * (nu - 1.0)));
  const double a = l.a * t11, b = l.b * t11 + l.c * t21, c = l.c * t22;
  return {a * a, a * b, b * b + c * c};
}

// log of the normalizing constant of the bivariate t with v degrees of freedom and unit scale.
double log_t_constant(double v) {
  return boost::math::lgamma(0.5 * (v + 2.0)) - boost::math::lgamma(0.5 * v) - std::log(v * std::numbers::pi);
}

// The bivariate t posterior of docs/explanation/tasks.md, "Bivariate Gaussian".
class TPosterior final : public ReferencePosterior {
 public:
  explicit TPosterior(const Sym& psi0) : psi0_(psi0) {}

  void add(const Observations& observed) override {
    const torch::Tensor& x = observed.block();
    PAIRS_CHECK(x.dim() == 2 && x.size(1) == 2 && x.device().is_cpu(),
                "The Gaussian posterior takes observations [M, 2] on the CPU");
    const torch::Tensor rows = x.to(torch::kFloat64).contiguous();
    const double* p = rows.const_data_ptr<double>();
    const std::int64_t count = rows.size(0);
    if (n_ == 0 && count > 0) shift_ = {p[0], p[1]};
    std::array<double, 5> s{};
    for (std::int64_t i = 0; i < count; ++i) {
      const double d1 = p[2 * i] - shift_[0], d2 = p[2 * i + 1] - shift_[1];
      s[0] += d1;
      s[1] += d2;
      s[2] += d1 * d1;
      s[3] += d1 * d2;
      s[4] += d2 * d2;
    }
    for (const double v : s)
      PAIRS_CHECK(std::isfinite(v), "The Gaussian posterior was given a value that is not finite");
    for (std::size_t k = 0; k < s.size(); ++k) sums_[k] += s[k];
    n_ += count;
  }

  torch::Tensor log_density(const torch::Tensor& theta) override {
    PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == 2, "The Gaussian posterior takes theta [S, 2]");
    const State s = state();
    const Sym inverse = s.scale.inverse();
    const double constant = log_t_constant(s.v) - 0.5 * std::log(s.scale.det());
    const torch::Tensor in = theta.to(torch::kFloat64).contiguous();
    torch::Tensor out = at::empty({in.size(0)}, torch::kFloat64);
    const double* p = in.const_data_ptr<double>();
    double* q = out.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < in.size(0); ++i) {
      const double d1 = p[2 * i] - s.mean[0], d2 = p[2 * i + 1] - s.mean[1];
      const double quad = inverse.a * d1 * d1 + 2.0 * inverse.b * d1 * d2 + inverse.c * d2 * d2;
      q[i] = constant - 0.5 * (s.v + 2.0) * std::log1p(quad / s.v);
    }
    return out;
  }

  torch::Tensor mean() override {
    const State s = state();
    return at::from_blob(const_cast<double*>(s.mean.data()), {2}, torch::kFloat64).clone();
  }

  torch::Tensor covariance() override {
    const State s = state();
    const Sym c = s.scale.scaled(s.v / (s.v - 2.0));
    double values[4] = {c.a, c.b, c.b, c.c};
    return at::from_blob(values, {2, 2}, torch::kFloat64).clone();
  }

  torch::Tensor sample(std::int64_t count, Stream& stream) override {
    const State s = state();
    const Lower l = cholesky(s.scale);
    torch::Tensor out = at::empty({count, 2}, torch::kFloat64);
    double* q = out.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < count; ++i) {
      const double z1 = stream.normal64(), z2 = stream.normal64();
      const double r = std::sqrt(0.5 * s.v / stream.gamma64(0.5 * s.v));
      q[2 * i] = s.mean[0] + l.a * z1 * r;
      q[2 * i + 1] = s.mean[1] + (l.b * z1 + l.c * z2) * r;
    }
    return out;
  }

 private:
  struct State {
    std::array<double, 2> mean;
    Sym scale;
    double v;
  };
  State state() const {
    const auto n = static_cast<double>(n_);
    const double lambda_n = lambda0 + n, v = nu + n - 1.0;
    Sym psi = psi0_;
    std::array<double, 2> mean = {mu0[0], mu0[1]};
    if (n_ > 0) {
      const double m1 = sums_[0] / n, m2 = sums_[1] / n;
      const double e1 = shift_[0] + m1 - mu0[0], e2 = shift_[1] + m2 - mu0[1];
      const double w = lambda0 * n / lambda_n;
      psi.a += sums_[2] - n * m1 * m1 + w * e1 * e1;
      psi.b += sums_[3] - n * m1 * m2 + w * e1 * e2;
      psi.c += sums_[4] - n * m2 * m2 + w * e2 * e2;
      mean = {mu0[0] + n / lambda_n * e1, mu0[1] + n / lambda_n * e2};
    }
    return {mean, psi.scaled(1.0 / (lambda_n * v)), v};
  }

  Sym psi0_;
  std::int64_t n_ = 0;
  std::array<double, 2> shift_{};
  std::array<double, 5> sums_{};  // of (x - shift) and its products
};

class Gaussian final : public Task,
                       public InfersNuisances,
                       public HasSufficientStatistics,
                       public HasPriorDensity,
                       public ChoosesTargets {
 public:
  enum class Convention { precision, covariance, literal };

  explicit Gaussian(Convention convention)
      : convention_(convention), psi0_(convention == Convention::precision ? wishart_scale.inverse() : wishart_scale) {
    // Marginal prior of θ: t with 4 degrees of freedom and this scale; literal: a scale mixture with E ψ = nu W.
    const Sym spread = convention == Convention::literal ? wishart_scale.scaled(nu / lambda0)
                                                         : psi0_.scaled(1.0 / (lambda0 * (nu - 1.0)));
    const double scale[2] = {std::sqrt(spread.a), std::sqrt(spread.c)};
    const double inf = std::numeric_limits<double>::infinity();
    info_.name = "gaussian";
    info_.title = "Bivariate Gaussian";
    info_.summary = "The mean of a two-dimensional Gaussian whose covariance is unknown: the exact posterior is known.";
    info_.theta_text =
        "θ is the mean of the observations; its prior is centered at (−1, 2) and shares their covariance.";
    info_.psi_text =
        convention == Convention::precision
            ? "ψ is the covariance of the observations; its inverse has a Wishart prior (5 degrees of freedom)."
        : convention == Convention::covariance
            ? "ψ is the covariance of the observations, with an inverse Wishart prior (5 degrees of freedom)."
            : "ψ is the covariance of the observations, with a Wishart prior (5 degrees of freedom).";
    info_.x_text = "Each x is a point of the plane drawn from N(θ, ψ).";
    const char* names[2] = {"theta1", "theta2"};
    const char* labels[2] = {"θ₁", "θ₂"};
    const char* meanings[2] = {"mean of x₁", "mean of x₂"};
    for (int k = 0; k < 2; ++k) {
      // R is the width of the central 95 % of the t prior: 2 x 2.776 scales.
      info_.targets.push_back({names[k], labels[k], "", -inf, inf, mu0[k], scale[k], 5.552 * scale[k],
                               mu0[k] - 4.0 * scale[k], mu0[k] + 4.0 * scale[k], meanings[k]});
    }
    info_.nuisances = {{"psi11", "ψ₁₁", "", 0.05, 4.0, -1, "variance of x₁"},
                       {"psi12", "ψ₁₂", "", -2.0, 2.0, -1, "covariance"},
                       {"psi22", "ψ₂₂", "", 0.05, 4.0, -1, "variance of x₂"}};
    info_.question = {"Which mean θ lies behind this point? The covariance ψ is unknown, too.",
                      "Which mean θ do these {} points share? Their covariance ψ is unknown, too."};
    info_.max_n = 100000;
    info_.kind = ObservationKind::points;
    info_.observation_shape = {2};
    info_.observation_columns = {"x1", "x2"};
    info_.data_source = "simulated";
    info_.variant = convention == Convention::precision    ? "precision"
                    : convention == Convention::covariance ? "covariance"
                                                           : "literal";
  }

  const TaskInfo& info() const override { return info_; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return draw_latents(info_, seed, purpose, indices, [this](Stream& stream, double* theta, double* psi) {
      const Sym cov = convention_ == Convention::literal ? draw_wishart(wishart_scale, stream)
                                                         : draw_wishart(psi0_.inverse(), stream).inverse();
      const Lower l = cholesky(cov.scaled(1.0 / lambda0));
      const double z1 = stream.normal64(), z2 = stream.normal64();
      theta[0] = mu0[0] + l.a * z1;
      theta[1] = mu0[1] + l.b * z1 + l.c * z2;
      psi[0] = cov.a;
      psi[1] = cov.b;
      psi[2] = cov.c;
    });
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const std::uint64_t key = stream_key(seed, purpose);
    const Rows rows(ranges, latents, info_);
    const double* theta = latents.theta.const_data_ptr<double>();
    const double* psi = latents.psi.const_data_ptr<double>();
    torch::Tensor out = at::empty({rows.total(), 2}, torch::kFloat32);
    float* x = out.mutable_data_ptr<float>();
    rows.blocks([&](const ItemCounters& items, std::int64_t row, std::int64_t stop) {
      fill_normal_pairs(key, items, x + 2 * row);
      rows.pieces(row, stop, [&](std::size_t k, std::int64_t, std::int64_t count, std::int64_t at) {
        const Lower l = cholesky({psi[3 * k], psi[3 * k + 1], psi[3 * k + 2]});
        const auto a = static_cast<float>(l.a), b = static_cast<float>(l.b), c = static_cast<float>(l.c);
        const auto t1 = static_cast<float>(theta[2 * k]), t2 = static_cast<float>(theta[2 * k + 1]);
        float* p = x + 2 * at;
        for (std::int64_t i = 0; i < count; ++i) {
          const float z1 = p[2 * i], z2 = p[2 * i + 1];
          p[2 * i] = t1 + a * z1;
          p[2 * i + 1] = t2 + (b * z1 + c * z2);
        }
      });
    });
    return send(out, device);
  }

  void constrain(Latents& latents, Component) const override {
    auto* psi = latents.psi.mutable_data_ptr<double>();
    for (const int k : {0, 2}) psi[k] = std::max(psi[k], 1e-3);
    const double most = 0.98 * std::sqrt(psi[0] * psi[2]);
    psi[1] = std::clamp(psi[1], -most, most);
  }

  torch::Tensor density(const Latents& latents, const Observations& observed) const override {
    const torch::Tensor& x = observed.block();
    const auto* theta = latents.theta.const_data_ptr<double>();
    const auto* psi = latents.psi.const_data_ptr<double>();
    const Sym cov{psi[0], psi[1], psi[2]}, inverse = cov.inverse();
    const torch::Tensor at = x.to(torch::kFloat64), a = at.select(1, 0) - theta[0], b = at.select(1, 1) - theta[1];
    const torch::Tensor quad = inverse.a * a.square() + 2 * inverse.b * a * b + inverse.c * b.square();
    return (-0.5 * quad).exp() / (2 * std::numbers::pi * std::sqrt(cov.det()));
  }

  std::vector<std::string> references() const override {
    if (convention_ == Convention::literal) return {};
    return {"exact"};
  }

  std::unique_ptr<ReferencePosterior> reference(const std::string& name) const override {
    if (name == "exact" && convention_ != Convention::literal) return std::make_unique<TPosterior>(psi0_);
    return Task::reference(name);
  }

  std::unique_ptr<NuisancePosterior> nuisance_posterior(const Observations& x) const override {
    const bool literal = convention_ == Convention::literal;
    const Sym scale = literal ? wishart_scale.inverse() : psi0_;
    return gaussian::make_nuisance_posterior({!literal, {scale.a, scale.b, scale.c}, nu, {mu0[0], mu0[1]}, lambda0}, x);
  }

  std::vector<std::string> statistic_names() const override { return {"x₁", "x₂", "x₁²", "x₁x₂", "x₂²"}; }

  torch::Tensor statistics(const Observations& observed) const override {
    const torch::Tensor x = observed.block().to(torch::kFloat64), a = x.select(1, 0), b = x.select(1, 1);
    return at::stack({a, b, a * a, a * b, b * b}, 1);
  }

  std::vector<std::optional<NuisanceTarget>> nuisance_targets() const override {
    const NuisanceTarget first = variance_target(0), second = variance_target(1);
    return {first, covariance_target(first, second), second};
  }

  // The log density of the posterior without observations.
  torch::Tensor log_prior(const torch::Tensor& theta) const override {
    return convention_ == Convention::literal ? torch::Tensor() : TPosterior(psi0_).log_density(theta);
  }

  double exact_nll(std::int64_t n) const override {
    PAIRS_CHECK(n >= 0, "A set has no size {}", n);
    if (convention_ == Convention::literal) return std::numeric_limits<double>::quiet_NaN();
    const double nu_n = nu + static_cast<double>(n), lambda_n = lambda0 + static_cast<double>(n), v = nu_n - 1.0;
    const auto psi_2 = [](double a) { return boost::math::digamma(a) + boost::math::digamma(a - 0.5); };
    const double entropy =
        -log_t_constant(v) + 0.5 * (v + 2.0) * (boost::math::digamma(0.5 * (v + 2.0)) - boost::math::digamma(0.5 * v));
    return entropy + 0.5 * (psi_2(0.5 * nu_n) - psi_2(0.5 * nu) + std::log(psi0_.det())) - std::log(lambda_n * v);
  }

 private:
  // The target for a nuisance with lower bound `low` and known quantiles.
  template <class Quantile>
  static NuisanceTarget target_of(double low, const Quantile& at) {
    return {low, std::numeric_limits<double>::infinity(), at(0.5), (at(0.8413) - at(0.1587)) / 2,
            at(0.975) - at(0.025)};
  }

  // ψ₁₁ or ψ₂₂: a scaled χ² with the literal prior on the covariance, else an inverse gamma.
  NuisanceTarget variance_target(int k) const {
    const Sym& scale = convention_ == Convention::literal ? wishart_scale : psi0_;
    const double unit = k == 0 ? scale.a : scale.c;
    if (convention_ == Convention::literal)
      return target_of(0, [&](double q) { return unit * quantile(boost::math::chi_squared(nu), q); });
    return target_of(
        0, [&](double q) { return quantile(boost::math::inverse_gamma_distribution<>((nu - 1) / 2, unit / 2), q); });
  }

  // ψ₁₂ is centered at its mean, and varies as much as the variances allow.
  NuisanceTarget covariance_target(const NuisanceTarget& first, const NuisanceTarget& second) const {
    constexpr double inf = std::numeric_limits<double>::infinity(), dimensions = 2;
    const double mean = convention_ == Convention::literal ? nu * wishart_scale.b : psi0_.b / (nu - dimensions - 1);
    const double scale = std::sqrt(first.scale * second.scale);
    return {-inf, inf, mean, scale, std::sqrt(first.range * second.range)};
  }

  Convention convention_;
  Sym psi0_;
  TaskInfo info_;
};

}  // namespace

std::vector<Field> GaussianSettings::fields() {
  return {Field::choice("convention", &convention,
                        "Prior on the precision, the covariance, or the paper's literal words",
                        {"precision", "covariance", "literal"})};
}

std::shared_ptr<const Task> make_gaussian(const std::string& convention) {
  if (convention.empty() || convention == "precision")
    return std::make_shared<Gaussian>(Gaussian::Convention::precision);
  if (convention == "covariance") return std::make_shared<Gaussian>(Gaussian::Convention::covariance);
  if (convention == "literal") return std::make_shared<Gaussian>(Gaussian::Convention::literal);
  const std::string near = nearest(convention, {"precision", "covariance", "literal"});
  fail_usage("The Gaussian task knows no convention \"{}\"{}; choose precision, covariance or literal", convention,
             near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

}  // namespace pairs
