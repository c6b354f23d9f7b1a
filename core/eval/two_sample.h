#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace pairs {

// How well a classifier picks the truth of a set out of the truth and a draw of the set's posterior.
struct TwoSampleTest {
  double accuracy = NAN;  // 1/2 where nothing tells them apart
  double se = NAN;        // of 1/2
  double p_value = NAN;   // that posteriors from which truths are drawn do as well
};

// The same at one observed set, learnt from others.
struct LocalTest {
  double statistic = NAN;  // mean square over the posterior of what the classifier says against it (log odds)
  double p_value = NAN;
  std::int64_t sets = 0;  // that it was learnt from
  // By how many of its sd, for each target, truths of sets like this one lie above the posterior's mean, and how many
  // times as wide they spread: what the classifier says, drawn towards 0 and 1.
  std::vector<double> shift, spread;
  bool unlike = false;  // told by whoever knows: the set lies outside of training, and none of the others is like it
};

// Classifier two-sample tests (C2ST, Lopez-Paz and Oquab 2017) of sets' truths against draws of their posteriors, each
// with its set: both are draws of one distribution where posteriors are exact. The truth being a draw of the exact
// posterior, that need not be known. The classifier is Fisher's discriminant within sets, of polynomials of the draws
// in units of their posterior, and of these times the leading principal components of posterior means, sds and
// aggregates.
class TwoSample {
 public:
  static constexpr std::int64_t kDraws = 20;        // of a posterior beside the truth
  static constexpr std::int64_t kFewestSets = 100;  // fewer teach nothing
  static constexpr std::int64_t kReplicates = 999;  // of the local test
  // How many samples of a posterior of d targets it takes: some are told from the truth, the others are what these are
  // measured by.
  static std::int64_t fewest_samples(std::int64_t targets) { return kDraws + 30 + 3 * targets; }

  // Sets: samples [B, S, d] of their posteriors, truths [B, d], aggregates [B, l]; float64 on the CPU. Throws Error on
  // too few samples and on numbers that are not finite.
  void add(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& aggregates);
  std::int64_t sets() const { return sets_; }

  // Over all sets. A block of sets is scored by what the blocks before it taught, so that of exact posteriors each
  // truth's place among its draws is uniform whatever was learnt. NaN of fewer than kFewestSets.
  TwoSampleTest global() const;
  // At an observed set (LC2ST, Linhart et al. 2023): samples [S, d] and aggregate [l], as those of the sets. What the
  // classifier says there, against what it says where each set's truth changes places with one of its draws at random
  // (seeded). Throws Error of fewer than kFewestSets.
  LocalTest local(const torch::Tensor& samples, const torch::Tensor& aggregate, std::uint64_t seed) const;

 private:
  std::int64_t sets_ = 0;
  std::vector<torch::Tensor> candidates_;  // [B, 1 + kDraws, d] in units of the posterior, the truth first
  std::vector<torch::Tensor> context_;     // [B, 2 d + l]
};

}  // namespace pairs
