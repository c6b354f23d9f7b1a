#include "app/gui/train/train_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/gui/train/stage_cards.h"
#include "app/gui/widgets/ui.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::Action;
using model::Activity;
using model::Setting;
using model::StageState;
using model::Training;

constexpr std::uint64_t kWorthDropping = 16 << 20;  // bytes of aggregates that a finished run offers to delete
constexpr float kPlotWidth = 320;                   // a plot has at least this

bool queue_button(const Training& training, const model::RunQueue& queue) {
  const std::string why = training.drafts.queue_blocked();
  return ui::button("train/queue", "Add to queue", ui::Button::normal, why.empty() ? queue.add_blocked() : why,
                    "Trains it once what is in the queue before it has ended");
}

void add_to_queue(const std::filesystem::path& run, model::RunQueue& queue) {
  try {
    queue.add(item_of(run));
  } catch (const std::exception& error) {
    ui::toast(sentence(error));
  }
}

}  // namespace

void TrainPanel::header(Training& training, const model::Library& library, const model::Studies& studies,
                        model::RunQueue& queue) {
  const bool drafting = training.drafting();
  const bool at_work = training.session.active() && !drafting && training.folder() == training.session.folder();
  const bool resumable = !drafting && !at_work && !training.finished();
  constexpr const char *kStart = "Start training", *kResume = "Resume training", *kLike = "New run like this",
                       *kStudy = "Study…", *kQueue = "Add to queue";
  const float gap = px(8);
  float room = ui::button_width("Copy command");
  if (drafting)
    room += gap + ui::button_width(kStudy) + gap + ui::button_width(kQueue) + gap + ui::button_width(kStart);
  if (!drafting) room += gap + ui::button_width("New run") + gap + ui::button_width(kLike);
  if (resumable) room += gap + ui::button_width(kQueue) + gap + ui::button_width(kResume);
  // During training, nothing else is in the place of "Start training".
  if (at_work) room += gap + ui::button_width(kStart);

  const float left = ImGui::GetCursorPosX(), right = left + ImGui::GetContentRegionAvail().x;
  const std::string title = drafting ? "New run" : library.name_of(training.folder().string());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = ImGui::GetFrameHeight();
  // In a narrow window the title has its own line.
  const bool apart = right - left - room - px(16) < px(60);
  const float title_room = apart ? right - left : right - left - room - px(16);
  const ImVec2 title_at = {at.x, at.y + (high - ui::text_size(title, ui::Look::title).y) / 2};
  if (drafting) {
    ui::text_at(title_at, title, ui::Look::title, title_room);
  } else {
    std::vector<std::string> others;
    for (const model::RunEntry& run : library.runs()) others.push_back(run.name);
    ui::text_at(title_at, ui::fitted_name(title, others, ui::Look::title, title_room), ui::Look::title);
  }
  ImGui::Dummy({title_room, high});
  ui::tip(drafting ? training.drafts.shown().folder().string() : title + "\n" + training.folder().string());
  if (apart)
    ImGui::SetCursorPosX(std::max(left, right - room));
  else
    ImGui::SameLine(right - room, 0);
  const std::string command = training.batch_command();
  if (ui::button("train/copy", "Copy command", ui::Button::quiet, "",
                 "Copies the command that does the same without the window:\n" + command))
    ui::copy(command);
  ImGui::SameLine(0, gap);
  if (drafting) {
    if (ui::button("train/study", kStudy, ui::Button::normal, training.drafts.shown().study_error(),
                   "Trains this with several strategies, seeds and values of a setting, and compares them"))
      study_.ask(studies, training.drafts.shown());
    ImGui::SameLine(0, gap);
    if (queue_button(training, queue)) queue.add(training.drafts.plan());
    ImGui::SameLine(0, gap);
    const char* starts = queue.going() ? "Makes the run's folder and runs all stages; the queue saves what it has "
                                         "begun, and resumes when this has ended"
                                       : "Makes the run's folder and runs all stages";
    if (ui::button("train/start", kStart, ui::Button::primary, training.blocked(Action::start), starts))
      training.start();
    return;
  }
  if (ui::button("train/new", "New run", ui::Button::normal, "", "Back to the draft of a new run of this task"))
    return training.drafts.open();
  ImGui::SameLine(0, gap);
  if (ui::button("train/like", kLike, training.finished() ? ui::Button::primary : ui::Button::normal,
                 training.run_settings() ? "" : "The run's settings cannot be read",
                 "A draft with this run's settings"))
    return training.drafts.open(true);
  if (at_work) {
    ImGui::SameLine(0, gap);
    std::string word =
        training.session.going(training.folder()).value_or(model::TrainingSession::Going{"training"}).word;
    word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    ui::button("train/start", word, ui::Button::primary, "Training in progress; pause or stop its stages below", "",
               ui::button_width(kStart));
  }
  if (!resumable) return;
  ImGui::SameLine(0, gap);
  if (queue_button(training, queue)) add_to_queue(training.folder(), queue);
  ImGui::SameLine(0, gap);
  // Resuming after a failure dismisses it.
  const bool failed = training.state() == Activity::failed && training.run_settings();
  if (ui::button("train/start", kResume, ui::Button::primary, failed ? "" : training.blocked(Action::start),
                 "Resumes from the last checkpoint, through all stages")) {
    if (failed) training.dismiss();
    training.start();
  }
}

void TrainPanel::plots(Training& training) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  struct Losses {
    int stage;
    const char* name;
    PlotView* view;
  };
  std::vector<Losses> known;
  for (const Losses& one : {Losses{0, "Pretrain", &pretrain_}, Losses{2, "Finetune", &finetune_},
                            Losses{model::kLikelihoodStage, "Likelihood", &likelihood_}})
    if (training.losses(one.stage)) known.push_back(one);
  if (known.empty() && !training.live()) {
    if (training.session.active() && training.folder() == training.session.folder())
      return ui::working_state("The first losses come after the first epoch.");
    return ui::empty_state("No losses yet", training.state() == Activity::elsewhere
                                                ? "They appear here after the other process's first epoch."
                                            : training.of_ensemble()
                                                ? "This run is an ensemble: its members' folders hold their losses."
                                                : "Press Resume training: losses appear here epoch by epoch.");
  }
  const float gap = px(8), high = std::max(room.y, px(200));
  const bool live = training.live() || (training.session.active() && training.folder() == training.session.folder());
  const auto wanted = static_cast<float>(known.size() + (live ? 1 : 0));
  const bool narrow = known.size() > 1 && room.x < px(kPlotWidth) * wanted;
  std::vector<std::pair<PlotView*, std::shared_ptr<const Figure>>> shown;
  int stage = loss_stage_;
  if (!known.empty() && (stage < 0 || !training.losses(stage))) stage = known.back().stage;
  for (const Losses& one : known)
    if (!narrow || stage == one.stage) shown.emplace_back(one.view, training.losses(one.stage));
  const float columns = static_cast<float>(shown.size() + (live ? 1 : 0));
  const float width = std::floor((room.x - gap * (columns - 1)) / std::max(columns, 1.0f));
  float below = high;
  if (narrow) {
    for (const Losses& one : known) {
      if (one.stage != known.front().stage) ImGui::SameLine(0, px(4));
      if (ui::segment(fmt::format("train/loss/{}", stage_name(static_cast<Stage>(one.stage))), one.name,
                      stage == one.stage, "The losses of this stage"))
        loss_stage_ = one.stage;
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
  const bool paper = with_paper(*settings);
  if (ImGui::BeginTable("train/run-table", paper ? 4 : 3,
                        ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableSetupColumn("setting", ImGuiTableColumnFlags_WidthStretch, 2);
    for (const char* title : {"value", "preset", "paper"})
      if (paper || title != std::string_view("paper"))
        ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableNextRow();
    for (const char* title : {"setting", "value", "preset", "paper"}) {
      if (!paper && title == std::string_view("paper")) continue;
      ImGui::TableNextColumn();
      if (title[0] == 's')
        ui::text(title, ui::Look::small_muted);
      else
        ui::right(title, ui::Look::small_muted);
    }
    for (const Setting& setting : *settings) {
      if (!run_search_.empty() && !mentions(setting.key, run_search_) && !mentions(setting.help, run_search_)) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ui::text(setting.key, setting.changed ? ui::Look::link : ui::Look::body);
      ui::tip(setting_tip(setting));
      ImGui::TableNextColumn();
      ui::right(setting.value.empty() ? "–" : setting.value, setting.changed ? ui::Look::strong : ui::Look::body);
      ImGui::TableNextColumn();
      ui::right(setting.preset.empty() ? "–" : setting.preset, ui::Look::muted);
      if (!paper) continue;
      ImGui::TableNextColumn();
      ui::right(setting.paper.empty() ? "–" : setting.paper, ui::Look::muted);
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

void TrainPanel::log(const Training& training) {
  const std::vector<std::string> lines = training.log();
  if (lines.empty()) return ui::empty_state("No messages yet", "What the run does is written here as it happens.");
  if (ui::button("train/copy-log", "Copy", ui::Button::quiet, "", "Copies these lines"))
    ui::copy(fmt::format("{}\n", fmt::join(lines, "\n")));
  ImGui::BeginChild("train/lines");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    ui::wrapped(*line, line->starts_with("error")     ? ui::Look::bad
                       : line->starts_with("warning") ? ui::Look::warning
                                                      : ui::Look::body);
  ImGui::EndChild();
}

void TrainPanel::run(Training& training, model::Library& library, const model::RunQueue& queue, model::Navigation& go) {
  const auto tab = [&](View view, const char* name, const char* title, const char* tip) {
    if (ui::segment(name, title, view_ == view, tip)) view_ = view;
    ImGui::SameLine(0, px(4));
  };
  tab(View::progress, "train/view/progress", "Losses", "Losses, and the posterior during training");
  tab(View::settings, "train/view/settings", "Settings", "What this run was started with");
  tab(View::log, "train/view/log", "Log", "Messages of the run");
  ImGui::SameLine(0, px(16));
  ImGui::AlignTextToFramePadding();
  std::string state;
  const bool queued = training.state() == Activity::elsewhere && queue.trains(training.folder());
  switch (training.state()) {
    case Activity::elsewhere:
      state = queued ? "The queue trains this run; it is watched as it goes."
                     : "Another process trains this run; it is watched as it goes.";
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
      return go.open_run(training.folder().string()), go.set_tab(model::Tab::posterior);
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
  }
  ui::text(state, ui::Look::muted);
  if (queued) {
    ImGui::SameLine();
    if (ui::button("train/show-queue", "Show the queue", ui::Button::quiet, "", "It is shown above the draft"))
      return training.drafts.open();
  }
  const model::RunEntry* entry = library.find(training.folder().string());
  if (entry && training.state() == Activity::rest && training.finished() && entry->aggregates >= kWorthDropping) {
    ImGui::SameLine();
    if (ui::button("train/aggregates/drop", fmt::format("Drop {} of aggregates…", byte_text(entry->aggregates)),
                   ui::Button::quiet, "", "Nothing but its last stage needed them"))
      aggregates_.ask(*entry);
  }
  aggregates_.draw(library);
  ui::space(4);
  if (view_ == View::settings) return run_settings(training);
  if (view_ == View::log) return log(training);
  plots(training);
}

void TrainPanel::draw(Training& training, model::Library& library, model::Studies& studies, model::RunQueue& queue,
                      model::Navigation& go) {
  training.shown();
  if (training.task().empty() && !training.problem().empty())
    return ui::empty_state("This run cannot be shown", training.problem(), true);
  if (training.task().empty())
    return ui::empty_state("No task selected", "Select a task on the left to set up its training.");
  if (training.state() == Activity::loading) return ui::working_state(fmt::format("Reading {} …", training.name()));
  header(training, library, studies, queue);
  if (training.drafting()) {
    form_.needs(training);
    queue_.draw(queue);
    draw_studies(studies, queue);
    study_.draw(studies, queue, training.drafts.shown());
  }
  if (const std::string problem = training.problem(); !problem.empty()) {
    ui::space(4);
    const bool failed = training.blocked(Action::dismiss).empty();
    if (ui::notice("train/problem", ui::Look::bad, problem, failed ? "Dismiss" : "Show log")) {
      if (failed)
        training.dismiss();
      else
        go.show_log();
    }
  }
  ui::space(8);
  if (!training.drafting() && !training.run_settings() && !training.problem().empty()) return;
  draw_stage_cards(training);
  ui::space(8);
  if (!training.drafting()) return run(training, library, queue, go);
  form_.draw(training);
  if (form_.take_sweep()) study_.ask(studies, training.drafts.shown());
}

}  // namespace pairs::gui
