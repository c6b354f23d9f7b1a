#include "app/model/viewer/view_caster.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "app/model/viewer/same_scene.h"
#include "app/model/viewer/view_pictures.h"
#include "core/base/threads/latest_worker.h"
#include "core/base/threads/one_thread.h"
#include "render/scene_picture.h"
#include "render/sphere_caster.h"
#include "render/sphere_scene.h"

namespace pairs::model {
namespace {

constexpr std::int64_t kSmooth = 3;  // rays along a pixel's side

PicturePointer cast_one(const CastRequest& request, const render::Camera& camera, std::int64_t side,
                        std::int64_t rays) {
  return picture_of(scene_picture(
      request.scene, camera, {.height = side, .width = side, .half_width = request.half_width, .supersample = rays},
      SceneBuffer::color));
}

}  // namespace

struct ViewCaster::Parts {
  explicit Parts(std::function<void()> wake_up) : wake(std::move(wake_up)), worker([](const std::string&) {}) {}

  // State of the worker's thread: the last ray-cast views.
  CastRequest last;
  std::vector<PicturePointer> pictures;

  std::function<void()> wake;
  mutable std::mutex mutex;
  CastResult result;
  std::atomic<std::uint64_t> version{0};
  LatestWorker worker;  // last: ends first

  template <class F>
  void publish(F&& change) {
    {
      const std::lock_guard lock(mutex);
      change(result);
      version.store(++result.version);
    }
    wake();
  }

  void cast_views(const CastRequest& request) {
    const bool kept = same_scene(request.scene, last.scene) && request.view_side == last.view_side &&
                      request.half_width == last.half_width;
    std::vector<PicturePointer> made(request.views.size());
    std::vector<std::size_t> missing;
    for (std::size_t k = 0; k < made.size(); ++k) {
      const auto same = [&](const render::Camera& camera) { return same_camera(camera, request.views[k]); };
      const auto known = std::find_if(last.views.begin(), last.views.end(), same);
      if (kept && known != last.views.end())
        made[k] = pictures[static_cast<std::size_t>(known - last.views.begin())];
      else
        missing.push_back(k);
    }
    torch::Tensor cameras = at::empty({static_cast<std::int64_t>(missing.size()), 2}, torch::kFloat64);
    auto* angle = cameras.mutable_data_ptr<double>();
    for (const std::size_t k : missing) {
      *angle++ = request.views[k].azimuth;
      *angle++ = request.views[k].elevation;
    }
    const torch::Tensor images = render::cast_spheres(
        render::pack_scenes({request.scene}), cameras, at::zeros({cameras.size(0)}, torch::kInt64),
        {.height = request.view_side, .width = request.view_side, .half_width = request.half_width}, torch::kCPU);
    for (std::size_t i = 0; i < missing.size(); ++i)
      made[missing[i]] = picture_of(images[static_cast<std::int64_t>(i)]);
    pictures = std::move(made);
    last = request;
    publish([&](CastResult& n) { n.views = pictures; });
  }

  void work(const CastRequest& request, const LatestWorker::Stale& stale) {
    const OneThread alone;
    const PicturePointer quick = cast_one(request, request.target, request.truth_side, 1);
    publish([&](CastResult& n) { n.truth = quick; });
    cast_views(request);
    if (stale()) return;
    const PicturePointer smooth = cast_one(request, request.target, request.truth_side, kSmooth);
    if (!stale()) publish([&](CastResult& n) { n.truth = smooth; });
  }
};

ViewCaster::ViewCaster(std::function<void()> wake) : parts_(std::make_unique<Parts>(std::move(wake))) {}
ViewCaster::~ViewCaster() = default;

void ViewCaster::request(CastRequest request) {
  parts_->worker.request(
      [p = parts_.get(), request = std::move(request)](const LatestWorker::Stale& stale) { p->work(request, stale); });
}

void ViewCaster::cancel() {
  parts_->worker.cancel();
}

CastResult ViewCaster::result() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->result;
}

std::uint64_t ViewCaster::version() const {
  return parts_->version.load();
}

bool ViewCaster::busy() const {
  return parts_->worker.busy();
}

bool ViewCaster::wait(double seconds) {
  return parts_->worker.wait(seconds);
}

}  // namespace pairs::model
