#pragma once

#include "app/kinds/observation_room.h"

namespace pairs {

inline constexpr int kThumbnailWidth = 96, kThumbnailHeight = 64;

// A fully transparent thumbnail of that size.
Thumbnail blank_thumbnail(bool mask);

// A picture of one sample set, simulated by the task: images as a small grid, points as a density, single numbers as a
// histogram. The same picture each time. Throws Error.
Thumbnail draw_thumbnail(const Task& task);

// The parameters and the first `count` observations of the set shown in thumbnails.
struct ThumbnailSample {
  Latents latents;
  Observations x;
};
ThumbnailSample thumbnail_sample(const Task& task, std::int64_t count);

// A resized picture: each pixel is the mean of the area that it covers.
Thumbnail resized(const Thumbnail& picture, int width, int height);

}  // namespace pairs
