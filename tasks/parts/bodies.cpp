#include "tasks/parts/bodies.h"

namespace pairs {

const Bodies* bodies(const Task& task) {
  return dynamic_cast<const Bodies*>(&task);
}

}  // namespace pairs
