#include "app/posterior/posterior_warnings.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/report/number_text.h"
#include "core/train/event_values.h"
#include "core/train/events.h"
#include "core/train/run_progress.h"

namespace pairs {

std::string extrapolation_text(const LoadedRun& run) {
  if (strategy(run.config.strategy).stages_2_and_3)
    return fmt::format("{} saw sets of at most {} in training: this posterior is an extrapolation", run.name,
                       count_text(run.estimator->max_n()));
  std::string sizes;
  for (const std::int64_t n : run.config.pretrain.sizes) sizes += (sizes.empty() ? "" : ", ") + count_text(n);
  return fmt::format("{} was trained at N = {} alone: this posterior is an extrapolation", run.name, sizes);
}

std::string only_pretrained_text(const std::string& run) {
  return fmt::format("{} is only pretrained: its posterior holds for the small sets it saw", run);
}

std::string learnt_nothing_text(const LoadedRun& run) {
  const std::filesystem::path log = run.folder / run_file::events;
  try {
    if (!read_progress(log).learnt_nothing()) return "";
  } catch (const Error&) {
    return "";  // an answer needs no log
  }
  return run.name + " learnt nothing in training: its answers were no better than answers without observations";
}

std::string subset_text(const std::string& run, std::int64_t most) {
  return fmt::format(
      "{} knows sets of at most {}: from here on a random subset of so many is used, and the posterior sharpens no "
      "further",
      run, count_text(most));
}

std::string outside_text(const Place& place) {
  return fmt::format(
      "the observed set lies outside what training saw: its aggregate is at Mahalanobis distance {:.3g}, farther than "
      "{:.3g} % of training sets; do not trust the posterior",
      place.distance, place.percentile);
}

}  // namespace pairs
