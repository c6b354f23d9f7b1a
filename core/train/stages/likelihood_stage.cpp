#include "core/train/stages/likelihood_stage.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/threads/clock.h"
#include "core/ensemble.h"
#include "core/likelihood/coarsening.h"
#include "core/likelihood/covariate_law.h"
#include "core/likelihood/independence.h"
#include "core/likelihood/likelihood_draws.h"
#include "core/prior_density.h"
#include "core/stored_sets.h"
#include "core/train/run/run.h"
#include "core/train/run/simulator_record.h"
#include "core/train/stages/held_out_sets.h"
#include "core/train/stages/likelihood_batches.h"
#include "core/train/stages/source_choice.h"
#include "core/train/steps/optimize.h"

namespace pairs {
namespace {

using torch::Tensor;

constexpr std::int64_t kEpochs = 20;              // at most, a divisor of the steps; each is followed by a validation
constexpr double kPriorGain = 0.003;              // nat that the prior's network must gain over independent coordinates
constexpr std::int64_t kMostIndependence = 5000;  // observations of a set in the test of independence
constexpr std::int64_t kMostRepeated = 400;       // groups of stored sets with the same parameters that are tested
constexpr std::int64_t kFewestHeldOut = 4;        // sets that decide how far a likelihood is coarsened
constexpr double kSlow = 60;                      // seconds of simulation that are announced

// Passes a stage's events on to the client and writes them to the likelihood's own log.
class OwnLog : public Monitor {
 public:
  OwnLog(std::filesystem::path file, const FolderLock& lock, Monitor& next)
      : file_(std::move(file)), lock_(lock), next_(next) {}
  void event(const Event& event) override {
    lock_.check();
    append_event(file_, event);
    next_.event(event);
  }
  void progress(const Progress& progress) override { next_.progress(progress); }
  bool should_stop() override {
    const bool stop = next_.should_stop();
    lock_.check();
    return stop;
  }

 private:
  std::filesystem::path file_;
  const FolderLock& lock_;
  Monitor& next_;
};

// The loss of the members, each on its own sets, or on all if `all` is set, and of the prior's network.
Tensor loss_of(const LearnedLikelihood& likelihood, const LikelihoodDraws& draws, bool all) {
  const LearnedLikelihood& q = likelihood;
  const Tensor x = q.standardized(draws.x), context = q.context(q.space().coordinates(draws.parameters), draws.given);
  Tensor sum;
  for (std::int64_t k = 0; k < q.members(); ++k) {
    Tensor one;
    if (all) {
      one = q.loss(k, x, context);
    } else {
      const Tensor rows = at::nonzero(at::remainder(draws.set, q.members()) == k).select(1, 0).to(q.device());
      if (rows.numel() == 0) continue;  // few sets may all belong to the other members
      one = q.loss(k, x.index_select(0, rows), context.index_select(0, rows));
    }
    sum = sum.defined() ? sum + one : one;
  }
  const Tensor prior = q.prior_loss(q.space().coordinates(draws.prior_parameters), draws.prior_given);
  return sum.defined() ? sum / static_cast<double>(q.members()) + prior : prior;
}

// The members' mean curvature around some of a step's observations.
Tensor curvature_of(const LearnedLikelihood& likelihood, const LikelihoodDraws& draws, std::uint64_t key) {
  const LearnedLikelihood& q = likelihood;
  const auto some = [&](const Tensor& all) {
    return all.defined() ? all.slice(0, 0, LikelihoodBatches::curved(all.size(0))) : all;
  };
  const Tensor x = q.standardized(some(draws.x)),
               context = q.context(q.space().coordinates(some(draws.parameters)), some(draws.given));
  Tensor sum;
  for (std::int64_t k = 0; k < q.members(); ++k) {
    const Tensor one = q.curvature(k, x, context, key + static_cast<std::uint64_t>(k));
    sum = sum.defined() ? sum + one : one;
  }
  return sum / static_cast<double>(q.members());
}

void announce_pace(const Task& task, const LikelihoodConfig& config, const torch::Device& device) {
  if (config.simulations > 0) return;
  constexpr std::int64_t kSets = 64;
  const auto simulate = [&](std::int64_t first) {
    draw_observations(task, static_cast<std::uint64_t>(config.seed), likelihood_sets::kScale + first, kSets, device);
  };
  simulate(0);  // may start a program
  const Stopwatch watch;
  simulate(kSets);
  const double each = watch.seconds() / static_cast<double>(kSets * kObservationsOfASet);
  const double all = each * static_cast<double>(config.steps * config.batch);
  if (all > kSlow)
    spdlog::warn(
        "Simulating {} observations takes about {:.0f} min; --simulations {:.0f} takes some 10 min, and each is then "
        "used again",
        config.steps * config.batch, all / 60, std::max(10000.0, std::floor(600 / each / 1000) * 1000));
}

// How far posteriors must be coarsened for what few observations leave unknown of the likelihood: by those of the
// largest held-out sets.
double coarsening_of(const LearnedLikelihood& likelihood, const Task& task, const LikelihoodConfig& config,
                     Monitor& monitor) {
  const std::vector<HeldOutSet> sets =
      largest_sets(task, static_cast<std::uint64_t>(config.seed), Purpose::pretrain_validation,
                   std::max(config.compared, kFewestHeldOut));
  std::vector<PowerScore> scores;
  const Stopwatch watch;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (const std::optional<PowerScore> score =
            power_score(likelihood, task, sets[k], [&] { return !monitor.should_stop(); }))
      scores.push_back(*score);
    Progress now;
    now.stage = Stage::likelihood;
    now.done = static_cast<std::int64_t>(k) + 1;
    now.total = static_cast<std::int64_t>(sets.size());
    now.unit = "held-out sets";
    now.rate = static_cast<double>(now.done) / std::max(watch.seconds(), 1e-3);
    now.eta_seconds = static_cast<double>(now.total - now.done) / now.rate;
    monitor.progress(now);
  }
  return fitted_coarsening(scores);
}

// Tests whether observations are independent given the parameters. Stored sets cannot be simulated again for it, but
// several of them may have the same parameters.
IndependenceRecord independence_of(const LearnedLikelihood& likelihood, const Task& task, std::uint64_t seed,
                                   const LikelihoodDraws& training, const std::function<bool()>& stop) {
  if (task.stored() != nullptr) {
    const std::vector<RepeatedSets> repeated = repeated_sets(training, kMostRepeated);
    const IndependenceTest test =
        test_independence(likelihood, task.info(), repeated, task.stored()->in_order(), seed, [&] { return !stop(); });
    if (test.groups > 0) return {test.rejected(), test.text(), test.p, test.n};
    return {.text = fmt::format("Whether the observations of a stored set are independent given its parameters is not "
                                "tested, which takes several sets simulated at the same parameters, {} times at least",
                                kFewestGroups),
            .n = 0};
  }
  IndependenceOptions options;
  options.seed = seed;
  options.keep_going = [&] { return !stop(); };
  const std::int64_t largest = std::min(task.info().max_n, kMostIndependence);
  options.sizes = {2};
  if (largest > 40) options.sizes.push_back(20);
  if (largest > 2) options.sizes.push_back(largest);
  const IndependenceTest test = test_independence(likelihood, task, options);
  return {test.rejected(), test.text(), test.p, largest};
}

// Tests whether the covariates depend on the parameters, on sets that the likelihood was not trained on.
CovariateRecord covariates_of(const LearnedLikelihood& likelihood, const Task& task, std::uint64_t seed,
                              const LikelihoodDraws& held_out, const std::function<bool()>& stop) {
  if (likelihood.covariates() == 0) return {};
  const CovariateTest test =
      test_covariates(likelihood, task.info(),
                      task.stored() == nullptr ? simulated_pairs(likelihood, task, seed, [&] { return !stop(); })
                                               : stored_pairs(likelihood, held_out));
  return {test.rejected(), test.text(), test.p};
}

// Compares the refined posterior with that of the run once both exist (source_choice.h).
void compare(const std::filesystem::path& run, const RunConfig& config, const LikelihoodConfig& likelihood,
             const std::shared_ptr<const Task>& task, Monitor& monitor) {
  if (likelihood.compared == 0 || !run_status(run).finished || load_source_choice(run)) return;
  const std::optional<RunLikelihood> known = load_likelihood(run, *task);
  if (!known || !known->unusable().empty()) return;
  const auto open = [&](const std::shared_ptr<const Task>& one) {
    std::shared_ptr<Estimator> estimator = load_estimator(run / run_file::estimator, one);
    estimator->to(choose_device(config.device == "cpu" ? "cpu" : "auto"));  // its GPU may be elsewhere
    return estimator;
  };
  const Stopwatch watch;
  const auto progress = [&](std::int64_t done, std::int64_t all) {
    Progress now;
    now.stage = Stage::likelihood;
    now.done = done;
    now.total = all;
    now.unit = "sets compared";
    now.rate = static_cast<double>(done) / std::max(watch.seconds(), 1e-3);
    if (done > 0) now.eta_seconds = static_cast<double>(all - done) / now.rate;
    monitor.progress(now);
  };
  save_source_choice(run, compare_sources(
                              open, task, *known, likelihood.compared, static_cast<std::uint64_t>(config.seed),
                              [&] { return !monitor.should_stop(); }, progress));
}

// The settings that a likelihood's own file keeps: whether a run trains it is none of them.
std::vector<Field> stage_fields(LikelihoodConfig& config) {
  std::vector<Field> all = fields(config);
  std::erase_if(all, [](const Field& field) { return field.key == "likelihood.enabled"; });
  return all;
}

void check_config(const std::filesystem::path& file, const LikelihoodConfig& config) {
  LikelihoodConfig asked = config, kept;
  const std::vector<Field> own = stage_fields(asked), there = stage_fields(kept);
  read_toml_file(file, there);
  for (std::size_t i = 0; i < own.size(); ++i)
    if (field_text(own[i]) != field_text(there[i]))
      fail_usage("{} was begun with {} = {}, and here it is {}; continue with the same, or remove the folder {}",
                 file.parent_path().string(), own[i].key, field_text(there[i]), field_text(own[i]),
                 file.parent_path().string());
}

}  // namespace

std::filesystem::path likelihood_folder(const std::filesystem::path& run) {
  return run / likelihood_file::folder;
}

void train_likelihood(const std::filesystem::path& run, const RunConfig& run_config, const LikelihoodConfig& asked,
                      Monitor& monitor) {
  const std::shared_ptr<const Task> task = run_config.make_task();
  if (const std::string why = LearnedLikelihood::refused(*task); !why.empty())
    fail_usage("Task {} has no learned likelihood: {}", task->info().name, why);
  const torch::Device device = torch::kCPU;
  LikelihoodConfig config = asked;
  if (config.seed == 0) config.seed = run_config.seed;
  LikelihoodBatches batches(task, config, device);  // checks its numbers before anything is written
  const std::filesystem::path folder = likelihood_folder(run);
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  PAIRS_CHECK(!code, "Cannot create {}: {}", folder.string(), code.message());
  const FolderLock lock(folder);
  const std::filesystem::path settings = folder / likelihood_file::config, weights = folder / likelihood_file::weights;
  if (std::filesystem::exists(settings))
    check_config(settings, config);
  else
    write_file(settings, write_toml(stage_fields(config)));
  OwnLog log(folder / run_file::events, lock, monitor);
  if (std::filesystem::exists(weights)) return compare(run, run_config, config, task, log);

  const auto stop = [&] { return log.should_stop(); };
  const auto seed = static_cast<std::uint64_t>(config.seed);
  if (const std::string changed = changed_simulator(run, *task, stop); !changed.empty())
    fail("{}; its likelihood would be of another model: restore the simulator, or start a new run", changed);
  if (task->stored() == nullptr) announce_pace(*task, config, device);
  batches.prepare(stop);
  LearnedLikelihood likelihood = task->stored() == nullptr
                                     ? LearnedLikelihood(*task, config.networks, seed)
                                     : LearnedLikelihood(*task, config.networks, seed, batches.all());

  Problem problem;
  problem.stage = Stage::likelihood;
  problem.epochs = kEpochs;
  const std::int64_t steps = batches.steps();
  while (steps % problem.epochs != 0) --problem.epochs;
  problem.steps = steps / problem.epochs;
  problem.optimizer.epochs = problem.epochs;
  problem.optimizer.steps = problem.steps;
  problem.optimizer.batch = batches.sets();
  problem.optimizer.rate = config.rate;
  problem.optimizer.weight_decay = config.weight_decay;
  problem.optimizer.warmup = 0.02;
  problem.optimizer.clip = 10;
  problem.optimizer.ema = 0.995;
  problem.parameters = likelihood.parameters();
  problem.device = device;
  problem.gradients = [&](std::int64_t epoch, std::int64_t step, std::uint64_t key) {
    const LikelihoodDraws draws = batches.training(epoch * problem.steps + step);
    const Tensor loss = loss_of(likelihood, draws, batches.fixed());
    if (const double weight = batches.curvature(); weight > 0)
      (loss + weight * curvature_of(likelihood, draws, key)).backward();
    else
      loss.backward();
    return loss.detach();
  };
  problem.validate = [&](std::int64_t) { return loss_of(likelihood, batches.validation(), true).item<double>(); };
  const OptimizeResult result = optimize(problem, folder, run_config, log);

  const at::NoGradGuard no_grad;
  const LikelihoodDraws& held_out = batches.validation();
  const Tensor z = likelihood.space().coordinates(held_out.prior_parameters);
  const double prior = likelihood.prior_loss(z, held_out.prior_given).item<double>();
  likelihood.use_prior_network(!states_priors(task->info()) &&
                               LearnedLikelihood::normal_loss(z).item<double>() - prior > kPriorGain);

  if (task->stored() != nullptr) likelihood.coarsen(coarsening_of(likelihood, *task, config, log));

  const IndependenceRecord independence = independence_of(likelihood, *task, seed, batches.all(), stop);

  const CovariateRecord covariates = covariates_of(likelihood, *task, seed, held_out, stop);

  const std::int64_t simulations = batches.simulations(problem.epochs * problem.steps);
  std::map<std::string, std::string> metadata = {{"task", task->info().name},
                                                 {"validation", fmt::format("{}", result.validation - prior)},
                                                 {"simulations", std::to_string(simulations)},
                                                 {"independence", independence.text},
                                                 {"independence_p", fmt::format("{}", independence.p)},
                                                 {"independence_n", std::to_string(independence.n)},
                                                 {"independence_rejected", independence.rejected ? "1" : "0"}};
  if (likelihood.covariates() > 0)
    metadata.merge(std::map<std::string, std::string>{{"covariates_text", covariates.text},
                                                      {"covariates_p", fmt::format("{}", covariates.p)},
                                                      {"covariates_rejected", covariates.rejected ? "1" : "0"}});
  likelihood.save(weights, metadata);
  Event done;
  done.type = EventType::stage_done;
  done.stage = Stage::likelihood;
  done.seconds = result.seconds;
  done.values = {{"loss", result.train},
                 {"validation", result.validation},
                 {"simulations", simulations},
                 {"independence_p", independence.p}};
  log.event(done);
  if (independence.rejected || covariates.rejected) {
    Event warning;
    warning.type = EventType::warning;
    warning.stage = Stage::likelihood;
    warning.values = {{"text", (independence.rejected ? independence.text : covariates.text) +
                                   ": posteriors are not refined by this likelihood"}};
    log.event(warning);
  }
  std::filesystem::remove(folder / run_file::resume, code);
  compare(run, run_config, config, task, log);
}

void learn_likelihood(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor, Monitor& log) {
  if (!config.likelihood.enabled || !LearnedLikelihood::refused(*config.make_task()).empty()) return;
  try {
    train_likelihood(run, config, config.likelihood, monitor);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    Event warning;
    warning.type = EventType::warning;
    warning.stage = Stage::likelihood;
    warning.values = {
        {"text", fmt::format("The run has no learned likelihood, by which its posteriors could be refined: {}",
                             sentence(error))}};
    log.event(warning);
  }
}

bool likelihood_missing(const std::filesystem::path& run, const RunConfig& config) {
  std::error_code code;
  return config.likelihood.enabled &&
         !std::filesystem::exists(likelihood_folder(run) / likelihood_file::weights, code) &&
         LearnedLikelihood::refused(*config.make_task()).empty();
}

bool likelihood_begun(const std::filesystem::path& run) {
  const std::filesystem::path folder = likelihood_folder(run);
  std::error_code code;
  return std::filesystem::exists(folder / likelihood_file::config, code) &&
         !std::filesystem::exists(folder / likelihood_file::weights, code);
}

const std::string& RunLikelihood::unusable() const {
  static const std::string none;
  return independence.rejected ? independence.text : covariates.rejected ? covariates.text : none;
}

std::optional<RunLikelihood> load_likelihood(const std::filesystem::path& run, const Task& task) {
  const std::filesystem::path file = likelihood_folder(run) / likelihood_file::weights;
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return std::nullopt;
  RunLikelihood out;
  out.likelihood = std::make_shared<const LearnedLikelihood>(LearnedLikelihood::load(file, task));
  const std::map<std::string, std::string>& metadata = out.likelihood->metadata();
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    PAIRS_CHECK(found != metadata.end(), "{} cannot be used: its metadata lacks \"{}\"; remove it and train it again",
                file.string(), key);
    return found->second;
  };
  out.independence.rejected = text("independence_rejected") != "0";
  out.independence.text = text("independence");
  out.independence.p = std::strtod(text("independence_p").c_str(), nullptr);
  if (out.likelihood->covariates() > 0) {
    out.covariates.rejected = text("covariates_rejected") != "0";
    out.covariates.text = text("covariates_text");
    out.covariates.p = std::strtod(text("covariates_p").c_str(), nullptr);
  }
  out.independence.n = std::strtoll(text("independence_n").c_str(), nullptr, 10);
  out.validation = std::strtod(text("validation").c_str(), nullptr);
  out.simulations = std::strtoll(text("simulations").c_str(), nullptr, 10);
  return out;
}

}  // namespace pairs
