#pragma once

#include "app/model/studio.h"

namespace pairs::gui {

// Shows the command that a task of a person's own wants to run, before anything of it is run, and asks to agree once.
class PermissionDialog {
 public:
  // Once a frame; the widgets are "permission/agree" and "permission/decline".
  void draw(model::Studio& studio);
};

}  // namespace pairs::gui
