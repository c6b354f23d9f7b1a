#include "core/likelihood/learned_likelihood.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/estimator_tensors.h"
#include "core/likelihood/likelihood_draws.h"
#include "core/simulation_budget.h"

namespace pairs {

using torch::Tensor;

namespace {

constexpr std::int64_t kPriorDraws = 1 << 17;   // from which the margins are measured
constexpr std::int64_t kScaleSets = 2048;       // from which the columns are measured, a few observations each
constexpr std::int64_t kMostScaled = 1 << 16;   // observations that they are measured on
constexpr double kAnythingScale = 2;            // of a Cauchy distribution in standardized units
constexpr double kLeastVariance = 1e-6;         // of a direction in standardized parameters
constexpr std::int64_t kPairsAtOnce = 1 << 20;  // pairs of parameters and observations

// Refuses parameters, values [B, d + p], of which one follows from the others: a monotone function of one of them has
// the same ranks, or the opposite ones, and a linear combination leaves the values without spread in a direction.
void check_independent(const TaskInfo& info, const Tensor& values) {
  if (values.size(1) < 2) return;
  for (const Tensor& one : {values.argsort(0, false).argsort(0, false).to(torch::kFloat64), values}) {
    const auto [sizes, directions] = at::linalg_eigh(at::corrcoef(one.t()));
    if (sizes[0].item<double>() > kLeastVariance) continue;
    const auto k = directions.select(1, 0).abs().argmax().item<std::int64_t>();
    const auto d = static_cast<std::int64_t>(info.targets.size());
    fail("parameter {} follows from the others, and so has no density of its own; leave it out",
         k < d ? info.targets[static_cast<std::size_t>(k)].name : info.nuisances[static_cast<std::size_t>(k - d)].name);
  }
}

std::vector<ColumnForm> forms_of(const std::vector<ColumnScale>& columns) {
  std::vector<ColumnForm> out;
  for (const ColumnScale& one : columns) out.push_back(one.form());
  return out;
}

}  // namespace

std::string column_name(const TaskInfo& info, std::int64_t k) {
  const auto at = static_cast<std::size_t>(k);
  return at < info.observation_columns.size() ? info.observation_columns[at] : fmt::format("x{}", k + 1);
}

std::vector<std::int64_t> density_order(const TaskInfo& info) {
  std::vector<std::int64_t> order = info.covariates;
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(info.observation_numbers()); ++k)
    if (std::find(info.covariates.begin(), info.covariates.end(), k) == info.covariates.end()) order.push_back(k);
  return order;
}

std::string LearnedLikelihood::refused(const Task& task) {
  // A pool may have to be prepared first, which takes minutes: what a task's description says comes before.
  if (const std::string why = task.info().no_density(); !why.empty()) return why;
  if (face<BudgetedSimulator>(task) != nullptr)
    return "the simulations of its budget are not made yet; training a run makes them";
  if (task.pool_size(Purpose::finetune) > 0) return "its observations are drawn from a finite pool";
  return "";
}

LearnedLikelihood::LearnedLikelihood(LikelihoodSettings settings, ParameterSpace space, const TaskInfo& info,
                                     std::vector<ColumnScale> columns, Tensor given_location, Tensor given_scale,
                                     std::uint64_t seed)
    : settings_(std::move(settings)),
      space_(std::move(space)),
      columns_(std::move(columns)),
      order_(density_order(info)),
      covariates_(static_cast<std::int64_t>(info.covariates.size())),
      given_location_(std::move(given_location)),
      given_scale_(std::move(given_scale)) {
  const std::int64_t given = given_location_.defined() ? given_location_.numel() : 0;
  for (std::int64_t k = 0; k < settings_.members; ++k)
    densities_.push_back(
        std::make_shared<ColumnDensity>(settings_.density, forms_of(columns_), 2 * space_.size() + given,
                                        at::detail::createCPUGenerator(stream_key(
                                            seed + 0x6c696b65 + static_cast<std::uint64_t>(k), Purpose::likelihood))));
  // The prior's first column needs a context: a column of zeros where the task has no conditions.
  prior_ = std::make_shared<ColumnDensity>(
      settings_.density, std::vector<ColumnForm>(static_cast<std::size_t>(space_.size())),
      std::max<std::int64_t>(given, 1), at::detail::createCPUGenerator(stream_key(seed + 0x7072, Purpose::likelihood)));
}

namespace {

// Draws of the prior, and observations to measure columns on.
LikelihoodDraws scale_draws(const Task& task, std::uint64_t seed) {
  if (const std::string why = LearnedLikelihood::refused(task); !why.empty())
    fail("Task {} has no learned likelihood: {}", task.info().name, why);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(kPriorDraws));
  std::iota(indices.begin(), indices.end(), likelihood_sets::kPrior);
  const Latents prior = task.latents(seed, Purpose::likelihood, indices);
  LikelihoodDraws out = draw_observations(task, seed, likelihood_sets::kScale, kScaleSets, torch::kCPU);
  out.prior_parameters = at::cat({prior.theta, prior.psi}, 1);
  if (prior.given.defined() && prior.given.size(1) > 0) out.prior_given = prior.given;
  return out;
}

}  // namespace

LearnedLikelihood::LearnedLikelihood(const Task& task, const LikelihoodSettings& settings, std::uint64_t seed)
    : LearnedLikelihood(task, settings, seed, scale_draws(task, seed)) {}

LearnedLikelihood::LearnedLikelihood(const Task& task, const LikelihoodSettings& settings, std::uint64_t seed,
                                     const LikelihoodDraws& draws)
    : LearnedLikelihood([&] {
        try {
          const auto targets = static_cast<std::int64_t>(task.info().targets.size());
          const Tensor& prior = draws.prior_parameters;
          ParameterSpace space(task.info(), prior.slice(1, 0, targets), prior.slice(1, targets));
          check_independent(task.info(), prior);
          std::vector<ColumnScale> columns;
          const Tensor x = draws.x.slice(0, 0, kMostScaled).to(torch::kFloat64);
          for (const std::int64_t k : density_order(task.info())) {
            const Tensor values = x.select(1, k).contiguous();
            const double period = task.info().column_period(static_cast<std::size_t>(k));
            columns.push_back(columns.size() < task.info().covariates.size()
                                  ? ColumnScale::of_covariate(values, period)
                                  : ColumnScale::of(values, column_name(task.info(), k), period));
          }
          Tensor location, scale;
          if (draws.prior_given.defined()) {
            location = draws.prior_given.mean(0);
            scale = draws.prior_given.std(0).clamp_min(1e-12);
          }
          return LearnedLikelihood(settings, std::move(space), task.info(), std::move(columns), location, scale, seed);
        } catch (const Error& error) {
          throw Error(fmt::format("Task {} has no learned likelihood: {}", task.info().name, error.what()),
                      error.kind());
        }
      }()) {}

void LearnedLikelihood::check(const Tensor& x) const {
  const Tensor flat = x.reshape({x.size(0), -1}).to(torch::kCPU, torch::kFloat64);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    // A covariate may have other values than the few that were simulated.
    if (static_cast<std::int64_t>(k) < covariates_ && columns_[k].kind() == ColumnKind::lattice) continue;
    if (const std::string why = columns_[k].refused(flat.select(1, order_[k])); !why.empty())
      fail("column {} of x {}", order_[k] + 1, why);
  }
}

Tensor LearnedLikelihood::standardized(const Tensor& x) const {
  const auto m = static_cast<std::int64_t>(columns_.size());
  const Tensor flat = x.reshape({x.size(0), -1}).to(torch::kCPU, torch::kFloat64);
  PAIRS_CHECK(flat.size(1) == m, "An observation has {} numbers, and the learned likelihood is of {}", flat.size(1), m);
  std::vector<Tensor> out;
  for (std::int64_t k = 0; k < m; ++k)
    out.push_back(columns_[static_cast<std::size_t>(k)].standardized(flat.select(1, column(k))));
  return at::stack(out, 1).to(torch::kFloat32).to(device_);
}

double LearnedLikelihood::log_slope(const Tensor& x) const {
  const Tensor flat = x.reshape({x.size(0), -1}).to(torch::kCPU, torch::kFloat64);
  double sum = 0;
  for (std::size_t k = static_cast<std::size_t>(covariates_); k < columns_.size(); ++k)
    sum += columns_[k].log_slope(flat.select(1, order_[k])).sum().item<double>();
  return sum;
}

Tensor LearnedLikelihood::known(const Tensor& given, std::int64_t rows) const {
  if (!given_location_.defined()) return {};
  PAIRS_CHECK(given.defined() && given.size(1) == given_location_.numel(),
              "The learned likelihood needs the conditions of the set");
  return ((given.to(torch::kCPU, torch::kFloat64) - given_location_) / given_scale_)
      .to(torch::kFloat32)
      .expand({rows, given_location_.numel()});
}

Tensor LearnedLikelihood::context(const Tensor& z, const Tensor& given) const {
  const Tensor features = space_.features(z), extra = known(given, z.size(0));
  return (extra.defined() ? at::cat({features, extra}, 1) : features).to(device_);
}

Tensor LearnedLikelihood::prior_loss(const Tensor& z, const Tensor& given) const {
  const Tensor extra = known(given, z.size(0));
  return -prior_
              ->log_prob(z.to(torch::kFloat32).to(device_),
                         extra.defined() ? extra.to(device_) : at::zeros({z.size(0), 1}, at::device(device_)))
              .mean();
}

Tensor LearnedLikelihood::normal_loss(const Tensor& z) {
  return (0.5 * z.square() + 0.5 * std::log(2 * M_PI)).sum(1).mean();
}

Tensor LearnedLikelihood::loss(std::int64_t member, const Tensor& x, const Tensor& context) const {
  return -density(member).log_prob(x, context).mean();
}

Tensor LearnedLikelihood::log_prior(const Tensor& z, const Tensor& given) const {
  const at::NoGradGuard no_grad;
  if (!prior_network_used_) return -(0.5 * z.square() + 0.5 * std::log(2 * M_PI)).sum(1).to(torch::kFloat64);
  const Tensor extra = known(given, z.size(0));
  return prior_
      ->log_prob(z.to(torch::kFloat32).to(device_),
                 extra.defined() ? extra.to(device_) : at::zeros({z.size(0), 1}, at::device(device_)))
      .to(torch::kCPU, torch::kFloat64);
}

Tensor LearnedLikelihood::prior_samples(std::int64_t count, const Tensor& given, std::uint64_t key) const {
  if (!prior_network_used_) {
    at::Generator generator = at::detail::createCPUGenerator(key);
    return at::randn({count, space_.size()}, generator, at::TensorOptions(at::kDouble));
  }
  const Tensor extra = known(given, count);
  return prior_->sample(extra.defined() ? extra.to(device_) : at::zeros({count, 1}, at::device(device_)), key)
      .to(torch::kCPU, torch::kFloat64)
      .clamp(-ParameterSpace::kMost, ParameterSpace::kMost);
}

Tensor LearnedLikelihood::log_likelihood(const Tensor& z, const Tensor& x, const Tensor& given,
                                         const std::function<bool()>& keep_going, double contamination) const {
  const at::NoGradGuard no_grad;
  // log density of anything -> [N].
  Tensor anything = at::full({x.size(0)}, std::log(std::max(contamination, 1e-300)), x.options());
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Tensor one = x.select(1, static_cast<std::int64_t>(k));
    const auto atoms = static_cast<double>(columns_[k].atoms().size());
    const Tensor single = atom_of(one) >= 0;
    const Tensor other = -at::log1p((one.masked_fill(single, 0) / kAnythingScale).square()) -
                         std::log(M_PI * kAnythingScale) - (atoms > 0 ? M_LN2 : 0);
    anything = anything + (atoms > 0 ? at::where(single, at::full_like(one, -std::log(2 * atoms)), other) : other);
  }
  const auto mixed = [&](const Tensor& log, std::int64_t first) {
    return contamination > 0 ? at::logaddexp(log + std::log1p(-contamination),
                                             anything.slice(0, first, first + log.size(1)).unsqueeze(0))
                             : log;
  };
  const Tensor all = context(z, given);
  const std::int64_t rows = z.size(0), count = x.size(0);
  Tensor out = at::zeros({rows, 1 + members()}, at::TensorOptions(at::kDouble));
  const std::int64_t at_once = std::max<std::int64_t>(1, std::min<std::int64_t>(count, 4096));
  const std::int64_t rows_at_once = std::max<std::int64_t>(1, kPairsAtOnce / at_once / 4);
  for (std::int64_t row = 0; row < rows; row += rows_at_once) {
    const Tensor part = all.slice(0, row, std::min(row + rows_at_once, rows));
    Tensor sums = out.slice(0, row, std::min(row + rows_at_once, rows));
    for (std::int64_t first = 0; first < count; first += at_once) {
      if (keep_going && !keep_going()) throw Stopped();
      const Tensor some = x.slice(0, first, std::min(first + at_once, count));
      Tensor together;
      for (std::int64_t k = 0; k < members(); ++k) {
        const Tensor log = density(k).log_prob_all(some, part, covariates_);
        sums.select(1, 1 + k) += mixed(log, first).sum(1, false, torch::kFloat64).to(torch::kCPU);
        together = together.defined() ? at::logaddexp(together, log) : log;
      }
      sums.select(1, 0) += mixed(together - std::log(static_cast<double>(members())), first)
                               .sum(1, false, torch::kFloat64)
                               .to(torch::kCPU);
    }
  }
  return out;
}

Tensor LearnedLikelihood::log_densities(const Tensor& z, const Tensor& x, const Tensor& given,
                                        const std::function<bool()>& keep_going) const {
  const at::NoGradGuard no_grad;
  const Tensor all = context(z, given);
  constexpr std::int64_t kAtOnce = 4096;
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < x.size(0); first += kAtOnce) {
    if (keep_going && !keep_going()) throw Stopped();
    const Tensor some = x.slice(0, first, std::min(first + kAtOnce, x.size(0)));
    Tensor together;
    for (std::int64_t k = 0; k < members(); ++k) {
      const Tensor log = density(k).log_prob_all(some, all, covariates_);
      together = together.defined() ? at::logaddexp(together, log) : log;
    }
    parts.push_back(
        at::nan_to_num((together - std::log(static_cast<double>(members()))).to(torch::kCPU, torch::kFloat64), -1e300,
                       -1e300, -1e300));
  }
  return at::cat(parts, 1);
}

Tensor LearnedLikelihood::simulate(const Tensor& z, const Tensor& given, std::uint64_t key) const {
  const Tensor all = context(z, given);
  // The members' mean: each row is drawn from one of them.
  const std::int64_t rows = z.size(0);
  Stream stream(key, 0);
  std::vector<Tensor> parts;
  for (std::int64_t k = 0; k < members(); ++k)
    parts.push_back(density(k).sample(all, key + 1 + static_cast<std::uint64_t>(k)).to(torch::kCPU, torch::kFloat64));
  Tensor out = at::empty_like(parts.front());
  for (std::int64_t row = 0; row < rows; ++row)
    out[row].copy_(parts[stream.below(static_cast<std::uint64_t>(members()))][row]);
  std::vector<Tensor> columns(columns_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k)
    columns[static_cast<std::size_t>(order_[k])] = columns_[k].original(out.select(1, static_cast<std::int64_t>(k)));
  return at::stack(columns, 1);
}

std::map<std::string, Tensor> LearnedLikelihood::parameters() const {
  std::map<std::string, Tensor> out;
  for (std::size_t k = 0; k < densities_.size(); ++k)
    collect_tensors(*densities_[k], fmt::format("member{}.", k), false, out);
  collect_tensors(*prior_, "prior.", false, out);
  return out;
}

void LearnedLikelihood::to(const torch::Device& device) {
  for (const auto& one : densities_) one->to(device);
  prior_->to(device);
  device_ = device;
}

}  // namespace pairs
