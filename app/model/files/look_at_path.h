#pragma once

#include <filesystem>
#include <memory>

#include "app/model/hub/looked_path.h"
#include "core/task.h"
#include "tasks/catalog.h"

namespace pairs::model {

// Looks at what is at the path; `page`: the task that the Posterior tab shows, or null. Any thread.
LookedPath look_at_path(const std::filesystem::path& path, const TaskCatalog& tasks,
                        const std::shared_ptr<const Task>& page);

}  // namespace pairs::model
