#include "app/posterior/caveats/posterior_warnings.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "app/posterior/caveats/caveat.h"
#include "app/posterior/caveats/verdict.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/report/number_text.h"
#include "core/train/run/run_progress.h"

namespace pairs {

namespace {

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "N = " : ", ") + count_text(size);
  return text;
}

}  // namespace

std::vector<PosteriorWarning> training_warnings(const LoadedRun& run, bool learned_nothing) {
  std::vector<PosteriorWarning> out;
  if (!run.finetuned && strategy(run.config.strategy).stages_2_and_3)
    out.push_back({WarningKind::only_pretrained,
                   caveat_text(fmt::format("{} is only pretrained", run.name), sizes_text(run.config.pretrain.sizes),
                               "finetune it, or use it for such small sets alone")});
  if (learned_nothing)
    out.push_back({WarningKind::learned_nothing,
                   caveat_text(fmt::format("{} is no better than the prior", run.name),
                               "in training its loss did not fall below that without observations",
                               "train it for longer, or check that observations depend on the targets")});
  return out;
}

std::vector<PosteriorWarning> size_warnings(const LoadedRun& run, std::int64_t n, const TrainingRecord& record) {
  const bool three = strategy(run.config.strategy).stages_2_and_3;
  if (n <= run.estimator->max_n() && (three || !extrapolates(run, n))) {
    const auto found = record.held.lower_bound(n);
    if (found == record.held.end() || found->second >= kEnoughSets) return {};
    return {
        {WarningKind::few_sets,
         caveat_text(fmt::format("{} learned posteriors of N = {} from few stored sets, so that they are often "
                                 "wider than the exact ones",
                                 run.name, count_text(n)),
                     fmt::format("{} of that size", count_text(found->second)),
                     fmt::format("simulate or store {} or more, or use fewer observations", count_text(kEnoughSets)))}};
  }
  const char* const what = "This posterior is an extrapolation";
  if (three)
    return {{WarningKind::extrapolation,
             caveat_text(what, fmt::format("{} saw sets of at most {}", run.name, count_text(run.estimator->max_n())),
                         "use fewer observations, or finetune on larger sets")}};
  return {{WarningKind::extrapolation,
           caveat_text(what, fmt::format("{} was trained at {} alone", run.name, sizes_text(run.config.pretrain.sizes)),
                       "use sets of that size, or train with the strategy pairs")}};
}

TrainingRecord training_record(const LoadedRun& run) {
  try {
    const auto log = run.folder / run_file::events;
    const RunProgress progress = read_progress(log);
    if (const std::string problem = record_problem(run.config, progress, run.finetuned);
        !problem.empty() && std::filesystem::exists(log))
      spdlog::warn("Whether {} learned anything is not known: {}", run.name, problem);
    return {progress.learned_nothing(), progress.held()};
  } catch (const Error&) {
    return {};
  }
}

std::string subset_text(const std::string& run, std::int64_t most) {
  return fmt::format(
      "{} knows sets of at most {}: from here on a random subset of that size is used, and the posterior sharpens no "
      "further",
      run, count_text(most));
}

std::string outside_text(const Typicality& typicality) {
  return verdict_warning(model_verdict(typicality));
}

}  // namespace pairs
