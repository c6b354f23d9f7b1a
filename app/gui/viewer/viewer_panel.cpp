#include "app/gui/viewer/viewer_panel.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/gui/viewer/viewer_dome.h"
#include "app/gui/viewer/viewer_editor.h"
#include "app/gui/viewer/viewer_export_dialog.h"
#include "app/gui/viewer/viewer_strip.h"
#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/n_row.h"
#include "app/gui/widgets/picture_textures.h"
#include "app/gui/widgets/ui.h"
#include "app/kinds/target/heat_map.h"
#include "app/model/viewer/average_error.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::PicturePointer;
using model::Viewer;
using model::ViewerSnapshot;

constexpr float kColumnGap = 20, kLeastTruth = 160, kLeastMiddle = 248, kMostTruth = 512, kLeastSettings = 224,
                kMostSettings = 288;
constexpr float kHead = 22, kSmallGap = 8, kPending = 0.4f;
constexpr double kTruthOrbitPerPixel = 0.008, kWheelRadius = 0.02, kWheelDepth = 0.06, kWatchSeconds = 3;

// A picture's name above it, with a note at the right end if there is space.
void caption(ImVec2 at, float width, const std::string& title, const std::string& note = "") {
  ui::text_at(at, title, ui::Look::small_strong, width);
  const float used = ui::text_size(title, ui::Look::small_strong).x + px(12);
  const float wide = ui::text_size(note, ui::Look::small_muted).x;
  if (!note.empty() && used + wide <= width) ui::text_at({at.x + width - wide, at.y}, note, ui::Look::small_muted);
}

void record_picture(const std::string& name, ImVec2 min, ImVec2 max) {
  recorder().add(name, ItemKind::plot, min, max);
}

// In thousandths, to three figures.
std::string thousandths(double mse) {
  if (!std::isfinite(mse)) return "–";
  const double value = 1000 * mse;
  return number_text(value, value < 10 ? 2 : 1);
}

std::string share_of(double value, double whole) {
  if (!std::isfinite(value) || !(whole > 0)) return "–";
  return fmt::format("{:.0f} %", 100 * value / whole);
}

// A row of the table of errors: a value, and its share of another.
void error_line(ui::Look look, const std::string& title, const std::string& value, const std::string& part) {
  const float width = ImGui::GetContentRegionAvail().x, share = px(44);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, px(21) - ImGui::GetStyle().ItemSpacing.y});
  const float value_at = at.x + width - share - ui::text_size(value, look).x;
  ui::text_at({value_at, at.y}, value, look);
  ui::text_at({at.x + width - ui::text_size(part, ui::Look::small_muted).x, at.y}, part, ui::Look::small_muted);
  ui::text_at(at, title, look == ui::Look::small ? look : ui::Look::small_strong, value_at - at.x - px(6));
}

}  // namespace

struct ViewerPanel::State {
  NRow head{"viewer"};
  PictureTextures textures;
  ViewerStrip strip;
  ViewerDome dome;
  ViewerEditor editor;
  ViewerExportDialog dialog;
  std::optional<std::size_t> pointed;  // the view under the mouse in the last frame
  // The object of a drag in the true view: a sphere at its start, or else the camera.
  std::optional<std::size_t> held;
  render::Sphere held_from;
  ImVec2 held_at;
  double step = -1;  // the shown step from noise to image; below zero: the image
  bool watching = false;
  std::int64_t zoomed = -1;   // the enlarged sample
  float settings_height = 0;  // of numbers and settings in the last frame

  void n_row(Viewer& viewer);
  void messages(Viewer& viewer);
  void truth(Viewer& viewer, float side);
  void samples(Viewer& viewer, float side);
  void way(Viewer& viewer, float width);
  void pictures(Viewer& viewer, float width);
  void numbers(Viewer& viewer);
  void average(const Viewer& viewer, const model::Scores* scores, bool unscored);
  void count(Viewer& viewer);
  void commands(Viewer& viewer);
};

ViewerPanel::ViewerPanel() : state_(std::make_unique<State>()) {}
ViewerPanel::~ViewerPanel() = default;

void ViewerPanel::State::n_row(Viewer& viewer) {
  NRow::Shown now;
  now.n = viewer.n();
  now.most = std::max<std::int64_t>(1, static_cast<std::int64_t>(viewer.cameras.observed().size()));
  now.playing = viewer.playing();
  now.loop = viewer.loop();
  now.other = "New scene";
  now.other_tip = "Next simulated scene, with its own cameras (Ctrl+N)";
  now.n_tip = "How many of the observed views are used";
  if (now.most < 2) now.blocked = "There are fewer than two views: add some";
  const char* save = "Export…";
  now.room = ui::button_width(save);
  const NRow::Asked asked = head.draw(now);
  if (asked.play) viewer.toggle_play();
  if (asked.n) viewer.set_n(*asked.n);
  for (int k = 0; k < std::abs(asked.steps); ++k) viewer.step_n(asked.steps > 0 ? 1 : -1);
  if (asked.other) viewer.new_set();
  if (asked.loop) viewer.set_loop(*asked.loop);
  ImGui::SameLine(0, px(8));
  if (ui::button("viewer/export", save, ui::Button::normal, "",
                 "Saves a picture, an animation of growing N, the views or the scene (Ctrl+S)"))
    dialog.ask(viewer);
}

void ViewerPanel::State::messages(Viewer& viewer) {
  int k = 0;
  const auto warn = [&](const std::string& text) {
    ui::notice(fmt::format("viewer/warning{}", k++), ui::Look::warning, text);
  };
  for (const std::string& text : viewer.info().warnings) warn(text);
  if (const auto shown = viewer.shown())
    for (const std::string& text : shown->warnings) warn(text);
}

// The scene from the target camera, live. Spheres can be dragged, and so can the camera.
void ViewerPanel::State::truth(Viewer& viewer, float side) {
  const render::Camera& target = viewer.cameras.target();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  caption(at, side, "Truth, live",
          fmt::format("azimuth {:.0f}°, elevation {:.0f}°", target.azimuth * 180 / std::numbers::pi,
                      target.elevation * 180 / std::numbers::pi));
  ImGui::SetCursorScreenPos({at.x, at.y + px(kHead)});
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + side, min.y + side};
  ImGui::InvisibleButton("viewer/truth", {side, side});
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  record_picture("viewer/truth", min, max);
  viewer.set_truth_side(static_cast<int>(std::lround(side)));
  textures.draw(viewer.truth(), min, max);

  const ImGuiIO& io = ImGui::GetIO();
  const float half = side / 2;
  const ImVec2 middle = {min.x + half, min.y + half};
  const auto under = [&](ImVec2 mouse) {
    return viewer.scene.sphere_at(static_cast<double>((mouse.x - middle.x) / half),
                                  static_cast<double>((middle.y - mouse.y) / half));
  };
  if (ImGui::IsItemActivated()) {
    held = under(io.MousePos);
    held_at = io.MousePos;
    if (held) {
      viewer.scene.select(*held);
      held_from = viewer.scene.shown().spheres[*held];
    }
  }
  if (active && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    if (held && *held < viewer.scene.shown().spheres.size())
      viewer.scene.move_sphere(*held, held_from, static_cast<double>((io.MousePos.x - held_at.x) / half),
                               static_cast<double>((held_at.y - io.MousePos.y) / half));
    else if (!held)
      viewer.cameras.orbit(-kTruthOrbitPerPixel * static_cast<double>(io.MouseDelta.x / scale()),
                           kTruthOrbitPerPixel * static_cast<double>(io.MouseDelta.y / scale()));
  }
  const std::optional<std::size_t> here = hovered && !active ? under(io.MousePos) : active ? held : std::nullopt;
  if (here) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetItemUsingMouseWheel();
    if (io.MouseWheel != 0) {
      render::Sphere sphere = viewer.scene.shown().spheres[*here];
      const auto turns = static_cast<double>(io.MouseWheel);
      viewer.scene.select(*here);
      if (io.KeyShift) {
        viewer.scene.move_sphere(*here, sphere, 0, 0, kWheelDepth * turns);
      } else {
        sphere.radius += kWheelRadius * turns;
        viewer.scene.set_sphere(*here, sphere);
      }
      if (held) held_from = viewer.scene.shown().spheres[*held];
      held_at = io.MousePos;
    }
    const render::CameraBasis basis = render::camera_basis(target.azimuth, target.elevation);
    const render::Sphere& sphere = viewer.scene.shown().spheres[*here];
    const double unit = static_cast<double>(half) / viewer.info().half_width;
    ImGui::GetWindowDrawList()->PushClipRect(min, max, true);
    ImGui::GetWindowDrawList()->AddCircle(
        {middle.x + static_cast<float>(unit * render::dot3(sphere.center, basis.right)),
         middle.y - static_cast<float>(unit * render::dot3(sphere.center, basis.up))},
        static_cast<float>(unit * sphere.radius) + px(2), IM_COL32(255, 255, 255, 200), 64, px(1.5f));
    ImGui::GetWindowDrawList()->PopClipRect();
  }
  if (!active)
    ui::tip(here ? "Drag moves this sphere; the wheel changes its radius, with Shift its distance"
                 : "What the target camera sees. Drag the background to orbit, a sphere to move it");
}

// All samples in a square, or one of them.
void ViewerPanel::State::samples(Viewer& viewer, float side) {
  const auto shown = viewer.shown();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  std::string note;
  if (shown && shown->n != viewer.n())
    note = fmt::format("Computing N = {}…", viewer.n());
  else if (shown && shown->finished < shown->wanted)
    note = fmt::format("{} of {} drawn", shown->finished, shown->wanted);
  const bool leave = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false) &&
                     !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (leave || zoomed >= viewer.samples()) zoomed = -1;
  const std::string title = zoomed >= 0 ? fmt::format("Sample {} of {}", zoomed + 1, viewer.samples()) : "Samples";
  caption(at, side, shown ? fmt::format("{} at N = {}", title, shown->n) : title, note);
  ImGui::SetCursorScreenPos({at.x, at.y + px(kHead)});
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const std::int64_t wanted = std::max<std::int64_t>(viewer.samples(), 1);
  const auto across = zoomed >= 0 ? 1 : static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(wanted))));
  const float gap = across > 1 ? px(4) : 0;
  const float cell = (side - gap * static_cast<float>(across - 1)) / static_cast<float>(across);
  for (std::int64_t k = 0; k < across * across; ++k) {
    const std::int64_t number = zoomed >= 0 ? zoomed : k;
    if (number >= wanted) break;
    const ImVec2 low = {std::floor(min.x + static_cast<float>(k % across) * (cell + gap)),
                        std::floor(min.y + static_cast<float>(k / across) * (cell + gap))};
    const ImVec2 high = {low.x + std::floor(cell), low.y + std::floor(cell)};
    ImGui::SetCursorScreenPos(low);
    const std::string name = fmt::format("viewer/sample/{}", number);
    const bool clicked = ImGui::InvisibleButton(name.c_str(), {high.x - low.x, high.y - low.y});
    if (keyboard::offer(name, ItemKind::plot, low, high).pressed || clicked) zoomed = zoomed >= 0 ? -1 : number;
    // A sample that has not started shows what is known at once.
    PicturePointer picture = shown ? shown->expected : nullptr;
    float alpha = kPending;
    if (shown && static_cast<std::size_t>(number) < shown->samples.size()) {
      const auto& path = shown->samples[static_cast<std::size_t>(number)];
      if (!path.empty()) {
        const auto last = static_cast<double>(path.size() - 1);
        const double wish = step < 0 ? last : step / static_cast<double>(shown->stride);
        alpha = 1;
        picture = path[static_cast<std::size_t>(std::lround(std::clamp(wish, 0.0, last)))];
      }
    }
    textures.draw(picture, low, high, alpha);
    ui::tip(zoomed >= 0 ? "Click or press Esc to show all samples"
                        : fmt::format("Sample {}: click to enlarge", number + 1));
  }
  ImGui::SetCursorScreenPos({at.x, min.y + side});
  ImGui::Dummy({side, 0});
}

// The slider from noise to image.
void ViewerPanel::State::way(Viewer& viewer, float width) {
  const double steps = static_cast<double>(std::max<std::int64_t>(viewer.info().steps, 1));
  const ImVec2 start = ImGui::GetCursorScreenPos();
  if (watching) {
    step = (step < 0 ? 0 : step) + steps * static_cast<double>(ImGui::GetIO().DeltaTime) / kWatchSeconds;
    if (step >= steps) {
      step = -1;
      watching = false;
    }
  }
  const auto shown = viewer.shown();
  const std::string blocked = shown && shown->finished > 0 ? "" : "There is no sample yet";
  if (ui::button("viewer/watch", watching ? "Stop" : "Watch", ui::Button::normal, blocked,
                 "Animates the sampling from noise to image",
                 std::max(ui::button_width("Watch"), ui::button_width("Stop")))) {
    watching = !watching;
    step = watching ? 0 : -1;
  }
  ImGui::SameLine(0, px(8));
  double at = step < 0 ? steps : step;
  const float used = ImGui::GetCursorScreenPos().x - start.x;
  if (ui::slider("viewer/step", at, 0, steps, "step %.0f",
                 "From noise (left) to image (right): the states that the samples went through", width - used)) {
    watching = false;
    step = at >= steps ? -1 : std::round(at);
  }
}

// The summary of the samples.
void ViewerPanel::State::pictures(Viewer& viewer, float width) {
  const auto shown = viewer.shown();
  const ViewerSnapshot none;
  const ViewerSnapshot& s = shown ? *shown : none;
  struct Small {
    const char *name, *title, *tip;
    PicturePointer picture;
  };
  const std::array<Small, 4> all = {{
      {"viewer/seen", "Truth", "What the target camera sees, at the estimator's resolution", s.truth},
      {"viewer/mean", "Mean",
       s.mean ? "The mean of the samples"
              : "E[θ | X] as the network estimates it directly; the mean of the samples follows",
       s.mean ? s.mean : s.expected},
      {"viewer/spread", "Spread",
       "Standard deviation of the samples at each pixel, over the channels: where views do not determine the scene",
       s.spread},
      {"viewer/error", "Error", "How far the mean is from the truth at each pixel, over the channels", s.error},
  }};
  const float gap = px(kSmallGap), side = std::floor((width - 3 * gap) / 4);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float top = start.y + px(18);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ImVec2 low = {std::floor(start.x + static_cast<float>(k) * (side + gap)), std::floor(top)};
    const ImVec2 high = {low.x + side, low.y + side};
    ui::text_at({low.x, start.y}, all[k].title, ui::Look::small_strong, side);
    ImGui::SetCursorScreenPos(low);
    ImGui::Dummy({side, side});
    record_picture(all[k].name, low, high);
    textures.draw(all[k].picture, low, high);
    ui::tip(all[k].tip);
  }
  // One color bar for spread and error.
  const float from = start.x + 2 * (side + gap), to = start.x + width, bar = top + side + px(6);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string most = fmt::format("{}", model::kHeatMost);
  const float left = from + ui::text_size("0", ui::Look::small_muted).x + px(6);
  const float right = to - ui::text_size(most, ui::Look::small_muted).x - px(6);
  constexpr int kPieces = 24;
  const auto color = [](int k) {
    const auto c = heat_color(static_cast<double>(k) / kPieces);
    return IM_COL32(c[0], c[1], c[2], 255);
  };
  for (int k = 0; k < kPieces; ++k) {
    const float x = left + (right - left) * static_cast<float>(k) / kPieces;
    list.AddRectFilledMultiColor({x, bar + px(3)}, {x + (right - left) / kPieces, bar + px(11)}, color(k), color(k + 1),
                                 color(k + 1), color(k));
  }
  ui::text_at({from, bar}, "0", ui::Look::small_muted);
  ui::text_at({right + px(6), bar}, most, ui::Look::small_muted);
  ImGui::SetCursorScreenPos({start.x, bar});
  ImGui::Dummy({width, px(16)});
}

void ViewerPanel::State::numbers(Viewer& viewer) {
  const auto shown = viewer.shown();
  const model::ViewerNumbers n = shown ? shown->numbers : model::ViewerNumbers();
  struct Row {
    const char *title, *tip;
    double value;
  };
  const std::array<Row, 5> rows = {{
      {"One sample", "Mean squared error of a sample, on average", n.sample},
      {"Mean of samples", "Mean squared error of the samples' mean", n.mean},
      {"Direct mean estimate", "Mean squared error of the network's direct estimate of the posterior mean", n.expected},
      {"Prior's mean", "Mean squared error of the mean image of the prior: what one knows without views", n.prior},
      {"Spread", "Variance of the samples, on average over pixels", n.variance},
  }};
  error_line(ui::Look::small_muted, "Error here", "10⁻³", "of prior");
  ui::tip("Mean squared errors of this view's images in 0 to 1, in thousandths, and as a share of the prior's");
  for (const Row& one : rows) {
    error_line(ui::Look::small, one.title, thousandths(one.value), share_of(one.value, n.prior));
    ui::tip(one.tip);
  }
}

// The average of these errors in the run's evaluation. Its height does not depend on the text.
void ViewerPanel::State::average(const Viewer& viewer, const model::Scores* scores, bool unscored) {
  const ImVec2 from = ImGui::GetCursorPos();
  const auto shown = viewer.shown();
  const auto known =
      scores ? model::average_error(scores->rows, shown ? shown->n : viewer.n()) : std::optional<model::AverageError>();
  if (known) {
    error_line(ui::Look::small_muted, fmt::format("On average, N = {}", known->n), "10⁻³", "of prior");
    ui::tip(fmt::format("Over {} test scenes at the evaluated N that is nearest, on {}", count_text(known->sets),
                        scores->data));
    error_line(ui::Look::small, "One sample", thousandths(known->sample), share_of(known->sample, known->prior));
    ui::tip("Mean squared error of a sample over the test scenes");
    error_line(ui::Look::small, "Posterior mean", thousandths(known->mean), share_of(known->mean, known->prior));
    ui::tip("Mean squared error of the mean of infinitely many samples over the test scenes");
    error_line(ui::Look::small, "Explained by sample spread", "", share_of(known->undetermined, 1));
    ui::tip(
        "The samples' variance as a share of the posterior mean's error. For an exact posterior it is 100 %: the views "
        "leave that much uncertainty. A network that has not converged spreads its samples too far, so that a large "
        "share implies nothing about the views.");
  } else if (unscored) {
    ui::wrapped("Evaluate this run to see its error on average, and how much of it the samples' spread explains.",
                ui::Look::small_muted);
  }
  ImGui::SetCursorPos({from.x, from.y + 4 * px(21)});
  ImGui::Dummy({1, 0});
}

void ViewerPanel::State::count(Viewer& viewer) {
  const char* tip = "How many samples are drawn";
  ui::label("Samples", tip, 84);
  for (const std::int64_t count : {1, 4, 9, 16}) {
    if (ui::segment(fmt::format("viewer/count/{}", count), std::to_string(count), viewer.samples() == count, tip))
      viewer.set_samples(count);
    ImGui::SameLine(0, px(2));
  }
  ImGui::NewLine();
}

void ViewerPanel::State::commands(Viewer& viewer) {
  std::string why;
  const std::string render = viewer.render_command(&why);
  if (ui::button("viewer/render-command", "Copy render command", ui::Button::quiet, render.empty() ? why : "",
                 "Copies the command that draws the truth without the window:\n" + render))
    ui::copy(render);
  why.clear();
  const std::string infer = viewer.infer_command(&why);
  if (ui::button("viewer/infer-command", "Copy infer command", ui::Button::quiet, infer.empty() ? why : "",
                 "Copies the command that draws samples without the window:\n" + infer))
    ui::copy(infer);
}

void ViewerPanel::ask_to_save(const Viewer& viewer) {
  state_->dialog.ask(viewer);
}

void ViewerPanel::draw(Viewer& viewer, const model::Scores* scores, bool unscored, const std::string& run) {
  State& s = *state_;
  s.n_row(viewer);
  s.messages(viewer);
  const std::optional<std::size_t> on_strip = s.strip.draw(viewer, s.textures, s.pointed);

  // Truth above dome, samples above their summary, numbers and settings.
  const ImVec2 room = ImGui::GetContentRegionAvail(), start = ImGui::GetCursorScreenPos();
  const float gap = px(kColumnGap);
  const float settings = std::clamp(0.27f * room.x, px(kLeastSettings), px(kMostSettings));
  const float under = ImGui::GetFrameHeight() + px(8);  // the slider
  // Divides the height: the truth and the dome as squares; the samples, and a quarter of their width for small
  // pictures.
  const float truth = std::clamp(std::floor((room.y - 2 * px(kHead) - px(12)) / 2), px(kLeastTruth), px(kMostTruth));
  const float fits = (room.y - px(kHead) - under - px(18 + 22 + 12)) / 1.25f;
  float middle = std::max(std::min(fits, room.x - settings - 2 * gap - px(kLeastTruth)), px(kLeastMiddle));
  const float left = std::floor(std::min(truth, room.x - settings - 2 * gap - middle));
  middle = std::floor(std::max(std::min(middle, room.x - settings - 2 * gap - left), px(kLeastMiddle)));
  float height = std::max(
      room.y, std::max(2 * left + 2 * px(kHead) + px(12), 1.25f * middle + px(kHead) + under + px(18 + 22 + 12)));
  // If the page scrolls, its last column need not scroll within it.
  if (height > room.y) height = std::max(height, s.settings_height);
  const float spare = std::max(0.0f, room.x - left - middle - settings - 2 * gap);

  ImGui::BeginGroup();
  s.truth(viewer, left);
  ImGui::SetCursorScreenPos({start.x, start.y + px(kHead) + left + px(12)});
  caption(ImGui::GetCursorScreenPos(), left, "Cameras",
          viewer.cameras.observed().empty() ? "" : fmt::format("{} observed", viewer.cameras.observed().size()));
  ImGui::SetCursorScreenPos({start.x, start.y + 2 * px(kHead) + left + px(12)});
  const float dome = std::clamp(height - left - 2 * px(kHead) - px(12), px(140), left);
  const std::optional<std::size_t> on_dome = s.dome.draw(viewer, {left, dome}, s.pointed);
  ImGui::EndGroup();
  s.pointed = on_strip ? on_strip : on_dome;

  const float second = start.x + left + gap;
  ImGui::SetCursorScreenPos({second, start.y});
  ImGui::BeginChild("viewer/middle", {middle, height}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (viewer.run().empty()) {
    ui::empty_state(
        run.empty() ? "No trained weights yet" : "This run has no weights yet",
        run.empty() ? "Train this task on the Train tab, or open a run on the left; samples of what the target camera "
                      "sees appear here."
                    : "Samples of what the target camera sees appear here as soon as its first "
                      "stage is done; the Train tab shows how far it is.");
  } else if (!viewer.failure().empty()) {
    ui::empty_state("The samples cannot be shown", viewer.failure(), true);
    if (ui::button("viewer/again", "Try again")) viewer.reload();
  } else if (!viewer.loaded()) {
    ui::working_state("Loading the run…");
  } else if (viewer.cameras.observed().empty()) {
    ui::empty_state("No views", "Add an observed view above: the samples follow the posterior given the views.");
  } else {
    s.samples(viewer, middle);
    s.way(viewer, middle);
    ui::space(8);
    s.pictures(viewer, middle);
  }
  ImGui::EndChild();

  // If there is space, the scene's settings are next to the numbers.
  const float rest = settings + spare, third = second + middle + gap;
  const bool at_side = rest >= px(2 * kLeastSettings + kColumnGap);
  const float each = at_side ? std::min(std::floor((rest - gap) / 2), px(kMostSettings + 72)) : rest;
  ImGui::SetCursorScreenPos({third, start.y});
  ImGui::BeginChild("viewer/numbers", {each, height});
  s.numbers(viewer);
  ui::space(8);
  s.average(viewer, scores, unscored);
  ui::space(4);
  s.count(viewer);
  ui::space(12);
  s.editor.camera(viewer);
  if (const std::string beyond = viewer.cameras.beyond(); !beyond.empty()) ui::wrapped(beyond, ui::Look::warning);
  ui::space(8);
  if (at_side) {
    s.commands(viewer);
    s.settings_height = ImGui::GetCursorPosY();
    ImGui::EndChild();
    ImGui::SetCursorScreenPos({third + each + gap, start.y});
    ImGui::BeginChild("viewer/scene", {each, height});
  }
  s.editor.scene(viewer);
  if (!at_side) {
    ui::space(8);
    s.commands(viewer);
  }
  s.settings_height = at_side ? std::max(s.settings_height, ImGui::GetCursorPosY()) : ImGui::GetCursorPosY();
  ImGui::EndChild();
  s.dialog.draw(viewer);
  s.textures.end_frame();
}

}  // namespace pairs::gui
