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

// A posterior of which the density can be asked, or of images samples alone: of an estimator, or a reference.
struct PosteriorSource {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::function<torch::Tensor(const torch::Tensor&)> log_density;  // θ [S, d] float64 -> [S] float64; none of images
  // S draws by a seed -> [S, d], the same at every call.
  std::function<torch::Tensor(std::int64_t draws, std::uint64_t seed)> sample;
  torch::Tensor mean, sd;   // [d] float64 of references; else undefined
  double milliseconds = 0;  // that making it took
};

// Why the estimator's posterior has no density, which could be drawn, a clause: "the target of task x is an image, …";
// "" where it has one.
std::string not_drawn(const Estimator& estimator);

// Of a trained estimator, which must outlive the source: aggregate [1, l] of n observations, and what is given with
// them [1, g] or undefined.
PosteriorSource estimator_source(const std::string& name, SeriesRole role, std::shared_ptr<Estimator> estimator,
                                 const torch::Tensor& aggregate, std::int64_t n, const torch::Tensor& given);

// The task's reference `name` of the observations x [N, ...], and what is given of their set [1, g] or undefined.
// Throws Stopped once `keep_going` says no, Error as Task::reference does.
PosteriorSource reference_source(const Task& task, const std::string& name, const Observations& x,
                                 const torch::Tensor& given = {}, const std::function<bool()>& keep_going = {});

// The learned product (core/eval/learned_product.h) of an estimator's answers to the observations x [N, ...] of a set,
// and what is given of it [1, g] or undefined. Throws Error for more than kMostLearnedProduct observations and as
// LearnedProduct does, Stopped once `keep_going` says no.
PosteriorSource product_source(std::shared_ptr<Estimator> estimator, const Observations& x, const torch::Tensor& given,
                               const std::function<bool()>& keep_going = {});

// How a reference is drawn in every figure, and how posteriors of this role and name are.
SeriesRole reference_role(const std::string& name);
LineStyle posterior_style(SeriesRole role, const std::string& name = {});

}  // namespace pairs
