#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/library/new_task_dialog.h"
#include "app/gui/library/permission_dialog.h"
#include "app/gui/platform/textures.h"
#include "app/gui/widgets/aggregates_dialog.h"
#include "app/gui/widgets/path_dialog.h"
#include "app/model/studio.h"

namespace pairs::gui {

// The tasks, custom ones below the built-in ones, and below them the runs on disk with their actions.
class Sidebar {
 public:
  // The request of its folding button.
  enum class Asked { nothing, fold, unfold };
  Asked draw(model::Studio& studio);
  // Folded: a strip of the tasks' pictures. `covered`: the complete sidebar is drawn above it, with its dialogs.
  Asked draw_strip(model::Studio& studio, bool covered);
  static float strip_width();
  // Opens the dialog for a path.
  void ask_for_path() { path_.ask(); }
  // Opens the dialog for a new task.
  void ask_for_task() { new_task_.ask(); }

 private:
  enum class Dialog { none, rename, note, remove };
  struct Picture {
    std::shared_ptr<const Thumbnail> of;
    int generation = -1, width = 0;
    Texture texture;
  };

  void update(model::Studio& studio);
  void draw_tasks(model::Studio& studio);
  void draw_task(model::Studio& studio, const model::TaskEntry& task);
  void draw_own(model::Studio& studio);
  void draw_own_task(model::Studio& studio, const model::OwnTask& task, const std::string& name);
  void draw_own_menu(model::Studio& studio, const model::OwnTask& task);
  void draw_picture(const model::TaskEntry& task, ImVec2 min, ImVec2 max);
  void draw_runs(model::Studio& studio);
  bool leave_out(const model::RunEntry& run);
  void draw_run(model::Studio& studio, const model::RunEntry& run, const std::string& name);
  struct Status {
    std::string text;
    bool amber = false;
  };
  Status reported(model::Studio& studio, const model::RunEntry& run) const;
  void draw_menu(model::Studio& studio, const model::RunEntry& run);
  void draw_dialogs(model::Studio& studio);
  void draw_open(model::Studio& studio);
  void draw_text_dialog(model::Studio& studio, bool& open);
  void draw_remove(model::Studio& studio, bool& open);
  void ask(Dialog dialog, const model::RunEntry& run);
  void open_typed(model::Studio& studio, const std::filesystem::path& path);

  std::map<std::string, Picture> pictures_;
  float task_row_ = 0;                        // height of a task's row, in pixels
  std::vector<std::string> names_;            // of all runs
  std::map<std::string, float> run_heights_;  // of their rows, in pixels, by run
  bool all_tasks_ = false;
  PathDialog path_;
  PermissionDialog permission_;
  NewTaskDialog new_task_;
  AggregatesDialog aggregates_{"sidebar/aggregates"};
  Dialog dialog_ = Dialog::none;
  bool fresh_ = false;  // the dialog has just been opened
  std::string about_;   // the run of the dialog
  std::string name_;    // its name
  std::string text_;    // the text typed in the dialog
};

}  // namespace pairs::gui
