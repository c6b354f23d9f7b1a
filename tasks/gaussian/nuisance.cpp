#include "tasks/gaussian/nuisance.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"

namespace pairs::gaussian {
namespace {

// ψ is parametrized by a = ψ₁₁, β = ψ₁₂ / ψ₁₁ and c = ψ₂₂ − ψ₁₂² / ψ₁₁: every a, c > 0 and β give a covariance.
class NuisanceOfPoints : public NuisancePosterior {
 public:
  NuisanceOfPoints(const CovariancePrior& prior, const torch::Tensor& x) : prior_(prior) {
    PAIRS_CHECK(x.dim() == 2 && x.size(1) == 2 && x.size(0) > 0, "The Gaussian takes observations [N, 2]");
    const std::vector<double> values = doubles(x);
    count_ = static_cast<double>(x.size(0));
    for (std::size_t i = 0; i < values.size(); ++i) {
      PAIRS_CHECK(std::isfinite(values[i]), "The Gaussian was given a value that is not finite");
      mean_[i % 2] += values[i] / count_;
    }
    for (std::size_t i = 0; i < values.size(); i += 2) {
      const double d1 = values[i] - mean_[0], d2 = values[i + 1] - mean_[1];
      scatter_.a += d1 * d1;
      scatter_.b += d1 * d2;
      scatter_.c += d2 * d2;
    }
  }

 protected:
  // λ₀ (θ − μ₀)(θ − μ₀)ᵀ + Σ (x − θ)(x − θ)ᵀ at every row of theta.
  std::vector<Matrix> scatters(const torch::Tensor& theta) const {
    PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == 2 && theta.size(0) > 0, "The Gaussian takes theta [S, 2]");
    const std::vector<double> rows = doubles(theta);
    std::vector<Matrix> out;
    for (std::size_t i = 0; i < rows.size(); i += 2) {
      PAIRS_CHECK(std::isfinite(rows[i]) && std::isfinite(rows[i + 1]), "The Gaussian was given a mean not finite");
      Matrix sum = scatter_;
      const auto add = [&](double weight, const double* from) {
        const double d1 = rows[i] - from[0], d2 = rows[i + 1] - from[1];
        sum.a += weight * d1 * d1;
        sum.b += weight * d1 * d2;
        sum.c += weight * d2 * d2;
      };
      add(prior_.strength, prior_.mean);
      add(count_, mean_);
      out.push_back(sum);
    }
    return out;
  }

  static void write(double* psi, double a, double beta, double c) {
    psi[0] = a;
    psi[1] = a * beta;
    psi[2] = c + a * beta * beta;
  }

  CovariancePrior prior_;
  double count_ = 0;
  double mean_[2] = {0, 0};
  Matrix scatter_;
};

// ψ | θ, X ~ inverse Wishart(A, m): a ~ IG((m − 1) / 2, A₁₁ / 2), c ~ IG(m / 2, |A| / (2 A₁₁)), β | c ~ N(A₁₂ / A₁₁, c
// / A₁₁), a independent of both.
class Conjugate final : public NuisanceOfPoints {
 public:
  using NuisanceOfPoints::NuisanceOfPoints;

  torch::Tensor sample(const torch::Tensor& theta, Stream& stream) const override {
    const double m = freedom();
    torch::Tensor out = at::empty({theta.size(0), 3}, torch::kFloat64);
    auto* psi = out.mutable_data_ptr<double>();
    for (const Matrix& scale : scales(theta)) {
      const double rest = scale.c - scale.b * scale.b / scale.a;
      const double a = 0.5 * scale.a / stream.gamma64(0.5 * (m - 1)), c = 0.5 * rest / stream.gamma64(0.5 * m);
      write(psi, a, scale.b / scale.a + std::sqrt(c / scale.a) * stream.normal64(), c);
      psi += 3;
    }
    return out;
  }

  CellDensity marginal(const torch::Tensor& theta, std::int64_t k) const override {
    return k == 1 ? off_diagonal(theta) : diagonal(theta, k);
  }

 private:
  static constexpr std::size_t kCells = 300;

  double freedom() const { return prior_.freedom + 1 + count_; }

  std::vector<Matrix> scales(const torch::Tensor& theta) const {
    std::vector<Matrix> all = scatters(theta);
    for (Matrix& one : all) {
      one.a += prior_.scale.a;
      one.b += prior_.scale.b;
      one.c += prior_.scale.c;
    }
    return all;
  }

  // Cells from the lower to the upper bounds of nearly all rows.
  static CellDensity cells(std::vector<double> low, std::vector<double> high) {
    const std::size_t few = low.size() / 50;
    std::sort(low.begin(), low.end());
    std::sort(high.begin(), high.end());
    return {low[few], high[high.size() - 1 - few], std::vector<double>(kCells, 0)};
  }

  // ψ_kk ~ IG((m − 1) / 2, A_kk / 2).
  CellDensity diagonal(const torch::Tensor& theta, std::int64_t k) const {
    const double shape = 0.5 * (freedom() - 1);
    const double least = 1 / boost::math::gamma_q_inv(shape, 1e-5), most = 1 / boost::math::gamma_p_inv(shape, 5e-4);
    std::vector<double> rates, low, high;
    for (const Matrix& scale : scales(theta)) {
      rates.push_back(0.5 * (k == 0 ? scale.a : scale.c));
      low.push_back(rates.back() * least);
      high.push_back(rates.back() * most);
    }
    CellDensity out = cells(low, high);
    const double cell = (out.high - out.low) / kCells, constant = -std::lgamma(shape);
    for (std::size_t i = 0; i < kCells; ++i) {
      const double at = out.low + cell * (static_cast<double>(i) + 0.5);
      for (const double rate : rates)
        out.density[i] +=
            std::exp(constant + shape * std::log(rate / at) - rate / at) / (at * static_cast<double>(rates.size()));
    }
    return out;
  }

  // ψ₁₂ = a β with independent a and β: β is Student's t with m degrees of freedom; a is integrated by the trapezoid
  // rule in its logarithm.
  CellDensity off_diagonal(const torch::Tensor& theta) const {
    constexpr int kNodes = 17;
    constexpr std::size_t kMostRows = 48;
    const double m = freedom(), shape = 0.5 * (m - 1);
    std::vector<Matrix> rows = scales(theta);
    if (rows.size() > kMostRows) {
      std::vector<Matrix> some;
      for (std::size_t i = 0; i < kMostRows; ++i) some.push_back(rows[i * rows.size() / kMostRows]);
      rows = some;
    }
    std::vector<double> low, high;
    for (const Matrix& s : rows) {
      const double mean = s.b / (m - 3);
      const double sd = std::sqrt(((m - 1) * s.b * s.b + (m - 3) * s.a * s.c) / ((m - 2) * (m - 5))) / (m - 3);
      low.push_back(mean - 8 * sd);
      high.push_back(mean + 8 * sd);
    }
    CellDensity out = cells(low, high);
    const double cell = (out.high - out.low) / kCells;
    const double t_constant = std::lgamma(0.5 * (m + 1)) - std::lgamma(0.5 * m) - 0.5 * std::log(m * std::numbers::pi);
    std::array<double, kNodes> node, weight;
    double sum = 0;
    const double first = std::log(0.5 / boost::math::gamma_q_inv(shape, 1e-9)),
                 last = std::log(0.5 / boost::math::gamma_p_inv(shape, 1e-9));
    for (std::size_t q = 0; q < kNodes; ++q) {
      node[q] = std::exp(first + (last - first) * static_cast<double>(q) / (kNodes - 1));
      weight[q] = std::exp(shape - shape * std::log(2 * shape * node[q]) - 0.5 / node[q]);
      sum += weight[q];
    }
    for (const Matrix& s : rows) {
      const double location = s.b / s.a, spread = std::sqrt((s.c - s.b * s.b / s.a) / (s.a * m));
      for (std::size_t q = 0; q < kNodes; ++q) {
        const double a = s.a * node[q], scale = a * spread;
        const double share = weight[q] / (sum * scale * static_cast<double>(rows.size()));
        for (std::size_t i = 0; i < kCells; ++i) {
          const double z = (out.low + cell * (static_cast<double>(i) + 0.5) - a * location) / scale;
          out.density[i] += share * std::exp(t_constant - 0.5 * (m + 1) * std::log1p(z * z / m));
        }
      }
    }
    return out;
  }
};

// With V = scale and A the scatter, p(a, β, c) ∝ a (a c)^k exp(−½ tr Vψ − ½ tr ψ⁻¹A), k = (freedom − N − 4) / 2: β is
// normal given a and c; a and c are sampled from a grid in their logarithms, narrowed to where the density is.
class MatrixInverseGaussian final : public NuisanceOfPoints {
 public:
  using NuisanceOfPoints::NuisanceOfPoints;

  torch::Tensor sample(const torch::Tensor& theta, Stream& stream) const override {
    torch::Tensor out = at::empty({theta.size(0), 3}, torch::kFloat64);
    auto* psi = out.mutable_data_ptr<double>();
    for (const Matrix& scatter : scatters(theta)) {
      draw(scatter, 1, stream, psi);
      psi += 3;
    }
    return out;
  }

  CellDensity marginal(const torch::Tensor& theta, std::int64_t k) const override {
    constexpr std::size_t kMostRows = 64;
    const std::vector<Matrix> rows = scatters(theta);
    const std::size_t count = std::min(rows.size(), kMostRows), each = 4096 / count;
    Stream stream(stream_key(1, Purpose::posterior), 0);
    std::vector<double> psi(3 * each), draws;
    for (std::size_t i = 0; i < count; ++i) {
      draw(rows[i * rows.size() / count], each, stream, psi.data());
      for (std::size_t j = 0; j < each; ++j) draws.push_back(psi[3 * j + static_cast<std::size_t>(k)]);
    }
    return kernel_density(std::move(draws));
  }

 private:
  void draw(const Matrix& scatter, std::size_t count, Stream& stream, double* psi) const {
    const Box box = occupied(scatter);
    std::vector<double> below = log_joint(scatter, box);
    const double top = *std::max_element(below.begin(), below.end());
    double sum = 0;
    for (double& value : below) value = sum += std::exp(value - top);
    for (std::size_t i = 0; i < count; ++i, psi += 3) {
      const auto cell = std::upper_bound(below.begin(), below.end() - 1, stream.uniform64() * sum);
      const auto k = static_cast<std::size_t>(cell - below.begin());
      const double a = std::exp(box.a.low + box.a.step() * (static_cast<double>(k / kSide) + stream.uniform64()));
      const double c = std::exp(box.c.low + box.c.step() * (static_cast<double>(k % kSide) + stream.uniform64()));
      const double precision = prior_.scale.c * a + scatter.a / c;
      const double beta = (scatter.b / c - prior_.scale.b * a) / precision + stream.normal64() / std::sqrt(precision);
      write(psi, a, beta, c);
    }
  }

  static constexpr std::size_t kSide = 32;
  static constexpr double kLeftOut = 18;

  struct Side {
    double low = 0, high = 1;
    double step() const { return (high - low) / kSide; }
    double middle(std::size_t i) const { return low + step() * (static_cast<double>(i) + 0.5); }
  };
  struct Box {
    Side a, c;  // logarithms
  };

  std::vector<double> log_joint(const Matrix& s, const Box& box) const {
    const Matrix& v = prior_.scale;
    const double power = 0.5 * (prior_.freedom - count_ - 4) + 1;
    std::vector<double> out;
    out.reserve(kSide * kSide);
    for (std::size_t i = 0; i < kSide; ++i)
      for (std::size_t j = 0; j < kSide; ++j) {
        const double log_a = box.a.middle(i), log_c = box.c.middle(j), a = std::exp(log_a), c = std::exp(log_c);
        const double precision = v.c * a + s.a / c, pull = s.b / c - v.b * a;
        out.push_back(power * (log_a + log_c) + log_a + 0.5 * pull * pull / precision - 0.5 * std::log(precision) -
                      0.5 * (v.a * a + v.c * c + s.a / a + s.c / c));
      }
    return out;
  }

  Box occupied(const Matrix& s) const {
    // The values of a and c without a prior, and a wide range around them.
    const double a = std::log(s.a / count_), c = std::log((s.c - s.b * s.b / s.a) / count_);
    Box box{{std::min(a, 0.0) - 8, std::max(a, 0.0) + 8}, {std::min(c, 0.0) - 8, std::max(c, 0.0) + 8}};
    for (int round = 0; round < 12; ++round) {
      const std::vector<double> joint = log_joint(s, box);
      const double top = *std::max_element(joint.begin(), joint.end());
      std::size_t first_a = kSide, last_a = 0, first_c = kSide, last_c = 0;
      for (std::size_t k = 0; k < joint.size(); ++k)
        if (joint[k] > top - kLeftOut) {
          first_a = std::min(first_a, k / kSide);
          last_a = std::max(last_a, k / kSide);
          first_c = std::min(first_c, k % kSide);
          last_c = std::max(last_c, k % kSide);
        }
      const auto part = [](const Side& side, std::size_t first, std::size_t last) {
        return Side{side.low + side.step() * (static_cast<double>(first) - 1),
                    side.low + side.step() * (static_cast<double>(last) + 2)};
      };
      const Box next{part(box.a, first_a, last_a), part(box.c, first_c, last_c)};
      const bool settled = next.a.step() > 0.7 * box.a.step() && next.c.step() > 0.7 * box.c.step();
      box = next;
      if (settled) break;
    }
    return box;
  }
};

}  // namespace

std::unique_ptr<NuisancePosterior> make_nuisance_posterior(const CovariancePrior& prior, const torch::Tensor& x) {
  if (prior.inverse_wishart) return std::make_unique<Conjugate>(prior, x);
  return std::make_unique<MatrixInverseGaussian>(prior, x);
}

}  // namespace pairs::gaussian
