#pragma once

#include <string>

#include "app/model/train/run_queue.h"

namespace pairs::gui {

// The queue on the Train tab: how long it takes yet, pause and go on, and a row for each item, which can be dragged to
// another place. Nothing where it is empty. Widgets are "queue/...", those of an item "queue/NAME/...".
class QueuePanel {
 public:
  void draw(model::RunQueue& queue);

 private:
  void head(model::RunQueue& queue, const model::QueueShown& shown);
  void row(model::RunQueue& queue, const model::QueueShown& shown, std::size_t at);
  void drop(model::RunQueue& queue, const model::QueueShown& shown, float top);

  std::string dragged_;  // the id of the item that is being dragged
};

}  // namespace pairs::gui
