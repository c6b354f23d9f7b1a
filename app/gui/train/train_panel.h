#pragma once

#include <string>
#include <vector>

#include "app/gui/plot/plot_view.h"
#include "app/model/studio.h"

namespace pairs::gui {

// A new run's settings and start; the stages of a run with their losses, and the posterior as it is learnt.
class TrainPanel {
 public:
  void draw(model::Studio& studio);

 private:
  enum class View { progress, settings, log };

  void header(model::Studio& studio);
  void needs(const model::Training& training);
  void cards(model::Training& training);
  void card(model::Training& training, int stage, float width);
  void draft(model::Training& training);
  void choices(model::Draft& draft);
  void matters(model::Draft& draft);
  void section(model::Draft& draft, const std::vector<model::Setting>& settings, const char* title, float width);
  void all_settings(model::Draft& draft);
  void control(model::Draft& draft, const model::Setting& setting, float width);
  void run(model::Studio& studio);
  void plots(model::Training& training);
  void run_settings(const model::Training& training);
  void log(const model::Training& training);

  PlotView pretrain_{"train/pretrain-loss"}, finetune_{"train/finetune-loss"}, live_{"train/posterior"};
  View view_ = View::progress;
  int loss_stage_ = -1;  // of narrow windows: which loss is shown; -1: of the stage that runs
  bool all_ = false;
  std::string search_, run_search_;
};

}  // namespace pairs::gui
