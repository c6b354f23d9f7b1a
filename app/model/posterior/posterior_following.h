#pragma once

#include <filesystem>
#include <memory>

#include "app/model/posterior/shown/shown_posterior.h"

namespace pairs::model {

struct PosteriorState;

// A CSV file of points that the Posterior tab follows: its set grows as lines are appended, until another set is
// chosen. The shown run computes the posterior; N grows by itself. Beyond the largest N in training, a random subset of
// that size is used.
class PosteriorFollowing {
 public:
  explicit PosteriorFollowing(PosteriorState& state) : state_(state) {}

  void start(const std::filesystem::path& path);
  // Stops reading: the observations read so far become an ordinary observed set. A file that failed stays as it is; a
  // file without observations is dropped.
  void stop();
  // Drops the file and shows the previous set again.
  void end();
  // Null if no file is followed.
  std::shared_ptr<const FollowState> state() const;

 private:
  PosteriorState& state_;
};

}  // namespace pairs::model
