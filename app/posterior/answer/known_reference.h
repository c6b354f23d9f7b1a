#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/answer/posterior_answer.h"
#include "app/posterior/set/observed_set.h"

namespace pairs {

// Whether the task knows exact posteriors of observed sets: of all, or of some by name.
bool knows_exact(const Task& task);

// The names by which the task may know a set of a file or folder (core/set_references.h); for a file that is one set,
// its own name with and without the extension.
std::vector<std::string> names_of_set(const std::string& name, bool is_file);

// Adds the exact posterior that the task knows for the set by one of its names to an answer for n of its `held`
// observations. It is valid for all observations only; a problem reports fewer.
void ask_known_reference(const Task& task, const std::vector<std::string>& names, std::int64_t held, std::int64_t n,
                         PosteriorAnswer& answer);
// Adds the known exact posterior of an observed set.
void ask_known_reference(const Task& task, ObservedSet& set, std::int64_t n, PosteriorAnswer& answer);

// Adds the exact posterior of a set with observations x and conditions [1, g] (or undefined): the task's own, or the
// one known by the set's names. If there is none, a problem reports it.
void ask_exact(const Task& task, const Observations& x, const torch::Tensor& given,
               const std::vector<std::string>& names, std::int64_t held, PosteriorAnswer& answer);

}  // namespace pairs
