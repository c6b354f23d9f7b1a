#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/model/studio.h"

namespace pairs::gui {

// Three steps at the first start: drag N, open data, train. A strip above the posterior that marks the control it
// describes; it covers and blocks nothing. Each step advances when the user does it, or with "Next".
class Tour {
 public:
  // Whether to show it: with the posterior of a simulated or observed set, until it has been ended once.
  static bool shown(const model::Studio& studio);
  // Restarts from the first step, on a task whose posterior is of numbers.
  void restart(model::Studio& studio);
  // Draws the strip at the top of the panel, as high as its longest step.
  void draw(model::Studio& studio);
  // The ring around the step's control; call after everything else is drawn.
  void draw_mark(const model::Studio& studio) const;
  // Call once per frame: advances when the step is done.
  void follow(model::Studio& studio);

 private:
  void end(model::Studio& studio);

  int step_ = 0;
  std::optional<std::int64_t> first_n_;  // of the first step
  std::uint64_t first_set_ = 0;          // of the second step
  std::string exact_of_;                 // the task whose exact posterior was drawn
};

}  // namespace pairs::gui
