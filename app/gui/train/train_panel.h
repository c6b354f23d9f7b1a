#pragma once

#include <string>

#include "app/gui/plot/plot_view.h"
#include "app/gui/train/draft_form.h"
#include "app/gui/train/queue_panel.h"
#include "app/gui/train/study_dialog.h"
#include "app/gui/widgets/aggregates_dialog.h"
#include "app/model/library/library.h"
#include "app/model/navigation.h"
#include "app/model/train/run_queue.h"
#include "app/model/train/studies.h"
#include "app/model/train/training.h"

namespace pairs::gui {

// A new run's settings and start; the stages of a run with their losses, and the live posterior.
class TrainPanel {
 public:
  void draw(model::Training& training, model::Library& library, model::Studies& studies, model::RunQueue& queue,
            model::Navigation& go);

 private:
  enum class View { progress, settings, log };

  void header(model::Training& training, const model::Library& library, const model::Studies& studies,
              model::RunQueue& queue);
  void run(model::Training& training, model::Library& library, const model::RunQueue& queue, model::Navigation& go);
  void plots(model::Training& training);
  void run_settings(const model::Training& training);
  void log(const model::Training& training);

  PlotView pretrain_{"train/pretrain-loss"}, finetune_{"train/finetune-loss"}, likelihood_{"train/likelihood-loss"},
      live_{"train/posterior"};
  View view_ = View::progress;
  int loss_stage_ = -1;  // for narrow windows: the loss shown; -1: of the current stage
  std::string run_search_;
  DraftForm form_;
  StudyDialog study_;
  QueuePanel queue_;
  AggregatesDialog aggregates_{"train/aggregates"};
};

}  // namespace pairs::gui
