#include "app/posterior/checks/predictive_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/posterior/source/set_simulator.h"
#include "core/base/text/error.h"
#include "core/periodic.h"
#include "core/report/number_text.h"
#include "core/sets/amounts.h"

namespace pairs {
namespace {

constexpr std::uint64_t kPredictiveSeed = 0x7072656469637400;
constexpr std::int64_t kPriorSets = 20;       // prior sets per simulated one that takes its ψ from them
constexpr std::int64_t kMeanDraws = 64;       // that estimate a set's posterior mean
constexpr std::int64_t kMostComponents = 8;   // of embeddings
constexpr double kMostHeld = 1 << 26;         // numbers of observations and embeddings in memory
constexpr double kMostFlops = 4e12;           // FLOPs for embedding them
constexpr double kUsualFlops = 1e11;          // FLOPs in a brief test
constexpr std::int64_t kFewestCompared = 10;  // observations, at any cost

// Parameters of the simulated sets, one row each, with the index of each simulation.
struct Simulated {
  Latents latents;
  std::vector<std::int64_t> indices;
  PsiSource psi = PsiSource::none;
};

torch::Tensor one_draw(const AskedRun& run, const AskedSet& set, const torch::Tensor& drawn, std::uint64_t seed) {
  Estimator& estimator = *run.loaded.estimator;
  torch::Tensor theta = drawn.defined() ? drawn.to(torch::kCPU, torch::kFloat64).clone()
                                        : estimator
                                              .sample(set.aggregate(), torch::full({1}, set.n, torch::kInt64), 1,
                                                      stream_key(seed, Purpose::posterior), set.given)[0]
                                              .to(torch::kCPU, torch::kFloat64)
                                              .contiguous();
  PAIRS_CHECK(theta.isfinite().all().item<bool>(),
              "The posterior of {} is not finite, so that nothing can be simulated", run.loaded.name);
  const std::vector<Target>& targets = run.loaded.task->info().targets;
  for (std::size_t t = 0; t < targets.size(); ++t)
    theta.select(1, static_cast<std::int64_t>(t)).clamp_(targets[t].low, targets[t].high);
  return theta;
}

torch::Tensor rows_of(const torch::Tensor& row, std::int64_t count) {
  return row.defined() ? row.expand({count, row.size(1)}).contiguous() : row;
}

// The latents of sets from the prior, ordered by the distance of their θ from theta [1, d].
Latents nearest_of_prior(const Task& task, const torch::Tensor& theta, std::uint64_t seed, std::int64_t wanted,
                         std::vector<std::int64_t>& indices) {
  const std::int64_t subjects = task.subjects(Purpose::test);
  const std::int64_t held = subjects > 0 ? std::min(subjects, kPriorSets * wanted) : kPriorSets * wanted;
  PAIRS_CHECK(held >= wanted, "Task {} has {} to simulate sets of; a predictive test of {} sets needs as many",
              task.info().name, count_text(held), count_text(wanted));
  std::vector<std::int64_t> all(static_cast<std::size_t>(held));
  std::iota(all.begin(), all.end(), 0);
  const Latents prior = task.latents(seed, Purpose::test, all);
  torch::Tensor apart = torch::zeros({held}, torch::kFloat64);
  for (std::size_t t = 0; t < task.info().targets.size(); ++t) {
    const auto column = static_cast<std::int64_t>(t);
    apart += ((prior.theta.select(1, column) - theta[0][column]) / task.info().targets[t].scale).square();
  }
  const torch::Tensor chosen = std::get<1>(apart.sort(true, 0, false)).narrow(0, 0, wanted);
  for (std::int64_t k = 0; k < wanted; ++k) indices.push_back(chosen[k].item<std::int64_t>());
  return {prior.theta.index_select(0, chosen), prior.psi.index_select(0, chosen),
          prior.given.defined() ? prior.given.index_select(0, chosen) : prior.given};
}

Latents row_of(const Latents& latents, std::int64_t k) {
  const auto row = [&](const torch::Tensor& of) { return of.defined() ? of.narrow(0, k, 1).clone() : of; };
  return {row(latents.theta), row(latents.psi), row(latents.given)};
}

// Parameters at theta [1, d], adjusted to the nearest ones that the task allows.
Latents possible(const Task& task, const Latents& latents) {
  Latents out{latents.theta.clone(), latents.psi.clone(), latents.given};
  const auto last = static_cast<std::int64_t>(task.info().nuisances.size()) - 1;
  for (std::int64_t k = 0; k < out.theta.size(0); ++k) {
    Latents one = row_of(out, k);
    task.constrain(one, {last >= 0, std::max<std::int64_t>(last, 0)});
    out.theta[k].copy_(one.theta[0]);
    out.psi[k].copy_(one.psi[0]);
  }
  return out;
}

// Whether θ follows from ψ: then the task moves a θ that is combined with another ψ.
bool follows_from_psi(const Task& task, const torch::Tensor& theta, const Latents& extra) {
  const std::int64_t some = std::min<std::int64_t>(extra.theta.size(0), 16);
  const Latents mixed{rows_of(theta, some), extra.psi.narrow(0, 0, some).contiguous(), {}};
  const torch::Tensor moved = (possible(task, mixed).theta - mixed.theta).abs().amax(1);
  return (moved > 1e-9 * (1 + theta.abs().max().item<double>())).sum().item<std::int64_t>() > some / 2;
}

Simulated parameters(const AskedRun& run, const Task& task, const AskedSet& set, const NuisancePosterior* nuisances,
                     const PredictiveOptions& options, const torch::Tensor& drawn, std::uint64_t seed) {
  const torch::Tensor theta = one_draw(run, set, drawn, options.seed);
  Simulated out;
  const bool all_inferred = task.info().nuisances.empty();
  if (all_inferred || nuisances != nullptr) {
    Stream stream(stream_key(seed, Purpose::posterior), 1);
    Latents one{theta, all_inferred ? torch::zeros({1, 0}, torch::kFloat64) : nuisances->sample(theta, stream), {}};
    one = possible(task, one);
    out.psi = all_inferred ? PsiSource::none : PsiSource::posterior;
    out.latents = {rows_of(one.theta, options.sets), rows_of(one.psi, options.sets), {}};
    out.indices.resize(static_cast<std::size_t>(options.sets));
    std::iota(out.indices.begin(), out.indices.end(), 0);
  } else {
    out.latents = nearest_of_prior(task, theta, seed, options.sets, out.indices);
    const bool tied = follows_from_psi(task, theta, out.latents);
    out.psi = tied ? PsiSource::with_theta : PsiSource::prior;
    if (!tied) out.latents = possible(task, {rows_of(theta, options.sets), out.latents.psi, {}});
  }
  if (set.given.defined()) out.latents.given = rows_of(set.given.to(torch::kCPU, torch::kFloat64), options.sets);
  return out;
}

// Features and embeddings of consecutive sets of `each` observations.
class Gathered {
 public:
  Gathered(Estimator& estimator, const TaskInfo& info, std::int64_t each)
      : estimator_(estimator), info_(info), each_(each) {}

  void add(const Observations& x) {
    const std::int64_t sets = x.count() / each_;
    ObservationSummaries reported = room_of(info_).summaries(info_, x.to(torch::kCPU));
    names_ = std::move(reported.names);
    features_.push_back(reported.values.view({sets, each_, -1}));
    const torch::Tensor embedded =
        estimator_.embed(x.to(estimator_.device())).to(torch::kCPU, torch::kFloat32).view({sets, each_, -1});
    aggregates_.push_back(embedded.to(torch::kFloat64).mean(1));
    embeddings_.push_back(embedded);
  }
  ComparedSets sets() const {
    ComparedSets out;
    out.names = names_;
    out.features = torch::cat(features_);
    out.aggregates = torch::cat(aggregates_);
    out.embedded = leading_components(torch::cat(embeddings_), kMostComponents);
    return out;
  }

 private:
  Estimator& estimator_;
  const TaskInfo& info_;
  std::int64_t each_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> features_, embeddings_, aggregates_;
};

void simulate(const AskedRun& run, const Task& task, const Simulated& simulated, std::int64_t each,
              const PredictiveOptions& options, std::uint64_t seed, Gathered& gathered) {
  const auto sets = static_cast<std::int64_t>(simulated.indices.size());
  const std::int64_t at_once = std::clamp<std::int64_t>(run.loaded.estimator->observations_at_once() / each, 1,
                                                        sets_at_once(task.info().observation_numbers()));
  for (std::int64_t first = 0, count; first < sets; first += count) {
    if (options.keep_going && !options.keep_going()) throw Stopped();
    count = std::min(at_once, sets - first);
    const auto part = [&](const torch::Tensor& of) {
      return of.defined() ? of.narrow(0, first, count).contiguous() : of;
    };
    std::vector<SetRange> ranges;
    for (std::int64_t k = first; k < first + count; ++k)
      ranges.push_back({simulated.indices[static_cast<std::size_t>(k)], 0, each});
    gathered.add(
        task.observe({part(simulated.latents.theta), part(simulated.latents.psi), part(simulated.latents.given)}, seed,
                     Purpose::test, ranges, torch::kCPU));
    if (options.step) options.step(first + count, sets);
  }
}

// The posterior means of sets of n observations with these aggregates [sets, l] -> [sets, d].
torch::Tensor posterior_means(const AskedRun& run, const torch::Tensor& aggregates, std::int64_t n,
                              const torch::Tensor& given, std::uint64_t seed) {
  const std::int64_t sets = aggregates.size(0);
  const torch::Tensor samples = run.loaded.estimator
                                    ->sample(aggregates, torch::full({sets}, n, torch::kInt64), kMeanDraws,
                                             stream_key(seed, Purpose::posterior), rows_of(given, sets))
                                    .to(torch::kCPU, torch::kFloat64);
  const std::vector<Target>& targets = run.loaded.task->info().targets;
  const torch::Tensor none = torch::zeros({sets, samples.size(2)}, torch::kFloat64);
  return wrapped(targets, unrolled(targets, samples, none).samples.mean(1));
}

}  // namespace

std::string no_predictive_test(const Task& task) {
  const TaskInfo& info = task.info();
  if (info.targets.empty()) return "its target is an image, of which no whole scene follows that could be simulated";
  return "";
}

std::string no_predictive_test(const LoadedRun& run) {
  std::string why = no_predictive_test(*run.task);
  return why.empty() ? no_simulator(run) : why;
}

std::int64_t compared_observations(const AskedRun& run, std::int64_t n, std::int64_t sets, bool brief) {
  const Estimator& estimator = *run.loaded.estimator;
  const double numbers =
      run.loaded.task->info().observation_numbers() + 3 * static_cast<double>(estimator.embedding_size());
  const double each =
      std::min(kMostHeld / numbers, (brief ? kUsualFlops : kMostFlops) / std::max(estimator.embedder_flops(), 1.0)) /
      static_cast<double>(sets + 1);
  const std::int64_t most = std::max(kFewestCompared, static_cast<std::int64_t>(each));
  if (n <= most) return n;
  const std::vector<std::int64_t> served = estimator.sizes();
  if (served.empty()) return most;
  const auto beyond = std::upper_bound(served.begin(), served.end(), most);
  return beyond == served.begin() ? std::min(n, served.front()) : *std::prev(beyond);
}

PredictiveSets predictive_sets(const AskedRun& run, const AskedSet& set, const Observations& x,
                               const NuisancePosterior* nuisances, const PredictiveOptions& options,
                               const torch::Tensor& theta) {
  const torch::NoGradGuard no_grad;
  if (const std::string why = no_predictive_test(run.loaded); !why.empty())
    fail("Task {} has no predictive test: {}", run.loaded.task->info().name, why);
  const std::shared_ptr<const Task> simulator = set_simulator(run.loaded);
  const Task& task = *simulator;
  if (options.sets < kFewestPredictiveSets)
    fail_usage("A predictive test compares with {} simulated sets or more, not {}", kFewestPredictiveSets,
               options.sets);
  Estimator& estimator = *run.loaded.estimator;
  estimator.train(false);
  task.prepare({[&] { return options.keep_going && !options.keep_going(); }, {}});
  const std::uint64_t seed = options.seed ^ kPredictiveSeed;
  PredictiveSets out;
  out.compared = compared_observations(run, x.count(), options.brief ? kBriefSets : options.sets, options.brief);
  const Simulated simulated = parameters(run, task, set, nuisances, options, theta, seed);
  out.psi = simulated.psi;
  out.by_likelihood = simulator != run.loaded.task;
  Gathered gathered(estimator, task.info(), out.compared);
  gathered.add(x.slice(0, out.compared));
  simulate(run, task, simulated, out.compared, options, seed, gathered);
  out.sets = gathered.sets();
  out.sets.explained = posterior_means(run, out.sets.aggregates, out.compared, set.given, options.seed);
  return out;
}

}  // namespace pairs
