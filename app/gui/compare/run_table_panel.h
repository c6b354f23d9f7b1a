#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/widgets/ui.h"
#include "app/model/compare/comparison.h"
#include "app/model/compare/run_board.h"
#include "app/model/library/library.h"
#include "app/model/navigation.h"

namespace pairs::gui {

// The table of runs with its filter line, the actions on selected rows, and their dialogs. Widgets are
// "compare/filter", "compare/fold", "compare/all-tasks", "compare/archived", "compare/n", "compare/columns",
// "compare/columns/KEY"; "compare/row/RUN" with ".../tick" and ".../menu/..."; "compare/sort/KEY"; "compare/chosen/..."
// compare, baseline, tag, archive, delete, none; "compare/undo".
class RunTablePanel {
 public:
  struct Shown {
    model::RunBoard& board;
    model::Comparison& comparison;
    model::Library& library;
    model::Navigation& navigation;
  };
  void draw(const Shown& shown);
  // Scrolls to the first selected row.
  void scroll_to_chosen() { scrolls_ = true; }

 private:
  enum class Asked { nothing, tag, remove };
  void filter_line(model::RunBoard& board, const model::TableView* view);
  void switches(model::RunBoard& board, const model::TableView& view);
  void columns_menu(model::RunBoard& board, const model::TableView& view);
  void chosen_line(const Shown& shown, const model::TableView& view);
  static void set_baseline(const Shown& shown, const std::string& run);
  void table(const Shown& shown, const model::TableView& view);
  void scroll(const model::RunBoard& board, const model::TableView& view);
  void header(model::RunBoard& board, const model::TableView& view);
  void row(const Shown& shown, const model::TableView& view, const model::TableRow& row);
  void row_menu(const Shown& shown, const model::TableView& view, const model::TableRow& row);
  void cells(const model::TableView& view, const model::TableRow& row);
  void measure(const std::shared_ptr<const model::TableView>& view);
  void ask(Asked what, std::vector<std::string> runs);
  void dialogs(const Shown& shown);
  void tag_dialog(model::Library& library, bool& open);
  void remove_dialog(const Shown& shown, bool& open);

  std::string filter_, last_filter_;
  bool scrolls_ = false;
  // Widths of the columns, and the view and scale for which they were measured.
  std::shared_ptr<const model::TableView> measured_;
  float measured_scale_ = 0;
  std::vector<float> widths_;
  Asked asked_ = Asked::nothing;
  bool just_asked_ = false;
  std::vector<std::string> about_;  // runs
  std::string text_, unsent_;       // unsent_: tags typed when Escape closed their dialog
};

}  // namespace pairs::gui
