#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model/library/task_sketch.h"
#include "app/model/studio.h"

namespace pairs::gui {

// The dialog that describes a new custom task: on the left its targets, its observations and the source of simulations,
// on the right the resulting file. It writes the folder. A generated simulator must be edited before it is run: the
// dialog shows its path, and opens the task on request.
class NewTaskDialog {
 public:
  void ask();
  // Call once per frame; widgets are "new-task/...".
  void draw(model::Studio& studio);

 private:
  void form(model::Studio& studio);
  // A list of quantities, one per row.
  struct Quantities {
    const char* name;  // widgets are "NAME/1/low"
    const char* title;
    const char* added;  // the name of an added quantity, before its number
    bool needed;        // at least one
    bool ends;          // it has a lower and an upper bound
    const char* low_tip;
    const char* high_tip;
  };
  void quantities(const Quantities& kind, std::vector<model::TaskSketch::Quantity>& all);
  void source();
  void preview();
  void describe(model::Studio& studio);
  void next_step(model::Studio& studio);

  std::filesystem::path written_;  // the task.toml that was written, until it is opened or postponed
  bool open_ = false, placed_ = false, simulator_shown_ = false;  // placed: the user chose the folder
  model::TaskSketch sketch_;
  std::string failure_, checked_, problem_;  // the sketch checked last, and its problem
};

}  // namespace pairs::gui
