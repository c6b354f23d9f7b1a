#include "tasks/bump_hunt/posterior.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/base/text/error.h"
#include "tasks/bump_hunt/legendre.h"
#include "tasks/bump_hunt/mixture_product.h"

namespace pairs::bump_hunt {
namespace {

// A signal term below e^-40 of the background's does not change the sum.
constexpr double negligible = 40.0;
constexpr double marginal_variance = psi_sd * psi_sd + signal_sd * signal_sd;
// The ratio of marginal signal to background is symmetric about this point.
constexpr double mirror = -psi_mean / (marginal_variance - 1.0);

double log_sum_exp(double a, double b) {
  const double high = std::max(a, b), gap = std::abs(a - b);
  return gap > negligible ? high : high + std::log1p(std::exp(-gap));
}

class Posterior final : public ReferencePosterior {
 public:
  explicit Posterior(Likelihood likelihood) : likelihood_(likelihood) {}

  void add(const Observations& observed) override {
    const torch::Tensor& x = observed.block();
    PAIRS_CHECK(x.dim() == 2 && x.size(1) == 1 && x.device().is_cpu(),
                "The bump hunt posterior takes observations [M, 1] on the CPU");
    const torch::Tensor rows = x.to(torch::kFloat64).contiguous();
    const double* p = rows.const_data_ptr<double>();
    std::for_each(p, p + rows.size(0), check_event);
    events_.insert(events_.end(), p, p + rows.size(0));
    built_ = false;
  }

  torch::Tensor log_density(const torch::Tensor& theta) override {
    PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == 1, "The bump hunt posterior takes theta [S, 1]");
    build();
    const torch::Tensor in = theta.to(torch::kFloat64).contiguous();
    const double* p = in.const_data_ptr<double>();
    std::vector<double> inside;
    for (std::int64_t i = 0; i < in.size(0); ++i)
      if (p[i] >= 0.0 && p[i] <= 1.0) inside.push_back(p[i]);
    const std::vector<double> value = log_likelihood(inside);
    torch::Tensor out = at::full({in.size(0)}, -std::numeric_limits<double>::infinity(), torch::kFloat64);
    double* q = out.mutable_data_ptr<double>();
    std::size_t next = 0;
    for (std::int64_t i = 0; i < in.size(0); ++i)
      if (p[i] >= 0.0 && p[i] <= 1.0) q[i] = value[next++] - log_evidence_;
    return out;
  }

  torch::Tensor mean() override {
    build();
    return at::full({1}, mean_, torch::kFloat64);
  }

  torch::Tensor covariance() override {
    build();
    return at::full({1, 1}, variance_, torch::kFloat64);
  }

  torch::Tensor sample(std::int64_t count, Stream& stream) override {
    build();
    const auto cells =
        static_cast<std::size_t>(1024.0 * std::max(1.0, std::sqrt(static_cast<double>(events_.size()) / 100.0)));
    std::vector<double> grid(cells + 1);
    for (std::size_t k = 0; k <= cells; ++k) grid[k] = static_cast<double>(k) / static_cast<double>(cells);
    std::vector<double> density = log_likelihood(grid), cdf(cells + 1, 0.0);
    for (double& d : density) d = std::exp(d - log_evidence_);
    for (std::size_t k = 0; k < cells; ++k) cdf[k + 1] = cdf[k] + 0.5 * (density[k] + density[k + 1]);
    torch::Tensor out = at::empty({count, 1}, torch::kFloat64);
    double* q = out.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < count; ++i) {
      const double u = stream.uniform64() * cdf[cells];
      const auto above = std::upper_bound(cdf.begin() + 1, cdf.end() - 1, u);
      const auto k = static_cast<std::size_t>(above - cdf.begin()) - 1;
      const double r = std::max(u - cdf[k], 0.0), slope = density[k + 1] - density[k];
      const double root = std::sqrt(std::max(density[k] * density[k] + 2.0 * slope * r, 0.0)),
                   below = density[k] + root;
      const double t = below > 0.0 ? std::min(2.0 * r / below, 1.0) : 0.5;
      q[i] = (static_cast<double>(k) + t) / static_cast<double>(cells);
    }
    return out;
  }

 private:
  // log likelihood at each θ in [0, 1], up to a constant that does not depend on θ.
  std::vector<double> log_likelihood(const std::vector<double>& theta) const {
    std::vector<double> odds(theta.size());
    for (std::size_t i = 0; i < theta.size(); ++i) {
      const double t = std::min(theta[i], 1.0 - 1e-15);
      odds[i] = t / (1.0 - t);
    }
    std::vector<double> out = product_.log_sum(odds);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      if (odds[i] == 0) out[i] = log_prior_;  // no event is signal
      out[i] += static_cast<double>(events_.size()) * std::log1p(-std::min(theta[i], 1.0 - 1e-15));
    }
    return out;
  }

  void build() {
    if (built_) return;
    if (likelihood_ == Likelihood::naive) {
      build_naive();
    } else {
      build_rows();
    }
    const Quadrature& q = legendre_for(static_cast<std::int64_t>(events_.size()));
    std::vector<double> density = log_likelihood(q.node);
    const double top = *std::max_element(density.begin(), density.end());
    double z = 0.0, first = 0.0, second = 0.0;
    for (std::size_t j = 0; j < density.size(); ++j) {
      density[j] = q.weight[j] * std::exp(density[j] - top);
      z += density[j];
      first += density[j] * q.node[j];
    }
    mean_ = first / z;
    for (std::size_t j = 0; j < density.size(); ++j) second += density[j] * (q.node[j] - mean_) * (q.node[j] - mean_);
    variance_ = second / z;
    log_evidence_ = top + std::log(z);
    built_ = true;
  }

  void build_naive() {
    const std::int64_t count = static_cast<std::int64_t>(events_.size());
    product_.reset({&count, 1});
    for (const double x : events_) {
      const double d = x - psi_mean;
      product_.add(0, 0.5 * x * x - 0.5 * d * d / marginal_variance - 0.5 * std::log(marginal_variance));
    }
    const double weight = log_prior_ = 0.0;
    product_.finish({&weight, 1});
  }

  // Rows of the trapezoid rule in ψ, first .. last, where an event's signal density is not negligible.
  struct Interval {
    std::int64_t first, last;
  };

  // The posterior of ψ narrows as 1/√N; a step of one tenth of the signal's width is sufficient for up to 100 events.
  double step() const {
    return 0.1 * signal_sd / std::max(1.0, std::sqrt(static_cast<double>(events_.size()) / 100.0));
  }

  void build_rows() {
    const PlaceRange places = places_of(events_);
    const double h = step(), start = places.low;
    const auto rows = static_cast<std::int64_t>(std::lround((places.high - places.low) / h)) + 1;
    const bool folded = likelihood_ == Likelihood::per_event;
    std::vector<double> log_background(events_.size());
    std::vector<Interval> near(events_.size() * 2, {0, -1});
    std::vector<std::int64_t> factors(static_cast<std::size_t>(rows), 0);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const double x = events_[i], y = 2.0 * mirror - x;
      log_background[i] = folded ? log_sum_exp(-0.5 * x * x, -0.5 * y * y) : -0.5 * x * x;
      const double log_two = folded ? std::numbers::ln2 : 0.0;
      const double reach =
          signal_sd * std::sqrt(2.0 * (negligible - std::log(signal_sd) + log_two - log_background[i]));
      const auto interval = [&](double center) {
        const double low = (center - reach - start) / h, high = (center + reach - start) / h;
        return Interval{static_cast<std::int64_t>(std::ceil(std::clamp(low, 0.0, static_cast<double>(rows)))),
                        static_cast<std::int64_t>(std::floor(std::clamp(high, -1.0, static_cast<double>(rows - 1))))};
      };
      Interval &a = near[2 * i], &b = near[2 * i + 1];
      a = interval(folded ? std::min(x, y) : x);
      if (folded) {
        b = interval(std::max(x, y));
        b.first = std::max(b.first, a.last + 1);
      }
      for (const Interval& part : {a, b})
        for (std::int64_t r = part.first; r <= part.last; ++r) ++factors[static_cast<std::size_t>(r)];
    }

    // Rows without any signal share one entry, the last.
    std::vector<std::int64_t> entry(factors.size()), sizes;
    std::vector<double> log_weight;
    double idle = 0.0, all = 0.0;
    for (std::size_t r = 0; r < factors.size(); ++r) {
      const double z = (start + static_cast<double>(r) * h - psi_mean) / psi_sd;
      all += std::exp(-0.5 * z * z);
      if (factors[r] == 0) {
        idle += std::exp(-0.5 * z * z);
        continue;
      }
      entry[r] = static_cast<std::int64_t>(sizes.size());
      sizes.push_back(factors[r]);
      log_weight.push_back(-0.5 * z * z);
    }
    if (idle > 0.0) {
      sizes.push_back(0);
      log_weight.push_back(std::log(idle));
    }
    log_prior_ = std::log(all);
    product_.reset(sizes);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const double x = events_[i], y = 2.0 * mirror - x, constant = -std::log(signal_sd) - log_background[i];
      for (const Interval& part : {near[2 * i], near[2 * i + 1]})
        for (std::int64_t r = part.first; r <= part.last; ++r) {
          const double psi = start + static_cast<double>(r) * h;
          const double u = (x - psi) / signal_sd, v = (y - psi) / signal_sd;
          const double log_signal = folded ? log_sum_exp(-0.5 * u * u, -0.5 * v * v) : -0.5 * u * u;
          product_.add(entry[static_cast<std::size_t>(r)], log_signal + constant);
        }
    }
    product_.finish(log_weight);
  }

  Likelihood likelihood_;
  std::vector<double> events_;
  MixtureProduct product_;
  bool built_ = false;
  double mean_ = 0.0, variance_ = 0.0, log_evidence_ = 0.0;
  double log_prior_ = 0.0;  // summed over all rows
};

}  // namespace

PlaceRange places_of(std::span<const double> events) {
  constexpr double reach = 12.0, extra = 2.5;
  PlaceRange range{psi_mean - reach, psi_mean + reach};
  for (const double x : events) {
    range.low = std::min(range.low, x - extra);
    range.high = std::max(range.high, x + extra);
  }
  return range;
}

void check_event(double x) {
  PAIRS_CHECK(std::abs(x) <= farthest_event,
              "The bump hunt was given an event at {}, which no part of the model can explain", x);
}

std::unique_ptr<ReferencePosterior> make_posterior(Likelihood likelihood) {
  return std::make_unique<Posterior>(likelihood);
}

}  // namespace pairs::bump_hunt
