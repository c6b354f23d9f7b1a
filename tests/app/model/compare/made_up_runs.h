#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/model/compare/run_table.h"
#include "core/eval/metrics/evaluation_row.h"

namespace pairs::model {

// A made-up run for tables: scored at N = 1 and 10 on 4 sets, with log densities that lie `better` above those of a run
// with 0.
inline RunRecord made_up_run(const std::string& name, const std::string& strategy = "pairs", std::int64_t seed = 1,
                             double better = 0, const std::string& size = "8") {
  ListedRun listed;
  listed.run = "/runs/" + name;
  listed.folder = listed.run;
  listed.name = name;
  listed.task = "gaussian";
  listed.preset = "quick";
  listed.strategy = strategy;
  listed.state = "finished";
  listed.seed = seed;
  listed.finished = listed.pretrained = true;
  auto facts = std::make_shared<RunFacts>();
  facts->settings = {{"embedder.size", size},
                     {"pretrain.batch", "64"},
                     {"seed", std::to_string(seed)},
                     {"strategy", "\"" + strategy + "\""},
                     {"device", name == "first" ? "\"cpu\"" : "\"auto\""}};
  facts->alike = fmt::format("embedder.size={}\npretrain.batch=64\nstrategy={}\n", size, strategy);
  facts->gflop = 1000.0 * static_cast<double>(seed);
  facts->gflop_with_cache = 2 * facts->gflop;
  facts->seconds = 60 + static_cast<double>(seed);
  auto metrics = std::make_shared<Metrics>();
  metrics->run = name;
  metrics->task = "gaussian";
  for (const std::int64_t n : {1, 10}) {
    EvaluationRow row;
    row.n = n;
    row.sets = 4;
    const double slope = 0.1 * better;  // so that the differences have an error
    for (int i = 0; i < 4; ++i) row.log_prob.push_back(i + better + slope * i);
    row.tested = {7, 8, 9, 10};
    row.nll = 0;
    for (const double one : row.log_prob) row.nll -= one / 4;
    row.nll_se = 0.5;
    row.gap = 0.1 - 0.01 * better;
    row.gap_se = 0.01;
    metrics->rows.push_back(row);
  }
  facts->metrics = metrics;
  return {listed, facts};
}

// Returns a copy of the run with changed facts.
inline RunRecord changed(RunRecord run, const std::function<void(RunFacts&)>& change) {
  auto facts = std::make_shared<RunFacts>(*run.facts);
  change(*facts);
  run.facts = std::move(facts);
  return run;
}

}  // namespace pairs::model
