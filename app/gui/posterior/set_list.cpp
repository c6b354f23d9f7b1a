#include "app/gui/posterior/set_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/gui/plot/figure_saver.h"
#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"
#include "app/model/posterior/work/set_table.h"
#include "core/base/text/text.h"

namespace pairs::gui {
namespace {

using model::SetColumn;
using model::SetTable;

constexpr int kRowsInView = 14;  // visible at once
constexpr float kRowHeight = 22;

float set_row_height() {
  return px(kRowHeight);
}

float column_width(const SetColumn& column, bool limit) {
  using Kind = SetColumn::Kind;
  switch (column.kind) {
    case Kind::name:
      return px(84);
    case Kind::n:
      return px(44);
    case Kind::interval:
      return ui::text_size(limit ? "below 0.00000" : "0.00000 to 0.00000 ", ui::Look::small).x;
    case Kind::percentile:
      return ui::text_size(column.title + " ▼", ui::Look::small).x;
    case Kind::check:
      return px(200);
    default:
      return std::max(ui::text_size("−0.00000", ui::Look::small).x,
                      ui::text_size(column.title + " ▼", ui::Look::small).x);
  }
}

// The columns that are not part of an observation.
std::vector<std::string> spare_columns(const model::PosteriorScene& scene) {
  std::vector<std::string> spare;
  for (const std::string& name : scene.columns)
    if (std::find(scene.taken.begin(), scene.taken.end(), name) == scene.taken.end()) spare.push_back(name);
  return spare;
}

// The complete content of a row, of which its cells show the beginning, and the effect of a click.
std::string row_tip(const SetRow& row) {
  constexpr const char* click = "Click to show this set; Ctrl adds another one, Shift all up to it";
  if (!row.problem.empty()) return fmt::format("Not answered: {}\n{}", row.problem, click);
  if (row.warnings.empty()) return click;
  return fmt::format("{}\n{}", fmt::join(row.warnings, "\n"), click);
}

void number_cell(const std::string& text, ui::Look look, bool number) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = number ? std::max(width - ui::text_size(text, look).x, 0.0f) : 0;
  ui::text_at({at.x + left, at.y}, text, look, width, !number);
}

}  // namespace

float SetList::width() {
  return px(572);
}

void SetList::draw_choice(model::Posterior& posterior, const model::PosteriorScene& scene) {
  if (scene.simulated || posterior.follow.state() || !scene.choice.member.empty() || posterior.sets.table().is_open())
    return;
  const std::vector<std::string> spare = spare_columns(scene);
  if (spare.empty()) return;
  std::vector<std::string> choices = {"one set"};
  for (const std::string& name : spare) choices.push_back("sets by " + printable(name, 60));
  int chosen = 0;
  constexpr const char* about =
      "Whether all rows of the file form one set, or a column assigns each row to one of many sets; these are listed "
      "in a table, as infer --group does";
  ui::label("Rows form", about, 80);
  if (ui::combo("posterior/sets/by", chosen, choices, about, 0) && chosen > 0) {
    SetChoice sets = of_all_members(scene.choice);
    sets.group = spare[static_cast<std::size_t>(chosen - 1)];
    posterior.sets.open(std::move(sets));
  }
}

void SetList::head(model::Posterior& posterior) {
  SetTable& sets = posterior.sets.table();
  const std::filesystem::path& data = sets.sets().question.set.file;
  const std::string name = printable((data.has_filename() ? data : data.parent_path()).filename().string(), 120),
                    &group = sets.sets().question.set.group;
  ui::text(group.empty() ? "Sets of " + name : fmt::format("Sets of {} by {}", name, printable(group, 60)),
           ui::Look::small_strong);
  ui::wrapped(sets.progress_text(), ui::Look::small_muted, 0, "posterior/sets/progress");
  if (ui::segment("posterior/sets/posterior", "Posterior", !forest_, "The plot shows the selected set"))
    forest_ = false;
  ImGui::SameLine(0, px(2));
  if (ui::segment("posterior/sets/forest", "Forest plot", forest_,
                  "The plot shows mean and interval of each set, in the order of the table",
                  sets.rows() == 0 ? "No set has a posterior yet" : ""))
    forest_ = true;
  ImGui::SameLine(0, px(12));
  const std::string blocked = sets.job().busy()     ? "It is being written"
                              : !sets.result().done ? "The sets are still being evaluated"
                                                    : "";
  if (ui::button("posterior/sets/export", "Export…", ui::Button::normal, blocked,
                 "Writes the table as infer --group does: CSV, JSON, NPZ or LaTeX"))
    save_.ask(file_stem(sets.sets().question.set.file.stem().string() + " posteriors") + ".csv");
  ImGui::SameLine();
  bool exact = sets.sets().exact;
  const std::string none = sets.no_exact();
  if (ui::toggle("posterior/sets/exact", "Exact", exact,
                 "Asks for the exact posterior of each set as well: its mean and sd, and how far ours is from it. It "
                 "takes longer",
                 none.empty() ? "" : "There are none: " + none))
    sets.set_exact(exact);
  ImGui::SameLine();
  if (ui::button("posterior/sets/close", "Close", ui::Button::quiet, "",
                 group.empty() ? "Closes the table" : "All rows of the file form one set again"))
    posterior.sets.close();
}

void SetList::header(SetTable& sets) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, set_row_height());
  for (std::size_t c = 0; c < sets.columns().size(); ++c) {
    if (!ImGui::TableNextColumn()) continue;
    const SetColumn& column = sets.columns()[c];
    const bool sorted = sets.sorted() == c;
    const std::string label = sorted ? column.title + (sets.down() ? " ▼" : " ▲") : column.title;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string name = fmt::format("posterior/sets/sort/{}", c);
    const float wide = ImGui::GetContentRegionAvail().x;
    const bool pressed = ImGui::InvisibleButton(name.c_str(), {std::max(wide, px(8)), px(kRowHeight - 4)});
    keyboard::offer(name, ItemKind::button, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), label);
    ui::tip(column.title + "\n" + column.meaning + "\nClick to sort by it");
    ImGui::SetCursorScreenPos(at);
    number_cell(label, sorted ? ui::Look::small : ui::Look::small_muted, column.number());
    if (pressed) sets.sort_by(c);
  }
}

void SetList::row(model::Posterior& posterior, std::size_t place) {
  SetTable& sets = posterior.sets.table();
  const std::size_t index = sets.order()[place];
  const SetRow& row = sets.row(index);
  const std::string name = "posterior/sets/row/" + row.name;
  ImGui::TableNextRow(0, set_row_height());
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(index));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed =
      ImGui::Selectable("##row", sets.is_chosen(index), ImGuiSelectableFlags_SpanAllColumns, {0, px(kRowHeight - 4)});
  const ImVec2 low = {at.x, ImGui::GetItemRectMin().y}, high = {at.x + px(84), ImGui::GetItemRectMax().y};
  keyboard::offer(name, ItemKind::row, low, high, row.name);
  ui::tip(row_tip(row));
  ImGui::SetCursorScreenPos(at);
  const bool first = !sets.chosen().empty() && sets.chosen().front() == index;
  for (std::size_t c = 0; c < sets.columns().size(); ++c) {
    if (c > 0 && !ImGui::TableNextColumn()) continue;
    const SetColumn& column = sets.columns()[c];
    const bool bad = !row.problem.empty() || row.verdict.warns();
    const ui::Look look = (c == 0 || column.kind == SetColumn::Kind::check) && bad ? ui::Look::small_warning
                          : c == 0 && first                                        ? ui::Look::small_strong
                                                                                   : ui::Look::small;
    number_cell(sets.cell(row, column), look, column.number());
  }
  ImGui::PopID();
  if (!pressed) return;
  const ImGuiIO& io = ImGui::GetIO();
  posterior.sets.choose(place, io.KeyShift  ? model::SetClick::range
                               : io.KeyCtrl ? model::SetClick::toggled
                                            : model::SetClick::alone);
}

void SetList::table(model::Posterior& posterior) {
  SetTable& sets = posterior.sets.table();
  if (sets.columns().empty()) return;
  const auto rows = static_cast<int>(sets.order().size());
  const float high = static_cast<float>(std::clamp(rows, 3, kRowsInView) + 1) * set_row_height() +
                     ImGui::GetStyle().ScrollbarSize + px(2);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY;
  const bool limit = posterior.options.interval() == IntervalKind::upper_limit;
  const auto columns = static_cast<int>(sets.columns().size());
  const std::string id = fmt::format("posterior/sets/table/{}/{}", columns, limit);
  if (!ImGui::BeginTable(id.c_str(), columns, kFlags, {0, high})) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const SetColumn& column : sets.columns())
    ImGui::TableSetupColumn(column.title.c_str(), ImGuiTableColumnFlags_WidthFixed, column_width(column, limit));
  header(sets);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(sets.order().size()), set_row_height());
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      if (static_cast<std::size_t>(k) < sets.rows()) row(posterior, static_cast<std::size_t>(k));
  ImGui::EndTable();
}

void SetList::draw(model::Posterior& posterior) {
  if (!posterior.sets.table().is_open()) {
    forest_ = false;
    return;
  }
  head(posterior);
  if (const std::string& failure = posterior.sets.table().result().failure; !failure.empty())
    ui::notice("posterior/sets/failure", ui::Look::bad, failure);
  if (posterior.sets.table().is_open()) table(posterior);
  ui::space(8);
}

// Closes the dialog once the file is written, or shows in it why it is not.
void SetList::answer(model::Posterior& posterior) {
  const auto outcome = posterior.sets.table().job().take();
  if (!outcome) return;
  saving_ = false;
  if (!outcome->failure.empty()) return save_.fail(outcome->failure);
  save_.close();
  ui::saved(outcome->file);
}

void SetList::dialog(model::Posterior& posterior) {
  if (saving_) answer(posterior);
  if (!save_.is_drawn()) return;
  const SaveDialog::Texts texts = {"Export the table of sets",
                                   "One row per set with everything that infer --group reports of it. The ending "
                                   "decides the format: .csv, .json, .npz or .tex.",
                                   "Path, e.g. ~/posteriors.csv",
                                   {{"Tables", {".csv", ".json", ".npz", ".tex"}}}};
  const auto file = save_.draw(
      {"posterior/sets/browser", "posterior/sets/path", "posterior/sets/write", "posterior/sets/cancel"}, texts);
  if (!file || saving_) return;
  const std::string why = posterior.sets.table().save(*file);
  if (!why.empty()) return save_.fail(why);
  saving_ = true;
}

bool SetList::draw_forest(model::Posterior& posterior, ImVec2 size) {
  if (!forest_ || !posterior.sets.table().is_open()) return false;
  const auto figure = posterior.sets.table().forest();
  if (!figure) return false;
  plot_.draw(figure, size);
  return true;
}

}  // namespace pairs::gui
