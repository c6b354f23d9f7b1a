#pragma once

#include <any>
#include <utility>
#include <vector>

#include "core/base/fields/fields.h"

namespace pairs {

// A task's settings as an opaque value: a struct in the task's own folder whose member `std::vector<Field> fields()`
// binds its members. Keys have no table here; they appear in the table [task] of a run's settings. Copies are
// independent.
class TaskSettings {
 public:
  // No settings: the task has none, or uses its defaults.
  TaskSettings() = default;
  template <class Own>
  requires requires(Own& own) { own.fields(); }
  TaskSettings(Own own)  // NOLINT(google-explicit-constructor)
      : own_(std::move(own)), fields_([](std::any& held) { return std::any_cast<Own&>(held).fields(); }) {}

  bool empty() const { return !own_.has_value(); }
  // Bound to this object, which must outlive them and must not move.
  std::vector<Field> fields() { return fields_ ? fields_(own_) : std::vector<Field>(); }
  // The struct itself, or its defaults if there are no settings. Throws Error if they are of another type.
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
