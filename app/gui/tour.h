#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/model/studio.h"

namespace pairs::gui {

// Three steps at the first start: drag N, open data, train. A strip above the posterior that points at what it speaks
// of; it covers nothing, and nothing waits for it. Each step goes on when the person does it, or with "Next".
class Tour {
 public:
  // Where it belongs: a simulated or observed set's posterior, until it has been ended once.
  static bool shown(const model::Studio& studio);
  // From the first step again, on a task whose posterior is of numbers.
  void restart(model::Studio& studio);
  // At the top of the panel. Its height is that of its longest step.
  void draw(model::Studio& studio);
  // The ring around what the step speaks of; after everything else is drawn.
  void draw_mark(const model::Studio& studio) const;
  // Once a frame: goes on where the step was done.
  void follow(model::Studio& studio);

 private:
  void end(model::Studio& studio);

  int step_ = 0;
  std::optional<std::int64_t> first_n_;  // of the first step
  std::uint64_t first_set_ = 0;          // of the second
  std::string exact_of_;                 // the task whose exact answer was drawn
};

}  // namespace pairs::gui
