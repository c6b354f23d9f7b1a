#include "tasks/own/file/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/prior_density.h"
#include "core/report/number_text.h"

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
              "The prior draws nearly always the same {}, {}, so its range is not known; give it a support with two "
              "bounds, or location, scale, range and view",
              name, m.location);
  return m;
}

constexpr std::int64_t kMeasuredNumbers = 1 << 22;  // of x, in total
constexpr std::int64_t kSortedNumbers = 1 << 18;    // of one column
constexpr std::int64_t kMostSets = 512, kFewestSets = 4;

// A sorted sample of a column [M] or a channel [M, ...]; all numbers if there are few.
std::vector<double> sorted_numbers(const torch::Tensor& column) {
  const torch::Tensor all = column.contiguous().flatten();
  // An odd step visits every position in the rows of an image.
  const std::int64_t step = ((all.numel() + kSortedNumbers - 1) / kSortedNumbers) | 1;
  std::vector<double> values;
  for (std::int64_t i = 0; i < all.numel(); i += step) values.push_back(all.const_data_ptr<double>()[i]);
  std::sort(values.begin(), values.end());
  return values;
}

double deviation(const std::vector<double>& values) {
  double mean = 0, square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean) / static_cast<double>(values.size());
  return std::sqrt(square);
}

// Half the width of the middle part.
double half_width(const std::vector<double>& sorted, double part) {
  return (quantile(sorted, 0.5 + part / 2) - quantile(sorted, 0.5 - part / 2)) / 2;
}

constexpr double kMiddle = 0.6827, kNearlyAll = 0.99;

double robust_scale(const std::vector<double>& sorted) {
  if (sorted.front() == sorted.back()) return 1;
  const double scale =
      std::max({half_width(sorted, kMiddle), half_width(sorted, 0.95) / 8, half_width(sorted, kNearlyAll) / 32});
  if (scale > 0) return scale;
  const double spread = deviation(sorted);
  return spread > 0 ? spread : 1;
}

// Curves column k if its tails are heavy. Positive numbers over many scales are seen as logarithms.
void curve(std::vector<double> sorted, std::size_t k, InputScale& out) {
  constexpr double kHeavy = 8, kLow = 0.005, kManyScales = 100;
  const double middle = half_width(sorted, kMiddle);
  if (!(middle > 0) || half_width(sorted, kNearlyAll) <= kHeavy * middle) return;
  // Far above its scale asinh is a logarithm.
  const bool positive = sorted.front() > 0 && quantile(sorted, 1 - kLow) > kManyScales * quantile(sorted, kLow);
  out.location[k] = positive ? 0 : quantile(sorted, 0.5);
  out.scale[k] = positive ? quantile(sorted, kLow) : middle;
  for (double& value : sorted) value = std::asinh((value - out.location[k]) / out.scale[k]);
  out.middle.resize(out.scale.size(), 0);
  out.spread.resize(out.scale.size(), 0);
  out.middle[k] = quantile(sorted, 0.5);
  out.spread[k] = robust_scale(sorted);
}

}  // namespace

std::int64_t measured_x_sets(double numbers) {
  return std::clamp(static_cast<std::int64_t>(static_cast<double>(kMeasuredNumbers) / (2 * std::max(1.0, numbers))),
                    kFewestSets, kMostSets);
}

InputScale measure_x(const Observations& x, std::int64_t channels) {
  const torch::Tensor& values = all_numbers(x);
  InputScale out{std::vector<double>(static_cast<std::size_t>(channels), 0.0),
                 std::vector<double>(static_cast<std::size_t>(channels), 1.0)};
  if (values.numel() == 0) return out;
  for (std::size_t k = 0; k < out.scale.size(); ++k) {
    const std::vector<double> sorted = sorted_numbers(values.select(1, static_cast<std::int64_t>(k)));
    out.location[k] = quantile(sorted, 0.5);
    out.scale[k] = robust_scale(sorted);
    if (values.dim() == 2) curve(sorted, k, out);
  }
  return out;
}

std::vector<Measured> measure(const TaskFile& file, const torch::Tensor& theta, const torch::Tensor& psi,
                              const torch::Tensor& given) {
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
  for (std::size_t k = 0; k < file.given_ranges.size(); ++k) {
    const GivenRange& range = file.given_ranges[k];
    if (std::isnan(range.scale))
      out.push_back(measure_one(file.info.given[k].name, given.select(1, static_cast<std::int64_t>(k))));
    else
      out.push_back({file.info.given[k].name, range.location, range.scale, 1, range.seen_low, range.seen_high});
  }
  return out;
}

namespace {

constexpr double kUnlikePrior = 2.3, kUnlikeLevels = 4.1;  // of a PriorDistance, each with probability 0.00005

}  // namespace

void check_priors(const TaskFile& file, const torch::Tensor& theta, const torch::Tensor& psi,
                  const torch::Tensor& given) {
  std::vector<torch::Tensor> parts = {theta, psi};
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const PriorFamily>> priors;
  for (const Target& one : file.info.targets) names.push_back(one.name), priors.push_back(one.prior);
  for (const Nuisance& one : file.info.nuisances) names.push_back(one.name), priors.push_back(one.prior);
  if (given.defined() && given.size(1) > 0) {
    parts.push_back(given);
    for (const Given& one : file.info.given) names.push_back(one.name);
  }
  // Stored sets may come several times.
  const torch::Tensor all = std::get<0>(at::unique_dim(at::cat(parts, 1), 0, true, false, false));
  const std::string where = printable(file.file.string(), 300);
  for (std::size_t k = 0; k < priors.size(); ++k) {
    if (!priors[k]) continue;
    const auto at = static_cast<std::int64_t>(k);
    const PriorDistance far = prior_distance(all.select(1, at), *priors[k]);
    const auto refuse = [&](const std::string& how) {
      fail_usage("{}: {} is not drawn from its prior {}: {}; correct one of the two", where, names[k],
                 priors[k]->text(), how);
    };
    if (far.distance > kUnlikePrior)
      refuse(fmt::format("{:.0f} % of {} draws lie below {:.4g}, and {:.0f} % of the prior do", 100 * far.below,
                         count_text(all.size(0)), far.at, 100 * far.expected));
    if (std::abs(far.width_z) > kUnlikeLevels)
      refuse(fmt::format("{} draws are {} than it", count_text(all.size(0)), far.width_z > 0 ? "wider" : "narrower"));
    if (std::abs(far.location_z) > kUnlikeLevels)
      refuse(fmt::format("{} draws lie too {}", count_text(all.size(0)), far.location_z > 0 ? "high" : "low"));
    std::vector<std::int64_t> others;
    for (std::int64_t other = 0; other < all.size(1); ++other)
      if (other != at) others.push_back(other);
    if (others.empty() || all.size(0) < 2) continue;
    const std::int64_t found =
        correlated_column(all.select(1, at), all.index_select(1, torch::tensor(others, torch::kLong)));
    if (found >= 0)
      fail_usage("{}: {} depends on {}, and a prior that the file states is independent of all else; leave {} out",
                 where, names[k], names[static_cast<std::size_t>(others[static_cast<std::size_t>(found)])],
                 "prior = \"" + priors[k]->text() + "\"");
  }
}

namespace {

std::filesystem::path file_of_input(const std::string& key) {
  return caches_folder() / "inputs" / fmt::format("{:08x}-{}.json", checksum(key), key.size());
}

}  // namespace

std::optional<InputScale> kept_input(const std::string& key, std::int64_t channels) {
  constexpr std::uint64_t kLargest = 16 << 20;  // bytes
  try {
    const nlohmann::json kept = parse_json(read_file(file_of_input(key), kLargest));
    if (!kept.is_object() || kept.value("key", "") != key) return {};
    InputScale scale{kept.at("location").get<std::vector<double>>(), kept.at("scale").get<std::vector<double>>(),
                     kept.at("middle").get<std::vector<double>>(), kept.at("spread").get<std::vector<double>>()};
    const auto count = static_cast<std::size_t>(channels);
    const bool sound =
        scale.location.size() == count && scale.scale.size() == count &&
        (scale.spread.empty() || scale.spread.size() == count) && scale.middle.size() == scale.spread.size() &&
        std::all_of(scale.location.begin(), scale.location.end(), [](double v) { return std::isfinite(v); }) &&
        std::all_of(scale.scale.begin(), scale.scale.end(), [](double v) { return std::isfinite(v) && v > 0; });
    return sound ? std::optional(scale) : std::nullopt;
  } catch (const std::exception&) {
    return {};  // it is measured again
  }
}

void keep_input(const std::string& key, const InputScale& scale) {
  try {
    const std::filesystem::path file = file_of_input(key);
    std::filesystem::create_directories(file.parent_path());
    write_file(file, nlohmann::json{{"key", key},
                                    {"location", scale.location},
                                    {"scale", scale.scale},
                                    {"middle", scale.middle},
                                    {"spread", scale.spread}}
                             .dump(1) +
                         "\n");
  } catch (const std::exception&) {
    // It is measured again.
  }
}

}  // namespace pairs::own
