#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/observed_set.h"
#include "app/posterior/posterior_answer.h"

namespace pairs {

// Whether the task knows exact posteriors of observed sets: of all, or of some by their names.
bool knows_exact(const Task& task);

// By which names the task may know a set of a file or folder (core/set_references.h): of a file that is a set its own,
// with and without the ending.
std::vector<std::string> names_of_set(const std::string& name, bool is_file);

// Adds to an answer about n observations, of which the set has `held`, the exact posterior that the task knows of the
// set by one of its names. It is that of all observations; of fewer a problem says so.
void ask_known_reference(const Task& task, const std::vector<std::string>& names, std::int64_t held, std::int64_t n,
                         PosteriorAnswer& answer);
// The same of an observed set.
void ask_known_reference(const Task& task, ObservedSet& set, std::int64_t n, PosteriorAnswer& answer);

// Adds the exact posterior of a set's observations x, and what is given of it [1, g] or undefined: the task's own, or
// the one that it knows by the set's names. Where there is none a problem says so.
void ask_exact(const Task& task, const Observations& x, const torch::Tensor& given,
               const std::vector<std::string>& names, std::int64_t held, PosteriorAnswer& answer);

}  // namespace pairs
