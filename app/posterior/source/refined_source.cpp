#include "app/posterior/source/refined_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// Standard deviations beyond which two means differ, and the share of the run's own width that its errors may explain.
constexpr double kApart = 4, kOwnError = 0.25;
// A refined posterior that is wider than the run's by more contradicts it.
constexpr double kWider = 1.5;

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
  if (known->independence.rejected)
    fail("{}; the run's own posterior does not need independence", known->independence.text);
  return *std::move(known);
}

}  // namespace

void check_refinable(const LoadedRun& run, const char* option) {
  if (const std::string why = not_refined(run); !why.empty()) fail_usage("{} cannot serve this run: {}", option, why);
  usable_likelihood(run);
}

bool compared_sources(const LoadedRun& run) {
  if (!not_refined(run).empty()) return false;
  const std::optional<RunLikelihood> known = load_likelihood(run.folder, *run.task);
  return known && !known->independence.rejected && load_source_choice(run.folder);
}

Refiner::Refiner(const LoadedRun& run)
    : known_(usable_likelihood(run)), choice_(load_source_choice(run.folder)), task_(run.task) {}

bool Refiner::first(const std::string& source, std::int64_t n) const {
  return source == source_word::kRefined || (source == source_word::kBest && choice_ && choice_->refined(n));
}

std::string Refiner::why_first(const std::string& source, std::int64_t n) const {
  return source == source_word::kBest && choice_
             ? fmt::format("The refined posterior comes first: {} (--source run gives the run's own alone).",
                           choice_->text(n))
             : "The refined posterior comes first, as asked by --source refined.";
}

std::shared_ptr<const Refiner> refiner_of(const LoadedRun& run, const std::string& source) {
  if (source == source_word::kRefined) {
    check_refinable(run, "--source refined");
    return std::make_shared<const Refiner>(run);
  }
  if (source != source_word::kBest || !compared_sources(run)) return nullptr;
  return std::make_shared<const Refiner>(run);
}

RefinedSource Refiner::source(const Observations& x, const torch::Tensor& given, const torch::Tensor& start,
                              std::uint64_t seed, const std::function<bool()>& keep_going) const {
  const Stopwatch watch;
  const auto posterior =
      std::make_shared<RefinedPosterior>(refined_by(*known_.likelihood, *task_, x, given, start, seed, keep_going));
  if (!posterior->refused.empty()) fail("{}", posterior->refused);
  posterior->independent = known_.independence.n;
  RefinedSource out;
  out.posterior = posterior;
  out.source.name = kRefined;
  out.source.role = SeriesRole::other;
  out.source.mean = posterior->mean;
  out.source.sd = posterior->sd;
  const auto density = std::make_shared<const RefinedDensity>(*posterior, known_.likelihood->space());
  out.source.log_density = [density, likelihood = known_.likelihood](const torch::Tensor& theta) {
    return density->log_density(theta);
  };
  out.source.sample = [posterior](std::int64_t draws, std::uint64_t own) { return resampled(*posterior, draws, own); };
  out.source.milliseconds = 1000 * watch.seconds();
  return out;
}

MadeDensity refined_density(const LoadedRun& run, std::int64_t sets, const std::function<bool()>& keep_going) {
  return refined_density(usable_likelihood(run), run.task, sets, keep_going);
}

std::string refined_text(const RefinedPosterior& posterior, std::int64_t n) {
  std::string text = fmt::format(
      "Refined by the learned likelihood: {} effective samples, Pareto k = {:.2f} (at most {}), halves {:.2f} and "
      "networks {:.2f} sd apart.",
      count_text(std::llround(posterior.effective)), posterior.shape, kMostShape, posterior.halves, posterior.members);
  if (posterior.evidences.defined()) text += " Since these are apart, the posterior is the mean of theirs.";
  if (posterior.independent == 0)
    text += " Independence of stored observations is not tested.";
  else if (n > posterior.independent)
    text += fmt::format(" Independence was tested up to N = {} only.", count_text(posterior.independent));
  return text;
}

nlohmann::json refined_document(const RefinedPosterior& posterior) {
  return {{"effective", posterior.effective},
          {"pareto_k", posterior.shape},
          {"halves", posterior.halves},
          {"members", posterior.members}};
}

std::string disagreement_with_run(const RefinedPosterior& refined, const torch::Tensor& mean, const torch::Tensor& sd,
                                  const TaskInfo& info) {
  for (std::int64_t k = 0; k < refined.mean.numel(); ++k) {
    const double own = sd[k].item<double>(), sharp = refined.sd[k].item<double>();
    const double apart = std::abs(mean[k].item<double>() - refined.mean[k].item<double>());
    const double explained = std::sqrt(std::max(own * own - sharp * sharp, 0.0) + std::pow(kOwnError * own, 2));
    if (apart <= kApart * explained && sharp <= kWider * own) continue;
    const std::string& label = info.targets[static_cast<std::size_t>(k)].label;
    return fmt::format(
        "The run and the refined posterior disagree on {}: {} ± {} and {} ± {}, which their widths do not explain; "
        "one of them is wrong for this set: compare with --predictive 200 and evaluate",
        label, number_text(mean[k].item<double>(), 3), number_text(own, 2),
        number_text(refined.mean[k].item<double>(), 3), number_text(sharp, 2));
  }
  return "";
}

}  // namespace pairs
