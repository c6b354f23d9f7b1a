#pragma once

#include "app/batch/command.h"
#include "app/batch/infer_question.h"

namespace pairs::batch {

// The posterior of a set that grows: lines of observations from standard input ("-") until it ends, or those that are
// appended to a file until a signal ends the process. Each is embedded once; whatever has arrived is answered with one
// line on stdout, with `json` a document; at the end of the input, whose last answer is of all, comes a line that
// names the samples. Of more than the estimator
// knows, a random subset by --seed is kept. Throws Error where a line is wrong and where the file is cut short, written
// anew, replaced or removed, a usage error where the arguments do not go together.
Result infer_follow(const LoadedRun& run, const InferArguments& arguments, bool json);

}  // namespace pairs::batch
