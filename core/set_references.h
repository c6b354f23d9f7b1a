#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// A task that knows the exact posterior of some observed sets, by their names.
class HasSetReferences {
 public:
  virtual ~HasSetReferences() = default;
  // Whether it may know the posterior of any set.
  virtual bool knows_sets() const = 0;
  // The posterior of the first of these names that it knows; null if it knows none. It already includes all
  // observations of the set: none need be added. Throws Error if its record is damaged.
  virtual std::unique_ptr<ReferencePosterior> reference_of(const std::vector<std::string>& names) const = 0;
};

}  // namespace pairs
