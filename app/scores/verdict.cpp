#include "app/scores/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/scores/metrics_file.h"
#include "core/eval/calibration.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::size_t kMostFaultsNamed = 2;

// "1, 2 and 10".
std::string listed(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
  return text;
}

std::string fault_text(const CalibrationFault& fault, const std::string& of) {
  switch (fault.kind) {
    case FaultKind::location:
      return fmt::format("truths {}lie too {}", of.empty() ? "" : "of " + of + " ", fault.value > 0 ? "high" : "low");
    case FaultKind::width:
      return fmt::format("{} too {}", of.empty() ? "posteriors" : of, fault.value > 0 ? "narrow" : "wide");
    case FaultKind::ranks:
      break;
  }
  return fmt::format("ranks {}are uneven", of.empty() ? "" : "of " + of + " ");
}

// The gravest kind of fault of a row, with every target that shows it alike.
std::string row_fault_text(const std::vector<CalibrationFault>& faults, std::size_t row, std::size_t count,
                           const std::vector<std::string>& targets) {
  const CalibrationFault* first = nullptr;
  std::vector<std::string> names;
  for (const CalibrationFault& fault : faults) {
    if (fault.row != row) continue;
    if (!first) first = &fault;
    if (fault.kind == first->kind && fault_text(fault, "") == fault_text(*first, ""))
      names.push_back(fault.target < targets.size() ? targets[fault.target]
                                                    : fmt::format("target {}", fault.target + 1));
  }
  return first ? fault_text(*first, count > 1 ? listed(names) : "") : "";
}

struct Group {
  std::string text;
  std::vector<std::string> sizes;
};

void add_to_groups(std::vector<Group>& groups, const std::string& text, std::int64_t n) {
  auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.text == text; });
  if (group == groups.end()) group = groups.insert(groups.end(), {text, {}});
  group->sizes.push_back(count_text(n));
}

// "N = 1: truths lie too high; N = 2 and 10: ...".
std::string groups_text(const std::vector<Group>& groups) {
  std::string text;
  std::size_t left = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < kMostFaultsNamed)
      text += fmt::format("{}N = {}: {}", text.empty() ? "" : "; ", listed(groups[i].sizes), groups[i].text);
    else
      left += groups[i].sizes.size();
  }
  return left == 0 ? text : text + fmt::format("; {} more", left);
}

EvaluationVerdict image_verdict(const std::vector<EvaluationRow>& rows) {
  std::vector<const EvaluationRow*> known;
  for (const EvaluationRow& row : rows)
    if (!std::isnan(row.mse_posterior) && row.mse_prior > 0) known.push_back(&row);
  if (known.empty()) return {};
  const auto [least, most] =
      std::minmax_element(known.begin(), known.end(), [](const auto* a, const auto* b) { return a->n < b->n; });
  const auto percent = [](const EvaluationRow& row) {
    return fmt::format("{:.0f} %", std::round(100 * row.mse_posterior / row.mse_prior));
  };
  EvaluationVerdict verdict;
  verdict.text = fmt::format("At N = {} the predicted mean has {} of the mean image's squared error",
                             count_text((*most)->n), percent(**most));
  if ((*least)->n < (*most)->n)
    verdict.text += fmt::format(", and {} at N = {}", percent(**least), count_text((*least)->n));
  verdict.brief = fmt::format("{} of the prior's error", percent(**most));
  std::vector<Group> groups;
  for (const EvaluationRow* row : known)
    if (worse_than_mean_image(*row)) add_to_groups(groups, "worse than the mean image", row->n);
  verdict.bad = !groups.empty();
  if (verdict.bad) verdict.text += "; " + groups_text(groups);
  return verdict;
}

}  // namespace

bool worse_than_mean_image(const EvaluationRow& row) {
  const double margin = std::isnan(row.mse_posterior_se) ? 0 : 4 * row.mse_posterior_se;
  return row.mse_prior > 0 && row.mse_posterior - margin > row.mse_prior;
}

std::vector<CalibrationFault> calibration_faults(const std::vector<EvaluationRow>& rows) {
  const CalibrationLimits limits = calibration_limits(rows);
  std::vector<CalibrationFault> faults;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const EvaluationRow& row = rows[r];
    if (calibration(row, limits) == Calibration::unknown) continue;
    const bool pool = row.pool > 0;
    const auto add = [&](FaultKind kind, std::size_t target, double value, bool beyond) {
      if (beyond) faults.push_back({r, target, kind, value});
    };
    const std::size_t targets = row.rank_tests.size();
    for (std::size_t t = 0; t < targets; ++t) {
      const double z = !pool                            ? row.rank_tests[t].location_z
                       : t < row.pool_location_z.size() ? row.pool_location_z[t]
                                                        : 0;
      add(FaultKind::location, t, z, std::fabs(z) > limits.z);
    }
    for (std::size_t t = 0; t < targets; ++t)
      add(FaultKind::width, t, row.rank_tests[t].width_z, std::fabs(row.rank_tests[t].width_z) > limits.z);
    for (std::size_t t = 0; t < targets && !pool; ++t)
      add(FaultKind::ranks, t, row.rank_tests[t].rank_p, row.rank_tests[t].rank_p < limits.p);
  }
  return faults;
}

EvaluationVerdict evaluation_verdict(const std::vector<EvaluationRow>& rows, const std::vector<std::string>& targets) {
  if (of_images(rows)) return image_verdict(rows);
  const CalibrationLimits limits = calibration_limits(rows);
  const std::vector<CalibrationFault> faults = calibration_faults(rows);
  std::vector<Group> groups;
  std::size_t judged = 0, good = 0;
  std::string last;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (calibration(rows[r], limits) == Calibration::unknown) continue;
    ++judged;
    last = count_text(rows[r].n);
    const std::string text = row_fault_text(faults, r, rows[r].rank_tests.size(), targets);
    if (text.empty())
      ++good;
    else
      add_to_groups(groups, text, rows[r].n);
  }
  if (judged == 0) return {};
  EvaluationVerdict verdict;
  verdict.bad = good < judged;
  if (judged == 1)
    verdict.text = fmt::format("{} at N = {}", good == 1 ? "Calibrated" : "Not calibrated", last);
  else if (good == judged)
    verdict.text = fmt::format("Calibrated at all {} sizes", judged);
  else if (good == 0)
    verdict.text = fmt::format("Calibrated at none of {} sizes", judged);
  else
    verdict.text = fmt::format("Calibrated at {} of {} sizes", good, judged);
  if (judged == 1)
    verdict.brief = fmt::format("{}calibrated at N = {}", good == 1 ? "" : "not ", last);
  else
    verdict.brief = good == judged ? fmt::format("all {} sizes calibrated", judged)
                                   : fmt::format("{} of {} sizes calibrated", good, judged);
  if (verdict.bad) verdict.text += judged == 1 ? ": " + groups.front().text : "; " + groups_text(groups);
  return verdict;
}

}  // namespace pairs
