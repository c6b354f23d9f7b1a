#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/posterior/within_sets.h"

namespace pairs {

// One of many sets that are tested within the set, and what came of it.
struct WithinRow {
  Observations x;
  torch::Tensor given = {};  // [1, g], where the task's sets come with some
  std::optional<WithinTest> test = {};
  std::string why_not = {};  // a clause, where it was not tested
};

// Tests many sets of one run, each beside simulated sets of its size and with what is given of it. These are shared: up
// to kExactSizes sizes have their own; of further ones as many of the first observations are compared as the next
// smaller size of a ladder has, whose steps are of √2. What is compared with is a function of the sets in their order.
// From one thread.
class WithinRows {
 public:
  // `seed`: of the simulated sets.
  WithinRows(const LoadedRun& run, std::uint64_t seed);
  // keep_going() false throws Stopped.
  void test(std::span<WithinRow> rows, const std::function<bool()>& keep_going);

 private:
  struct Compared;  // simulated sets, or why there are none
  Compared& compared_with(const WithinRow& row, const std::function<bool()>& keep_going);
  std::shared_ptr<Compared> make(std::int64_t n, const torch::Tensor& given, const std::function<bool()>& keep_going);

  LoadedRun run_;
  std::uint64_t seed_;
  std::string changed_;  // why a simulator is no longer that of training
  bool known_ = false;   // whether it is known if it changed
  std::map<std::pair<std::int64_t, std::string>, std::shared_ptr<Compared>> all_;  // by size and what is given
};

}  // namespace pairs
