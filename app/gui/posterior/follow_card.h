#pragma once

#include <string>

#include "app/gui/widgets/path_dialog.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// "following events.csv: N = 12,345, 310 a second".
std::string follow_text(const model::FollowState& state);

// A file of points that is followed: the dialog that asks for it ("posterior/follow/..." as PathDialog names its
// widgets), and what the card of the set says of it.
class FollowCard {
 public:
  void ask() { path_.ask(); }
  static void draw(const model::FollowState& state);
  // Once a frame.
  void dialog(model::Posterior& posterior);

 private:
  PathDialog path_;
  bool asked_ = false;  // whether the file of the dialog can be read is not known yet
};

}  // namespace pairs::gui
