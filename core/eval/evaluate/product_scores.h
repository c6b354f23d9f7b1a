#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/aggregate.h"
#include "core/eval/metrics/evaluation_row.h"

namespace pairs {

// Computes the learned product (core/eval/references/learned_product.h) of the first test sets of one size from their
// embeddings as they arrive.
class ProductScores {
 public:
  // For the first `sets` sets of n observations; for none if n is above kMostLearnedProduct.
  ProductScores(Estimator& estimator, std::int64_t n, std::int64_t sets);

  // Collects embeddings of those of the sets first .. first + count - 1 that are scored; existing callbacks of the
  // stream stay.
  void watch(std::int64_t first, std::int64_t count, StreamOptions& stream);
  // Scores the collected sets at each set's θ; `latents` are those of the sets from the first collected one on.
  void score(const Latents& latents);
  // Adds to the row, which must have its log densities, the product's NLL (the row's own plus the product's deficit on
  // these sets) and its gap to `exact` [set], the exact posterior's log densities; these may be missing.
  void finish(EvaluationRow& row, const std::vector<double>* exact) const;

 private:
  Estimator& estimator_;
  std::int64_t sets_;
  std::function<bool()> keep_going_;
  std::vector<std::vector<torch::Tensor>> embeddings_;  // of each collected set, in parts
  std::vector<double> log_density_;                     // [set]
};

}  // namespace pairs
