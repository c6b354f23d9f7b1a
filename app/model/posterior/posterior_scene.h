#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/posterior/pinned_posterior.h"
#include "app/model/posterior/posterior.h"

namespace pairs::model {

// What the window shows of a set's posterior, from what is known of it. `asked`: the runs as they were asked for.
PosteriorScene scene_of(const SetPosterior& posterior, std::uint64_t set_id, const std::vector<std::string>& asked);

// An example of another prior of the task's first target, which lies where its own does: "normal(4.5, 0.9)"; of several
// targets with its name before it.
std::string prior_example(const TaskInfo& info);

// The set that a snapshot is of: its id, θ where it was made with one, what figures say of its source, and which
// interval they shade.
struct ShownSet {
  std::uint64_t id = 0;
  std::vector<double> truth;
  std::string source;
  IntervalKind interval = IntervalKind::central;
};
PosteriorSnapshot snapshot_of(const TaskInfo& info, const PosteriorAnswer& at, const ShownSet& set, StableAxes& axes,
                              std::uint64_t version, const PinnedPosteriors& pinned = nullptr);

// The choice that makes the shown set again: where θ or ψ was set by hand, with the values that it settled on.
SetChoice settled_choice(SetChoice asked, const PosteriorScene& scene);

// The scene of a file that the shown run follows.
PosteriorScene followed_scene(const PosteriorScene& before, const std::filesystem::path& file, std::uint64_t set_id,
                              Missing missing);
// The command that follows it.
std::string follow_command(const std::string& run, const SetChoice& followed, const std::string& device);

// The command that draws the figure of N on the screen; "" while values set by hand are on their way.
struct CommandOptions {
  std::vector<std::string> runs;
  SetChoice set;  // that is asked for
  std::int64_t n = 1;
  std::string data, device;
  IntervalKind interval = IntervalKind::central;
  bool learned_product = false;
};
std::string figure_command(const CommandOptions& options, const PosteriorScene* scene, const PosteriorSnapshot* shown);

}  // namespace pairs::model
