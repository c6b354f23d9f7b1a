#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/many/many_sets.h"
#include "core/report/figure.h"

namespace pairs {

// The order of sets in a forest plot from the top: by file, by name (numbers by value), or by the posterior mean of the
// first target, the largest on top.
enum class ForestOrder { file, name, mean };
// Parses "file", "name" or "mean". Throws a usage Error, naming `option`, for another word.
ForestOrder forest_order(const std::string& word, const std::string& option);

// Whether set name a sorts before b: numbers first, by value, then words.
bool set_name_before(const std::string& a, const std::string& b);

struct ForestOptions {
  ForestOrder order = ForestOrder::file;
  IntervalKind interval = IntervalKind::central;
  std::int64_t most = 40;  // maximum number of sets drawn
  SeriesRole role = SeriesRole::pairs;
  std::string source = {};  // Figure::source
};

// Posterior mean and 90 % interval of many sets: one line per set, one plot per target.
class Forest {
 public:
  Forest(const TaskInfo& info, ForestOptions options) : info_(info), options_(std::move(options)) {}
  // Adds a set; sets without a posterior are only counted.
  void add(const SetRow& row);
  std::int64_t left_out() const;  // number of sets not drawn because there are too many
  std::int64_t unanswered() const { return unanswered_; }
  // Throws Error if no set has a posterior.
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
