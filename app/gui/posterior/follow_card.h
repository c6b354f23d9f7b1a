#pragma once

#include <string>

#include "app/gui/widgets/path_dialog.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// "following events.csv: N = 12,345, 310 a second".
std::string follow_text(const model::FollowState& state);

// A followed file of points: the dialog for its path ("posterior/follow/..." with the widgets of PathDialog), and its
// text on the card of the set.
class FollowCard {
 public:
  void ask() { path_.ask(); }
  static void draw(const model::FollowState& state);
  // Call once per frame.
  void dialog(model::Posterior& posterior);

 private:
  PathDialog path_;
  bool asked_ = false;  // it is still unknown whether the dialog's file is readable
};

}  // namespace pairs::gui
