#include "app/posterior/answer/view_posterior.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "render/scene_picture.h"
#include "render/sphere_caster.h"
#include "tasks/scene_views.h"

namespace pairs {
namespace {

constexpr std::int64_t kPriorImages = 1024;

LoadedRun load_view_run(const Tasks& tasks, const std::string& run, const std::string& data,
                        const std::string& device) {
  LoadedRun loaded = load_run(tasks, run, data, device);
  PAIRS_CHECK(face<SceneViews>(*loaded.task), "{} is a run of the task {}, whose target is no view of a scene",
              loaded.name, loaded.config.task);
  PAIRS_CHECK(head_kind(loaded.config.estimator.head.kind).images,
              "The head of {} is of kind \"{}\", which draws no images; train one of kind \"flow-matching\"",
              loaded.name, loaded.config.estimator.head.kind);
  loaded.estimator->train(false);
  return loaded;
}

}  // namespace

ViewPosterior::ViewPosterior(const Tasks& tasks, const std::string& run, const std::string& data,
                             const std::string& device)
    : loaded_(load_view_run(tasks, run, data, device)),
      trained_(training_record(loaded_)),
      views_(*face<SceneViews>(*loaded_.task)),
      embeddings_(loaded_.estimator, views_) {}

std::int64_t ViewPosterior::steps() const {
  const std::vector<std::int64_t> sizes = loaded_.estimator->sizes();
  return sampler(sizes.empty() ? 1 : sizes.front()).steps();
}

SteppedSampler& ViewPosterior::sampler(std::int64_t n) const {
  SteppedSampler* head = face<SteppedSampler>(loaded_.estimator->head(n));
  PAIRS_CHECK(head, "The head of {} for N = {} draws no images", loaded_.name, n);
  return *head;
}

torch::Tensor ViewPosterior::restored(const torch::Tensor& z) const {
  const ImageTarget& image = loaded_.task->info().image;
  std::vector<std::int64_t> shape = z.sizes().vec();
  shape.pop_back();
  shape.insert(shape.end(), {image.channels, image.height, image.width});
  return loaded_.estimator->restore(z.to(torch::kCPU, torch::kFloat64))
      .clamp(image.low, image.high)
      .to(torch::kFloat32)
      .reshape(shape);
}

torch::Tensor ViewPosterior::context(const torch::Tensor& aggregate, std::int64_t n, const render::Camera& target) {
  torch::NoGradGuard no_grad;
  Estimator& estimator = *loaded_.estimator;
  return estimator.context(aggregate.to(estimator.device()), at::full({1}, n, torch::kInt64).to(estimator.device()),
                           views_.given(target));
}

torch::Tensor ViewPosterior::expected(const torch::Tensor& context, std::int64_t n) {
  return restored(sampler(n).posterior_mean_estimate(context, 1, stream_key(kFigureSeed, Purpose::posterior)))[0];
}

torch::Tensor ViewPosterior::samples(
    const torch::Tensor& context, std::int64_t n, std::int64_t first, std::int64_t count,
    const std::function<bool(std::int64_t step, const torch::Tensor& state)>& on_step) {
  bool ended = false;
  const auto reported = [&](std::int64_t step, const torch::Tensor& x) {
    ended = on_step && !on_step(step, restored(x[0]));
    return !ended;
  };
  const std::uint64_t key = stream_key(kFigureSeed + static_cast<std::uint64_t>(first), Purpose::posterior);
  const torch::Tensor z = sampler(n).sample_path(context, count, key, steps(), reported);
  return ended ? torch::Tensor() : restored(z[0]);
}

torch::Tensor ViewPosterior::truth(const render::SphereScene& scene, const render::Camera& target) const {
  return scene_picture(scene, target, views_.cast(), SceneBuffer::color);
}

const torch::Tensor& ViewPosterior::mean_image() {
  if (mean_image_.defined()) return mean_image_;
  std::vector<render::SphereScene> scenes;
  torch::Tensor cameras = at::empty({kPriorImages, 2}, torch::kFloat64);
  auto* angle = cameras.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < kPriorImages; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    scenes.push_back(render::draw_scene(kFigureSeed, Purpose::check, index, views_.spheres()));
    const render::Camera camera = render::draw_camera(kFigureSeed, Purpose::check, index, 0);
    angle[2 * i] = camera.azimuth;
    angle[2 * i + 1] = camera.elevation;
  }
  mean_image_ = render::cast_spheres(render::pack_scenes(scenes), cameras, at::arange(kPriorImages, torch::kInt64),
                                     views_.cast(), torch::kCPU)
                    .mean(0);
  return mean_image_;
}

}  // namespace pairs
