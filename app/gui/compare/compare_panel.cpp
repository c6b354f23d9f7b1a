#include "app/gui/compare/compare_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "app/gui/widgets/ui.h"
#include "app/scores/glossary.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::ComparedRun;
using model::Comparison;
using RunState = ComparedRun::State;

std::string state_text(const ComparedRun& run) {
  switch (run.state) {
    case RunState::loading:
      return "reading";
    case RunState::failed:
      return "cannot be read";
    case RunState::other:
      return "left out";
    case RunState::untrained:
      return "no weights yet";
    case RunState::unscored:
      return "no scores";
    case RunState::queued:
      return "waits";
    case RunState::evaluating:
      return percent_text(run.share);
    case RunState::scored:
      return "";
  }
  return "";
}

ui::Look look_of(RunState state) {
  if (state == RunState::failed) return ui::Look::bad;
  return state == RunState::other || state == RunState::unscored ? ui::Look::warning : ui::Look::small_muted;
}

// A column as wide as its texts; the last ones share the remaining space if there are too many.
void column(const std::string& title, std::span<const std::string> texts, ui::Look look, float most) {
  float width = ui::text_size(title, ui::Look::small_muted).x;
  for (const std::string& text : texts) width = std::max(width, ui::text_size(text, look).x);
  ImGui::TableSetupColumn(title.c_str(), ImGuiTableColumnFlags_WidthFixed, std::min(width + 1, most));
}

std::string axis_name(const std::string& key) {
  if (key == "cost") return "cost / GFLOP";
  if (key == "cost_with_cache") return "cost with stage 2 / GFLOP";
  return key == "seconds" ? "time / s" : key;
}

void shade_cells(ImU32 color) {
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, color);
}

}  // namespace

void ComparePanel::runs(Comparison& comparison) {
  const float right_edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetFrameHeight(), close = height;
  std::string removed;
  bool first = true;
  std::vector<std::string> names;
  for (const ComparedRun& run : comparison.entries()) names.push_back(run.name);
  for (const ComparedRun& run : comparison.entries()) {
    const std::string state = state_text(run);
    const float most = right_edge - ImGui::GetWindowPos().x - px(160);
    const float name_width = std::min(ui::text_size(run.name).x, std::max(px(80), most));
    const float state_width = state.empty() ? 0 : ui::text_size(state, look_of(run.state)).x + px(8);
    const float width = px(28) + name_width + state_width + px(4) + close;
    if (!first) {
      ImGui::SameLine(0, px(8));
      if (ImGui::GetCursorScreenPos().x + width > right_edge) ImGui::NewLine();
    }
    first = false;
    const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(min, max, palette().raised, height / 2);
    if (theme() == ThemeKind::light) list.AddRect(min, max, palette().line, height / 2);
    ui::swatch("compare/color/" + run.run, {min.x + px(14), min.y + height / 2}, px(5), series_color(run.role));
    const ui::Surface on(palette().raised);
    const float base = min.y + (height - ui::text_size("N").y) / 2;
    ui::text_at({min.x + px(26), base}, ui::fitted_name(run.name, names, ui::Look::body, name_width + 1),
                ui::Look::body);
    if (!state.empty()) {
      const float drop = ui::text_size("N").y - ui::text_size("N", look_of(run.state)).y;
      ui::text_at({min.x + px(26) + name_width + px(8), base + drop / 2}, state, look_of(run.state));
    }
    ImGui::BeginGroup();
    ImGui::Dummy({width - close, height});
    const std::string of = run.title.empty() ? run.run : fmt::format("{}\n{}: {}", run.name, run.title, run.run);
    ui::tip(run.sentence.empty() ? of : fmt::format("{}\n{}", of, run.sentence));
    ImGui::SameLine(0, 0);
    if (ui::button("compare/remove/" + run.run, "✕", ui::Button::quiet, "", "Takes this run out", close))
      removed = run.run;
    ImGui::EndGroup();
  }
  if (!removed.empty()) comparison.toggle(removed);
}

void ComparePanel::actions(Comparison& comparison, const std::string& task) {
  const std::int64_t lacking = comparison.lacking();
  if (comparison.evaluating()) {
    if (ui::button("compare/stop", "Stop evaluating", ui::Button::normal,
                   comparison.stopping() ? "The evaluation is being stopped" : "",
                   "Stops the running evaluation; finished runs keep their scores."))
      comparison.stop();
  } else {
    const std::string label = lacking > 0 ? fmt::format("Evaluate {} without scores", lacking) : "Evaluate all";
    if (ui::button("compare/evaluate", label, lacking > 0 ? ui::Button::primary : ui::Button::normal,
                   comparison.evaluate_blocked(),
                   "Evaluates every run that has no scores yet, one after the other in the background, each by its own "
                   "settings."))
      comparison.evaluate_all();
  }
  ImGui::SameLine();
  const bool there = comparison.holds(task), exists = comparison.has_shipped(task);
  const std::string blocked = there    ? "The shipped weights are in the comparison"
                              : exists ? ""
                                       : "No weights are shipped for this task";
  if (ui::button("compare/shipped", "Add shipped weights", ui::Button::normal, blocked,
                 "Adds the weights that came with the program for " + task))
    comparison.toggle(task);
  ImGui::SameLine();
  const std::string command = comparison.batch_command(), note = comparison.command_note();
  if (ui::button(
          "compare/command", "Copy command", ui::Button::quiet,
          command.empty() ? "Two runs with weights are needed" : "",
          "Copies the command that does the same without the window:\n" + command + (note.empty() ? "" : "\n" + note)))
    ui::copy(command);
  ImGui::SameLine();
  if (ui::button("compare/clear", "Clear", ui::Button::quiet,
                 comparison.entries().empty() ? "No run is in the comparison" : "", "Takes all runs out"))
    comparison.clear();
}

void ComparePanel::differences(Comparison& comparison, const Comparison::View& view) {
  ui::text(view.score->in_sentence() + " at each N, and the others minus it on the same test sets", ui::Look::strong);
  ui::help(
      "Both runs are scored on the same sets, so that the error of their difference is far smaller than that of "
      "either: below zero the run is better than the baseline, and beyond two standard errors it is marked.");
  std::vector<std::string> names;
  int chosen = 0;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (i == view.baseline) chosen = static_cast<int>(i);
    names.push_back(view.names[i]);
  }
  ui::label("Baseline", "The run that the others are compared with", 84);
  if (ui::combo("compare/baseline", chosen, names, "The run that the others are compared with", px(280)))
    comparison.set_baseline(names[static_cast<std::size_t>(chosen)]);
  std::vector<std::vector<std::string>> cells;  // by column
  const std::string unit = view.score->unit.empty() ? "" : " / " + view.score->unit;
  const auto title_of = [&](std::size_t i) {
    return ui::fitted_name(view.names[i], view.names, ui::Look::small_muted, px(170)) + unit;
  };
  std::vector<std::string> titles = {"N", "sets", title_of(view.baseline)};
  std::vector<std::string> whole = {
      "", "The first test sets, which all of these runs were scored on: every number of a row is over them.",
      view.names[view.baseline]};
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (i == view.baseline) continue;
    titles.push_back(title_of(i));
    whole.push_back(view.names[i]);
  }
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < view.names.size(); ++i)
    if (i != view.baseline) of.push_back(i);
  cells.resize(titles.size());
  std::vector<std::vector<int>> marks(of.size());
  for (const model::DifferenceRow& row : view.differences) {
    cells[0].push_back(count_text(row.n));
    cells[1].push_back(count_text(row.sets));
    cells[2].push_back(with_error_text(row.score, row.score_se, view.score->digits));
    for (std::size_t k = 0; k < of.size(); ++k) {
      const model::Difference& one = row.runs[of[k]];
      const int mark = std::abs(one.mean) > 2 * one.se ? (one.mean < 0 ? -1 : 1) : 0;
      std::string text = with_error_text(one.mean, one.se, view.score->digits + 1);
      if (one.mean > 0) text = "+" + text;
      if (mark) text = (mark < 0 ? "▼ better  " : "▲ worse  ") + text;
      cells[3 + k].push_back(std::move(text));
      marks[k].push_back(mark);
    }
  }
  const float most = std::max(px(160), ImGui::GetContentRegionAvail().x / static_cast<float>(titles.size()));
  if (ImGui::BeginTable("compare/differences", static_cast<int>(titles.size()) + 1,
                        ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollX,
                        {0, static_cast<float>(view.differences.size() + 1) * (ImGui::GetTextLineHeight() + px(8)) +
                                ImGui::GetStyle().ScrollbarSize})) {
    for (std::size_t c = 0; c < titles.size(); ++c)
      column(titles[c], cells[c], ui::Look::body, std::max(most, px(230)));
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 1);
    ImGui::TableNextRow();
    for (std::size_t c = 0; c < titles.size(); ++c) {
      ImGui::TableNextColumn();
      ui::right(titles[c], ui::Look::small_muted);
      std::string about = whole[c];
      if (c == 2) about += "\n" + explanation(view.score->heading());
      if (c > 2)
        about += fmt::format("\n{} less that of {} on the same test sets, ± its standard error\n{}",
                             view.score->in_sentence(), view.names[view.baseline], explanation(view.score->heading()));
      ui::tip(about);
    }
    for (std::size_t r = 0; r < view.differences.size(); ++r) {
      ImGui::TableNextRow();
      for (std::size_t c = 0; c < titles.size(); ++c) {
        ImGui::TableNextColumn();
        const int mark = c >= 3 ? marks[c - 3][r] : 0;
        ui::right(cells[c][r], mark < 0 ? ui::Look::good : mark > 0 ? ui::Look::bad : ui::Look::body);
      }
    }
    ImGui::EndTable();
  }
  if (!view.differences_note.empty()) ui::wrapped(view.differences_note, ui::Look::muted);
}

void ComparePanel::settings(const Comparison::View& view) {
  ImGui::AlignTextToFramePadding();
  ui::text("Training cost and settings", ui::Look::strong);
  ImGui::SameLine(0, px(16));
  const auto differing =
      std::count_if(view.settings.begin(), view.settings.end(), [](const auto& s) { return s.differs; });
  ui::toggle("compare/only-differences", fmt::format("only differences ({})", differing), only_differences_,
             "Hides settings that are the same in every run");
  const std::size_t columns = view.names.size() + 1;
  std::vector<std::vector<std::string>> cells(columns);
  std::vector<bool> differs;
  const auto add = [&](const model::SettingLine& line, const std::string& key) {
    cells[0].push_back(key);
    for (std::size_t i = 0; i < line.values.size(); ++i) cells[i + 1].push_back(line.values[i]);
    differs.push_back(line.differs);
  };
  for (const model::SettingLine& line : view.costs) add(line, "cost, " + line.key);
  for (const model::SettingLine& line : view.settings)
    if (line.differs || !only_differences_) add(line, line.key);
  const float most = std::max(px(140), (ImGui::GetContentRegionAvail().x - px(220)) / static_cast<float>(columns - 1));
  if (ImGui::BeginTable("compare/settings", static_cast<int>(columns),
                        ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollX,
                        {0, static_cast<float>(differs.size() + 1) * (ImGui::GetTextLineHeight() + px(8)) +
                                ImGui::GetStyle().ScrollbarSize})) {
    std::vector<std::string> titles = {"setting"};
    for (const std::string& name : view.names)
      titles.push_back(ui::fitted_name(name, view.names, ui::Look::small_muted, most));
    for (std::size_t c = 0; c < columns; ++c) column(titles[c], cells[c], ui::Look::strong, c == 0 ? px(240) : most);
    ImGui::TableNextRow();
    for (std::size_t c = 0; c < columns; ++c) {
      ImGui::TableNextColumn();
      c == 0 ? ui::text("setting", ui::Look::small_muted) : ui::right(titles[c], ui::Look::small_muted);
      if (c > 0) ui::tip(view.names[c - 1]);
    }
    for (std::size_t r = 0; r < differs.size(); ++r) {
      ImGui::TableNextRow();
      if (differs[r] && !only_differences_) shade_cells(palette().raised);
      const ui::Surface on(differs[r] && !only_differences_ ? palette().raised : ui::surface());
      const ui::Look look = differs[r] ? ui::Look::strong : ui::Look::muted;
      for (std::size_t c = 0; c < columns; ++c) {
        ImGui::TableNextColumn();
        c == 0 ? ui::text(cells[c][r], look) : ui::right(cells[c][r], look);
      }
    }
    ImGui::EndTable();
  }
}

void ComparePanel::draw(const RunTablePanel::Shown& shown, const std::string& task) {
  shown.board.look(task);
  shown.board.selection.turn_frame();
  ImGui::BeginChild("compare/panel");
  table_.draw(shown);
  ui::space(12);
  score_plot(shown.board);
  ui::space(20);
  results(shown.board, shown.comparison, task);
  ImGui::EndChild();
}

void ComparePanel::choose(model::RunBoard& board, const std::vector<std::string>& runs) {
  board.selection.choose_runs(runs);
  table_.scroll_to_chosen();
}

// A score of all listed runs against a varied setting. Rows and curves are linked: what the mouse is on is highlighted
// in both, and a click on a curve selects its row.
void ComparePanel::score_plot(model::RunBoard& board) {
  const auto view = board.view();
  if (!view || view->rows.empty()) return;
  ImGui::AlignTextToFramePadding();
  ui::text("Listed runs", ui::Look::strong);
  ImGui::SameLine(0, px(16));
  std::vector<std::string> scores, axes;
  int y = 0, x = 0;
  const auto index_of = [](const std::vector<std::string>& keys, const std::string& key) {
    const auto at = std::find(keys.begin(), keys.end(), key);
    return at == keys.end() ? 0 : static_cast<int>(at - keys.begin());
  };
  for (const std::string& key : view->scores) scores.push_back(score_named(key).heading());
  for (const std::string& key : view->plot_keys) axes.push_back(key.empty() ? "N" : axis_name(key));
  y = index_of(view->scores, view->plotted.y);
  x = index_of(view->plot_keys, view->plotted.x);
  const std::string blocked = scores.empty() ? "No listed run has scores yet" : "";
  bool changed = ui::combo("compare/plot/y", y, scores, "The score that is drawn", px(190), blocked);
  ImGui::SameLine(0, px(8));
  ui::text("against", ui::Look::muted);
  ImGui::SameLine(0, px(8));
  changed |= ui::combo("compare/plot/x", x, axes,
                       "N, the embedding size (embedder.size), cost, time or another setting in which the runs differ; "
                       "the band is one standard deviation between seeds",
                       px(240), blocked);
  if (changed && !scores.empty())
    board.set_plot(view->scores[static_cast<std::size_t>(y)], view->plot_keys[static_cast<std::size_t>(x)]);
  const model::ScorePlot& plot = view->plot;
  if (plot.figure) {
    std::set<std::string> lit;
    for (const auto& [name, runs] : plot.runs)
      if (std::any_of(runs.begin(), runs.end(),
                      [&](const auto& run) { return board.selection.hovered().contains(run); }))
        lit.insert(name);
    plot_.light(std::move(lit));
    plot_.draw(plot.figure, {ImGui::GetContentRegionAvail().x, px(280)});
    if (const auto at = plot.runs.find(plot_.line_under_mouse()); at != plot.runs.end())
      board.selection.hover(at->second);
    if (const auto at = plot.runs.find(plot_.take_clicked_line()); at != plot.runs.end()) choose(board, at->second);
  }
  if (!plot.note.empty()) ui::wrapped(plot.note, ui::Look::small_muted, 0, "compare/plot/note");
}

// The choice of the losses' horizontal axis.
void ComparePanel::losses(Comparison& comparison, const Comparison::View& view) {
  ImGui::AlignTextToFramePadding();
  ui::text("Losses", ui::Look::strong);
  ImGui::SameLine(0, px(16));
  static const std::vector<std::string> axes = {"against steps", "against epochs", "against time", "against GFLOP"};
  static const std::vector<std::string> means = {"as they are", "smoothed a little", "smoothed", "smoothed much"};
  constexpr std::array<double, 4> kWeights = {0, 0.5, 0.8, 0.95};
  LossLook look = comparison.losses();
  bool rate = comparison.rate_shown();
  int axis = static_cast<int>(look.axis);
  int mean = static_cast<int>(std::find(kWeights.begin(), kWeights.end(), look.smoothing) - kWeights.begin());
  bool changed =
      ui::combo("compare/losses/axis", axis, axes,
                "Steps, epochs, seconds of work on the stage, or the stage's cost by the paper's rule", px(170));
  ImGui::SameLine(0, px(8));
  changed |= ui::combo(
      "compare/losses/smoothing", mean, means,
      "An exponential mean over the points, of weight 0.5, 0.8 or 0.95; the title of the figure states it", px(180));
  ImGui::SameLine(0, px(12));
  changed |= ui::toggle("compare/losses/rate", "Learning rate", rate, "Draws the learning rate below");
  look.axis = static_cast<LossAxis>(axis);
  look.smoothing = kWeights[static_cast<std::size_t>(mean)];
  if (changed) comparison.set_losses(look, rate);
  ui::space(4);
  losses_.draw(view.losses);
}

void ComparePanel::link(model::RunBoard& board, const Comparison::View& view) {
  std::set<std::string> lit;
  for (std::size_t i = 0; i < view.runs.size(); ++i)
    if (board.selection.hovered().contains(view.runs[i])) lit.insert(view.lines[i].begin(), view.lines[i].end());
  const auto runs_of = [&](const std::string& line) {
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < view.runs.size() && !line.empty(); ++i)
      if (std::any_of(view.lines[i].begin(), view.lines[i].end(),
                      [&](const std::string& name) { return PlotView::names_line(name, line); }))
        runs.push_back(view.runs[i]);
    return runs;
  };
  for (FigureGrid* grid : {&figures_, &losses_}) {
    grid->light(lit);
    if (const auto runs = runs_of(grid->line_under_mouse()); !runs.empty()) board.selection.hover(runs);
    if (const auto runs = runs_of(grid->take_clicked_line()); !runs.empty()) choose(board, runs);
  }
}

void ComparePanel::results(model::RunBoard& board, Comparison& comparison, const std::string& task) {
  if (!comparison.entries().empty()) {
    runs(comparison);
    ui::space(4);
  }
  actions(comparison, task);
  ui::space(8);
  if (comparison.entries().empty()) {
    ui::empty_state("Nothing to compare yet",
                    "Tick two or more runs above or on the left: their scores, losses, costs and settings are then "
                    "shown side by side.");
    return;
  }
  const auto view = comparison.view();
  if (!view) {
    ui::working_state("Reading the runs …");
    return;
  }
  bool any = false;
  for (const ComparedRun& run : comparison.entries())
    if (run.warns) {
      ui::notice("compare/notice/" + run.run, look_of(run.state), run.sentence);
      any = true;
    }
  if (comparison.entries().size() == 1) {
    ui::wrapped("Tick another run of this task on the left to compare.", ui::Look::muted);
    any = true;
  }
  if (any) ui::space(8);
  link(board, *view);
  figures_.draw(view->figures);
  ui::space(20);
  losses(comparison, *view);
  if (!view->differences.empty() && view->names.size() > 1) {
    ui::space(20);
    differences(comparison, *view);
  }
  if (!view->names.empty()) {
    ui::space(20);
    settings(*view);
  }
}

}  // namespace pairs::gui
