#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// A step of a task that the command bench measures, on the networks of its preset small with these settings.
struct Benchmark {
  enum class Step {
    pretrain,     // stage 1, with `count` sets
    finetune,     // stage 3, on the settings' cache
    finetune_at,  // the same at the smallest and the largest of its sizes
    embed,        // `count` observations
    sample,       // of points: `count` samples for each of a hundred sets; of images: `count` of one set
    exact,        // the exact posterior of a set of `count`
  };
  Step step;
  std::string task;
  std::int64_t count = 0;
  std::vector<std::string> settings = {};
};

// Of every task, in the order in which they are told.
std::vector<Benchmark> benchmarks();

}  // namespace pairs
