#include "app/scores/further_tests_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/scores/metrics_file.h"
#include "app/scores/score_list.h"
#include "app/text/table.h"
#include "core/eval/calibration/calibration.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::size_t kMostNamed = 4;

// The p-values of a judged row, by test.
std::vector<std::pair<std::string, double>> p_values(const EvaluationRow& row,
                                                     const std::vector<std::string>& targets) {
  std::vector<std::pair<std::string, double>> out;
  if (row.extrapolation || row.pool > 0) return out;
  const auto add = [&](const std::string& test, double p) {
    if (!std::isnan(p)) out.emplace_back(test, p);
  };
  const std::size_t count = row.rank_tests.size();
  for (std::size_t t = 0; t < count; ++t) {
    const std::string name = t < targets.size() ? targets[t] : fmt::format("target {}", t + 1);
    add(count > 1 ? "ECDF of " + name : "ECDF", row.rank_tests[t].ecdf_p);
  }
  add("TARP", row.score("tarp_p"));
  add("C2ST", row.score("c2st_p"));
  add("coverage by region", row.score("region_p"));
  return out;
}

std::string fault_words(const FurtherFault& fault) {
  return fmt::format("{} at N = {} (p {})", fault.test, count_text(fault.n), p_text(fault.p_value));
}

std::string fault_list(const std::vector<FurtherFault>& faults, bool rejects) {
  std::string text;
  std::size_t left = 0, named = 0;
  for (const FurtherFault& fault : faults) {
    if (fault.rejects != rejects) continue;
    if (++named > kMostNamed)
      ++left;
    else
      text += (text.empty() ? "" : ", ") + fault_words(fault);
  }
  return left == 0 ? text : fmt::format("{} and {} more", text, left);
}

}  // namespace

FurtherVerdict further_verdict(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets,
                               std::size_t sizes) {
  FurtherVerdict verdict;
  for (const EvaluationRow& row : rows)
    for (const auto& [test, p] : p_values(row, targets)) {
      ++verdict.tests;
      verdict.faults.push_back({row.n, test, p, false});
    }
  const CalibrationLimits limits = calibration_limits(rows, sizes);
  std::erase_if(verdict.faults, [&](const FurtherFault& one) { return !(one.p_value < limits.borderline.p); });
  for (FurtherFault& one : verdict.faults) one.rejects = one.p_value < limits.miscalibrated.p;
  std::stable_sort(verdict.faults.begin(), verdict.faults.end(),
                   [](const FurtherFault& a, const FurtherFault& b) { return a.rejects > b.rejects; });
  return verdict;
}

std::string further_clause(const FurtherVerdict& verdict) {
  const std::string rejected = fault_list(verdict.faults, true), borderline = fault_list(verdict.faults, false);
  return (rejected.empty() ? "" : "; rejected by " + rejected) +
         (borderline.empty() ? "" : "; borderline by " + borderline);
}

std::string further_sentence(const FurtherVerdict& verdict) {
  if (verdict.tests == 0) return "";
  const std::string of = verdict.tests == 1 ? "the further test" : fmt::format("{} further tests", verdict.tests);
  const std::string rejected = fault_list(verdict.faults, true), borderline = fault_list(verdict.faults, false);
  std::string text =
      rejected.empty() ? fmt::format("None of {} rejects", of) : fmt::format("Of {} these reject: {}", of, rejected);
  if (!borderline.empty()) text += "; borderline: " + borderline;
  return text + ".";
}

nlohmann::json further_document(const FurtherVerdict& verdict) {
  nlohmann::json out = {{"tests", verdict.tests}, {"faults", nlohmann::json::array()}};
  for (const FurtherFault& one : verdict.faults)
    out["faults"].push_back({{"n", one.n}, {"test", one.test}, {"p", one.p_value}, {"rejects", one.rejects}});
  return out;
}

std::string further_text(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets, int indent) {
  std::vector<const Score*> shown = scores_shown(&Score::tested);
  std::erase_if(shown, [&](const Score* one) {
    return std::none_of(rows.begin(), rows.end(), [&](const EvaluationRow& row) { return one->text(row) != "–"; });
  });
  if (shown.empty()) return "";
  std::vector<Table::Column> columns = {{"N"}};
  for (const Score* one : shown) columns.push_back({one->heading(one->tested)});
  Table table(columns);
  for (const EvaluationRow& row : rows) {
    std::vector<std::string> cells = {size_text(row)};
    for (const Score* one : shown) cells.push_back(one->text(row, one->tested));
    table.add(std::move(cells));
  }
  const std::string sentence = further_sentence(further_verdict(rows, targets));
  return table.text(indent) + (sentence.empty() ? "" : "\n" + sentence + "\n");
}

}  // namespace pairs
