#pragma once

#include "app/kinds/observation_room.h"

namespace pairs {

// Observed points x beside those that the task simulates at draws of θ and ψ. On a line the observed histogram and the
// band that 90 % of the histograms of simulated sets fill; of the plane a scatter of both.
SimulatedPlot points_check(const Task& task, const Latents& draws, const Observations& x, const SampleView& view,
                           SeriesRole role);

}  // namespace pairs
