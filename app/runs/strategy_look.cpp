#include "app/runs/strategy_look.h"

#include <fmt/format.h>

namespace pairs {

SeriesRole strategy_role(const std::string& strategy) {
  if (strategy == "n1") return SeriesRole::n1;
  if (strategy == "n1-5" || strategy == "n1-10") return SeriesRole::n1_10;
  if (strategy == "e2e") return SeriesRole::end_to_end;
  if (strategy == "gaussian") return SeriesRole::gaussian;
  return strategy == "pairs" ? SeriesRole::pairs : SeriesRole::other;
}

std::string strategy_title(const std::string& name) {
  for (const Strategy& one : strategies())
    if (one.name == name) return one.title;
  return name;
}

std::string run_title(const RunConfig& config) {
  const std::string title = strategy_title(config.strategy);
  return config.ensemble.empty() ? title : fmt::format("{}, mean of {} runs", title, config.ensemble.size());
}

}  // namespace pairs
