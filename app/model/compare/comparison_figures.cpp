#include "app/model/compare/comparison_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "app/runs/loss_figure.h"
#include "app/runs/places.h"
#include "app/runs/run_about.h"
#include "app/runs/run_labels.h"
#include "app/runs/run_stamp.h"
#include "app/runs/strategy_look.h"
#include "app/runs/task_words.h"
#include "app/scores/companion.h"
#include "app/scores/cost_figure.h"
#include "app/scores/run_evaluation.h"
#include "app/scores/score.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

using State = ComparedRun::State;

std::shared_ptr<const ReadRun> read_run(const Tasks& tasks, const std::string& run, const std::string& data,
                                        const std::shared_ptr<const ReadRun>& before) {
  const std::string stamp = run_stamp(tasks, run, data), log = log_stamp(tasks, run, data);
  if (before && before->stamp == stamp && before->log == log) return before;
  auto out = before && before->stamp == stamp ? std::make_shared<ReadRun>(*before) : std::make_shared<ReadRun>();
  const bool again = out->stamp.empty();
  out->stamp = stamp;
  out->log = log;
  try {
    const RunFolder found = find_run(tasks, run, data);
    const std::string called = read_about(found.folder).name;
    out->name = called.empty() ? found.name : called;
    out->shipped = is_shipped(found.folder);
    if (again) {
      out->config = read_run_toml(tasks, found.folder / run_file::config);
      out->variant = tasks->make(out->config.task, {"", out->config.task_settings})->info().variant;
    }
    const auto events = found.folder / run_file::events;
    std::error_code code;
    if (std::filesystem::exists(events, code)) out->progress = read_progress(events);
    if (!again) return out;
    std::optional<LoadedRun> loaded;
    try {
      loaded = load_run(tasks, run, data, "cpu");
    } catch (const Error& error) {
      out->untrained = error.what();
      return out;
    }
    out->finetuned = loaded->finetuned;
    out->weights = weights_checksum(*loaded);
    out->data = loaded->task->info().data_source;
    out->data_hint = loaded->task->info().data_hint;
    out->cost = cost_of(*loaded);
    try {
      out->metrics = stored_metrics(*loaded);
      if (out->metrics && out->metrics->rows.empty()) out->metrics.reset();
    } catch (const Error& error) {
      out->metrics_error = error.what();
    }
  } catch (const std::exception& error) {
    out->error = sentence(error);
    if (out->name.empty()) {
      const std::filesystem::path folder = run;
      out->name = folder.filename().empty() ? folder.parent_path().filename().string() : folder.filename().string();
    }
  }
  return out;
}

// The largest set size at which all were scored; 0 if there is none.
std::int64_t largest_shared_size(const std::vector<Metrics>& metrics) {
  std::int64_t n = 0;
  for (const EvaluationRow& row : metrics.front().rows)
    if (std::all_of(metrics.begin(), metrics.end(), [&](const Metrics& one) {
          return std::any_of(one.rows.begin(), one.rows.end(), [&](const EvaluationRow& r) { return r.n == row.n; });
        }))
      n = std::max(n, row.n);
  return n;
}

Figure cost_figure(const std::vector<Metrics>& metrics, const std::vector<const ReadRun*>& runs) {
  std::vector<ParetoPoint> points;
  const std::int64_t n = metrics.empty() ? 0 : largest_shared_size(metrics);
  const Score& score = score_of(metrics.empty() ? std::vector<EvaluationRow>() : metrics.front().rows);
  PAIRS_CHECK(n > 0, "The runs were scored at no set size in common; evaluate them with the same sizes");
  for (std::size_t i = 0; i < metrics.size(); ++i)
    for (const EvaluationRow& row : metrics[i].rows)
      if (row.n == n && runs[i]->cost.known)
        points.push_back({metrics[i].run, runs[i]->config.strategy, runs[i]->cost.cost.paper(),
                          runs[i]->cost.cost.with_cache(), score.value(row), score.error(row), n, score.heading(),
                          metrics[i].shade});
  return pareto_figure(points);
}

const EvaluationRow* row_at(const Metrics& metrics, std::int64_t n) {
  for (const EvaluationRow& row : metrics.rows)
    if (row.n == n) return &row;
  return nullptr;
}

// For each N of the baseline, one sample for all runs: the first sets, as many as all runs that share them (by their
// digests) were scored on.
std::vector<DifferenceRow> difference_rows(const std::vector<const Metrics*>& metrics, std::size_t baseline) {
  std::vector<DifferenceRow> out;
  const Metrics* base = metrics[baseline];
  if (!base) return out;
  for (const EvaluationRow& row : base->rows) {
    std::vector<const EvaluationRow*> others(metrics.size(), nullptr);
    std::size_t shared = scored_sets(row);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (!metrics[i] || i == baseline) continue;
      const EvaluationRow* other = row_at(*metrics[i], row.n);
      const std::size_t paired = other ? paired_sets(*other, row) : 0;
      if (paired < 2) continue;
      others[i] = other;
      shared = std::min(shared, paired);
    }
    if (shared < 2) continue;
    const PairedDifference own = score_of_first(row, shared);
    DifferenceRow line{row.n, own.mean, own.se, static_cast<std::int64_t>(shared), {}};
    for (const EvaluationRow* other : others) {
      line.runs.emplace_back();
      if (!other) continue;
      const PairedDifference difference = score_difference(*other, row, shared);
      line.runs.back() = {difference.mean, difference.se};
    }
    out.push_back(std::move(line));
  }
  return out;
}

// Why two runs were not scored on the same test sets, if they were not.
void report_unpaired(const Metrics& base, const Metrics& other, Comparison::View& view) {
  if (&base == &other) return;
  for (const EvaluationRow& row : base.rows) {
    const EvaluationRow* its = row_at(other, row.n);
    if (!its || paired_sets(*its, row) > 0) continue;
    view.differences_note =
        other.seed != base.seed
            ? fmt::format(
                  "Only runs that were evaluated with the same seed saw the same test sets; {} used seed {} and "
                  "{} seed {}",
                  other.run, other.seed, base.run, base.seed)
            : fmt::format(
                  "{} and {} were scored on different test sets: data, program or prior have changed between "
                  "the two evaluations; evaluate both again",
                  other.run, base.run);
    return;
  }
}

Figure drawn_differences(const Comparison::View& view, const std::vector<const ReadRun*>& members) {
  std::vector<DifferenceCurve> curves;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == view.baseline) continue;
    DifferenceCurve curve{members[i]->name, members[i]->config.strategy, {}, {}, {}, shade_of(view.roles[i])};
    for (const DifferenceRow& row : view.differences) {
      if (std::isnan(row.runs[i].mean)) continue;
      curve.n.push_back(static_cast<double>(row.n));
      curve.mean.push_back(row.runs[i].mean);
      curve.se.push_back(row.runs[i].se);
    }
    if (!curve.n.empty()) curves.push_back(std::move(curve));
  }
  return difference_figure(view.names[view.baseline], curves, members[view.baseline]->data, *view.score);
}

// The distance of the runs' posterior means from the baseline's.
Figure drawn_apart(const Comparison::View& view, const std::vector<const ReadRun*>& members,
                   const std::vector<const Metrics*>& metrics) {
  std::vector<DifferenceCurve> curves;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == view.baseline || !metrics[i] || !metrics[view.baseline]) continue;
    DifferenceCurve curve{members[i]->name, members[i]->config.strategy, {}, {}, {}, shade_of(view.roles[i])};
    for (const MeansApart& one : means_apart(*metrics[view.baseline], *metrics[i])) {
      curve.n.push_back(static_cast<double>(one.n));
      curve.mean.push_back(*std::max_element(one.rms.begin(), one.rms.end()));
    }
    curves.push_back(std::move(curve));
  }
  return apart_figure(view.names[view.baseline], curves, members[view.baseline]->data);
}

// Runs on different data can be compared if they were scored on the same test sets.
bool comparable_data(const ReadRun& read, const ReadRun& first, const Metrics* metrics, const Metrics* first_metrics) {
  if (read.data.empty() || first.data.empty() || read.data == first.data) return true;
  return metrics && first_metrics && same_test_sets(metrics->rows, first_metrics->rows);
}

ComparedRun entry_of(const std::string& run, const ReadRun& read, const ReadRun* first, const Metrics* metrics,
                     const Metrics* first_metrics) {
  ComparedRun entry;
  entry.run = run;
  entry.name = read.name;
  entry.strategy = read.config.strategy;
  entry.title = run_title(read.config);
  entry.role = strategy_role(read.config.strategy);
  if (!read.error.empty()) {
    entry.state = State::failed;
    entry.sentence = read.error;
  } else if (std::string other = first ? other_question({read.name, read.config.task, read.variant},
                                                        {first->name, first->config.task, first->variant})
                                       : "";
             !other.empty()) {
    entry.state = State::other;
    entry.sentence = std::move(other);
  } else if (first && !comparable_data(read, *first, metrics, first_metrics)) {
    entry.state = State::other;
    entry.sentence = fmt::format("{} uses {} and {} uses {}; only runs on the same data can be compared{}", read.name,
                                 read.data, first->name, first->data,
                                 (read.data_hint + first->data_hint).empty()
                                     ? ""
                                     : ": name one folder for both under Real data on the Settings page");
  } else if (!read.untrained.empty()) {
    entry.state = State::untrained;
    entry.sentence = read.untrained;
  } else if (metrics) {
    entry.state = State::scored;
  } else {
    entry.state = State::unscored;
    entry.sentence = read.metrics_error.empty()
                         ? fmt::format("{} has no scores of its present weights yet; evaluate it", read.name)
                         : read.metrics_error;
    entry.warns = !read.metrics_error.empty();
  }
  entry.warns = entry.warns || entry.state == State::failed || entry.state == State::other;
  return entry;
}

// A plot needs no legend if the first one's names all its lines.
void keep_needed_legends(Figure& figure) {
  const auto named = [](const Plot& plot, const std::string& name) {
    return std::any_of(plot.lines.begin(), plot.lines.end(), [&](const Line& line) { return line.name == name; });
  };
  for (std::size_t i = 1; i < figure.plots.size(); ++i)
    figure.plots[i].legend = !std::all_of(figure.plots[i].lines.begin(), figure.plots[i].lines.end(),
                                          [&](const Line& line) { return named(figure.plots.front(), line.name); });
}

// The cost of one step, from the cost of the whole stage.
double step_gflop(double gflop, double sets, std::int64_t batch) {
  return sets > 0 ? gflop * static_cast<double>(batch) / sets : NAN;
}

LossCurves loss_curves(const ReadRun& read, SeriesRole role) {
  LossCurves curves{read.name, read.config.strategy, read.progress, loss_label(read.config.estimator.head),
                    shade_of(role)};
  if (!read.cost.known) return curves;
  const Visits visits = visits_of(read.progress);
  curves.pretrain_gflop = step_gflop(read.cost.cost.pretrain, visits.pretrain, read.config.pretrain.batch);
  curves.finetune_gflop = step_gflop(read.cost.cost.finetune, visits.finetune, read.config.finetune.batch);
  return curves;
}

std::shared_ptr<const Comparison::View> make_view(const std::vector<ComparedRun>& entries, const ReadRuns& runs,
                                                  const std::map<std::string, std::shared_ptr<const Metrics>>& scores,
                                                  const AskedComparison& asked) {
  auto view = std::make_shared<Comparison::View>();
  std::vector<const ReadRun*> members, scored;
  std::vector<const Metrics*> by_member;
  std::vector<Metrics> metrics;
  std::vector<RunConfig> configs;
  std::vector<LossCurves> losses;
  for (const ComparedRun& entry : entries) {
    if (entry.state == State::failed || entry.state == State::other) continue;
    const ReadRun* read = runs.at(entry.run).get();
    const auto found = scores.find(entry.run);
    members.push_back(read);
    by_member.push_back(found == scores.end() ? nullptr : found->second.get());
    view->names.push_back(read->name);
    view->roles.push_back(entry.role);
    configs.push_back(read->config);
    view->runs.push_back(entry.run);
    view->lines.push_back({read->name});
    if (read->progress.has_losses()) losses.push_back(loss_curves(*read, entry.role));
    if (!by_member.back()) continue;
    metrics.push_back(*by_member.back());
    metrics.back().run = read->name;
    metrics.back().shade = shade_of(entry.role);
    scored.push_back(read);
  }
  if (members.empty()) return view;
  view->task = members.front()->config.task;
  const auto named = std::find(view->names.begin(), view->names.end(), asked.baseline);
  const auto with_scores = std::find_if(by_member.begin(), by_member.end(), [](const Metrics* one) { return one; });
  if (named != view->names.end() && by_member[static_cast<std::size_t>(named - view->names.begin())])
    view->baseline = static_cast<std::size_t>(named - view->names.begin());
  else if (with_scores != by_member.end())
    view->baseline = static_cast<std::size_t>(with_scores - by_member.begin());
  view->differences = difference_rows(by_member, view->baseline);
  if (!metrics.empty()) {
    std::vector<LabeledRun> labeled;
    for (const ReadRun* read : scored) labeled.push_back({read->name, read->config, read->finetuned});
    const std::vector<std::string> labels = seed_labels(labeled);
    for (std::size_t i = 0; i < labels.size(); ++i) metrics[i].label = labels[i];
    for (std::size_t i = 0, k = 0; i < members.size(); ++i)
      if (by_member[i]) view->lines[i].push_back(labels[k++]);
    view->score = &score_of(metrics.front().rows);
    view->figures = metric_figures(metrics);
    if (metrics.size() > 1)
      view->figures.insert(
          view->figures.begin() + 1,
          shown_figure("difference", "Minus the baseline's",
                       "The same test sets for every run, so that small differences show: below zero a run "
                       "is better than the baseline; the band shows two standard errors.",
                       [&] { return drawn_differences(*view, members); }));
    if (metrics.size() > 1 && scoring_of(metrics.front().rows).compares_means())
      view->figures.push_back(shown_figure(
          "apart", "Means against the baseline's",
          "How far posterior means lie from the baseline's on the same sets, in units of the posterior sd (rms; of "
          "several targets the one furthest apart). Two runs with exact posteriors would lie at zero: at least "
          "half of it is the error of one of the two, whatever their calibration is.",
          [&] { return drawn_apart(*view, members, by_member); }));
    view->figures.push_back(
        shown_figure("pareto", "Cost against quality",
                     "What training cost against quality at the largest set size that all runs were "
                     "scored at: better is lower and further left.",
                     [&] { return cost_figure(metrics, scored); }));
  }
  view->losses.push_back(
      shown_figure("loss", "Losses",
                   "Training (dotted) and validation loss of each stage; runs of different networks or "
                   "sizes need not end at the same value.",
                   [&] {
                     Figure figure = loss_figure(losses, asked.losses);
                     if (losses.size() > 1) keep_needed_legends(figure);
                     return figure;
                   }));
  if (asked.rate)
    view->losses.push_back(shown_figure("rate", "Learning rate", "What each step of a stage was multiplied with.",
                                        [&] { return rate_figure(losses, asked.losses.axis); }));
  for (SettingRow& row : setting_rows(configs))
    view->settings.push_back({std::move(row.key), std::move(row.values), row.differs});
  SettingLine paper{"by the paper's rule", {}, false}, all{"with stage 2 counted", {}, false};
  for (const ReadRun* read : members) {
    paper.values.push_back(read->cost.known ? flop_text(read->cost.cost.paper()) : "–");
    all.values.push_back(read->cost.known ? flop_text(read->cost.cost.with_cache()) : "–");
  }
  for (SettingLine* line : {&paper, &all}) {
    line->differs =
        std::any_of(line->values.begin(), line->values.end(), [&](const auto& v) { return v != line->values[0]; });
    view->costs.push_back(std::move(*line));
  }
  for (const Metrics* one : by_member)
    if (one && by_member[view->baseline]) report_unpaired(*by_member[view->baseline], *one, *view);
  return view;
}

// The arguments with which `compare` reproduces the runs' scores, as far as these agree.
void report_arguments(const std::vector<ComparedRun>& entries,
                      const std::map<std::string, std::shared_ptr<const Metrics>>& scores, MadeComparison& made) {
  std::vector<std::string> names;
  std::vector<std::array<std::string, 4>> texts;
  for (const ComparedRun& entry : entries)
    if (const auto found = scores.find(entry.run); entry.state == State::scored && found != scores.end()) {
      names.push_back(entry.name);
      texts.push_back(evaluation_texts(options_of(*found->second)));
    }
  if (texts.empty()) return;
  constexpr std::array<const char*, 4> kWhat = {"set sizes", "test sets", "samples", "seed"};
  std::vector<std::string> differing;
  bool sizes_differ = false;
  for (std::size_t k = 0; k < kWhat.size(); ++k) {
    const auto other = std::find_if(texts.begin(), texts.end(), [&](const auto& one) { return one[k] != texts[0][k]; });
    const bool differs = other != texts.end();
    if (differs)
      differing.push_back(fmt::format("{} ({} {}, {} {})", kWhat[k], names.front(), texts.front()[k],
                                      names[static_cast<std::size_t>(other - texts.begin())], (*other)[k]));
    if (k == 0) sizes_differ = differs;
    // A list of sets belongs to its sizes.
    const bool list = k == 1 && sizes_differ && texts[0][k].find(',') != std::string::npos;
    if (!differs && !list) made.arguments += fmt::format(" {} {}", kEvaluationArguments[k], texts[0][k]);
  }
  if (!differing.empty())
    made.note = fmt::format("The runs were scored differently: {}. The command scores all in the same way.",
                            fmt::join(differing, "; "));
}

}  // namespace

std::shared_ptr<const MadeComparison> make_comparison(const Tasks& tasks, const AskedComparison& asked,
                                                      const KeptScores& kept, const RunShades& shades,
                                                      const std::shared_ptr<const MadeComparison>& before,
                                                      const LatestWorker::Stale& stale) {
  auto made = std::make_shared<MadeComparison>();
  made->asked = asked;
  const std::string& data = asked.data;
  std::map<std::string, std::shared_ptr<const Metrics>> scores;
  made->shaded = shades.version();
  bool same = before && before->asked == asked && before->shaded == made->shaded;
  for (const std::string& run : asked.wanted) {
    if (stale()) throw Stopped();
    const auto known = before ? before->runs.find(run) : ReadRuns::const_iterator();
    const auto old = before && before->asked.data == data && known != before->runs.end() ? known->second : nullptr;
    const auto read = read_run(tasks, run, data, old);
    same = same && read == old;
    made->runs[run] = read;
    if (read->metrics) {
      scores[run] = std::make_shared<const Metrics>(*read->metrics);
    } else if (const auto own = read->weights.empty() ? nullptr : kept.find(read->weights, read->data)) {
      scores[run] = own;
      made->evaluated += fmt::format("{}:{};", run, static_cast<const void*>(own.get()));
    }
  }
  if (same && made->evaluated == before->evaluated) return nullptr;
  const ReadRun* first = nullptr;
  const Metrics* first_metrics = nullptr;
  for (const std::string& run : asked.wanted) {
    const ReadRun& read = *made->runs[run];
    const auto found = scores.find(run);
    const Metrics* metrics = found == scores.end() ? nullptr : found->second.get();
    made->entries.push_back(entry_of(run, read, first, metrics, first_metrics));
    made->entries.back().role = shaded(made->entries.back().role, shades.of(run));
    if (first || !read.error.empty()) continue;
    first = &read;
    first_metrics = metrics;
  }
  made->view = make_view(made->entries, made->runs, scores, asked);
  report_arguments(made->entries, scores, *made);
  return made;
}

}  // namespace pairs::model
