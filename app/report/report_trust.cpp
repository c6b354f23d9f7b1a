#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "app/report/report_sections.h"
#include "app/runs/input_text.h"
#include "app/runs/loss_figure.h"
#include "app/runs/strategy_look.h"
#include "app/scores/further_tests_text.h"
#include "app/scores/glossary.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/ensemble.h"
#include "core/eval/calibration/calibration.h"
#include "core/input_scale.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"

namespace pairs {
namespace {

std::string lines_text(const NetworkDescription& network) {
  return fmt::format("{}; {} weights", fmt::join(network.lines, ", "), count_text(std::llround(network.parameters)));
}

void add_score_figure(PageSection& section, const ReportContent& content, const ScoreFigure& figure, const char* better,
                      const char* worse) {
  try {
    section.blocks.push_back(PageFigure{figure.draw({*content.metrics}), figure.title + ": " + figure.meaning, better,
                                        worse,
                                        fmt::format("pairs --batch figure {} {} --evaluation evaluation.json",
                                                    figure.name, shell_word(content.question.asked.run))});
  } catch (const Error& error) {  // too few sets to draw
    section.blocks.push_back(PageText{fmt::format("The figure \"{}\" is left out: {}.", figure.title, error.what())});
  }
}

void add_figures(PageSection& section, const ReportContent& content) {
  const Scoring& scoring = scoring_of(content.metrics->rows);
  std::vector<std::string> labels;
  for (const Target& target : content.info().targets) labels.push_back(target.label);
  for (const ScoreFigure& figure : scoring.own_figures(labels)) {
    if (figure.name == "coverage")
      add_score_figure(section, content, figure, "the curve on the diagonal, within the band of chance.",
                       "a curve below the diagonal: intervals hold the truth less often than they state; above it: "
                       "they are wider than need be.");
    if (figure.name == "ranks")
      add_score_figure(section, content, figure, "bars at 1, within the band of what chance does.",
                       "bars that rise at both ends: too narrow; in the middle: too wide; to one side: shifted.");
  }
}

// Training seconds of all stages in its log; 0 if it has none.
double training_seconds(const RunProgress& progress) {
  double seconds = 0;
  for (const Stage stage : {Stage::pretrain, Stage::cache, Stage::finetune}) {
    const StageRecord& record = progress.stage(stage);
    seconds += record.before + record.seconds;
  }
  return seconds;
}

// The run's seed; for an ensemble, the seeds of its runs.
std::string seeds_text(const RunConfig& config) {
  if (config.ensemble.empty()) return std::to_string(config.seed);
  std::vector<std::string> seeds;
  for (const EnsembleMember& one : config.ensemble) seeds.push_back(fmt::format("{} ({})", one.seed, one.run));
  return fmt::format("{}", fmt::join(seeds, ", "));
}

// The total cost of training, including that of runs it continued.
std::string cost_text(const RunCost& cost) {
  if (!cost.known) return "not known: " + cost.missing;
  const std::string before =
      cost.cost.before > 0 && cost.cost.paper() > cost.cost.before
          ? fmt::format("; of these {} by the run whose weights it began with", flop_text(cost.cost.before))
          : "";
  return fmt::format("{} (forward passes times three), {} with the cached embeddings{}", flop_text(cost.cost.paper()),
                     flop_text(cost.cost.with_cache()), before);
}

std::string time_text(const ReportContent& content) {
  const double seconds = training_seconds(content.progress);
  if (!(seconds > 0)) return "";
  const std::string& from = content.run.config.pretrain.from;
  return duration_text(seconds) +
         (from.empty() ? "" : fmt::format(", without that of {}, whose weights it began with", printable(from, 200)));
}

// A good value of a score, after its sentence; "" if the sentence states it.
std::string good_text(std::string_view name) {
  static const std::map<std::string_view, const char*> all = {
      {"RMAE", " Good: small; 0.25 is about what the middle of a uniform prior does without data."},
      {"ACAUC", " Good: within its noise, which is the next number."},
      {"location z", " Good: within 2 to either side; beyond 4 posteriors lie to one side."},
      {"width z", " Good: within 2 to either side."},
      {"rank p", " Good: any value but tiny ones, below 0.001."},
      {"ECDF p", " Good: any value but tiny ones."},
      {"TARP", " Good: its curve on the diagonal; its p-value not tiny."},
      {"TARP p", " Good: any value but tiny ones."},
      {"C2ST", " Good: 0.5, no better than guessing."},
      {"C2ST p", " Good: any value but tiny ones."},
      {"region p", " Good: any value but tiny ones."}};
  const auto known = all.find(name);
  return known == all.end() ? "" : known->second;
}

// The meanings of the headings of the scores, one line each.
std::string terms_text(const Table& table, bool further) {
  std::vector<std::string> words;
  for (const Table::Column& column : table.columns()) words.push_back(column.title);
  if (further) words.insert(words.end(), {"ECDF p", "TARP", "C2ST", "region p"});
  std::string lines;
  std::vector<const Term*> reported;
  for (const std::string& word : words) {
    const Term* const term = find_term(word);
    if (term == nullptr || std::find(reported.begin(), reported.end(), term) != reported.end()) continue;
    reported.push_back(term);
    lines += fmt::format("{}: {}{}\n", term->name, term->sentence, good_text(term->name));
  }
  return lines;
}

}  // namespace

PageSection calibration_section(const ReportContent& content) {
  PageSection section{"calibration", fmt::format("Calibration at N = {}", count_text(content.n())), {}};
  if (!content.metrics) {
    section.blocks.push_back(
        PageWarning{"Warning: calibration at this size was not measured for this report; how reliable its "
                    "probabilities are is not known."});
    return section;
  }
  const std::vector<EvaluationRow>& rows = content.metrics->rows;
  section.blocks.push_back(PageText{fmt::format(
      "The same estimator was evaluated on {} sets of N = {} that were simulated with known values, drawn from the "
      "prior ({}; seed {}).",
      count_text(rows.front().sets), count_text(content.n()), content.metrics->data, content.metrics->seed)});
  if (content.answer.refined_first())
    section.blocks.push_back(PageText{
        "These ranks and scores are of the run's own posterior, not of the refined one, which comes first above."});
  if (!content.verdict.text.empty()) section.blocks.push_back(PageText{content.verdict.text + "."});
  if (!content.sharpness.empty()) section.blocks.push_back(PageText{content.sharpness + "."});
  PageFacts facts;  // one row, and many columns
  const Table table = scoring_of(rows).table(rows);
  for (std::size_t c = 0; c < table.columns().size(); ++c)
    facts.facts.emplace_back(table.columns()[c].title, table.rows().front()[c]);
  section.blocks.push_back(std::move(facts));
  if (const std::string power = power_text(rows.front(), calibration_limits(rows)); !power.empty())
    section.blocks.push_back(PageText{power});
  if (!content.info().given.empty())
    section.blocks.push_back(
        PageText{"The conditions of these sets are drawn as in training: calibration is an average over that, too, and "
                 "is not known for sets with the conditions of this one alone."});
  std::vector<std::string> labels;
  for (const Target& target : content.info().targets) labels.push_back(target.label);
  const std::string further = further_text(rows, labels, 0);
  if (!further.empty()) section.blocks.push_back(PageLines{further});
  if (const std::string terms = terms_text(table, !further.empty()); !terms.empty())
    section.blocks.push_back(PageLines{terms, "What these words mean, and what is good"});
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
  add("embedding", fmt::format("{} numbers", one_of_ensemble(run.estimator).embedding_size()));
  add("head", lines_text(shown_head(content).describe()));
  add("input", input_text(*run.task, input_scale(*run.task)));
  add("cost of training", cost_text(content.cost));
  add("time", time_text(content));
  add("weights", weights_checksum(run));
  PageSection section{"training", "Training", {std::move(facts)}};
  if (content.progress.has_losses()) {
    LossCurves curves{run.name, config.strategy, content.progress, loss_label(config.estimator.head)};
    section.blocks.push_back(PageFigure{
        loss_figure({curves}), "Loss in training (dotted) and on held-out sets (solid).",
        "both flat at the end, and together.", "still falling: train longer; the solid one rising: it overfits.",
        fmt::format("pairs --batch figure loss {}", shell_word(content.question.asked.run))});
  }
  add_prior(section, content);
  add_own_files(section, run);
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
      fmt::format("It was trained on {}{}. It knows only what the simulator makes: a posterior holds under the "
                  "model and its prior, and no check here proves that the model describes the world.",
                  learned_from(run), info.variant.empty() ? "" : ", " + info.variant));
  say("Calibration is an average over the prior: an estimator can be calibrated and still be off for one set, and in a "
      "region of the prior that is rarely drawn.");
  if (!info.psi_text.empty())
    say("The nuisance parameters are integrated out under their prior: under another prior of theirs the posterior "
        "would be different.");
  if (content.exact.empty())
    say("No exact posterior of this model is known to the program: how far the estimate lies from it is not known.");
  return section;
}

}  // namespace pairs
