#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/report/figure.h"

// Figures of one evaluation beside those of ranks and coverage (score_figures.h), of targets with these labels. All
// throw Error where the evaluation does not hold what they show.
namespace pairs {

// The share of truths whose rank is below each value, and how far it is from an even one, with the band that a
// calibrated run's stays inside in 95 % of evaluations; for up to four set sizes, all targets in one plot.
Figure ecdf_figure(const Metrics& metrics, const std::vector<std::string>& targets);
// TARP: the share of truths in regions about random points against their credibility, with the same band.
Figure tarp_figure(const Metrics& metrics);
// How often a classifier picks the truth out of the truth and a draw of its posterior, against N.
Figure c2st_figure(const std::vector<Metrics>& metrics);
// Posterior mean ± sd of test sets against their truth, one plot for each target of up to three set sizes.
Figure recovery_figure(const Metrics& metrics, const std::vector<std::string>& targets);
// (mean - truth) / sd of test sets against how much narrower than the prior the posterior is, 1 - sd² / prior's
// variance.
Figure contraction_figure(const Metrics& metrics, const std::vector<std::string>& targets);
// Coverage of central intervals of sets whose posterior means lie in one of ten regions, for each target; for two or
// more also where in the plane of the first two the credible regions of TARP hold too few or too many truths.
Figure regions_figure(const Metrics& metrics, const std::vector<std::string>& targets);

}  // namespace pairs
