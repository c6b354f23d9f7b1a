#pragma once

#include <string>

#include "app/model/train/run_queue.h"

namespace pairs::gui {

// The queue on the Train tab: its remaining time, pause and resume, and one row per item, which can be dragged. Draws
// nothing if it is empty. Widgets are "queue/...", those of an item "queue/NAME/...".
class QueuePanel {
 public:
  void draw(model::RunQueue& queue);

 private:
  void head(model::RunQueue& queue, const model::QueueShown& shown);
  void row(model::RunQueue& queue, const model::QueueShown& shown, std::size_t at);
  void drop(model::RunQueue& queue, const model::QueueShown& shown, float top);

  std::string dragged_;  // id of the item being dragged
};

}  // namespace pairs::gui
