#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "app/model/posterior/posterior.h"
#include "app/model/posterior/posterior_figures.h"
#include "app/posterior/grid_posterior.h"
#include "core/nuisance_posterior.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs::model {

// Draws of p(θ | X) by one run or the exact posterior, over which p(ψ | θ, X) is averaged.
struct ThetaDraws {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  torch::Tensor theta;  // [S, d] float64
};

// p(ψ | X) = ∫ p(ψ | θ, X) p(θ | X) dθ of one run or the exact posterior.
struct NuisanceSeries {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  std::vector<Cells> cells;  // of each component of ψ
  std::vector<std::vector<double>> densities;
  std::vector<TargetNumbers> numbers;
};

std::vector<NuisanceSeries> nuisance_series(const TaskInfo& info, const NuisancePosterior& nuisance,
                                            const std::vector<ThetaDraws>& draws);

// Ranges of the plot that stand still while N is dragged.
struct NuisanceAxes {
  explicit NuisanceAxes(const TaskInfo& info);
  StableRange range;
  StableHeight height;
};

// All components share one axis. `truth` is ψ of a simulated set, else empty.
NuisanceView nuisance_view(const TaskInfo& info, const std::vector<NuisanceSeries>& series, const Truth& truth,
                           NuisanceAxes& axes);

}  // namespace pairs::model
