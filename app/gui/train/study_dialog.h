#pragma once

#include <memory>
#include <string>

#include "app/model/train/run_queue.h"
#include "app/model/train/studies.h"

namespace pairs::gui {

// The dialog that makes a study of the draft of a new run and starts it: strategies, seeds and the values of one
// setting on the left, what it makes on the right.
class StudyDialog {
 public:
  // `key`: the setting that it varies at first, with `values`; "": none.
  void ask(const model::Studies& studies, const model::Draft& draft, const std::string& key = "",
           const std::string& values = "");
  // Once a frame; widgets are "study/...".
  void draw(model::Studies& studies, model::RunQueue& queue);

 private:
  void choices();
  void outcome(model::Studies& studies, bool right) const;
  void act(model::Studies& studies, model::RunQueue& queue, bool now);

  std::unique_ptr<model::StudyForm> form_;
  std::string seeds_, processes_, failure_;
  bool open_ = false;
};

// A line for each study that is not finished and does not stand in the queue: how far it is, what it trains now, stop
// or go on. Widgets are "study/NAME/...".
void draw_studies(model::Studies& studies, const model::RunQueue& queue);

}  // namespace pairs::gui
