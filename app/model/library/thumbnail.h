#pragma once

#include <memory>
#include <string>

#include "app/kinds/thumbnail.h"

namespace pairs::model {

// draw_thumbnail of a task by its name. `data`: folder of real data, "" for none. Throws Error.
std::shared_ptr<const Thumbnail> draw_thumbnail(const std::string& task, const std::string& data);

}  // namespace pairs::model
