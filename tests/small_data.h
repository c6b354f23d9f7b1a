#pragma once

#include <string>
#include <vector>

namespace pairs::testing {

// Settings of a task under which what it prepares is made in seconds, "task.KEY=VALUE".
inline std::vector<std::string> small_data(const std::string& task) {
  if (task == "objects") return {"task.objects=120", "task.views=5"};
  if (task == "molecules") return {"task.molecules=120", "task.conformers=6"};
  return {};
}

}  // namespace pairs::testing
