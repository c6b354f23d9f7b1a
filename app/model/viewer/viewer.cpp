#include "app/model/viewer/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/kinds/range_text.h"
#include "app/model/hub/background.h"
#include "app/model/hub/n_player.h"
#include "app/model/viewer/same_scene.h"
#include "app/model/viewer/view_caster.h"
#include "app/model/viewer/view_export.h"
#include "app/model/viewer/viewer_engine.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"
#include "render/scene_edit.h"
#include "render/sphere_scene.h"
#include "render/sphere_scene_file.h"
#include "tasks/registry.h"
#include "tasks/view_folder.h"

namespace pairs::model {
namespace {

using std::numbers::pi;

constexpr double kDegree = pi / 180;
constexpr std::int64_t kFirstViews = 10, kFirstSeed = 1;
constexpr int kLeastSide = 32, kMostSide = 512;
constexpr double kHair = 1e-9;

bool in_range(double x, const render::Range& range) {
  return x >= range.low - kHair && x <= range.high + kHair;
}

bool vivid(const double color[3]) {
  const double least = render::scene_prior.vivid.low;
  const auto [low, high] = std::minmax({color[0], color[1], color[2]});
  return high >= least - kHair && low <= (1 - least) * high + kHair;
}

double within_turn(double angle) {
  return std::isfinite(angle) ? angle - 2 * pi * std::floor(angle / (2 * pi)) : 0;
}

}  // namespace

const char* export_ending(ViewerExport kind) {
  constexpr const char* kEndings[] = {".png", ".webp", ".npz", ".toml"};
  return kEndings[static_cast<std::size_t>(kind)];
}

struct Viewer::State {
  State(Hub& shared, NPlayer& n)
      : hub(shared), player(n), caster([this] { hub.wake(); }), exporter([this] { hub.wake(); }), background(shared) {}

  Hub& hub;
  bool open = false;
  ViewerRequest request;
  std::uint64_t next_view = 0;  // item of the next camera of the prior
  std::int64_t seed = kFirstSeed;
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

Viewer::Viewer(Hub& hub) : PosteriorPage(kFirstViews), state_(std::make_unique<State>(hub, player_)) {
  State& s = *state_;
  s.request.target = {30 * kDegree, 40 * kDegree};
  s.draw_scene();
  s.draw_views(s.info.most);
  s.player.set_range(s.count());
  s.request.n = s.player.n();
}
Viewer::~Viewer() = default;

void Viewer::open(const std::string& run) {
  State& s = *state_;
  if (s.open && run == s.request.run) return;
  s.open = true;
  s.request.run = run;
  reload();
}

void Viewer::close() {
  State& s = *state_;
  if (!s.open) return;
  s.open = false;
  s.player.stop();
  s.background.cancel();
  s.caster.cancel();
}

const std::string& Viewer::run() const {
  return state_->request.run;
}

void Viewer::reload() {
  State& s = *state_;
  ++s.request.load;
  s.result = ViewerResult();
  if (s.request.run.empty())
    s.take_info();
  else
    s.ask();
}

std::optional<std::string> Viewer::open_data(const std::filesystem::path& path, bool images) {
  const std::string ending = path.extension().string();
  std::error_code error;
  if (ending == ".toml") return open_scene(path);
  if (ending == ".csv" || ending == ".npz" || ending == ".npy" || images || std::filesystem::exists(path / kCamerasFile, error))
    return views_refusal(path, run().empty() ? task_in_role(TaskRole::views) : run());
  return std::nullopt;
}

Question Viewer::question() const {
  return {.n = n()};
}

void Viewer::restore(const Question& question) {
  if (question.n > 0) set_n(question.n);
}

void Viewer::new_set() {
  set_seed(state_->seed + 1);
}

void Viewer::set_seed(std::int64_t seed) {
  State& s = *state_;
  s.seed = std::max<std::int64_t>(seed, 0);
  s.draw_scene();
  s.draw_views(s.count());
  s.ask();
}

std::int64_t Viewer::seed() const {
  return state_->seed;
}
bool Viewer::edited() const {
  return state_->edited;
}
const render::SphereScene& Viewer::scene() const {
  return state_->request.scene;
}

void Viewer::set_sphere(std::size_t k, const render::Sphere& sphere) {
  State& s = *state_;
  if (k >= s.request.scene.spheres.size()) return;
  s.request.scene.spheres[k] = sphere;
  s.change_scene(k);
}

void Viewer::set_light(double azimuth, double elevation) {
  State& s = *state_;
  s.request.scene.light_azimuth = azimuth;
  s.request.scene.light_elevation = elevation;
  s.change_scene(s.request.scene.spheres.size());
}

void Viewer::set_background(const double color[3]) {
  State& s = *state_;
  std::copy(color, color + 3, s.request.scene.background);
  s.change_scene(s.request.scene.spheres.size());
}

std::optional<std::size_t> Viewer::sphere_at(double u, double v) const {
  const State& s = *state_;
  const render::CameraBasis basis = render::camera_basis(s.request.target.azimuth, s.request.target.elevation);
  std::optional<std::size_t> nearest;
  double least = INFINITY;
  for (std::size_t k = 0; k < s.request.scene.spheres.size(); ++k) {
    const render::Sphere& sphere = s.request.scene.spheres[k];
    const double across = u * s.info.half_width - render::dot3(sphere.center, basis.right);
    const double up = v * s.info.half_width - render::dot3(sphere.center, basis.up);
    const double rest = sphere.radius * sphere.radius - across * across - up * up;
    if (rest <= 0) continue;
    const double depth = render::dot3(sphere.center, basis.forward) - std::sqrt(rest);
    if (depth >= least) continue;
    least = depth;
    nearest = k;
  }
  return nearest;
}

void Viewer::move_sphere(std::size_t k, const render::Sphere& from, double du, double dv, double away) {
  State& s = *state_;
  const render::CameraBasis basis = render::camera_basis(s.request.target.azimuth, s.request.target.elevation);
  render::Sphere sphere = from;
  for (int c = 0; c < 3; ++c)
    sphere.center[c] += s.info.half_width * (du * basis.right[c] + dv * basis.up[c] + away * basis.forward[c]);
  set_sphere(k, sphere);
}

std::string Viewer::open_scene(const std::filesystem::path& file) {
  State& s = *state_;
  try {
    render::SphereScene scene = render::read_scene(file);
    const auto spheres = static_cast<std::int64_t>(scene.spheres.size());
    if (spheres != s.info.spheres)
      return fmt::format("{} has {} sphere{}, and the scenes of this run have {}", file.string(), spheres,
                         spheres == 1 ? "" : "s", s.info.spheres);
    s.scene_file = std::filesystem::absolute(file);
    s.saved_scene = scene;
    s.request.scene = std::move(scene);
    s.change_scene(s.request.scene.spheres.size());
    return "";
  } catch (const std::exception& error) {
    return sentence(error);
  }
}

void Viewer::undo_edits() {
  State& s = *state_;
  if (!s.edited) return;
  s.draw_scene();
  s.ask();
}

void Viewer::set_selected(std::size_t k) {
  state_->selected = std::min(k, state_->request.scene.spheres.size() - 1);
}
std::size_t Viewer::selected() const {
  return state_->selected;
}

const std::vector<render::Camera>& Viewer::views() const {
  return state_->request.views;
}

void Viewer::add_view() {
  State& s = *state_;
  if (!add_blocked().empty()) return;
  s.request.views.push_back(s.draw_view());
  s.ask();
}

void Viewer::fill_views() {
  State& s = *state_;
  if (!add_blocked().empty()) return;
  while (s.count() < s.info.most) s.request.views.push_back(s.draw_view());
  s.ask();
}

void Viewer::remove_view(std::size_t k) {
  State& s = *state_;
  if (k >= s.request.views.size()) return;
  s.request.views.erase(s.request.views.begin() + static_cast<std::ptrdiff_t>(k));
  s.ask();
}

void Viewer::clear_views() {
  State& s = *state_;
  s.request.views.clear();
  s.ask();
}

std::string Viewer::add_blocked() const {
  const State& s = *state_;
  if (s.count() < s.info.most) return "";
  return fmt::format("A set holds at most {} views; click one to remove it", s.info.most);
}

bool Viewer::ready() const {
  return state_->ready();
}

void Viewer::follow_player() {
  state_->follow_player();
}

const render::Camera& Viewer::target() const {
  return state_->request.target;
}

void Viewer::set_target(const render::Camera& camera) {
  State& s = *state_;
  const double elevation = std::isfinite(camera.elevation) ? camera.elevation : s.request.target.elevation;
  const render::Camera next = {within_turn(camera.azimuth), std::clamp(elevation, kElevationLow, kElevationHigh)};
  if (same_camera(next, s.request.target)) return;
  s.request.target = next;
  s.ask();
}

void Viewer::orbit(double azimuth, double elevation) {
  const render::Camera& target = state_->request.target;
  set_target({target.azimuth + azimuth, target.elevation + elevation});
}

std::string Viewer::beyond() const {
  const State& s = *state_;
  const render::SphereScene& scene = s.request.scene;
  const render::ScenePrior& prior = render::scene_prior;
  std::vector<std::string> parts;
  if (!in_range(s.request.target.elevation, prior.camera_elevation))
    parts.push_back(fmt::format("a camera {:.0f}° high ({})", s.request.target.elevation / kDegree,
                                degrees_text(prior.camera_elevation)));
  if (!in_range(scene.light_elevation, prior.light_elevation))
    parts.push_back(
        fmt::format("a light {:.0f}° high ({})", scene.light_elevation / kDegree, degrees_text(prior.light_elevation)));
  if (!std::all_of(scene.background, scene.background + 3, [&](double c) { return in_range(c, prior.background); }))
    parts.push_back(fmt::format("this background ({})", range_text(prior.background)));
  if (!std::all_of(scene.spheres.begin(), scene.spheres.end(),
                   [](const render::Sphere& sphere) { return vivid(sphere.color); }))
    parts.push_back("colors as pale or dark as these");
  if (parts.empty()) return "";
  std::string list = parts[0];
  for (std::size_t k = 1; k < parts.size(); ++k) list += (k + 1 == parts.size() ? " and " : ", ") + parts[k];
  return fmt::format("Training never saw {}: the samples may be wrong", list);
}

void Viewer::set_samples(std::int64_t count) {
  State& s = *state_;
  if (count == s.request.samples || count < 1) return;
  s.request.samples = count;
  s.ask_samples();
}
std::int64_t Viewer::samples() const {
  return state_->request.samples;
}

void Viewer::set_truth_side(int pixels) {
  State& s = *state_;
  pixels = std::clamp(pixels, kLeastSide, kMostSide);
  if (pixels == s.truth_side) return;
  s.truth_side = pixels;
  s.ask_pictures();
}

PicturePointer Viewer::truth() const {
  return state_->cast.truth;
}
const std::vector<PicturePointer>& Viewer::view_pictures() const {
  return state_->cast.views;
}
const ViewerInfo& Viewer::info() const {
  return state_->info;
}
bool Viewer::loaded() const {
  return state_->result.info != nullptr;
}
std::shared_ptr<const ViewerSnapshot> Viewer::shown() const {
  return state_->result.snapshot;
}
const std::string& Viewer::failure() const {
  return state_->result.failure;
}

std::string Viewer::render_command(std::string* why) const {
  const State& s = *state_;
  std::string scene = std::to_string(s.seed);
  if (s.info.spheres != 3) scene += fmt::format(" --spheres {}", s.info.spheres);
  if (s.edited) {
    if (s.scene_file.empty() || !same_scene(s.saved_scene, s.request.scene)) {
      if (why)
        *why = "The scene was changed by hand: save it first (Export, scene file), so that the command can read it";
      return "";
    }
    scene = shell_word(s.scene_file.string());
  }
  return fmt::format("pairs --batch render --scene {} --camera {:.6g},{:.6g} --size 512x512{} --out view.png", scene,
                     s.request.target.azimuth / kDegree, s.request.target.elevation / kDegree,
                     s.info.half_width == 1.5 ? "" : fmt::format(" --half-width {}", s.info.half_width));
}

std::string Viewer::infer_command(std::string* why) const {
  const State& s = *state_;
  const auto refuse = [&](const char* reason) {
    if (why) *why = reason;
    return std::string();
  };
  if (s.request.run.empty()) return refuse("There are no trained weights");
  if (s.request.n < 1) return refuse("There is no view: add one");
  const ViewerRequest& saved = s.saved_views;
  if (s.views_file.empty() || saved.run != s.request.run || !same_scene(saved.scene, s.request.scene) ||
      !same_camera(saved.target, s.request.target) || saved.views.size() < static_cast<std::size_t>(s.request.n) ||
      !std::equal(s.request.views.begin(), s.request.views.begin() + s.request.n, saved.views.begin(), same_camera))
    return refuse("Save these views first (Export, views), so that the command can read them");
  return fmt::format("pairs --batch infer {} --data {} --n {} --samples {}{}{}", shell_word(s.request.run),
                     shell_word(s.views_file.string()), s.request.n, std::max<std::int64_t>(s.request.samples, 2),
                     s.request.n > s.info.trained ? " --force" : "",
                     s.hub.device == "auto" ? "" : " --device " + shell_word(s.hub.device));
}

std::string Viewer::export_blocked(ViewerExport kind) const {
  const State& s = *state_;
  if (s.export_under_way) return "Another export is under way";
  if (kind == ViewerExport::scene) return "";
  if (s.request.run.empty() || !s.result.info) return "There are no trained weights whose samples could be saved";
  if (s.request.n < 1) return "There is no view: add one";
  if (kind == ViewerExport::grid &&
      (!s.result.snapshot || s.result.snapshot->n != s.request.n || s.result.snapshot->finished < s.request.samples))
    return "Samples are still being drawn; wait a moment";
  return "";
}

void Viewer::start_export(ViewerExport kind, const std::filesystem::path& file) {
  State& s = *state_;
  if (!export_blocked(kind).empty()) return;
  s.exporting = {kind, file, s.request, s.info, s.result.snapshot, s.cast.truth, s.cast.views};
  s.export_failure.clear();
  s.exported.clear();
  s.export_under_way = true;
  s.exporter.start(s.exporting);
}

void Viewer::cancel_export() {
  state_->exporter.cancel();
}
bool Viewer::exporting() const {
  return state_->export_under_way;
}
double Viewer::export_share() const {
  return state_->exporter.share();
}
const std::string& Viewer::export_failure() const {
  return state_->export_failure;
}
std::filesystem::path Viewer::take_exported() {
  return std::exchange(state_->exported, {});
}

bool Viewer::poll() {
  State& s = *state_;
  bool changed = play();
  if (std::string failure = s.background.take_failure(); !failure.empty()) {
    s.result.failure = std::move(failure);
    changed = true;
  }
  if (s.caster.version() != s.cast_seen) {
    s.cast = s.caster.result();
    s.cast_seen = s.cast.version;
    changed = true;
  }
  if (s.export_under_way) {
    s.take_export();
    changed = true;
  }
  std::optional<ViewerResult> result = s.background.take();
  if (!result || result->load != s.request.load) return changed;
  if (!result->failure.empty() && result->failure != s.result.failure)
    s.hub.messages.error("posterior", result->failure);
  const bool other = result->info != s.result.info;
  s.result = std::move(*result);
  if (other && s.result.info) s.take_info();
  return true;
}

bool Viewer::busy() const {
  return state_->background.busy() || state_->caster.busy() || state_->export_under_way;
}

std::string Viewer::activity() const {
  const State& s = *state_;
  if (s.export_under_way && s.exporting.kind == ViewerExport::animation)
    return fmt::format("saving the animation, {}", percent_text(s.exporter.share()));
  return s.background.activity();
}

bool Viewer::wait(double seconds) {
  State& s = *state_;
  const Stopwatch watch;
  for (;;) {
    const auto left = [&] { return std::max(seconds - watch.seconds(), 0.0); };
    if (!s.background.wait(left()) || !s.caster.wait(left()) || !s.exporter.wait(left())) return false;
    poll();
    // Later requests may have finished in the meantime.
    if (!busy() && !s.background.fresh()) return true;
  }
}

}  // namespace pairs::model
