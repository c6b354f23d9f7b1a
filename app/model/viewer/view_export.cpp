#include "app/model/viewer/view_export.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "app/model/viewer/view_pictures.h"
#include "app/model/viewer/view_sheet.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/base/threads/latest_worker.h"
#include "core/report/animation.h"
#include "core/report/png.h"
#include "render/scene_picture.h"
#include "render/sphere_caster.h"
#include "render/sphere_scene_file.h"
#include "tasks/scene_views.h"

namespace pairs::model {
namespace {

constexpr std::int64_t kFrameSamples = 9;
constexpr std::int64_t kTruthSide = 400, kSmoothRays = 3;
constexpr double kGridScale = 2;

std::string sheet_title(std::int64_t n) {
  return fmt::format("N = {}", n);
}

}  // namespace

struct ViewExporter::Parts {
  explicit Parts(std::function<void()> wake_up)
      : wake(std::move(wake_up)), worker([this](const std::string& text) { end(text, {}); }) {}

  std::function<void()> wake;
  std::atomic<double> share{0};
  mutable std::mutex mutex;
  std::string failure;
  std::filesystem::path written;
  LatestWorker worker;  // last: ends first

  void end(const std::string& problem, const std::filesystem::path& file) {
    {
      const std::lock_guard lock(mutex);
      failure = problem;
      written = file;
    }
    wake();
  }
  void report(double done) {
    share = done;
    wake();
  }

  static void grid(const ExportRequest& e) {
    ViewSheet sheet{sheet_title(e.snapshot->n), e.info.name, e.truth, e.snapshot->mean, e.snapshot->spread,
                    e.snapshot->error,          {},          e.views, e.snapshot->n};
    for (const auto& path : e.snapshot->samples) sheet.samples.push_back(path.empty() ? nullptr : path.back());
    const Picture picture = draw_sheet(sheet, kGridScale);
    write_file(e.file, chart::encode_png(picture.width, picture.height, picture.rgb, kGridScale));
  }

  static torch::Tensor cameras_of(const ViewerRequest& request) {
    torch::Tensor cameras = at::empty({static_cast<std::int64_t>(request.views.size()), 2}, torch::kFloat64);
    auto* angle = cameras.mutable_data_ptr<double>();
    for (const render::Camera& camera : request.views) {
      *angle++ = camera.azimuth;
      *angle++ = camera.elevation;
    }
    return cameras;
  }
  static torch::Tensor images_of(const ViewerRequest& request, const SceneViews& views) {
    return render::cast_spheres(render::pack_scenes({request.scene}), cameras_of(request),
                                at::zeros({static_cast<std::int64_t>(request.views.size())}, torch::kInt64),
                                views.cast(), torch::kCPU);
  }

  static void views(const ExportRequest& e) {
    const ViewPosterior posterior(e.request.tasks, e.request.run, e.request.data, "cpu");
    const SceneViews& views = posterior.views();
    write_npz(e.file, {{"x", views.observations(images_of(e.request, views), cameras_of(e.request), e.request.target)},
                       {"given", views.given(e.request.target)},
                       {"cameras", cameras_of(e.request)}});
  }

  void animation(const ExportRequest& e, const LatestWorker::Stale& stale) {
    torch::NoGradGuard no_grad;
    check_writable(e.file);
    ViewPosterior posterior(e.request.tasks, e.request.run, e.request.data, e.request.device);
    const std::vector<std::int64_t> sizes =
        chart::film_sizes(static_cast<std::int64_t>(e.request.views.size()), posterior.sizes());
    PAIRS_CHECK(!sizes.empty(), "{} has no head for so few views; add more", e.info.name);
    ViewSheet sheet;
    sheet.note = posterior.loaded().name;
    sheet.truth = picture_of(scene_picture(e.request.scene, e.request.target,
                                           {.height = kTruthSide,
                                            .width = kTruthSide,
                                            .half_width = posterior.views().cast().half_width,
                                            .supersample = kSmoothRays},
                                           SceneBuffer::color));
    const torch::Tensor images = images_of(e.request, posterior.views());
    for (std::int64_t k = 0; k < images.size(0); ++k) sheet.views.push_back(picture_of(images[k]));
    const torch::Tensor truth = posterior.truth(e.request.scene, e.request.target);
    ViewEmbeddings& embeddings = posterior.embeddings();
    embeddings.show(e.request.scene, e.request.target);
    std::unique_ptr<chart::WebpAnimation> film;
    for (std::size_t f = 0; f < sizes.size(); ++f) {
      const auto done = [&](double part) {
        report((static_cast<double>(f) + part) / static_cast<double>(sizes.size()));
      };
      const std::int64_t n = sizes[f];
      const std::span<const render::Camera> used(e.request.views.data(), static_cast<std::size_t>(n));
      if (embeddings.embed(used, [&] { return !stale(); }) < used.size()) throw Stopped();
      const torch::Tensor context = posterior.context(embeddings.aggregate(used), n, e.request.target);
      const torch::Tensor samples = posterior.samples(context, n, 0, kFrameSamples, [&](std::int64_t step, auto&) {
        done(static_cast<double>(step) / static_cast<double>(posterior.steps()));
        return !stale();
      });
      if (!samples.defined()) throw Stopped();
      sheet.title = sheet_title(n);
      sheet.n = n;
      sheet.samples.clear();
      for (std::int64_t k = 0; k < kFrameSamples; ++k) sheet.samples.push_back(picture_of(samples[k]));
      sheet.mean = picture_of(samples.mean(0));
      sheet.spread = heat_picture(spread_of(samples));
      sheet.error = heat_picture(error_of(samples.mean(0), truth));
      const Picture picture = draw_sheet(sheet, 1);
      if (!film) film = std::make_unique<chart::WebpAnimation>(picture.width, picture.height);
      film->add(picture.rgb, chart::frame_milliseconds(f + 1 == sizes.size()));
    }
    if (stale()) throw Stopped();
    write_file(e.file, film->finish());
  }

  void work(const ExportRequest& e, const LatestWorker::Stale& stale) {
    switch (e.kind) {
      case ViewerExport::grid:
        grid(e);
        break;
      case ViewerExport::animation:
        animation(e, stale);
        break;
      case ViewerExport::views:
        views(e);
        break;
      case ViewerExport::scene:
        render::write_scene(e.file, e.request.scene);
        break;
    }
    end("", e.file);
  }
};

ViewExporter::ViewExporter(std::function<void()> wake) : parts_(std::make_unique<Parts>(std::move(wake))) {}
ViewExporter::~ViewExporter() = default;

void ViewExporter::start(ExportRequest request) {
  parts_->share = 0;
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->failure.clear();
    parts_->written.clear();
  }
  parts_->worker.request(
      [p = parts_.get(), request = std::move(request)](const LatestWorker::Stale& stale) { p->work(request, stale); });
}

void ViewExporter::cancel() {
  parts_->worker.cancel();
}

bool ViewExporter::busy() const {
  return parts_->worker.busy();
}

double ViewExporter::share() const {
  return parts_->share.load();
}

std::string ViewExporter::failure() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->failure;
}

std::filesystem::path ViewExporter::take_written() {
  const std::lock_guard lock(parts_->mutex);
  return std::exchange(parts_->written, {});
}

bool ViewExporter::wait(double seconds) {
  return parts_->worker.wait(seconds);
}

}  // namespace pairs::model
