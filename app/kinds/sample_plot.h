#pragma once

#include <string>

#include "app/kinds/observation_room.h"

namespace pairs {

// The view that contains nearly all observations of the task's prior.
SampleView prior_view(const Task& task);

// A plot of observations of one set with parameters `latents`. Points and rows: see points_plot; images: a sheet of
// them. Latents without tensors: unknown, as for a file.
Plot sample_plot(const Task& task, const Latents& latents, const Observations& x, const SampleView& view);

// `each` observations of each of the first `sets` sets, from which views and thumbnails are made.
Observations prior_sample(const Task& task, std::int64_t sets, std::int64_t each);

// "θ = 0.42, ψ = 1.30", or only the targets if there are many nuisances.
std::string latents_text(const TaskInfo& info, const Latents& latents);

}  // namespace pairs
