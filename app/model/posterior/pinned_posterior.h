#pragma once

#include <memory>
#include <string>

#include "app/model/posterior/posterior.h"

namespace pairs::model {

// A posterior that is kept as a ghost behind those that follow of the same task.
struct PinnedPosterior {
  std::string task;
  PosteriorNumbers numbers;  // called "pinned: N = 10, set 3"
};

// The shown run's posterior of a snapshot; null where it has none.
std::shared_ptr<const PinnedPosterior> pinned_posterior(const PosteriorScene& scene, const PosteriorSnapshot& shown);

}  // namespace pairs::model
