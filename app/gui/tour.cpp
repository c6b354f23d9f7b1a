#include "app/gui/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"
#include "app/gui/widgets/ui_parts.h"
#include "tasks/registry.h"

namespace pairs::gui {
namespace {

constexpr const char* kEnded = "welcome";  // among the dismissed notices in the settings
constexpr int kSteps = 3;
constexpr float kNear = 48;  // between the text and its control, for an arrow on its edge
constexpr const char* kSpokenOf[kSteps] = {"posterior/n", "posterior/open-file", "tab/train"};

// "θ, signal fraction", or "θ₁ and θ₂".
std::string named(const model::PosteriorScene& scene, bool nuisance) {
  std::vector<std::string> labels;
  std::string meaning;
  for (const model::SetParameter& one : scene.parameters)
    if (one.nuisance == nuisance) {
      labels.push_back(one.label);
      meaning = one.meaning;
    }
  if (labels.empty()) return nuisance ? "ψ" : "θ";
  if (labels.size() == 1) return meaning.empty() ? labels[0] : fmt::format("{} ({})", labels[0], meaning);
  if (labels.size() == 2) return labels[0] + " and " + labels[1];
  return labels[0] + " and others";
}

std::array<std::string, kSteps> texts(const model::PosteriorScene& scene, bool exact, bool contours) {
  return {fmt::format("Drag N, the number of observations that are used. The {} shows how likely each value of {} is, "
                      "given these observations{}; {} is unknown, too, and the same for all of them.{} More "
                      "observations make it narrower. Hover over the legend for what the other lines are.",
                      contours ? "pair of solid contours" : "filled curve", named(scene, false),
                      contours ? " (50 % and 90 % lie within)" : " (its shades: the central 50 % and 90 %)",
                      named(scene, true), exact ? " Dashed: the exact posterior, which the network should match." : ""),
          "Open data of your own: a CSV or NPZ file, or a folder of images. The same network infers their posterior "
          "immediately; nothing is trained again. Without a file the set is simulated, and θ and ψ that made it can be "
          "dragged here.",
          "Train a network of your own: it learns from simulated pairs of observations, and its last stage extends it "
          "to sets of any size. Then Evaluate shows how far its posteriors can be trusted, and Compare shows runs side "
          "by side."};
}

}  // namespace

bool Tour::shown(const model::Studio& studio) {
  return !studio.settings.dismissed_before(kEnded) && studio.tab() == model::Tab::posterior &&
         !studio.posterior.run().empty() && studio.posterior.scene() != nullptr;
}

void Tour::restart(model::Studio& studio) {
  std::erase(studio.settings.dismissed, kEnded);
  step_ = 0;
  first_n_.reset();
  if (studio.posterior.run().empty()) studio.open_task(task_in_role(TaskRole::first));
  studio.set_tab(model::Tab::posterior);
}

void Tour::end(model::Studio& studio) {
  studio.settings.dismiss(kEnded);
  step_ = 0;
  first_n_.reset();
}

void Tour::follow(model::Studio& studio) {
  if (studio.settings.dismissed_before(kEnded)) return;
  if (step_ == kSteps - 1 && studio.tab() == model::Tab::train) return end(studio);
  if (!shown(studio)) return;
  const auto scene = studio.posterior.scene();
  if (step_ == 0) {
    if (!first_n_ || first_set_ != scene->set) {
      first_n_ = studio.posterior.n();
      first_set_ = scene->set;
    }
    // While the slider is held, and while N plays, only the plots change.
    if (studio.posterior.n() != *first_n_ && !ImGui::IsMouseDown(ImGuiMouseButton_Left) && !studio.posterior.playing())
      step_ = 1;
  } else if (step_ == 1 && !scene->simulated) {
    step_ = 2;
  }
}

void Tour::draw(model::Studio& studio) {
  if (!shown(studio)) return;
  const auto scene = studio.posterior.scene();
  const auto snapshot = studio.posterior.shown();
  // While N is dragged, a slow exact posterior arrives after the run's: the text stays.
  if (snapshot && std::any_of(snapshot->series.begin(), snapshot->series.end(),
                              [](const auto& one) { return one.role == SeriesRole::exact; }))
    exact_of_ = scene->task;
  const auto all = texts(*scene, exact_of_ == scene->task, scene->targets.size() > 1);
  const float width = ImGui::GetContentRegionAvail().x, inset = px(16), text_width = width - 2 * inset;
  const ImFont* font = ui::font(ui::Look::body);
  float text_height = 0;
  for (const std::string& text : all)
    text_height = std::max(text_height, font->CalcTextSizeA(font->FontSize, FLT_MAX, text_width, text.c_str()).y);
  const float row = ImGui::GetFrameHeight(), height = text_height + row + px(28);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, palette().raised, px(8));
  list.AddRect(min, max, palette().accent, px(8), 0, px(1.5f));
  // Draws an arrow on the strip's edge if the control is next to it: farther away, it would point at something else.
  // Also if the control is out of view, which shows where to scroll.
  const auto place_of_it = keyboard::place_of(kSpokenOf[step_]);
  const bool at_side = place_of_it && std::max(place_of_it->min.y - max.y, min.y - place_of_it->max.y) < px(kNear);
  const bool unseen = place_of_it && (place_of_it->min.y + place_of_it->max.y) / 2 >= place_of_it->clip_max.y;
  if (at_side || unseen) {
    const auto& place = place_of_it;
    const float x = std::clamp((place->min.x + place->max.x) / 2, min.x + px(16), max.x - px(16)), half = px(8);
    const bool above = (place->min.y + place->max.y) / 2 < min.y;
    const float edge = above ? min.y : max.y, out = above ? -px(8) : px(8);
    list.AddTriangleFilled({x - half, edge}, {x + half, edge}, {x, edge + out}, palette().accent);
    if (unseen) recorder().add("tour/arrow", ItemKind::plot, {x - half, edge}, {x + half, edge + out});
  }
  const ui::Surface on(palette().raised);
  ImGui::SetCursorScreenPos({min.x + inset, min.y + px(10)});
  ui::wrapped(all[static_cast<std::size_t>(step_)], ui::Look::body, text_width);
  const float y = max.y - row - px(10);
  ImGui::SetCursorScreenPos({min.x + inset, y});
  const bool last = step_ == kSteps - 1;
  if (ui::button("tour/back", "Back", ui::Button::normal, step_ == 0 ? "This is the first step" : "")) {
    --step_;
    first_n_.reset();
  }
  ImGui::SameLine(0, px(8));
  const float next = std::max(ui::button_width("Next"), ui::button_width("Done"));
  if (ui::button("tour/next", last ? "Done" : "Next", ui::Button::primary, {}, {}, next))
    last ? end(studio) : static_cast<void>(++step_);
  ImGui::SameLine(0, px(12));
  const std::string place = fmt::format("{} of {}", step_ + 1, kSteps);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::text_at({at.x, at.y + (row - ui::text_size(place).y) / 2}, place, ui::Look::muted);
  ImGui::SetCursorScreenPos({max.x - inset - ui::button_width("Skip tour"), y});
  if (ui::button("tour/skip", "Skip tour", ui::Button::quiet, {}, "F1 shows it again")) end(studio);
  ImGui::SetCursorScreenPos(min);
  ImGui::Dummy({width, height + px(4)});
}

void Tour::draw_mark(const model::Studio& studio) const {
  if (!shown(studio) || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  const auto place = keyboard::place_of(kSpokenOf[step_]);
  if (!place) return;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float around = px(4), below = step_ == 0 ? px(13) : 0;  // of N the numbers, too
  list.PushClipRect({place->clip_min.x - around, place->clip_min.y - around},
                    {place->clip_max.x + around, place->clip_max.y + around});
  list.AddRect({place->min.x - around, place->min.y - around}, {place->max.x + around, place->max.y + around + below},
               palette().accent, px(8), 0, px(2));
  list.PopClipRect();
  // An arrow that ends at the control: at a button's left, and below a tab's label, whose left side is another tab's.
  const float half = px(7);
  const ImVec2 middle = {(place->min.x + place->max.x) / 2, (place->min.y + place->max.y) / 2};
  if (step_ == kSteps - 1) {
    const float tip = middle.y + ui::text_size("X").y / 2 + px(1), base = tip + px(9);
    list.AddTriangleFilled({middle.x, tip}, {middle.x + half, base}, {middle.x - half, base}, palette().accent);
    recorder().add("tour/arrow", ItemKind::plot, {middle.x - half, tip}, {middle.x + half, base});
  } else if (step_ > 0 && middle.y > place->clip_min.y && middle.y < place->clip_max.y) {
    const float tip = place->min.x - px(2), back = tip - px(11);
    list.AddTriangleFilled({tip, middle.y}, {back, middle.y - half}, {back, middle.y + half}, palette().accent);
    recorder().add("tour/arrow", ItemKind::plot, {back, middle.y - half}, {tip, middle.y + half});
  }
}

}  // namespace pairs::gui
