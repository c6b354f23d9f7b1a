#include "app/studies/study_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/runs/strategy_look.h"
#include "app/studies/study_worker.h"
#include "core/base/fields/fields.h"
#include "core/base/text/error.h"
#include "core/eval/metrics/mean_error.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

const EvaluationRow* row_at(const Metrics& metrics, std::int64_t n) {
  for (const EvaluationRow& row : metrics.rows)
    if (row.n == n) return &row;
  return nullptr;
}

const StudyResult* of_seed(const SeedGroup& group, std::int64_t seed) {
  for (const StudyResult* one : group.runs)
    if (one->run.config.seed == seed && one->metrics) return one;
  return nullptr;
}

void add_results(const Tasks& tasks, const std::vector<StudyRun>& runs, const fs::path& folder,
                 std::vector<StudyResult>& results) {
  look_over(tasks, folder, runs);
  for (const StudyRun& run : runs) {
    StudyResult result{run, folder / run.name, {}, ""};
    try {
      if (fs::exists(result.folder / run_file::estimator))
        result.metrics = read_metrics(tasks, result.folder / run_file::metrics);
    } catch (const Error& error) {
      result.problem = error.what();
    }
    if (result.metrics && result.metrics->rows.empty()) result.metrics.reset();
    results.push_back(std::move(result));
  }
}

}  // namespace

std::string SeedGroup::title() const {
  std::string title = strategy_title(strategy);
  if (!preset.empty()) title += ", " + preset;
  for (const std::string& one : varied) {
    const std::string key = assigned_key(one);
    title += fmt::format(", {} {}", short_key(key, varied), one.substr(key.size() + 1));
  }
  return title;
}

std::size_t SeedGroup::done() const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const StudyResult* one) { return one->metrics.has_value(); }));
}

std::vector<SeedGroup> StudyResults::groups() const {
  const bool one_preset = std::all_of(results.begin(), results.end(), [&](const StudyResult& one) {
    return one.run.config.preset == results.front().run.config.preset;
  });
  std::vector<SeedGroup> all;
  for (const StudyResult& one : results) {
    const RunConfig& config = one.run.config;
    const auto same = std::find_if(all.begin(), all.end(), [&](const SeedGroup& group) {
      const StudyResult& first = *group.runs.front();
      const auto without_seed = [](const StudyRun& run) { return run.name.substr(0, run.name.rfind("-s")); };
      return without_seed(first.run) == without_seed(one.run) && first.folder.parent_path() == one.folder.parent_path();
    });
    if (same != all.end())
      same->runs.push_back(&one);
    else
      all.push_back({config.task, config.strategy, one_preset ? "" : config.preset, one.run.varied, {&one}});
  }
  return all;
}

std::vector<std::string> StudyResults::task_names() const {
  std::vector<std::string> names;
  for (const StudyResult& one : results)
    if (std::find(names.begin(), names.end(), one.run.config.task) == names.end()) names.push_back(one.run.config.task);
  return names;
}

std::string StudyResults::task_title(const std::string& task) const {
  return tasks->make(task)->info().title;
}

StudyResults study_results(const Tasks& tasks, const Study& study, const std::vector<StudyRun>& runs,
                           const fs::path& folder, const StudyOptions& options) {
  StudyResults all{tasks, study, {}};
  add_results(tasks, runs, folder, all.results);
  for (const std::string& name : study.reads) {
    const fs::path other = folder.parent_path() / name;
    PAIRS_CHECK(fs::exists(other / kStudyCopy),
                "The figures of {} show the runs of the study {}, of which there is none in {}; run it first",
                study.name, name, other.string());
    Study extra = read_study(other / kStudyCopy, options.presets);
    set_all(extra, options.set);
    add_results(tasks, study_runs(tasks, extra, options), other, all.results);
  }
  return all;
}

std::vector<SeedMean> seed_means(const SeedGroup& group, const Score& score) {
  std::map<std::int64_t, std::vector<const EvaluationRow*>> by_n;
  for (const StudyResult* one : group.runs)
    if (one->metrics)
      for (const EvaluationRow& row : one->metrics->rows)
        if (!std::isnan(score.value(row))) by_n[row.n].push_back(&row);
  std::vector<SeedMean> means;
  for (const auto& [n, rows] : by_n) {
    std::vector<double> values;
    for (const EvaluationRow* row : rows) values.push_back(score.value(*row));
    SeedMean& mean = means.emplace_back();
    mean.n = n;
    mean.seeds = static_cast<std::int64_t>(rows.size());
    const MeanAndSpread spread = mean_and_spread(values);
    mean.mean = spread.mean;
    mean.sd = values.size() > 1 ? spread.sd : 0;
    mean.se = rows.size() == 1 ? score.error(*rows.front()) : NAN;
    mean.extrapolation =
        std::any_of(rows.begin(), rows.end(), [](const EvaluationRow* row) { return row->extrapolation; });
  }
  return means;
}

std::vector<SeedDifference> seed_differences(const SeedGroup& group, const SeedGroup& baseline) {
  std::map<std::int64_t, std::vector<SeedPair>> by_n;
  for (const StudyResult* one : group.runs) {
    const StudyResult* other = of_seed(baseline, one->run.config.seed);
    if (!one->metrics || !other) continue;
    for (const EvaluationRow& row : one->metrics->rows)
      if (const EvaluationRow* const base = row_at(*other->metrics, row.n)) by_n[row.n].push_back({&row, base});
  }
  std::vector<SeedDifference> all;
  for (const auto& [n, pairs] : by_n)
    if (const auto found = difference_over_seeds(pairs)) all.push_back({*found, n});
  return all;
}

}  // namespace pairs
