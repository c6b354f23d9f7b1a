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

// How far a task is: not known before the runs have been listed, nothing trained, a run has finished stage 1, all
// weights (or those of the open run) learned from other data than are now in use, a finished run or shipped weights.
enum class Badge { unknown, untrained, pretrained, other_data, ready };
const char* badge_name(Badge badge);

struct TaskEntry {
  std::string name, title, summary;
  bool views = false;  // its observations are views of a scene: the viewer shows its posterior
  bool own = false;    // of a person's own
  Badge badge = Badge::unknown;
  // Of the task's own simulator; null until it is drawn. Another pointer when it was drawn anew.
  std::shared_ptr<const Thumbnail> thumbnail;
  std::uint64_t thumbnail_version = 0;  // grows with each new picture of any task
};

// A run on disk, or shipped weights of a task.
struct RunEntry {
  std::string run;  // what Studio::open_run takes: its absolute folder, or of a task's first shipped weights its name
  std::filesystem::path folder;
  std::string name;  // for people: its about.toml's, else its folder's
  std::string note;
  std::vector<std::string> tags;
  bool archived = false;  // left out of lists
  std::string task, preset;
  std::string strategy, strategy_title;  // "pairs", "PAIRS"
  SeriesRole role = SeriesRole::other;   // its colour in every figure and list
  std::int64_t seed = 1;
  bool pretrained = false, cached = false, finished = false;
  int stage = 0;                            // 1 to 3: the one it is in or stopped in; 0: none has begun
  double share = 0;                         // how much of that stage is done, 0 to 1
  bool training = false;                    // by some process, now
  bool shipped = false;                     // came with the program: read-only
  bool glanced = false;                     // its settings alone were read so far
  bool deleted = false;                     // its folder is gone; only the watched run is kept so
  std::uint64_t bytes = 0, aggregates = 0;  // in all; of what stage 2 has left, which nothing but stage 3 needs
  std::int64_t created = 0, changed = 0;    // seconds since 1970
  std::uint64_t signature = 0;              // another one when any file of the run is
  std::string problem;                      // why it cannot be read: a sentence; empty when it can
  std::string crash;                        // crash_text of its folder
  std::string trained_on, data_here;  // what its weights learnt from, and what the task draws from now; "": unknown
  bool learnt_nothing = false;        // by what its training tells
  std::shared_ptr<const RunConfig> config;  // what its run.toml says; null where that cannot be read
  // Of the scores beside its weights, where they are of these weights and data; else that it learnt nothing, if so.
  EvaluationVerdict verdict;

  // Whether it is a run of the person's own that can be opened by what is known of it here, without asking its folder.
  bool can_open() const { return config && problem.empty() && !deleted && !shipped; }
  // "training · pretrain 60 %", "finished", "stopped · cache 10 %", "unreadable", ... in a few words.
  std::string state() const;
  bool other_data() const { return !trained_on.empty() && !data_here.empty() && trained_on != data_here; }
  // The same of a run that some process trains now: `word` is "training", "paused", ...; stage 0 to 2, NaN unknown.
  static std::string live_state(const std::string& word, int stage, double share);
  friend bool operator==(const RunEntry&, const RunEntry&) = default;
};

enum class RunAction { open, resume, rename, note, tag, archive, reveal, drop_aggregates, remove };

// The tasks that are built in, those of a person's own that can be used, and the runs on disk, kept up to date by
// threads of its own: the folders are looked through every two seconds, the pictures of the tasks are drawn once.
class Library {
 public:
  explicit Library(Hub& hub);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Takes over what background work has finished. True when something shown has changed. The first call starts the
  // work; a change of the hub's folders is followed.
  bool poll();
  // Until the runs have been listed for the first time, tasks are opened, pictures drawn, or an action is under way.
  bool busy() const;
  // The tasks that stand in files of a person's own, whether they can be used or not.
  OwnTasks& own() { return own_; }
  const OwnTasks& own() const { return own_; }
  // Looks through the folders now.
  void refresh();

  // Built-in ones first.
  const std::vector<TaskEntry>& tasks() const { return tasks_; }
  const TaskEntry* task(std::string_view name) const;
  // Newest first, shipped weights last.
  const std::vector<RunEntry>& runs() const { return runs_; }
  // By RunEntry::run; null when there is none.
  const RunEntry* find(const std::string& run) const;
  // As people have named it, else its folder's name.
  std::string name_of(const std::string& run) const;
  // Whether the first listing has arrived.
  bool listed() const { return listed_; }
  // Why the folder of runs cannot be looked through, or what went wrong with the last action; empty when all is well.
  const std::string& problem() const { return problem_.empty() ? folder_problem_ : problem_; }
  void dismiss_problem();
  // Whether it is that the folder of runs cannot be looked through: another can be chosen in the settings.
  bool folder_problem() const { return problem_.empty() && !folder_problem_.empty(); }

  // The run that is open: it stays in the list, marked as deleted, when its folder vanishes.
  void watch(const std::string& run);

  // Empty when the action is possible, else why not, in one sentence.
  std::string blocked(const RunEntry& run, RunAction action) const;
  // The following end in the background; a failure becomes problem() and a message. Names and notes stand in the run's
  // about.toml; run.toml is not touched.
  void rename(const std::string& run, const std::string& name);  // "": the folder's name again
  void annotate(const std::string& run, const std::string& note);
  // Removes the aggregates that stage 2 has left; the weights stay.
  void drop_aggregates(const std::string& run);
  // Puts tags on runs and takes others off, as check_tag allows.
  void tag(const std::vector<std::string>& runs, const std::vector<std::string>& add,
           const std::vector<std::string>& remove);
  // Keeps runs and leaves them out of lists, or lists them again.
  void archive(const std::vector<std::string>& runs, bool archived);
  // Moves the folders to the user's trash. The first that cannot be moved becomes the problem; the others are.
  void remove(const std::vector<std::string>& runs);
  void remove(const std::string& run) { remove(std::vector<std::string>{run}); }
  // What undo() would take back, the last removal or archiving: "3 runs moved to the trash"; "" for nothing.
  const std::string& undoable() const { return undoable_; }
  void undo();
  // Shows the folder in the file manager; `reveal_file`: that of a file.
  void reveal(const std::string& run);
  void reveal_file(const std::filesystem::path& file);

  // Adds a run folder, or all runs of a folder, from elsewhere. Empty when done, else why not, in one sentence.
  std::string add_folder(const std::filesystem::path& folder);
  const std::vector<std::filesystem::path>& added_folders() const { return added_; }
  // Takes one of them out again; nothing on disk is touched.
  void remove_folder(const std::filesystem::path& folder);

  // The runs that were found in a folder of runs: how many, and their size.
  struct Extent {
    std::int64_t runs = 0;
    std::uint64_t bytes = 0;
  };
  Extent extent_of(const std::filesystem::path& folder) const;

  // A line for a terminal: resumes an unfinished run, evaluates a finished one.
  static std::string batch_command(const RunEntry& run);

 private:
  class Scanner;
  class Painter;
  void take_shades();
  void tell_crashes();
  void set_badges();
  void list_own();
  void paint(bool all);
  std::vector<const RunEntry*> allowed(const std::vector<std::string>& runs, RunAction action);

  Hub& hub_;
  OwnTasks own_{hub_};
  std::vector<TaskEntry> tasks_;
  std::vector<RunEntry> runs_;
  std::set<std::string> told_crashes_;  // runs
  bool listed_ = false;
  std::uint64_t pictures_ = 0;
  std::string problem_, folder_problem_, watched_;
  std::string undoable_;
  std::function<void()> undo_;  // on the scanner's thread
  std::vector<std::filesystem::path> added_;
  std::filesystem::path runs_folder_, data_folder_;  // as the threads know them
  std::unique_ptr<Scanner> scanner_;
  std::unique_ptr<Painter> painter_;
};

}  // namespace pairs::model
