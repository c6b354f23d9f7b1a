#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/posterior/shown/pinned_posterior.h"
#include "app/model/posterior/shown/shown_posterior.h"

namespace pairs::model {

// Makes the scene of a set's posterior. `asked`: the runs as requested.
PosteriorScene scene_of(const SetPosterior& posterior, std::uint64_t set_id, const std::vector<std::string>& asked);

// An example of another prior of the task's first target, within its prior: "normal(4.5, 0.9)"; with several targets,
// preceded by the target's name.
std::string prior_example(const TaskInfo& info);

// The set of a snapshot: its id, its true θ if simulated, the source named in figures, and the interval they shade.
struct ShownSet {
  std::uint64_t id = 0;
  std::vector<double> truth;
  std::string source;
  IntervalKind interval = IntervalKind::central;
};
PosteriorSnapshot snapshot_of(const TaskInfo& info, const PosteriorAnswer& at, const ShownSet& set, StableAxes& axes,
                              std::uint64_t version, const PinnedPosteriors& pinned = nullptr);

// The choice that reproduces the shown set, with the final values if θ or ψ was set by hand.
SetChoice settled_choice(SetChoice asked, const PosteriorScene& scene);

// The scene of a file that the shown run follows.
PosteriorScene followed_scene(const PosteriorScene& before, const std::filesystem::path& file, std::uint64_t set_id,
                              Missing missing);
// The command that follows the file.
std::string follow_command(const std::string& run, const SetChoice& followed, const std::string& device);

// The command that draws the figure of the shown N; "" while values set by hand are pending.
struct CommandOptions {
  Question asked;
  std::string data, device;
};
std::string figure_command(const CommandOptions& options, const PosteriorScene* scene, const PosteriorSnapshot* shown);

}  // namespace pairs::model
