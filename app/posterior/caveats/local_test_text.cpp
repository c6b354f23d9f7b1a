#include "app/posterior/caveats/local_test_text.h"

#include <fmt/format.h>

#include <cmath>

#include "app/kinds/target_room.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/two_sample.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr double kWorthSaying = 0.1;  // minimum shift in sds, and deviation of a spread from 1

// "θ₁ 0.4 sd above the posterior's mean, 1.2 times as far spread; θ₂ …", for targets with a large deviation.
std::string faults_of(const LocalTest& test, const TaskInfo& info) {
  std::string text;
  for (std::size_t t = 0; t < test.shift.size(); ++t) {
    const double shift = test.shift[t], spread = test.spread[t];
    std::string one;
    if (std::fabs(shift) >= kWorthSaying)
      one = fmt::format("{} sd {} its mean", number_text(std::fabs(shift), 1), shift > 0 ? "above" : "below");
    if (std::fabs(spread - 1) >= kWorthSaying)
      one +=
          fmt::format("{}{} times as widely spread as the posterior", one.empty() ? "" : ", ", number_text(spread, 2));
    if (one.empty()) continue;
    const std::string name = t < info.targets.size() ? info.targets[t].label : "";
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name, one);
  }
  return text;
}

}  // namespace

void check_local_test(const TaskInfo& info, std::int64_t sets) {
  target_room_of(info).check_density(info, "but --local-test is of densities of parameters");
  if (sets < TwoSample::kFewestSets)
    fail_usage("--local-test {} is too few simulated sets for a test; give {} or more, 1000 for good power", sets,
               TwoSample::kFewestSets);
}

std::string local_test_text(const LocalTest& test, const TaskInfo& info, std::int64_t n) {
  const std::string p =
      test.p_value < 0.0015 ? "p ≤ 0.001, the smallest resolvable" : fmt::format("p = {:.3f}", test.p_value);
  const std::string from =
      fmt::format("learned from {} simulated sets of N = {}", count_text(test.sets), count_text(n));
  if (test.unlike)
    return fmt::format(
        "Local test: no result, since the set is out of distribution and no simulated set is like it ({}; {}).", p,
        from);
  if (test.p_value >= 0.05)
    return fmt::format(
        "Local test: no local miscalibration detected ({}; {}). That holds for a set that the model made; the "
        "predictive test checks whether this one is.",
        p, from);
  const std::string found = faults_of(test, info);
  const std::string where = found.empty() ? "" : fmt::format(" The truths of sets like it seem to lie: {}.", found);
  if (test.p_value >= kLocallyOff)
    return fmt::format("Local test: borderline, as one in twenty calibrated posteriors ({}; {}).{}", p, from, where);
  return fmt::format("Local test: this posterior is off ({}; {}).{}", p, from, where);
}

nlohmann::json local_test_document(const LocalTest& test, const TaskInfo& info, std::int64_t n) {
  return {{"p", test.p_value},   {"statistic", test.statistic}, {"sets", test.sets},
          {"shift", test.shift}, {"spread", test.spread},       {"text", local_test_text(test, info, n)}};
}

}  // namespace pairs
