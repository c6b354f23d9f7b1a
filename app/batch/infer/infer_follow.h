#pragma once

#include "app/batch/infer/infer_question.h"
#include "app/batch/parts/command.h"

namespace pairs::batch {

// The posterior of a growing set: lines of observations from standard input ("-") until it ends, or those appended to a
// file until a signal ends the process. Each observation is embedded once. Each batch of new lines yields one line on
// stdout, with `json` a document; at the end of the input, after the posterior of all observations, a line names the
// samples. Beyond the largest N of the estimator, a random subset by --seed is used. Throws Error for a malformed line
// and if the file is truncated, rewritten, replaced or removed, a usage error for arguments that exclude each other.
Result infer_follow(const LoadedRun& run, const InferArguments& arguments, bool json);

}  // namespace pairs::batch
