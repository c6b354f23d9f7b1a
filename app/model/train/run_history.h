#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/model/train/draft.h"
#include "app/runs/run_shades.h"
#include "core/base/latest.h"
#include "core/task_library.h"
#include "core/train/run_progress.h"

namespace pairs::model {

// What the files of a run told when they were last looked at. Immutable.
struct RunView {
  std::filesystem::path folder;
  std::string problem;  // why it cannot be shown, a sentence
  std::shared_ptr<const RunConfig> config;
  std::shared_ptr<const std::vector<Setting>> settings;
  bool shipped = false;  // came with the program: read-only
  std::string shipped_name = {};
  bool in_use = false;  // some process, perhaps this one, holds the folder
  bool pretrained = false, cached = false, finished = false;
  std::array<StageRecord, 3> stages;
  std::array<double, 3> exact = {NAN, NAN, NAN};        // the least loss that a stage can reach
  int current = 0;                                      // the stage that began last
  std::string error;                                    // of the run's last session
  std::vector<std::string> lines;                       // of its log
  std::array<std::shared_ptr<const Figure>, 3> losses;  // by stage; null while there are none
};

// Reads a run's files as they grow, on a thread of its own: of the event log only what was added, a torn last line
// waits for its end. It matters not which process writes it.
class RunHistory {
 public:
  // `wake` is called on the worker's thread after something new was published.
  // Of runs of `tasks`. Losses are drawn in the runs' `shades`.
  RunHistory(Tasks tasks, std::function<void()> wake, std::shared_ptr<const RunShades> shades = nullptr);

  // Forgets what was shown and looks at this folder from now on; empty: at none.
  void open(const std::filesystem::path& folder);
  // Looks at the files once more, soon; nothing when a look is under way.
  void refresh();
  // The last look; null before the first.
  std::shared_ptr<const RunView> view() const { return view_.last(); }
  const std::filesystem::path& folder() const { return folder_; }
  bool busy() const { return view_.busy(); }
  bool wait(double seconds) { return view_.wait(seconds); }

 private:
  struct Tail;
  void look();

  Tasks tasks_;
  std::shared_ptr<const RunShades> shades_;
  std::filesystem::path folder_;
  std::shared_ptr<Tail> tail_;
  Latest<RunView> view_;
};

}  // namespace pairs::model
