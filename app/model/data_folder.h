#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

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
  explicit DataFolder(Hub& hub);
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  // A person wants to choose one; whether that was asked for since the last call.
  void ask();
  bool take_asked();

  // Looks whether the folder holds what the task needs ("": none is wanted, which is always right).
  void use(const std::string& task, const std::filesystem::path& folder);
  bool busy() const;
  // Why the last one cannot be used, in a sentence; empty when it can.
  std::string problem() const;
  // Once, the folder that was found right: it is to be used from now on.
  std::optional<std::filesystem::path> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
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
