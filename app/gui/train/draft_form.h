#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/model/train/training.h"

namespace pairs::gui {

// The settings of a new run: preset, strategy, name, seed and device, the important settings, on request all of them,
// and the run's expected needs.
class DraftForm {
 public:
  void draw(model::Training& training);
  // The run's expected needs, or why it cannot be started. Its height stays constant, so that nothing below moves.
  void needs(const model::Training& training);
  // Returns once that the user requests a study of the values in the fields.
  bool take_sweep() { return std::exchange(sweep_, false); }

 private:
  void choices(model::Draft& draft);
  static void targets(model::Draft& draft, float column);
  void matters(model::Draft& draft);
  void section(model::Draft& draft, const std::vector<model::Setting>& settings, const char* title, float width);
  void all_settings(model::Draft& draft);
  void control(model::Draft& draft, const model::Setting& setting, float width);
  void several(const model::Setting& setting);
  void trouble(const model::Setting& setting, float width);
  static void report_needs(const model::Training& training);

  bool all_ = false;
  std::string search_;
  bool sweep_ = false;
  float needs_width_ = 0, needs_room_ = 0;
};

// Whether any setting has a value in the paper; otherwise tables omit that column.
bool with_paper(const std::vector<model::Setting>& settings);
// The description of a setting, with its preset's and the paper's value.
std::string setting_tip(const model::Setting& setting);
// Whether `text` contains `part`, ignoring case.
bool mentions(const std::string& text, const std::string& part);

}  // namespace pairs::gui
