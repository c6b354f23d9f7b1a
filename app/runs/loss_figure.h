#pragma once

#include <string>
#include <vector>

#include "core/report/figure.h"
#include "core/train/events.h"

namespace pairs {

// Training and validation loss of each stage from the runs' event logs.
struct LossCurves {
  std::string name, strategy;
  std::vector<Event> events;
  std::string label = "loss / nat";  // what they are
  int shade = 0;                     // as Metrics::shade
};
Figure loss_figure(const std::vector<LossCurves>& runs);

}  // namespace pairs
