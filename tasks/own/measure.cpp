#include "tasks/own/measure.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace pairs::own {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const double share = at - std::floor(at);
  return sorted[low] + share * (sorted[std::min(low + 1, sorted.size() - 1)] - sorted[low]);
}

Measured measure_one(const std::string& name, const torch::Tensor& column) {
  const torch::Tensor packed = column.contiguous();
  std::vector<double> values(packed.const_data_ptr<double>(), packed.const_data_ptr<double>() + packed.numel());
  std::sort(values.begin(), values.end());
  Measured m;
  m.name = name;
  m.location = quantile(values, 0.5);
  m.scale = (quantile(values, 0.8413) - quantile(values, 0.1587)) / 2;
  m.range = quantile(values, 0.975) - quantile(values, 0.025);
  m.view_low = quantile(values, 0.005);
  m.view_high = quantile(values, 0.995);
  PAIRS_CHECK(m.scale > 0 && m.range > 0 && m.view_low < m.view_high,
              "The prior draws nearly always the same {}, {}, so its range cannot be told; give it a support with two "
              "ends, or location, scale, range and view",
              name, m.location);
  return m;
}

}  // namespace

std::vector<Measured> measure(const TaskFile& file, const torch::Tensor& theta, const torch::Tensor& psi) {
  std::vector<Measured> out;
  for (std::size_t k = 0; k < file.info.targets.size(); ++k)
    out.push_back(measure_one(file.info.targets[k].name, theta.select(1, static_cast<std::int64_t>(k))));
  for (std::size_t k = 0; k < file.info.nuisances.size(); ++k) {
    const Nuisance& n = file.info.nuisances[k];
    if (std::isnan(n.view_low))
      out.push_back(measure_one(n.name, psi.select(1, static_cast<std::int64_t>(k))));
    else
      out.push_back({n.name, 0, 1, 1, n.view_low, n.view_high});
  }
  return out;
}

}  // namespace pairs::own
