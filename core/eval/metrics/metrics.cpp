#include "core/eval/metrics/metrics.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/eval/metrics/metrics_checks.h"

namespace pairs {
namespace {

using detail::metric_input;

// Tests [begin, end) in parallel, in chunks that hold about 100,000 values.
template <class Function>
void for_tests(std::int64_t tests, std::int64_t values, const Function& function) {
  const std::int64_t grain = std::max<std::int64_t>(1, 100000 / std::max<std::int64_t>(1, values));
  at::parallel_for(0, tests, grain, function);
}

void check_unit(const torch::Tensor& ranks) {
  const double* r = ranks.const_data_ptr<double>();
  for (std::int64_t i = 0; i < ranks.numel(); ++i)
    PAIRS_CHECK(r[i] >= 0 && r[i] <= 1, "A rank is {}; ranks lie in [0, 1].", r[i]);
}

// P(value <= level) at each level; the tolerance lets k/S match a level that equals it up to rounding.
std::vector<double> distribution(std::vector<double> values, const std::vector<double>& levels) {
  std::sort(values.begin(), values.end());
  std::vector<double> share;
  for (const double level : levels) {
    PAIRS_CHECK(level >= 0 && level <= 1, "A level is {}; levels lie in [0, 1].", level);
    const auto below = std::upper_bound(values.begin(), values.end(), level + 1e-12) - values.begin();
    share.push_back(static_cast<double>(below) / static_cast<double>(values.size()));
  }
  return share;
}

std::vector<double> hundred_levels() {
  std::vector<double> levels(100);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<double>(i) / 99;
  return levels;
}

double area_between(const std::vector<double>& coverage, const std::vector<double>& levels) {
  double area = 0;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i)
    area += (levels[i + 1] - levels[i]) *
            (std::fabs(coverage[i] - levels[i]) + std::fabs(coverage[i + 1] - levels[i + 1])) / 2;
  return area;
}

}  // namespace

torch::Tensor relative_errors(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& range) {
  const torch::Tensor s = metric_input(samples, 3, "Samples"), t = metric_input(truth, 2, "Truths");
  const torch::Tensor r = metric_input(range, 1, "Ranges");
  detail::check_pair(s, t);
  PAIRS_CHECK(r.size(0) == t.size(1) && r.gt(0).all().item<bool>() && r.isfinite().all().item<bool>(),
              "Relative errors need one positive range for each of {} targets.", t.size(1));
  const torch::Tensor errors = ((s.mean(1) - t).abs() / r).mean(1);
  PAIRS_CHECK(errors.isfinite().all().item<bool>(), "Posterior samples or truths are not finite numbers.");
  return errors;
}

torch::Tensor central_ranks(const torch::Tensor& samples, const torch::Tensor& truth, std::uint64_t key) {
  const torch::Tensor s = metric_input(samples, 3, "Samples"), t = metric_input(truth, 2, "Truths");
  detail::check_pair(s, t);
  const std::int64_t tests = s.size(0), draws = s.size(1), targets = s.size(2);
  torch::Tensor ranks = torch::empty({tests, targets}, torch::kFloat64);
  const double *from = s.const_data_ptr<double>(), *at = t.const_data_ptr<double>();
  double* out = ranks.mutable_data_ptr<double>();
  std::atomic<bool> unordered = false;
  for_tests(tests, draws * targets, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t k = 0; k < targets; ++k) {
        const double* row = from + i * draws * targets + k;
        const double value = at[i * targets + k];
        std::int64_t below = 0, above = 0, equal = 0;
        for (std::int64_t j = 0; j < draws; ++j) {
          const double x = row[j * targets];
          below += x < value;
          above += x > value;
          equal += x == value;
        }
        if (below + above + equal != draws) unordered = true;  // NaN in either
        if (equal > 0)
          below += static_cast<std::int64_t>(Stream(key, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k))
                                                 .below(static_cast<std::uint64_t>(equal) + 1));
        out[i * targets + k] = static_cast<double>(below) / static_cast<double>(draws);
      }
  });
  PAIRS_CHECK(!unordered, "Posterior samples or truths hold NaN: no rank exists.");
  return ranks;
}

std::vector<double> central_coverage(const torch::Tensor& ranks, const std::vector<double>& levels) {
  const torch::Tensor r = metric_input(ranks, 1, "Ranks");
  check_unit(r);
  std::vector<double> widths = doubles(r);
  for (double& w : widths) w = std::fabs(2 * w - 1);
  return distribution(std::move(widths), levels);
}

double acauc(const torch::Tensor& ranks) {
  const torch::Tensor r = metric_input(ranks.dim() == 1 ? ranks.unsqueeze(1) : ranks, 2, "Ranks");
  const std::vector<double> levels = hundred_levels();
  double total = 0;
  for (std::int64_t k = 0; k < r.size(1); ++k)
    total += area_between(central_coverage(r.select(1, k).contiguous(), levels), levels);
  return total / static_cast<double>(r.size(1));
}

}  // namespace pairs
