#include "app/posterior/source/refined_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/periodic.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr double kNoticedPower = 0.95;  // of a likelihood, below which it is worth a sentence
// Standard deviations beyond which two means differ, and the share of the run's own width that its errors may explain.
constexpr double kApart = 4, kOwnError = 0.25;
// A refined posterior that is wider than the run's by more contradicts it.
constexpr double kWider = 1.5;

// The share of another prior that may lie closer to an end of the range than coordinates resolve, and where that is.
constexpr double kMostUnresolved = 0.02, kResolved = 0.95 * ParameterSpace::kMost;

// Parameters at which the likelihood of a usual set is evaluated (core/likelihood/refined_posterior.cpp), and the
// seconds of everything else.
constexpr double kUsualEvaluations = 4500, kSamplerSeconds = 0.2;

std::string untrained(const LoadedRun& run) {
  return fmt::format("the run has no learned likelihood; train it with: pairs --batch likelihood {}",
                     shell_word(run.folder.string()));
}

}  // namespace

std::string not_refined(const LoadedRun& run) {
  if (const std::string why = LearnedLikelihood::refused(*run.task); !why.empty()) return why;
  std::error_code code;
  return std::filesystem::exists(likelihood_folder(run.folder) / likelihood_file::weights, code) ? "" : untrained(run);
}

namespace {

// The run's likelihood, if posteriors may be refined by it.
RunLikelihood usable_likelihood(const LoadedRun& run) {
  if (const std::string why = LearnedLikelihood::refused(*run.task); !why.empty()) fail("{}", why);
  std::optional<RunLikelihood> known = load_likelihood(run.folder, *run.task);
  if (!known) fail("{}", untrained(run));
  if (const std::string& why = known->unusable(); !why.empty())
    fail("{}; the run's own posterior does not need {}", why,
         known->independence.rejected ? "independence" : "covariates");
  return *std::move(known);
}

}  // namespace

bool compared_sources(const LoadedRun& run) {
  try {
    return refiner_of(run, SourceWish::best) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

std::string outdated_comparison(const LoadedRun& run) {
  std::error_code code;
  if (!std::filesystem::exists(likelihood_folder(run.folder) / likelihood_file::comparison, code) ||
      compared_sources(run))
    return "";
  return fmt::format(
      "The run's likelihood, or its own weights, are not those of its comparison of posteriors, so that its own "
      "posterior is shown; compare again with: pairs --batch likelihood {}",
      shell_word(run.folder.string()));
}

std::string own_in_place_of_refined(const LoadedRun& run, std::int64_t n) {
  const std::shared_ptr<const Refiner> refiner = refiner_of(run, SourceWish::best);
  if (!refiner || !refiner->first(SourceWish::best, n)) return "";
  return fmt::format(
      "The local test and confidence intervals are of the run's own posterior, which is shown in place "
      "of the refined one; without these questions that comes first at N = {}",
      count_text(n));
}

std::string likelihood_stamp(const LoadedRun& run) {
  std::string stamp;
  std::error_code code;
  for (const char* name : {likelihood_file::weights, likelihood_file::comparison}) {
    const std::filesystem::path file = likelihood_folder(run.folder) / name;
    const auto time = std::filesystem::last_write_time(file, code);
    if (!code) stamp += fmt::format("{} {} ", name, time.time_since_epoch().count());
  }
  return stamp;
}

Refiner::Refiner(const LoadedRun& run) : Refiner(usable_likelihood(run), load_source_choice(run.folder), run.task) {}

bool Refiner::wanted(SourceWish wish, std::int64_t n) const {
  return wish == SourceWish::both || first(wish, n);
}

bool Refiner::first(SourceWish wish, std::int64_t n) const {
  return wish == SourceWish::refined || (wish == SourceWish::best && choice_ && choice_->refined(n));
}

std::string Refiner::why_first(SourceWish wish, std::int64_t n) const {
  return wish == SourceWish::best && choice_ ? fmt::format("The refined posterior comes first: {}.", choice_->text(n))
                                             : "The refined posterior comes first, as asked.";
}

double Refiner::expected_seconds(std::int64_t n) const {
  std::call_once(measured_, [this] {
    constexpr std::int64_t kPoints = 128, kObservations = 64;
    const LearnedLikelihood& likelihood = *known_.likelihood;
    const auto& info = task_->info();
    const torch::NoGradGuard no_grad;
    const torch::Tensor given = info.given.empty()
                                    ? torch::Tensor()
                                    : torch::zeros({1, static_cast<std::int64_t>(info.given.size())}, torch::kFloat64);
    const torch::Tensor z = torch::zeros({kPoints, likelihood.space().size()}, torch::kFloat64);
    const torch::Tensor x = torch::zeros({kObservations, static_cast<std::int64_t>(likelihood.columns().size())});
    likelihood.log_likelihood(z, x, given);  // the first call also makes room
    const Stopwatch watch;
    likelihood.log_likelihood(z, x, given);
    pace_ = watch.seconds() * kUsualEvaluations / static_cast<double>(kPoints * kObservations);
  });
  return kSamplerSeconds + pace_ * static_cast<double>(n);
}

const char* source_option(SourceWish wish) {
  return wish == SourceWish::both ? "--refine" : "--source refined";
}

std::shared_ptr<const Refiner> refiner_of(const LoadedRun& run, SourceWish wish) {
  if (wish == SourceWish::run) return nullptr;
  const std::string why = not_refined(run);
  if (wish != SourceWish::best) {
    if (!why.empty()) fail_usage("{} cannot serve this run: {}", source_option(wish), why);
    return std::make_shared<const Refiner>(run);
  }
  std::optional<SourceChoice> choice = why.empty() ? load_source_choice(run.folder) : std::nullopt;
  if (!choice) return nullptr;
  std::optional<RunLikelihood> known = load_likelihood(run.folder, *run.task);
  if (!known || !known->unusable().empty()) return nullptr;
  return std::make_shared<const Refiner>(*std::move(known), std::move(choice), run.task);
}

RefinedSource Refiner::source(const Observations& x, const torch::Tensor& given, const torch::Tensor& start,
                              std::uint64_t seed, const std::function<bool()>& keep_going,
                              double sequential_pairs) const {
  const Stopwatch watch;
  const auto posterior = std::make_shared<RefinedPosterior>(
      refined_by(*known_.likelihood, *task_, x, given, start, seed, keep_going, {}, sequential_pairs));
  if (!posterior->refused.empty()) fail("{}", posterior->refused);
  posterior->independent = known_.independence.n;
  RefinedSource out;
  out.posterior = posterior;
  out.source.name = kRefined;
  out.source.role = SeriesRole::other;
  const std::vector<Target> own = turned(task_->info().targets, posterior->theta, posterior->weight);
  const torch::Tensor theta = wrapped(own, posterior->theta);
  out.source.mean = at::matmul(posterior->weight, theta);
  out.source.sd = at::matmul(posterior->weight, (theta - out.source.mean).square()).sqrt();
  const auto density = std::make_shared<const RefinedDensity>(*posterior);
  out.source.log_density = [density, likelihood = known_.likelihood](const torch::Tensor& theta) {
    return density->log_density(theta);
  };
  out.source.sample = [posterior, targets = task_->info().targets](std::int64_t draws, std::uint64_t own) {
    return wrapped(targets, resampled(*posterior, draws, own));
  };
  out.source.under = [likelihood = known_.likelihood, task = task_, x, given, seed, old = posterior](
                         const LogRatio& log_ratio, const torch::Tensor& theta, const std::function<bool()>& going) {
    const double beyond =
        (likelihood->space().coordinates(theta).abs() > kResolved).any(1).to(torch::kFloat64).mean().item<double>();
    if (beyond > kMostUnresolved)
      fail("{:.0f} % of the prior lies closer to an end of the range than the parameters are resolved", 100 * beyond);
    const RefinedPosterior again =
        refined_by(*likelihood, *task, x, given, theta, seed, going, log_ratio, kPairsOfASet);
    if (!again.refused.empty()) fail("{}", again.refused);
    const auto density = std::make_shared<const RefinedDensity>(again);
    return UnderPrior{again.theta,
                      again.weight,
                      again.effective,
                      again.log_evidence - old->log_evidence,
                      std::hypot(again.log_evidence_se, old->log_evidence_se),
                      [density, likelihood, log_ratio](const torch::Tensor& theta) {
                        // The density is smooth, and the prior's may end.
                        const torch::Tensor log = density->log_density(theta);
                        return torch::where(log_ratio(theta).isfinite(), log, torch::full_like(log, -INFINITY));
                      }};
  };
  out.source.milliseconds = 1000 * watch.seconds();
  return out;
}

SingleObservations Refiner::singles(const Observations& x, const torch::Tensor& given, const torch::Tensor& start,
                                    std::uint64_t seed, const std::function<bool()>& keep_going) const {
  SingleOptions options;
  options.seed = seed;
  options.start = start;
  options.keep_going = keep_going;
  return single_observations(*known_.likelihood, *task_, x, given, options);
}

MadeDensity refined_density(const LoadedRun& run, std::int64_t sets, const std::function<bool()>& keep_going) {
  return refined_density(usable_likelihood(run), run.task, sets, keep_going);
}

std::string refined_text(const RefinedPosterior& posterior, std::int64_t n) {
  const std::string reliable = posterior.sequential
                                   ? "by sequential Monte Carlo"
                                   : fmt::format("Pareto k = {:.2f} (at most {})", posterior.shape, kMostShape);
  std::string text = fmt::format(
      "Refined by the learned likelihood: {} effective samples, {}, halves {:.2f} and networks {:.2f} sd apart.",
      count_text(std::llround(posterior.effective)), reliable, posterior.halves, posterior.members);
  text += fmt::format(" Evidence: log p(X) = {}; its networks differ by {}.",
                      with_error_text(posterior.log_evidence, posterior.log_evidence_se, 2),
                      number_text(posterior.log_evidence_range, 2));
  if (posterior.power < kNoticedPower)
    text += fmt::format(
        " The power {:.2f} of the likelihood makes the posterior as wide as what was learned from few simulations "
        "warrants.",
        posterior.power);
  if (posterior.evidences.defined()) text += " Since these are apart, the posterior is the mean of theirs.";
  if (posterior.independent == 0)
    text += " Independence of stored observations is not tested.";
  else if (n > posterior.independent)
    text += fmt::format(" Independence was tested up to N = {} only.", count_text(posterior.independent));
  return text;
}

nlohmann::json refined_document(const RefinedPosterior& posterior) {
  return {{"effective", posterior.effective},
          {"pareto_k", posterior.sequential ? nlohmann::json() : nlohmann::json(posterior.shape)},
          {"sequential", posterior.sequential},
          {"halves", posterior.halves},
          {"members", posterior.members},
          {"power", posterior.power},
          {"log_evidence", posterior.log_evidence},
          {"log_evidence_se", posterior.log_evidence_se},
          {"log_evidence_range", posterior.log_evidence_range}};
}

std::string disagreement_with_run(const RefinedPosterior& refined, const torch::Tensor& mean, const torch::Tensor& sd,
                                  const TaskInfo& info) {
  for (std::int64_t k = 0; k < refined.mean.numel(); ++k) {
    const double own = sd[k].item<double>(), sharp = refined.sd[k].item<double>();
    const Target& target = info.targets[static_cast<std::size_t>(k)];
    const double difference = mean[k].item<double>() - refined.mean[k].item<double>();
    const double apart =
        std::abs(target.periodic ? wrapped(difference, -0.5 * target.period(), target.period()) : difference);
    const double explained = std::sqrt(std::max(own * own - sharp * sharp, 0.0) + std::pow(kOwnError * own, 2));
    if (apart <= kApart * explained && sharp <= kWider * own) continue;
    return fmt::format(
        "The run and the refined posterior disagree on {}: {} ± {} and {} ± {}, which their widths do not explain; "
        "one of them is wrong for this set: compare with --predictive 200 and evaluate",
        target.label, number_text(mean[k].item<double>(), 3), number_text(own, 2),
        number_text(refined.mean[k].item<double>(), 3), number_text(sharp, 2));
  }
  return "";
}

}  // namespace pairs
