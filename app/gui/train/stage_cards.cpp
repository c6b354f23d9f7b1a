#include "app/gui/train/stage_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"
#include "core/train/stages/expected_time.h"

namespace pairs::gui {
namespace {

using model::Action;
using model::Activity;
using model::StageCard;
using model::StageState;
using model::Training;

constexpr std::array<const char*, model::kStages> kNames = {"pretrain", "cache", "finetune", "likelihood"};

// "1,234" for a whole number; short numbers unchanged.
std::string rate_text(double value) {
  if (!std::isfinite(value) || value <= 0) return "–";
  if (value < 10) return number_text(value, 1);
  return count_text(static_cast<std::int64_t>(std::llround(value)));
}

std::string state_text(const StageCard& card) {
  switch (card.state) {
    case StageState::waiting:
      return card.share > 0 ? "stopped" : "not begun";
    case StageState::running:
      return "running";
    case StageState::paused:
      return "paused";
    case StageState::done:
      return "done";
    case StageState::failed:
      return "failed";
    case StageState::unneeded:
      return "not needed";
  }
  return "";
}

ui::Look state_look(StageState state) {
  switch (state) {
    case StageState::running:
      return ui::Look::link;
    case StageState::paused:
      return ui::Look::warning;
    case StageState::done:
      return ui::Look::good;
    case StageState::failed:
      return ui::Look::bad;
    default:
      return ui::Look::muted;
  }
}

// The description of a stage that has not started.
std::string what_text(const StageCard& card) {
  return card.state == StageState::unneeded ? "End-to-end training ends with stage 1." : card.what;
}

// Whether a card shows numbers instead of the description.
bool shows_numbers(const StageCard& card) {
  return card.state == StageState::running || card.state == StageState::paused || card.done >= 0 ||
         card.state == StageState::done;
}

float line_height() {
  return ui::text_size("Ag", ui::Look::small).y + px(3);
}

// The height between a card's bar and its buttons, the same in all cards: four lines of numbers, or more if a narrow
// card wraps its text.
float card_room(const Training& training, int stages, float inner) {
  float room = 4 * line_height();
  for (int stage = 0; stage < stages; ++stage) {
    const StageCard& card = training.card(stage);
    if (shows_numbers(card)) continue;
    const float wrapped = ui::wrapped_height(what_text(card), ui::Look::small_muted, inner);
    room = std::max(room, wrapped + ImGui::GetStyle().ItemSpacing.y + line_height());
  }
  return room;
}

void draw_card(Training& training, int stage, float width, float room) {
  const StageCard& card = training.card(stage);
  const std::string name = kNames[static_cast<std::size_t>(stage)];
  ui::begin_card("train/" + name, width);
  const float inner = width - px(32);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string state = state_text(card);
  const ui::Look look = state_look(card.state);
  const float state_wide = ui::text_size(state, look).x;
  ui::text_at(at, fmt::format("{}  {}", stage + 1, card.title), ui::Look::strong, inner - state_wide - px(8));
  ui::text_at({at.x + inner - state_wide, at.y}, state, look);
  const float line = line_height();
  float y = at.y + ui::text_size("Ag", ui::Look::strong).y + px(8);
  ImGui::SetCursorScreenPos({at.x, y});
  const bool working = card.state == StageState::running || card.state == StageState::paused;
  const double shown_share = std::isfinite(card.share) ? card.share : working ? 0.02 : 0;
  ui::progress(static_cast<float>(shown_share), "", inner);
  y += px(12);

  // Two columns of small numbers; the description for a stage that has not started.
  const auto pair = [&](const std::string& first, const std::string& second) {
    const float wide = ui::text_size(second, ui::Look::small_muted).x;
    if (!first.empty()) ui::text_at({at.x, y}, first, ui::Look::small, inner - wide - px(8));
    if (!second.empty()) ui::text_at({at.x + inner - std::min(wide, inner), y}, second, ui::Look::small_muted, inner);
    y += line;
  };
  const float numbers = y;
  if (shows_numbers(card)) {
    const std::string head = card.head > 0 ? fmt::format("N = {}: ", count_text(card.head)) : "";
    pair(card.total > 0 ? fmt::format("{}{} of {} {}", head, count_text(card.done), count_text(card.total), card.unit)
                        : "",
         percent_text(card.share));
    if (card.state == StageState::running)
      pair(std::isfinite(card.eta) ? clock_text(card.eta) + " left" : "",
           std::isfinite(card.elapsed) ? clock_text(card.elapsed) + " elapsed" : "");
    else
      pair(!std::isfinite(card.elapsed)     ? ""
           : card.state == StageState::done ? "took " + duration_text(card.elapsed)
                                            : duration_text(card.elapsed) + " so far",
           "");
    if (card.state == StageState::running)
      pair(card.unit == "steps" && std::isfinite(card.rate) ? rate_text(card.rate) + " steps/s" : "",
           std::isfinite(card.sets_per_second) ? rate_text(card.sets_per_second) + " sets/s" : "");
    if (std::isfinite(card.train) || std::isfinite(card.validation))
      pair("train " + number_text(card.train, 3), "validation " + number_text(card.validation, 3));
  } else {
    ImGui::SetCursorScreenPos({at.x, y});
    ui::wrapped(what_text(card), ui::Look::small_muted, inner);
    if (std::isfinite(card.expected) && card.expected > 0)
      ui::text(range_text(expected_range({}, card.expected, 0)), ui::Look::small);
  }
  ImGui::SetCursorScreenPos({at.x, numbers + room + px(6)});

  const bool current = working;
  const std::string idle = card.state == StageState::done ? "This stage is done" : "This stage is not running";
  std::string start = training.blocked(Action::start, stage);
  if (card.state == StageState::unneeded) start = "End-to-end training has no such stage";
  if (card.state == StageState::done) start = "This stage is done";
  const float gap = px(4), third = (inner - 2 * gap) / 3;
  if (ui::button("train/" + name + "/start", "Start", ui::Button::normal, start,
                 stage == 0 ? "Runs this stage alone" : "Runs what is missing, up to and including this stage", third))
    return training.start(stage), ui::end_card();
  ImGui::SameLine(0, gap);
  const bool held = training.state() == Activity::paused || training.state() == Activity::pausing;
  if (current && held) {
    if (ui::button("train/" + name + "/resume", "Resume", ui::Button::primary, training.blocked(Action::resume),
                   "Resumes where it was paused", third))
      training.resume();
  } else if (ui::button("train/" + name + "/pause", "Pause", ui::Button::normal,
                        current ? training.blocked(Action::pause) : idle,
                        "Holds after the step it is at; keeps everything in memory", third)) {
    training.pause();
  }
  ImGui::SameLine(0, gap);
  if (ui::button("train/" + name + "/stop", "Stop", ui::Button::normal, current ? training.blocked(Action::stop) : idle,
                 "Saves and ends; the run can be resumed later, bit for bit", third))
    training.stop();
  ui::end_card();
}

}  // namespace

void draw_stage_cards(Training& training) {
  const float gap = px(8), all = ImGui::GetContentRegionAvail().x;
  const bool likelihood = training.card(model::kLikelihoodStage).state != StageState::unneeded;
  const int stages = likelihood ? model::kStages : model::kLikelihoodStage;
  const float width = std::floor((all - static_cast<float>(stages - 1) * gap) / static_cast<float>(stages));
  const float room = card_room(training, stages, width - px(32));
  for (int stage = 0; stage < stages; ++stage) {
    if (stage > 0) ImGui::SameLine(0, gap);
    draw_card(training, stage, width, room);
  }
}

}  // namespace pairs::gui
