#include "app/scores/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/scores/further_tests_text.h"
#include "app/scores/learned.h"
#include "app/scores/metrics_file.h"
#include "app/scores/scoring.h"
#include "core/base/text/text.h"
#include "core/eval/calibration/calibration_power.h"
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
  switch (fault.test) {
    case CalibrationTest::location:
      return fmt::format("truths {}lie too {}", of.empty() ? "" : "of " + of + " ", fault.value > 0 ? "high" : "low");
    case CalibrationTest::width:
      return fmt::format("{} too {}", of.empty() ? "posteriors" : of, fault.value > 0 ? "narrow" : "wide");
    case CalibrationTest::ranks:
      return fmt::format("ranks {}are uneven", of.empty() ? "" : "of " + of + " ");
    case CalibrationTest::acauc:
      break;
  }
  return "coverage off";
}

// "z 4.0" with the name of the test.
std::string value_text(CalibrationTest test, double value) {
  if (test == CalibrationTest::ranks) return p_text(value);
  return number_text(value, test == CalibrationTest::acauc ? 4 : 1);
}

const char* value_name(CalibrationTest test) {
  switch (test) {
    case CalibrationTest::location:
      return "location z";
    case CalibrationTest::width:
      return "width z";
    case CalibrationTest::ranks:
      return "rank p";
    case CalibrationTest::acauc:
      break;
  }
  return "ACAUC";
}

bool further(CalibrationTest test, double a, double b) {
  return test == CalibrationTest::ranks ? a < b : std::fabs(a) > std::fabs(b);
}

// The most severe kind of fault of a row, with every target that shows it.
struct RowFault {
  CalibrationLevel level = CalibrationLevel::unknown;
  CalibrationTest test = CalibrationTest::location;
  double value = 0;  // of the target with the largest deviation
  std::string text;
};

RowFault row_fault(const std::vector<CalibrationFault>& faults, std::size_t row, std::size_t count,
                   const std::vector<std::string>& targets) {
  const CalibrationFault* first = nullptr;
  RowFault out;
  std::vector<std::string> names;
  for (const CalibrationFault& fault : faults) {
    if (fault.row != row) continue;
    if (!first) {
      first = &fault;
      out = {fault.level, fault.test, fault.value, ""};
    }
    if (fault.test != first->test || fault.level != first->level || fault_text(fault, "") != fault_text(*first, ""))
      continue;
    if (further(fault.test, fault.value, out.value)) out.value = fault.value;
    names.push_back(fault.target < targets.size() ? targets[fault.target] : fmt::format("target {}", fault.target + 1));
  }
  if (first) out.text = fault_text(*first, count > 1 ? listed(names) : "");
  return out;
}

// Sizes with one fault.
struct FaultGroup {
  std::string what, text;  // "miscalibrated at ", "truths lie too high"
  const char* of = "";     // "location z": the name of the values
  std::vector<std::string> sizes, values;
};

void add_to_groups(std::vector<FaultGroup>& groups, FaultGroup one, std::int64_t n, const std::string& value) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const FaultGroup& other) { return other.what == one.what && other.text == one.text; });
  if (group == groups.end()) group = groups.insert(groups.end(), std::move(one));
  group->sizes.push_back(count_text(n));
  if (!value.empty()) group->values.push_back(value);
}

// "truths lie too high (location z 6.0, 7.1)".
std::string group_text(const FaultGroup& group) {
  return group.values.empty() ? group.text
                              : fmt::format("{} ({} {})", group.text, group.of, fmt::join(group.values, ", "));
}

// "miscalibrated at N = 1: truths lie too high (location z 6.0); borderline at N = 2 and 10: ...".
std::string groups_text(const std::vector<FaultGroup>& groups) {
  std::string text;
  std::size_t left = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < kMostFaultsNamed)
      text += fmt::format("{}{}N = {}: {}", text.empty() ? "" : "; ", groups[i].what, listed(groups[i].sizes),
                          group_text(groups[i]));
    else
      left += groups[i].sizes.size();
  }
  return left == 0 ? text : text + fmt::format("; {} more", left);
}

// The largest gap to the exact posterior beyond noise; "" if unknown.
std::string lost_text(const std::vector<EvaluationRow>& rows) {
  const EvaluationRow* most = nullptr;
  for (const EvaluationRow& row : rows)
    if (!std::isnan(row.gap) && (!most || row.gap > most->gap)) most = &row;
  if (!most) return "";
  if (!std::isnan(most->gap_se) && most->gap < 2 * most->gap_se)
    return fmt::format("; no measurable log-score deficit against the exact posterior (at most {} nat)",
                       number_text(std::max(most->gap, 0.0) + 2 * most->gap_se, 3));
  return fmt::format("; mean log-score deficit against the exact posterior: {} nat at N = {}",
                     with_error_text(most->gap, most->gap_se, 3), count_text(most->n));
}

double largest_of(const std::vector<double>& values) {
  return values.empty() ? NAN : *std::max_element(values.begin(), values.end());
}

// The distance to the posterior means of the other run, at the first and the last size.
std::string note_text(const std::vector<EvaluationRow>& rows, const std::string& name) {
  const EvaluationRow *least = nullptr, *most = nullptr;
  for (const EvaluationRow& row : rows) {
    if (row.companion.empty()) continue;
    if (!least || row.n < least->n) least = &row;
    if (!most || row.n > most->n) most = &row;
  }
  if (!most) return "";
  const std::string far = number_text(largest_of(most->companion), 2),
                    near = number_text(largest_of(least->companion), 2);
  const std::string there = count_text(most->n);
  if (least == most) return fmt::format("; its means lie {} sd from those of {} at N = {}", far, name, there);
  return fmt::format("; its means lie {} sd from those of {} at N = {}, {} sd at N = {}", near, name,
                     count_text(least->n), far, there);
}

std::string lower_first(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

std::string family_text(const CalibrationLimits& limits, std::size_t sizes) {
  const std::string pooled = limits.pooled_tests == 0 ? ""
                                                      : fmt::format(" and {} pooled over {}", limits.pooled_tests,
                                                                    sizes > 1 ? "sizes and targets" : "targets");
  return fmt::format("{} at {}{}: family-wise false-alarm rate 5 % (borderline), 0.1 % (miscalibrated)",
                     counted(static_cast<std::size_t>(limits.tests), "test"), counted(sizes, "size"), pooled);
}

// The relative error of a width that is detected in either direction: 0.16; INFINITY if even the largest may be missed.
double width_off(double narrow) {
  return narrow > 0 ? 1 / narrow - 1 : INFINITY;
}

// The judged row with the fewest sets; null if none is judged.
const EvaluationRow* least_seen(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits) {
  const EvaluationRow* least = nullptr;
  for (const EvaluationRow& row : rows)
    if (row.sets > 0 && calibration(row, limits).level != CalibrationLevel::unknown &&
        (!least || row.sets < least->sets))
      least = &row;
  return least;
}

// "500 sets", "500 to 2,000 sets".
std::string judged_sets(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits) {
  std::int64_t least = 0, most = 0;
  for (const EvaluationRow& row : rows) {
    if (calibration(row, limits).level == CalibrationLevel::unknown) continue;
    least = least == 0 ? row.sets : std::min(least, row.sets);
    most = std::max(most, row.sets);
  }
  return least == most ? fmt::format("{} sets", count_text(most))
                       : fmt::format("{} to {} sets", count_text(least), count_text(most));
}

// " (500 sets; a width 16 % off would have been seen with 80 %)": the power of a negative result.
std::string power_clause(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits,
                         const std::vector<PooledTest>& pooled) {
  const EvaluationRow* const least = least_seen(rows, limits);
  if (!least) return "";
  const WidthPower power = width_power(rows, limits, pooled);
  const std::string sets = judged_sets(rows, limits);
  if (std::isinf(power.one_size) && !(power.every_size < power.one_size))
    return fmt::format(" ({}, too few to see even a width far off)", sets);
  const auto percent = [](double off) { return fmt::format("{:.2g} %", 100 * off); };
  if (std::isnan(power.every_size) || power.every_size >= power.one_size)
    return fmt::format(" ({}; a width {} off would have been seen with 80 %)", sets, percent(power.one_size));
  if (std::isinf(power.one_size))
    return fmt::format(" ({}; a width {} off at every N would have been seen with 80 %)", sets,
                       percent(power.every_size));
  return fmt::format(" ({}; a width {} off at one N, or {} off at every N, would have been seen with 80 %)", sets,
                     percent(power.one_size), percent(power.every_size));
}

std::string upper_first(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

// The result of a pooled test: "posteriors too narrow at all sizes together (pooled width z 5.1)".
std::string pooled_text(const PooledTest& test, std::size_t sizes, const std::vector<std::string>& targets) {
  std::string of;
  if (test.target >= 0 && targets.size() > 1) of = targets[static_cast<std::size_t>(test.target)];
  const CalibrationFault fault{0, 0, test.test, test.level, test.z};
  return fmt::format("{} over all {} (pooled {} {})", fault_text(fault, of), sizes > 1 ? "sizes" : "targets",
                     value_name(test.test), value_text(test.test, test.z));
}

// The number of judged sizes with each level.
struct Levels {
  std::size_t judged = 0, good = 0, borderline = 0;
};

// The faults, by severity; "" without any.
std::string in_brief(const Levels& of, CalibrationLevel worst) {
  const std::size_t bad = of.judged - of.good - of.borderline;
  if (worst == CalibrationLevel::calibrated) return "no miscalibration detected";
  const bool grave = worst == CalibrationLevel::miscalibrated;
  const std::size_t sizes = grave ? bad : of.borderline;
  const char* const word = level_text(worst);
  if (sizes == 0 || of.judged == 1) return word;
  return fmt::format("{} at {} of {} sizes", word, sizes, of.judged);
}

}  // namespace

bool worse_than_mean_image(const EvaluationRow& row) {
  const double margin = std::isnan(row.mse_posterior_se) ? 0 : 4 * row.mse_posterior_se;
  return row.mse_prior > 0 && row.mse_posterior - margin > row.mse_prior;
}

WidthPower width_power(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits,
                       const std::vector<PooledTest>& pooled) {
  WidthPower power;
  if (const EvaluationRow* const least = least_seen(rows, limits))
    power.one_size = width_off(detectable_fault(least->sets, limits.borderline.z).narrow);
  for (const PooledTest& one : pooled)
    if (one.test == CalibrationTest::width && one.target < 0)
      power.every_size = width_off(detectable_width(one.error, limits.pooled_borderline.z));
  return power;
}

std::string power_text(const EvaluationRow& row, const CalibrationLimits& limits) {
  if (row.rank_tests.empty() || row.extrapolation || row.pool > 0) return "";
  const DetectableFault fault = detectable_fault(row.sets, limits.borderline.z);
  if (std::isinf(fault.shift) || fault.narrow <= 0)
    return fmt::format("{} sets are too few to notice even posteriors that are far off.", count_text(row.sets));
  return fmt::format(
      "In four of five such evaluations so many sets notice posteriors that lie {:.2g} of their standard deviations to "
      "one side, or that are {:.2g} % too narrow (of normal posteriors); what is less off may go unnoticed.",
      fault.shift, 100 * (1 - fault.narrow));
}

const char* calibrated_meaning() {
  return "\"No miscalibration detected\" means that, over all sets that the prior and the simulator make, intervals "
         "hold the truth as "
         "often as they state, as far as so many sets can show. That is on average; the posterior of one set may still "
         "lie off the exact one or be wider than it.";
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
  std::vector<FaultGroup> groups;
  for (const EvaluationRow* row : known)
    if (worse_than_mean_image(*row)) add_to_groups(groups, {"", "worse than the mean image", "", {}, {}}, row->n, "");
  verdict.bad = !groups.empty();
  if (verdict.bad) verdict.text += "; " + groups_text(groups);
  return verdict;
}

EvaluationVerdict evaluation_verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) {
  return learned_nothing(rows) ? learned_nothing_verdict(rows) : scoring_of(rows).verdict(rows, context);
}

EvaluationVerdict density_verdict(const std::vector<EvaluationRow>& rows, const VerdictContext& context) {
  const CalibrationLimits limits = calibration_limits(rows, context.sizes);
  const std::vector<CalibrationFault> faults = calibration_faults(rows, limits);
  const std::vector<PooledTest> pooled = pooled_tests(rows, limits);
  EvaluationVerdict verdict;
  std::vector<FaultGroup> miscalibrated, borderline;
  Levels levels;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const CalibrationLevel level = calibration(rows[r], limits).level;
    if (level == CalibrationLevel::unknown) continue;
    verdict.level = std::max(verdict.level, level);
    ++levels.judged;
    levels.good += level == CalibrationLevel::calibrated;
    levels.borderline += level == CalibrationLevel::borderline;
    if (level == CalibrationLevel::calibrated) continue;
    const RowFault fault = row_fault(faults, r, rows[r].rank_tests.size(), context.targets);
    add_to_groups(level == CalibrationLevel::miscalibrated ? miscalibrated : borderline,
                  {fmt::format("{} at ", level_text(level)), fault.text, value_name(fault.test), {}, {}}, rows[r].n,
                  value_text(fault.test, fault.value));
  }
  if (levels.judged == 0) return {};
  // First the pooled tests, which are most powerful, then sizes, the most severe first.
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() || part.empty() ? "" : "; ") + part; };
  const auto worst = std::max_element(pooled.begin(), pooled.end(), [](const PooledTest& a, const PooledTest& b) {
    return std::pair(a.level, -a.p) < std::pair(b.level, -b.p);
  });
  if (worst != pooled.end() && worst->level != CalibrationLevel::calibrated) {
    verdict.level = std::max(verdict.level, worst->level);
    add(fmt::format("{}: {}", level_text(worst->level), pooled_text(*worst, levels.judged, context.targets)));
  }
  std::vector<FaultGroup> groups = std::move(miscalibrated);
  groups.insert(groups.end(), borderline.begin(), borderline.end());
  add(groups_text(groups));
  const FurtherVerdict further = further_verdict(rows, context.targets, context.sizes);
  for (const FurtherFault& one : further.faults)
    verdict.level =
        std::max(verdict.level, one.rejects ? CalibrationLevel::miscalibrated : CalibrationLevel::borderline);
  if (const std::string clause = further_clause(further); !clause.empty()) add(clause.substr(2));
  verdict.bad = verdict.level == CalibrationLevel::miscalibrated;
  verdict.brief = in_brief(levels, verdict.level);
  if (text.empty())
    text = "no miscalibration detected" + power_clause(rows, limits, pooled);
  else if (levels.good > 0 && levels.judged > 1)
    text += fmt::format("; none detected at {} of {} sizes alone", levels.good, levels.judged);
  verdict.text = upper_first(std::move(text));
  std::vector<std::string> worse;
  for (const std::int64_t n : worse_than_prior(rows)) worse.push_back(count_text(n));
  if (!worse.empty()) {
    verdict.bad = true;
    verdict.text += "; worse than without observations at N = " + listed(worse);
    verdict.brief = "worse than without observations at N = " + listed(worse);
  }
  const std::size_t sizes = std::max(context.sizes, rows.size());
  if (rows.size() < sizes) {
    verdict.text = fmt::format("So far, {} of {} sizes: {}", rows.size(), sizes, lower_first(verdict.text));
    verdict.brief = "so far " + verdict.brief;
  }
  verdict.text += lost_text(rows) + note_text(rows, context.companion);
  verdict.family = family_text(limits, sizes);
  return verdict;
}

}  // namespace pairs
