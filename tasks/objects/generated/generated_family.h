#pragma once

#include <vector>

#include "tasks/objects/generated/generated_body.h"

namespace pairs::generated {

// How one family of generated objects is built.
struct Family {
  const char* name;
  bool furniture;  // has an upright direction of its own
  double cell;     // cell size of its bodies
  void (*build)(Body& body, Draw& draw);
};
// The order is part of the generator's version.
const std::vector<Family>& families();

// One object of a family, oriented as the family's objects are (generated_objects.h).
Body build_object(const Family& family, Draw& draw);

}  // namespace pairs::generated
