#include "app/model/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/common/figures.h"
#include "app/common/metrics_file.h"
#include "app/common/table.h"
#include "core/base/error.h"

namespace pairs::model {
namespace {

std::string kept_key(const std::string& weights, const std::string& data) {
  return weights + "\n" + data;
}

}  // namespace

ShownFigure shown_figure(const char* name, const char* title, const char* meaning,
                         const std::function<Figure()>& build) {
  ShownFigure out{name, title, meaning, nullptr, ""};
  try {
    out.figure = std::make_shared<const Figure>(build());
  } catch (const Error& error) {
    out.missing = error.what();
  }
  return out;
}

std::vector<ShownFigure> metric_figures(const std::vector<Metrics>& metrics) {
  const bool any_gap = std::any_of(metrics.begin(), metrics.end(), [](const Metrics& one) {
    return std::any_of(one.rows.begin(), one.rows.end(), [](const EvaluationRow& row) { return !std::isnan(row.gap); });
  });
  std::vector<ShownFigure> out;
  if (!metrics.empty() && of_images(metrics.front().rows)) {
    out.push_back(shown_figure("mse", "Error of predicted images",
                               "Squared error per pixel of one sample and of the mean of all samples, freed of their "
                               "noise: both fall as more is seen; without any observation they stand at the prior's.",
                               [&] { return mse_figure(metrics); }));
    return out;
  }
  out.push_back(shown_figure("nll", "Negative log-likelihood",
                             "How little probability the posterior gives to the truth: lower is better, and the exact "
                             "posterior, where it is known, is the best there is.",
                             [&] { return nll_figure(metrics); }));
  if (any_gap)
    out.push_back(
        shown_figure("gap", "Gap to the exact posterior",
                     "The NLL minus that of the exact posterior on the same test sets: zero is perfect, and the "
                     "band shows two standard errors.",
                     [&] { return gap_figure(metrics); }));
  out.push_back(
      shown_figure("rmae", "Error of the posterior mean",
                   "RMAE: how far the posterior mean is from the truth on average, over the width of the prior.",
                   [&] { return rmae_figure(metrics); }));
  out.push_back(
      shown_figure("acauc", "Calibration error",
                   "ACAUC: how far the shares of truths inside credible intervals are from what the intervals "
                   "promise; inside the band nothing can be told apart from chance.",
                   [&] { return acauc_figure(metrics); }));
  return out;
}

std::shared_ptr<const Scores> make_scores(const std::string& run, Metrics metrics, bool complete, std::string place,
                                          const std::vector<std::string>& targets) {
  auto scores = std::make_shared<Scores>();
  scores->run = run;
  scores->name = metrics.run;
  scores->data = metrics.data;
  scores->seed = metrics.seed;
  scores->complete = complete;
  scores->place = std::move(place);
  scores->rows = metrics.rows;
  scores->figures = metric_figures({metrics});
  if (!of_images(metrics.rows)) {
    scores->figures.push_back(
        shown_figure("coverage", "Coverage",
                     "The share of truths inside central credible intervals against what the intervals "
                     "promise: a calibrated posterior stays inside the band around the diagonal.",
                     [&] { return coverage_figure({metrics}); }));
    scores->figures.push_back(
        shown_figure("ranks", "Ranks of the truth",
                     "Where the truth falls among posterior samples: flat when calibrated, a valley when "
                     "the posterior is too narrow, a hill when it is too wide.",
                     [&] { return ranks_figure(metrics, targets); }));
  }
  scores->metrics = std::make_shared<const Metrics>(std::move(metrics));
  return scores;
}

Calibration calibration(const EvaluationRow& row) {
  if (std::isnan(row.acauc) || std::isnan(row.acauc_p95)) return Calibration::unknown;
  return row.acauc > row.acauc_p95 ? Calibration::miscalibrated : Calibration::within_noise;
}

ScoreTable score_table(const std::vector<EvaluationRow>& rows) {
  using Row = EvaluationRow;
  struct Candidate {
    ScoreColumn column;
    std::function<std::string(const Row&)> text;
  };
  const auto p_text = [](double p) {
    return std::isnan(p) ? "–" : p < 0.001 ? std::string("< 0.001") : number_text(p, 3);
  };
  std::vector<Candidate> all = {
      {{"N", "How many observations each test set holds."}, [](const Row& r) { return count_text(r.n); }},
      {{"sets", "How many freshly simulated test sets were scored; more make the numbers surer."},
       [](const Row& r) { return count_text(r.sets); }},
      {{"NLL / nat",
        "Mean of −log posterior density at the truth, ± its standard error: lower is better, and only comparable at "
        "one N of one task."},
       [](const Row& r) { return with_error_text(r.nll, r.nll_se, 3); }},
      {{"exact / nat", "The same for the exact posterior: nothing can be lower on average."},
       [](const Row& r) { return number_text(r.exact_on_sets(), 3); }},
      {{"gap / nat",
        "How far the NLL lies above the exact posterior's on the same sets, ± its standard error: zero is perfect."},
       [](const Row& r) { return with_error_text(r.gap, r.gap_se, 4); }},
      {{"RMAE", "Mean distance of the posterior mean from the truth, over the width of the prior: lower is better."},
       [](const Row& r) { return number_text(r.rmae, 4); }},
      {{"ACAUC (noise)",
        "Mean distance between promised and actual coverage of credible intervals; in brackets what a calibrated "
        "posterior stays below in 95 % of evaluations like this one."},
       [](const Row& r) {
         return std::isnan(r.acauc) ? "–"
                                    : fmt::format("{} ({})", number_text(r.acauc, 4), number_text(r.acauc_p95, 4));
       }},
      {{"SBC p", "How likely ranks as uneven as these are when the posterior is calibrated: below 0.01 is suspicious."},
       [p_text](const Row& r) { return p_text(r.sbc_p); }},
      {{"MSE of a sample", "Squared error per pixel of one sample of the posterior, ± its standard error."},
       [](const Row& r) { return with_error_text(r.mse, r.mse_se, 5); }},
      {{"MSE of the mean",
        "Squared error per pixel of the posterior mean, freed of the samples' noise: half that of a sample when the "
        "posterior is right."},
       [](const Row& r) { return with_error_text(r.mse_posterior, r.mse_posterior_se, 5); }},
      {{"share of prior", "That error over the one of the mean image, which is what is known without observations."},
       [](const Row& r) { return number_text(r.mse_posterior / r.mse_prior, 3); }},
      {{"sd per pixel", "How far samples of one posterior differ from each other, averaged over pixels."},
       [](const Row& r) { return std::isnan(r.mse_prior) ? "–" : number_text(r.sd, 4); }},
  };
  ScoreTable table;
  std::vector<const Candidate*> used;
  for (const Candidate& one : all)
    if (std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return one.text(r) != "–"; })) used.push_back(&one);
  for (const Candidate* one : used) table.columns.push_back(one->column);
  for (const Row& row : rows) {
    table.rows.emplace_back();
    for (const Candidate* one : used) table.rows.back().push_back(one->text(row));
  }
  return table;
}

void KeptScores::keep(Metrics metrics) {
  auto kept = std::make_shared<const Metrics>(std::move(metrics));
  const std::lock_guard lock(mutex_);
  const std::string key = kept_key(kept->weights, kept->data);
  all_[key] = std::move(kept);
}

std::shared_ptr<const Metrics> KeptScores::find(const std::string& weights, const std::string& data) const {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(kept_key(weights, data));
  return found == all_.end() ? nullptr : found->second;
}

}  // namespace pairs::model
