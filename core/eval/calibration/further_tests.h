#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/eval/calibration/two_sample.h"
#include "core/eval/metrics/evaluation_row.h"
#include "core/task.h"

namespace pairs {

// Tests of whole posteriors, in addition to those of each target's ranks, computed from the samples of one size's sets
// as they arrive: TARP, the two-sample test and coverage by region.
class FurtherTests {
 public:
  // The two-sample test uses this many sets, the first ones.
  static constexpr std::int64_t kMostLearnedFrom = 20000;

  explicit FurtherTests(const TaskInfo& info);
  // Adds the next sets, in order: samples [B, S, d], truths [B, d] and aggregates [B, l]. `key` breaks ties.
  void add(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& aggregates,
           std::uint64_t key);
  // Adds the results to the row, which must have ranks, their tests and means: truths, distance ranks, the p-values of
  // the ranks' ECDFs and, under their keys in EvaluationRow::scores, "tarp" with its limit and p-value, "c2st" with
  // error and p-value, and "region_p". Tests that need more sets or samples are omitted.
  void finish(EvaluationRow& row) const;

 private:
  torch::Tensor scale_, last_;  // [d], [1, d]
  TwoSample two_sample_;
  std::vector<torch::Tensor> truths_;
  std::vector<double> distance_ranks_;
};

}  // namespace pairs
