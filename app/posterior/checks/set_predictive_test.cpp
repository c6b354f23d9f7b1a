#include "app/posterior/checks/set_predictive_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/posterior/caveats/verdict.h"
#include "app/posterior/source/set_simulator.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::size_t kToldStatistics = 3, kToldObservations = 8;
constexpr std::size_t kHistogramBins = 30;

std::string p_text(const SetPredictiveTest& test, double p) {
  const double least = 1.0 / static_cast<double>(test.test.sets + 1);
  return p < 1.5 * least ? fmt::format("p ≤ {:.3f}, the smallest resolvable", least) : fmt::format("p = {:.3f}", p);
}

// "x: spread exceeds 99 % of the replicates"
std::string statistic_text(const ComparedStatistic& one, std::int64_t sets) {
  const bool more = one.z > 0;
  const double share = more ? one.below : 1 - one.below;
  return fmt::format("{} {} {}", one.name, more ? "exceeds" : "lies below",
                     share > 0.9995 ? fmt::format("all {} replicates", count_text(sets))
                                    : fmt::format("{:.3g} % of the replicates", 100 * share));
}

std::string statistics_text(const SetPredictiveTest& test) {
  std::string text;
  for (std::size_t k = 0; k < std::min(kToldStatistics, test.test.statistics.size()); ++k) {
    const ComparedStatistic& one = test.test.statistics[k];
    if (k > 0 && one.corrected > 0.05) break;
    text += (text.empty() ? "" : "; ") + statistic_text(one, test.test.sets);
  }
  return text;
}

std::string far_text(const SetPredictiveTest& test) {
  if (test.test.far.empty()) return "";
  std::string rows;
  for (std::size_t k = 0; k < std::min(kToldObservations, test.test.far.size()); ++k)
    rows += fmt::format("{}{}", k > 0 ? ", " : "", count_text(test.test.far[k].row + 1));
  if (test.test.far.size() > kToldObservations)
    rows += fmt::format(" and {} more", test.test.far.size() - kToldObservations);
  const bool several = test.test.far.size() > 1;
  const std::string hidden =
      test.rounds > 1 ? fmt::format(" They were sought in {} rounds, each by the posterior without those found before.",
                                    test.rounds)
                      : "";
  const FarObservation& most = test.test.far.front();
  return fmt::format(
             " Far from what the model makes: observation{} {} ({}{:.2g} % of simulated observations lie as far, and "
             "any of {} does so in {:.2g} % of simulated sets).",
             several ? "s" : "", rows, several ? "of the farthest: " : "", 100 * most.tail,
             test.compared == 1 ? "one" : count_text(test.compared), 100 * most.corrected) +
         hidden;
}

std::string numbers_text(const TargetNumbers& one) {
  return fmt::format("{:.4g} ± {:.2g} ({:.4g} to {:.4g})", one.mean, one.sd, one.quantiles.front(),
                     one.quantiles.back());
}

std::string without_text(const SetPredictiveTest& test, const TaskInfo& info) {
  if (!test.unanswered.empty()) return " " + test.unanswered + ".";
  if (test.without.empty()) return "";
  std::string text;
  for (std::size_t t = 0; t < test.without.size(); ++t)
    text += fmt::format("{}{} = {} instead of {}", text.empty() ? "" : "; ", info.targets[t].label,
                        numbers_text(test.without[t]), numbers_text(test.all[t]));
  return fmt::format(" Without {} the posterior of the other {} is {}.", test.test.far.size() > 1 ? "these" : "it",
                     count_text(test.left), text);
}

// The result for the set without outliers.
std::string left_text(const SetPredictiveTest& test) {
  if (!test.not_judged.empty()) return " " + test.not_judged + ".";
  if (std::isnan(test.left_p)) return "";
  const std::string p = p_text(test, test.left_p);
  if (test.left_p <= kUnlikeModel)
    return fmt::format(
        " The set as a whole does not fit: without the {} that {} farthest the others do not fit either ({}): no "
        "single outlier identified.",
        counted(static_cast<std::size_t>(test.left_out), "observation"), test.left_out == 1 ? "lies" : "lie", p);
  return fmt::format(" The others {} ({}).", test.left_p > 0.05 ? "look like a set of the model" : "are borderline", p);
}

std::string psi_text(PsiSource psi) {
  switch (psi) {
    case PsiSource::none:
      return "";
    case PsiSource::posterior:
      return " with ψ of p(ψ | θ, X)";
    case PsiSource::prior:
      return " with ψ of its prior given θ, so that whatever any ψ would explain is no misfit";
    case PsiSource::with_theta:
      return ", of whose prior those with the nearest θ were taken with their ψ";
  }
  return "";
}

const char* psi_word(PsiSource psi) {
  switch (psi) {
    case PsiSource::none:
      return "none";
    case PsiSource::posterior:
      return "posterior";
    case PsiSource::prior:
      return "prior";
    case PsiSource::with_theta:
      return "prior with theta";
  }
  return "";
}

// Bins that cover the observed and nearly all simulated values: one per whole number if these are few.
std::vector<double> bin_edges(const torch::Tensor& values) {
  const torch::Tensor all = std::get<0>(values.slice(0, 1).flatten().sort());
  const auto quantile = [&](double level) {
    return all[static_cast<std::int64_t>(level * static_cast<double>(all.size(0) - 1))].item<double>();
  };
  double low = std::min(quantile(0.005), values[0].min().item<double>());
  double high = std::max(quantile(0.995), values[0].max().item<double>());
  std::size_t bins = kHistogramBins;
  if ((values == values.round()).all().item<bool>() && high - low < static_cast<double>(kHistogramBins)) {
    low -= 0.5, high += 0.5;
    bins = static_cast<std::size_t>(std::llround(high - low));
  } else if (!(high > low)) {
    low -= 0.5, high += 0.5;
  }
  std::vector<double> edges;
  for (std::size_t b = 0; b <= bins; ++b)
    edges.push_back(low + (high - low) * static_cast<double>(b) / static_cast<double>(bins));
  return edges;
}

// Counts [sets, bins] of values [sets, n].
torch::Tensor bin_counts(const torch::Tensor& values, const std::vector<double>& edges) {
  const auto bins = static_cast<std::int64_t>(edges.size()) - 1;
  const double width = (edges.back() - edges.front()) / static_cast<double>(bins);
  const torch::Tensor bin = ((values - edges.front()) / width).floor();
  const torch::Tensor inside = (values >= edges.front()) & (values <= edges.back());
  torch::Tensor counts = torch::zeros({values.size(0), bins}, torch::kFloat64);
  return counts.scatter_add_(1, bin.clamp(0, static_cast<double>(bins - 1)).to(torch::kInt64),
                             inside.to(torch::kFloat64));
}

FeatureHistogram histogram_of(const std::string& name, const torch::Tensor& values) {
  FeatureHistogram out;
  out.name = name;
  out.edges = bin_edges(values);
  const torch::Tensor counts = bin_counts(values, out.edges);
  const torch::Tensor sorted = std::get<0>(counts.slice(0, 1).sort(0));
  const std::int64_t sets = sorted.size(0);
  out.observed = doubles(counts[0]);
  out.low = doubles(sorted[sets / 20]);
  out.middle = doubles((sorted[(sets - 1) / 2] + sorted[sets / 2]) / 2);
  out.high = doubles(sorted[sets - 1 - sets / 20]);
  return out;
}

Plot histogram_plot(const FeatureHistogram& one, SeriesRole role, bool first) {
  Plot plot;
  plot.x.label = one.name;
  plot.y.label = "observations";
  plot.bars.push_back({"observed", SeriesRole::truth, one.edges, one.observed});
  Line line;
  line.name = "simulated, 5 to 95 %";
  line.role = role;
  for (std::size_t b = 0; b + 1 < one.edges.size(); ++b) line.x.push_back((one.edges[b] + one.edges[b + 1]) / 2);
  line.y = one.middle;
  line.lower = one.low;
  line.upper = one.high;
  plot.lines.push_back(std::move(line));
  double most = 1;
  for (const auto* heights : {&one.observed, &one.high})
    most = std::max(most, *std::max_element(heights->begin(), heights->end()));
  plot.y.low = 0;
  plot.y.high = (first ? 1.4 : 1.08) * most;
  plot.legend = first;
  return plot;
}

}  // namespace

std::vector<FeatureHistogram> feature_histograms(const ComparedSets& sets) {
  std::vector<FeatureHistogram> out;
  for (std::size_t k = 0; k < sets.names.size(); ++k)
    out.push_back(histogram_of(sets.names[k], sets.features.select(2, static_cast<std::int64_t>(k))));
  if (sets.embedded.size(2) > 0)
    out.push_back(histogram_of("distance of the embedding", sets.embedded.square().mean(2).sqrt()));
  return out;
}

std::string predictive_text(const SetPredictiveTest& test, const TaskInfo& info) {
  const std::string how = fmt::format(
      "{}; {} sets of {} simulated at a draw of the posterior{}", p_text(test, test.test.p), count_text(test.test.sets),
      test.compared == 1 ? "one observation" : count_text(test.compared) + " observations", psi_text(test.psi));
  const std::string cut = test.compared < test.n ? fmt::format(" Of {} observations the first {} were compared.",
                                                               count_text(test.n), count_text(test.compared))
                                                 : "";
  std::string text;
  if (test.test.p > 0.05)
    text = fmt::format("Predictive test: the set is compatible with the model ({}).", how);
  else if (test.test.p > kUnlikeModel)
    text = fmt::format("Predictive test: borderline, as one in twenty sets of the model ({}). {}.", how,
                       statistics_text(test));
  else
    text = fmt::format("Predictive test: model rejected ({}). {}.", how, statistics_text(test));
  if (!test.not_sought.empty()) text += " " + test.not_sought + ".";
  if (test.by_likelihood) text += fmt::format(" {}", kLikelihoodSets);
  return text + cut + far_text(test) + left_text(test) + without_text(test, info);
}

std::string predictive_note(const SetPredictiveTest& test) {
  return fmt::format(
      "Bars: the observed set. Bands: what 90 % of {} sets fill that the {} makes at one draw of the posterior, "
      "{} observations each{}.",
      count_text(test.test.sets), test.by_likelihood ? "learned likelihood" : "model", count_text(test.compared),
      psi_text(test.psi));
}

nlohmann::json predictive_document(const SetPredictiveTest& test, const TaskInfo& info) {
  nlohmann::json out = {{"p", test.test.p},
                        {"sets", test.test.sets},
                        {"n", test.n},
                        {"compared", test.compared},
                        {"rounds", test.rounds},
                        {"psi", psi_word(test.psi)},
                        {"by_likelihood", test.by_likelihood},
                        {"statistics", nlohmann::json::array()},
                        {"far", nlohmann::json::array()},
                        {"text", predictive_text(test, info)}};
  for (const ComparedStatistic& one : test.test.statistics)
    out["statistics"].push_back(
        {{"name", one.name}, {"p", one.p}, {"corrected", one.corrected}, {"below", one.below}, {"z", one.z}});
  for (const FarObservation& one : test.test.far)
    out["far"].push_back({{"observation", one.row + 1}, {"tail", one.tail}, {"corrected", one.corrected}});
  if (!std::isnan(test.left_p))
    out["left"] = {{"n", test.n - test.left_out},
                   {"p", test.left_p},
                   {"left_out", test.left_out},
                   {"fits", test.left_p > kUnlikeModel}};
  if (test.without.empty()) return out;
  nlohmann::json& without = out["without"];
  without["n"] = test.left;
  for (const TargetNumbers& one : test.without) {
    without["mean"].push_back(one.mean);
    without["sd"].push_back(one.sd);
    without["interval"].push_back({one.quantiles.front(), one.quantiles.back()});
  }
  return out;
}

Figure predictive_figure(const SetPredictiveTest& test, SeriesRole role, const std::string& source) {
  Figure figure;
  figure.title = fmt::format("Observed and simulated sets, {}", p_text(test, test.test.p));
  figure.source = source;
  const auto plots = static_cast<std::int64_t>(test.histograms.size());
  figure.columns = plots == 4 ? 2 : std::min<std::int64_t>(plots, 3);
  for (const FeatureHistogram& one : test.histograms)
    figure.plots.push_back(histogram_plot(one, role, figure.plots.empty()));
  return figure;
}

}  // namespace pairs
