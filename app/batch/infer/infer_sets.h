#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/batch/infer/infer_question.h"
#include "app/batch/parts/command.h"
#include "app/posterior/many/asked_sets.h"

namespace pairs::batch {

// Whether the arguments name many sets: in a file by a column, or in a folder with one file per set.
bool asks_many_sets(const LoadedRun& run, const InferArguments& arguments);

// Posteriors of many sets: one row each in the file of --out, and the first ones in the result. Exit code 1 if a set
// failed, which its row reports. Throws Error, a usage error for arguments that exclude each other.
Result infer_sets(const LoadedRun& run, const InferArguments& arguments);

// The sets that the arguments name and how to evaluate them; for infer and figures. The run outlives the result.
SetsQuestion sets_question(const LoadedRun& run, const InferArguments& arguments);

// The progress after this number of sets and time: a line with the rate and the remaining time.
std::string progress_text(std::int64_t done, std::int64_t sets, double seconds);

}  // namespace pairs::batch
