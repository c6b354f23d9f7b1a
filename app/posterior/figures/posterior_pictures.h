#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/figure.h"
#include "core/train/run/run.h"

namespace pairs {

// Pictures of a run's posterior for the first set of the prior: figures, and files with their extensions, by name.
struct PosteriorPictures {
  std::vector<std::pair<std::string, Figure>> figures;
  std::vector<std::pair<std::string, std::string>> files;
  std::string what;  // what they show: "posterior"
};

// Densities that sharpen with N next to the exact one; for images, the truth, samples, their mean and spread at the
// run's largest N. `keep_going()` false throws Stopped.
PosteriorPictures posterior_pictures(const LoadedRun& run, const std::function<bool()>& keep_going);

}  // namespace pairs
