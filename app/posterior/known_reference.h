#pragma once

#include <cstdint>

#include "app/posterior/observed_set.h"
#include "app/posterior/posterior_answer.h"

namespace pairs {

// Adds to an answer about the first n observations of a set the exact posterior that the task knows of the set by its
// name (core/set_references.h): that of its group, or its file's with or without the ending. It is that of all
// observations; of fewer a problem says so.
void ask_known_reference(const Task& task, ObservedSet& set, std::int64_t n, PosteriorAnswer& answer);

}  // namespace pairs
