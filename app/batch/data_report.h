#pragma once

#include <string>

#include "app/batch/command.h"
#include "tasks/catalogue.h"

namespace pairs::batch {

struct DataQuestion {
  std::string folder;  // or file; "" = none
  bool check = false;  // read or measure every member of the sets that are found
  bool all = false;    // name each one that was set aside
};

// What `data` answers: of each set what was found where, and what is missing or was set aside. Progress goes to stderr.
// Throws Error where there is no such folder or file.
Result data_report(const TaskCatalogue& tasks, const DataQuestion& question);

}  // namespace pairs::batch
