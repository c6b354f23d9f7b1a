#pragma once

#include <torch/types.h>

#include <memory>
#include <string>

#include "app/common/sample_plot.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs::model {

// How many posterior draws of θ a check simulates data sets at.
inline constexpr std::int64_t kReplicates = 20;

// An observed set beside sets simulated at posterior draws of θ, and a sentence that says how they were made.
struct PredictiveCheck {
  std::shared_ptr<const Figure> figure;
  std::string note;
};

// theta [kReplicates, d] float64 on the CPU, draws of the posterior given the observations x [N, ...]; `role` colours
// what is simulated.
PredictiveCheck predictive_check(const Task& task, const torch::Tensor& theta, const torch::Tensor& x,
                                 const SampleView& view, SeriesRole role);

}  // namespace pairs::model
