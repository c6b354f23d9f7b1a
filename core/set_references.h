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
  // Whether it may know any.
  virtual bool knows_sets() const = 0;
  // Of the first of these names that it knows; null where it knows none. Nothing need be added to it: it is that of all
  // observations of the set. Throws Error where what tells it is damaged.
  virtual std::unique_ptr<ReferencePosterior> reference_of(const std::vector<std::string>& names) const = 0;
};

}  // namespace pairs
