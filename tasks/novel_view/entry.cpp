#include "tasks/novel_view/entry.h"

#include "tasks/novel_view/novel_view.h"

namespace pairs {

TaskEntry novel_view_entry() {
  return {.name = "novel-view",
          .make = [](const TaskOptions& o) { return make_novel_view(o.settings.as<NovelViewSettings>()); },
          .settings = NovelViewSettings()};
}

}  // namespace pairs
