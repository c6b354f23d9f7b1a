#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/kinds/arrays.h"
#include "app/kinds/body/body_picture.h"
#include "app/kinds/image/image_folder.h"
#include "app/kinds/image/image_plot.h"
#include "app/kinds/rooms.h"
#include "app/kinds/sample_plot.h"
#include "app/kinds/thumbnail.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "tasks/parts/bodies.h"

namespace pairs {
namespace {

// The color channels of images, or their only channel.
torch::Tensor colors(const torch::Tensor& x) {
  return x.narrow(1, 0, std::min<std::int64_t>(x.size(1), x.size(1) >= 3 ? 3 : 1));
}

// Images of whole numbers as floats: 0 and 1 unchanged, bytes divided by 255.
torch::Tensor scaled_images(const torch::Tensor& x, const TaskInfo& task, const std::string& where) {
  const auto low = x.min().item<std::int64_t>(), high = x.max().item<std::int64_t>();
  PAIRS_CHECK(low >= 0 && high <= 255,
              "{} holds whole numbers outside 0..255; give images as bytes, or as floats from "
              "0 to 1",
              where);
  PAIRS_CHECK(x.size(1) <= 3,
              "{} holds whole numbers, but only the first three channels of task {} are colors; give floats", where,
              task.name);
  return x.to(torch::kFloat32) / (high > 1 ? 255.0 : 1.0);
}

// Throws for invalid colors, and warns about images of a single color.
void check_colors(const torch::Tensor& x, const std::string& where, std::vector<std::string>& warnings) {
  constexpr double margin = 4;  // beyond [0, 1], since a task's noise is not clamped
  const torch::Tensor pixels = colors(x).flatten(1);
  const double low = pixels.min().item<double>(), high = pixels.max().item<double>();
  PAIRS_CHECK(low >= -margin && high <= 1 + margin,
              "{} holds images with values from {:.4g} to {:.4g}, but black is 0 and white is 1; {}", where, low, high,
              low >= 0 && high <= 255 ? "divide them by 255" : "rescale them");
  const torch::Tensor blank = pixels.amax(1) == pixels.amin(1);
  const auto count = blank.sum().item<std::int64_t>();
  if (count > 0)
    warnings.push_back(fmt::format("{} of {} images of {} {} blank, one color all over (the first is image {})", count,
                                   x.size(0), where, count == 1 ? "is" : "are",
                                   blank.to(torch::kInt64).argmax().item<std::int64_t>() + 1));
}

void check_missing(const TaskInfo& task, Missing missing) {
  if (missing == Missing::drop)
    fail_usage(
        "--missing drop leaves out rows, and observations of task {} are images; leave the option out, and "
        "images that are not whole",
        task.name);
}

// Images: gray, or with colors in their first three channels.
class ImageRoom final : public ObservationRoom {
 public:
  std::string name() const override { return "image"; }
  std::unique_ptr<ObservationLines> lines(const TaskInfo&, const std::string&, const std::vector<FileColumn>&,
                                          Missing) const override {
    return nullptr;
  }

  std::string shape_text(const TaskInfo& info) const override {
    const std::vector<std::int64_t>& shape = info.observation_shape;
    return fmt::format("{} × {} pixels{}", shape[1], shape[2], shape[0] >= 3 ? " in color" : "");
  }

  std::string columns_text(const TaskInfo& info) const override {
    return fmt::format("image {}", fmt::join(info.observation_shape, "×"));
  }

  SampleAmounts amounts() const override {
    return {.drawn = 400,
            .drawn_first = 63,
            .figure = 35,
            .shown = 40,
            .live = 200,
            .embedded_first = 64,
            .embedded = 64,
            .timed = 16};
  }

  Observed read(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                Missing missing) const override {
    check_missing(task, missing);
    if (std::filesystem::is_directory(path)) {
      const auto& shape = task.observation_shape;
      PAIRS_CHECK(
          shape.at(0) == 1 || shape.at(0) == 3,
          "{} is a folder, but observations of task {} have {} channels, which images do not hold; give an .npz file",
          path.string(), task.name, shape.at(0));
      Observed observed = read_image_folder(path, shape.at(0), shape.at(1), shape.at(2), most);
      check_colors(observed.x, path.string(), observed.warnings);
      return observed;
    }
    const std::string extension = lower_extension(path);
    if (extension == ".npz") return read_block(path, task, most, Missing::keep);  // checked() refuses
    PAIRS_CHECK(extension != ".csv",
                "{} is a CSV file, but the observations of task {} are images; give an .npz file or a folder of images",
                path.string(), task.name);
    fail("{} is neither an .npz file nor a folder of images; convert it to one of them", path.string());
  }

  // checked() throws for values that are not finite.
  Observations whole(const Observations& x, const TaskInfo& task, Missing missing, const std::string&,
                     std::int64_t& dropped) const override {
    check_missing(task, missing);
    dropped = 0;
    return x;
  }

  Observed checked(torch::Tensor x, const TaskInfo& task, const std::string& where) const override {
    check_block_shape(x.sizes(), task, where);
    x = with_all_axes(x, task);
    PAIRS_CHECK(!x.is_complex(), "{} must hold real numbers", where);
    // Images of a custom task are in its own units.
    if (!task.file.empty()) return checked_block(x.to(torch::kFloat64), task, where);
    if (!x.is_floating_point()) x = scaled_images(x.to(torch::kInt64), task, where);
    Observed observed = checked_block(x, task, where);
    check_colors(observed.x, where, observed.warnings);
    return observed;
  }

  SampleView prior_view(const Task&) const override { return {}; }

  Plot sample_plot(const Task& task, const Latents& latents, const Observations& x,
                   const SampleView& view) const override {
    constexpr std::int64_t kBodySide = 320;
    Plot sheet = image_sheet(x);
    if (const Bodies* of = face<Bodies>(task))
      if (const std::vector<Body> body = of->bodies(latents, x, 1); !body.empty())
        put_next_to(sheet, body_pictures(body, kBodySide, view.turned)[0]);
    return sheet;
  }

  Thumbnail thumbnail(const Task& task) const override {
    return image_thumbnail(thumbnail_sample(task, kThumbnailImages).x);
  }

  // Sheets of images side by side show nothing that the posterior's own pictures do not.
  std::optional<SimulatedPlot> simulated_plot(const Task&, const Latents&, const Observations&, const SampleView&,
                                              SeriesRole) const override {
    return std::nullopt;
  }

  ObservationSummaries summaries(const TaskInfo&, const Observations& x) const override {
    const torch::Tensor images = x.block().to(torch::kFloat64);
    const std::int64_t count = images.size(0), channels = std::min<std::int64_t>(images.size(1), 3);
    const bool colors = channels == 3;
    ObservationSummaries out;
    std::vector<torch::Tensor> columns;
    const auto add = [&](std::string name, const torch::Tensor& values) {
      out.names.push_back(std::move(name));
      columns.push_back(values);
    };
    constexpr const char* kColors[] = {"red", "green", "blue"};
    for (std::int64_t c = 0; c < channels; ++c)
      add(colors          ? fmt::format("mean of {}", kColors[c])
          : channels == 1 ? "brightness"
                          : fmt::format("mean of channel {}", c + 1),
          images.select(1, c).flatten(1).mean(1));
    const torch::Tensor shown = images.narrow(1, 0, channels);
    add("contrast", shown.flatten(1).std(1, false));
    // The differences between neighboring pixels: noise, edges.
    torch::Tensor rough = torch::zeros({count}, torch::kFloat64);
    for (const std::int64_t axis : {2, 3})
      if (shown.size(axis) > 1) rough += shown.diff(1, axis).abs().flatten(1).mean(1);
    add("roughness", rough);
    out.values = torch::stack(columns, 1);
    return out;
  }

  // One pixel in a thousand may lie on the other side of an edge.
  double difference(const Observations& a, const Observations& b) const override {
    const torch::Tensor apart = (a.block().to(torch::kCPU) - b.block().to(torch::kCPU)).abs().flatten();
    return std::get<0>(apart.kthvalue(apart.numel() - apart.numel() / 1000)).item<double>();
  }
};

}  // namespace

const ObservationRoom& image_room() {
  static const ImageRoom room;
  return room;
}

}  // namespace pairs
