#pragma once

#include <string>

#include "app/model/library/library.h"

namespace pairs::gui {

// Asks whether to delete a run's aggregates, and explains what needs them. Its widgets are "<name>/confirm" and
// "<name>/cancel".
class AggregatesDialog {
 public:
  explicit AggregatesDialog(std::string name) : name_(std::move(name)) {}
  void ask(const model::RunEntry& run);
  // Call once per frame.
  void draw(model::Library& library);

 private:
  std::string name_, run_, what_;
  bool open_ = false;
};

}  // namespace pairs::gui
