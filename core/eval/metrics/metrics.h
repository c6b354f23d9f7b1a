#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

// Metrics of posteriors. All take and return float64 on the CPU; samples are [n_test, S, d], truths [n_test, d].
namespace pairs {

// |posterior mean - truth| / R, averaged over targets -> [n_test]; `range` [d].
torch::Tensor relative_errors(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& range);

// Rank statistic r in [0, 1] per test and target: fraction of samples below the truth -> [n_test, d]. If samples equal
// the truth, its place among them is random from the stream (key, test, target), so that r S is a whole number.
torch::Tensor central_ranks(const torch::Tensor& samples, const torch::Tensor& truth, std::uint64_t key);

// Coverage of central credible intervals at the levels, from ranks [n] -> same length as levels.
std::vector<double> central_coverage(const torch::Tensor& ranks, const std::vector<double>& levels);

// ∫ |coverage(α) - α| dα over 100 uniform levels (trapezoid), averaged over targets.
double acauc(const torch::Tensor& ranks);

struct NoiseFloor {
  double mean, p95;
};
// ACAUC of a perfectly calibrated estimator with as many tests as `ranks` [n_test, d] and S samples, by seeded
// simulation. The ranks of a single target are sampled uniformly from 0, ..., S. Several targets of one set depend on
// each other, so each simulated set takes the order statistics of a set resampled from `ranks`: every target's ranks
// are then uniform and depend on each other as the observed ones do. `checks`: the number of tests that the 95th
// percentile is corrected for (Bonferroni).
NoiseFloor acauc_noise_floor(const torch::Tensor& ranks, std::int64_t samples, std::int64_t checks = 1,
                             std::uint64_t seed = 1);

// Errors of samples of images or other long targets, squared and averaged over components -> [n_test] each.
struct SquaredErrors {
  torch::Tensor draw;       // of a single sample, averaged over the samples
  torch::Tensor mean;       // of the mean of all samples
  torch::Tensor posterior;  // of the posterior mean, unbiased: (S mean - draw) / (S - 1); undefined for S = 1
  torch::Tensor sd;         // standard deviation of the samples; undefined for S = 1
};
SquaredErrors squared_errors(const torch::Tensor& samples, const torch::Tensor& truth);

}  // namespace pairs
