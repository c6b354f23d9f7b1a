#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/model/hub/hub.h"
#include "tasks/task_description.h"

namespace pairs::model {

// How far a task of a person's own is: its file is being read, and what the file leaves out measured; its program waits
// to be agreed to; it can be used; it cannot.
enum class OwnState { opening, asks, ready, failed };

// A task of a person's own, as the window knows it.
struct OwnTask {
  std::filesystem::path file;  // its task.toml, absolute; of a run whose own task is not open, the run's copy
  OwnState state = OwnState::opening;
  TaskDescription said;  // what the file says; its name is "" before it was read
  std::string problem;   // why it cannot be used: a sentence; empty when it can
  bool changed = false;  // the file says something else by now, or is gone: it can be read again

  // The task's title, else where it stands.
  std::string title() const;
  // A few words on how far it is; "" of one that is ready.
  std::string note() const;
  // Whether it stands for a run whose own file is not open.
  bool of_run() const { return !said.name.empty() && said.file != said.origin; }
};

// Tasks that stand in files, opened one after another by a thread of its own: a program may have to be started, or many
// files looked through. Nothing of a program runs before agree(). Files are looked at again every two seconds.
class OwnTasks {
 public:
  explicit OwnTasks(Hub& hub);
  ~OwnTasks();
  OwnTasks(const OwnTasks&) = delete;
  OwnTasks& operator=(const OwnTasks&) = delete;

  // Begins to open a task.toml or a folder that holds one, or to read it again. `awaited`: somebody waits for it, and
  // is asked where it wants to run a program.
  void open(const std::filesystem::path& file, bool awaited);
  // Agrees to the program that the file names, and goes on; or to leave it for now.
  void agree(const std::filesystem::path& file);
  void decline(const std::filesystem::path& file);
  // Takes it from the list; its file and its runs stay.
  void forget(const std::filesystem::path& file);

  // In the order in which they were opened.
  const std::vector<OwnTask>& all() const { return all_; }
  // By file as in OwnTask::file, or of a folder that holds one; null when there is none.
  const OwnTask* find(const std::filesystem::path& file) const;
  // The one of that name which can be used; null when there is none.
  const OwnTask* ready(const std::string& name) const;
  // The one that somebody waits for and whose program is to be agreed to; null when there is none.
  const OwnTask* asking() const;
  // The one that somebody waited for and that can be used by now, once; null when there is none.
  const OwnTask* take_awaited();

  // Whether one that somebody waited for turned out not to be usable, once.
  bool take_failed() { return std::exchange(failed_, false); }

  // Takes over what has been read. True when something shown has changed.
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
  bool failed_ = false;   // that somebody waited for, since the last take_failed()
  std::unique_ptr<Reader> reader_;
};

}  // namespace pairs::model
