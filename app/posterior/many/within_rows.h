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

#include "app/posterior/checks/within_sets.h"

namespace pairs {

// One of many sets to test within the set, and its result.
struct WithinRow {
  Observations x;
  torch::Tensor given = {};  // [1, g], if the task's sets have conditions
  std::optional<WithinTest> test = {};
  std::string why_not = {};  // a clause, if it was not tested
};

// Tests many sets of one run against simulated sets of the same size and conditions, which are shared: up to
// kExactSizes sizes have their own; for further sizes, only the first observations are compared, as many as the next
// smaller size of a ladder with steps of √2. The simulations depend only on the order of the sets. From one thread.
class WithinRows {
 public:
  // `seed`: seeds the simulated sets.
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
  bool known_ = false;   // whether it was checked for changes
  std::map<std::pair<std::int64_t, std::string>, std::shared_ptr<Compared>> all_;  // by size and conditions
};

}  // namespace pairs
