#pragma once

#include <filesystem>
#include <numbers>
#include <string>
#include <utility>

#include "app/model/hub/background.h"
#include "app/model/hub/n_player.h"
#include "app/model/viewer/view_caster.h"
#include "app/model/viewer/view_export.h"
#include "app/model/viewer/viewer.h"
#include "app/model/viewer/viewer_engine.h"
#include "render/scene_edit.h"
#include "render/sphere_scene.h"

namespace pairs::model {

inline constexpr double kViewerDegree = std::numbers::pi / 180;  // in radians
inline constexpr std::int64_t kFirstViewerSeed = 1;

// The requests and results of the viewer and its parts.
struct ViewerState {
  ViewerState(Hub& shared, NPlayer& n)
      : hub(shared), player(n), caster([this] { hub.wake(); }), exporter([this] { hub.wake(); }), background(shared) {}

  Hub& hub;
  bool open = false;
  ViewerRequest request;
  std::uint64_t next_view = 0;  // item of the next camera of the prior
  std::int64_t seed = kFirstViewerSeed;
  bool edited = false;
  std::size_t selected = 0;
  NPlayer& player;
  ViewerInfo info;
  ViewerResult result;
  CastResult cast;
  std::uint64_t cast_seen = 0;
  int truth_side = 256;
  // The last saved files, for commands.
  std::filesystem::path scene_file, views_file, exported;
  render::SphereScene saved_scene;
  ViewerRequest saved_views;
  ExportRequest exporting;
  bool export_under_way = false;
  std::string export_failure;
  ViewCaster caster;
  ViewExporter exporter;
  Background<ViewerEngine, ViewerRequest> background;

  std::int64_t count() const { return static_cast<std::int64_t>(request.views.size()); }

  void ask_samples() {
    if (!open || request.run.empty()) return background.cancel();
    request.tasks = hub.tasks;
    request.data = hub.data_folder.string();
    request.device = hub.device;
    background.request(request);
  }
  void ask_pictures() {
    if (!open) return caster.cancel();
    caster.request({request.scene, request.target, request.views, truth_side, info.size, info.half_width});
  }
  void ask() {
    player.set_range(count(), info.sizes);
    request.n = player.n();
    ask_pictures();
    ask_samples();
  }

  // Call when the player's N may have changed.
  void follow_player() {
    if (player.n() == request.n) return;
    request.n = player.n();
    ask_samples();
  }
  // While playing, each N is shown before the next one.
  bool ready() const {
    return request.run.empty() || !result.failure.empty() || !background.busy() ||
           (result.snapshot && result.snapshot->n == request.n);
  }

  void draw_scene() {
    request.scene = render::draw_scene(static_cast<std::uint64_t>(seed), Purpose::explore, 0, info.spheres);
    edited = false;
    selected = std::min(selected, request.scene.spheres.size() - 1);
  }
  render::Camera draw_view() {
    return render::draw_camera(static_cast<std::uint64_t>(seed), Purpose::explore, 0, next_view++);
  }
  void draw_views(std::int64_t wanted) {
    request.views.clear();
    next_view = 0;
    while (count() < wanted) request.views.push_back(draw_view());
  }

  void change_scene(std::size_t kept) {
    render::settle_scene(request.scene, kept);
    edited = true;
    ask();
  }

  void take_info() {
    info = result.info ? *result.info : ViewerInfo();
    if (count() > info.most) request.views.resize(static_cast<std::size_t>(info.most));
    if (static_cast<std::int64_t>(request.scene.spheres.size()) != info.spheres) draw_scene();
    ask();
  }

  void take_export() {
    if (!export_under_way || exporter.busy()) return;
    export_under_way = false;
    exported = exporter.take_written();
    export_failure = exporter.failure();
    const std::string name = exporting.file.filename().string();
    if (!export_failure.empty()) {
      hub.messages.error("export", export_failure);
    } else if (!exported.empty()) {
      hub.messages.saved(exported);
      if (exporting.kind == ViewerExport::scene) {
        scene_file = exported;
        saved_scene = exporting.request.scene;
      }
      if (exporting.kind == ViewerExport::views) {
        views_file = exported;
        saved_views = exporting.request;
      }
    }
    exporting = {};
  }
};

}  // namespace pairs::model
