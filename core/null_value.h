#pragma once

#include <string>

#include "core/task.h"

namespace pairs {

// A value of a single target that stands for "nothing there", such as a signal fraction of zero.
struct NullValue {
  double theta = 0;
  double prior_density = 1;  // density of the prior at theta
  std::string words;         // "no signal"
};

// A task with a null value, inside its target's support or at a bound, where the prior's density is positive.
class HasNullValue {
 public:
  virtual ~HasNullValue() = default;
  virtual NullValue null_value() const = 0;
};

}  // namespace pairs
