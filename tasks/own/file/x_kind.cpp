#include "tasks/own/file/x_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/text/error.h"

namespace pairs::own {
namespace {

std::string widths(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string points_text(const TaskInfo& task) {
  if (task.observation_columns == std::vector<std::string>{"x"}) return "Each x is one number.";
  return fmt::format("Each x is {}.", fmt::join(task.observation_columns, ", "));
}
std::string image_text(const TaskInfo& task) {
  return fmt::format("Each x is an image of {} × {} pixels.", task.observation_shape[2], task.observation_shape[1]);
}
std::string rows_text(const TaskInfo& task) {
  return fmt::format("Each x is a table with columns {} and any number of rows.",
                     fmt::join(task.observation_columns, ", "));
}

std::string points_embedder(const TaskInfo& task, EmbedderSize size) {
  if (size == EmbedderSize::few_sets)
    return fmt::format("kind = \"mlp\"\nlayers = {}\nsize = 16\nactivation = \"silu\"\nfrequencies = 0\n",
                       widths({128, 128}));
  const bool quick = size == EmbedderSize::quick;
  const std::int64_t width = quick ? 128 : 256;
  // Sines and cosines make a narrow structure in a few columns as easy to learn as a broad one.
  const bool few = task.observation_shape.front() <= 8;
  return fmt::format("kind = \"mlp\"\nlayers = {}\nsize = {}\nactivation = \"silu\"\nfrequencies = {}\n{}",
                     widths({width, width}), quick ? 64 : 256, few ? (quick ? 16 : 48) : 0,
                     few ? fmt::format("highest_frequency = {}\n", quick ? "16.0" : "32.0") : "");
}

// Convolutions that halve the image until it is less than 4 pixels high.
std::string image_embedder(const TaskInfo& task, EmbedderSize size) {
  const bool quick = size != EmbedderSize::large;
  std::vector<std::int64_t> channels, kernels;
  std::int64_t width = quick ? 16 : 32;
  for (std::int64_t left = std::min(task.observation_shape[1], task.observation_shape[2]);
       channels.empty() || (left >= 4 && channels.size() < 6); left /= 2) {
    channels.push_back(width);
    kernels.push_back(channels.size() <= 2 && left >= 16 ? 5 : 3);
    width = std::min<std::int64_t>(2 * width, quick ? 64 : 256);
  }
  return fmt::format("kind = \"cnn\"\nchannels = {}\nkernels = {}\nsize = {}\ninitial = \"he\"\n", widths(channels),
                     widths(kernels), quick ? 32 : 128);
}

std::string rows_embedder(const TaskInfo&, EmbedderSize size) {
  const std::int64_t width = size == EmbedderSize::large ? 256 : 128;
  const int reported = size == EmbedderSize::large ? 256 : size == EmbedderSize::quick ? 64 : 16;
  return fmt::format("kind = \"rows\"\nlayers = {}\nprojection = {}\nsize = {}\nactivation = \"silu\"\n",
                     widths({width, width}), widths({width}), reported);
}

}  // namespace

const XKind& x_kind(const TaskInfo& task) {
  static const XKind points{"points", false, true, points_text, points_embedder},
      image{"image", false, false, image_text, image_embedder}, rows{"rows", true, false, rows_text, rows_embedder};
  switch (task.kind) {
    case ObservationKind::points:
      return points;
    case ObservationKind::image:
      return image;
    case ObservationKind::rows:
      return rows;
  }
  fail("There is no such kind of observation");
}

}  // namespace pairs::own
