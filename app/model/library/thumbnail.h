#pragma once

#include <memory>
#include <string>

#include "app/model/library/library.h"

namespace pairs::model {

// A picture of one sample set, simulated by the task: images as a small grid, points as a density, single numbers as a
// histogram. The same picture each time. `data`: folder of real data, "" for none. Throws Error.
std::shared_ptr<const Thumbnail> draw_thumbnail(const std::string& task, const std::string& data);

// The same picture in another size: each pixel the mean of what it covers.
Thumbnail resized(const Thumbnail& picture, int width, int height);

}  // namespace pairs::model
