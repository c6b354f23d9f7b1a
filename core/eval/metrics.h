#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

// Metrics of posteriors. All take and give float64 on the CPU; samples are [n_test, S, d], truths [n_test,
// d].
namespace pairs {

// |posterior mean - truth| / R, averaged over targets -> [n_test]; `range` [d].
torch::Tensor relative_errors(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& range);

// Rank statistic r in [0, 1] per test and target: fraction of samples below the truth -> [n_test, d]. Among samples
// that equal it the truth takes a place at random from the stream (key, test, target), so that r S is a whole number.
torch::Tensor central_ranks(const torch::Tensor& samples, const torch::Tensor& truth, std::uint64_t key);

// Coverage of central credible intervals at the levels, from ranks [n] -> same length as levels.
std::vector<double> central_coverage(const torch::Tensor& ranks, const std::vector<double>& levels);

// ∫ |coverage(α) - α| dα over 100 uniform levels (trapezoid), averaged over targets.
double acauc(const torch::Tensor& ranks);

struct NoiseFloor {
  double mean, p95;
};
// ACAUC of a perfectly calibrated estimator with as many tests as `ranks` [n_test, d] and S samples, by simulation
// (seeded). One target's ranks are drawn evenly from 0, ..., S. Several targets of one set depend on each other, so
// each simulated set takes the places of a set of `ranks`, drawn with replacement, in each target's order: every
// target's ranks are then even and depend on each other as those observed do. `checks`: the number of tests that the
// 95th percentile is corrected for (Bonferroni).
NoiseFloor acauc_noise_floor(const torch::Tensor& ranks, std::int64_t samples, std::int64_t checks = 1,
                             std::uint64_t seed = 1);

// Errors of draws of images or other long targets, squared and averaged over components -> [n_test] each.
struct SquaredErrors {
  torch::Tensor draw;       // of one draw, averaged over the draws
  torch::Tensor mean;       // of the mean of all draws
  torch::Tensor posterior;  // of the posterior mean, unbiased: (S mean - draw) / (S - 1); undefined for S = 1
  torch::Tensor sd;         // standard deviation of the draws; undefined for S = 1
};
SquaredErrors squared_errors(const torch::Tensor& samples, const torch::Tensor& truth);

}  // namespace pairs
