#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/posterior/observed_set.h"
#include "app/posterior/posterior_axes.h"
#include "app/posterior/posterior_numbers.h"
#include "core/estimator.h"

namespace pairs {

// The posterior of one set of the prior by an estimator that is still being trained, beside the exact one, on axes that
// stand still: those of the exact posterior, and of the prior where there is none.
class TrainingPosterior {
 public:
  // Throws Error where the estimator's posterior cannot be drawn: of images, and of more than two targets.
  TrainingPosterior(const Estimator& estimator, std::int64_t n);

  std::int64_t n() const { return n_; }
  const TaskInfo& info() const { return set_.task().info(); }
  std::vector<double> truth() const { return set_.theta(); }
  // Works out the exact posterior, where the task has one, and the axes; before series(). `keep_going()` false throws
  // Stopped.
  void find_reference(const std::function<bool()>& keep_going);
  const PosteriorAxes& axes() const { return axes_; }
  // The exact posterior, if there is one, and that of the estimator as it is now, last; with `frozen` its embedder is
  // what it was when this was called first.
  std::vector<PosteriorNumbers> series(Estimator& estimator, SeriesRole role, bool frozen);

 private:
  void fit(const std::vector<PosteriorNumbers>& series);

  ObservedSet set_;
  std::int64_t n_;
  Observations x_;           // up to the end of the last block
  torch::Tensor aggregate_;  // of the embedder when it was asked last
  PosteriorAxes axes_;
  std::vector<Cells> cells_;
  std::vector<PosteriorNumbers> exact_;  // one, or none
};

}  // namespace pairs
