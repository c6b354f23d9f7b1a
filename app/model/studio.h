#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/model/compare/comparison.h"
#include "app/model/compare/run_board.h"
#include "app/model/data_folder.h"
#include "app/model/evaluate/evaluation.h"
#include "app/model/hub/hub.h"
#include "app/model/hub/looked_path.h"
#include "app/model/hub/settings.h"
#include "app/model/library/library.h"
#include "app/model/navigation.h"
#include "app/model/posterior/posterior.h"
#include "app/model/session_desk.h"
#include "app/model/settings/machine.h"
#include "app/model/settings/settings_page.h"
#include "app/model/task/specimen.h"
#include "app/model/train/run_queue.h"
#include "app/model/train/studies.h"
#include "app/model/train/training.h"
#include "app/model/viewer/viewer.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// Everything that the window shows and does, independent of the window itself. Single-threaded; no call here waits for
// a worker.
class Studio : public Navigation, public Machine {
 public:
  // Reopens the last state; on the first start, the first task's posterior with its shipped weights. `wake` requests
  // another frame, from any thread.
  explicit Studio(
      Catalog tasks, Settings settings, std::function<void()> wake = [] {});
  ~Studio() override;
  Studio(const Studio&) = delete;
  Studio& operator=(const Studio&) = delete;

  Settings settings;
  Hub hub;
  Library library{hub};
  Training training{hub};
  Studies studies{hub};
  RunQueue queue{hub};
  Posterior posterior{hub};
  Viewer viewer{hub};
  Evaluation evaluation{hub};
  Comparison comparison{hub};
  RunBoard board{hub};
  Specimen specimen{hub};
  DataFolder data{hub};
  SettingsPage page{hub};
  SessionDesk session{*this};

  const std::string& task() const { return task_; }
  // The run whose posterior and scores are shown: a folder of the library, or a task's name for its shipped weights;
  // empty if there is none.
  const std::string& run() const { return run_; }
  Tab tab() const { return tab_; }
  // The page of the Posterior tab for the task: `posterior` or `viewer`.
  PosteriorPage& posterior_page();
  const PosteriorPage& posterior_page() const { return const_cast<Studio*>(this)->posterior_page(); }
  void set_tab(Tab tab) override;

  // Shows a task, with its shipped weights or its newest finished run.
  void open_task(const std::string& task);
  void open_run(const std::string& run) override;
  // Opens a path dropped on the window or given on the command line: a session, a run folder, a custom task's file, a
  // folder of images, a data file, or an item from which a task makes sets (tasks/parts/items.h), which is then shown.
  void open_path(const std::filesystem::path& path);
  // Does so without waiting for the disk: the path is looked at on another thread.
  void look_and_open(const std::filesystem::path& path);

  void reopen_task() override;
  void open_settings(SettingsSection section) override { page.open(section); }
  void show_log() override { settings.log_open = true; }

  // Resumes a run on the Train tab. A message reports why it cannot.
  void resume_run(const std::string& run);
  // The run that an earlier start trained and did not finish, to offer for resuming; null if there is none or it was
  // abandoned.
  const RunEntry* unfinished_run() const;
  void forget_unfinished();

  // What the Posterior tab shows, and shows it again; runs that are gone are left out.
  Question question() const;
  void restore(Question question);

  // Takes over what workers have finished; true when another frame should be drawn.
  bool poll();
  // Whether any worker is busy, and the current activity for the status bar.
  bool busy() const;
  std::string activity() const;
  // Returns the run of the current tab: on the Train tab the run in training, elsewhere and while a new run is being
  // drafted the selected run. Empty if there is none.
  std::string shown_run() const;
  // The task and the run: "Title · name".
  std::string shown_title() const;
  std::string device_name() const override;
  std::int64_t threads() const override;
  std::string use_device(const std::string& name) override;
  std::string use_threads(const std::string& number) override;
  std::string machine_blocked() const override;

 private:
  bool is_task(const std::string& name) const;
  void open_looked(const LookedPath& looked);
  void take_looked();
  TaskOptions options_of(const std::string& run) const;
  const RunEntry* listed_run(const std::string& run) const;
  bool has_weights(const std::string& run) const;
  void show(const std::string& task, const std::string& run, bool weighted);
  void follow_own_tasks();
  void turn_comparison(const std::string& task);
  void offer_comparison();
  void use_data_folder(const std::filesystem::path& folder);
  void use_runs_folder(const std::filesystem::path& folder);
  void take_threads();
  void list_runs();
  void follow_training();
  void follow_queue_settings();
  void take_ended_training();
  void go_on_resuming();
  void take_new_weights();
  void give_memory_back();
  void restore_shown(const Settings& remembered);
  void remember_shown();

  std::string task_, run_;
  std::map<std::string, std::string> last_runs_;              // by task
  std::map<std::string, std::vector<std::string>> compared_;  // by task
  std::set<std::string> offered_;                             // tasks whose Compare tab was opened
  std::string awaited_task_;                                  // the task to show once it is open
  std::optional<Settings> awaited_shown_;                     // the state to restore then
  struct {
    std::string run, task;
  } awaited_run_;           // the run to show once its task is open
  std::string resuming_;    // the run to resume once it is read
  std::string unfinished_;  // Settings::unfinished at the start
  std::string weighed_run_;
  int weighed_stage_ = -1;          // last seen stage of weighed_run_: 1 pretrained, 2 finetuned
  std::filesystem::path followed_;  // the run in training that is already listed
  bool board_stale_ = true;         // the list of runs has changed since the Compare tab was updated
  bool large_work_ = false;         // training, evaluation or comparison has run since memory was released
  Tab tab_ = Tab::posterior;
  std::string device_;
  std::vector<std::filesystem::path> to_open_;  // by look_and_open, in order
  Latest<std::vector<LookedPath>> looked_{hub.wake};
};

}  // namespace pairs::model
