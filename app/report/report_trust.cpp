#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "app/report/report_sections.h"
#include "app/runs/input_text.h"
#include "app/runs/loss_figure.h"
#include "app/runs/strategy_look.h"
#include "app/scores/further_tests_text.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "core/base/files.h"
#include "core/input_scale.h"
#include "core/report/number_text.h"
#include "core/train/run.h"

namespace pairs {
namespace {

std::string lines_text(const NetworkDescription& network) {
  return fmt::format("{}; {} weights", fmt::join(network.lines, ", "), count_text(std::llround(network.parameters)));
}

void add_score_figure(PageSection& section, const ScoreFigure& figure, const std::vector<Metrics>& metrics,
                      const char* better, const char* worse) {
  section.blocks.push_back(PageFigure{figure.draw(metrics), figure.title + ": " + figure.meaning, better, worse});
}

void add_figures(PageSection& section, const ReportContent& content) {
  const std::vector<Metrics> metrics = {*content.metrics};
  const Scoring& scoring = scoring_of(content.metrics->rows);
  std::vector<std::string> labels;
  for (const Target& target : content.info().targets) labels.push_back(target.label);
  for (const ScoreFigure& figure : scoring.own_figures(labels)) {
    if (figure.name == "coverage")
      add_score_figure(section, figure, metrics, "the curve on the diagonal, within the band of what chance does.",
                       "a curve below the diagonal: intervals hold the truth less often than they say; above it: they "
                       "are wider than need be.");
    if (figure.name == "ranks")
      add_score_figure(section, figure, metrics, "bars at 1, within the band of what chance does.",
                       "bars that rise at both ends: too narrow; in the middle: too wide; to one side: shifted.");
  }
}

// Seconds of work that its log tells of all stages; 0 where it tells none.
double training_seconds(const RunProgress& progress) {
  double seconds = 0;
  for (const Stage stage : {Stage::pretrain, Stage::cache, Stage::finetune}) {
    const StageRecord& record = progress.stage(stage);
    seconds += record.before + record.seconds;
  }
  return seconds;
}

// Of an ensemble those of its runs.
std::string seeds_text(const RunConfig& config) {
  if (config.ensemble.empty()) return std::to_string(config.seed);
  std::vector<std::string> seeds;
  for (const EnsembleMember& one : config.ensemble) seeds.push_back(fmt::format("{} ({})", one.seed, one.run));
  return fmt::format("{}", fmt::join(seeds, ", "));
}

std::string cost_text(const RunCost& cost) {
  if (!cost.known) return "not known: " + cost.missing;
  return fmt::format("{} (forward passes times three), {} with the cached embeddings", flop_text(cost.cost.paper()),
                     flop_text(cost.cost.with_cache()));
}

}  // namespace

PageSection calibration_section(const ReportContent& content) {
  PageSection section{"calibration", fmt::format("Calibration at N = {}", count_text(content.n())), {}};
  if (!content.metrics) {
    section.blocks.push_back(PageWarning{
        "Warning: calibration at this size was not measured for this report; what probabilities are worth is "
        "not shown."});
    return section;
  }
  const std::vector<EvaluationRow>& rows = content.metrics->rows;
  section.blocks.push_back(PageText{fmt::format(
      "The same estimator was asked about {} sets of N = {} that were simulated with known values, "
      "drawn from the prior ({}; seed {}).",
      count_text(rows.front().sets), count_text(content.n()), content.metrics->data, content.metrics->seed)});
  if (!content.verdict.text.empty()) section.blocks.push_back(PageText{content.verdict.text + "."});
  PageFacts facts;  // one row, and many columns
  const Table table = scoring_of(rows).table(rows);
  for (std::size_t c = 0; c < table.columns().size(); ++c)
    facts.facts.emplace_back(table.columns()[c].title, table.rows().front()[c]);
  section.blocks.push_back(std::move(facts));
  std::vector<std::string> labels;
  for (const Target& target : content.info().targets) labels.push_back(target.label);
  if (const std::string further = further_text(rows, labels, 0); !further.empty())
    section.blocks.push_back(PageLines{further});
  for (const std::string& note : {calibration_note(rows), pool_note(rows), subject_note(*content.metrics)})
    if (!note.empty()) section.blocks.push_back(PageText{note});
  add_figures(section, content);
  return section;
}

PageSection training_section(const ReportContent& content) {
  const LoadedRun& run = content.run;
  const RunConfig& config = run.config;
  PageFacts facts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.facts.emplace_back(name, value);
  };
  add("run", run_words(content));
  add("strategy", run_title(config));
  add("preset", config.preset);
  add("seed", seeds_text(config));
  add("training data", run.estimator->data_source());
  add("embedder", lines_text(run.estimator->embedder().describe()));
  add("embedding", fmt::format("{} numbers", run.estimator->embedding_size()));
  add("head", lines_text(shown_head(content).describe()));
  add("input", input_text(*run.task, input_scale(*run.task)));
  add("cost of training", cost_text(content.cost));
  if (const double seconds = training_seconds(content.progress); seconds > 0) add("time", duration_text(seconds));
  add("weights", weights_checksum(run));
  PageSection section{"training", "Training", {std::move(facts)}};
  if (content.progress.has_losses()) {
    LossCurves curves{run.name, config.strategy, content.progress, loss_label(config.estimator.head)};
    section.blocks.push_back(
        PageFigure{loss_figure({curves}), "Loss in training (dotted) and on sets kept apart (solid).",
                   "both flat at the end, and together.",
                   "still falling: train longer; the solid one rising: it learnt its training sets "
                   "by heart."});
  }
  section.blocks.push_back(PageLines{read_file(run.folder / run_file::config), "All settings (run.toml)"});
  if (std::error_code error; std::filesystem::exists(run.folder / run_file::task, error))
    section.blocks.push_back(PageLines{read_file(run.folder / run_file::task), "The task (task.toml)"});
  return section;
}

PageSection limits_section(const ReportContent& content) {
  const LoadedRun& run = content.run;
  const TaskInfo& info = content.info();
  PageSection section{"limits", "Limits", {}};
  const auto say = [&](std::string text) { section.blocks.push_back(PageText{std::move(text)}); };
  say(fmt::format("The estimator saw sets of up to N = {}; the task is defined up to N = {}.",
                  count_text(run.estimator->max_n()), count_text(info.max_n)));
  say(
      fmt::format("It learnt from {}{}. What the simulator does not make it does not know: an answer holds under the "
                  "model and its prior, and no check here proves that the model describes the world.",
                  run.estimator->data_source(), info.variant.empty() ? "" : ", " + info.variant));
  say("Calibration is an average over the prior: an estimator can be calibrated and still be off for one set, and in a "
      "region of the prior that is rarely drawn.");
  if (!info.psi_text.empty())
    say("The nuisance parameters are integrated out under their prior: under another prior of theirs the answer would "
        "be "
        "another one.");
  if (content.exact.empty())
    say("No exact posterior of this model is known to the program: how far the estimate lies from it cannot be told.");
  return section;
}

}  // namespace pairs
