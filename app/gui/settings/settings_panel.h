#pragma once

#include <string>

#include "app/model/studio.h"

namespace pairs::gui {

// The Settings page: folders, device and threads, looks. What is set counts at once and is kept.
class SettingsPanel {
 public:
  void draw(model::Studio& studio);

 private:
  // A path as it stands in a field, while it is not being typed.
  struct PathField {
    std::string text, of;  // of: the path that was in use when it was shown
  };

  void runs(model::Studio& studio);
  void data(model::Studio& studio);
  void data_set(model::Studio& studio, const model::DataSetLine& line);
  void computing(model::Studio& studio);
  void looks(model::Studio& studio);
  void file(model::Studio& studio);
  void begin_section(model::SettingsSection section, const char* title);
  // Puts what is in use into the field when that has changed.
  static void follow(PathField& field, const std::string& used);

  model::SettingsSection wanted_ = model::SettingsSection::none;
  PathField runs_, data_;
  std::string threads_, threads_of_, threads_problem_, device_problem_;
};

}  // namespace pairs::gui
