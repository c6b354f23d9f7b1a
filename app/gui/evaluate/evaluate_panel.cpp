#include "app/gui/evaluate/evaluate_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::Evaluation;
using model::EvaluationField;

struct SettingText {
  EvaluationField field;
  const char *name, *label, *tip;
  float least, share;  // width in pixels at scale 1, and share of the remaining space
};
constexpr SettingText kSettings[] = {
    {EvaluationField::sizes, "evaluate/sizes", "Set sizes N",
     "How many observations the test sets hold, separated by commas: each size becomes a point in every figure.", 160,
     0.5f},
    {EvaluationField::sets, "evaluate/sets", "Test sets",
     "How many sets are simulated at each size: one number for all, or one per size. Four times as many halve the "
     "errors.",
     120, 0.5f},
    {EvaluationField::samples, "evaluate/samples", "Samples",
     "Posterior samples per set, for the error of the mean and calibration; 0 leaves both out.", 88, 0},
    {EvaluationField::seed, "evaluate/seed", "Seed",
     "Which test sets are simulated: runs evaluated with the same seed see the same sets and can be compared pair by "
     "pair.",
     72, 0},
};

// As many digits as an estimate deserves.
std::string about(double seconds) {
  if (std::isnan(seconds)) return "";
  if (seconds < 60) return fmt::format("about {:.0f} s", std::max(1.0, seconds));
  if (seconds < 3600) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.1f} h", seconds / 3600);
}

// A cell's text, marked if the evaluation's verdict is about it.
std::string cell_text(const model::ScoreTable& table, std::size_t row, std::size_t column) {
  return (table.marked[row][column] ? "▲ " : "") + table.rows[row][column];
}

// Borderline is shown in words and color, miscalibration has a mark as well.
const char* mark_of(CalibrationLevel level) {
  return level == CalibrationLevel::miscalibrated ? "▲ " : "";
}
ui::Look look_of(CalibrationLevel level, ui::Look usual) {
  return level == CalibrationLevel::miscalibrated || level == CalibrationLevel::borderline ? ui::Look::warning : usual;
}

// Some columns of the table, followed by the verdicts that belong to them.
void score_columns(const char* name, const model::ScoreTable& table, const std::vector<std::size_t>& shown,
                   const std::vector<float>& widths, ui::Look body, bool verdicts) {
  if (!ImGui::BeginTable(name, static_cast<int>(shown.size()) + 1,
                         ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH))
    return;
  for (const std::size_t c : shown)
    ImGui::TableSetupColumn(table.columns[c].title.c_str(), ImGuiTableColumnFlags_WidthFixed, widths[c]);
  ImGui::TableSetupColumn("verdict", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableNextRow();
  for (const std::size_t c : shown) {
    ImGui::TableNextColumn();
    ui::right(table.columns[c].title, ui::Look::small_muted);
    ui::tip(table.columns[c].meaning);
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    ImGui::TableNextRow();
    for (const std::size_t c : shown) {
      ImGui::TableNextColumn();
      ui::right(cell_text(table, r, c), table.marked[r][c] ? ui::Look::warning : body);
    }
    ImGui::TableNextColumn();
    const model::Verdict& verdict = table.verdicts[r];
    if (!verdicts || verdict.text.empty()) continue;
    ui::text(mark_of(verdict.level) + verdict.text, look_of(verdict.level, ui::Look::small_muted));
    ui::tip(verdict.meaning);
  }
  ImGui::EndTable();
}

}  // namespace

void EvaluatePanel::settings(Evaluation& evaluation) {
  const float right_edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const float gap = px(12);
  float spare = std::min(ImGui::GetContentRegionAvail().x, px(860)) - 3 * gap;
  for (const SettingText& one : kSettings) spare -= px(one.least);
  spare = std::max(spare, 0.0f);
  bool first = true;
  for (const SettingText& one : kSettings) {
    const float width = px(one.least) + one.share * spare;
    if (!first) {
      ImGui::SameLine(0, gap);
      if (ImGui::GetCursorScreenPos().x + width > right_edge) ImGui::NewLine();
    }
    first = false;
    ImGui::BeginGroup();
    ui::text_at(ImGui::GetCursorScreenPos(), one.label, ui::Look::small_muted);
    ImGui::Dummy({width, ui::text_size(one.label, ui::Look::small_muted).y});
    std::string text = evaluation.form.text(one.field);
    ui::input(one.name, text, "", one.tip, width,
              evaluation.work().running ? "An evaluation is running; settings apply to the next one" : "");
    ImGui::EndGroup();
    if (text != evaluation.form.text(one.field)) evaluation.form.set(one.field, text);
  }
  for (const SettingText& one : kSettings)
    if (const std::string& problem = evaluation.form.problem(one.field); !problem.empty())
      ui::wrapped(problem, ui::Look::bad);
}

void EvaluatePanel::work(Evaluation& evaluation) {
  const Evaluation::Work& work = evaluation.work();
  if (work.running) {
    const std::string of = work.run == evaluation.run() ? "" : fmt::format("{}: ", work.name);
    const std::string left = std::isnan(work.remaining) ? "" : fmt::format(", {} left", about(work.remaining));
    std::string text = fmt::format("{}N = {}, {} of {} sizes done, {:.0f} %{}", of, count_text(work.n), work.done,
                                   work.sizes, std::floor(100 * work.share), left);
    if (work.stopping) text = fmt::format("{}stopping; the sizes that are done stay shown", of);
    const float button = ui::button_width("Stop");
    ImGui::BeginGroup();
    ui::progress(static_cast<float>(work.share), text, ImGui::GetContentRegionAvail().x - button - px(40));
    ImGui::EndGroup();
    ImGui::SameLine(0, px(12));
    if (ui::button("evaluate/stop", "Stop", ui::Button::normal, work.stopping ? evaluation.blocked() : "",
                   "Ends the evaluation after the sets it is at; finished sizes stay shown but are not kept."))
      evaluation.stop();
    return;
  }
  const bool first = !evaluation.scores();
  if (ui::button("evaluate/start", first ? "Evaluate" : "Evaluate again", ui::Button::primary, evaluation.blocked(),
                 "Scores the run on fresh test sets in the background; everything else remains usable meanwhile. While "
                 "the run is being trained, its last saved weights are scored."))
    evaluation.start();
  ImGui::SameLine();
  if (ui::button("evaluate/reset", "Reset", ui::Button::quiet,
                 evaluation.form.changed() ? "" : "These are the run's own settings", "Back to the run's own settings"))
    evaluation.form.reset();
  ImGui::SameLine();
  if (ui::button("evaluate/command", "Copy command", ui::Button::quiet, "",
                 "Copies the command that does the same without the window:\n" + evaluation.batch_command()))
    ui::copy(evaluation.batch_command());
  if (const auto scores = evaluation.scores()) {
    ImGui::SameLine();
    if (ui::button("evaluate/save", "Save as …", ui::Button::quiet, "", "Writes these scores as a JSON file"))
      saving_.ask(scores->name.substr(0, scores->name.find(' ')) + "-scores.json");
  }
  const std::string expected = about(evaluation.form.expected_seconds());
  if (!expected.empty()) {
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < ui::text_size("takes " + expected, ui::Look::muted).x) ImGui::NewLine();
    ImGui::AlignTextToFramePadding();
    ui::text("takes " + expected, ui::Look::muted);
  }
}

void EvaluatePanel::saving(Evaluation& evaluation) {
  const SaveDialog::Texts texts = {"Save the scores",
                                   "All numbers, with the log density of each test set, as one JSON file.",
                                   "Path, e.g. ~/scores.json",
                                   {{"Scores", {".json"}}},
                                   ".json"};
  const auto file = saving_.draw({"evaluate/saving", "evaluate/file", "evaluate/write", "evaluate/cancel"}, texts);
  if (!file) return;
  evaluation.save_as(file->string());
  saving_.close();
}

void EvaluatePanel::table(const model::Scores& scores) {
  const model::ScoreTable table = model::score_table(scores.rows, scores.sizes);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool narrow = room < px(900);
  const ui::Look body = narrow ? ui::Look::small : ui::Look::body;
  const float padding = px(narrow ? 6.0f : 8.0f);
  std::vector<float> widths;
  float total = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    widths.push_back(ui::text_size(table.columns[c].title, ui::Look::small_muted).x + 1);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const ui::Look look = table.marked[r][c] ? ui::Look::warning : body;
      widths.back() = std::max(widths.back(), ui::text_size(cell_text(table, r, c), look).x + 1);
    }
    total += widths.back() + 2 * padding;
  }
  float verdict = 0;
  for (const model::Verdict& one : table.verdicts)
    verdict = std::max(verdict, ui::text_size("▲ " + one.text, ui::Look::body).x + 2 * padding);
  std::vector<std::size_t> all(table.columns.size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = c;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {padding, px(4)});
  // Calibration goes to its own table if one would be too wide.
  if (total + verdict <= room || table.calibration == table.columns.size()) {
    score_columns("evaluate/table", table, all, widths, body, true);
  } else {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(table.calibration);
    std::vector<std::size_t> calibration(first, all.end());
    calibration.insert(calibration.begin(), 0);
    score_columns("evaluate/table", table, {all.begin(), first}, widths, body, false);
    ui::space(8);
    score_columns("evaluate/calibration", table, calibration, widths, body, true);
  }
  ImGui::PopStyleVar();
}

void EvaluatePanel::draw(Evaluation& evaluation, const std::string& run, bool data_shown) {
  evaluation.measure();
  switch (evaluation.state()) {
    case Evaluation::State::none:
      if (!run.empty())
        return ui::empty_state("This run has no weights yet",
                               "It can be evaluated as soon as its first stage is done; the Train tab shows how far it "
                               "is.");
      ui::empty_state(
          "Nothing to evaluate yet",
          "Scores show how good a trained run is. Train this task on the Train tab, or select a run on the left.");
      return;
    case Evaluation::State::loading:
      ui::working_state(fmt::format("Reading {} …", evaluation.name()));
      return;
    case Evaluation::State::failed:
      ui::empty_state("This run cannot be evaluated", evaluation.error(), true);
      return;
    default:
      break;
  }
  if (!evaluation.failure().empty() && ui::notice("evaluate/failure", ui::Look::bad, evaluation.failure(), "Dismiss"))
    evaluation.dismiss();
  if (!evaluation.warning().empty() && !data_shown)
    ui::notice("evaluate/warning", ui::Look::warning, evaluation.warning());
  settings(evaluation);
  ui::space(4);
  work(evaluation);
  saving(evaluation);
  ui::space(8);

  const auto scores = evaluation.scores();
  if (!scores) {
    if (evaluation.work().running && evaluation.work().run == evaluation.run())
      ui::empty_state("Scoring the first size",
                      "Its row in the table and its points in the figures appear as soon as it is done.");
    else
      ui::empty_state("Not evaluated yet",
                      "An evaluation simulates test sets, infers their posteriors and measures how well these match "
                      "the truth. Press Evaluate: the figures grow while it works.");
    return;
  }
  ImGui::BeginChild("evaluate/results");
  if (!scores->complete && !evaluation.work().running) {
    if (ui::notice("evaluate/partial", ui::Look::warning,
                   fmt::format("Stopped after {} of the sizes: these scores are partial and not kept.",
                               scores->rows.size() == 1 ? "one" : std::to_string(scores->rows.size())),
                   "Discard"))
      evaluation.discard();
    ui::space(4);
  }
  const auto [low, high] = std::minmax_element(scores->rows.begin(), scores->rows.end(),
                                               [](const auto& a, const auto& b) { return a.sets < b.sets; });
  const std::string sets = low->sets == high->sets
                               ? count_text(low->sets)
                               : fmt::format("{} to {}", count_text(low->sets), count_text(high->sets));
  const std::string place = !scores->place.empty()                     ? ", kept in " + scores->place
                            : evaluation.shipped() && scores->complete ? ", kept until the program ends"
                                                                       : "";
  ui::wrapped(fmt::format("{}: {} sets per size, {}, seed {}{}", scores->name, sets, scores->data, scores->seed, place),
              ui::Look::small_muted);
  if (!scores->caution.empty()) ui::wrapped("▲ " + scores->caution + ".", ui::Look::warning, 0, "evaluate/caution");
  if (const EvaluationVerdict& verdict = scores->verdict; !verdict.text.empty()) {
    ui::wrapped((verdict.bad ? "▲ " : "") + verdict.text + ".",
                verdict.bad ? ui::Look::warning : look_of(verdict.level, ui::Look::strong), 0, "evaluate/verdict");
    ui::tip(calibrated_meaning());
    if (!verdict.family.empty()) ui::wrapped(verdict.family + ".", ui::Look::small_muted);
    if (!scores->sharpness.empty()) ui::wrapped(scores->sharpness + ".", ui::Look::body, 0, "evaluate/sharpness");
    ui::space(4);
  }
  table(*scores);
  if (!scores->note.empty()) ui::wrapped(scores->note, ui::Look::small_muted);
  ui::space(12);

  figures_.draw(scores->figures);
  ImGui::EndChild();
}

}  // namespace pairs::gui
