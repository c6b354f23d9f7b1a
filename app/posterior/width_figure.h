#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/posterior/mcmc_reference.h"
#include "core/report/figure.h"
#include "core/train/run.h"

namespace pairs {

// Whether there is one: of tasks with one target, one nuisance and references.
bool has_width_figure(const Task& task);
// Sets at each ψ, and the chains that are run on the first of these beside the references.
struct WidthOptions {
  std::int64_t sets = 200;
  McmcOptions mcmc = {};
};
struct WidthFigure {
  Figure figure;
  std::optional<McmcReport> mcmc = {};  // where chains were run
};

// Throw Error for runs of other tasks, and where chains are asked of a task that has none; Stopped.

// Median posterior sd of θ against ψ for each run beside the task's references, at N = 100 and with θ a fifth into the
// range that figures of its prior show.
WidthFigure width_figure(const std::vector<LoadedRun>& runs, const WidthOptions& options,
                         const std::function<bool()>& keep_going);
// Posterior means and sd of θ against ψ, each averaged over sets, for each run beside the references, with θ at .2 and
// .4 of that range: a calibrated posterior's mean lies on the truth or, where the data say little, between it and the
// prior's (paper, appendix "Calibration").
WidthFigure location_figure(const std::vector<LoadedRun>& runs, const WidthOptions& options,
                            const std::function<bool()>& keep_going);

}  // namespace pairs
