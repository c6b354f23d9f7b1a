#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/posterior/plots/posterior_axes.h"
#include "app/posterior/set/observed_set.h"
#include "app/posterior/source/posterior_numbers.h"
#include "core/estimator.h"

namespace pairs {

// The posterior of one set of the prior by an estimator in training, next to the exact one, on fixed axes: those of the
// exact posterior, or of the prior if there is none.
class TrainingPosterior {
 public:
  // Throws Error if the estimator's posterior cannot be drawn: for images, and for more than two targets.
  TrainingPosterior(const Estimator& estimator, std::int64_t n);

  std::int64_t n() const { return n_; }
  const TaskInfo& info() const { return set_.task().info(); }
  std::vector<double> truth() const { return set_.theta(); }
  // Computes the exact posterior, if the task has one, and the axes; call before series(). `keep_going()` false throws
  // Stopped.
  void find_reference(const std::function<bool()>& keep_going);
  const PosteriorAxes& axes() const { return axes_; }
  // The exact posterior, if there is one, and then that of the current estimator; with `frozen`, its embedder is as at
  // the first call.
  std::vector<PosteriorNumbers> series(Estimator& estimator, SeriesRole role, bool frozen);

 private:
  void fit(const std::vector<PosteriorNumbers>& series);

  ObservedSet set_;
  std::int64_t n_;
  Observations x_;           // up to the end of the last block
  torch::Tensor aggregate_;  // of the embedder at the last call
  PosteriorAxes axes_;
  std::vector<Cells> cells_;
  std::vector<PosteriorNumbers> exact_;  // one or none
};

}  // namespace pairs
