#include "tasks/registry.h"

#include "core/base/text/error.h"
#include "tasks/bump_hunt/entry.h"
#include "tasks/circle/entry.h"
#include "tasks/digits/entry.h"
#include "tasks/gaussian/entry.h"
#include "tasks/novel_view/entry.h"
#include "tasks/parts/chosen_targets.h"
#if PAIRS_WITH_MOLECULES
#include "tasks/molecules/entry.h"
#endif
#if PAIRS_WITH_OBJECTS
#include "tasks/objects/entry.h"
#endif

namespace pairs {

std::shared_ptr<TaskCatalog> built_in_tasks() {
  std::vector<TaskEntry> entries = {choosing_targets(gaussian_entry()), choosing_targets(bump_hunt_entry()),
                                    choosing_targets(circle_entry()), digits_entry()};
  std::vector<LeftOutTask> left_out;
#if PAIRS_WITH_OBJECTS
  entries.push_back(objects_entry());
#else
  left_out.push_back(
      {"objects", "it needs Assimp, Embree and Qhull; install them and configure the build with -DPAIRS_OBJECTS=ON"});
#endif
#if PAIRS_WITH_MOLECULES
  entries.push_back(molecules_entry());
#else
  left_out.push_back(
      {"molecules", "it needs RDKit and msgpack; install them and configure the build with -DPAIRS_MOLECULES=ON"});
#endif
  entries.push_back(novel_view_entry());
  return std::make_shared<TaskCatalog>(std::move(entries), std::move(left_out));
}

std::string task_in_role(TaskRole role) {
  switch (role) {
    case TaskRole::first:
      return "bump-hunt";
    case TaskRole::exact:
      return "gaussian";
    case TaskRole::data:
      return "digits";
    case TaskRole::views:
      return "novel-view";
  }
  fail("There is no such role");
}

}  // namespace pairs
