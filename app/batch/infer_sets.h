#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/batch/command.h"
#include "app/batch/infer_question.h"
#include "app/posterior/asked_sets.h"

namespace pairs::batch {

// Whether the arguments ask about many sets: of a file by a column, or of a folder with a file a set.
bool asks_many_sets(const LoadedRun& run, const InferArguments& arguments);

// Posteriors of many sets, a row each in the file that --out names and the first of them in the answer. Exit code 1
// where a set could not be answered, which its row tells. Throws Error, a usage error where the arguments do not go
// together.
Result infer_sets(const LoadedRun& run, const InferArguments& arguments);

// The sets that the arguments name, and how they are asked about; for infer and figures. The run outlives the question.
SetsQuestion sets_question(const LoadedRun& run, const InferArguments& arguments);

// How far it is when so many of the sets were answered in that time: a line with the rate and the time that is left.
std::string progress_text(std::int64_t done, std::int64_t sets, double seconds);

}  // namespace pairs::batch
