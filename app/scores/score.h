#pragma once

#include <string>
#include <vector>

#include "app/scores/score_list.h"

namespace pairs {

// Mean and standard error, over the same sets, of a run's NLL minus the baseline's. Throws Error when the lengths
// differ.
struct PairedDifference {
  double mean, se;
};
PairedDifference paired_difference(const std::vector<double>& log_prob, const std::vector<double>& baseline);

// By which score runs of one task are compared, lower being better: the NLL, or the squared error of the posterior mean
// where the target is an image.
const Score& score_of(const std::vector<EvaluationRow>& rows);

// How many sets of the row are scored one by one.
std::size_t scored_sets(const EvaluationRow& row);
// Over how many sets two rows can be paired: the first ones, which both were scored on one by one, where their digests
// say that these are the same sets; else 0.
std::size_t paired_sets(const EvaluationRow& row, const EvaluationRow& baseline);
// Whether two evaluations saw the same test sets at every size that both have, and have one.
bool same_test_sets(const std::vector<EvaluationRow>& a, const std::vector<EvaluationRow>& b);
// Whether their digests tell that they saw different ones at a size that both have.
bool other_test_sets(const std::vector<EvaluationRow>& a, const std::vector<EvaluationRow>& b);
// Mean and standard error of a row's score over its first `sets` sets, which are scored one by one.
PairedDifference score_of_first(const EvaluationRow& row, std::size_t sets);
// Mean and standard error of a row's score minus the baseline's over the first `sets` of those (0: all). Throws Error
// when there are none.
PairedDifference score_difference(const EvaluationRow& row, const EvaluationRow& baseline, std::size_t sets = 0);

}  // namespace pairs
