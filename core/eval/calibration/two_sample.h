#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace pairs {

// How well a classifier distinguishes a set's truth from a sample of its posterior.
struct TwoSampleTest {
  double accuracy = NAN;  // 1/2 if they are indistinguishable
  double se = NAN;        // standard error around 1/2
  double p_value = NAN;   // probability that exact posteriors do as well
};

// The two-sample test at one observed set, trained on other sets.
struct LocalTest {
  double statistic = NAN;  // mean square over the posterior of the classifier's log odds against it
  double p_value = NAN;
  std::int64_t sets = 0;  // sets that it was trained on
  // For each target, the classifier's estimate, shrunk towards 0 and 1, of how many posterior sds the truths of sets
  // like this one lie above the posterior's mean, and how many times as wide they spread.
  std::vector<double> shift, spread;
  bool unlike = false;  // set by the caller: the set is out of distribution, and no training set resembles it
};

// Classifier two-sample tests (C2ST, Lopez-Paz and Oquab 2017) of sets' truths against samples of their posteriors,
// each together with its set: both have the same distribution if posteriors are exact. The exact posterior need not be
// known, because the truth is a sample of it. The classifier is Fisher's discriminant within sets, on polynomials of
// the samples in units of their posterior, and on products of these with the leading principal components of posterior
// means, sds and aggregates.
class TwoSample {
 public:
  static constexpr std::int64_t kDraws = 20;        // posterior samples compared with the truth
  static constexpr std::int64_t kFewestSets = 100;  // with fewer, the classifier cannot be trained
  static constexpr std::int64_t kReplicates = 999;  // permutations in the local test
  // Posterior samples needed for d targets: some are compared with the truth, the others define the units.
  static std::int64_t fewest_samples(std::int64_t targets) { return kDraws + 30 + 3 * targets; }

  // Adds sets: samples [B, S, d] of their posteriors, truths [B, d], aggregates [B, l]; float64 on the CPU. Throws
  // Error for too few samples and for numbers that are not finite.
  void add(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& aggregates);
  std::int64_t sets() const { return sets_; }

  // The test over all sets. Each block of sets is scored by a classifier trained on the blocks before it, so that for
  // exact posteriors each truth's rank among its samples is uniform whatever was learned. NaN for fewer than
  // kFewestSets.
  TwoSampleTest global() const;
  // The test at an observed set (LC2ST, Linhart et al. 2023): samples [S, d] and aggregate [l], in the same form as the
  // sets'. Compares the classifier's statistic there with its distribution when each set's truth is swapped at random
  // (seeded) with one of its samples. Throws Error for fewer than kFewestSets.
  LocalTest local(const torch::Tensor& samples, const torch::Tensor& aggregate, std::uint64_t seed) const;

 private:
  std::int64_t sets_ = 0;
  std::vector<torch::Tensor> candidates_;  // [B, 1 + kDraws, d] in units of the posterior, the truth first
  std::vector<torch::Tensor> context_;     // [B, 2 d + l]
};

}  // namespace pairs
