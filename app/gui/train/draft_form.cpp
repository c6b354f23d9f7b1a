#include "app/gui/train/draft_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/gui/widgets/ui.h"
#include "app/model/train/swept_values.h"
#include "app/runs/strategy_look.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/target_choice.h"
#include "core/train/stages/expected_time.h"

namespace pairs::gui {
namespace {

using model::Action;
using model::Draft;
using model::Setting;
using model::SettingKind;
using model::Training;

constexpr float kTwoColumns = 620;  // at scale 1: minimum width for name, seed and device side by side
constexpr float kLeastDraft = 360;
constexpr float kMostBeside = 112;                    // of the values next to it
constexpr float kLeastValue = 120, kMostValue = 290;  // of a setting's control

// A dot in the strategy's color before the next item on the line.
void swatch(const std::string& strategy) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = px(12), high = ImGui::GetFrameHeight();
  ImGui::GetWindowDrawList()->AddCircleFilled({at.x + side / 2, at.y + high / 2}, side / 2,
                                              series_color(strategy_role(strategy)), 24);
  ImGui::Dummy({side, high});
  ImGui::SameLine(0, px(8));
}

// The meaning of a choice: next to it, or below if there is no space.
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

// A value next to a setting: right-aligned in its column, or wrapped if it is longer.
void at_side(const std::string& value) {
  if (ui::text_size(value, ui::Look::small_muted).x <= ImGui::GetContentRegionAvail().x) {
    ImGui::AlignTextToFramePadding();
    return ui::right(value, ui::Look::small_muted);
  }
  ui::wrapped(value, ui::Look::small_muted);
}

// Nearly the longest text on a run's needs and the load of the machine.
constexpr const char* kLongNeeds =
    "Expected: 10 to 14 minutes (pretrain 5 to 8 minutes, cache under a second, finetune 4 to 6 minutes), 100 MB of "
    "disk of 100 GB free, 100 TFLOP.";
constexpr const char* kLongBusy =
    "Other processes keep 12.0 of 16 cores busy: with them it may take up to 10 times as long.";

// The height of a text wrapped here.
float paragraph(const char* text) {
  const float lines = std::ceil(ui::text_size(text, ui::Look::muted).x / ImGui::GetContentRegionAvail().x);
  return lines * ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y;
}

std::string sweep_label(std::size_t values) {
  return fmt::format("Study of {} values…", values);
}

// The title of a setting, styled by the state of its value.
ui::Look title_look(const Setting& setting) {
  const std::vector<std::string> swept = model::swept_values(setting);
  const bool several = !swept.empty() && model::value_given_twice(swept).empty();
  return !setting.error.empty() && !several ? ui::Look::bad : setting.changed ? ui::Look::link : ui::Look::body;
}

constexpr std::string_view kNoPaper = "–";  // Setting::paper if there is none

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
      if (const std::size_t several = model::swept_values(one).size(); several > 0)
        control = std::max(control, ui::button_width(sweep_label(several)));
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

}  // namespace

bool mentions(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool with_paper(const std::vector<Setting>& settings) {
  return std::any_of(settings.begin(), settings.end(), [](const Setting& one) { return one.paper != kNoPaper; });
}

std::string setting_tip(const Setting& setting) {
  const std::string paper = setting.paper == kNoPaper ? ""
                            : setting.paper.empty()   ? "; paper: none"
                                                      : "; paper: " + setting.paper;
  return fmt::format("{}.\n{}\nPreset: {}{}", setting.help, setting.key,
                     setting.preset.empty() ? "none" : setting.preset, paper);
}

void DraftForm::needs(const Training& training) {
  const float top = ImGui::GetCursorPosY(), width = ImGui::GetContentRegionAvail().x;
  if (width != std::exchange(needs_width_, width)) needs_room_ = paragraph(kLongNeeds) + paragraph(kLongBusy);
  report_needs(training);
  const float used = ImGui::GetCursorPosY() - top;
  needs_room_ = std::max(needs_room_, used);
  const float left = needs_room_ - used - ImGui::GetStyle().ItemSpacing.y;
  if (left > 0) ImGui::Dummy({0, left});
}

void DraftForm::report_needs(const Training& training) {
  const std::string why = training.blocked(Action::start);
  const auto estimate = training.drafts.estimate();
  const bool fault = !training.session.active() && !training.drafts.shown().study_error().empty();
  if (!why.empty()) return ui::wrapped(why, fault ? ui::Look::bad : ui::Look::muted);
  if (!estimate) return ui::text("Estimating time and disk …", ui::Look::muted);
  const auto range = [](double seconds) { return range_text(expected_range({}, seconds, 0)); };
  std::string stages = "pretrain " + range(estimate->seconds[0]);
  if (estimate->seconds[1] + estimate->seconds[2] > 0)
    stages += fmt::format(", cache {}, finetune {}", range(estimate->seconds[1]), range(estimate->seconds[2]));
  if (estimate->seconds[3] > 0) stages += ", likelihood " + range(estimate->seconds[3]);
  ui::wrapped(fmt::format("Expected: {} ({}), {} of disk of {} free, {}.", range(estimate->total()), stages,
                          byte_text(static_cast<std::uint64_t>(estimate->cache_bytes)),
                          byte_text(static_cast<std::uint64_t>(estimate->free_bytes)), flop_text(estimate->gflop)),
              ui::Look::muted);
  if (!estimate->busy.empty()) ui::wrapped(estimate->busy, ui::Look::muted);
}

void DraftForm::control(Draft& draft, const Setting& setting, float width) {
  const std::string name = "train/set/" + setting.key;
  const std::string tip = setting_tip(setting);
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

// The notice below a field that holds several values where one belongs, with the offer of a study; in its own row of a
// table.
void DraftForm::several(const Setting& setting) {
  const std::vector<std::string> values = model::swept_values(setting);
  if (setting.error.empty() || values.empty()) return;
  const bool twice = !model::value_given_twice(values).empty();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ui::wrapped(setting.error, twice ? ui::Look::bad : ui::Look::muted, 0, "train/several/" + setting.key);
  ImGui::TableNextColumn();
  if (!twice && ui::button("train/sweep/" + setting.key, sweep_label(values.size()), ui::Button::normal, "",
                           fmt::format("Trains a run with each of them as {}, and compares them", setting.title)))
    sweep_ = true;
}

// The problem of a setting, except several values.
void DraftForm::trouble(const Setting& setting, float width) {
  if (setting.error.empty() || !model::swept_values(setting).empty()) return;
  ui::wrapped(setting.error, ui::Look::bad, width);
}

void DraftForm::choices(Draft& draft) {
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

  targets(draft, column);
  // Name, seed, device and note: side by side if there is space.
  const float room = ImGui::GetContentRegionAvail().x;
  const bool wide = room >= px(kTwoColumns);
  ui::label("Name", "The run's name and its folder's: " + draft.folder().string(), column);
  std::string name = draft.name();
  ui::input("train/name", name, "", "The run's name and its folder's", wide ? px(260) : 0);
  if (name != draft.name()) draft.set_name(name);
  if (wide) ImGui::SameLine(0, px(16));
  const Setting seed = draft.setting("seed"), device = draft.setting("device"), note = draft.setting("note");
  ui::label("Seed", setting_tip(seed), wide ? 44 : column);
  control(draft, seed, px(72));
  ImGui::SameLine(0, px(16));
  ui::label("Device", setting_tip(device), 60);
  control(draft, device, px(92));
  ui::label("Note", "Free text that stays with the run", column);
  control(draft, note, 0);
  for (const std::string& problem : {draft.name_error(), seed.error})
    if (!problem.empty()) ui::wrapped(problem, ui::Look::bad);
}

// The choice of inferred components of θ and ψ, if there is one.
void DraftForm::targets(Draft& draft, float column) {
  const std::vector<model::TargetTick> all = draft.targets();  // a copy: a tick changes them
  if (all.empty()) return;
  const std::string about = "What the run infers: its targets. The rest stays unknown, drawn from its prior. " +
                            setting_tip(draft.setting(kTaskTargets));
  ui::label("Targets", about, column);
  const float start = ImGui::GetCursorPosX(), edge = start + ImGui::GetContentRegionAvail().x;
  const auto chosen = std::count_if(all.begin(), all.end(), [](const model::TargetTick& one) { return one.on; });
  for (std::size_t k = 0; k < all.size(); ++k) {
    const float wide = ui::text_size(all[k].title).x + ImGui::GetFrameHeight() + px(8);
    if (k > 0 && ImGui::GetCursorPosX() + px(12) + wide > edge)
      ImGui::SetCursorPosX(start);
    else if (k > 0)
      ImGui::SameLine(0, px(12));
    bool on = all[k].on;
    if (ui::toggle("train/target/" + all[k].name, all[k].title, on, about,
                   on && chosen == 1 ? "Something must be inferred: tick another one first" : ""))
      draft.set_target(all[k].name, on);
  }
  if (const Setting row = draft.setting(kTaskTargets); !row.error.empty()) ui::wrapped(row.error, ui::Look::bad);
}

void DraftForm::section(Draft& draft, const std::vector<Setting>& settings, const char* title, float width) {
  const SettingWidths widths(settings, true);
  const bool paper = with_paper(settings);
  if (ImGui::BeginTable(title, paper ? 3 : 2, ImGuiTableFlags_SizingFixedFit, {width, 0})) {
    ImGui::TableSetupColumn("setting", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, widths.value);
    if (paper) ImGui::TableSetupColumn("paper", ImGuiTableColumnFlags_WidthFixed, widths.paper);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ui::text(title, ui::Look::strong);
    ImGui::TableNextColumn();
    if (paper) {
      ImGui::TableNextColumn();
      ui::right("paper", ui::Look::small_muted);
    }
    for (const Setting& setting : settings) {
      if (setting.section != title || !setting.matters) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::AlignTextToFramePadding();
      ui::text((setting.changed ? "● " : "") + setting.title, title_look(setting));
      ui::tip(setting_tip(setting));
      ImGui::TableNextColumn();
      control(draft, setting, 0);
      if (paper) {
        ImGui::TableNextColumn();
        at_side(setting.paper);
      }
      several(setting);
    }
    ImGui::EndTable();
  }
  for (const Setting& setting : settings)
    if (setting.section == title && setting.matters) trouble(setting, width);
}

void DraftForm::matters(Draft& draft) {
  using Columns = std::vector<std::vector<const char*>>;
  const float all = ImGui::GetContentRegionAvail().x, gap = px(24);
  // A change rebuilds the rows: they are drawn from a copy.
  const std::vector<Setting> settings = draft.settings();
  const SettingWidths widths(settings, true);
  const float least = widths.title + widths.value + widths.paper + 6 * px(4);
  Columns columns = all >= 3 * least + 2 * gap ? Columns{{"Pretrain"}, {"Cache", "Network"}, {"Finetune"}}
                    : all >= 2 * least + gap   ? Columns{{"Pretrain", "Network"}, {"Cache", "Finetune"}}
                                               : Columns{{"Pretrain", "Cache", "Finetune", "Network"}};
  const bool of_task = std::any_of(settings.begin(), settings.end(),
                                   [](const Setting& setting) { return setting.section == "Task" && setting.matters; });
  if (of_task) columns.front().insert(columns.front().begin(), "Task");
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

void DraftForm::all_settings(Draft& draft) {
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
  const bool paper = with_paper(settings);
  if (ImGui::BeginTable("train/settings", paper ? 5 : 4,
                        ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableSetupColumn("setting", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, widths.value);
    ImGui::TableSetupColumn("reset", ImGuiTableColumnFlags_WidthFixed, ui::button_width("Reset"));
    ImGui::TableSetupColumn("preset", ImGuiTableColumnFlags_WidthFixed, widths.preset);
    if (paper) ImGui::TableSetupColumn("paper", ImGuiTableColumnFlags_WidthFixed, widths.paper);
    ImGui::TableNextRow();
    for (const char* title : {"setting", "value", "", "preset", "paper"}) {
      if (!paper && title == std::string_view("paper")) continue;
      ImGui::TableNextColumn();
      if (title[0] == 'p')
        ui::right(title, ui::Look::small_muted);
      else
        ui::text(title, ui::Look::small_muted);
    }
    bool any = false;
    for (const Setting& setting : settings) {
      const bool own = setting.key == "seed" || setting.key == "device" || setting.key == "note";
      if (own || (!search_.empty() && !mentions(setting.key, search_) && !mentions(setting.help, search_) &&
                  !mentions(setting.title, search_)))
        continue;
      any = true;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::AlignTextToFramePadding();
      ui::text(setting.key, title_look(setting));
      ui::tip(setting_tip(setting));
      if (!setting.matters) trouble(setting, 0);
      ImGui::TableNextColumn();
      // Important settings have their control above: names are unique.
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
      ImGui::TableNextColumn();
      at_side(setting.preset.empty() ? "–" : setting.preset);
      if (paper) {
        ImGui::TableNextColumn();
        at_side(setting.paper.empty() ? "–" : setting.paper);
      }
      if (!setting.matters) several(setting);
    }
    ImGui::EndTable();
    if (!any) ui::text(fmt::format("No setting holds “{}”.", search_), ui::Look::muted);
  }
  ImGui::PopStyleVar();
}

void DraftForm::draw(Training& training) {
  // If a child window would be too low, the page scrolls instead.
  const bool child = ImGui::GetContentRegionAvail().y >= px(kLeastDraft);
  if (child) ImGui::BeginChild("train/draft");
  Draft& draft = training.drafts.shown();
  choices(draft);
  ui::space(12);
  matters(draft);
  ui::space(12);
  all_settings(draft);
  if (child) ImGui::EndChild();
}

}  // namespace pairs::gui
