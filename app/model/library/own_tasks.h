#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/model/hub/hub.h"
#include "tasks/task_description.h"

namespace pairs::model {

// The state of a custom task. opening: its file is being read and missing values are measured. asks: its program awaits
// permission. ready: usable. failed: unusable.
enum class OwnState { opening, asks, ready, failed };

// A custom task in the window.
struct OwnTask {
  std::filesystem::path file;  // its task.toml, absolute; for a run whose task is not open, the run's copy
  OwnState state = OwnState::opening;
  TaskDescription said;  // contents of the file; its name is "" until it is read
  std::string problem;   // why it cannot be used: a sentence; else empty
  bool changed = false;  // the file has changed or is gone since it was read

  // The task's title, else its path.
  std::string title() const;
  // A few words on its state; "" if ready.
  std::string note() const;
  // Whether it belongs to a run whose own task file is not open.
  bool of_run() const { return !said.name.empty() && said.file != said.origin; }
};

// Custom tasks. A thread opens them one after another, since this may start a program or read many files. No program
// runs before agree(). Files are checked for changes every two seconds.
class OwnTasks {
 public:
  explicit OwnTasks(Hub& hub);
  ~OwnTasks();
  OwnTasks(const OwnTasks&) = delete;
  OwnTasks& operator=(const OwnTasks&) = delete;

  // Starts to open or reread a task.toml or a folder that holds one. `awaited`: the user waits for it and is asked for
  // permission if it runs a program.
  void open(const std::filesystem::path& file, bool awaited);
  // Permits the program that the file names and continues; decline() postpones it.
  void agree(const std::filesystem::path& file);
  void decline(const std::filesystem::path& file);
  // Removes the task from the list; its file and runs stay.
  void forget(const std::filesystem::path& file);

  // All tasks in the order of opening.
  const std::vector<OwnTask>& all() const { return all_; }
  // Finds a task by OwnTask::file or by the folder that holds it; null if there is none.
  const OwnTask* find(const std::filesystem::path& file) const;
  // The usable task of that name; null if there is none.
  const OwnTask* ready(const std::string& name) const;
  // The awaited task whose program needs permission; null if there is none.
  const OwnTask* asking() const;
  // Returns the awaited task once, when it has become usable; else null.
  const OwnTask* take_awaited();

  // Whether an awaited task turned out to be unusable; reported once.
  bool take_failed() { return std::exchange(failed_, false); }

  // Takes over files read since the last call. Returns whether something shown has changed.
  bool poll();
  bool busy() const;

 private:
  class Reader;
  OwnTask* at(const std::filesystem::path& file);
  void read(const std::filesystem::path& file, bool agreed);

  Hub& hub_;
  std::vector<OwnTask> all_;
  std::filesystem::path awaited_;
  bool changed_ = false;  // since the last poll()
  bool failed_ = false;   // an awaited task has failed since the last take_failed()
  std::unique_ptr<Reader> reader_;
};

}  // namespace pairs::model
