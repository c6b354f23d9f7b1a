#pragma once

#include <string>

#include "core/task.h"

namespace pairs {

// A value of a single target that stands for "nothing there", such as a signal fraction of zero.
struct NullValue {
  double theta = 0;
  double prior_density = 1;  // of the prior there
  std::string words;         // "no signal"
};

// A task whose target has such a value, inside its support or at its end, where the prior's
// density is positive.
class HasNullValue {
 public:
  virtual ~HasNullValue() = default;
  virtual NullValue null_value() const = 0;
};

}  // namespace pairs
