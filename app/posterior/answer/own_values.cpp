#include "app/posterior/answer/own_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/posterior/caveats/caveat.h"
#include "core/base/fields/face.h"
#include "core/periodic.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr double kBelow = 0.005;  // of the central 99 %

}  // namespace

std::string own_values_text(const Task& task, const ItemMarks& marks) {
  const Items* const known = face<Items>(task);
  if (!known) return "";
  const TaskInfo& info = task.info();
  const std::vector<double>& theta = marks.own;
  std::vector<std::string> values;
  for (std::size_t t = 0; t < std::min(theta.size(), info.targets.size()); ++t) {
    const Target& target = info.targets[t];
    const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(target.scale))), 0, 8);
    values.push_back(fmt::format("{} = {}{}", target.label, number_text(theta[t], digits),
                                 target.unit.empty() ? "" : " " + target.unit));
    if (marks.other_quantity(t))
      values.back() +=
          fmt::format(" (the {}, which is another quantity and no truth of this posterior)", marks.other[t]);
  }
  return values.empty() ? "" : fmt::format("By the {} itself: {}", known->item(), fmt::join(values, ", "));
}

std::string own_values_warning(const Task& task, const ItemMarks& marks, const PosteriorNumbers& posterior) {
  const Items* const known = face<Items>(task);
  if (!known) return "";
  const TaskInfo& info = task.info();
  const std::vector<double> theta = marks.truth();
  std::vector<std::string> outside;
  for (std::size_t t = 0; t < std::min({theta.size(), info.targets.size(), posterior.marginals.size()}); ++t) {
    if (!std::isfinite(theta[t])) continue;
    const Target& target = info.targets[t];
    const double own = target.periodic ? wrapped(theta[t], posterior.cells[t].low, target.period()) : theta[t];
    const auto at = [&](double level) { return cell_quantile(posterior.cells[t], posterior.marginals[t], level); };
    if (!(own < at(kBelow) || own > at(1 - kBelow))) continue;
    const TargetNumbers& numbers = posterior.targets[t];
    outside.push_back(fmt::format("{}, {} sds from the mean", target.label,
                                  number_text(std::abs(own - numbers.mean) / numbers.sd, 1)));
  }
  if (outside.empty()) return "";
  return caveat_text(fmt::format("The {}'s own value lies outside the 99 % interval", known->item()),
                     fmt::format("{}", fmt::join(outside, "; ")), "do not trust the posterior of this one");
}

}  // namespace pairs
