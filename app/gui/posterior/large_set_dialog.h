#pragma once

#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// Asks which observations to use of a file with more than the run accepts.
class LargeSetDialog {
 public:
  void ask(model::PosteriorSet::LargeSet set);
  void draw(model::Posterior& posterior);

 private:
  enum class Part { first, random, sets };

  bool open_ = false;
  model::PosteriorSet::LargeSet set_;
  Part part_ = Part::first;
  int column_ = 0;
};

}  // namespace pairs::gui
