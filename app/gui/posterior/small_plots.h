#pragma once

#include <imgui.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/plot/plot_view.h"
#include "app/gui/widgets/ui.h"
#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/set_inquiry.h"

namespace pairs::gui {

// The small plots of the Posterior tab: width against N, the predictive check, the nuisances, the answers that have a
// figure, and the observed data. The widgets are "posterior/width", "posterior/check", "posterior/nuisance",
// "posterior/simulated", "posterior/prior/plot", "posterior/confidence/plot", "posterior/confidence/p" and
// "posterior/observed".
class SmallPlots {
 public:
  static constexpr float kGap = 16;  // between plots, at scale 1

  // The plots that there are now; begins every frame.
  void look(const model::Posterior& posterior);
  // The rows that they need in this width.
  std::size_t rows(float room) const { return grid(room).rows; }
  // Draws them. `size.y` is the height of one row; with little width there are several.
  void draw(ImVec2 size);
  // Forgets the lines kept above the plots, which never become fewer with N.
  void forget_lines() { kept_lines_ = 0; }

 private:
  struct Small {
    PlotView* view;
    std::shared_ptr<const Figure> figure;
    std::string title, line, tip;
    ui::Look look = ui::Look::small_muted;
  };
  // Plots side by side if each has space, else in rows.
  struct Grid {
    Grid(std::size_t count, float room, float least);
    std::size_t columns, rows = 1;
    float width = 0;
  };

  Grid grid(float room) const;
  void look_at_confidence(const std::shared_ptr<const model::SetInquiry::Answer>& answer, bool works);

  PlotView width_{"posterior/width"}, check_{"posterior/check"}, observed_{"posterior/observed"};
  PlotView nuisances_{"posterior/nuisance"}, simulated_{"posterior/simulated"};
  PlotView under_{"posterior/prior/plot"};
  PlotView confidence_{"posterior/confidence/plot"}, confidence_p_{"posterior/confidence/p"};
  std::shared_ptr<const Figure> confidence_whole_;  // the figure whose plots are the parts below
  std::vector<std::shared_ptr<const Figure>> confidence_parts_;
  std::vector<Small> all_;
  float kept_lines_ = 0;
};

}  // namespace pairs::gui
