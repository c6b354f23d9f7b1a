#include "core/eval/calibration/two_sample.h"

#include <ATen/Functions.h>
#include <ATen/ops/linalg_cholesky_ex.h>

#include <algorithm>
#include <tuple>

#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/eval/metrics/metrics_checks.h"

namespace pairs {
namespace {

constexpr std::int64_t kSetsTogether = 256;  // sets whose features are in memory at once
constexpr std::int64_t kBlocks = 5, kComponents = 4;
constexpr double kFarthest = 6, kFarthestComponent = 4;
constexpr double kSetsWithout = 100;  // this many sets without a difference are added as regularization

// A posterior's mean and scale, and samples in units of it.
struct Measured {
  torch::Tensor mean, sd;    // [B, d]
  torch::Tensor candidates;  // [B, C, d]
};

// `values` [B, C, d] in units of the posteriors of `samples` [B, S, d]: minus their mean, scaled by the Cholesky factor
// of their covariance or, if that fails, by their sd.
Measured measured(const torch::Tensor& samples, const torch::Tensor& values) {
  const torch::Tensor mean = samples.mean(1), centered = samples - mean.unsqueeze(1);
  const torch::Tensor covariance = centered.transpose(1, 2).matmul(centered) / static_cast<double>(samples.size(1) - 1);
  const torch::Tensor sd = covariance.diagonal(0, 1, 2).sqrt().clamp_min(1e-300);
  auto [factor, failed] = at::linalg_cholesky_ex(covariance);
  factor = at::where(failed.ne(0).view({-1, 1, 1}), at::diag_embed(sd), factor);
  const torch::Tensor white =
      at::linalg_solve_triangular(factor, (values - mean.unsqueeze(1)).transpose(1, 2), false).transpose(1, 2);
  return {mean, sd, white.nan_to_num(0, kFarthest, -kFarthest).clamp(-kFarthest, kFarthest).contiguous()};
}

torch::Tensor context_of(const Measured& posterior, const torch::Tensor& aggregates) {
  return at::cat({posterior.mean, posterior.sd.log(), aggregates}, 1);
}

// The leading principal components of contexts [n, 2 d + l], scaled to unit variance: means, log sds and aggregates
// have equal weight.
class Components {
 public:
  Components(const torch::Tensor& context, std::int64_t targets) : mean_(context.mean(0)) {
    const std::int64_t columns = context.size(1);
    torch::Tensor weight = torch::full({columns}, 1 / std::sqrt(static_cast<double>(targets)), torch::kFloat64);
    if (columns > 2 * targets)
      weight.slice(0, 2 * targets).fill_(1 / std::sqrt(static_cast<double>(columns - 2 * targets)));
    const torch::Tensor spread = context.std(0);
    const torch::Tensor varies = spread > 1e-12 * (mean_.abs() + 1e-300);
    weight_ = at::where(varies, weight / spread, at::zeros_like(weight));
    const torch::Tensor scaled = (context - mean_) * weight_;
    const auto [values, vectors] = at::linalg_eigh(scaled.t().mm(scaled) / static_cast<double>(context.size(0)));
    const std::int64_t most = std::min(kComponents, columns);
    const torch::Tensor leading = values.slice(0, columns - most);
    const std::int64_t kept = leading.gt(1e-9 * values[columns - 1]).sum().item<std::int64_t>();
    axes_ = vectors.slice(1, columns - kept) / values.slice(0, columns - kept).sqrt();
  }
  torch::Tensor of(const torch::Tensor& context) const {
    return ((context - mean_) * weight_).mm(axes_).clamp(-kFarthestComponent, kFarthestComponent);
  }

 private:
  torch::Tensor mean_, weight_, axes_;
};

// The features of the linear discriminant: for candidates w [B, C, d] and components c [B, k], the powers w, w², w³,
// the products of two targets, and w and w² times each component -> [B, C, p].
torch::Tensor features(const torch::Tensor& w, const torch::Tensor& components) {
  const torch::Tensor square = w.square();
  std::vector<torch::Tensor> all = {w, square, w * square};
  const std::int64_t targets = w.size(2);
  for (std::int64_t i = 0; i + 1 < targets; ++i) all.push_back(w.slice(2, i, i + 1) * w.slice(2, i + 1, targets));
  for (std::int64_t k = 0; k < components.size(1); ++k) {
    const torch::Tensor component = components.slice(1, k, k + 1).unsqueeze(2);
    all.push_back(w * component);
    all.push_back(square * component);
  }
  return at::cat(all, 2);
}

torch::Tensor centered_features(const torch::Tensor& w, const torch::Tensor& components) {
  const torch::Tensor f = features(w, components);
  return f - f.mean(1, true);
}

// Sums over sets: the scatter of features within sets, and the difference of truths from the means of their sets.
struct Moments {
  torch::Tensor scatter, difference;  // [p, p], [p]
  std::int64_t sets = 0;

  void add(const torch::Tensor& centered) {
    const torch::Tensor flat = centered.flatten(0, 1);
    const torch::Tensor one = flat.t().mm(flat) / static_cast<double>(centered.size(1));
    const torch::Tensor other = centered.select(1, 0).sum(0);
    scatter = scatter.defined() ? scatter + one : one;
    difference = difference.defined() ? difference + other : other;
    sets += centered.size(0);
  }
  // The shrunk inverse scatter, which gives the discriminant.
  torch::Tensor inverse() const {
    const torch::Tensor diagonal = scatter.diagonal();
    const torch::Tensor ridge = diagonal * (kSetsWithout / static_cast<double>(sets)) + 1e-12 * diagonal.max() + 1e-300;
    return at::linalg_inv(scatter + at::diag(ridge));
  }
};

template <class Visit>
void for_pieces(std::int64_t begin, std::int64_t end, const Visit& visit) {
  for (std::int64_t first = begin; first < end; first += kSetsTogether)
    visit(first, std::min(end, first + kSetsTogether));
}

// Sums over the sets begin .. end - 1 the share of samples below each truth's discriminant.
double truth_places(const torch::Tensor& discriminants) {
  const torch::Tensor truth = discriminants.slice(1, 0, 1), draws = discriminants.slice(1, 1);
  const torch::Tensor above = draws.lt(truth).to(torch::kFloat64) + 0.5 * draws.eq(truth).to(torch::kFloat64);
  return above.mean(1).sum().item<double>();
}

double upper_tail(double z) {
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

}  // namespace

void TwoSample::add(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& aggregates) {
  const torch::Tensor s = detail::metric_input(samples, 3, "Samples"), t = detail::metric_input(truth, 2, "Truths");
  const torch::Tensor a = detail::metric_input(aggregates, 2, "Aggregates");
  detail::check_pair(s, t);
  PAIRS_CHECK(a.size(0) == t.size(0), "{} aggregates are not those of {} sets.", a.size(0), t.size(0));
  PAIRS_CHECK(s.size(1) >= fewest_samples(s.size(2)), "A two-sample test of {} targets needs {} samples a set, not {}.",
              s.size(2), fewest_samples(s.size(2)), s.size(1));
  // The samples compared with the truth are not those that define the units; otherwise truths would look different even
  // for exact posteriors.
  const Measured posterior = measured(s.slice(1, kDraws), at::cat({t.unsqueeze(1), s.slice(1, 0, kDraws)}, 1));
  const torch::Tensor context = context_of(posterior, a);
  PAIRS_CHECK(context.isfinite().all().item<bool>(), "Posterior samples or aggregates are not finite numbers.");
  candidates_.push_back(posterior.candidates);
  context_.push_back(context);
  sets_ += t.size(0);
}

TwoSampleTest TwoSample::global() const {
  if (sets_ < kFewestSets) return {};
  const torch::Tensor all = at::cat(candidates_), context = at::cat(context_);
  const torch::Tensor components = Components(context, all.size(2)).of(context);
  Moments learned;
  double sum = 0;
  for (std::int64_t b = 0; b < kBlocks; ++b) {
    const std::int64_t begin = b * sets_ / kBlocks, end = (b + 1) * sets_ / kBlocks;
    const torch::Tensor direction = b > 0 ? learned.inverse().mv(learned.difference) : torch::Tensor();
    for_pieces(begin, end, [&](std::int64_t first, std::int64_t last) {
      const torch::Tensor centered = centered_features(all.slice(0, first, last), components.slice(0, first, last));
      if (direction.defined()) sum += truth_places(centered.matmul(direction));
      learned.add(centered);
    });
  }
  const auto scored = static_cast<double>(sets_ - sets_ / kBlocks);
  TwoSampleTest test;
  test.accuracy = sum / scored;
  // The standard error of a mean of ranks that are uniform on 0, 1, ..., K, as fractions of K draws.
  test.se = std::sqrt((kDraws + 2) / (12.0 * kDraws) / scored);
  test.p_value = upper_tail((test.accuracy - 0.5) / test.se);
  return test;
}

LocalTest TwoSample::local(const torch::Tensor& samples, const torch::Tensor& aggregate, std::uint64_t seed) const {
  PAIRS_CHECK(sets_ >= kFewestSets, "A local test needs {} sets to learn from, not {}.", kFewestSets, sets_);
  const torch::Tensor all = at::cat(candidates_), context = at::cat(context_);
  const Components leading(context, all.size(2));
  const torch::Tensor components = leading.of(context);
  const torch::Tensor observed = detail::metric_input(samples, 2, "Samples").unsqueeze(0);
  const Measured posterior = measured(observed, observed);
  const torch::Tensor here = centered_features(
      posterior.candidates,
      leading.of(context_of(posterior, detail::metric_input(aggregate, 1, "An aggregate").unsqueeze(0))))[0];

  Moments learned;
  const std::int64_t p = here.size(1);
  torch::Tensor swapped = torch::zeros({kReplicates, p}, torch::kFloat64);
  const std::uint64_t key = stream_key(seed, Purpose::check);
  for_pieces(0, sets_, [&](std::int64_t first, std::int64_t last) {
    const torch::Tensor centered =
        centered_features(all.slice(0, first, last), components.slice(0, first, last)).contiguous();
    learned.add(centered);
    const double* values = centered.const_data_ptr<double>();
    double* sums = swapped.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < last - first; ++i) {
      Stream stream(key, static_cast<std::uint64_t>(first + i));
      for (std::int64_t r = 0; r < kReplicates; ++r) {
        const auto pick = static_cast<std::int64_t>(stream.below(kDraws + 1));
        const double* chosen = values + (i * (kDraws + 1) + pick) * p;
        for (std::int64_t k = 0; k < p; ++k) sums[r * p + k] += chosen[k];
      }
    }
  });
  const torch::Tensor inverse = learned.inverse();
  const torch::Tensor direction = inverse.mv(learned.difference), odds = here.mv(direction);
  LocalTest test;
  test.sets = sets_;
  test.statistic = odds.square().mean().item<double>();
  const torch::Tensor chance = here.mm(swapped.mm(inverse).t()).square().mean(0);
  test.p_value = (1.0 + static_cast<double>(chance.ge(test.statistic).sum().item<std::int64_t>())) /
                 static_cast<double>(kReplicates + 1);
  const torch::Tensor unit = (observed[0] - posterior.mean) / posterior.sd;
  const torch::Tensor shift = (unit * odds.unsqueeze(1)).mean(0);
  const torch::Tensor variance = 1 + ((unit.square() - 1) * odds.unsqueeze(1)).mean(0) - shift.square();
  test.shift = doubles(shift);
  test.spread = doubles(variance.clamp_min(0).sqrt());
  return test;
}

}  // namespace pairs
