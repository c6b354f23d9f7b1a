#include "app/model/posterior/posterior_following.h"

#include "app/model/posterior/posterior_state.h"
#include "app/model/posterior/shown/posterior_scene.h"

namespace pairs::model {

void PosteriorState::end_following() {
  follower.end();
  follow_scene = nullptr;
  stopped_set = 0;
}

std::optional<PosteriorState::AskedSet> PosteriorState::followed_set() {
  const auto state = follower.result().state;
  if (!state || !follow_scene || state->seen == 0 || !state->failure.empty()) return {};
  return AskedSet{asked_set(), {++last_set, follow_scene->task}};
}

// Ends following when another task or run is shown; the file becomes its task's set.
void PosteriorState::leave_followed() {
  if (const auto followed = followed_set()) {
    request.files[followed->request.task] = followed->set;
    file_n.erase(followed->request.task);
    take(*followed);
  }
  end_following();
}

void PosteriorFollowing::start(const std::filesystem::path& path) {
  PosteriorState& s = state_;
  if (!s.result.scene || s.result.scene->runs.front().run != s.request.asked.run) return;
  s.player.stop();
  s.forget_failure();
  auto scene = std::make_shared<PosteriorScene>(followed_scene(*s.result.scene, path, ++s.last_set, s.missing));
  s.follower.follow({s.hub.tasks, s.request.asked.run, s.hub.data_folder.string(), s.hub.device,
                     scene->runs.front().role, path, scene->set, s.missing});
  s.follow_scene = std::move(scene);
}

void PosteriorFollowing::stop() {
  PosteriorState& s = state_;
  const auto state = s.following();
  if (!state || s.stopped_set != 0) return;
  s.follower.stop();
  if (const auto followed = s.followed_set()) {
    s.keep_shown();
    s.take(*followed);
    s.stopped_set = followed->request.id;
    s.forget_failure();
    s.ask();
  } else if (state->seen == 0) {
    s.end_following();
  }
}

void PosteriorFollowing::end() {
  state_.end_following();
}

std::shared_ptr<const FollowState> PosteriorFollowing::state() const {
  return state_.following();
}

}  // namespace pairs::model
