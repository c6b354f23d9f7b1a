#pragma once

#include <string>
#include <vector>

#include "core/eval/evaluation_row.h"

namespace pairs {

// Mean and standard error, over the same sets, of a run's NLL minus the baseline's. Throws Error when the lengths
// differ.
struct PairedDifference {
  double mean, se;
};
PairedDifference paired_difference(const std::vector<double>& log_prob, const std::vector<double>& baseline);

// By what runs of one task are compared, lower being better: the NLL, or the squared error of the posterior mean where
// the target is an image.
struct Score {
  std::string name;  // "NLL": in the middle of a sentence
  std::string axis;  // "NLL / nat"
  std::string key;   // "nll": in documents, with "_se" for its error
  int digits = 3;    // decimals worth showing; a difference deserves one more
  double EvaluationRow::*mean = nullptr;
  double EvaluationRow::*error = nullptr;
};
const Score& score_of(const std::vector<EvaluationRow>& rows);

// How many sets of the row are scored one by one.
std::size_t scored_sets(const EvaluationRow& row);
// Mean and standard error of a row's score minus the baseline's over the sets that both hold, their first ones. Throws
// Error when there are none.
PairedDifference score_difference(const EvaluationRow& row, const EvaluationRow& baseline);

}  // namespace pairs
