#include "app/model/viewer/view_pictures.h"

#include "app/kinds/samples_figure.h"
#include "app/kinds/target/heat_map.h"
#include "render/scene_picture.h"
#include "tasks/scene_views.h"

namespace pairs::model {
namespace {

double mean_square(const torch::Tensor& difference) {
  return difference.to(torch::kFloat64).square().mean().item<double>();
}

}  // namespace

ViewerInfo viewer_info(const ViewPosterior& posterior) {
  const LoadedRun& run = posterior.loaded();
  ViewerInfo info;
  info.name = run.name;
  info.size = posterior.views().cast().height;
  info.spheres = posterior.views().spheres();
  info.half_width = posterior.views().cast().half_width;
  info.most = run.task->info().max_n;
  info.trained = run.estimator->max_n();
  info.sizes = posterior.sizes();
  info.steps = posterior.steps();
  for (const PosteriorWarning& one : posterior.warnings()) info.warnings.push_back(one.text);
  return info;
}

PicturePointer picture_of(const torch::Tensor& image) {
  auto picture = std::make_shared<Picture>();
  picture->width = image.size(2);
  picture->height = image.size(1);
  picture->rgb = rgb_bytes(image);
  return picture;
}

PicturePointer heat_picture(const torch::Tensor& values, double most) {
  const torch::Tensor shares = (values / most).to(torch::kFloat32).contiguous();
  auto picture = std::make_shared<Picture>();
  picture->width = values.size(1);
  picture->height = values.size(0);
  picture->rgb.reserve(static_cast<std::size_t>(3 * values.numel()));
  const auto* share = shares.const_data_ptr<float>();
  for (std::int64_t i = 0; i < shares.numel(); ++i)
    for (const std::uint8_t c : heat_color(share[i])) picture->rgb.push_back(c);
  return picture;
}

torch::Tensor spread_of(const torch::Tensor& samples) {
  return samples.to(torch::kFloat64).var(0).mean(0).sqrt();
}

torch::Tensor error_of(const torch::Tensor& image, const torch::Tensor& truth) {
  return (image - truth).to(torch::kFloat64).square().mean(0).sqrt();
}

ViewerNumbers viewer_numbers(const torch::Tensor& samples, const torch::Tensor& expected, const torch::Tensor& truth,
                             const torch::Tensor& prior) {
  ViewerNumbers numbers;
  if (samples.defined() && samples.size(0) > 0) {
    numbers.sample = mean_square(samples - truth);
    numbers.mean = mean_square(samples.mean(0) - truth);
    if (samples.size(0) > 1) numbers.variance = samples.to(torch::kFloat64).var(0).mean().item<double>();
  }
  if (expected.defined()) numbers.expected = mean_square(expected - truth);
  if (prior.defined()) numbers.prior = mean_square(prior - truth);
  return numbers;
}

}  // namespace pairs::model
