#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/aggregate.h"
#include "core/eval/evaluation_row.h"

namespace pairs {

// The learned product (core/eval/learned_product.h) of the first test sets of one size, from their embeddings as these
// stream by.
class ProductScores {
 public:
  // Of the first `sets` sets of n observations; of none where n is beyond kMostLearnedProduct.
  ProductScores(Estimator& estimator, std::int64_t n, std::int64_t sets);

  // Watches those of the sets first .. first + count - 1 that are scored, beside who watches already.
  void watch(std::int64_t first, std::int64_t count, StreamOptions& stream);
  // Scores what was watched at each set's θ; `latents` are those of the sets from the first watched one on.
  void score(const Latents& latents);
  // Adds to the row, whose log densities are there, the product's NLL, the row's own plus what the product loses to it
  // on these sets, and its gap to `exact` [set], the exact posterior's log densities; these may be missing.
  void finish(EvaluationRow& row, const std::vector<double>* exact) const;

 private:
  Estimator& estimator_;
  std::int64_t sets_;
  std::function<bool()> keep_going_;
  std::vector<std::vector<torch::Tensor>> embeddings_;  // of each watched set, in parts
  std::vector<double> log_density_;                     // [set]
};

}  // namespace pairs
