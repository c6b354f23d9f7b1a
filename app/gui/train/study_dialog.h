#pragma once

#include <memory>
#include <string>

#include "app/model/train/run_queue.h"
#include "app/model/train/studies.h"

namespace pairs::gui {

// The dialog that makes a study from the draft of a new run and starts it: strategies, seeds and varied settings on the
// left, the resulting runs on the right.
class StudyDialog {
 public:
  // Varies the fields of the draft that hold several values.
  void ask(const model::Studies& studies, const model::Draft& draft);
  // Call once per frame; widgets are "study/...". Fields of the draft that the study has taken over get their value
  // back once it is started or queued.
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

// A line for each unfinished study outside the queue: its progress, its current runs, stop or resume. Widgets are
// "study/NAME/...".
void draw_studies(model::Studies& studies, const model::RunQueue& queue);

}  // namespace pairs::gui
