#pragma once

#include <string>
#include <vector>

namespace pairs {

// Settings of a run, "KEY=VALUE", under which what its task prepares is made in seconds.
inline std::vector<std::string> small_data(const std::string& task) {
  if (task == "objects") return {"task.objects=120", "task.views=5"};
  if (task == "molecules")
    return {"task.molecules=120", "task.conformers=10",   "cache.sizes=[2,6]",
            "cache.sets=[20,10]", "evaluate.sizes=[1,6]", "evaluate.sets=[10]"};
  return {};
}

}  // namespace pairs
