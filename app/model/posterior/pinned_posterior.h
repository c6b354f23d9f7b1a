#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/posterior/posterior.h"
#include "app/posterior/question.h"

namespace pairs::model {

// A posterior that is kept as a ghost behind those that follow of the same task, and in their table.
struct PinnedPosterior {
  std::uint64_t id = 0;
  std::string task;
  std::vector<std::string> targets;  // their names
  PosteriorNumbers numbers;          // called "N = 10, set 3" until a person calls it otherwise
  PinnedQuestion asked = {};             // what it answers; its name is that of the numbers
};

// The numbers of a posterior as a ghost behind others.
PosteriorNumbers ghost_of(PosteriorNumbers numbers, const std::string& name, int shade);

// What was pinned, of all tasks, in the order of pinning. Immutable, so that threads share it.
using PinnedPosteriors = std::shared_ptr<const std::vector<PinnedPosterior>>;

// `before` and the shown run's posterior of a snapshot, in a shade and under a name that no other of its task has;
// `before` where there is no posterior, or as many are kept of the task as can be told apart.
PinnedPosteriors with_pinned(const PinnedPosteriors& before, const PosteriorScene& scene,
                             const PosteriorSnapshot& shown, std::uint64_t id, PinnedQuestion asked = {});
PinnedPosteriors without_pinned(const PinnedPosteriors& before, std::uint64_t id);
// Under another name; `before` where that is empty or another's of its task.
PinnedPosteriors renamed_pinned(const PinnedPosteriors& before, std::uint64_t id, const std::string& name);
// Those of a task with targets of these names.
std::vector<PosteriorNumbers> pinned_of(const PinnedPosteriors& pinned, const std::string& task,
                                        const std::vector<std::string>& targets);

}  // namespace pairs::model
