#pragma once

#include <memory>
#include <string>

#include "app/model/train/studies.h"

namespace pairs::gui {

// The dialog that makes a study of the draft of a new run and starts it: strategies, seeds and the values of one
// setting on the left, what it makes on the right.
class StudyDialog {
 public:
  void ask(const model::Studies& studies, const model::Draft& draft);
  // Once a frame; widgets are "study/...".
  void draw(model::Studies& studies);

 private:
  void choices();
  void outcome() const;

  std::unique_ptr<model::StudyForm> form_;
  std::string seeds_, processes_, failure_;
  bool open_ = false;
};

// A line for each study that is not finished: how far it is, what it trains now, stop or go on. Widgets are
// "study/NAME/...".
void draw_studies(model::Studies& studies);

}  // namespace pairs::gui
