#pragma once

#include "app/model/hub.h"

namespace pairs::model {

// A live sample set of a task.
class Specimen {
 public:
  explicit Specimen(Hub& hub) : hub_(hub) {}
  // Takes over what background work has finished. True when something shown has changed.
  bool poll() { return false; }
  bool busy() const { return false; }

 private:
  Hub& hub_;
};

}  // namespace pairs::model
