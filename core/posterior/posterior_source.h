#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/estimator.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// A posterior of which the density can be asked: of an estimator, or a reference.
struct PosteriorSource {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::function<torch::Tensor(const torch::Tensor&)> log_density;  // θ [S, d] float64 -> [S] float64
  std::function<torch::Tensor(std::int64_t)> sample;               // -> [S, d]; the same draws at every call
  torch::Tensor mean, sd;                                          // [d] float64 of references; else undefined
  double milliseconds = 0;                                         // that making it took
};

// Of a trained estimator, which must outlive the source: aggregate [1, l] of n observations, and what is given with
// them [1, g] or undefined. Draws are of `seed`.
PosteriorSource estimator_source(const std::string& name, SeriesRole role, std::shared_ptr<Estimator> estimator,
                                 const torch::Tensor& aggregate, std::int64_t n, const torch::Tensor& given,
                                 std::uint64_t seed = kFigureSeed);

// The task's reference `name` of the observations x [N, ...]. Throws Stopped once `keep_going` says no, Error as
// Task::reference does.
PosteriorSource reference_source(const Task& task, const std::string& name, const Observations& x,
                                 const std::function<bool()>& keep_going = {}, std::uint64_t seed = kFigureSeed);

// How a reference is drawn in every figure, and how posteriors of this role are.
SeriesRole reference_role(const std::string& name);
LineStyle posterior_style(SeriesRole role);

}  // namespace pairs
