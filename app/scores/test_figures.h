#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/report/figure.h"

// Figures of one evaluation, in addition to those of ranks and coverage (score_figures.h), for targets with these
// labels. All throw Error if the evaluation lacks the data.
namespace pairs {

// The share of truths whose rank is below each value, and its deviation from uniformity, with the band that contains a
// calibrated run in 95 % of evaluations; for up to four set sizes, all targets in one plot.
Figure ecdf_figure(const Metrics& metrics, const std::vector<std::string>& targets);
// TARP: the share of truths in regions around random points against their credibility, with the same band.
Figure tarp_figure(const Metrics& metrics);
// How often a classifier tells the truth from a posterior sample (C2ST), against N.
Figure c2st_figure(const std::vector<Metrics>& metrics);
// Posterior mean ± sd of test sets against their truth, one plot for each target of up to three set sizes.
Figure recovery_figure(const Metrics& metrics, const std::vector<std::string>& targets);
// (mean - truth) / sd of test sets against the contraction from prior to posterior, 1 - sd² / prior's variance.
Figure contraction_figure(const Metrics& metrics, const std::vector<std::string>& targets);
// Coverage of central intervals for sets whose posterior means lie in one of ten regions, for each target; for two or
// more targets, also where in the plane of the first two the credible regions of TARP contain too few or too many
// truths.
Figure regions_figure(const Metrics& metrics, const std::vector<std::string>& targets);

}  // namespace pairs
