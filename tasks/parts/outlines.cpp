#include "tasks/parts/outlines.h"

namespace pairs {

const Outlines* outlines(const Task& task) {
  return dynamic_cast<const Outlines*>(&task);
}

}  // namespace pairs
