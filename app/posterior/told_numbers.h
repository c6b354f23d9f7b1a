#pragma once

#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "core/posterior/cells.h"
#include "core/posterior/posterior_source.h"
#include "core/train/run.h"

namespace pairs {

// What is told of a posterior, by target, the same wherever it is told: the density's own numbers of one or two
// targets, those of draws of more (posterior_numbers). They do not depend on how many samples are written.
struct ToldNumbers {
  std::vector<TargetNumbers> ours, exact;  // exact: empty where there is none
};

// `exact`: may be null. Where the run's density is narrower than a grid holds beside the exact one, its numbers are
// those of `samples` [S, d], and `warn` hears a sentence on it.
ToldNumbers told_numbers(const LoadedRun& run, const PosteriorSource& ours, const PosteriorSource* exact,
                         const torch::Tensor& samples, const std::function<void(const std::string&)>& warn);

}  // namespace pairs
