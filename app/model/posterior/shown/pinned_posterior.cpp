#include "app/model/posterior/shown/pinned_posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"

namespace pairs::model {
namespace {

constexpr std::size_t kLongestName = 60;

// Picks a shade or a name that no other pin of the task has.
template <class Taken>
bool taken(const std::vector<PinnedPosterior>& all, const std::string& task, Taken&& is) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.task == task && is(one.numbers); });
}

bool has_name(const std::vector<PinnedPosterior>& all, const std::string& task, const std::string& name) {
  return taken(all, task, [&](const PosteriorNumbers& one) { return one.name == name; });
}

}  // namespace

PosteriorNumbers ghost_of(PosteriorNumbers numbers, const std::string& name, int shade) {
  numbers.role = shaded(SeriesRole::ghost, shade);
  numbers.ours = false;
  numbers.name = name;
  // The exact posterior next to it belonged to its own set and N.
  numbers.kl = NAN;
  for (TargetNumbers& target : numbers.targets) target.mean_shift = target.sd_ratio = NAN;
  return numbers;
}

PinnedPosteriors with_pinned(const PinnedPosteriors& before, const PosteriorScene& scene,
                             const PosteriorSnapshot& shown, std::uint64_t id, PinnedQuestion asked) {
  if (shown.series.empty() || !shown.series.front().ours) return before;
  std::vector<PinnedPosterior> all = before ? *before : std::vector<PinnedPosterior>();
  if (static_cast<std::size_t>(
          std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.task == scene.task; })) >= kMostPins)
    return before;
  int shade = 0;
  while (taken(all, scene.task, [&](const PosteriorNumbers& one) { return shade_of(one.role) == shade; })) ++shade;
  const PosteriorRun& run = scene.runs.front();
  const std::string base =
      fmt::format("N = {}, {}{}", count_text(shown.n), scene.set_short, run.run == scene.task ? "" : " · " + run.name);
  std::string name = base;
  for (int k = 2; has_name(all, scene.task, name); ++k) name = fmt::format("{} ({})", base, k);
  all.push_back({id, scene.task, scene.names, ghost_of(shown.series.front(), name, shade), std::move(asked)});
  return std::make_shared<const std::vector<PinnedPosterior>>(std::move(all));
}

PinnedPosteriors without_pinned(const PinnedPosteriors& before, std::uint64_t id) {
  std::vector<PinnedPosterior> all = before ? *before : std::vector<PinnedPosterior>();
  std::erase_if(all, [&](const PinnedPosterior& one) { return one.id == id; });
  return std::make_shared<const std::vector<PinnedPosterior>>(std::move(all));
}

PinnedPosteriors renamed_pinned(const PinnedPosteriors& before, std::uint64_t id, const std::string& wanted) {
  const std::string name = printable(wanted, kLongestName);
  if (!before || name.find_first_not_of(' ') == name.npos) return before;
  std::vector<PinnedPosterior> all = *before;
  for (PinnedPosterior& one : all) {
    if (one.id != id) continue;
    if (has_name(all, one.task, name)) return before;
    one.numbers.name = name;
  }
  return std::make_shared<const std::vector<PinnedPosterior>>(std::move(all));
}

std::vector<PosteriorNumbers> pinned_of(const PinnedPosteriors& pinned, const std::string& task,
                                        const std::vector<std::string>& targets) {
  std::vector<PosteriorNumbers> all;
  if (pinned)
    for (const PinnedPosterior& one : *pinned)
      if (one.task == task && one.targets == targets) all.push_back(one.numbers);
  return all;
}

}  // namespace pairs::model
