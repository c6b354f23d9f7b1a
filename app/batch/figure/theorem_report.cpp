#include "app/batch/figure/theorem_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/batch/parts/logged_runs.h"
#include "app/runs/run_labels.h"
#include "app/runs/theorem_figure.h"
#include "app/text/table.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/eval/references/affine_map.h"
#include "core/eval/references/sufficiency.h"

namespace pairs::batch {
namespace {

// A run whose stage 1 is done, with its embeddings of the sample.
struct EmbeddedRun {
  const LoggedRun* run;
  torch::Tensor embeddings;
};

void check_runs(const std::vector<LoggedRun>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (std::error_code error; std::filesystem::equivalent(runs[k].folder, runs[i].folder, error))
        fail_usage("The run {} is named twice; name each run once", runs[k].name);
      PAIRS_CHECK(runs[k].config.task_settings == runs[i].config.task_settings,
                  "The runs {} and {} have other settings of their task; draw runs of the same settings", runs[k].name,
                  runs[i].name);
    }
}

TheoremSample sample_for(const std::vector<LoggedRun>& runs) {
  std::int64_t size = 0;
  for (const LoggedRun& run : runs) size = std::max(size, run.config.estimator.embedder.size);
  const TheoremSample sample =
      theorem_sample(*make_run_task(runs.front().config, runs.front().folder / run_file::config), size);
  if (!sample.known())
    fail_usage("No sufficient statistics of the task {} are known, so that the figure theorem has nothing to show",
               runs.front().config.task);
  return sample;
}

std::vector<EmbeddedRun> embedded_runs(const std::vector<LoggedRun>& runs, const TheoremSample& sample,
                                       const OpenArguments& open) {
  std::vector<EmbeddedRun> out;
  for (const LoggedRun& run : runs) {
    const RunStatus status = run_status(run.folder);
    if (!status.pretrained && !status.finished) continue;
    const LoadedRun loaded = open_run(run.folder.string(), open);
    out.push_back({&run, embeddings_of(*loaded.estimator, sample)});
  }
  return out;
}

nlohmann::json by_name(const std::vector<std::string>& names, const std::vector<double>& values) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t k = 0; k < names.size(); ++k) out[names[k]] = values[k];
  return out;
}

std::string share_text(double share) {
  return fmt::format("{:.2e}", share);
}

void report_runs(const std::vector<EmbeddedRun>& runs, const TheoremSample& sample, TheoremReport& report) {
  Table table({{"run", false}, {"strategy", false}, {"largest 1 − R²"}, {"largest Cauchy residual"}});
  report.document["runs"] = nlohmann::json::array();
  for (const EmbeddedRun& one : runs) {
    const std::vector<double> left = doubles(unexplained(one.embeddings, sample.statistics));
    const std::vector<double> cauchy = doubles(cauchy_residual(one.embeddings, sample.statistics));
    report.document["runs"].push_back({{"run", one.run->name},
                                       {"strategy", one.run->config.strategy},
                                       {"unexplained", by_name(sample.names, left)},
                                       {"cauchy_residual", by_name(sample.names, cauchy)}});
    table.add({one.run->name, one.run->config.strategy, share_text(worst_of(left)), share_text(worst_of(cauchy))});
  }
  if (!table.empty()) report.text += table.text();
}

void report_maps(const std::vector<EmbeddedRun>& runs, TheoremReport& report) {
  Table table({{"affine map from", false}, {"to", false}, {"1 − R²"}});
  report.document["maps"] = nlohmann::json::array();
  for (const EmbeddedRun& from : runs)
    for (const EmbeddedRun& to : runs) {
      if (&from == &to) continue;
      const double left = unexplained_in_all(from.embeddings, to.embeddings);
      report.document["maps"].push_back({{"from", from.run->name}, {"to", to.run->name}, {"unexplained", left}});
      table.add({from.run->name, to.run->name, share_text(left)});
    }
  if (!table.empty()) report.text += "\n" + table.text();
}

}  // namespace

TheoremReport theorem_report(const std::vector<std::string>& names, const OpenArguments& open) {
  if (names.empty()) fail_usage("The figure theorem needs at least one run: pairs --batch figure theorem RUN");
  const std::vector<LoggedRun> runs = logged_runs(names, open);
  check_runs(runs);
  const TheoremSample sample = sample_for(runs);
  std::vector<LabeledRun> labeled;
  for (const LoggedRun& run : runs) labeled.push_back({run.name, run.config, true});
  const std::vector<std::string> labels = seed_labels(labeled);
  std::vector<TheoremCurve> curves;
  for (std::size_t i = 0; i < runs.size(); ++i)
    curves.push_back({runs[i].name, runs[i].config.strategy, labels[i], runs[i].shade, runs[i].progress});
  TheoremReport report;
  report.figure = theorem_figure(curves, sample.names);
  const std::vector<EmbeddedRun> embedded = embedded_runs(runs, sample, open);
  report_runs(embedded, sample, report);
  report_maps(embedded, report);
  return report;
}

}  // namespace pairs::batch
