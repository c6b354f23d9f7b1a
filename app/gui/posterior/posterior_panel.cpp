#include "app/gui/posterior/posterior_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/gui/plot/plot_view.h"
#include "app/gui/posterior/broken_table_dialog.h"
#include "app/gui/posterior/columns_dialog.h"
#include "app/gui/posterior/derived_list.h"
#include "app/gui/posterior/follow_card.h"
#include "app/gui/posterior/given_row.h"
#include "app/gui/posterior/inquiry_rows.h"
#include "app/gui/posterior/large_set_dialog.h"
#include "app/gui/posterior/number_table.h"
#include "app/gui/posterior/pin_list.h"
#include "app/gui/posterior/report_dialog.h"
#include "app/gui/posterior/sample_dialog.h"
#include "app/gui/posterior/set_list.h"
#include "app/gui/posterior/small_plots.h"
#include "app/gui/posterior/subset_row.h"
#include "app/gui/widgets/n_row.h"
#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/ui.h"
#include "app/model/posterior/shown/pinned_posterior.h"
#include "app/model/posterior/work/set_inquiry.h"
#include "app/model/posterior/work/set_table.h"
#include "app/posterior/caveats/posterior_warnings.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/foreign_observations.h"
#include "app/posterior/checks/within_sets.h"
#include "app/posterior/plots/corner_plots.h"
#include "app/runs/strategy_look.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::Posterior;
using model::PosteriorScene;
using model::PosteriorSnapshot;

constexpr float kGap = SmallPlots::kGap, kLeastMain = 284, kLeastSmall = 200, kLeastSide = 348, kMostSide = 452;
constexpr float kCornerRow = 104;
// With more parameters, only the first are shown until requested: a task may have a dozen nuisances.
constexpr std::size_t kManyParameters = 6, kFirstParameters = 2;

// The height of the current window's content so far.
float content_height() {
  return ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y + 1;
}

}  // namespace

struct PosteriorPanel::State {
  PlotView density{"posterior/density", Caption::none};
  SmallPlots small;
  NRow head{"posterior"};
  bool all_parameters = false;
  PathDialog file;
  SampleDialog samples;
  ReportDialog report;
  SubsetRow subset;
  SetList sets;
  FollowCard follow;
  ColumnsDialog columns;
  BrokenTableDialog broken;
  LargeSetDialog large;
  PinList pins;
  DerivedList derived;
  OtherPriorRow other_prior;
  GivenRows given;
  std::optional<std::uint64_t> before_file;  // the set shown when a file was requested
  float side_height = 0;                     // of the numbers, the set's card and the rest, in the last frame
  NumberTable numbers;
  // Heights of the lines above the plots while `kept_for` is the same, so that nothing but the plots changes with N.
  float kept_messages = 0, kept_source = 0;
  std::string kept_for;

  void keep_places(const Posterior& posterior);
  void n_row(Posterior& posterior);
  void pin_button(Posterior& posterior, float width);
  void ask(const PosteriorScene& scene, const PosteriorSnapshot& shown, const std::string& answer);
  void messages(Posterior& posterior, bool data_shown);
  void plots(Posterior& posterior, ImVec2 size);
  void side(Posterior& posterior, const model::Library& library, float width);
  ModelVerdict verdict(const Posterior& posterior, const PosteriorSnapshot& shown) const;
  std::string verdict_rests_on(const Posterior& posterior, const PosteriorSnapshot& shown) const;
  void typicality(const Posterior& posterior, const PosteriorSnapshot& shown);
  void source(Posterior& posterior, const PosteriorSnapshot& shown);
  void set_card(Posterior& posterior, const PosteriorScene& scene);
  void other_runs(Posterior& posterior, const model::Library& library, const PosteriorScene& scene);
  void layout(Posterior& posterior, const model::Library& library);
  void follow_file(Posterior& posterior);
  void file_dialog(Posterior& posterior);
};

PosteriorPanel::PosteriorPanel() : state_(std::make_unique<State>()) {}
PosteriorPanel::~PosteriorPanel() = default;

void PosteriorPanel::State::n_row(Posterior& posterior) {
  NRow::Shown now;
  now.n = posterior.n();
  now.most = posterior.most();
  now.playing = posterior.playing();
  now.loop = posterior.loop();
  now.other = "New set";
  now.other_tip = "Next simulated data set (Ctrl+N)";
  now.n_tip = "How many observations of the set are used";
  if (posterior.most() <= 1) now.blocked = "There is one observation only";
  if (const auto following = posterior.follow.state()) {
    now.n = std::max<std::int64_t>(following->used, 1);
    now.most = std::max(following->most, now.n);
    now.blocked = !following->failure.empty() ? "The file could not be read on; open it again, or simulate"
                  : following->running        ? "N grows with the file that is followed"
                                              : "The file is being read";
  }
  const float pin = ui::button_width("Pin");
  now.room = pin;
  const NRow::Asked asked = head.draw(now);
  ImGui::SameLine();
  pin_button(posterior, pin);
  if (asked.play) posterior.toggle_play();
  if (asked.n) posterior.set_n(*asked.n);
  for (int k = 0; k < std::abs(asked.steps); ++k) posterior.step_n(asked.steps > 0 ? 1 : -1);
  if (asked.other) posterior.new_set();
  if (asked.loop) posterior.set_loop(*asked.loop);
}

void PosteriorPanel::State::pin_button(Posterior& posterior, float width) {
  const auto shown = posterior.shown();
  const bool none = !shown || shown->series.empty() || !shown->series.front().ours;
  std::string blocked = none ? "There is no posterior to pin yet" : "";
  if (posterior.pins.shown().size() >= model::kMostPins)
    blocked = fmt::format("{} are pinned already; remove one of them next to the table", model::kMostPins);
  if (ui::button(
          "posterior/pin", "Pin", ui::Button::normal, blocked,
          "Keeps this posterior, in the table and as a ghost behind those that follow: of other N, sets and runs "
          "of the task. It is saved with the plot; a copied command does not draw it",
          width))
    posterior.pins.add();
}

void PosteriorPanel::State::keep_places(const Posterior& posterior) {
  std::string now = fmt::format("{} {} {}", posterior.run(), scale(), ImGui::GetContentRegionAvail().x);
  for (const std::string& other : posterior.others()) now += " " + other;
  if (now == kept_for) return;
  kept_for = std::move(now);
  numbers.forget_places();
  kept_messages = kept_source = 0;
  small.forget_lines();
}

// The question and the answer: on one line if both have space at every N, so that nothing moves with N.
void PosteriorPanel::State::ask(const PosteriorScene& scene, const PosteriorSnapshot& shown,
                                const std::string& answer) {
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string longest = scene.question.text(scene.most, count_text(scene.most));
  const float question = std::max(ui::text_size(longest).x, ui::text_size(scene.question.one).x);
  const float longest_answer =
      ui::text_size("The 90 % interval of θ₁ is 0.00000 wide, 00.00 times the exact one.", ui::Look::muted).x;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ui::wrapped(shown.question);
  float height = 0;
  for (const std::string& text : {longest, scene.question.one})
    height = std::max(height, ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, room, text.c_str()).y);
  ImGui::SetCursorScreenPos({start.x, start.y + height});
  ImGui::Dummy({0, 0});
  if (question + px(12) + longest_answer <= room) {
    ui::text_at({start.x + question + px(12), start.y}, answer, ui::Look::muted);
  } else {
    ui::wrapped(answer.empty() ? " " : answer, ui::Look::muted);
  }
}

void PosteriorPanel::State::messages(Posterior& posterior, bool data_shown) {
  const auto shown = posterior.shown();
  if (shown) {
    const float top = ImGui::GetCursorPosY();
    const bool late = !posterior.follow.state() && shown->n != posterior.n() && posterior.embedded() < 1;
    ask(*posterior.scene(), *shown,
        late ? fmt::format("Computing N = {}: {:.0f} % of the set is embedded.", count_text(posterior.n()),
                           std::floor(100 * posterior.embedded()))
             : shown->sentence);
    int k = 0;
    const ModelVerdict judged = verdict(posterior, *shown);
    for (const PosteriorWarning& warning : shown->warnings)
      if ((!data_shown || warning.kind != WarningKind::other_data) && !withdrawn(warning, judged))
        ui::notice(fmt::format("posterior/warning{}", k++), ui::Look::warning, warning.text);
    kept_messages = std::max(kept_messages, ImGui::GetCursorPosY() - top);
    ImGui::SetCursorPosY(top + kept_messages);
  }
  if (!posterior.set.failure().empty() && ui::notice("posterior/set-failure", ui::Look::bad,
                                                     posterior.set.failure() + "; the set before it stays", "Dismiss"))
    posterior.set.dismiss_failure();
}

// The overall verdict of all tests of the shown posterior so far.
ModelVerdict PosteriorPanel::State::verdict(const Posterior& posterior, const PosteriorSnapshot& shown) const {
  const model::SetInquiries& inquiries = posterior.inquiries();
  const std::string key = posterior.inquiry_key();
  const auto tested = inquiries.predictive.answer(inquiries.predictive_key(key)), usual = inquiries.usual.answer(key);
  ModelVerdict all = within_verdict(model_verdict(shown.typicality, tested ? tested->predictive : PredictiveP()),
                                    usual ? usual->within.value_or(WithinTest()) : WithinTest());
  const auto singles = inquiries.observations.answer(key);
  return singles && singles->singles ? foreign_verdict(std::move(all), *singles->singles) : all;
}

// The basis of the verdict, and whether more tests are running.
std::string PosteriorPanel::State::verdict_rests_on(const Posterior& posterior, const PosteriorSnapshot& shown) const {
  std::vector<std::string> all;
  if (shown.typicality.known)
    all.push_back(fmt::format("Mahalanobis distance of the set's mean embedding from those of training: {:.3g}.",
                              shown.typicality.distance));
  const model::SetInquiry& inquiry = posterior.inquiries().usual;
  const std::string key = posterior.inquiry_key();
  if (const auto usual = inquiry.answer(key); usual && usual->within)
    all.push_back(within_text(*usual->within));
  else if (usual)
    all.push_back(fmt::format("By the mean embedding alone: {}.", usual->text));
  else if (inquiry.works_on(key))
    all.emplace_back("How the observations differ among themselves is being compared with simulated sets.");
  return fmt::format("{}", fmt::join(all, "\n"));
}

// Why the refined posterior comes first, or how long it would take.
void PosteriorPanel::State::source(Posterior& posterior, const PosteriorSnapshot& shown) {
  const float top = ImGui::GetCursorPosY();
  if (shown.refine_seconds > 0) {
    if (ui::notice("posterior/refine", ui::Look::small_muted,
                   fmt::format("Refining the posterior at N = {} takes about {}.", count_text(shown.n),
                               duration_text(shown.refine_seconds)),
                   "Refine"))
      posterior.options.refine_now();
  } else if (!shown.why_first.empty()) {
    ui::notice("posterior/why-first", ui::Look::small_muted, shown.why_first);
  }
  // What is below stays in place while N changes.
  kept_source = std::max(kept_source, ImGui::GetCursorPosY() - top);
  ImGui::SetCursorPosY(top + kept_source);
}

void PosteriorPanel::State::typicality(const Posterior& posterior, const PosteriorSnapshot& shown) {
  const ModelVerdict verdict = this->verdict(posterior, shown);
  if (!shown.disagreement.empty())
    ui::notice("posterior/disagreement", ui::Look::small_muted, shown.disagreement + ".");
  if (verdict.standing == ModelVerdict::Standing::unknown) return;
  // As high as the longest warning and in the same place, for any text.
  static const std::string longest =
      verdict_warning(within_verdict(model_verdict({true, true, 1234.5, 99.975}), {.p = 0.00025, .sets = 3999}));
  const float top = ImGui::GetCursorPosY(),
              high = ui::notice_height(ui::Look::warning, longest) + ImGui::GetStyle().ItemSpacing.y;
  ui::notice("posterior/typicality", verdict.warns() ? ui::Look::warning : ui::Look::small_muted,
             verdict.warns() ? verdict_warning(verdict) + "." : verdict.text + ".");
  if (const std::string rests_on = verdict_rests_on(posterior, shown); !rests_on.empty()) ui::tip(rests_on);
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), top + high));
  ui::space(2);
}

void PosteriorPanel::State::set_card(Posterior& posterior, const PosteriorScene& scene) {
  const float edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x - px(kGap);
  ui::begin_card("posterior/set");
  const auto following = posterior.follow.state();
  const ImVec2 title = ImGui::GetCursorScreenPos();
  ui::text_at({title.x, title.y + ImGui::GetStyle().FramePadding.y}, "Observed set", ui::Look::strong);
  ImGui::SetCursorScreenPos({edge - ui::button_width("Save samples…"), title.y});
  if (ui::button("posterior/save", "Save samples…", ui::Button::quiet,
                 following ? "The copied command writes the samples of a file that is followed" : "",
                 "Draws samples of this posterior into an NPZ or CSV file, as infer does"))
    samples.ask(posterior);
  std::string used = posterior.n() < scene.set_size
                         ? fmt::format("the {} {} of {} observations", scene.choice.random ? "random" : "first",
                                       count_text(posterior.n()), count_text(scene.set_size))
                         : fmt::format("{} observation{}", count_text(scene.set_size), scene.set_size == 1 ? "" : "s");
  if (scene.dropped > 0) used += "; " + dropped_text(scene.dropped, scene.set_size + scene.dropped);
  if (following)
    FollowCard::draw(*following);
  else
    ui::wrapped(scene.simulated ? scene.set_name + " · " + scene.set_source : scene.set_name + ": " + used,
                ui::Look::small_muted, 0, "posterior/set/used");
  if (scene.columns.size() > scene.taken.size())
    ui::wrapped(fmt::format("Using {} {} of {}", scene.taken.size() == 1 ? "column" : "columns",
                            fmt::join(scene.taken, ", "), fmt::join(scene.columns, ", ")),
                ui::Look::small_muted, 0, "posterior/set/columns");
  if (!scene.set_own.empty()) ui::wrapped(scene.set_own, ui::Look::small_muted);
  if (!scene.set_learned.empty()) ui::wrapped(scene.set_learned, ui::Look::small_muted);
  if (!scene.set_read_as.empty()) ui::wrapped(scene.set_read_as, ui::Look::small_muted);
  for (std::size_t k = 0; k < scene.ups.size(); ++k) {
    if (k > 0) ImGui::SameLine(0, px(2));
    if (ui::segment("posterior/up/" + scene.ups[k], scene.ups[k] + " up", scene.choice.up == scene.ups[k],
                    "Reads the file again with its " + scene.ups[k] + " axis pointing up; the views show it"))
      posterior.set.set_up(scene.ups[k]);
  }
  bool first = true;
  // The next button is next to the last one, or below if there is no space.
  const auto button = [&](const char* name, const std::string& label, ui::Button kind, const std::string& blocked,
                          const std::string& tip) {
    if (!std::exchange(first, false)) {
      ImGui::SameLine();
      if (ui::button_width(label) > edge - ImGui::GetCursorScreenPos().x) ImGui::NewLine();
    }
    return ui::button(name, label, kind, blocked, tip);
  };
  if (following && following->running &&
      button("posterior/follow/stop", "Stop", ui::Button::normal, "", "Reads no more of the file; its posterior stays"))
    posterior.follow.stop();
  if (!scene.simulated &&
      button("posterior/simulate", "Simulate", ui::Button::normal, "", "Back to the set of the prior"))
    posterior.set.simulate();
  if (button("posterior/open-file", fmt::format("Open {}…", scene.item.empty() ? "file" : scene.item),
             ui::Button::normal, "",
             scene.item.empty()
                 ? "Observations of your own; or drop them on the window"
                 : fmt::format("{} of your own, or observations; files can be dropped on the window", scene.item_help)))
    file.ask();
  if (scene.followable && button("posterior/follow-file", "Follow…", ui::Button::normal, "",
                                 "A CSV file that another program appends to: the posterior sharpens as lines arrive"))
    follow.ask();
  const std::string command = posterior.batch_command();
  if (button("posterior/command", "Copy command", ui::Button::quiet,
             command.empty() ? "The set with these values is being simulated" : "",
             (following ? "Copies the command that follows the file without the window:\n"
                        : "Copies the command that draws this figure without the window:\n") +
                 command))
    ui::copy(command);
  if (button("posterior/report", "Report…", ui::Button::quiet, ReportDialog::blocked(posterior),
             "Writes one page on this posterior: data, results, checks, calibration at this N, methods, commands"))
    report.ask(posterior);
  if (scene.columns.size() > scene.taken.size() &&
      button("posterior/choose-columns", "Columns…", ui::Button::normal, "", "Takes other columns of the file"))
    columns.ask({scene.set_source, scene.columns, scene.needed, ""}, scene.taken);
  ReportDialog::draw_progress(posterior);
  subset.draw(posterior, scene);
  sets.draw_choice(posterior, scene);
  const bool many = scene.parameters.size() > kManyParameters;
  const std::size_t count = many && !all_parameters ? kFirstParameters : scene.parameters.size();
  float column = 0;
  for (std::size_t k = 0; k < count; ++k) column = std::max(column, ui::text_size(scene.parameters[k].title).x);
  // Their meanings are next to them if the sliders still have space.
  const bool titled = column <= 0.5f * (edge - ImGui::GetCursorScreenPos().x);
  if (!titled) column = 0;
  for (std::size_t k = 0; k < count && !titled; ++k)
    column = std::max(column, ui::text_size(scene.parameters[k].label).x);
  for (std::size_t k = 0; k < count; ++k) {
    const model::SetParameter& parameter = scene.parameters[k];
    const std::string about =
        parameter.title + (parameter.nuisance ? ". A nuisance: unknown, the same for all observations of the set"
                                              : ". The target: what is inferred; here the truth that the set was made "
                                                "with");
    ui::label(titled ? parameter.title : parameter.label, about, (column + px(16)) / scale());
    double value = parameter.value;
    if (ui::slider("posterior/" + parameter.name, value, std::min(parameter.low, parameter.value),
                   std::max(parameter.high, parameter.value), parameter.whole ? "%.0f" : "%.3f", about))
      posterior.set.set_parameter(k, value);
  }
  given.draw(posterior, scene);
  if (many && ui::button("posterior/more", all_parameters ? "Fewer values" : "All values", ui::Button::quiet))
    all_parameters = !all_parameters;
  ui::end_card();
}

void PosteriorPanel::State::other_runs(Posterior& posterior, const model::Library& library,
                                       const PosteriorScene& scene) {
  std::vector<const model::RunEntry*> others;
  for (const model::RunEntry& entry : library.runs())
    if (entry.task == scene.task && entry.pretrained && entry.problem.empty() && entry.run != posterior.run())
      others.push_back(&entry);
  if (others.empty()) return;
  ui::space(12);
  ui::text("Compare with other runs", ui::Look::small_strong);
  std::vector<std::string> chosen = posterior.others(), names;
  for (const model::RunEntry* entry : others) names.push_back(entry->name);
  for (const model::RunEntry* entry : others) {
    const auto at = std::find(chosen.begin(), chosen.end(), entry->run);
    bool on = at != chosen.end();
    const bool was = on;
    const float side = ImGui::GetFrameHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ui::swatch("posterior/color/" + entry->run, {corner.x + px(6), corner.y + side / 2}, px(4),
               series_color(entry->role));
    ImGui::Dummy({px(12), side});
    ImGui::SameLine(0, px(6));
    const float room = ImGui::GetContentRegionAvail().x - side - px(12);
    ui::toggle("posterior/run/" + entry->run, ui::fitted_name(entry->name, names, ui::Look::body, room), on,
               fmt::format("{}\n{}, {}: draws its posterior too", entry->name, entry->strategy_title, entry->state()));
    if (on == was) continue;
    if (on)
      chosen.push_back(entry->run);
    else
      chosen.erase(at);
    posterior.set_others(chosen);
  }
}

// The numbers and, below them, the set, at full height: only the page scrolls.
void PosteriorPanel::State::side(Posterior& posterior, const model::Library& library, float width) {
  const auto shown = posterior.shown();
  const auto scene = posterior.scene();
  if (!scene) return;
  ImGui::BeginChild("posterior/side", {width, std::max(side_height, px(8))}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  sets.draw(posterior);
  if (shown) {
    numbers.draw(posterior, *shown, *scene);
    pins.draw(posterior);
    typicality(posterior, *shown);
    source(posterior, *shown);
  }
  set_card(posterior, *scene);
  if (shown) {
    inquiry_buttons(posterior, *scene);
    derived.draw(posterior, *shown, *scene);
    other_prior.draw(posterior, *scene);
  }
  other_runs(posterior, library, *scene);
  if (shown) inquiry_answers(posterior, *scene);
  side_height = content_height();
  ImGui::EndChild();
}

void PosteriorPanel::State::plots(Posterior& posterior, ImVec2 size) {
  if (sets.draw_forest(posterior, size)) return;
  const auto shown = posterior.shown();
  if (shown && shown->density) return density.draw(shown->density, size);
  ImGui::BeginChild("posterior/plot", size);
  ui::working_state(shown                      ? "There is no posterior at this N; the line above explains why."
                    : posterior.follow.state() ? "Waiting for the first line of the file…"
                                               : "Computing the posterior…",
                    shown ? 0 : static_cast<float>(posterior.embedded()));
  ImGui::EndChild();
}

// Closes the dialog once its file is shown, or shows in it why it cannot be.
void PosteriorPanel::State::follow_file(Posterior& posterior) {
  if (auto other = posterior.set.take_other_columns()) {
    file.close();
    before_file.reset();
    columns.ask(std::move(*other), {});
  }
  if (auto broken = posterior.set.take_broken_table()) {
    file.close();
    before_file.reset();
    this->broken.ask(std::move(*broken));
  }
  if (auto set = posterior.set.take_large_set()) {
    file.close();
    before_file.reset();
    large.ask(std::move(*set));
  }
  if (!before_file) return;
  const auto scene = posterior.scene();
  if (!file.is_open()) {
    before_file.reset();
  } else if (!posterior.set.failure().empty()) {
    file.fail(posterior.set.failure());
    posterior.set.dismiss_failure();
    before_file.reset();
  } else if (scene && scene->set != *before_file) {
    file.close();
    before_file.reset();
  }
}

void PosteriorPanel::State::file_dialog(Posterior& posterior) {
  const PosteriorScene& scene = *posterior.scene();
  const std::string title = "Open a " + scene.item;
  const std::string about = fmt::format("Give {}, or an NPZ file with observations in the array x.", scene.item_help);
  const PathDialog::Texts texts =
      scene.item.empty() ? PathDialog::Texts{"Open an observed set",
                                             "An NPZ file with the array x, a table of points (CSV, Parquet, "
                                             "Arrow, HDF5, FITS), or a folder of images. Dropping it on the window "
                                             "does the same.",
                                             "Path, e.g. ~/events.csv",
                                             {{"Observations", scene.endings}}}
                         : PathDialog::Texts{title.c_str(), about.c_str(), "Path, or the words themselves"};
  const auto path = file.draw("posterior/file", texts, before_file && posterior.busy() ? "It is being read…" : "");
  if (!path) return;
  before_file = posterior.scene()->set;
  posterior.set.open_file(*path);
  // The table of sets shows its own progress and problems.
  if (posterior.sets.table().is_open() && posterior.sets.table().sets().question.set.file == *path) {
    file.close();
    before_file.reset();
  }
}

void PosteriorPanel::draw(Posterior& posterior, const model::Library& library, const std::string& run,
                          bool data_shown) {
  State& s = *state_;
  if (posterior.run().empty() && !run.empty())
    return ui::empty_state("This run has no weights yet",
                           "Its posterior appears here as soon as its first stage is done; the Train tab shows how far "
                           "it is.");
  if (posterior.run().empty())
    return ui::empty_state("No trained weights yet",
                           "Train this task on the Train tab, or open a run on the left; its posterior appears here.");
  if (!posterior.failure().empty()) {
    ui::empty_state("The posterior cannot be shown", posterior.failure(), true);
    if (ui::button("posterior/again", "Try again")) posterior.reload();
    return;
  }
  if (!posterior.scene()) return ui::working_state("Loading the run…");
  s.follow_file(posterior);
  s.keep_places(posterior);
  s.n_row(posterior);
  s.messages(posterior, data_shown);
  ui::space(4);
  s.layout(posterior, library);
  s.file_dialog(posterior);
  s.columns.draw(posterior);
  s.broken.draw(posterior);
  s.large.draw(posterior);
  s.samples.draw(posterior);
  s.report.draw(posterior);
  s.sets.dialog(posterior);
  s.follow.dialog(posterior);
}

// If small plots have space below the large one, the numbers and the set are next to all of them; else above them.
void PosteriorPanel::State::layout(Posterior& posterior, const model::Library& library) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), start = ImGui::GetCursorScreenPos();
  const float gap = px(kGap), between = gap + ImGui::GetStyle().ItemSpacing.y;
  const float least_side =
      posterior.sets.table().is_open() ? std::min(SetList::width(), 0.5f * room.x) : px(kLeastSide);
  const float side_width = std::max(std::clamp(0.36f * room.x, px(kLeastSide), px(kMostSide)), least_side);
  const float left = room.x - side_width - gap;
  small.look(posterior);
  const float low = std::max(px(kLeastSmall), 0.34f * room.y);
  // A corner plot of many targets needs space for each.
  const auto corner = static_cast<float>(std::min(posterior.scene()->targets.size(), kMostCorner));
  const float least = std::max(px(kLeastMain), corner > 2 ? corner * px(kCornerRow) : 0);
  const bool tall = small.rows(left) == 1;
  float main = std::max(least, room.y - low - between);
  // If the page scrolls, the plots fill its visible part.
  if (!tall) main = std::max(main, std::min(side_height, room.y));
  // Next to a longer column of numbers, the plots stay in view while the page scrolls.
  const float column = tall ? main + between + low : main;
  const float hidden = ImGui::GetWindowPos().y + ImGui::GetStyle().WindowPadding.y - start.y;
  const float top = start.y + std::round(std::clamp(hidden, 0.0f, std::max(side_height - column, 0.0f)));
  ImGui::SetCursorScreenPos({start.x, top});
  plots(posterior, {left, main});
  ImGui::SetCursorScreenPos({start.x + left + gap, start.y});
  side(posterior, library, side_width);
  const float below = (tall ? top + main : start.y + std::max(main, side_height)) + between;
  ImGui::SetCursorScreenPos({start.x, below});
  small.draw({tall ? left : room.x, low});
  // The page reaches to the end of the longer of the two.
  if (tall && start.y + side_height > below + low) {
    ImGui::SetCursorScreenPos({start.x, start.y + side_height});
    ImGui::Dummy({1, 1});
  }
}

}  // namespace pairs::gui
