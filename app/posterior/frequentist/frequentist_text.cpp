#include "app/posterior/frequentist/frequentist_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/text/table.h"
#include "core/base/fields/face.h"
#include "core/null_value.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// A value of the target with the digits that its range supports.
std::string target_text(const TaskInfo& info, double value) {
  const Target& target = info.targets.front();
  return number_text(value, std::clamp(3 - static_cast<int>(std::floor(std::log10(target.high - target.low))), 0, 9));
}

std::string confidence_text(double level) {
  return fmt::format("{:.8g} %", 100 * level);
}

// "0.142 (0.101 to 0.190; 0.074 to 0.241)": the median and the bands of 68 and 95 %.
std::string band_text(const std::array<double, 5>& quantiles, const std::function<std::string(double)>& text) {
  return fmt::format("{} (68 %: {} to {}; 95 %: {} to {})", text(quantiles[2]), text(quantiles[1]), text(quantiles[3]),
                     text(quantiles[0]), text(quantiles[4]));
}

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

const std::string kBlind = "unknown (too few toys of the null value)";

std::string cls_text(const TaskInfo& info, const ConfidenceLevel& one) {
  return one.cls_blind ? kBlind : "below " + target_text(info, one.cls);
}

// Whether the toys confirm the asymptotic formula: the share beyond its 5 % limit is 5 % within three errors.
std::string asymptotic_text(const NullTest& test) {
  const bool holds = std::abs(test.exceed - 0.05) <= 3 * test.exceed_error;
  return fmt::format(
      "√q = {} sigma is the asymptotic formula's ({}χ² of one degree of freedom), which {}: {:.2f} % of toys lie "
      "beyond its 5 %",
      number_text(test.z_asymptotic, 2), test.one_sided ? "½ " : "",
      holds ? "these toys agree with" : "these toys do not follow", 100 * test.exceed);
}

std::string null_test_text(const TaskInfo& info, const NullTest& test, const std::string& words) {
  const std::string p = test.beyond ? fmt::format("p < {:.2g} (none of {} toys is as extreme), more than {} sigma",
                                                  test.p, count_text(test.toys), number_text(test.z, 2))
                                    : fmt::format("p = {:.2g} ± {:.1g} ({} toys), {} sigma", test.p, test.p_error,
                                                  count_text(test.toys), number_text(test.z, 2));
  return fmt::format("\n{} = {:g}{}: q = {}, {}\n{}\n", info.targets.front().label, test.theta,
                     words.empty() ? "" : " (" + words + ")", number_text(test.q, 2), p, asymptotic_text(test));
}

// The row of the exact likelihood at the same point; null if there is none.
const CoveragePoint* same_point(const std::vector<CoveragePoint>& exact, const CoveragePoint& point) {
  for (const CoveragePoint& one : exact)
    if (one.theta == point.theta && one.psi == point.psi) return &one;
  return nullptr;
}

// "0.012 to 0.151", several parts joined by "and"; "none" if empty.
std::string interval_text(const TaskInfo& info, const std::vector<Interval>& parts) {
  std::vector<std::string> texts;
  for (const Interval& part : parts)
    texts.push_back(fmt::format("{} to {}", target_text(info, part.low), target_text(info, part.high)));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, " and "));
}

}  // namespace

nlohmann::json frequentist_document(const FrequentistAnswer& answer) {
  nlohmann::json document = {{"estimate", answer.estimate}, {"levels", nlohmann::json::array()}};
  for (const ConfidenceLevel& one : answer.levels) {
    nlohmann::json level = {{"level", one.level}, {"intervals", nlohmann::json::array()}};
    for (const Interval& part : one.parts) level["intervals"].push_back({part.low, part.high});
    level["upper_limit"] = one.upper;
    if (std::isfinite(one.cls)) level["cls_upper_limit"] = one.cls_blind ? nlohmann::json() : nlohmann::json(one.cls);
    document["levels"].push_back(std::move(level));
  }
  if (answer.null)
    document["null"] = {{"theta", answer.null->theta},
                        {"one_sided", answer.null->one_sided},
                        {"q", finite_or_null(answer.null->q)},
                        {"p", answer.null->p},
                        {"p_error", answer.null->p_error},
                        {"p_is_bound", answer.null->beyond},
                        {"toys", answer.null->toys},
                        {"sigmas", answer.null->z},
                        {"asymptotic_sigmas", finite_or_null(answer.null->z_asymptotic)},
                        {"beyond_asymptotic_5_percent", answer.null->exceed}};
  return document;
}

std::string frequentist_text(const TaskInfo& info, const FrequentistAnswer& answer, const std::string& null_words) {
  std::vector<Table::Column> columns = {
      {"confidence"}, {"interval of " + info.targets.front().label, false}, {"upper limit", false}};
  if (!answer.cls.empty()) columns.push_back({"upper limit by CLs", false});
  Table table(columns);
  for (const ConfidenceLevel& one : answer.levels) {
    std::vector<std::string> cells = {confidence_text(one.level), interval_text(info, one.parts),
                                      "below " + target_text(info, one.upper)};
    if (!answer.cls.empty()) cells.push_back(cls_text(info, one));
    table.add(std::move(cells));
  }
  return fmt::format("{} of the highest marginal likelihood: {}\n\n{}{}", info.targets.front().label,
                     target_text(info, answer.estimate), table.text(2),
                     answer.null ? null_test_text(info, *answer.null, null_words) : "");
}

std::string frequentist_lines(const TaskInfo& info, const FrequentistAnswer& answer, const std::string& null_words) {
  std::string text = fmt::format("Best fit (marginal likelihood): {} = {}\n", info.targets.front().label,
                                 target_text(info, answer.estimate));
  for (const ConfidenceLevel& one : answer.levels)
    text += fmt::format("{}: {}; upper limit {}{}\n", confidence_text(one.level), interval_text(info, one.parts),
                        target_text(info, one.upper),
                        answer.cls.empty() ? "" : ", by CLs " + (one.cls_blind ? kBlind : target_text(info, one.cls)));
  if (answer.null) text += null_test_text(info, *answer.null, null_words).substr(1);
  text.pop_back();
  return text;
}

std::string null_words(const Task& task, const ToyPlan& plan) {
  const HasNullValue* const known = face<HasNullValue>(task);
  return known && plan.null == known->null_value().theta ? known->null_value().words : "";
}

std::string toy_values_text(const Frequentist& answers) {
  const ToyPlan& plan = answers.table().plan();
  const TaskInfo& info = answers.table().task().info();
  std::string text;
  if (!plan.psi.empty())
    text = fmt::format(", toys at ψ = {}", fmt::join(plan.psi, ", "));
  else if (!info.nuisances.empty())
    text = std::string(", ") + kNuisanceWords[static_cast<std::size_t>(answers.choice())].meaning;
  for (std::size_t k = 0; k < plan.given.size(); ++k)
    text += fmt::format(", given {} = {:g}", info.given[k].name, plan.given[k]);
  return text;
}

nlohmann::json expected_document(const Expected& at, const Expected* limits, const std::vector<double>& levels) {
  nlohmann::json document = {{"theta", at.theta}, {"sets", at.sets}, {"quantiles", kExpectedLevels}};
  if (std::isfinite(at.z[2])) {
    document["sigmas"] = at.z;
    document["beyond_all_toys"] = at.beyond;
  }
  document["levels"] = nlohmann::json::array();
  for (std::size_t l = 0; l < levels.size(); ++l) {
    nlohmann::json level = {{"level", levels[l]}, {"length", at.length[l]}};
    if (limits) level["upper_limit"] = limits->upper[l];
    if (limits && !limits->cls.empty()) level["cls_upper_limit"] = limits->cls[l];
    document["levels"].push_back(std::move(level));
  }
  return document;
}

std::string expected_text(const TaskInfo& info, const Expected& at, const Expected* limits,
                          const std::vector<double>& levels) {
  const std::string& label = info.targets.front().label;
  const auto value = [&](double x) { return target_text(info, x); };
  std::string text = fmt::format("\nExpected, medians with bands by {} simulated sets:\n", count_text(at.sets));
  if (std::isfinite(at.z[2]))
    text += fmt::format(
        "  significance at {} = {:g}: {} sigma{}\n", label, at.theta,
        band_text(at.z, [](double z) { return number_text(z, 2); }),
        at.beyond > 0
            ? fmt::format("; {:.3g} % of the sets lie beyond all toys and count as the toys' largest", 100 * at.beyond)
            : "");
  for (std::size_t l = 0; l < levels.size(); ++l) {
    text += fmt::format("  length of the {} interval at {} = {:g}: {}\n", confidence_text(levels[l]), label, at.theta,
                        band_text(at.length[l], value));
    if (limits)
      text += fmt::format("  upper limit of {} at {} = {:g}: {}\n", confidence_text(levels[l]), label, limits->theta,
                          band_text(limits->upper[l], value));
    if (limits && !limits->cls.empty())
      text += fmt::format("  upper limit by CLs of {} at {} = {:g}: {}\n", confidence_text(levels[l]), label,
                          limits->theta, band_text(limits->cls[l], value));
  }
  return text;
}

nlohmann::json coverage_document(const std::vector<CoveragePoint>& points, const std::vector<CoveragePoint>& exact) {
  nlohmann::json document = nlohmann::json::array();
  for (const CoveragePoint& point : points) {
    nlohmann::json one = {{"theta", point.theta},
                          {"psi", point.psi},
                          {"sets", point.sets},
                          {"measured", point.measured},
                          {"levels", nlohmann::json::array()}};
    const CoveragePoint* const extra = same_point(exact, point);
    for (std::size_t l = 0; l < point.levels.size(); ++l) {
      const CoveragePoint::Level& level = point.levels[l];
      nlohmann::json row = {{"level", level.level},
                            {"coverage", level.covered},
                            {"error", binomial_error(level.level, static_cast<double>(point.sets))},
                            {"deviation", point.deviation(level)},
                            {"upper_limit_coverage", level.below},
                            {"cls_upper_limit_coverage", finite_or_null(level.cls_below)},
                            {"length", finite_or_null(level.length)},
                            {"length_error", finite_or_null(level.length_error)}};
      if (extra) {
        row["exact_coverage"] = extra->levels[l].covered;
        row["exact_length"] = finite_or_null(extra->levels[l].length);
        row["exact_length_error"] = finite_or_null(extra->levels[l].length_error);
      }
      one["levels"].push_back(std::move(row));
    }
    document.push_back(std::move(one));
  }
  return document;
}

std::string coverage_text(const TaskInfo& info, const std::vector<CoveragePoint>& points,
                          const std::vector<CoveragePoint>& exact) {
  std::vector<Table::Column> columns = {{info.targets.front().label}};
  for (const Nuisance& one : info.nuisances) columns.push_back({one.label});
  for (const char* title :
       {"level", "coverage / %", "deviation / errors", "upper limits / %", "CLs limits / %", "length"})
    columns.push_back({title});
  if (!exact.empty()) columns.insert(columns.end(), {{"exact coverage / %"}, {"exact length"}});
  Table table(columns);
  double worst = 0;
  for (const CoveragePoint& point : points)
    for (std::size_t l = 0; l < point.levels.size(); ++l) {
      const CoveragePoint::Level& level = point.levels[l];
      std::vector<std::string> cells = {fmt::format("{:g}", point.theta)};
      for (const double psi : point.psi) cells.push_back(fmt::format("{:g}", psi));
      worst = std::max(worst, std::abs(point.deviation(level)));
      cells.insert(cells.end(), {confidence_text(level.level), number_text(100 * level.covered, 1),
                                 number_text(point.deviation(level), 1), number_text(100 * level.below, 1),
                                 std::isfinite(level.cls_below) ? number_text(100 * level.cls_below, 1) : "–",
                                 with_error_text(level.length, level.length_error, 4)});
      if (const CoveragePoint* const extra = same_point(exact, point))
        cells.insert(cells.end(), {number_text(100 * extra->levels[l].covered, 1),
                                   with_error_text(extra->levels[l].length, extra->levels[l].length_error, 4)});
      table.add(std::move(cells));
    }
  return table.text(2) +
         fmt::format("\nThe largest deviation from a level is {} binomial errors of {} sets per point\n",
                     number_text(worst, 1), count_text(points.front().sets));
}

}  // namespace pairs
