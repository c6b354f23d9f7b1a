#include "app/gui/compare/run_table_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/path_dialog.h"
#include "app/runs/run_about.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::RunBoard;
using model::TableRow;
using model::TableView;

constexpr float kTick = 20, kWidestColumn = 300, kWidestName = 420, kLeastColumn = 44;  // at scale 1
constexpr int kMostRows = 14;                                                           // without scrolling

float inner_height() {
  return px(kTick);
}

float row_height() {
  return inner_height() + 2 * ImGui::GetStyle().CellPadding.y;
}

// A cell's text, right-aligned for a number; cut where a column is only partly visible.
void cell_text(const std::string& text, ui::Look look, bool number) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, wide = ui::text_size(text, look).x;
  const float room = std::min(width, ImGui::GetWindowDrawList()->GetClipRectMax().x - at.x);
  const float left = number && wide < width ? at.x + width - wide : at.x;
  const bool whole = left + wide <= at.x + room + 1;
  const float top = at.y + std::floor((inner_height() - ui::text_size("X", look).y) / 2);
  if (whole)
    ui::text_at({left, top}, text, look);
  else if (room >= px(24))
    ui::text_at({at.x, top}, text, look, room, true);
}

std::string chosen_text(std::size_t count) {
  return fmt::format("{} selected", count);
}

}  // namespace

void RunTablePanel::filter_line(RunBoard& board, const TableView* view) {
  if (last_filter_ != board.choices().filter) filter_ = last_filter_ = board.choices().filter;
  const std::string sentence = view ? view->sentence : "Reading the runs …";
  const float reported = ui::text_size(sentence, ui::Look::small_muted).x + px(16);
  const float room = ImGui::GetContentRegionAvail().x;
  const float width = std::max(px(220), std::min(px(560), room - reported - px(40)));
  const std::string hint = view ? "Filter: " + model::filter_example(*view) : "Filter";
  if (ui::input("compare/filter", filter_, hint, model::filter_help(), width)) {
    board.set_filter(filter_);
    last_filter_ = filter_;
  } else if (filter_ != last_filter_ && view) {
    // While the user types: only a valid filter is applied.
    last_filter_ = model::filter_problem(filter_, view->keys).empty() ? filter_ : "";
    if (last_filter_ != board.choices().filter) board.set_filter(last_filter_);
  }
  ui::help(model::filter_help());
  ImGui::SameLine(0, px(16));
  ImGui::AlignTextToFramePadding();
  ui::text(sentence, ui::Look::small_muted);
  if (view && !view->filter_problem.empty())
    ui::wrapped(view->filter_problem + (view->filter_problem.ends_with('?') ? "" : ".") + " All runs are listed.",
                ui::Look::bad, 0, "compare/filter/problem");
}

void RunTablePanel::switches(RunBoard& board, const TableView& view) {
  bool fold = board.choices().fold, all = board.all_tasks(), archived = board.choices().archived;
  if (ui::toggle("compare/fold", "Fold seeds", fold,
                 "Runs that differ in their seed alone are one row: scores become mean ± standard error over test sets "
                 "and seeds, cost and time mean ± standard deviation between the runs, and the column \"runs\" shows "
                 "over how many"))
    board.set_fold(fold);
  ImGui::SameLine(0, px(16));
  if (ui::toggle("compare/all-tasks", "All tasks", all, "Lists the runs of every task")) board.set_all_tasks(all);
  ImGui::SameLine(0, px(16));
  if (ui::toggle("compare/archived", "Archived", archived, "Lists archived runs, too")) board.set_archived(archived);
  ImGui::SameLine(0, px(16));
  std::vector<std::string> sizes;
  int at = 0;
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    if (view.sizes[i] == view.n) at = static_cast<int>(i);
    sizes.push_back("N = " + count_text(view.sizes[i]));
  }
  if (ui::combo("compare/n", at, sizes, "The set size of the scores in the table", px(160),
                sizes.empty() ? "No run has scores yet" : ""))
    board.set_n(view.sizes[static_cast<std::size_t>(at)]);
  ImGui::SameLine(0, px(8));
  if (ui::button("compare/columns", "Columns…", ui::Button::quiet, "", "Which columns the table has"))
    ImGui::OpenPopup("columns");
  columns_menu(board, view);
}

void RunTablePanel::columns_menu(RunBoard& board, const TableView& view) {
  ImGui::SetNextWindowSizeConstraints({px(260), 0}, {px(420), px(460)});
  if (!ImGui::BeginPopup("columns")) return;
  const ui::Surface on(palette().raised);
  if (ui::button("compare/columns/reset", "As they are by themselves", ui::Button::quiet,
                 board.choices().columns.empty() ? "They are" : "", "Scores, cost, time and the settings that differ"))
    board.reset_columns();
  if (!view.more_columns.empty()) ui::wrapped(view.more_columns, ui::Look::small_warning);
  bool settings = false;
  for (const model::RunTableColumn& column : view.columns) {
    if (column.key == "name") continue;
    if (column.setting && !settings) {
      settings = true;
      ui::space(4);
      ui::text("Settings", ui::Look::small_muted);
    }
    bool shown = column.shown;
    if (ui::toggle("compare/columns/" + column.key, column.title, shown, column.meaning))
      board.show_column(column.key, shown);
  }
  ImGui::EndPopup();
}

// Sets the baseline of the table and, if it is among their runs, of the figures below.
void RunTablePanel::set_baseline(const Shown& shown, const std::string& run) {
  shown.board.set_baseline(run);
  for (const model::ComparedRun& one : shown.comparison.entries())
    if (one.run == run) shown.comparison.set_baseline(one.name);
}

void RunTablePanel::chosen_line(const Shown& shown, const TableView& view) {
  RunBoard& board = shown.board;
  const std::vector<std::string> runs = board.selection.chosen_listed();
  const std::string none = runs.empty() ? "Select rows of the table first: click, Ctrl+click or Shift+click" : "";
  const auto button = [&](const char* name, const char* label, const std::string& blocked, const char* tip,
                          ui::Button kind = ui::Button::normal) {
    // What does not fit goes to its own line.
    if (ImGui::GetContentRegionAvail().x < ui::button_width(label)) ImGui::NewLine();
    const bool pressed = ui::button(std::string("compare/chosen/") + name, label, kind, blocked, tip);
    ImGui::SameLine(0, px(4));
    return pressed;
  };
  ImGui::AlignTextToFramePadding();
  ui::text(chosen_text(runs.size()), runs.empty() ? ui::Look::muted : ui::Look::strong);
  ImGui::SameLine(0, px(12));
  constexpr std::size_t kMostCompared = 40;
  const std::string many =
      runs.size() > kMostCompared
          ? fmt::format("At most {} at once: more curves could not be distinguished", kMostCompared)
          : none;
  if (button("compare", "Compare", many, "Puts these runs into the figures and tables below, in place of others")) {
    shown.comparison.clear();
    for (const std::string& run : runs) shown.comparison.toggle(run);
  }
  const std::string baseline = board.choices().baseline;
  const bool is_baseline = std::find(runs.begin(), runs.end(), baseline) != runs.end();
  const bool one_row = std::any_of(view.rows.begin(), view.rows.end(), [&](const model::TableRow& row) {
    return std::is_permutation(row.runs.begin(), row.runs.end(), runs.begin(), runs.end());
  });
  if (button("baseline", is_baseline ? "No baseline" : "Baseline",
             runs.size() == 1 || one_row ? ""
             : none.empty()              ? "Select one row only"
                                         : none,
             "Takes the differences of all other runs from this one, on the same test sets"))
    set_baseline(shown, is_baseline ? "" : runs[0]);
  if (button("tag", "Tag…", none, "Adds tags to these runs, or removes them")) ask(Asked::tag, runs);
  const bool untrained = std::any_of(runs.begin(), runs.end(), [&](const std::string& run) {
    const model::RunEntry* entry = shown.library.find(run);
    return entry && !entry->finished && !entry->pretrained;
  });
  if (button("average", "Average",
             runs.size() < 2 ? "Select two or more runs of one task that differ only in their seed"
             : untrained     ? "One of these runs has no weights yet"
                             : "",
             "Makes an ensemble of these runs: its posterior is the mean of theirs, and it shows how far they differ "
             "about a set"))
    board.average(runs);
  const bool all_archived = !runs.empty() && std::all_of(runs.begin(), runs.end(), [&](const std::string& run) {
    const model::RunEntry* entry = shown.library.find(run);
    return entry && entry->archived;
  });
  if (button("archive", all_archived ? "List again" : "Archive", none,
             all_archived ? "Lists these runs again" : "Keeps these runs, and leaves them out of lists"))
    shown.library.archive(runs, !all_archived);
  if (button("delete", "Delete…", none, "Moves these runs to the trash", ui::Button::danger)) ask(Asked::remove, runs);
  if (button("none", "Clear selection", none, "", ui::Button::quiet)) board.selection.choose_none();
  if (button("all", "Select all", view.rows.empty() ? "No run is listed" : "", "Every run that is listed",
             ui::Button::quiet))
    board.selection.choose_all();
  const std::string& undoable = shown.library.undoable();
  if (!undoable.empty() && ui::button("compare/undo", "Undo", ui::Button::quiet, "", "Takes back: " + undoable))
    shown.library.undo();
  ImGui::NewLine();
  if (const std::string said = board.averaged_text();
      !said.empty() && ui::notice("compare/averaged",
                                  board.averaged().failure.empty() ? ui::Look::muted : ui::Look::bad, said, "Dismiss"))
    board.dismiss_averaged();
}

// Widths by the longest text in bytes, within limits.
void RunTablePanel::measure(const std::shared_ptr<const TableView>& view) {
  if (measured_ == view && measured_scale_ == scale()) return;
  measured_ = view;
  measured_scale_ = scale();
  widths_.clear();
  for (std::size_t c = 0; c < view->visible.size(); ++c) {
    const model::RunTableColumn& column = view->columns[view->visible[c]];
    const std::string* longest = nullptr;
    for (const TableRow& row : view->rows)
      if (!longest || row.cells[c].text.size() > longest->size()) longest = &row.cells[c].text;
    float width = ui::text_size(column.title + " ▲", ui::Look::small_muted).x;
    if (longest) width = std::max(width, ui::text_size(*longest).x);
    const bool name = column.key == "name";
    if (name) width += px(52);
    widths_.push_back(std::clamp(width + px(4), px(kLeastColumn), px(name ? kWidestName : kWidestColumn)));
  }
}

void RunTablePanel::header(RunBoard& board, const TableView& view) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, row_height());
  for (std::size_t c = 0; c < view.visible.size(); ++c) {
    const model::RunTableColumn& column = view.columns[view.visible[c]];
    if (!ImGui::TableNextColumn()) continue;
    const bool sorted = board.choices().sort == column.key;
    const std::string label = sorted ? column.title + (board.choices().down ? " ▼" : " ▲") : column.title;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string name = "compare/sort/" + column.key;
    if (ImGui::InvisibleButton(name.c_str(), {std::max(width, px(8)), inner_height()})) board.sort_by(column.key);
    keyboard::offer(name, ItemKind::button, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), label);
    ui::tip(column.meaning.empty() ? column.title + "\nClick to sort by it"
                                   : column.title + "\n" + column.meaning + "\nClick to sort by it");
    ImGui::SetCursorScreenPos(at);
    cell_text(label, sorted ? ui::Look::small : ui::Look::small_muted, column.number);
  }
}

void RunTablePanel::cells(const TableView& view, const TableRow& row) {
  for (std::size_t c = 1; c < view.visible.size(); ++c) {
    if (!ImGui::TableNextColumn()) continue;
    const model::RunTableColumn& column = view.columns[view.visible[c]];
    const model::RunValue& cell = row.cells[c];
    ui::Look look = cell.known() ? ui::Look::body : ui::Look::muted;
    if (column.key == "difference" && std::abs(cell.number) > 2 * cell.error)
      look = cell.number < 0 ? ui::Look::good : ui::Look::bad;
    const float width = ImGui::GetContentRegionAvail().x;
    cell_text(cell.text, look, column.number);
    ImGui::Dummy({width, inner_height()});
    ui::tip(row.notes[c]);
  }
}

void RunTablePanel::row(const Shown& shown, const TableView& view, const TableRow& row) {
  RunBoard& board = shown.board;
  const std::string& run = row.runs.front();
  const std::string name = "compare/row/" + run;
  const auto is_chosen = [&](const std::string& one) { return board.selection.chosen().contains(one); };
  const bool chosen = std::all_of(row.runs.begin(), row.runs.end(), is_chosen);
  ImGui::TableNextRow(0, row_height());
  ImGui::TableNextColumn();
  ImGui::PushID(run.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float text_top = at.y + std::floor((inner_height() - ImGui::GetTextLineHeight()) / 2);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const bool pressed =
      ImGui::Selectable("##row", chosen, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap,
                        {0, inner_height()});
  ImGui::PopStyleVar();
  const bool hovered = ImGui::IsItemHovered(), asked = ImGui::IsItemClicked(ImGuiMouseButton_Right);
  if (hovered) board.selection.hover(row.runs);
  if (hovered && ImGui::IsMouseDoubleClicked(0)) shown.navigation.open_run(run);
  // Identified by the position of its name, which stays visible.
  const ImVec2 low = {at.x, ImGui::GetItemRectMin().y}, high = {at.x + widths_.front(), ImGui::GetItemRectMax().y};
  keyboard::offer(name, ItemKind::row, low, high, row.name);
  const bool named = hovered && ImGui::GetIO().MousePos.x < high.x;
  if (named && ui::text_size(row.name).x > widths_.front() - px(kTick) - px(22)) ui::tip_of(low, high, row.name);
  const bool lit = std::any_of(row.runs.begin(), row.runs.end(),
                               [&](const std::string& one) { return board.selection.hovered().contains(one); });
  if (lit && !hovered) ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, palette().hovered);
  if (pressed) {
    const ImGuiIO& io = ImGui::GetIO();
    board.selection.choose(row, io.KeyShift  ? model::RunSelection::Click::range
                                : io.KeyCtrl ? model::RunSelection::Click::toggled
                                             : model::RunSelection::Click::alone);
  }
  if (asked) {
    if (!chosen) board.selection.choose(row, model::RunSelection::Click::alone);
    ImGui::OpenPopup("menu");
  }
  row_menu(shown, view, row);
  // The tick adds the run to the figures below.
  bool compared = std::all_of(row.runs.begin(), row.runs.end(),
                              [&](const std::string& one) { return shown.comparison.holds(one); });
  const float around = (px(kTick) - ImGui::GetFontSize()) / 2;
  ImGui::SetCursorScreenPos({at.x, at.y + std::floor((inner_height() - px(kTick)) / 2)});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {around, around});
  if (ui::toggle(name + "/tick", "", compared, "Shows it in the figures below"))
    for (const std::string& one : row.runs)
      if (shown.comparison.holds(one) != compared) shown.comparison.toggle(one);
  const float box = ImGui::GetFrameHeight();
  ImGui::PopStyleVar();
  ui::swatch(name + "/color", {at.x + box + px(12), text_top + ImGui::GetTextLineHeight() / 2}, px(4),
             series_color(row.role));
  const float left = at.x + box + px(22), room = widths_.front() - box - px(22);
  const std::string label = row.baseline ? row.name + "  (baseline)" : row.name;
  std::vector<std::string> others;
  for (const TableRow& other : view.rows) others.push_back(row.baseline ? other.name + "  (baseline)" : other.name);
  ui::text_at({left, text_top}, ui::fitted_name(label, others, row.baseline ? ui::Look::strong : ui::Look::body, room),
              row.baseline ? ui::Look::strong : ui::Look::body);
  cells(view, row);
  ImGui::PopID();
}

void RunTablePanel::row_menu(const Shown& shown, const TableView& view, const TableRow& row) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  const bool open = ImGui::BeginPopup("menu");
  ImGui::PopStyleVar();
  if (!open) return;
  const ui::Surface on(palette().raised);
  const std::string& run = row.runs.front();
  const std::vector<std::string> runs = shown.board.selection.chosen_listed();
  const std::string many = runs.size() > 1 ? fmt::format(" {}", counted(runs.size(), "run")) : "";
  const auto item = [&](const char* name, const std::string& label, const std::string& blocked = "") {
    const bool pressed =
        ui::button("compare/row/menu/" + std::string(name), label, ui::Button::quiet, blocked, "", px(220));
    if (pressed) ImGui::CloseCurrentPopup();
    return pressed;
  };
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const bool baseline = shown.board.choices().baseline == run;
  if (item("open", "Open " + (row.runs.size() > 1 ? "the first" : std::string("it")))) shown.navigation.open_run(run);
  if (item("baseline", baseline ? "No baseline" : "Make it the baseline")) set_baseline(shown, baseline ? "" : run);
  if (item("tag", "Tag" + many + "…")) ask(Asked::tag, runs);
  if (item("archive", "Archive" + many)) shown.library.archive(runs, true);
  if (item("delete", "Delete" + many + "…")) ask(Asked::remove, runs);
  ImGui::PopStyleVar(2);
  ImGui::EndPopup();
  static_cast<void>(view);
}

void RunTablePanel::scroll(const RunBoard& board, const TableView& view) {
  if (!std::exchange(scrolls_, false)) return;
  const auto at = std::find_if(view.rows.begin(), view.rows.end(), [&](const TableRow& row) {
    return board.selection.chosen().contains(row.runs.front());
  });
  const float line = row_height();
  if (at != view.rows.end())
    ImGui::SetScrollY(std::max(0.0f, line * (static_cast<float>(at - view.rows.begin()) - kMostRows / 2.0f)));
}

void RunTablePanel::table(const Shown& shown, const TableView& view) {
  const auto rows = static_cast<int>(view.rows.size());
  const float high =
      static_cast<float>(std::min(rows, kMostRows) + 1) * row_height() + ImGui::GetStyle().ScrollbarSize + px(2);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY;
  // A table keeps its initial columns: another set of columns is another table.
  std::string id = "compare/table";
  for (const std::size_t c : view.visible) id += "/" + view.columns[c].key;
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(view.visible.size()), kFlags, {0, high})) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (std::size_t c = 0; c < view.visible.size(); ++c)
    ImGui::TableSetupColumn(view.columns[view.visible[c]].key.c_str(), ImGuiTableColumnFlags_WidthFixed, widths_[c]);
  header(shown.board, view);
  scroll(shown.board, view);
  ImGuiListClipper clipper;
  clipper.Begin(rows, row_height());
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      row(shown, view, view.rows[static_cast<std::size_t>(i)]);
  ImGui::EndTable();
}

void RunTablePanel::ask(Asked what, std::vector<std::string> runs) {
  asked_ = what;
  just_asked_ = true;
  about_ = std::move(runs);
  text_ = unsent_;
}

void RunTablePanel::tag_dialog(model::Library& library, bool& open) {
  if (!ui::begin_dialog("compare/tag/dialog", "Tags of " + counted(about_.size(), "run"), open)) return;
  std::set<std::string> tags;
  for (const std::string& run : about_)
    if (const model::RunEntry* entry = library.find(run)) tags.insert(entry->tags.begin(), entry->tags.end());
  ui::wrapped("Words to find runs by: tag:paper. They are kept in the run's folder, and no training reads them.",
              ui::Look::muted);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (const std::string& tag : tags) {
    const std::string label = tag + "  ✕";
    if (tag != *tags.begin()) {
      ImGui::SameLine(0, px(4));
      if (ImGui::GetCursorScreenPos().x + ui::button_width(label) > right) ImGui::NewLine();
    }
    if (ui::button("compare/tag/remove/" + tag, label, ui::Button::normal, "", "Removes it from these runs"))
      library.tag(about_, {}, {tag});
  }
  if (just_asked_) ImGui::SetKeyboardFocusHere();
  just_asked_ = false;
  const bool typed = ui::input("compare/tag/text", text_, "A tag, or several separated by blanks") && entered();
  // Escape takes the letters out of the field and closes; they are there again when it is opened next.
  if (!ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) unsent_ = text_;
  std::vector<std::string> add;
  std::string problem;
  for (std::size_t from = 0; from < text_.size();) {
    const std::size_t to = std::min(text_.find(' ', from), text_.size());
    if (to > from) add.push_back(text_.substr(from, to - from));
    from = to + 1;
  }
  try {
    for (const std::string& tag : add) check_tag(tag);
  } catch (const Error& error) {
    problem = error.what();
  }
  if (!problem.empty()) ui::wrapped(problem, ui::Look::bad);
  const ui::Choice choice = ui::choose("compare/tag/add", "Add", ui::Button::primary, "compare/tag/close",
                                       add.empty() ? "Type a tag" : problem, "Close");
  const bool adds = choice == ui::Choice::confirm || (typed && !add.empty() && problem.empty());
  if (adds) library.tag(about_, add, {});
  if (adds || choice != ui::Choice::none) unsent_.clear();
  if (adds || choice != ui::Choice::none) open = false;
  if (!open) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

void RunTablePanel::remove_dialog(const Shown& shown, bool& open) {
  if (!ui::begin_dialog("compare/delete/dialog", "Delete " + counted(about_.size(), "run") + "?", open)) return;
  std::uint64_t bytes = 0;
  std::vector<std::string> names, kept;
  std::string why;
  for (const std::string& run : about_) {
    const model::RunEntry* entry = shown.library.find(run);
    if (!entry) continue;
    const std::string blocked = shown.library.blocked(*entry, model::RunAction::remove);
    if (blocked.empty()) {
      bytes += entry->bytes;
      names.push_back(entry->name);
    } else {
      kept.push_back(entry->name);
      why = blocked;
    }
  }
  constexpr std::size_t kMostNamed = 8;
  const std::size_t more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  const std::size_t count = names.size();
  names.resize(names.size() - more);
  if (count > 0)
    ui::wrapped(fmt::format("{}{} ({}) go to the trash with their weights, logs and figures. Undo puts them back.",
                            fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
                            byte_text(bytes)));
  if (!kept.empty())
    ui::wrapped(fmt::format("{} stay{}: {}.", fmt::join(kept, ", "), kept.size() == 1 ? "s" : "", why),
                ui::Look::warning);
  const ui::Choice choice = ui::choose("compare/delete/confirm", "Move to the trash", ui::Button::danger,
                                       "compare/delete/cancel", count == 0 ? "None of them can be deleted" : "");
  if (choice == ui::Choice::confirm) {
    std::vector<std::string> removed;
    for (const std::string& run : about_) {
      const model::RunEntry* entry = shown.library.find(run);
      if (!entry || !shown.library.blocked(*entry, model::RunAction::remove).empty()) continue;
      if (shown.comparison.holds(run)) shown.comparison.toggle(run);
      removed.push_back(run);
    }
    shown.library.remove(removed);
    shown.board.selection.choose_none();
  }
  if (choice != ui::Choice::none) open = false;
  if (!open) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

void RunTablePanel::dialogs(const Shown& shown) {
  const Asked now = asked_;
  bool open = now != Asked::nothing;
  if (now == Asked::tag) tag_dialog(shown.library, open);
  if (now == Asked::remove) remove_dialog(shown, open);
  if (!open && asked_ == now) asked_ = Asked::nothing;
}

void RunTablePanel::draw(const Shown& shown) {
  const std::shared_ptr<const TableView> view = shown.board.view();
  filter_line(shown.board, view.get());
  if (view) {
    switches(shown.board, *view);
    measure(view);
    if (!view->rows.empty()) table(shown, *view);
    chosen_line(shown, *view);
  }
  dialogs(shown);
}

}  // namespace pairs::gui
