#include "core/task_settings.h"

#include <algorithm>

#include "core/base/text/error.h"

namespace pairs {

bool operator==(const TaskSettings& a, const TaskSettings& b) {
  TaskSettings left = a, right = b;
  const std::vector<Field> of_left = left.fields(), of_right = right.fields();
  return std::equal(of_left.begin(), of_left.end(), of_right.begin(), of_right.end(),
                    [](const Field& l, const Field& r) { return l.key == r.key && field_text(l) == field_text(r); });
}

void TaskSettings::fail_other_task() {
  fail("A task was given the settings of another task");
}

}  // namespace pairs
