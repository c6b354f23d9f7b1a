#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/posterior/source/mcmc_reference.h"
#include "core/report/figure.h"
#include "core/train/run/run.h"

namespace pairs {

// Whether the task has one: it needs one target, one nuisance and references.
bool has_width_figure(const Task& task);
// The number of sets at each ψ, and the chains to run on the first of these for comparison.
struct WidthOptions {
  std::int64_t sets = 200;
  McmcOptions mcmc = {};
};
struct WidthFigure {
  Figure figure;
  std::optional<McmcReport> mcmc = {};  // if chains were run
};

// Both figures throw Error for runs of other tasks, and for chains with a task that has none; Stopped.

// The median posterior sd of θ against ψ for each run and the task's references, at N = 100 and with θ at a fifth of
// the range that figures of its prior show.
WidthFigure width_figure(const std::vector<LoadedRun>& runs, const WidthOptions& options,
                         const std::function<bool()>& keep_going);
// Posterior means and sd of θ against ψ, averaged over sets, for each run and the references, with θ at .2 and .4 of
// that range: a calibrated posterior's mean lies on the truth or, where the data are uninformative, between it and the
// prior's (paper, appendix "Calibration").
WidthFigure location_figure(const std::vector<LoadedRun>& runs, const WidthOptions& options,
                            const std::function<bool()>& keep_going);

}  // namespace pairs
