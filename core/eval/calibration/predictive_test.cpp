#include "core/eval/calibration/predictive_test.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostFeatureBins = 20, kPerBin = 5;
constexpr double kNothing = 1e-9;  // relative to a statistic's size: smaller residuals are rounding

// Ranks of values [M] scaled to (-1, 1): ties share their middle.
torch::Tensor places_of(const torch::Tensor& values) {
  const std::vector<double> all = doubles(values);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
  torch::Tensor out = at::empty({values.size(0)}, torch::kFloat64);
  auto* place = out.mutable_data_ptr<double>();
  const auto count = static_cast<double>(all.size());
  for (std::size_t first = 0, end; first < order.size(); first = end) {
    for (end = first + 1; end < order.size() && all[order[end]] == all[order[first]];) ++end;
    const double middle = static_cast<double>(first + end) / count - 1;
    for (std::size_t i = first; i < end; ++i) place[order[i]] = middle;
  }
  return out;
}

// Residuals of statistics [sets, S] from a quadratic function of each set's posterior means, fitted to all other sets,
// so that a set has no part in its own fit.
class Expected {
 public:
  explicit Expected(const torch::Tensor& explained) {
    const std::int64_t sets = explained.size(0), reported = explained.size(1);
    torch::Tensor design = at::ones({sets, 1}, torch::kFloat64);
    if (reported > 0 && 10 * (1 + reported) <= sets) {
      const torch::Tensor centered = explained - explained.mean(0, true);
      const torch::Tensor scaled = centered / centered.square().mean(0, true).sqrt().clamp_min(1e-300);
      design = at::cat({design, scaled}, 1);
      if (10 * (1 + 2 * reported) <= sets) design = at::cat({design, scaled.square()}, 1);
    }
    const auto [u, s, v] = at::linalg_svd(design, false);
    basis_ = u.index_select(1, (s > 1e-8 * s.max()).nonzero().flatten());
    free_ = (1 - basis_.square().sum(1, true)).clamp_min(1e-6);
  }
  torch::Tensor left(const torch::Tensor& statistics) const {
    return (statistics - basis_.matmul(basis_.t().matmul(statistics))) / free_;
  }

 private:
  torch::Tensor basis_, free_;
};

// Deviations [sets, S] from the median of each column, in sds of the side on which they lie; zero if a column holds
// only rounding errors of statistics of size [S].
torch::Tensor in_sds(const torch::Tensor& left, const torch::Tensor& size) {
  const torch::Tensor sorted = std::get<0>(left.sort(0));
  const std::int64_t sets = left.size(0);
  const torch::Tensor middle = (sorted[(sets - 1) / 2] + sorted[sets / 2]) / 2;
  const torch::Tensor away = left - middle;
  const auto side = [&](const torch::Tensor& one) {
    return (2 * one.square().mean(0)).sqrt();  // as if the other side were its mirror image
  };
  const torch::Tensor above = side(away.clamp_min(0)), below = side(away.clamp_max(0));
  const torch::Tensor sds = at::where(away > 0, above, below);
  const torch::Tensor known = at::maximum(above, below) > kNothing * size;
  return at::where(known & (sds > 0), away / sds.clamp_min(1e-300), at::zeros_like(away));
}

// Named statistics, one per column.
class Statistics {
 public:
  explicit Statistics(const torch::Tensor& explained) : expected_(explained) {}

  // Adds values [sets].
  void add(std::string name, const torch::Tensor& values) {
    names_.push_back(std::move(name));
    left_.push_back(expected_.left(values.unsqueeze(1)).squeeze(1));
    size_.push_back(values.abs().max().item<double>());
  }
  // Adds the joint size of many numbers [sets, k] of a set relative to their expectation: their Mahalanobis distance
  // from the other sets', on as many principal axes as the sets allow.
  void add_together(std::string name, const torch::Tensor& values) {
    const torch::Tensor left = expected_.left(values - values.mean(0, true));
    const torch::Tensor sds = left.square().mean(0, true).sqrt();
    const torch::Tensor kept = (sds.squeeze(0) > kNothing * values.abs().amax(0)).nonzero().flatten();
    if (kept.size(0) == 0) return;
    const torch::Tensor scaled = (left / sds).index_select(1, kept);
    const auto [u, s, v] = at::linalg_svd(scaled, false);
    const std::int64_t axes = std::min((s > 1e-4 * s.max()).sum().item<std::int64_t>(), values.size(0) / 10);
    names_.push_back(std::move(name));
    left_.push_back(u.narrow(1, 0, axes).square().sum(1).clamp_min(1e-300).log());
    size_.push_back(1e-6);
  }
  const std::vector<std::string>& names() const { return names_; }
  torch::Tensor deviations() const { return in_sds(at::stack(left_, 1), torch::tensor(size_, torch::kFloat64)); }
  torch::Tensor left() const { return at::stack(left_, 1); }

 private:
  Expected expected_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> left_;
  std::vector<double> size_;
};

// Adds statistics of a feature's distribution, from its ranks among all observations: Neyman's smooth test by four
// Legendre polynomials, and a histogram.
void add_feature(Statistics& all, const std::string& name, const torch::Tensor& places) {
  const torch::Tensor v = places, v2 = v.square();
  all.add(name + ": level", v.mean(1));
  all.add(name + ": spread", (3 * v2 - 1).mean(1));
  all.add(name + ": asymmetry", (5 * v2 * v - 3 * v).mean(1));
  all.add(name + ": peak and tails", (35 * v2.square() - 30 * v2 + 3).mean(1));
  const std::int64_t n = v.size(1), bins = std::min(kMostFeatureBins, n / kPerBin);
  if (bins < 4) return;
  const torch::Tensor bin = ((v + 1) * (0.5 * static_cast<double>(bins))).floor().clamp(0, bins - 1).to(torch::kInt64);
  torch::Tensor counts = at::zeros({v.size(0), bins}, torch::kFloat64);
  counts.scatter_add_(1, bin, at::ones_like(v));
  all.add_together(name + ": histogram", counts);
}

// Adds the dependence of two features: both levels, the level of each with the spread of the other (a curve), both
// spreads.
void add_pair(Statistics& all, const std::string& a, const torch::Tensor& of_a, const std::string& b,
              const torch::Tensor& of_b) {
  const torch::Tensor wide_a = 3 * of_a.square() - 1, wide_b = 3 * of_b.square() - 1;
  all.add(fmt::format("{} with {}", a, b), (of_a * of_b).mean(1));
  all.add(fmt::format("{} with the spread of {}", a, b), (of_a * wide_b).mean(1));
  all.add(fmt::format("{} with the spread of {}", b, a), (of_b * wide_a).mean(1));
  all.add(fmt::format("spread of {} with that of {}", a, b), (wide_a * wide_b).mean(1));
}

// Scores every observation [sets, n] by its squared robust distance from the median of all observations.
torch::Tensor scores_of(const ComparedSets& sets, const torch::Tensor& places) {
  const std::int64_t count = sets.features.size(0), n = sets.features.size(1), f = sets.features.size(2);
  torch::Tensor scores = at::zeros({count, n}, torch::kFloat64);
  if (sets.embedded.size(2) > 0) scores += sets.embedded.square().mean(2);
  if (f == 0) return scores;
  const torch::Tensor flat = sets.features.reshape({-1, f});
  const auto quantile = [&](double level) {
    return std::get<0>(flat.kthvalue(1 + static_cast<std::int64_t>(level * static_cast<double>(flat.size(0) - 1)), 0));
  };
  const torch::Tensor middle = quantile(0.5), half = (quantile(0.75) - quantile(0.25)) / 1.349;
  const torch::Tensor sd = flat.std(0, false);
  const torch::Tensor scale = at::where(half > 1e-9 * sd, half, sd);
  const torch::Tensor away = at::where(scale > 0, (flat - middle) / scale.clamp_min(1e-300), at::zeros_like(flat));
  // The dependence of features is measured on their ranks, which outliers do not affect.
  const torch::Tensor p = places.reshape({-1, f});
  const torch::Tensor c = p.t().matmul(p);
  const torch::Tensor root = c.diagonal().clamp_min(1e-300).sqrt();
  const torch::Tensor together =
      0.99 * c / (root.unsqueeze(0) * root.unsqueeze(1)) + 0.01 * at::eye(f, torch::kFloat64);
  const torch::Tensor solved = std::get<0>(at::linalg_solve_ex(together, away.t())).t();
  return scores + ((away * solved).sum(1) / static_cast<double>(f)).reshape({count, n});
}

// The share of simulated numbers that are at least as large as each of `asked`, counting the number itself.
std::vector<double> upper_tails(const torch::Tensor& asked, const torch::Tensor& simulated) {
  std::vector<double> sorted = doubles(simulated.flatten()), out;
  std::sort(sorted.begin(), sorted.end());
  const auto all = static_cast<double>(sorted.size()) + 1;
  for (const double value : doubles(asked.flatten()))
    out.push_back((static_cast<double>(sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), value)) + 1) /
                  all);
  return out;
}

std::vector<FarObservation> far_by_scores(const torch::Tensor& scores) {
  const torch::Tensor simulated = scores.slice(0, 1);
  const std::vector<double> tail = upper_tails(scores[0], simulated),
                            corrected = upper_tails(scores[0], simulated.amax(1)), score = doubles(scores[0]);
  std::vector<std::size_t> rows(tail.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::erase_if(rows, [&](std::size_t i) { return corrected[i] > kFarObservation; });
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  std::vector<FarObservation> out;
  for (const std::size_t i : rows) out.push_back({static_cast<std::int64_t>(i), tail[i], corrected[i]});
  return out;
}

void check_sets(const ComparedSets& sets) {
  const std::int64_t count = sets.features.size(0), n = sets.features.size(1);
  PAIRS_CHECK(count > kFewestPredictiveSets, "A predictive check compares with {} simulated sets or more, not {}",
              kFewestPredictiveSets, count - 1);
  PAIRS_CHECK(sets.features.dim() == 3 && static_cast<std::size_t>(sets.features.size(2)) == sets.names.size() &&
                  sets.embedded.dim() == 3 && sets.embedded.size(0) == count && sets.embedded.size(1) == n &&
                  sets.aggregates.dim() == 2 && sets.aggregates.size(0) == count && sets.explained.dim() == 2 &&
                  sets.explained.size(0) == count && n > 0,
              "Sets to compare do not go together");
  for (const torch::Tensor& one : {sets.features, sets.embedded, sets.aggregates, sets.explained})
    PAIRS_CHECK(one.isfinite().all().item<bool>(), "Sets to compare hold numbers that are not finite");
}

std::vector<ComparedStatistic> reported(const Statistics& all, const torch::Tensor& deviations) {
  const torch::Tensor size = deviations.abs(), most = size.slice(0, 1).amax(1), left = all.left();
  std::vector<ComparedStatistic> out;
  for (std::size_t s = 0; s < all.names().size(); ++s) {
    const auto column = static_cast<std::int64_t>(s);
    const torch::Tensor one = size.select(1, column), values = left.select(1, column);
    out.push_back({all.names()[s], deviations[0][column].item<double>(),
                   upper_tails(one.slice(0, 0, 1), one.slice(0, 1)).front(),
                   upper_tails(one.slice(0, 0, 1), most).front(),
                   (values.slice(0, 1) < values[0]).to(torch::kFloat64).mean().item<double>()});
  }
  std::stable_sort(out.begin(), out.end(), [](const ComparedStatistic& a, const ComparedStatistic& b) {
    return a.corrected != b.corrected ? a.corrected < b.corrected : std::abs(a.z) > std::abs(b.z);
  });
  return out;
}

// Ranks every observation among all observations, feature by feature [sets, n, F].
torch::Tensor feature_places(const ComparedSets& sets) {
  const std::int64_t count = sets.features.size(0), n = sets.features.size(1), f = sets.features.size(2);
  torch::Tensor places = at::empty({count, n, f}, torch::kFloat64);
  for (std::int64_t k = 0; k < f; ++k)
    places.select(2, k).copy_(places_of(sets.features.select(2, k).reshape({-1})).view({count, n}));
  return places;
}

}  // namespace

std::vector<FarObservation> far_observations(const ComparedSets& sets) {
  const at::NoGradGuard no_grad;
  check_sets(sets);
  return far_by_scores(scores_of(sets, feature_places(sets)));
}

PredictiveTest predictive_test(const ComparedSets& sets) {
  const at::NoGradGuard no_grad;
  check_sets(sets);
  const std::int64_t count = sets.features.size(0), f = sets.features.size(2);
  Statistics all(sets.explained);
  const torch::Tensor places = feature_places(sets);
  for (std::int64_t k = 0; k < f; ++k) add_feature(all, sets.names[static_cast<std::size_t>(k)], places.select(2, k));
  for (std::int64_t a = 0; a < f; ++a)
    for (std::int64_t b = a + 1; b < f; ++b)
      add_pair(all, sets.names[static_cast<std::size_t>(a)], places.select(2, a),
               sets.names[static_cast<std::size_t>(b)], places.select(2, b));
  if (sets.aggregates.size(1) > 0) all.add_together("distance of the mean embedding", sets.aggregates);
  if (sets.embedded.size(2) > 0)
    all.add("spread of the embeddings", sets.embedded.square().mean(2).mean(1).clamp_min(1e-300).log());
  const torch::Tensor scores = scores_of(sets, places);
  all.add("distance of the farthest observation", scores.amax(1).clamp_min(1e-300).log());

  const torch::Tensor deviations = all.deviations();
  const torch::Tensor most = deviations.abs().amax(1);
  PredictiveTest out;
  out.sets = count - 1;
  out.p = upper_tails(most.slice(0, 0, 1), most.slice(0, 1)).front();
  out.statistics = reported(all, deviations);
  out.far = far_by_scores(scores);
  out.scores = doubles(scores[0]);
  return out;
}

torch::Tensor leading_components(const torch::Tensor& embeddings, std::int64_t most) {
  const at::NoGradGuard no_grad;
  const std::int64_t l = embeddings.size(-1);
  const torch::Tensor rows = embeddings.reshape({-1, l});
  torch::Tensor sum = at::zeros({l}, torch::kFloat64), squares = at::zeros({l, l}, torch::kFloat64);
  constexpr std::int64_t kAtOnce = 1 << 16;
  const torch::Tensor first = rows[0].to(torch::kFloat64);
  for (std::int64_t at = 0; at < rows.size(0); at += kAtOnce) {
    const torch::Tensor part = rows.slice(0, at, std::min(at + kAtOnce, rows.size(0))).to(torch::kFloat64) - first;
    sum += part.sum(0);
    squares += part.t().matmul(part);
  }
  const auto count = static_cast<double>(rows.size(0));
  const torch::Tensor mean = sum / count;
  const auto [values, vectors] = at::linalg_eigh(squares / count - mean.outer(mean));
  std::vector<std::int64_t> kept;  // eigenvalues are ascending
  for (std::int64_t k = l - 1; k >= 0 && static_cast<std::int64_t>(kept.size()) < most; --k)
    if (values[k].item<double>() > 1e-6 * values[l - 1].item<double>() && values[k].item<double>() > 0)
      kept.push_back(k);
  const torch::Tensor axes = torch::tensor(kept, torch::kInt64);
  const torch::Tensor map = vectors.index_select(1, axes) / values.index_select(0, axes).sqrt();
  torch::Tensor out = at::empty({rows.size(0), axes.size(0)}, torch::kFloat64);
  for (std::int64_t at = 0; at < rows.size(0); at += kAtOnce) {
    const std::int64_t end = std::min(at + kAtOnce, rows.size(0));
    out.slice(0, at, end).copy_((rows.slice(0, at, end).to(torch::kFloat64) - first - mean).matmul(map));
  }
  std::vector<std::int64_t> shape(embeddings.sizes().begin(), embeddings.sizes().end());
  shape.back() = axes.size(0);
  return out.view(shape);
}

}  // namespace pairs
