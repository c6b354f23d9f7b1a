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
#include "core/base/threads/latest.h"
#include "core/task_library.h"
#include "core/train/run/run_progress.h"

namespace pairs::model {

// The state of a run from the last read of its files. Immutable.
struct RunView {
  std::filesystem::path folder;
  std::string problem;  // why it cannot be shown, a sentence
  std::shared_ptr<const RunConfig> config;
  std::shared_ptr<const std::vector<Setting>> settings;
  bool shipped = false;  // came with the program: read-only
  std::string shipped_name = {};
  bool in_use = false;  // some process, perhaps this one, uses the folder
  bool pretrained = false, cached = false, finished = false;
  bool learned = false;            // the run has a learned likelihood
  std::string no_likelihood = {};  // why it can have none, a clause; "" if it can
  std::array<StageRecord, 4> stages;
  std::array<double, 4> exact = {NAN, NAN, NAN, NAN};   // the lowest possible loss of each stage
  int current = 0;                                      // the stage started last
  std::string error;                                    // error of the run's last session
  std::vector<std::string> lines;                       // lines of its log
  std::array<std::shared_ptr<const Figure>, 4> losses;  // by stage; null until there are any
};

// Reads a run's files as they grow, on its own thread: only new lines of the event log; an incomplete last line waits.
// Works with any process that writes them.
class RunHistory {
 public:
  // For runs of `tasks`. `wake` is called on the worker's thread after something new was published. Losses are drawn in
  // the runs' `shades`.
  RunHistory(Tasks tasks, std::function<void()> wake, std::shared_ptr<const RunShades> shades = nullptr);

  // Switches to this folder; empty: none.
  void open(const std::filesystem::path& folder);
  // Rereads the files soon; no effect during a read.
  void refresh();
  // The last state; null before the first.
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
