#include "tasks/bump_hunt/nuisance.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "tasks/bump_hunt/posterior.h"

namespace pairs::bump_hunt {
namespace {

// Places below e^-25 of the most likely one are ignored; signal terms below e^-80 of the background's are negligible.
constexpr double left_out = 25.0, nothing = 80.0;
constexpr double coarse_step = 0.02, widest_step = 0.01, narrowest_step = 0.001;
constexpr std::size_t most_cells = 2400;
constexpr std::size_t factors_at_a_time = 16;

// Equal cells of ψ.
struct Places {
  double low = 0, step = 0;
  std::size_t count = 0;
  double middle(std::size_t k) const { return low + step * (static_cast<double>(k) + 0.5); }
  double high() const { return low + step * static_cast<double>(count); }
};

class NuisanceOfEvents final : public NuisancePosterior {
 public:
  explicit NuisanceOfEvents(const torch::Tensor& x) : events_(doubles(x)) {
    PAIRS_CHECK(x.dim() == 2 && x.size(1) == 1, "The bump hunt takes observations [N, 1]");
    for (const double event : events_) check_event(event);
  }

  torch::Tensor sample(const torch::Tensor& theta, Stream& stream) const override {
    const std::vector<double> odds = odds_of(theta);
    const Places places = occupied(odds);
    const std::vector<double> mass = conditionals(places, odds);
    const std::size_t rows = odds.size();
    torch::Tensor out = at::empty({theta.size(0), 1}, torch::kFloat64);
    auto* psi = out.mutable_data_ptr<double>();
    for (std::size_t j = 0; j < rows; ++j) {
      double left = stream.uniform64();
      std::size_t k = 0;
      while (k + 1 < places.count && left >= mass[k * rows + j]) left -= mass[k++ * rows + j];
      const double within = mass[k * rows + j] > 0 ? std::clamp(left / mass[k * rows + j], 0.0, 1.0) : 0.5;
      psi[j] = places.low + places.step * (static_cast<double>(k) + within);
    }
    return out;
  }

  CellDensity marginal(const torch::Tensor& theta, std::int64_t) const override {
    const std::vector<double> odds = odds_of(theta);
    const Places places = occupied(odds);
    const std::vector<double> mass = conditionals(places, odds);
    CellDensity out{places.low, places.high(), std::vector<double>(places.count, 0)};
    for (std::size_t k = 0; k < places.count; ++k)
      for (std::size_t j = 0; j < odds.size(); ++j)
        out.density[k] += mass[k * odds.size() + j] / (static_cast<double>(odds.size()) * places.step);
    return out;
  }

 private:
  static std::vector<double> odds_of(const torch::Tensor& theta) {
    PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == 1 && theta.size(0) > 0, "The bump hunt takes theta [S, 1]");
    std::vector<double> odds = doubles(theta);
    for (double& value : odds) {
      PAIRS_CHECK(!std::isnan(value), "The bump hunt was given a signal fraction that is not a number");
      const double fraction = std::clamp(value, 1e-12, 1 - 1e-12);
      value = fraction / (1 - fraction);
    }
    return odds;
  }

  // log p(ψ, X | θ) up to a constant for each θ: a row for every place, a column for all odds.
  std::vector<double> log_joint(const Places& places, const std::vector<double>& odds) const {
    const std::size_t columns = odds.size();
    std::vector<double> out(places.count * columns), background, signal, product(columns);
    for (std::size_t k = 0; k < places.count; ++k) {
      const double psi = places.middle(k), z = (psi - psi_mean) / psi_sd;
      // A factor: background and signal, scaled so that the larger is 1.
      background.clear();
      signal.clear();
      double constant = -0.5 * z * z;
      for (const double x : events_) {
        const double u = (x - psi) / signal_sd;
        const double log_ratio = 0.5 * x * x - 0.5 * u * u + std::log(background_sd / signal_sd);
        if (log_ratio < -nothing) continue;
        constant += std::max(log_ratio, 0.0);
        background.push_back(std::exp(std::max(-std::max(log_ratio, 0.0), -nothing)));
        signal.push_back(std::exp(std::min(log_ratio, 0.0)));
      }
      double* row = out.data() + k * columns;
      std::fill_n(row, columns, constant);
      // A factor lies in [1e-12, 1e12 + 1]: products of this many stay within float64.
      for (std::size_t first = 0; first < signal.size(); first += factors_at_a_time) {
        const std::size_t last = std::min(first + factors_at_a_time, signal.size());
        std::fill(product.begin(), product.end(), 1.0);
        for (std::size_t i = first; i < last; ++i)
          for (std::size_t j = 0; j < columns; ++j) product[j] *= background[i] + odds[j] * signal[i];
        for (std::size_t j = 0; j < columns; ++j) row[j] += std::log(product[j]);
      }
    }
    return out;
  }

  static std::vector<double> highest(const std::vector<double>& rows, std::size_t columns) {
    std::vector<double> top(columns, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < rows.size(); ++i) top[i % columns] = std::max(top[i % columns], rows[i]);
    return top;
  }

  // Cells over all places that are not negligible at some of the odds.
  Places occupied(const std::vector<double>& odds) const {
    const PlaceRange range = places_of(events_);
    const Places all{range.low, coarse_step,
                     static_cast<std::size_t>(std::lround((range.high - range.low) / coarse_step))};
    const std::vector<double> joint = log_joint(all, odds), top = highest(joint, odds.size());
    std::size_t first = all.count, last = 0;
    for (std::size_t k = 0; k < all.count; ++k)
      for (std::size_t j = 0; j < odds.size(); ++j)
        if (joint[k * odds.size() + j] > top[j] - left_out) {
          first = std::min(first, k);
          last = k;
          break;
        }
    const double low = all.middle(first) - 1.5 * coarse_step, high = all.middle(last) + 1.5 * coarse_step;
    const double step = std::clamp((high - low) / static_cast<double>(most_cells), narrowest_step, widest_step);
    const auto count = static_cast<std::size_t>(std::ceil((high - low) / step));
    return {low, (high - low) / static_cast<double>(count), count};
  }

  // The mass of each cell at each of the odds.
  std::vector<double> conditionals(const Places& places, const std::vector<double>& odds) const {
    std::vector<double> mass = log_joint(places, odds);
    const std::size_t columns = odds.size();
    const std::vector<double> top = highest(mass, columns);
    std::vector<double> sum(columns, 0);
    for (std::size_t i = 0; i < mass.size(); ++i) sum[i % columns] += mass[i] = std::exp(mass[i] - top[i % columns]);
    for (std::size_t i = 0; i < mass.size(); ++i) mass[i] /= sum[i % columns];
    return mass;
  }

  std::vector<double> events_;
};

}  // namespace

std::unique_ptr<NuisancePosterior> make_nuisance_posterior(const torch::Tensor& x) {
  return std::make_unique<NuisanceOfEvents>(x);
}

}  // namespace pairs::bump_hunt
