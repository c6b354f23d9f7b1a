#include "app/scores/score_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/scores/metrics_file.h"
#include "app/scores/score_figures.h"
#include "app/scores/test_figures.h"
#include "app/scores/verdict.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// "0.4, −1.2": one number per target.
template <class Text>
std::string joined(const std::vector<double>& values, const Text& text) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ", ") + text(value);
  return out.empty() ? "–" : out;
}

// A drawing that does not need the names of targets.
auto drawn_by(Figure (*draw)(const std::vector<Metrics>&)) {
  return [draw](const std::vector<Metrics>& metrics, const std::vector<std::string>&) { return draw(metrics); };
}

std::function<double(const EvaluationRow&)> share_of_prior(double EvaluationRow::*error) {
  return [error](const EvaluationRow& row) { return row.mse_prior > 0 ? row.*error / row.mse_prior : NAN; };
}

// A drawing of one evaluation.
auto drawn_of_one(Figure (*draw)(const Metrics&, const std::vector<std::string>&)) {
  return [draw](const std::vector<Metrics>& metrics, const std::vector<std::string>& targets) {
    return draw(metrics.front(), targets);
  };
}

// A number, and the limit below which a calibrated run stays in 95 % of evaluations.
std::string beside_noise(double value, double noise, int digits) {
  return std::isnan(value) ? "–" : fmt::format("{} ({})", number_text(value, digits), number_text(noise, digits));
}

}  // namespace

const std::vector<Score>& score_list() {
  using Row = EvaluationRow;
  static const ScoreShown kNowhere{.there = false}, kThere{};
  static const std::vector<Score> all = {
      {.key = "nll",
       .title = "NLL",
       .unit = "nat",
       .needs = ScoreNeeds::density,
       .digits = 3,
       .member = &Row::nll,
       .error_member = &Row::nll_se,
       .meaning = "Mean of −log posterior density at the truth, ± its standard error: lower is better, and only "
                  "comparable at one N of one task.",
       .sentence = "Negative log-likelihood: how little density the posterior gives to the truth, averaged over test "
                   "sets.",
       .equation = "NLL = mean of −log q(θ | X)",
       .compared = kNowhere,
       .figure = {.summary = "Negative log-likelihood against N, with the exact bound where it is known",
                  .title = "Negative log-likelihood",
                  .meaning = "How little probability the posterior gives to the truth: lower is better, and the exact "
                             "posterior, where it is known, is the best there is.",
                  .draw = drawn_by(nll_figure)}},
      {.key = "prior_gain",
       .title = "gain over the prior",
       .needs = ScoreNeeds::density,
       .member = &Row::prior_gain,
       .error_member = &Row::prior_gain_se,
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere},
      {.key = "outside",
       .title = "outside",
       .needs = ScoreNeeds::density,
       .meaning = "Mean share of the head's own density that lies outside the targets' supports. It is cut off, unless "
                  "the run has restrict = false, as the presets `paper` have: then so much of its posteriors lies "
                  "there.",
       .sentence = "The share of the head's own density outside the targets' supports: cut off, or, of a run with "
                   "restrict = false, part of its posteriors.",
       .equation = "mean over sets of 1 − ∫ q(θ | X) dθ over the support, q the head's density",
       .in_window = kNowhere,
       .compared = kNowhere},
      {.key = "exact_nll",
       .title = "exact",
       .unit = "nat",
       .needs = ScoreNeeds::exact_posterior,
       .digits = 3,
       .member = &Row::exact_nll,
       .own_text = [](const Row& row) { return number_text(row.exact_on_sets(), 3); },
       .meaning = "The same for the exact posterior: nothing can be lower on average.",
       .compared = kNowhere},
      {.key = "gap",
       .title = "gap",
       .unit = "nat",
       .needs = ScoreNeeds::exact_posterior,
       .member = &Row::gap,
       .error_member = &Row::gap_se,
       .meaning = "How far the NLL lies above the exact posterior's on the same sets, ± its standard error: zero is "
                  "perfect.",
       .sentence = "How much of the NLL the exact posterior would save on the same test sets: zero is perfect.",
       .equation = "gap = mean of log p(θ | X) − log q(θ | X), whose expectation is E[KL(p ‖ q)] ≥ 0, in nat",
       .compared = kNowhere,
       .figure = {.summary = "How far the NLL lies above the exact posterior's, where that is known",
                  .title = "Gap to the exact posterior",
                  .meaning =
                      "The NLL minus that of the exact posterior on the same test sets: zero is perfect, and the "
                      "band shows two standard errors.",
                  .draw = drawn_by(gap_figure),
                  .where_known = true}},
      {.key = "mse",
       .title = "MSE of a sample",
       .needs = ScoreNeeds::images,
       .digits = 5,
       .member = &Row::mse,
       .error_member = &Row::mse_se,
       .meaning = "Squared error per pixel of one sample of the posterior, ± its standard error.",
       .sentence = "Squared error per pixel of one sample of the posterior.",
       .equation = "mean over sets, samples and pixels of (θₛ − θ)²",
       .figure = {.summary = "Images: squared error of a sample and of the posterior mean against N, with the prior's",
                  .title = "Error of predicted images",
                  .meaning = "Squared error per pixel of one sample and of the mean of all samples, freed of their "
                             "noise: both fall as more is seen; without any observation they stand at the prior's.",
                  .draw = drawn_by(mse_figure)}},
      {.key = "mse_share",
       .title = "share of prior",
       .needs = ScoreNeeds::images,
       .digits = 3,
       .derived = share_of_prior(&Row::mse),
       .in_window = kNowhere,
       .compared = kNowhere},
      {.key = "mse_mean",
       .title = "MSE of the mean of the samples",
       .needs = ScoreNeeds::images,
       .member = &Row::mse_mean,
       .error_member = &Row::mse_mean_se,
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere},
      {.key = "mse_posterior",
       .title = "MSE of the mean",
       .name = "MSE of the posterior mean",
       .needs = ScoreNeeds::images,
       .digits = 5,
       .member = &Row::mse_posterior,
       .error_member = &Row::mse_posterior_se,
       .meaning = "Squared error per pixel of the posterior mean, freed of the samples' noise: half that of a sample "
                  "when the posterior is right.",
       .sentence = "Squared error per pixel of the posterior mean, freed of the noise of few samples.",
       .equation = "mean over sets and pixels of (S · (mean of θₛ − θ)² − mean of (θₛ − θ)²) / (S − 1)",
       .printed = {.heading = "MSE of the posterior mean"},
       .compared = kNowhere},
      {.key = "mse_posterior_share",
       .title = "share of prior",
       .needs = ScoreNeeds::images,
       .digits = 3,
       .more = {{"mse_prior", &Row::mse_prior}},
       .derived = share_of_prior(&Row::mse_posterior),
       .meaning = "That error over the one of the mean image, which is what is known without observations.",
       .sentence = "What is left of the error that the mean image makes without observations.",
       .equation = "MSE of the mean / MSE of the prior's mean",
       .compared = {.place = -1},
       .poor = worse_than_mean_image},
      {.key = "sd",
       .title = "sd per pixel",
       .needs = ScoreNeeds::images,
       .member = &Row::sd,
       .meaning = "How far samples of one posterior differ from each other, averaged over pixels.",
       .sentence = "How far samples of one posterior differ from each other.",
       .equation = "mean over sets and pixels of the samples' standard deviation",
       .printed = {.heading = "sd"},
       .in_window = {.text = [](const Row& row) { return std::isnan(row.mse_prior) ? "–" : number_text(row.sd, 4); }},
       .compared = kNowhere},
      {.key = "mse_prior",
       .title = "prior's MSE",
       .needs = ScoreNeeds::images,
       .digits = 5,
       .member = &Row::mse_prior,
       .in_window = kNowhere,
       .compared = kNowhere},
      // Scores of parameters: no target is scored by both kinds.
      {.key = "sd", .title = "sd", .member = &Row::sd, .in_window = kNowhere, .compared = kNowhere},
      {.key = "rmae",
       .title = "RMAE",
       .meaning = "Mean distance of the posterior mean from the truth, over the width of the prior: lower is better.",
       .sentence = "Relative mean absolute error of the posterior mean, R the width of the prior (unbounded: of its "
                   "central 95 %).",
       .equation = "RMAE = mean of |E[θ | X] − θ| / R, over test sets and targets",
       .figure = {.summary = "Relative mean absolute error of the posterior mean against N",
                  .title = "Error of the posterior mean",
                  .meaning = "RMAE: how far the posterior mean is from the truth on average, over the width of the "
                             "prior.",
                  .heading = "Relative mean absolute error of the posterior mean",
                  .scale = AxisScale::log}},
      {.key = "acauc",
       .title = "ACAUC",
       .member = &Row::acauc,
       .meaning = "Mean distance between promised and actual coverage of credible intervals; in brackets what a "
                  "calibrated posterior stays below in 95 % of evaluations like this one.",
       .sentence =
           "Area between the coverage curve and the diagonal: how far credible intervals hold the truth more or "
           "less often than they promise.",
       .equation =
           "ACAUC = ∫ |c(α) − α| dα over α from 0 to 1, c(α) the share of truths inside the central interval of "
           "probability α",
       .in_window = {.heading = "ACAUC (noise)",
                     .text =
                         [](const Row& row) {
                           return std::isnan(row.acauc) ? "–"
                                                        : fmt::format("{} ({})", number_text(row.acauc, 4),
                                                                      number_text(row.acauc_p95, 4));
                         }},
       .test = CalibrationTest::acauc,
       .figure = {.summary = "Calibration against N: ACAUC, location z, width z and rank p, each with its noise",
                  .title = "Calibration",
                  .meaning =
                      "ACAUC: how far the shares of truths inside credible intervals are from what the intervals "
                      "promise. Location z and width z: whether truths lie off the posteriors' centers, and "
                      "whether posteriors are too narrow (above zero) or too wide. Rank p: whether the truth's "
                      "ranks are even. A calibrated estimator stays inside the bands.",
                  .draw = drawn_by(acauc_figure)}},
      {.key = "acauc_floor",
       .title = "noise floor (95 %)",
       .member = &Row::acauc_floor,
       .more = {{"acauc_p95", &Row::acauc_p95}},
       .own_text =
           [](const Row& row) {
             return fmt::format("{} ({})", number_text(row.acauc_floor, 4), number_text(row.acauc_p95, 4));
           },
       .in_window = kNowhere,
       .compared = kNowhere},
      {.key = "location_z",
       .title = "location z",
       .digits = 1,
       .by_target = &RankTest::location_z,
       .meaning = "Mean rank of the truth among posterior samples less ½, in standard errors, for each target: beyond "
                  "about ±4 the posterior is off center. ACAUC cannot see this when the posterior is too wide as well.",
       .sentence = "Whether truths lie on one side of the posteriors.",
       .equation = "z = (mean of (k + ½) / (S + 1) − ½) / se, se ≈ √(1 / (12 sets))",
       .test = CalibrationTest::location},
      {.key = "width_z",
       .title = "width z",
       .digits = 1,
       .by_target = &RankTest::width_z,
       .meaning =
           "Mean distance of that rank from ½ less that of even ranks, in standard errors, for each target: above "
           "about 4 the posterior is too narrow, below −4 too wide.",
       .sentence = "Whether truths lie farther out than the posteriors state (above zero: too narrow).",
       .equation = "z = (mean of |(k + ½) / (S + 1) − ½| − ¼) / se, se ≈ √(1 / (48 sets))",
       .test = CalibrationTest::width},
      {.key = "rank_p",
       .title = "rank p",
       .by_target = &RankTest::rank_p,
       .own_text =
           [](const Row& row) {
             std::vector<double> all;
             for (const RankTest& one : row.rank_tests) all.push_back(one.rank_p);
             return joined(all, p_text);
           },
       .meaning = "How likely ranks as uneven as these are when the posterior is calibrated, for each target: below "
                  "about 0.0001 something is wrong.",
       .sentence = "The p-value of even ranks.",
       .equation = "of χ² = Σ (count − expected)² / expected over at most 20 bins of ranks",
       .test = CalibrationTest::ranks},
      {.key = "pool_z",
       .title = "pool z",
       .number = false,
       .own_text =
           [](const Row& row) { return joined(row.pool_location_z, [](double z) { return number_text(z, 1); }); },
       .meaning = "Location in standard errors of sets and pool together: all test sets share the observations of one "
                  "data set, whose own deviation no estimator can remove.",
       .sentence = "The location against the effect of the finite pool of observations alone.",
       .equation = "z = (mean of (k + ½) / (S + 1) − ½) / √(se² of the sets + se² of the pool)",
       .printed = kNowhere,
       .compared = kNowhere,
       .test = CalibrationTest::location,
       .of_pool = true},
      {.key = "means_apart",
       .title = "means apart",
       .unit = "sd",
       .number = false,
       .own_text =
           [](const Row& row) { return joined(row.companion, [](double apart) { return number_text(apart, 2); }); },
       .meaning = "How far the posterior means of the run that this one was compared with lie from these, on the same "
                  "sets, in units of the posterior sd, for each target: at least half of it is one run's own error.",
       .sentence =
           "How far the posterior means of two runs lie apart on the same test sets: at least half of it is the "
           "error of one of the two, whatever their calibration is.",
       .equation = "√(mean of (E₁[θ | X] − E₂[θ | X])² / sd²), sd² the mean of both variances",
       .printed = kNowhere,
       .compared = kNowhere},
      {.key = "coverage",
       .title = "coverage",
       .number = false,
       .sentence = "The share of truths inside the central credible interval of each probability.",
       .equation = "c(α) = share of test sets with |2 r − 1| ≤ α, r the rank of the truth",
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .figure = {.summary = "Coverage of central credible intervals against their level",
                  .title = "Coverage",
                  .meaning =
                      "The share of truths inside central credible intervals against what the intervals promise: "
                      "a calibrated posterior stays inside the band around the diagonal.",
                  .draw = drawn_by(coverage_figure),
                  .of_one = true}},
      {.key = "ranks",
       .title = "rank",
       .number = false,
       .sentence = "Where the truth falls among samples of its posterior: even when the posterior is calibrated.",
       .equation = "r = k / S, k the number of the S samples below the truth",
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .figure = {.summary = "Histograms of the truth's rank among posterior samples (one run)",
                  .title = "Ranks of the truth",
                  .meaning = "Where the truth falls among posterior samples: flat when calibrated, a valley when the "
                             "posterior is too narrow, a hill when it is too wide.",
                  .draw =
                      [](const std::vector<Metrics>& metrics, const std::vector<std::string>& targets) {
                        return ranks_figure(metrics.front(), targets);
                      },
                  .of_one = true,
                  .alone = true}},
      {.key = "ecdf_p",
       .title = "ECDF p",
       .by_target = &RankTest::ecdf_p,
       .own_text =
           [](const Row& row) {
             std::vector<double> all;
             for (const RankTest& one : row.rank_tests) all.push_back(one.ecdf_p);
             return joined(all, p_text);
           },
       .meaning = "How likely a distribution of ranks as far from an even one as this is when the posterior is "
                  "calibrated, for each target; sensitive to the tails.",
       .sentence = "The p-value of the ranks' distribution function by simultaneous bands.",
       .equation =
           "P(some |F(z) − z| leaves the band that this F just touches), the band equally likely left at each z",
       .printed = kNowhere,
       .compared = kNowhere,
       .tested = kThere},
      {.key = "tarp",
       .title = "TARP",
       .more = {RowNumber{"tarp_p95"}, RowNumber{"tarp_p"}},
       .own_text = [](const Row& row) { return beside_noise(row.score("tarp"), row.score("tarp_p95"), 3); },
       .meaning = "How far the share of truths inside credible regions about random points is from what the regions "
                  "promise, at most; in brackets what a calibrated posterior stays below in 95 % of evaluations. All "
                  "targets count together.",
       .sentence = "Coverage of credible regions about random points, of all targets together.",
       .equation = "max over α of |share of sets with f ≤ α − α|, f the share of samples closer to a point than θ",
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .tested = {.heading = "TARP (noise)"},
       .figure = {.summary = "TARP: coverage of credible regions about random points, with its band (one run)",
                  .title = "Regions about random points",
                  .meaning = "TARP: the share of truths inside credible regions about random points against what the "
                             "regions promise, all targets together: a calibrated posterior stays inside the band.",
                  .draw = [](const std::vector<Metrics>& metrics,
                             const std::vector<std::string>&) { return tarp_figure(metrics.front()); },
                  .where_known = true,
                  .of_one = true,
                  .alone = true}},
      {.key = "tarp_p",
       .title = "TARP p",
       .number = false,
       .own_text = [](const Row& row) { return p_text(row.score("tarp_p")); },
       .meaning = "How likely coverage about random points as far off as this is when the posterior is calibrated.",
       .sentence = "The p-value of coverage about random points by simultaneous bands.",
       .equation = "P(some |F(α) − α| leaves the band that this F just touches), F the distribution of f",
       .printed = kNowhere,
       .compared = kNowhere,
       .tested = kThere},
      {.key = "c2st",
       .title = "C2ST",
       .digits = 3,
       .more = {RowNumber{"c2st_p"}},
       .own_text =
           [](const Row& row) { return beside_noise(row.score("c2st"), 0.5 + 1.645 * row.score("c2st_se"), 3); },
       .meaning =
           "Accuracy of a classifier that picks the truth out of the truth and a sample of its posterior: ½ where it "
           "cannot separate them; in brackets what a calibrated posterior stays below in 95 % of evaluations.",
       .sentence =
           "Accuracy of a classifier that picks the truth out of the truth and a sample of the same set's posterior.",
       .equation = "P(f(θ, X) > f(θ̃, X)), θ̃ ~ q(θ | X), f trained on other sets: ½ where q is exact",
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .tested = {.heading = "C2ST (noise)"},
       .figure = {.summary = "C2ST against N: accuracy of a classifier that separates truths from posterior samples",
                  .title = "Classifier test (C2ST)",
                  .meaning =
                      "Accuracy of a classifier that picks the truth out of the truth and a sample of its posterior, "
                      "given the set. ½ where it cannot separate them, as for a calibrated posterior.",
                  .draw = drawn_by(c2st_figure),
                  .where_known = true}},
      {.key = "c2st_p",
       .title = "C2ST p",
       .number = false,
       .own_text = [](const Row& row) { return p_text(row.score("c2st_p")); },
       .meaning = "How likely a classifier is this accurate when the posteriors are exact.",
       .sentence = "The p-value of that classifier's accuracy.",
       .equation = "P(accuracy as high as this), of places uniform among K draws: ½, sd √((K + 2) / (12 K sets))",
       .printed = kNowhere,
       .compared = kNowhere,
       .tested = kThere},
      {.key = "region_p",
       .title = "region p",
       .own_text = [](const Row& row) { return p_text(row.score("region_p")); },
       .meaning = "How likely the coverage of some region, of sets whose posterior means lie next to each other, is as "
                  "far off as that of the worst one here when the posterior is calibrated.",
       .sentence =
           "The p-value of coverage by region: of the worst of ten regions of the posterior mean, corrected for "
           "their number.",
       .equation = "1 − (1 − least binomial p)^(regions × targets × 2 levels)",
       .printed = kNowhere,
       .compared = kNowhere,
       .tested = kThere},
      {.key = "ecdf",
       .title = "distribution of ranks",
       .number = false,
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .figure = {.summary = "Distribution function of the truth's rank, with the band of a calibrated run (one run)",
                  .title = "Distribution of ranks",
                  .meaning = "The share of truths whose rank is below each value, and its difference from an even one: "
                             "a calibrated posterior stays inside the band at all values at once in 95 % of "
                             "evaluations.",
                  .draw = drawn_of_one(ecdf_figure),
                  .of_one = true,
                  .alone = true}},
      {.key = "recovery",
       .title = "recovery",
       .number = false,
       .sentence = "How posterior means of test sets follow the truth.",
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .figure = {.summary = "Posterior mean ± sd of test sets against their truth (one run)",
                  .title = "Recovery",
                  .meaning =
                      "Posterior mean ± sd of test sets against the truth: on the diagonal where the data decide, "
                      "towards the middle of the prior where they do not.",
                  .draw = drawn_of_one(recovery_figure),
                  .of_one = true,
                  .alone = true}},
      {.key = "contraction",
       .title = "contraction",
       .number = false,
       .sentence = "How much narrower the posterior is than the prior: 0 where it is the prior, 1 where it is a point.",
       .equation = "1 − sd² / variance of the prior",
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .figure = {.summary = "Error of the posterior mean in sds against the posterior's contraction (one run)",
                  .title = "Error against contraction",
                  .meaning = "How many sds the posterior mean is from the truth, against the posterior's contraction. "
                             "Dots lie within −2 to 2 but for one in twenty; to the right where data decide.",
                  .draw = drawn_of_one(contraction_figure),
                  .of_one = true,
                  .alone = true}},
      {.key = "regions",
       .title = "coverage by region",
       .number = false,
       .sentence = "Coverage of the sets whose posterior means lie next to each other: of these, too, intervals of a "
                   "calibrated run hold the truth as often as they state.",
       .printed = kNowhere,
       .in_window = kNowhere,
       .compared = kNowhere,
       .figure = {.summary = "Coverage of central intervals by the posterior mean, and a map of two targets (one run)",
                  .title = "Coverage by region",
                  .meaning = "Where the posterior is off: the share of truths inside intervals of 50 and 90 % among "
                             "test sets whose posterior means lie in one of ten regions.",
                  .draw = drawn_of_one(regions_figure),
                  .of_one = true,
                  .alone = true}},
  };
  return all;
}

std::vector<RowNumber> Score::numbers() const {
  std::vector<RowNumber> out = more;
  if (number && !derived && !by_target) out.insert(out.begin(), {{key, member}, {key + "_se", error_member}});
  return out;
}

double Score::value(const EvaluationRow& row) const {
  return derived ? derived(row) : RowNumber{key, member}.of(row);
}

double Score::error(const EvaluationRow& row) const {
  return derived ? NAN : RowNumber{key + "_se", error_member}.of(row);
}

std::string Score::text(const EvaluationRow& row) const {
  if (own_text) return own_text(row);
  if (!by_target) return with_error_text(value(row), error(row), digits);
  std::vector<double> all;
  for (const RankTest& one : row.rank_tests) all.push_back(one.*by_target);
  return joined(all, [&](double value) { return number_text(value, digits); });
}

std::string Score::text(const EvaluationRow& row, const ScoreShown& shown) const {
  return shown.text ? shown.text(row) : text(row);
}

const Score& score_named(const std::string& key) {
  const auto at =
      std::find_if(score_list().begin(), score_list().end(), [&](const Score& one) { return one.key == key; });
  PAIRS_CHECK(at != score_list().end(), "There is no score {}", key);
  return *at;
}

std::vector<const Score*> scores_shown(ScoreShown Score::*table) {
  std::vector<const Score*> out;
  for (const Score& one : score_list())
    if ((one.*table).there) out.push_back(&one);
  std::stable_sort(out.begin(), out.end(),
                   [&](const Score* a, const Score* b) { return (a->*table).place < (b->*table).place; });
  return out;
}

}  // namespace pairs
