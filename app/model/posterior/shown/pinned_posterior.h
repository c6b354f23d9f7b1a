#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/posterior/shown/shown_posterior.h"
#include "app/posterior/question/question.h"

namespace pairs::model {

// The number of pins that a task may have.
inline constexpr std::size_t kMostPins = 5;

// A pinned posterior: a ghost behind later posteriors of the same task, and a row of their table.
struct PinnedPosterior {
  std::uint64_t id = 0;
  std::string task;
  std::vector<std::string> targets;  // their names
  PosteriorNumbers numbers;          // called "N = 10, set 3" until a person calls it otherwise
  PinnedQuestion asked = {};         // what it answers; its name is that of the numbers
};

// The numbers of a posterior drawn as a ghost.
PosteriorNumbers ghost_of(PosteriorNumbers numbers, const std::string& name, int shade);

// All pins of all tasks in the order of pinning. Immutable, so that threads can share it.
using PinnedPosteriors = std::shared_ptr<const std::vector<PinnedPosterior>>;

// Adds the shown run's posterior to `before`, with a shade and a name unique in its task. Returns `before` if there is
// no posterior or the task has the maximum number of pins.
PinnedPosteriors with_pinned(const PinnedPosteriors& before, const PosteriorScene& scene,
                             const PosteriorSnapshot& shown, std::uint64_t id, PinnedQuestion asked = {});
PinnedPosteriors without_pinned(const PinnedPosteriors& before, std::uint64_t id);
// Renames a pin. Returns `before` if the name is empty or taken in its task.
PinnedPosteriors renamed_pinned(const PinnedPosteriors& before, std::uint64_t id, const std::string& name);
// The pins of a task with targets of these names.
std::vector<PosteriorNumbers> pinned_of(const PinnedPosteriors& pinned, const std::string& task,
                                        const std::vector<std::string>& targets);

}  // namespace pairs::model
