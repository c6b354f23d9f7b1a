#include "app/posterior/caveats/posterior_warnings.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "app/posterior/caveats/verdict.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/report/number_text.h"
#include "core/train/run/run_progress.h"

namespace pairs {

std::vector<PosteriorWarning> training_warnings(const LoadedRun& run, bool learned_nothing) {
  std::vector<PosteriorWarning> out;
  if (!run.finetuned && strategy(run.config.strategy).stages_2_and_3)
    out.push_back({WarningKind::only_pretrained,
                   fmt::format("{} is only pretrained: its posterior holds for the small sets it saw", run.name)});
  if (learned_nothing)
    out.push_back(
        {WarningKind::learned_nothing,
         run.name +
             " is no better than the prior: in training its answers did not improve on those without observations"});
  return out;
}

std::vector<PosteriorWarning> size_warnings(const LoadedRun& run, std::int64_t n, const TrainingRecord& record) {
  const bool three = strategy(run.config.strategy).stages_2_and_3;
  if (n <= run.estimator->max_n() && (three || !extrapolates(run, n))) {
    const auto found = record.held.lower_bound(n);
    if (found == record.held.end() || found->second >= kEnoughSets) return {};
    return {
        {WarningKind::few_sets,
         fmt::format("{} learned posteriors of N = {} from {} stored sets alone: they are often wider than the exact "
                     "ones, and may be off; simulate or store {} or more of that size, or use fewer observations",
                     run.name, count_text(n), count_text(found->second), count_text(kEnoughSets))}};
  }
  if (three)
    return {{WarningKind::extrapolation,
             fmt::format("{} saw sets of at most {} in training: this posterior is an extrapolation", run.name,
                         count_text(run.estimator->max_n()))}};
  std::string sizes;
  for (const std::int64_t size : run.config.pretrain.sizes) sizes += (sizes.empty() ? "" : ", ") + count_text(size);
  return {{WarningKind::extrapolation,
           fmt::format("{} was trained at N = {} alone: this posterior is an extrapolation", run.name, sizes)}};
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
