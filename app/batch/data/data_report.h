#pragma once

#include <string>

#include "app/batch/parts/command.h"
#include "tasks/catalog.h"

namespace pairs::batch {

struct DataQuestion {
  std::string folder;  // or a file; "" = none
  bool check = false;  // read or measure every item of the sets found
  bool all = false;    // list each omitted item
};

// The result of `data`: for each set, what was found where, and what is missing or was omitted. Progress goes to
// stderr. Throws Error if the folder or file does not exist.
Result data_report(const TaskCatalog& tasks, const DataQuestion& question);

}  // namespace pairs::batch
