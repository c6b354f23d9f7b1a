#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/kinds/thumbnail.h"
#include "app/model/hub/hub.h"
#include "app/model/library/own_tasks.h"
#include "app/scores/verdict.h"
#include "core/report/figure.h"

namespace pairs::model {

// A task's state. unknown: the runs are not listed yet. pretrained: a run has finished stage 1. other_data: all weights
// (or those of the open run) were trained on other data than now in use. ready: a finished run or shipped weights.
enum class Badge { unknown, untrained, pretrained, other_data, ready };
const char* badge_name(Badge badge);

struct TaskEntry {
  std::string name, title, summary;
  bool views = false;  // observations are views of a scene, shown in the viewer
  bool own = false;    // a custom task
  Badge badge = Badge::unknown;
  // A picture of the task's simulations; null until drawn. The pointer changes when the picture is redrawn.
  std::shared_ptr<const Thumbnail> thumbnail;
  std::uint64_t thumbnail_version = 0;  // grows with each new picture of any task
};

// A run on disk, or shipped weights of a task.
struct RunEntry {
  std::string run;  // as Studio::open_run takes it: its absolute folder, or a task's name for its first shipped weights
  std::filesystem::path folder;
  std::string name;  // display name: from about.toml, else the folder's name
  std::string note;
  std::vector<std::string> tags;
  bool archived = false;  // not listed
  std::string task, preset;
  std::string strategy, strategy_title;  // "pairs", "PAIRS"
  SeriesRole role = SeriesRole::other;   // its color in all figures and lists
  std::int64_t seed = 1;
  bool pretrained = false, cached = false, finished = false;
  int stage = 0;                            // 1 to 3: current or last stage; 0: not started
  double share = 0;                         // finished share of that stage, 0 to 1
  bool training = false;                    // some process trains it now
  bool shipped = false;                     // came with the program: read-only
  bool glanced = false;                     // only its settings have been read so far
  bool deleted = false;                     // its folder is gone; only the watched run is kept so
  std::uint64_t bytes = 0, aggregates = 0;  // total size; size of stage 2's aggregates, which only stage 3 needs
  std::int64_t created = 0, changed = 0;    // seconds since 1970
  std::uint64_t signature = 0;              // changes whenever a file of the run changes
  std::string problem;                      // why it cannot be read: a sentence; else empty
  std::string crash;                        // crash_text of its folder
  std::string trained_on, data_here;  // the data its weights were trained on, and the task's data now; "": unknown
  bool learned_nothing = false;       // no better than the prior, by its training
  std::shared_ptr<const RunConfig> config;  // from run.toml; null if unreadable
  // The verdict of the scores stored with its weights, if they match these weights and data; else whether the run is no
  // better than the prior.
  EvaluationVerdict verdict;

  // Whether it is the user's own run and can be opened, as far as known without reading its folder.
  bool can_open() const { return config && problem.empty() && !deleted && !shipped; }
  // A few words: "training · pretrain 60 %", "finished", "stopped · cache 10 %", "unreadable", ...
  std::string state() const;
  bool other_data() const { return !trained_on.empty() && !data_here.empty() && trained_on != data_here; }
  // The state of a run that some process trains now. `word`: "training", "paused", ...; `stage`: 0 to 2; NaN: unknown.
  static std::string live_state(const std::string& word, int stage, double share);
  friend bool operator==(const RunEntry&, const RunEntry&) = default;
};

enum class RunAction { open, resume, rename, note, tag, archive, reveal, drop_aggregates, remove };

class Library;

// Folders with runs: those that people add to the list, and what folders hold.
class RunFolders {
 public:
  explicit RunFolders(Library& library) : library_(library) {}

  // Adds a run folder, or all runs of a folder, from elsewhere. Returns why it failed, in one sentence, or "".
  std::string add(const std::filesystem::path& folder);
  const std::vector<std::filesystem::path>& added() const { return added_; }
  // Removes an added folder from the list; the disk stays unchanged.
  void remove(const std::filesystem::path& folder);

  // Number and total size of the runs found in a folder.
  struct Extent {
    std::int64_t runs = 0;
    std::uint64_t bytes = 0;
  };
  Extent extent_of(const std::filesystem::path& folder) const;

 private:
  Library& library_;
  std::vector<std::filesystem::path> added_;
};

// The built-in tasks, the usable custom tasks and the runs on disk. Background threads keep them up to date: they scan
// the folders every two seconds and draw each task's picture once.
class Library {
 public:
  explicit Library(Hub& hub);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  RunFolders folders{*this};

  // Takes over finished background work. Returns whether something shown has changed. The first call starts the work.
  // Follows changes of the hub's folders.
  bool poll();
  // True until the first listing, and while tasks are opened, pictures are drawn or an action runs.
  bool busy() const;
  // The custom tasks, usable or not.
  OwnTasks& own() { return own_; }
  const OwnTasks& own() const { return own_; }
  // Scans the folders now.
  void refresh();

  // Built-in ones first.
  const std::vector<TaskEntry>& tasks() const { return tasks_; }
  const TaskEntry* task(std::string_view name) const;
  // Newest first, shipped weights last.
  const std::vector<RunEntry>& runs() const { return runs_; }
  // Finds a run by RunEntry::run; null if there is none.
  const RunEntry* find(const std::string& run) const;
  // The run's display name, else its folder's name.
  std::string name_of(const std::string& run) const;
  // Whether the first listing has arrived.
  bool listed() const { return listed_; }
  // Why the folder of runs cannot be read, or why the last action failed; empty if neither.
  const std::string& problem() const { return problem_.empty() ? folder_problem_ : problem_; }
  void dismiss_problem();
  // Whether the folder of runs cannot be read; the user can choose another one in the settings.
  bool folder_problem() const { return problem_.empty() && !folder_problem_.empty(); }

  // Sets the open run: if its folder vanishes, it stays in the list, marked as deleted.
  void watch(const std::string& run);

  // Why the action is impossible, in one sentence; empty if it is possible.
  std::string blocked(const RunEntry& run, RunAction action) const;
  // The following actions finish in the background; a failure becomes problem() and a message. Names and notes are
  // stored in the run's about.toml; run.toml stays unchanged.
  void rename(const std::string& run, const std::string& name);  // "": restores the folder's name
  void annotate(const std::string& run, const std::string& note);
  // Deletes the cached aggregates of stage 2; the weights stay.
  void drop_aggregates(const std::string& run);
  // Adds tags to runs and removes others; check_tag defines valid tags.
  void tag(const std::vector<std::string>& runs, const std::vector<std::string>& add,
           const std::vector<std::string>& remove);
  // Archives runs, which hides them from lists, or lists them again.
  void archive(const std::vector<std::string>& runs, bool archived);
  // Moves the folders to the user's trash. The first failure becomes the problem; the other folders are still moved.
  void remove(const std::vector<std::string>& runs);
  void remove(const std::string& run) { remove(std::vector<std::string>{run}); }
  // What undo() would revert, the last removal or archiving: "3 runs moved to the trash"; "" for nothing.
  const std::string& undoable() const { return undoable_; }
  void undo();
  // Shows the run's folder in the file manager; `reveal_file`: the folder of a file.
  void reveal(const std::string& run);
  void reveal_file(const std::filesystem::path& file);

  // A terminal command that resumes an unfinished run or evaluates a finished one.
  static std::string batch_command(const RunEntry& run);

 private:
  friend RunFolders;
  class Scanner;
  class Painter;
  void take_shades();
  void report_crashes();
  void set_badges();
  void list_own();
  void paint(bool all);
  std::vector<const RunEntry*> allowed(const std::vector<std::string>& runs, RunAction action);

  Hub& hub_;
  OwnTasks own_{hub_};
  std::vector<TaskEntry> tasks_;
  std::vector<RunEntry> runs_;
  std::set<std::string> reported_crashes_;  // runs
  bool listed_ = false;
  std::uint64_t pictures_ = 0;
  std::string problem_, folder_problem_, watched_;
  std::string undoable_;
  std::function<void()> undo_;                       // on the scanner's thread
  std::filesystem::path runs_folder_, data_folder_;  // as the threads use them
  std::unique_ptr<Scanner> scanner_;
  std::unique_ptr<Painter> painter_;
};

}  // namespace pairs::model
