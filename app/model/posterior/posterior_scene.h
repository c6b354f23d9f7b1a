#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/posterior/posterior.h"

namespace pairs::model {

// What the window shows of a set's posterior, from what is known of it. `asked`: the runs as they were asked for.
PosteriorScene scene_of(const SetPosterior& posterior, std::uint64_t set_id, const std::vector<std::string>& asked);
PosteriorSnapshot snapshot_of(const SetPosterior& posterior, const PosteriorAt& at, StableAxes& axes,
                              std::uint64_t set_id, std::uint64_t version);

// The command that draws the figure of N on the screen; "" while values set by hand are on their way.
struct CommandOptions {
  std::vector<std::string> runs;
  SetChoice set;  // that is asked for
  std::int64_t n = 1;
  std::string data, device;
};
std::string figure_command(const CommandOptions& options, const PosteriorScene* scene, const PosteriorSnapshot* shown);

}  // namespace pairs::model
