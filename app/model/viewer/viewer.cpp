#include "app/model/viewer/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/model/viewer/same_scene.h"
#include "app/model/viewer/viewer_state.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"
#include "tasks/registry.h"

namespace pairs::model {
namespace {

constexpr std::int64_t kFirstViews = 10;
constexpr int kLeastSide = 32, kMostSide = 512;

}  // namespace

const char* export_ending(ViewerExport kind) {
  constexpr const char* kEndings[] = {".png", ".webp", ".npz", ".toml"};
  return kEndings[static_cast<std::size_t>(kind)];
}

Viewer::Viewer(Hub& hub) : PosteriorPage(kFirstViews), state_(std::make_unique<ViewerState>(hub, player_)) {
  ViewerState& s = *state_;
  s.request.target = {30 * kViewerDegree, 40 * kViewerDegree};
  s.draw_scene();
  s.draw_views(s.info.most);
  s.player.set_range(s.count());
  s.request.n = s.player.n();
}
Viewer::~Viewer() = default;

void Viewer::open(const std::string& run) {
  ViewerState& s = *state_;
  if (s.open && run == s.request.run) return;
  s.open = true;
  s.request.run = run;
  reload();
}

void Viewer::close() {
  ViewerState& s = *state_;
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
  ViewerState& s = *state_;
  ++s.request.load;
  s.result = ViewerResult();
  if (s.request.run.empty())
    s.take_info();
  else
    s.ask();
}

std::optional<std::string> Viewer::open_data(const LookedPath& looked) {
  const std::string ending = looked.path.extension().string();
  if (ending == ".toml") return scene.open(looked.path);
  if (ending == ".csv" || ending == ".npz" || ending == ".npy" || looked.images || looked.cameras)
    return views_refusal(looked.path, run().empty() ? task_in_role(TaskRole::views) : run());
  return std::nullopt;
}

Question Viewer::question() const {
  return {.n = n()};
}

void Viewer::restore(const Question& question) {
  if (question.n > 0) set_n(question.n);
}

void Viewer::new_set() {
  scene.choose_seed(state_->seed + 1);
}

bool Viewer::ready() const {
  return state_->ready();
}

void Viewer::follow_player() {
  state_->follow_player();
}

void Viewer::set_samples(std::int64_t count) {
  ViewerState& s = *state_;
  if (count == s.request.samples || count < 1) return;
  s.request.samples = count;
  s.ask_samples();
}
std::int64_t Viewer::samples() const {
  return state_->request.samples;
}

void Viewer::set_truth_side(int pixels) {
  ViewerState& s = *state_;
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
  const ViewerState& s = *state_;
  std::string place = std::to_string(s.seed);
  if (s.info.spheres != 3) place += fmt::format(" --spheres {}", s.info.spheres);
  if (s.edited) {
    if (s.scene_file.empty() || !same_scene(s.saved_scene, s.request.scene)) {
      if (why)
        *why = "The scene was changed by hand: save it first (Export, scene file), so that the command can read it";
      return "";
    }
    place = shell_word(s.scene_file.string());
  }
  return fmt::format("pairs --batch render --scene {} --camera {:.6g},{:.6g} --size 512x512{} --out view.png", place,
                     s.request.target.azimuth / kViewerDegree, s.request.target.elevation / kViewerDegree,
                     s.info.half_width == 1.5 ? "" : fmt::format(" --half-width {}", s.info.half_width));
}

std::string Viewer::infer_command(std::string* why) const {
  const ViewerState& s = *state_;
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

bool Viewer::poll() {
  ViewerState& s = *state_;
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
  const ViewerState& s = *state_;
  if (s.export_under_way && s.exporting.kind == ViewerExport::animation)
    return fmt::format("saving the animation, {}", percent_text(s.exporter.share()));
  return s.background.activity();
}

bool Viewer::wait(double seconds) {
  ViewerState& s = *state_;
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
