#include "app/kinds/target/image_target_room.h"

#include <fmt/format.h>

#include "app/kinds/target/image_samples.h"
#include "core/base/error.h"
#include "core/report/number_text.h"

namespace pairs {

std::string ImageTargetRoom::columns_text(const TaskInfo& info) const {
  return fmt::format("image {}×{}×{}", info.image.channels, info.image.height, info.image.width);
}

std::string ImageTargetRoom::labels_text(const TaskInfo&) const {
  return "θ";
}

nlohmann::json ImageTargetRoom::document(const TaskInfo& info) const {
  return {{"image_shape", {info.image.channels, info.image.height, info.image.width}}};
}

std::vector<double> ImageTargetRoom::settable(const Latents&) const {
  return {};
}

torch::Tensor ImageTargetRoom::theta_of(const std::vector<double>&) const {
  return {};
}

void ImageTargetRoom::check_density(const TaskInfo& info, const std::string& why) const {
  fail("The target of task {} is an image, {}", info.name, why);
}

std::int64_t ImageTargetRoom::compared_samples(std::int64_t asked, std::int64_t own) const {
  const std::int64_t samples = asked >= 0 ? asked : own;
  if (samples < 2) fail_usage("Images are compared by their samples; give --samples 2 or more");
  return samples;
}

std::vector<Table::Column> ImageTargetRoom::report_columns(IntervalKind) const {
  return {{"image", false}, {"samples"}, {"mean pixel"}, {"mean sd"}, {"largest sd"}};
}

SampleReport ImageTargetRoom::report(const TaskInfo& info, const torch::Tensor& flat, const std::vector<TargetNumbers>&,
                                     IntervalKind, Table& table) const {
  const ImageTarget& image = info.image;
  const torch::Tensor samples =
      flat.to(torch::kFloat32).view({flat.size(0), image.channels, image.height, image.width});
  SampleReport report;
  report.arrays = {{"samples", samples}, {"mean", samples.mean(0)}, {"sd", samples.std(0)}};
  const double sd = report.arrays["sd"].mean().item<double>(), most = report.arrays["sd"].max().item<double>();
  report.document = {{"image_shape", {image.channels, image.height, image.width}},
                     {"mean_sd", sd},
                     {"largest_sd", most},
                     {"mse", nullptr}};
  table.add({fmt::format("{}×{}×{}", image.channels, image.height, image.width), count_text(flat.size(0)),
             number_text(report.arrays["mean"].mean().item<double>(), 4), number_text(sd, 4), number_text(most, 4)});
  report.pictures = image_sample_pictures(samples, image);
  report.notes = fmt::format(
      "\nError (MSE): not known, as the true image is not; sd above is the posterior's, by pixel\n"
      "Pictures: {{}}\n          (sd.png: black 0, brightest {} of a pixel's range and more)\n",
      kBrightestSpread);
  return report;
}

}  // namespace pairs
