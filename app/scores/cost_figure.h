#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/figure.h"

namespace pairs {

// Cost against quality: each run is a point, by the paper's rule and with stage 2 included.
struct ParetoPoint {
  std::string name, strategy;
  double gflop, gflop_with_cache, score, score_se;
  std::int64_t n;
  std::string axis = "NLL / nat";  // the name of the score
  int shade = 0;                   // as Metrics::shade
};
Figure pareto_figure(const std::vector<ParetoPoint>& points);

}  // namespace pairs
