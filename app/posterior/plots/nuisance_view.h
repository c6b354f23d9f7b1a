#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "app/posterior/plots/posterior_axes.h"
#include "core/nuisance_posterior.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Samples of p(θ | X) by one run or the exact posterior, over which p(ψ | θ, X) is averaged.
struct ThetaDraws {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  torch::Tensor theta;  // [S, d] float64
};

// p(ψ | X) = ∫ p(ψ | θ, X) p(θ | X) dθ by one run or the exact posterior.
struct NuisanceSeries {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  std::vector<Cells> cells;  // for each component of ψ
  std::vector<std::vector<double>> densities;
  std::vector<TargetNumbers> numbers;
};

// p(ψ | X) by a run or the exact posterior: moments, median and central 90 % interval of each component.
struct NuisanceSummary {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  std::vector<double> mean, sd, median;
  std::vector<Interval> most;
};

// The posterior of ψ by the shown run and, if known, the exact one, ready to draw.
struct NuisanceView {
  std::vector<NuisanceSummary> series;
  std::shared_ptr<const Figure> figure;
  std::string title;  // "Posterior of ψ, bump position"
  std::string line;   // the result of the first series in a few words
  std::string note;   // medians and intervals of all series, the truth, and what was averaged
};

std::vector<NuisanceSeries> nuisance_series(const TaskInfo& info, const NuisancePosterior& nuisance,
                                            const std::vector<ThetaDraws>& draws);

// Axes of the plots that stay fixed while N is dragged.
struct NuisanceAxes {
  explicit NuisanceAxes(const TaskInfo& info);
  struct Component {
    StableRange range;
    StableHeight height;
  };
  std::vector<Component> components;
};

// One plot per component, each with its own axes. `truth` is ψ of a simulated set, else empty.
NuisanceView nuisance_view(const TaskInfo& info, const std::vector<NuisanceSeries>& series,
                           const std::vector<double>& truth, NuisanceAxes& axes);

}  // namespace pairs
