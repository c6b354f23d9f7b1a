#include "tasks/parts/things.h"

namespace pairs {

const Things* things(const Task& task) {
  return dynamic_cast<const Things*>(&task);
}

}  // namespace pairs
