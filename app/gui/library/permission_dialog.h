#pragma once

#include "app/model/studio.h"

namespace pairs::gui {

// Shows the command that a custom task wants to run, before any of it runs, and asks for permission once.
class PermissionDialog {
 public:
  // Call once per frame; the widgets are "permission/agree" and "permission/decline".
  void draw(model::Studio& studio);
};

}  // namespace pairs::gui
