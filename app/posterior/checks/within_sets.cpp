#include "app/posterior/checks/within_sets.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <mutex>
#include <numeric>
#include <typeinfo>
#include <utility>

#include "app/kinds/observation_room.h"
#include "app/posterior/checks/predictive_sets.h"
#include "core/base/fields/face.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/one_thread.h"
#include "core/report/number_text.h"
#include "core/sets/amounts.h"
#include "core/simulator_probe.h"
#include "tasks/parts/items.h"

namespace pairs {
namespace {

constexpr std::uint64_t kWithinSeed = 0x77697468696e0000;
// The number of simulated sets; fewer if they are expensive.
struct WithinPlan {
  std::int64_t fitted, held_out;
};
constexpr std::array kPlans = {WithinPlan{2000, 3999}, WithinPlan{1000, 999}};
constexpr std::int64_t kEnoughCompared = 100;                // observations of each, or all of fewer
constexpr double kWithinFlops = 2e11;                        // FLOPs for embedding them
constexpr double kWithinNumbers = 1 << 27;                   // numbers of their observations and embeddings
constexpr double kMostNumbersWithin = 64;                    // numbers of an observation
constexpr std::int64_t kColumns = 6, kComponents = 4;        // of observations and embeddings
constexpr std::int64_t kPilot = 64;                          // sets that give the components
constexpr std::int64_t kToldBy = 10, kWaves = 64;            // numbers of an aggregate, and functions of them
constexpr std::array kLevels = {0.1, 0.25, 0.5, 0.75, 0.9};  // of quantiles

struct WithinAmounts {
  std::int64_t fitted = 0, held_out = 0, compared = 0;
};

// compared 0: too expensive.
WithinAmounts within_amounts(const LoadedRun& run, std::int64_t n) {
  const Estimator& estimator = *run.estimator;
  const double numbers = run.task->info().observation_numbers() + static_cast<double>(estimator.embedding_size());
  const double most = std::min(kWithinNumbers / numbers, kWithinFlops / std::max(estimator.embedder_flops(), 1.0));
  for (const WithinPlan& plan : kPlans) {
    const auto each = static_cast<std::int64_t>(most / static_cast<double>(plan.fitted + plan.held_out));
    if (each >= std::min(n, kEnoughCompared)) return {plan.fitted, plan.held_out, std::min(n, each)};
  }
  return {};
}

torch::Tensor quantile_rows(const torch::Tensor& sorted, double level) {
  const std::int64_t n = sorted.size(1);
  return sorted.select(1, std::min(n - 1, static_cast<std::int64_t>(level * static_cast<double>(n))));
}

torch::Tensor log_of(const torch::Tensor& value, double least = 1e-6) {
  return (value + least).log();
}

// The entropy of sorted values [sets, n] up to a constant, from the logarithms of their spacings (Vasicek 1976).
torch::Tensor spacings(const torch::Tensor& sorted) {
  const std::int64_t n = sorted.size(1);
  if (n < 2) return at::zeros({sorted.size(0)}, torch::kFloat64);
  const std::int64_t step = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))) / 2);
  return log_of((sorted.slice(1, step) - sorted.slice(1, 0, n - step)) / static_cast<double>(step), 1e-6).mean(1);
}

// Statistics of values [sets, n, D] around each set's own center, appended to `out` as [sets] each.
void describe(const torch::Tensor& values, const std::vector<std::string>& columns, const std::string& all,
              std::vector<torch::Tensor>& out, std::vector<std::string>& names) {
  const std::int64_t sets = values.size(0), n = values.size(1), width = values.size(2);
  const torch::Tensor mean = values.mean(1, true), centered = values - mean;
  const torch::Tensor covariance =
      at::bmm(centered.transpose(1, 2), centered) / static_cast<double>(n) + 1e-8 * at::eye(width, torch::kFloat64);
  const torch::Tensor sd = covariance.diagonal(0, 1, 2).sqrt();
  const torch::Tensor factor = std::get<0>(at::linalg_cholesky_ex(covariance));
  const torch::Tensor white =
      at::linalg_solve_triangular(factor, centered.transpose(1, 2), false).transpose(1, 2).contiguous();
  const torch::Tensor left =
      -0.5 * log_of(at::cholesky_inverse(factor).diagonal(0, 1, 2), 1e-12);  // residual sd given all other columns
  const torch::Tensor scaled = std::get<0>((centered / sd.unsqueeze(1)).sort(1));
  const torch::Tensor third = scaled.pow(3).mean(1), fourth = scaled.pow(4).mean(1);
  const auto add = [&](const std::string& name, const torch::Tensor& value) {
    names.push_back(name);
    out.push_back(value);
  };
  for (std::int64_t j = 0; j < width; ++j) {
    const std::string& column = columns[static_cast<std::size_t>(j)];
    add(column + ": mean", mean.select(2, j).select(1, 0));
    add(column + ": spread", log_of(sd.select(1, j)));
    if (width > 1) add(column + ": spread given the other columns", left.select(1, j));
    add(column + ": skewness", third.select(1, j).asinh());
    add(column + ": kurtosis", log_of(fourth.select(1, j), 0.1));
    const torch::Tensor one = scaled.select(2, j);
    for (const double level : kLevels)
      add(fmt::format("{}: {:.0f} % quantile", column, 100 * level), quantile_rows(one, level));
    add(column + ": entropy", spacings(one) + log_of(sd.select(1, j)));
    add(column + ": least", -log_of(-one.select(1, 0), 0.1));
    add(column + ": largest", log_of(one.select(1, n - 1), 0.1));
  }
  const torch::Tensor square = white.square().sum(2);
  const torch::Tensor far = std::get<0>((square + 1e-6).log().sort(1));
  add(all + ": kurtosis", log_of(square.square().mean(1), 0.1));
  for (const double level : kLevels)
    add(fmt::format("{}: {:.0f} % quantile of the distance", all, 100 * level), quantile_rows(far, level));
  add(all + ": nearest", far.select(1, 0));
  add(all + ": farthest", far.select(1, n - 1));
  if (width > 1) {
    const torch::Tensor pairs_of = (white.unsqueeze(3) * white.unsqueeze(2)).view({sets, n, width * width});
    const torch::Tensor skew = at::bmm(pairs_of.transpose(1, 2), white) / static_cast<double>(n);
    if (width <= kComponents) {
      for (std::int64_t a = 0; a < width; ++a)
        for (std::int64_t b = 0; b < width; ++b)
          if (a != b)
            add(fmt::format("{}: curvature of {} by {}", all, columns[static_cast<std::size_t>(b)],
                            columns[static_cast<std::size_t>(a)]),
                skew.select(1, a * width + a).select(1, b).asinh());
    }
    add(all + ": skewness", log_of(skew.square().sum({1, 2}), static_cast<double>(width) / static_cast<double>(n)));
  }
}

// The scaling of numbers, and the functions of aggregates that predict them.
struct Middle {
  torch::Tensor middle, scale;  // a number each
  explicit Middle(const torch::Tensor& values) {
    const torch::Tensor sorted = std::get<0>(values.sort(0));
    const std::int64_t count = values.size(0);
    middle = sorted[count / 2].clone();
    const torch::Tensor wide = (sorted[count * 84 / 100] - sorted[count * 16 / 100]) / 2;
    const torch::Tensor sd = values.std(0).nan_to_num(0);
    scale = at::where(wide > 1e-3 * sd, wide, sd).clamp_min(1e-300);
    scale = at::maximum(scale, 1e-6 * (1 + middle.abs()));
  }
  torch::Tensor of(const torch::Tensor& values) const { return (values - middle) / scale; }
};

torch::Tensor normal_draws(std::int64_t rows, std::int64_t columns, std::uint64_t item) {
  torch::Tensor out = at::empty({rows, columns}, torch::kFloat64);
  Stream stream(stream_key(kWithinSeed, Purpose::test), item, 7);
  auto* value = out.mutable_data_ptr<double>();
  for (std::int64_t k = 0; k < rows * columns; ++k) value[k] = stream.normal64();
  return out;
}

class Status {
 public:
  explicit Status(const torch::Tensor& aggregates) : middle_(aggregates) {
    const torch::Tensor squashed = middle_.of(aggregates).asinh();
    mean_ = squashed.mean(0);
    const torch::Tensor centered = squashed - mean_;
    const auto [values, vectors] =
        at::linalg_eigh(centered.t().matmul(centered) / static_cast<double>(centered.size(0)));
    const std::int64_t all = values.size(0), kept = std::min(kToldBy, all);
    const torch::Tensor largest = values.slice(0, all - kept, all).clamp_min(1e-9 * values[all - 1].item<double>());
    basis_ = vectors.slice(1, all - kept, all) / largest.sqrt().clamp_min(1e-150);
    waves_ = normal_draws(kept, kWaves, 1) / std::sqrt(static_cast<double>(kept));
    phases_ = normal_draws(1, kWaves, 2);
  }
  torch::Tensor few(const torch::Tensor& aggregates) const {
    const torch::Tensor z = (middle_.of(aggregates).asinh() - mean_).matmul(basis_).clamp(-6, 6);
    return at::cat({at::ones({z.size(0), 1}, torch::kFloat64), z, z.square()}, 1);
  }
  torch::Tensor many(const torch::Tensor& aggregates) const {
    const torch::Tensor z = (middle_.of(aggregates).asinh() - mean_).matmul(basis_).clamp(-6, 6);
    std::vector<torch::Tensor> columns = {at::ones({z.size(0), 1}, torch::kFloat64), z};
    for (std::int64_t k = 0; k < z.size(1); ++k) columns.push_back(z.slice(1, k) * z.slice(1, k, k + 1));
    columns.push_back((z.matmul(waves_) + phases_).tanh());
    return at::cat(columns, 1);
  }

 private:
  Middle middle_;
  torch::Tensor mean_, basis_, waves_, phases_;
};

torch::Tensor ridge(const torch::Tensor& design, const torch::Tensor& values) {
  torch::Tensor normal = design.t().matmul(design);
  normal.diagonal().add_(1.0);
  return at::cholesky_solve(design.t().matmul(values), at::linalg_cholesky(normal));
}

// How rare such deviations to one side are: minus the logarithm of a generalized Pareto tail through the 80th, 95th and
// 98.75th percentiles of each (Pickands 1975), so that heavy tails do not dominate the others.
class Tail {
 public:
  Tail() = default;
  explicit Tail(const torch::Tensor& sorted) {  // [sets, K], ascending
    const std::int64_t count = sorted.size(0);
    const auto at = [&](double beyond) {
      return sorted[count - 1 - static_cast<std::int64_t>(beyond * static_cast<double>(count))];
    };
    const torch::Tensor low = at(kBeyond * 4), high = at(kBeyond / 4);
    from_ = at(kBeyond).clamp_min(1e-6);
    const torch::Tensor wide = at::maximum(high - from_, 1e-3 * from_);
    shape_ = ((wide / at::maximum(from_ - low, 1e-3 * from_)).log() / std::log(4.0)).clamp(0.02, 1);
    scale_ = shape_ * wide / (at::pow(4.0, shape_) - 1);
    reach_ = from_ + wide;
  }
  torch::Tensor rarity(const torch::Tensor& deviation) const {
    const torch::Tensor far = (1 + shape_ * (deviation - from_).clamp_min(0) / scale_).log() / shape_;
    return -std::log(kBeyond) * (deviation / from_).clamp(0, 1) + far;
  }
  const torch::Tensor& reach() const { return reach_; }

 private:
  static constexpr double kBeyond = 0.05;
  torch::Tensor from_, shape_, scale_, reach_;
};

// The deviations of statistics [sets, K] with aggregates [sets, l], fitted to a part of the simulated sets.
class Deviation {
 public:
  // The first `columns` statistics are those of the observations' own numbers.
  Deviation(const torch::Tensor& statistics, const torch::Tensor& aggregates, std::int64_t columns)
      : columns_(columns), middle_(statistics), reported_(aggregates) {
    const torch::Tensor values = middle_.of(statistics).clamp(-6, 6), many = reported_.many(aggregates);
    mean_fit_ = ridge(many, values);
    const torch::Tensor residual = (values - many.matmul(mean_fit_)).abs() + 0.05;
    log_fit_ = ridge(reported_.few(aggregates), residual.log());
    const torch::Tensor all = numbers(statistics, aggregates);
    const torch::Tensor sorted = std::get<0>(all.sort(0));
    const std::int64_t count = all.size(0);
    center_ = sorted[count / 2].clone();
    up_ = Tail(sorted - center_);
    down_ = Tail((center_ - sorted).flip(0));
    const torch::Tensor scaled = residuals(all);
    for (std::size_t part = 0; part < factors_.size(); ++part) {
      const torch::Tensor own = part_of(scaled, part);
      torch::Tensor covariance = own.t().matmul(own) / static_cast<double>(count);
      covariance = 0.9 * covariance + at::diag(0.1 * covariance.diagonal() + 1e-9);
      factors_[part] = at::linalg_cholesky(covariance);
    }
    const auto high = [](const torch::Tensor& of) {
      return std::max(std::get<0>(of.sort(0))[of.size(0) * 99 / 100].item<double>(), 1e-6);
    };
    const torch::Tensor rare = sides(all);
    for (std::size_t part = 0; part < factors_.size(); ++part) {
      most_[part] = high(rarest(rare, part));
      together_[part] = high(length(all, part));
    }
  }
  // [sets]; and how far each statistic deviates to its side [sets, 2 K].
  torch::Tensor of(const torch::Tensor& statistics, const torch::Tensor& aggregates,
                   torch::Tensor* signed_sides = nullptr) const {
    const torch::Tensor all = numbers(statistics, aggregates);
    if (signed_sides != nullptr) *signed_sides = sides(all) * at::where(all > center_, 1.0, -1.0);
    const torch::Tensor rare = sides(all);
    torch::Tensor out = at::zeros({all.size(0)}, torch::kFloat64);
    for (std::size_t part = 0; part < factors_.size(); ++part)
      out = at::maximum(out, at::maximum(rarest(rare, part) / most_[part], length(all, part) / together_[part]));
    return out;
  }

 private:
  // Statistics as they are, and relative to the expectation given the aggregates, in the expected scale.
  torch::Tensor numbers(const torch::Tensor& statistics, const torch::Tensor& aggregates) const {
    const torch::Tensor values = middle_.of(statistics);
    const torch::Tensor spread = reported_.few(aggregates).matmul(log_fit_).clamp(-4, 2).exp();
    return at::cat({values, (values - reported_.many(aggregates).matmul(mean_fit_)) / spread}, 1);
  }
  torch::Tensor sides(const torch::Tensor& all) const {
    return at::where(all > center_, up_.rarity(all - center_), down_.rarity(center_ - all));
  }
  torch::Tensor residuals(const torch::Tensor& all) const {
    const std::int64_t k = all.size(1) / 2;
    return (all - center_).slice(1, k).div(((up_.reach() + down_.reach()) / 2).slice(0, k)).clamp(-10, 10);
  }
  torch::Tensor part_of(const torch::Tensor& scaled, std::size_t part) const {
    return part == 0 ? scaled.slice(1, 0, columns_) : scaled.slice(1, columns_);
  }
  torch::Tensor rarest(const torch::Tensor& rare, std::size_t part) const {
    const std::int64_t k = rare.size(1) / 2;
    return at::maximum(part_of(rare.slice(1, 0, k), part).amax(1), part_of(rare.slice(1, k), part).amax(1));
  }
  torch::Tensor length(const torch::Tensor& all, std::size_t part) const {
    const torch::Tensor own = part_of(residuals(all), part);
    return at::linalg_solve_triangular(factors_[part], own.t(), false).square().sum(0).sqrt();
  }

  std::int64_t columns_;
  Middle middle_;
  Status reported_;
  torch::Tensor mean_fit_, log_fit_, center_;
  std::array<torch::Tensor, 2> factors_;  // of the columns and of the embeddings
  Tail up_, down_;
  std::array<double, 2> most_ = {1, 1}, together_ = {1, 1};  // what one set of the fitted in a hundred exceeds
};

}  // namespace

// Everything that a set is compared with; immutable once made.
struct WithinSets::Reference {
  WithinAmounts amounts;
  std::vector<std::string> columns, parts, names;
  torch::Tensor column_mean, column_basis, part_mean, part_basis;
  std::unique_ptr<const Deviation> deviation;
  torch::Tensor held_out;  // sorted deviations

  struct Described {
    torch::Tensor statistics, aggregates;
    std::vector<std::string> names;
    std::int64_t of_columns = 0;  // statistics of the columns; those of embeddings follow
  };

  // The leading components of values [.., k], of unit variance; the values themselves if these are few.
  static std::pair<torch::Tensor, torch::Tensor> basis_of(const torch::Tensor& values, std::int64_t most) {
    const torch::Tensor rows = values.reshape({-1, values.size(-1)});
    const torch::Tensor mean = rows.mean(0), centered = rows - mean;
    const torch::Tensor sd = centered.square().mean(0).sqrt();
    const torch::Tensor scale = 1 / at::where(sd > 1e-12, sd, at::ones_like(sd));
    if (values.size(-1) <= most) return {mean, at::diag(scale)};
    const torch::Tensor scaled = centered * scale;
    const auto [spread, vectors] = at::linalg_eigh(scaled.t().matmul(scaled) / static_cast<double>(rows.size(0)));
    const std::int64_t all = spread.size(0);
    return {mean, scale.unsqueeze(1) * vectors.slice(1, all - most, all) /
                      spread.slice(0, all - most, all).clamp_min(1e-12).sqrt()};
  }

  // Observations of sets of amounts.compared each: their numbers and their embeddings [sets, compared, k].
  std::pair<torch::Tensor, torch::Tensor> values_of(const LoadedRun& run, const ObservationSummaries& reported,
                                                    const Observations& x) const {
    const std::int64_t each = amounts.compared, sets = x.count() / each;
    return {
        reported.values.to(torch::kFloat64).view({sets, each, -1}),
        run.estimator->embed(x.to(run.estimator->device())).to(torch::kCPU, torch::kFloat64).view({sets, each, -1})};
  }

  // The first simulated sets define the components.
  void choose_components(const LoadedRun& run, const Observations& x) {
    const OneThread one_thread;
    const TaskInfo& info = run.task->info();
    const ObservationSummaries reported = room_of(info).summaries(info, x.to(torch::kCPU));
    const auto [values, embedded] = values_of(run, reported, x);
    std::tie(column_mean, column_basis) = basis_of(values, kColumns);
    std::tie(part_mean, part_basis) = basis_of(embedded, kComponents);
    const bool own = values.size(2) <= kColumns;
    for (std::int64_t k = 0; k < column_basis.size(1); ++k)
      columns.push_back(own ? reported.names[static_cast<std::size_t>(k)] : fmt::format("component {}", k + 1));
    for (std::int64_t k = 0; k < part_basis.size(1); ++k) parts.push_back(fmt::format("embedding {}", k + 1));
  }

  Described describe_sets(const LoadedRun& run, const Observations& x) const {
    const OneThread one_thread;
    const TaskInfo& info = run.task->info();
    const ObservationSummaries reported = room_of(info).summaries(info, x.to(torch::kCPU));
    const auto [values, embedded] = values_of(run, reported, x);
    Described out;
    std::vector<torch::Tensor> all;
    describe((values - column_mean).matmul(column_basis), columns, "observations", all, out.names);
    out.of_columns = static_cast<std::int64_t>(all.size());
    describe((embedded - part_mean).matmul(part_basis), parts, "embeddings", all, out.names);
    out.statistics = at::stack(all, 1).nan_to_num(0, 1e9, -1e9);
    out.aggregates = embedded.mean(1);
    return out;
  }

  static std::shared_ptr<const Reference> made(const LoadedRun& run, std::int64_t n, const WithinOptions& options);
  // Reuses an earlier reference for the same task, weights, n, conditions and seed, or makes one. Nothing is kept for a
  // program, which may draw differently each time.
  static std::shared_ptr<const Reference> kept(const LoadedRun& run, std::int64_t n, const WithinOptions& options);
};

namespace {

// Identifies everything that simulated sets depend on.
std::string reference_key(const LoadedRun& run, std::int64_t n, const WithinOptions& options) {
  std::string given;
  if (options.given.defined()) {
    const torch::Tensor values = options.given.to(torch::kCPU, torch::kFloat64).contiguous();
    given.assign(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  }
  const Task& task = *run.task;
  return fmt::format("{} {} {}\n{}\n{}\n{} {} {} {}\n{}\n{}", typeid(task).name(), task.info().name,
                     task.info().variant, task.info().data_source, run.folder.string(), weights_checksum(run), n,
                     options.seed, run.estimator->device().str(), training_settings(run.config), given);
}

}  // namespace

WithinSets::~WithinSets() = default;

WithinSets::WithinSets(const LoadedRun& run, std::int64_t n, const WithinOptions& options) : run_(run) {
  if (const std::string why = within_sets_missing(run, n); !why.empty())
    fail("Sets of task {} are not compared with simulated ones: {}", run.task->info().name, why);
  reference_ = Reference::kept(run, n, options);
}

std::shared_ptr<const WithinSets::Reference> WithinSets::Reference::kept(const LoadedRun& run, std::int64_t n,
                                                                         const WithinOptions& options) {
  constexpr std::size_t kMost = 64;
  static std::mutex mutex;
  static std::deque<std::pair<std::string, std::shared_ptr<const Reference>>> all;  // the oldest first
  if (face<ProbedSimulator>(*run.task) != nullptr) return made(run, n, options);
  const std::string key = reference_key(run, n, options);
  {
    const std::lock_guard lock(mutex);
    for (const auto& [known, reference] : all)
      if (known == key) return reference;
  }
  std::shared_ptr<const Reference> reference = made(run, n, options);
  const std::lock_guard lock(mutex);
  all.emplace_back(key, reference);
  if (all.size() > kMost) all.pop_front();
  return reference;
}

std::shared_ptr<const WithinSets::Reference> WithinSets::Reference::made(const LoadedRun& run, std::int64_t n,
                                                                         const WithinOptions& options) {
  const torch::NoGradGuard no_grad;
  const auto reference = std::make_shared<Reference>();
  Reference& own = *reference;
  own.amounts = within_amounts(run, n);
  const Task& task = *run.task;
  run.estimator->train(false);
  task.prepare({[&] { return options.keep_going && !options.keep_going(); }, {}});
  const std::uint64_t seed = options.seed ^ kWithinSeed;
  const std::int64_t all = own.amounts.fitted + own.amounts.held_out, each = own.amounts.compared;
  const std::int64_t at_once = std::clamp<std::int64_t>(run.estimator->observations_at_once() / each, 1, kPilot);
  std::vector<torch::Tensor> statistics, aggregates;
  std::int64_t of_columns = 0;
  const Stopwatch watch;
  for (std::int64_t first = 0, count; first < all; first += count) {
    if (options.keep_going && !options.keep_going()) throw Stopped();
    // The first part includes one-time work, such as the start of a simulator.
    constexpr double kKnown = 2;  // seconds
    const double seconds = watch.seconds();
    if (first > 0 && seconds > kKnown &&
        seconds * static_cast<double>(all) > options.longest * static_cast<double>(first))
      throw Stopped();
    count = std::min(first == 0 ? std::min(kPilot, std::max<std::int64_t>(at_once, 8)) : at_once, all - first);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    std::iota(indices.begin(), indices.end(), first);
    Latents latents = task.latents(seed, Purpose::test, indices);
    if (options.given.defined())
      latents.given =
          options.given.to(torch::kCPU, torch::kFloat64).expand({count, options.given.size(1)}).contiguous();
    std::vector<SetRange> ranges;
    for (const std::int64_t k : indices) ranges.push_back({k, 0, each});
    const Observations x = task.observe(latents, seed, Purpose::test, ranges, torch::kCPU);
    if (first == 0) own.choose_components(run, x);
    Described part = own.describe_sets(run, x);
    statistics.push_back(part.statistics);
    aggregates.push_back(part.aggregates);
    own.names = std::move(part.names);
    of_columns = part.of_columns;
  }
  const OneThread one_thread;
  const torch::Tensor of_all = at::cat(statistics), middle = at::cat(aggregates);
  const std::int64_t fitted = own.amounts.fitted;
  own.deviation = std::make_unique<const Deviation>(of_all.slice(0, 0, fitted), middle.slice(0, 0, fitted), of_columns);
  own.held_out = std::get<0>(own.deviation->of(of_all.slice(0, fitted), middle.slice(0, fitted)).sort(0));
  return reference;
}

std::int64_t WithinSets::compared() const {
  return reference_->amounts.compared;
}

std::int64_t WithinSets::simulated() const {
  return reference_->amounts.fitted + reference_->amounts.held_out;
}

WithinTest WithinSets::test(const Observations& x) const {
  PAIRS_CHECK(x.count() >= reference_->amounts.compared, "{} observations cannot be compared with sets of {}",
              x.count(), reference_->amounts.compared);
  return tests(x.slice(0, reference_->amounts.compared)).front();
}

std::vector<WithinTest> WithinSets::tests(const Observations& x) const {
  const torch::NoGradGuard no_grad;
  const Reference& own = *reference_;
  PAIRS_CHECK(x.count() > 0 && x.count() % own.amounts.compared == 0, "{} observations are no sets of {}", x.count(),
              own.amounts.compared);
  const Reference::Described sets = own.describe_sets(run_, x);
  const OneThread one_thread;
  torch::Tensor sides;
  const torch::Tensor deviations = own.deviation->of(sets.statistics, sets.aggregates, &sides).contiguous();
  const torch::Tensor nearer = at::searchsorted(own.held_out, deviations), most = sides.abs().argmax(1);
  std::vector<WithinTest> out;
  for (std::int64_t k = 0; k < deviations.size(0); ++k) {
    WithinTest one;
    one.sets = own.amounts.held_out;
    one.compared = own.amounts.compared;
    one.p = static_cast<double>(one.sets - nearer[k].item<std::int64_t>() + 1) / static_cast<double>(one.sets + 1);
    const std::int64_t place = most[k].item<std::int64_t>();
    one.most = own.names[static_cast<std::size_t>(place) % own.names.size()];
    one.above = sides[k][place].item<double>() > 0;
    out.push_back(std::move(one));
  }
  return out;
}

bool may_compare_within(const TaskInfo& info) {
  return info.observation_numbers() <= kMostNumbersWithin;
}

std::string within_sets_missing(const LoadedRun& run, std::int64_t n) {
  const Task& task = *run.task;
  if (std::string why = no_predictive_test(task); !why.empty()) return why;
  if (task.stored() != nullptr) return "its sets are read from files, and none can be simulated";
  if (n < 1 || !may_compare_within(task.info()) || within_amounts(run, n).compared == 0)
    return "its sets take long to simulate and embed";
  // Checked last, since the task may have to prepare its items for it.
  if (face<Items>(task) != nullptr || task.subjects(Purpose::test) > 0)
    return "its sets are of a fixed number of items";
  return "";
}

ModelVerdict within_verdict(ModelVerdict other, const WithinTest& within) {
  ModelVerdict out = std::move(other);
  if (std::isnan(within.p)) return out;
  if (within.p <= kUnlikeWithin) {
    const double least = 1 / static_cast<double>(within.sets + 1);
    out.standing = ModelVerdict::Standing::rejected;
    out.p = within.p;
    out.by = "within the set";
    out.text =
        fmt::format("Model rejected (within the set, p {} {:.2g})", within.p < 1.5 * least ? "≤" : "=", within.p);
  } else if (out.standing == ModelVerdict::Standing::unknown) {
    out.standing = ModelVerdict::Standing::inside;
    out.p = within.p;
    out.by = "within the set";
    out.text = fmt::format("Like sets of the model (within the set, p = {:.2g})", within.p);
  } else if (out.text.ends_with(")")) {
    out.text.insert(out.text.size() - 1, fmt::format("; within the set p = {:.2g}", within.p));
  }
  return out;
}

std::string within_text(const WithinTest& test) {
  const double least = 1 / static_cast<double>(test.sets + 1);
  std::string text = fmt::format("Within the set: p {} {:.2g} compared with {} sets of {} simulated from the prior",
                                 test.p < 1.5 * least ? "≤" : "=", test.p, count_text(test.sets),
                                 test.compared == 1 ? "one observation" : count_text(test.compared) + " observations");
  if (test.p <= 5 * kUnlikeWithin)
    text +=
        fmt::format("; {} is {} than the mean embedding leads to expect", test.most, test.above ? "larger" : "smaller");
  return text + ".";
}

nlohmann::json within_document(const WithinTest& test) {
  return {{"p", test.p},       {"sets", test.sets},   {"compared", test.compared},
          {"most", test.most}, {"above", test.above}, {"text", within_text(test)}};
}

}  // namespace pairs
