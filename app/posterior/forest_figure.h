#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/many_sets.h"
#include "core/report/figure.h"

namespace pairs {

// How the sets of a forest plot stand from the top: as they came, by their names (numbers by size), or by the posterior
// mean of the first target, the largest on top.
enum class ForestOrder { file, name, mean };
// "file", "name" or "mean". Throws a usage Error, naming `option`, for another word.
ForestOrder forest_order(const std::string& word, const std::string& option);

// Whether a set of this name stands before another: numbers first, by their size, then words.
bool set_name_before(const std::string& a, const std::string& b);

struct ForestOptions {
  ForestOrder order = ForestOrder::file;
  IntervalKind interval = IntervalKind::central;
  std::int64_t most = 40;  // sets that are drawn
  SeriesRole role = SeriesRole::pairs;
  std::string source = {};  // Figure::source
};

// Posterior mean and interval of 90 % of many sets, a line each and a plot a target.
class Forest {
 public:
  Forest(const TaskInfo& info, ForestOptions options) : info_(info), options_(std::move(options)) {}
  // Sets that could not be answered are counted alone.
  void add(const SetRow& row);
  std::int64_t left_out() const;  // that are not drawn since they are too many
  std::int64_t unanswered() const { return unanswered_; }
  // Throws Error where no set was answered.
  Figure figure() const;

 private:
  struct Entry {
    std::string name;
    std::vector<double> mean;  // by target
    std::vector<Interval> most;
  };
  std::vector<const Entry*> ordered() const;

  const TaskInfo& info_;
  ForestOptions options_;
  std::vector<Entry> entries_;
  std::int64_t unanswered_ = 0;
};

}  // namespace pairs
