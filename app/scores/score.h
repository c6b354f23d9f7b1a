#pragma once

#include <string>
#include <vector>

#include "app/scores/score_list.h"

namespace pairs {

// Mean and standard error, over the same sets, of a run's NLL minus the baseline's. Throws Error if the lengths differ.
struct PairedDifference {
  double mean, se;
};
PairedDifference paired_difference(const std::vector<double>& log_prob, const std::vector<double>& baseline);

// The score that compares runs of one task (lower is better): the NLL, or the squared error of the posterior mean for
// images.
const Score& score_of(const std::vector<EvaluationRow>& rows);

// The number of sets of the row that are scored one by one.
std::size_t scored_sets(const EvaluationRow& row);
// The number of sets over which two rows can be paired: the first ones that both scored one by one, if their digests
// show that they are the same sets; else 0.
std::size_t paired_sets(const EvaluationRow& row, const EvaluationRow& baseline);
// Whether two evaluations used the same test sets at every size that they share, and share at least one.
bool same_test_sets(const std::vector<EvaluationRow>& a, const std::vector<EvaluationRow>& b);
// Whether their digests show that they used different ones at a shared size.
bool other_test_sets(const std::vector<EvaluationRow>& a, const std::vector<EvaluationRow>& b);
// Mean and standard error of a row's score over its first `sets` sets, which are scored one by one.
PairedDifference score_of_first(const EvaluationRow& row, std::size_t sets);
// Mean and standard error of a row's score minus the baseline's over the first `sets` of those (0: all). Throws Error
// if there are none.
PairedDifference score_difference(const EvaluationRow& row, const EvaluationRow& baseline, std::size_t sets = 0);

}  // namespace pairs
