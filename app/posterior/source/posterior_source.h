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

// The log ratio of another prior's density to that of the training prior at θ [S, d] float64 -> [S].
using LogRatio = std::function<torch::Tensor(const torch::Tensor& theta)>;

// A posterior that was made anew under another prior.
struct UnderPrior {
  torch::Tensor draws, weights;  // [S, d], [S] float64
  double effective = 0;          // number of samples
  double log_evidence = 0;       // log of p(X | the other prior) over p(X | training prior),
  double log_evidence_se = 0;    // and its sampling error
  std::function<torch::Tensor(const torch::Tensor&)> log_density;  // as PosteriorSource::log_density
};

// A posterior of an estimator or a reference that provides a density, or for images only samples.
struct PosteriorSource {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::function<torch::Tensor(const torch::Tensor&)> log_density;  // θ [S, d] float64 -> [S] float64; none for images
  // S samples by a seed -> [S, d], the same at every call.
  std::function<torch::Tensor(std::int64_t draws, std::uint64_t seed)> sample;
  torch::Tensor mean, sd;  // [d] float64 for references; else undefined
  // Makes the posterior anew under another prior, of which θ [S, d] are samples; empty where samples can only be
  // weighted. Throws Error, a clause, if it cannot; Stopped once `keep_going` returns false.
  std::function<UnderPrior(const LogRatio& log_ratio, const torch::Tensor& theta,
                           const std::function<bool()>& keep_going)>
      under = {};
  double milliseconds = 0;  // time to make it
};

// Why the estimator's posterior has no density to draw, a clause: "the target of task x is an image, …"; "" if it has
// one.
std::string not_drawn(const Estimator& estimator);

// The source of a trained estimator, which must outlive it: aggregate [1, l] of n observations, and their conditions
// [1, g] or undefined.
PosteriorSource estimator_source(const std::string& name, SeriesRole role, std::shared_ptr<Estimator> estimator,
                                 const torch::Tensor& aggregate, std::int64_t n, const torch::Tensor& given);

// The task's reference `name` for the observations x [N, ...] and their conditions [1, g] or undefined. Throws Stopped
// once `keep_going` returns false, Error as Task::reference does.
PosteriorSource reference_source(const Task& task, const std::string& name, const Observations& x,
                                 const torch::Tensor& given = {}, const std::function<bool()>& keep_going = {});

// The learned product (core/eval/references/learned_product.h) of an estimator's posteriors of the single observations
// x [N, ...] of a set with conditions [1, g] or undefined. Throws Error for more than kMostLearnedProduct observations
// and as LearnedProduct does, Stopped once `keep_going` returns false.
PosteriorSource product_source(std::shared_ptr<Estimator> estimator, const Observations& x, const torch::Tensor& given,
                               const std::function<bool()>& keep_going = {});

// The role of a reference in all figures, and the line style of posteriors of this role and name.
SeriesRole reference_role(const std::string& name);
LineStyle posterior_style(SeriesRole role, const std::string& name = {});

}  // namespace pairs
