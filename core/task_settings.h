#pragma once

#include <any>
#include <utility>
#include <vector>

#include "core/base/fields.h"

namespace pairs {

// What people may choose of a task, as a value that whoever carries it need not understand: a struct of the task's own
// folder whose member `std::vector<Field> fields()` binds its members. Keys stand in no table here; the table [task] of
// a run's settings holds them. Copies are independent.
class TaskSettings {
 public:
  // No settings: of a task that has none, or its defaults.
  TaskSettings() = default;
  template <class Own>
  requires requires(Own& own) { own.fields(); }
  TaskSettings(Own own)  // NOLINT(google-explicit-constructor)
      : own_(std::move(own)), fields_([](std::any& held) { return std::any_cast<Own&>(held).fields(); }) {}

  bool empty() const { return !own_.has_value(); }
  // Bound to this object, which must outlive them and stay where it is.
  std::vector<Field> fields() { return fields_ ? fields_(own_) : std::vector<Field>(); }
  // The struct itself; its defaults where there are no settings. Throws Error where they are of another type.
  template <class Own>
  Own as() const {
    if (empty()) return Own();
    const Own* own = std::any_cast<Own>(&own_);
    if (!own) fail_other_task();
    return *own;
  }

  // Whether both hold the same fields with the same values.
  friend bool operator==(const TaskSettings& a, const TaskSettings& b);

 private:
  [[noreturn]] static void fail_other_task();

  std::any own_;
  std::vector<Field> (*fields_)(std::any& held) = nullptr;
};

}  // namespace pairs
