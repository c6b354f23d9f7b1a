#pragma once

#include <memory>
#include <string>

#include "app/model/train/run_queue.h"
#include "app/model/train/studies.h"

namespace pairs::gui {

// The dialog that makes a study of the draft of a new run and starts it: strategies, seeds and the values of some
// settings on the left, what it makes on the right.
class StudyDialog {
 public:
  // What the draft's fields hold several values of is varied.
  void ask(const model::Studies& studies, const model::Draft& draft);
  // Once a frame; widgets are "study/...". Fields of the draft that the study has taken over get their value again once
  // it is started or put into the queue.
  void draw(model::Studies& studies, model::RunQueue& queue, model::Draft& draft);

 private:
  void choices();
  void varied(std::size_t at);
  void outcome(model::Studies& studies, bool right) const;
  void act(model::Studies& studies, model::RunQueue& queue, model::Draft& draft, bool now);

  std::unique_ptr<model::StudyForm> form_;
  std::string failure_;
  bool open_ = false;
};

// A line for each study that is not finished and does not stand in the queue: how far it is, what it trains now, stop
// or go on. Widgets are "study/NAME/...".
void draw_studies(model::Studies& studies, const model::RunQueue& queue);

}  // namespace pairs::gui
