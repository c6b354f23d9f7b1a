#pragma once

#include <memory>

#include "app/model/library/library.h"
#include "app/model/posterior/posterior.h"

namespace pairs::gui {

// The Posterior tab: the slider of N above the posteriors, their numbers, the observed set and checks.
class PosteriorPanel {
 public:
  PosteriorPanel();
  ~PosteriorPanel();
  // `run`: the open run, or "". `data_shown`: a banner already reports that its data differ.
  void draw(model::Posterior& posterior, const model::Library& library, const std::string& run, bool data_shown);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
