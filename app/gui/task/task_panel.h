#pragma once

#include <string>

#include "app/gui/plot/plot_view.h"
#include "app/model/data_folder.h"
#include "app/model/navigation.h"
#include "app/model/task/specimen.h"

namespace pairs::gui {

// The description of the task, a live sample set, and its networks.
class TaskPanel {
 public:
  void draw(model::Specimen& specimen, const model::Hub& hub, model::DataFolder& data, model::Navigation& go,
            const std::string& task);

 private:
  void parameters(model::Specimen& specimen, float width);
  void sample(model::Specimen& specimen, float width, float height);
  void network(model::Specimen& specimen);

  PlotView plot_{"task/sample"};
  std::string task_;
  bool again_ = false;                                // the set must be requested once more
  float parameters_height_ = 0, network_height_ = 0;  // in the last frame
};

}  // namespace pairs::gui
