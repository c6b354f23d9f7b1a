#include "app/gui/train/train_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gui/widgets/ui.h"
#include "app/text/number_text.h"
#include "core/base/text.h"

namespace pairs::gui {
namespace {

using model::Action;
using model::Activity;
using model::Draft;
using model::Setting;
using model::SettingKind;
using model::StageCard;
using model::StageState;
using model::Training;

constexpr std::array<const char*, model::kStages> kNames = {"pretrain", "cache", "finetune"};
constexpr float kTwoColumns = 620;  // at scale 1: the width from which name, seed and device stand side by side
constexpr float kLeastDraft = 360;
constexpr float kMostBeside = 112;                    // of the values beside it
constexpr float kLeastValue = 120, kMostValue = 260;  // of a setting's control
constexpr float kPlotWidth = 320;                     // a plot has at least this

SeriesRole role_of(const std::string& strategy) {
  if (strategy == "n1") return SeriesRole::n1;
  if (strategy == "n1-10") return SeriesRole::n1_10;
  if (strategy == "e2e") return SeriesRole::end_to_end;
  if (strategy == "gaussian") return SeriesRole::gaussian;
  return SeriesRole::pairs;
}

// A dot in the colour that the strategy has in every plot, before what comes next on the line.
void swatch(const std::string& strategy) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = px(12), high = ImGui::GetFrameHeight();
  ImGui::GetWindowDrawList()->AddCircleFilled({at.x + side / 2, at.y + high / 2}, side / 2,
                                              series_color(role_of(strategy)), 24);
  ImGui::Dummy({side, high});
  ImGui::SameLine(0, px(8));
}

// On what a choice means: beside it, or below where it has no room.
void explain(const std::string& text, float column) {
  ImGui::SameLine(0, px(12));
  if (ui::text_size(text, ui::Look::muted).x <= ImGui::GetContentRegionAvail().x) {
    ImGui::AlignTextToFramePadding();
    return ui::text(text, ui::Look::muted);
  }
  ImGui::NewLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(column));
  ui::wrapped(text, ui::Look::muted);
}

// A value beside a setting: at the right end of its column, or in lines where it is longer.
void beside(const std::string& value) {
  if (ui::text_size(value, ui::Look::small_muted).x <= ImGui::GetContentRegionAvail().x) {
    ImGui::AlignTextToFramePadding();
    return ui::right(value, ui::Look::small_muted);
  }
  ui::wrapped(value, ui::Look::small_muted);
}

// The widest texts of some settings' columns.
struct SettingWidths {
  SettingWidths(const std::vector<Setting>& settings, bool small) {
    const ui::Look look = small ? ui::Look::small_muted : ui::Look::body;
    for (const Setting& one : settings) {
      if (small && !one.matters) continue;
      const float mark = small ? ui::text_size("● ").x : 0;
      title = std::max(title, mark + ui::text_size(small ? one.title : one.key).x + 1);
      float control = ui::text_size(one.value).x;
      for (const std::string& choice : one.choices) control = std::max(control, ui::text_size(choice).x);
      if (!one.choices.empty()) control += ImGui::GetFrameHeight();
      value = std::max(value, control + 2 * ImGui::GetStyle().FramePadding.x + px(4));
      preset = std::max(preset, ui::text_size(one.preset, ui::Look::small_muted).x + 1);
      paper = std::max(paper, ui::text_size(one.paper, look == ui::Look::body ? ui::Look::small_muted : look).x + 1);
    }
    value = std::clamp(value, px(kLeastValue), px(kMostValue));
    preset = std::min(preset, px(kMostBeside));
    paper = std::min(paper, px(kMostBeside));
    preset = std::max(preset, ui::text_size("preset", ui::Look::small_muted).x + 1);
    paper = std::max(paper, ui::text_size("paper", ui::Look::small_muted).x + 1);
  }
  float title = 0, value = 0, preset = 0, paper = 0;
};

bool holds(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string tip_of(const Setting& setting) {
  return fmt::format("{}.\n{}\nPreset: {}; paper: {}", setting.help, setting.key,
                     setting.preset.empty() ? "none" : setting.preset, setting.paper.empty() ? "none" : setting.paper);
}

// "1,234" of a whole number; numbers of a few digits as they are.
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

}  // namespace

void TrainPanel::needs(const Training& training) {
  const std::string why = training.blocked(Action::start);
  const auto estimate = training.estimate();
  if (!why.empty()) return ui::wrapped(why, training.active() ? ui::Look::muted : ui::Look::bad);
  if (!estimate) return ui::text("Estimating time and disk …", ui::Look::muted);
  std::string stages = "pretrain " + duration_text(estimate->seconds[0]);
  if (estimate->seconds[1] + estimate->seconds[2] > 0)
    stages += fmt::format(", cache {}, finetune {}", duration_text(estimate->seconds[1]),
                          duration_text(estimate->seconds[2]));
  ui::wrapped(fmt::format("Expected: about {} ({}), {} of disk of {} free, {}.", duration_text(estimate->total()),
                          stages, byte_text(static_cast<std::uint64_t>(estimate->cache_bytes)),
                          byte_text(static_cast<std::uint64_t>(estimate->free_bytes)), flop_text(estimate->gflop)),
              ui::Look::muted);
  if (!estimate->busy.empty()) ui::wrapped(estimate->busy, ui::Look::muted);
}

void TrainPanel::header(model::Studio& studio) {
  Training& training = studio.training;
  const bool drafting = training.drafting();
  const bool at_work = training.active() && !drafting && training.folder() == training.session_folder();
  const bool resumable = !drafting && !at_work && !training.finished();
  constexpr const char *kStart = "Start training", *kResume = "Resume training", *kLike = "New run like this";
  const float gap = px(8);
  float room = ui::button_width("Copy command");
  if (drafting) room += gap + ui::button_width(kStart);
  if (!drafting) room += gap + ui::button_width("New run") + gap + ui::button_width(kLike);
  if (resumable) room += gap + ui::button_width(kResume);
  // While it trains, nothing else stands where "Start training" stood.
  if (at_work) room += gap + ui::button_width(kStart);

  const float left = ImGui::GetCursorPosX(), right = left + ImGui::GetContentRegionAvail().x;
  const std::string title = drafting ? "New run" : studio.name_of_run(training.folder().string());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = ImGui::GetFrameHeight();
  const float title_room = std::max(px(60), right - left - room - px(16));
  ui::text_at({at.x, at.y + (high - ui::text_size(title, ui::Look::title).y) / 2}, title, ui::Look::title, title_room,
              !drafting);
  ImGui::Dummy({title_room, high});
  ui::tip(drafting ? training.draft().folder().string() : training.folder().string());
  ImGui::SameLine(right - room, 0);
  const std::string command = training.batch_command();
  if (ui::button("train/copy", "Copy command", ui::Button::quiet, "",
                 "Copies the command that does the same without the window:\n" + command))
    ui::copy(command);
  ImGui::SameLine(0, gap);
  if (drafting) {
    if (ui::button("train/start", kStart, ui::Button::primary, training.blocked(Action::start),
                   "Makes the run's folder and runs all stages"))
      training.start();
    return;
  }
  if (ui::button("train/new", "New run", ui::Button::normal, "", "Back to the draft of a new run of this task"))
    return training.open_draft();
  ImGui::SameLine(0, gap);
  if (ui::button("train/like", kLike, training.finished() ? ui::Button::primary : ui::Button::normal,
                 training.run_settings() ? "" : "The run's settings cannot be read",
                 "A draft with this run's settings"))
    return training.open_draft(true);
  if (at_work) {
    ImGui::SameLine(0, gap);
    std::string word = training.going(training.folder()).value_or(Training::Going{"training"}).word;
    word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    ui::button("train/start", word, ui::Button::primary,
               "The run is at work; its stages below can be paused and stopped", "", ui::button_width(kStart));
  }
  if (!resumable) return;
  ImGui::SameLine(0, gap);
  // Going on after a failure dismisses it.
  const bool failed = training.state() == Activity::failed && training.run_settings();
  if (ui::button("train/start", kResume, ui::Button::primary, failed ? "" : training.blocked(Action::start),
                 "Goes on from the last checkpoint, through all stages")) {
    if (failed) training.dismiss();
    training.start();
  }
}

void TrainPanel::card(Training& training, int stage, float width) {
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
  const float line = ui::text_size("Ag", ui::Look::small).y + px(3);
  float y = at.y + ui::text_size("Ag", ui::Look::strong).y + px(8);
  ImGui::SetCursorScreenPos({at.x, y});
  const bool working = card.state == StageState::running || card.state == StageState::paused;
  const double shown_share = std::isfinite(card.share) ? card.share : working ? 0.02 : 0;
  ui::progress(static_cast<float>(shown_share), "", inner);
  y += px(12);

  // Two columns of small numbers; a stage that has not begun says what it does.
  const auto pair = [&](const std::string& first, const std::string& second) {
    const float wide = ui::text_size(second, ui::Look::small_muted).x;
    if (!first.empty()) ui::text_at({at.x, y}, first, ui::Look::small, inner - wide - px(8));
    if (!second.empty()) ui::text_at({at.x + inner - std::min(wide, inner), y}, second, ui::Look::small_muted, inner);
    y += line;
  };
  const float numbers = y;
  const bool told = working || card.done >= 0 || card.state == StageState::done;
  if (told) {
    const std::string head = card.head > 0 ? fmt::format("N = {}: ", count_text(card.head)) : "";
    pair(card.total > 0 ? fmt::format("{}{} of {} {}", head, count_text(card.done), count_text(card.total), card.unit)
                        : "",
         percent_text(card.share));
    if (card.state == StageState::running)
      pair(std::isfinite(card.eta) ? clock_text(card.eta) + " left" : "",
           std::isfinite(card.elapsed) ? clock_text(card.elapsed) + " gone" : "");
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
    const std::string what = card.state == StageState::unneeded ? "End-to-end training ends with stage 1." : card.what;
    ui::wrapped(what, ui::Look::small_muted, inner);
    if (std::isfinite(card.expected) && card.expected > 0)
      ui::text("about " + duration_text(card.expected), ui::Look::small);
  }
  ImGui::SetCursorScreenPos({at.x, numbers + 4 * line + px(6)});

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
                   "Goes on where it was paused", third))
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

void TrainPanel::cards(Training& training) {
  const float gap = px(8), all = ImGui::GetContentRegionAvail().x;
  const float width = std::floor((all - 2 * gap) / model::kStages);
  for (int stage = 0; stage < model::kStages; ++stage) {
    if (stage > 0) ImGui::SameLine(0, gap);
    card(training, stage, width);
  }
}

void TrainPanel::control(Draft& draft, const Setting& setting, float width) {
  const std::string name = "train/set/" + setting.key;
  const std::string tip = tip_of(setting);
  if (setting.kind == SettingKind::choice) {
    const auto found = std::find(setting.choices.begin(), setting.choices.end(), setting.value);
    int index = static_cast<int>(found - setting.choices.begin());
    if (ui::combo(name, index, setting.choices, tip, width))
      draft.set(setting.key, setting.choices[static_cast<std::size_t>(index)]);
  } else if (setting.kind == SettingKind::yes_no) {
    bool on = setting.value == "true";
    if (ui::toggle(name, on ? "yes" : "no", on, tip)) draft.set(setting.key, on ? "true" : "false");
  } else {
    std::string text = setting.value;
    ui::input(name, text, "", tip, width);
    if (text != setting.value) draft.set(setting.key, text);
  }
}

void TrainPanel::choices(Draft& draft) {
  const float column = 84;
  ui::label("Preset", "How large networks and budgets are. Each can be changed below.", column);
  for (const model::Choice& choice : model::preset_choices()) {
    if (ui::segment("train/preset/" + choice.name, choice.title, draft.preset() == choice.name, choice.text))
      draft.set_preset(choice.name);
    ImGui::SameLine(0, px(4));
  }
  ImGui::NewLine();
  for (const model::Choice& choice : model::preset_choices())
    if (choice.name == draft.preset()) explain(choice.text, column);

  ui::label("Strategy", "Which set sizes the embedder sees in stage 1, and with which head", column);
  swatch(draft.strategy());
  std::vector<std::string> titles;
  int chosen = 0;
  for (const model::Choice& choice : model::strategy_choices()) {
    if (choice.name == draft.strategy()) chosen = static_cast<int>(titles.size());
    titles.push_back(choice.title);
  }
  const std::vector<model::Choice>& strategies = model::strategy_choices();
  if (ui::combo("train/strategy", chosen, titles, strategies[static_cast<std::size_t>(chosen)].text, px(200)))
    draft.set_strategy(strategies[static_cast<std::size_t>(chosen)].name);
  explain(strategies[static_cast<std::size_t>(chosen)].text, column);

  // Name, seed, device and note: side by side where there is room.
  const float room = ImGui::GetContentRegionAvail().x;
  const bool wide = room >= px(kTwoColumns);
  ui::label("Name", "The run's name and its folder's: " + draft.folder().string(), column);
  std::string name = draft.name();
  ui::input("train/name", name, "", "The run's name and its folder's", wide ? px(260) : 0);
  if (name != draft.name()) draft.set_name(name);
  if (wide) ImGui::SameLine(0, px(16));
  const Setting seed = draft.setting("seed"), device = draft.setting("device"), note = draft.setting("note");
  ui::label("Seed", tip_of(seed), wide ? 44 : column);
  control(draft, seed, px(72));
  ImGui::SameLine(0, px(16));
  ui::label("Device", tip_of(device), 60);
  control(draft, device, px(92));
  ui::label("Note", "Free text that stays with the run", column);
  control(draft, note, 0);
  for (const std::string& problem : {draft.name_error(), seed.error})
    if (!problem.empty()) ui::wrapped(problem, ui::Look::bad);
}

void TrainPanel::section(Draft& draft, const std::vector<Setting>& settings, const char* title, float width) {
  const SettingWidths widths(settings, true);
  if (ImGui::BeginTable(title, 3, ImGuiTableFlags_SizingFixedFit, {width, 0})) {
    ImGui::TableSetupColumn("setting", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, widths.value);
    ImGui::TableSetupColumn("paper", ImGuiTableColumnFlags_WidthFixed, widths.paper);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ui::text(title, ui::Look::strong);
    ImGui::TableNextColumn();
    ImGui::TableNextColumn();
    ui::right("paper", ui::Look::small_muted);
    for (const Setting& setting : settings) {
      if (setting.section != title || !setting.matters) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::AlignTextToFramePadding();
      ui::text((setting.changed ? "● " : "") + setting.title, !setting.error.empty() ? ui::Look::bad
                                                              : setting.changed      ? ui::Look::link
                                                                                     : ui::Look::body);
      ui::tip(tip_of(setting));
      ImGui::TableNextColumn();
      control(draft, setting, 0);
      ImGui::TableNextColumn();
      beside(setting.paper);
    }
    ImGui::EndTable();
  }
  for (const Setting& setting : settings)
    if (setting.section == title && setting.matters && !setting.error.empty())
      ui::wrapped(setting.error, ui::Look::bad, width);
}

void TrainPanel::matters(Draft& draft) {
  using Columns = std::vector<std::vector<const char*>>;
  const float all = ImGui::GetContentRegionAvail().x, gap = px(24);
  // A change rebuilds the rows: they are drawn from a copy.
  const std::vector<Setting> settings = draft.settings();
  const SettingWidths widths(settings, true);
  const float least = widths.title + widths.value + widths.paper + 6 * px(4);
  const Columns columns = all >= 3 * least + 2 * gap ? Columns{{"Pretrain"}, {"Cache", "Network"}, {"Finetune"}}
                          : all >= 2 * least + gap   ? Columns{{"Pretrain", "Network"}, {"Cache", "Finetune"}}
                                                     : Columns{{"Pretrain", "Cache", "Finetune", "Network"}};
  const auto count = static_cast<float>(columns.size());
  const float width = std::min(std::floor((all - gap * (count - 1)) / count), 1.5f * least);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {px(4), px(2)});
  for (const std::vector<const char*>& column : columns) {
    if (&column != &columns.front()) ImGui::SameLine(0, gap);
    ImGui::BeginGroup();
    for (const char* title : column) {
      if (title != column.front()) ui::space(8);
      section(draft, settings, title, width);
    }
    ImGui::EndGroup();
  }
  ImGui::PopStyleVar();
}

void TrainPanel::all_settings(Draft& draft) {
  ui::toggle("train/all", "All settings", all_, "Every setting that decides a run, with a search");
  const int changes = draft.changes();
  if (changes > 0) {
    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    ui::text(changes == 1 ? "1 differs from the preset" : fmt::format("{} differ from the preset", changes),
             ui::Look::link);
    ImGui::SameLine(0, px(8));
    if (ui::button("train/reset", "Reset all", ui::Button::quiet, "", "Back to the preset's values")) draft.reset_all();
  }
  if (!all_) return;
  ui::input("train/search", search_, "Search settings", "Part of a key or of its description", px(280));
  const std::vector<Setting> settings = draft.settings();
  const SettingWidths widths(settings, false);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {px(4), px(2)});
  if (ImGui::BeginTable("train/settings", 5, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableSetupColumn("setting", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, widths.value);
    ImGui::TableSetupColumn("reset", ImGuiTableColumnFlags_WidthFixed, ui::button_width("Reset"));
    ImGui::TableSetupColumn("preset", ImGuiTableColumnFlags_WidthFixed, widths.preset);
    ImGui::TableSetupColumn("paper", ImGuiTableColumnFlags_WidthFixed, widths.paper);
    ImGui::TableNextRow();
    for (const char* title : {"setting", "value", "", "preset", "paper"}) {
      ImGui::TableNextColumn();
      if (title[0] == 'p')
        ui::right(title, ui::Look::small_muted);
      else
        ui::text(title, ui::Look::small_muted);
    }
    bool any = false;
    for (const Setting& setting : settings) {
      const bool own = setting.key == "seed" || setting.key == "device" || setting.key == "note";
      if (own || (!search_.empty() && !holds(setting.key, search_) && !holds(setting.help, search_) &&
                  !holds(setting.title, search_)))
        continue;
      any = true;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::AlignTextToFramePadding();
      ui::text(setting.key, !setting.error.empty() ? ui::Look::bad : setting.changed ? ui::Look::link : ui::Look::body);
      ui::tip(tip_of(setting));
      if (!setting.error.empty()) ui::wrapped(setting.error, ui::Look::bad);
      ImGui::TableNextColumn();
      // What matters has its control above: names are unique.
      if (setting.matters) {
        ImGui::AlignTextToFramePadding();
        ui::text(setting.value + "  ↑", ui::Look::muted);
        ui::tip("Set above, among the settings that matter");
      } else {
        control(draft, setting, 0);
      }
      ImGui::TableNextColumn();
      if (setting.changed && ui::button("train/reset/" + setting.key, "Reset", ui::Button::quiet, "",
                                        "Back to the preset's value, " + setting.preset))
        draft.reset(setting.key);
      for (const std::string& value : {setting.preset, setting.paper}) {
        ImGui::TableNextColumn();
        beside(value.empty() ? "–" : value);
      }
    }
    ImGui::EndTable();
    if (!any) ui::text(fmt::format("No setting holds “{}”.", search_), ui::Look::muted);
  }
  ImGui::PopStyleVar();
}

void TrainPanel::draft(Training& training) {
  // Where a child would be too low to work in, the page scrolls instead.
  const bool child = ImGui::GetContentRegionAvail().y >= px(kLeastDraft);
  if (child) ImGui::BeginChild("train/draft");
  Draft& draft = training.draft();
  choices(draft);
  ui::space(12);
  matters(draft);
  ui::space(12);
  all_settings(draft);
  if (child) ImGui::EndChild();
}

void TrainPanel::plots(Training& training) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto first = training.losses(0), last = training.losses(2);
  if (!first && !last && !training.live()) {
    if (training.active() && training.folder() == training.session_folder())
      return ui::working_state("The first losses come after the first epoch.");
    return ui::empty_state("No losses yet", training.state() == Activity::elsewhere
                                                ? "They appear here after the other process's first epoch."
                                                : "Press Resume training: losses appear here epoch by epoch.");
  }
  const float gap = px(8), high = std::max(room.y, px(200));
  const bool live = training.live() || (training.active() && training.folder() == training.session_folder());
  const int wanted = (first ? 1 : 0) + (last ? 1 : 0) + (live ? 1 : 0);
  const bool narrow = first && last && room.x < px(kPlotWidth) * static_cast<float>(wanted);
  std::vector<std::pair<PlotView*, std::shared_ptr<const Figure>>> shown;
  int stage = loss_stage_;
  if (stage < 0 || !training.losses(stage)) stage = last ? 2 : 0;
  if (first && (!narrow || stage == 0)) shown.emplace_back(&pretrain_, first);
  if (last && (!narrow || stage == 2)) shown.emplace_back(&finetune_, last);
  const float columns = static_cast<float>(shown.size() + (live ? 1 : 0));
  const float width = std::floor((room.x - gap * (columns - 1)) / std::max(columns, 1.0f));
  float below = high;
  if (narrow) {
    for (const int k : {0, 2}) {
      if (ui::segment(fmt::format("train/loss/{}", kNames[static_cast<std::size_t>(k)]),
                      k == 0 ? "Pretrain" : "Finetune", stage == k, "The losses of this stage"))
        loss_stage_ = k;
      if (k == 0) ImGui::SameLine(0, px(4));
    }
    below -= ImGui::GetFrameHeightWithSpacing();
  }
  below = std::max(below, px(180));
  bool begun = false;
  for (auto& [view, figure] : shown) {
    if (begun) ImGui::SameLine(0, gap);
    begun = true;
    view->draw(figure, {width, below});
  }
  if (!live) return;
  if (begun) ImGui::SameLine(0, gap);
  if (training.live()) {
    live_.draw(training.live(), {width, below});
  } else {
    ImGui::BeginChild("train/live", {width, below});
    ui::working_state(training.live_text());
    ImGui::EndChild();
  }
}

void TrainPanel::run_settings(const Training& training) {
  const auto settings = training.run_settings();
  if (!settings) return ui::working_state("Reading the run …");
  ui::input("train/run-search", run_search_, "Search settings", "Part of a key or of its description", px(280));
  ImGui::BeginChild("train/run-settings");
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {px(4), px(3)});
  if (ImGui::BeginTable("train/run-table", 4, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableSetupColumn("setting", ImGuiTableColumnFlags_WidthStretch, 2);
    for (const char* title : {"value", "preset", "paper"})
      ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableNextRow();
    for (const char* title : {"setting", "value", "preset", "paper"}) {
      ImGui::TableNextColumn();
      if (title[0] == 's')
        ui::text(title, ui::Look::small_muted);
      else
        ui::right(title, ui::Look::small_muted);
    }
    for (const Setting& setting : *settings) {
      if (!run_search_.empty() && !holds(setting.key, run_search_) && !holds(setting.help, run_search_)) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ui::text(setting.key, setting.changed ? ui::Look::link : ui::Look::body);
      ui::tip(tip_of(setting));
      ImGui::TableNextColumn();
      ui::right(setting.value.empty() ? "–" : setting.value, setting.changed ? ui::Look::strong : ui::Look::body);
      for (const std::string& value : {setting.preset, setting.paper}) {
        ImGui::TableNextColumn();
        ui::right(value.empty() ? "–" : value, ui::Look::muted);
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

void TrainPanel::log(const Training& training) {
  const std::vector<std::string> lines = training.log();
  if (lines.empty()) return ui::empty_state("Nothing told yet", "What the run does is written here as it happens.");
  if (ui::button("train/copy-log", "Copy", ui::Button::quiet, "", "Copies these lines"))
    ui::copy(fmt::format("{}\n", fmt::join(lines, "\n")));
  ImGui::BeginChild("train/lines");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    ui::wrapped(*line, line->starts_with("error")     ? ui::Look::bad
                       : line->starts_with("warning") ? ui::Look::warning
                                                      : ui::Look::body);
  ImGui::EndChild();
}

void TrainPanel::run(model::Studio& studio) {
  Training& training = studio.training;
  const auto tab = [&](View view, const char* name, const char* title, const char* tip) {
    if (ui::segment(name, title, view_ == view, tip)) view_ = view;
    ImGui::SameLine(0, px(4));
  };
  tab(View::progress, "train/view/progress", "Losses", "Losses, and the posterior as it is learnt");
  tab(View::settings, "train/view/settings", "Settings", "What this run was started with");
  tab(View::log, "train/view/log", "Log", "What the run told");
  ImGui::SameLine(0, px(16));
  ImGui::AlignTextToFramePadding();
  std::string state;
  switch (training.state()) {
    case Activity::elsewhere:
      state = "Another process trains this run; it is watched as it goes.";
      break;
    case Activity::rest:
      state = training.finished() ? "Finished." : "Stopped; it can be resumed.";
      break;
    case Activity::stopping:
      state = "Stopping; its state is being saved.";
      break;
    case Activity::pausing:
      state = "Pausing after this step.";
      break;
    case Activity::paused:
      state = "Paused; everything stays in memory.";
      break;
    default:
      break;
  }
  if (training.state() == Activity::rest && training.finished()) {
    if (ui::button("train/posterior", "Show its posterior", ui::Button::quiet))
      return studio.open_run(training.folder().string()), studio.set_tab(model::Tab::posterior);
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
  }
  ui::text(state, ui::Look::muted);
  ui::space(4);
  if (view_ == View::settings) return run_settings(training);
  if (view_ == View::log) return log(training);
  plots(training);
}

void TrainPanel::draw(model::Studio& studio) {
  Training& training = studio.training;
  training.shown();
  if (training.task().empty() && !training.problem().empty())
    return ui::empty_state("This run cannot be shown", training.problem(), true);
  if (training.task().empty())
    return ui::empty_state("No task chosen", "Choose a task on the left; its training is set up here.");
  if (training.state() == Activity::loading) return ui::working_state(fmt::format("Reading {} …", training.name()));
  header(studio);
  if (training.drafting()) needs(training);
  if (const std::string problem = training.problem(); !problem.empty()) {
    ui::space(4);
    const bool failed = training.blocked(Action::dismiss).empty();
    if (ui::notice("train/problem", ui::Look::bad, problem, failed ? "Dismiss" : "Show log")) {
      if (failed)
        training.dismiss();
      else
        studio.settings.log_open = true;
    }
  }
  ui::space(8);
  if (!training.drafting() && !training.run_settings() && !training.problem().empty()) return;
  cards(training);
  ui::space(8);
  if (training.drafting())
    draft(training);
  else
    run(studio);
}

}  // namespace pairs::gui
