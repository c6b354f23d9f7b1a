#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/model/hub/checked_folder.h"
#include "app/model/hub/hub.h"

namespace pairs::model {

class Studio;

// What real data a task can draw from a folder of; "" for tasks that simulate all they need.
std::string real_data_of(const TaskCatalogue& tasks, const std::string& task);
// How they are read, one sentence; "" for these.
std::string real_data_layout_of(const TaskCatalogue& tasks, const std::string& task);

// The choice of the folder of real data, looked into in the background before it is used.
class DataFolder {
 public:
  explicit DataFolder(Hub& hub) : hub_(hub), folder_([&hub] { hub.wake(); }) {}

  // A person wants to choose one; whether that was asked for since the last call.
  void ask() { asked_ = true; }
  bool take_asked() { return std::exchange(asked_, false); }

  // Looks whether the folder holds what the task needs ("": none is wanted, which is always right).
  void use(const std::string& task, const std::filesystem::path& folder);
  bool busy() const { return folder_.busy(); }
  // Why the last one that was taken cannot be used, in a sentence; empty when it can.
  const std::string& problem() const { return folder_.problem(); }
  // Once, the folder that was found right: it is to be used from now on.
  std::optional<std::filesystem::path> take() { return folder_.take(); }

 private:
  Hub& hub_;
  bool asked_ = false;
  CheckedFolder folder_;
};

// Where the shown weights learnt from other data than are in use: what differs, and what can be done.
struct DataNotice {
  enum class Action { choose_folder, show_shipped };
  std::string sentence;  // empty: they agree, or it is not known yet
  std::string label;     // of the button
  Action action = Action::choose_folder;
};
DataNotice data_notice(const Studio& studio);

}  // namespace pairs::model
