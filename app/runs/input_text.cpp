#include "app/runs/input_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pairs {

std::string input_text(const Task& task, const InputScale& scale) {
  if (!standardizes_input(task)) return "";
  const TaskInfo& info = task.info();
  const bool columns = !info.observation_columns.empty();
  const std::string word = columns ? "column" : "channel",
                    each = input_channels(info) == 1 ? "x" : "each " + word + " of x";
  if (scale.empty())
    return fmt::format(
        "Networks see {} less a location and over a scale, which are measured when a run begins; heavy tails are "
        "compressed.",
        each);
  constexpr std::size_t kNamed = 4;
  if (scale.location.size() > kNamed)
    return fmt::format("Networks see {} less its median and over its spread{}; there are {}.", each,
                       info.periods.empty() ? "" : ", and the cosine and sine of periodic ones", input_channels(info));
  std::vector<std::string> seen;
  for (std::size_t k = 0; k < scale.location.size(); ++k) {
    if (info.column_period(k) > 0) {
      const std::string angle = fmt::format("2π {} / {:.10g}", info.observation_columns[k], info.column_period(k));
      seen.push_back(fmt::format("cos({}) and sin({})", angle, angle));
      continue;
    }
    const double location = scale.location[k], spread = scale.scale[k];
    const double digits = location == 0 ? 0 : std::ceil(std::log10(std::abs(location) / spread));
    seen.push_back(fmt::format("({} {} {:.{}g}) / {:.4g}", columns ? info.observation_columns[k] : word,
                               location < 0 ? "+" : "-", std::abs(location),
                               static_cast<int>(std::clamp(digits, 0.0, 12.0)) + 4, spread));
    if (scale.curved(k))
      seen.back() = fmt::format("(asinh({}) - {:.4g}) / {:.4g}", seen.back(), scale.middle[k], scale.spread[k]);
    if (!columns && input_channels(info) > 1) seen.back().insert(1 + word.size(), fmt::format(" {}", k + 1));
  }
  return fmt::format("Networks see {}.", fmt::join(seen, ", "));
}

}  // namespace pairs
