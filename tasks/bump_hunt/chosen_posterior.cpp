#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "tasks/bump_hunt/legendre.h"
#include "tasks/bump_hunt/nuisance.h"
#include "tasks/bump_hunt/posterior.h"

namespace pairs::bump_hunt {
namespace {

constexpr double kNothing = 40.0;     // a signal term below e^-40 of the background's does not change the sum
constexpr double kLargeRatio = 30.0;  // larger log ratios are added one by one: products stay within float64
constexpr std::size_t kFactorsAtOnce = 8;
constexpr double kLast = 1 - 1e-15;  // replaces θ = 1

double log_prior_of_place(double psi) {
  const double z = (psi - psi_mean) / psi_sd;
  return -0.5 * z * z - std::log(psi_sd * std::sqrt(2 * std::numbers::pi));
}

double log_sum(const std::vector<double>& logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - top);
  return top + std::log(sum);
}

// First and second moments of (θ, ψ).
struct Moments {
  double mean[2] = {0, 0}, covariance[2][2] = {{0, 0}, {0, 0}};
};

class ChosenPosterior final : public ReferencePosterior {
 public:
  explicit ChosenPosterior(Choice choice) : choice_(choice), of_theta_(make_posterior(Likelihood::exact)) {
    PAIRS_CHECK(choice.theta || choice.psi, "The bump hunt was asked for a posterior of nothing");
    if (choice.theta) columns_.push_back(0);
    if (choice.psi) columns_.push_back(1);
  }

  void add(const Observations& observed) override {
    of_theta_->add(observed);  // also checks the events
    append_doubles(events_, observed.block());
    known_ = false;
  }

  torch::Tensor log_density(const torch::Tensor& values) override {
    const auto columns = static_cast<std::int64_t>(columns_.size());
    PAIRS_CHECK(values.dim() == 2 && values.size(1) == columns, "This posterior of the bump hunt takes [S, {}]",
                columns);
    if (!choice_.psi) return of_theta_->log_density(values);
    build();
    const std::vector<double> in = doubles(values.to(torch::kFloat64));
    torch::Tensor out = at::empty({values.size(0)}, torch::kFloat64);
    auto* log_density = out.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < values.size(0); ++i) {
      const double* row = in.data() + i * columns;
      log_density[i] = (choice_.theta ? log_joint(row[0], row[1]) : log_over_theta(row[0])) - log_evidence_;
    }
    return out;
  }

  torch::Tensor mean() override {
    build();
    torch::Tensor out = at::empty({static_cast<std::int64_t>(columns_.size())}, torch::kFloat64);
    for (std::size_t k = 0; k < columns_.size(); ++k) out[static_cast<std::int64_t>(k)] = moments_.mean[columns_[k]];
    return out;
  }

  torch::Tensor covariance() override {
    build();
    const auto d = static_cast<std::int64_t>(columns_.size());
    torch::Tensor out = at::empty({d, d}, torch::kFloat64);
    for (std::int64_t i = 0; i < d; ++i)
      for (std::int64_t j = 0; j < d; ++j)
        out[i][j] = moments_.covariance[columns_[static_cast<std::size_t>(i)]][columns_[static_cast<std::size_t>(j)]];
    return out;
  }

  // Samples θ from its own posterior, then ψ given θ.
  torch::Tensor sample(std::int64_t count, Stream& stream) override {
    const torch::Tensor theta = of_theta_->sample(count, stream);
    if (!choice_.psi) return theta;
    const torch::Tensor x = torch::tensor(events_, torch::kFloat64).unsqueeze(1);
    const torch::Tensor psi = make_nuisance_posterior(x)->sample(theta, stream);
    return choice_.theta ? at::cat({theta, psi}, 1) : psi;
  }

 private:
  double log_ratio(double x, double psi) const {
    const double u = (x - psi) / signal_sd;
    return 0.5 * x * x - 0.5 * u * u + std::log(background_sd / signal_sd);
  }

  // log p(ψ) p(X | θ, ψ) minus the background's log density of the events, which is constant.
  double log_joint(double theta, double psi) const {
    if (!(theta >= 0 && theta <= 1)) return -std::numeric_limits<double>::infinity();
    const double fraction = std::min(theta, kLast), log_odds = std::log(fraction) - std::log1p(-fraction);
    double sum = log_prior_of_place(psi) + static_cast<double>(events_.size()) * std::log1p(-fraction);
    for (const double x : events_) {
      const double log_term = log_odds + log_ratio(x, psi);
      sum += log_term > 0 ? log_term + std::log1p(std::exp(-log_term)) : std::log1p(std::exp(log_term));
    }
    return sum;
  }

  // log_joint at all nodes of θ.
  std::vector<double> log_joint_at_nodes(double psi) const {
    const Quadrature& q = legendre_for(static_cast<std::int64_t>(events_.size()));
    const std::size_t nodes = q.node.size();
    std::vector<double> odds(nodes), out(nodes), product(nodes, 1.0), near;
    for (std::size_t j = 0; j < nodes; ++j) {
      odds[j] = q.node[j] / (1 - q.node[j]);
      out[j] = log_prior_of_place(psi) + static_cast<double>(events_.size()) * std::log1p(-q.node[j]);
    }
    for (const double x : events_)
      if (const double ratio = log_ratio(x, psi); ratio > kLargeRatio)
        for (std::size_t j = 0; j < nodes; ++j) out[j] += ratio + std::log(odds[j] + std::exp(-ratio));
      else if (ratio > -kNothing)
        near.push_back(std::exp(ratio));
    for (std::size_t first = 0; first < near.size(); first += kFactorsAtOnce) {
      const std::size_t last = std::min(first + kFactorsAtOnce, near.size());
      std::fill(product.begin(), product.end(), 1.0);
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = 0; j < nodes; ++j) product[j] *= 1 + odds[j] * near[i];
      for (std::size_t j = 0; j < nodes; ++j) out[j] += std::log(product[j]);
    }
    return out;
  }

  // log of the integral over θ.
  double log_over_theta(double psi) const {
    const Quadrature& q = legendre_for(static_cast<std::int64_t>(events_.size()));
    std::vector<double> logs = log_joint_at_nodes(psi);
    for (std::size_t j = 0; j < logs.size(); ++j) logs[j] += std::log(q.weight[j]);
    return log_sum(logs);
  }

  // Evidence and moments, on the nodes of θ and the trapezoid rule in ψ.
  void build() {
    if (known_) return;
    const Quadrature& q = legendre_for(static_cast<std::int64_t>(events_.size()));
    const double step = 0.1 * signal_sd / std::max(1.0, std::sqrt(static_cast<double>(events_.size()) / 100.0));
    const PlaceRange places = places_of(events_);
    const auto rows = static_cast<std::size_t>(std::lround((places.high - places.low) / step)) + 1;
    std::vector<double> place(rows), logs;
    logs.reserve(rows * q.node.size());
    for (std::size_t r = 0; r < rows; ++r) {
      place[r] = places.low + static_cast<double>(r) * step;
      const std::vector<double> row = log_joint_at_nodes(place[r]);
      for (std::size_t j = 0; j < row.size(); ++j) logs.push_back(row[j] + std::log(q.weight[j] * step));
    }
    log_evidence_ = log_sum(logs);
    moments_ = {};
    const auto each = [&](const auto& visit) {
      for (std::size_t i = 0; i < logs.size(); ++i)
        visit(std::exp(logs[i] - log_evidence_), q.node[i % q.node.size()], place[i / q.node.size()]);
    };
    each([&](double mass, double theta, double psi) {
      moments_.mean[0] += mass * theta;
      moments_.mean[1] += mass * psi;
    });
    each([&](double mass, double theta, double psi) {
      const double off[2] = {theta - moments_.mean[0], psi - moments_.mean[1]};
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) moments_.covariance[a][b] += mass * off[a] * off[b];
    });
    known_ = true;
  }

  Choice choice_;
  std::unique_ptr<ReferencePosterior> of_theta_;
  std::vector<std::size_t> columns_;  // columns of (θ, ψ)
  std::vector<double> events_;
  bool known_ = false;
  double log_evidence_ = 0;
  Moments moments_;
};

}  // namespace

std::unique_ptr<ReferencePosterior> make_posterior_of(Choice choice) {
  return std::make_unique<ChosenPosterior>(choice);
}

}  // namespace pairs::bump_hunt
