#include "tasks/scene_views.h"

namespace pairs {

const SceneViews* scene_views(const Task& task) {
  return dynamic_cast<const SceneViews*>(&task);
}

}  // namespace pairs
