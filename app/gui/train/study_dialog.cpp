#include "app/gui/train/study_dialog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/gui/widgets/ui.h"
#include "app/model/train/draft.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gui {
namespace {

constexpr float kWide = 900, kForm = 440, kHigh = 430, kLabels = 110;
constexpr std::size_t kShownRuns = 200;
constexpr float kProblemLines = 2;

std::string standing(const StudyEntry& study) {
  std::string text = fmt::format("{} of {} done", study.done, counted(study.all, "run"));
  if (study.failed > 0) text += fmt::format(", {} failed", study.failed);
  if (!study.now.empty()) text += fmt::format("; now {}", fmt::join(study.now, ", "));
  if (study.now.empty() && !study.processes.empty()) text += "; at work";
  return text;
}

}  // namespace

void StudyDialog::ask(const model::Studies& studies, const model::Draft& draft) {
  try {
    form_ = studies.form(draft);
  } catch (const std::exception& error) {
    ui::toast(sentence(error));
    return;
  }
  failure_.clear();
  open_ = true;
}

// A varied setting, or the offer to vary one more.
void StudyDialog::varied(std::size_t at) {
  model::StudyForm& form = *form_;
  const std::string number = at == 0 ? "" : fmt::format("/{}", at + 1);
  const bool there = at < form.varied.size();
  std::vector<std::string> names = {"nothing"};
  int index = 0;
  for (const auto& choice : form.choices()) {
    names.push_back(choice.title);
    if (there && choice.key == form.varied[at].key) index = static_cast<int>(names.size()) - 1;
  }
  ui::label(at == 0 ? "Vary" : "and", "A setting, of which several values are tried", kLabels);
  if (ui::combo("study/key" + number, index, names, "The size of the embedding is the one that matters most")) {
    const std::string key = index == 0 ? "" : form.choices()[static_cast<std::size_t>(index) - 1].key;
    if (key.empty() && there)
      form.varied.erase(form.varied.begin() + static_cast<std::ptrdiff_t>(at));
    else if (there)
      form.varied[at].key = key;
    else if (!key.empty())
      form.varied.push_back({key, ""});
  }
  if (at >= form.varied.size()) return;
  ui::label("Values", "Separated by commas", kLabels);
  ui::input("study/values" + number, form.varied[at].values, "4, 16, 64",
            "The values that are tried, separated by commas");
}

void StudyDialog::choices() {
  model::StudyForm& form = *form_;
  ui::text("Strategies", ui::Look::small_strong);
  for (const model::Choice& one : model::strategy_choices()) {
    bool on = form.strategies.contains(one.name);
    if (ui::toggle("study/strategy/" + one.name, one.title, on, one.text)) {
      if (on)
        form.strategies.insert(one.name);
      else
        form.strategies.erase(one.name);
    }
  }
  ui::space(8);
  ui::label("Seeds", "Each run is trained so many times with another seed: their spread is its error", kLabels);
  ui::input("study/seeds", form.seeds, "3", fmt::format("How many: the first is {}", form.first_seed), px(60));
  // One more row than there are, before any of them changes.
  for (std::size_t at = 0, rows = form.varied.size() + 1; at < rows && at <= form.varied.size(); ++at) varied(at);
  ui::space(8);
  ui::label("Processes",
            "Each trains one run at a time on its share of the cores; small networks do not keep many busy", kLabels);
  ui::input("study/processes", form.processes, "1", "How many runs are trained at once", px(60));
  ui::label("Name", "Of its folder, in the folder of runs", kLabels);
  ui::input("study/name", form.name, "my-study", "Lower-case letters, digits and hyphens");
}

void StudyDialog::outcome(model::Studies& studies, bool right) const {
  const std::vector<StudyRun>& runs = form_->runs();
  ui::text(counted(runs.size(), "run"), ui::Look::small_strong);
  if (right) {
    studies.needs.follow(*form_);
    ui::wrapped(studies.needs.text(), ui::Look::small_muted, 0, "study/expected");
    if (!studies.needs.seconds()) ui::again_in(0.25);
  }
  for (std::size_t k = 0; k < std::min(runs.size(), kShownRuns); ++k) ui::text(runs[k].name, ui::Look::small);
  if (runs.size() > kShownRuns) ui::text(fmt::format("and {} more", runs.size() - kShownRuns), ui::Look::small_muted);
}

// Starts the study, or puts it into the queue.
void StudyDialog::act(model::Studies& studies, model::RunQueue& queue, model::Draft& draft, bool now) {
  try {
    if (now) {
      studies.start(*form_);
    } else {
      form_->write();
      QueueItem item = item_of(form_->folder());
      item.processes = form_->process_count();
      item.data = form_->data_folder();
      if (const auto seconds = studies.needs.seconds()) item.seconds = {*seconds};
      queue.add(item);
    }
    studies.look();
    open_ = false;
    for (const std::string& key : form_->swept()) draft.reset(key);
  } catch (const std::exception& error) {
    failure_ = sentence(error);
  }
}

void StudyDialog::draw(model::Studies& studies, model::RunQueue& queue, model::Draft& draft) {
  if (!form_ || !ui::begin_dialog("study/dialog", "New study", open_, kWide)) return;
  ui::wrapped(
      "Trains and evaluates every choice on the same test sets, with the settings of this draft. It continues when the "
      "window is closed; the runs appear in the list on the left as they come.",
      ui::Look::muted);
  ui::space(8);
  // Its height keeps the rest in view: the dialog itself does not scroll.
  const float below = kProblemLines * ImGui::GetTextLineHeightWithSpacing() + 2 * ImGui::GetFrameHeightWithSpacing() +
                      ImGui::GetStyle().ItemSpacing.y + px(28);
  const float room = ImGui::GetIO().DisplaySize.y * ui::kDialogMost - ImGui::GetCursorPosY() - below;
  const float high = std::clamp(room, px(80), px(kHigh));
  ImGui::BeginChild("choices", {px(kForm), high}, false);
  choices();
  ImGui::EndChild();
  ImGui::SameLine(0, px(24));
  ImGui::BeginChild("outcome", {0, high}, false);
  const std::string problem = form_->problem();
  outcome(studies, problem.empty());
  ImGui::EndChild();
  // The space of a problem is reserved, so that nothing moves when there is one.
  ImGui::BeginChild("problem", {0, kProblemLines * ImGui::GetTextLineHeightWithSpacing()}, false);
  if (!failure_.empty())
    ui::wrapped(failure_, ui::Look::bad, 0, "study/failure");
  else if (!problem.empty())
    ui::wrapped(problem, ui::Look::warning, 0, "study/problem");
  ImGui::EndChild();
  if (ui::button("study/queue", "Add to queue", ui::Button::normal, problem.empty() ? queue.add_blocked() : problem,
                 "It is begun once what is in the queue before it has ended"))
    act(studies, queue, draft, false);
  ImGui::SameLine(0, px(8));
  const ui::Choice choice = ui::choose("study/start", "Start the study", ui::Button::primary, "study/cancel", problem);
  if (choice == ui::Choice::confirm) act(studies, queue, draft, true);
  if (choice == ui::Choice::cancel) open_ = false;
  if (!open_) {
    studies.needs.forget();
    ImGui::CloseCurrentPopup();
  }
  ui::end_dialog();
}

void draw_studies(model::Studies& studies, const model::RunQueue& queue) {
  const auto shown = studies.shown();
  if (!shown) return;
  for (const StudyEntry& study : *shown) {
    if (queue.holds(study.folder)) continue;
    ui::space(4);
    const std::string base = "study/" + study.name;
    const bool works = !study.processes.empty();
    if (works &&
        ui::button(base + "/stop", "Stop", ui::Button::normal, "", "Saves what is begun; it can be resumed later"))
      studies.stop(study);
    const bool starting = studies.starting(study);
    if (starting) ui::button(base + "/starting", "Starting …", ui::Button::normal, "A process is starting");
    if (!works && !starting &&
        ui::button(base + "/go-on", "Resume", ui::Button::normal, study.problem,
                   "Trains what is left of it, from where it was saved, with as many processes as before")) {
      try {
        studies.go_on(study);
      } catch (const std::exception& error) {
        ui::toast(sentence(error));
      }
    }
    ImGui::SameLine(0, px(8));
    ImGui::AlignTextToFramePadding();
    const std::string text = study.problem.empty() ? standing(study) : study.problem;
    ui::text(fmt::format("Study {}: {}", study.name, text), study.problem.empty() ? ui::Look::body : ui::Look::warning);
    if (works) ui::again_in(3);
    if (starting) ui::again_in(0.5);
  }
}

}  // namespace pairs::gui
