#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/model/hub/checked_folder.h"
#include "app/model/hub/hub.h"

namespace pairs::model {

class Studio;

// The real data that a task can read from a folder; "" if it simulates everything.
std::string real_data_of(const TaskCatalog& tasks, const std::string& task);
// Their layout, one sentence; "" if the task simulates everything.
std::string real_data_layout_of(const TaskCatalog& tasks, const std::string& task);

// Chooses the folder of real data, which is checked in the background before use.
class DataFolder {
 public:
  explicit DataFolder(Hub& hub) : hub_(hub), folder_([&hub] { hub.wake(); }) {}

  // Requests the dialog; take_asked returns whether it was requested since the last call.
  void ask() { asked_ = true; }
  bool take_asked() { return std::exchange(asked_, false); }

  // Checks whether the folder holds what the task needs ("": no folder, which is always valid).
  void use(const std::string& task, const std::filesystem::path& folder);
  bool busy() const { return folder_.busy(); }
  // Why the last folder cannot be used, as a sentence; empty if it can.
  const std::string& problem() const { return folder_.problem(); }
  // Returns a valid folder once; it is to be used from now on.
  std::optional<std::filesystem::path> take() { return folder_.take(); }

 private:
  Hub& hub_;
  bool asked_ = false;
  CheckedFolder folder_;
};

// If the shown weights were trained on other data than now in use: what differs, and what to do.
struct DataNotice {
  enum class Action { choose_folder, show_shipped };
  std::string sentence;  // empty: they agree, or it is unknown
  std::string label;     // of the button
  Action action = Action::choose_folder;
};
DataNotice data_notice(const Studio& studio);

}  // namespace pairs::model
