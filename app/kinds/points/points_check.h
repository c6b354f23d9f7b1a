#pragma once

#include "app/kinds/observation_room.h"

namespace pairs {

// Observed points x compared with simulations at posterior samples of θ and ψ. On a line: the observed histogram and
// the band of 90 % of the histograms of simulated sets; in the plane: a scatter plot of both.
SimulatedPlot points_check(const Task& task, const Latents& draws, const Observations& x, const SampleView& view,
                           SeriesRole role);

}  // namespace pairs
