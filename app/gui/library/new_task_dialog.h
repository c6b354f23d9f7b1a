#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model/library/task_sketch.h"
#include "app/model/studio.h"

namespace pairs::gui {

// The dialog that describes a new task of a person's own: what is learnt, what an observation is and where simulations
// come from on the left, the file that says so on the right. It writes the folder. A simulator that was written to
// start from is edited before it is run: the dialog says where it stands, and opens the task when asked to.
class NewTaskDialog {
 public:
  void ask();
  // Once a frame; widgets are "new-task/...".
  void draw(model::Studio& studio);

 private:
  void form(model::Studio& studio);
  // A list of quantities, a row each.
  struct Quantities {
    const char* name;   // widgets are "NAME/1/low"
    const char* title;
    const char* added;  // the name of a quantity that is added, before its number
    bool needed;        // at least one
    bool ends;          // it goes from one number to another
    const char* low_tip;
    const char* high_tip;
  };
  void quantities(const Quantities& kind, std::vector<model::TaskSketch::Quantity>& all);
  void source();
  void preview();
  void describe(model::Studio& studio);
  void next_step(model::Studio& studio);

  std::filesystem::path written_;  // the task.toml that was written, until it is opened or left for later
  bool open_ = false, placed_ = false, simulator_shown_ = false;  // placed: a person chose the folder
  model::TaskSketch sketch_;
  std::string failure_, checked_, problem_;  // what was checked last, and what is wrong with it
};

}  // namespace pairs::gui
