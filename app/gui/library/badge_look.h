#pragma once

#include <imgui.h>

#include "app/gui/platform/theme.h"
#include "app/model/library/library.h"

namespace pairs::gui {

inline constexpr float kAboveOwn = 4;  // space above the heading of custom tasks, at scale 1

// The dot of a task is filled unless its badge is unknown or untrained.
inline bool is_filled(model::Badge badge) {
  return badge != model::Badge::unknown && badge != model::Badge::untrained;
}

// The color of a task's dot.
inline ImU32 badge_color(model::Badge badge) {
  return badge == model::Badge::ready        ? palette().good
         : badge == model::Badge::other_data ? palette().warning
         : badge == model::Badge::pretrained ? palette().link
                                             : palette().muted;
}

}  // namespace pairs::gui
