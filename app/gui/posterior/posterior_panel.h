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
  // `run`: what is open, "" for nothing. `data_told`: that its data differ is told elsewhere, with what can be done.
  void draw(model::Posterior& posterior, const model::Library& library, const std::string& run, bool data_told);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::gui
