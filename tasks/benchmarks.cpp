#include "tasks/benchmarks.h"

namespace pairs {

std::vector<Benchmark> benchmarks() {
  using Step = Benchmark::Step;
  return {
      {Step::pretrain, "bump-hunt", 2048},
      {Step::pretrain, "novel-view", 128},
      {Step::finetune, "bump-hunt", 0, {"cache.sets=2000"}},
      {Step::finetune, "novel-view", 0, {"cache.sets=40"}},
      {Step::finetune_at,
       "gaussian",
       0,
       {"embedder.size=64", "cache.mode=\"fixed\"", "cache.sizes=[2,100000]", "cache.sets=[640,40]",
        "finetune.law=\"list\"", "finetune.heads=\"amortised\""}},
      {Step::embed, "bump-hunt", 200000, {"embedder.size=128"}},
      {Step::embed, "digits", 1000, {"embedder.size=128"}},
      {Step::sample, "bump-hunt", 1000},
      {Step::sample, "novel-view", 8},
      {Step::exact, "bump-hunt", 100},
  };
}

}  // namespace pairs
