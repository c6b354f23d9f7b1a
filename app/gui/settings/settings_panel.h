#pragma once

#include <string>

#include "app/model/hub/settings.h"
#include "app/model/library/library.h"
#include "app/model/settings/machine.h"
#include "app/model/settings/settings_page.h"

namespace pairs::gui {

// The objects that the Settings page shows and changes.
struct SettingsParts {
  model::SettingsPage& page;
  model::Settings& settings;
  const model::Hub& hub;
  model::Library& library;
  model::Machine& machine;
};

// The Settings page: folders, device and threads, appearance. Changes apply immediately and persist.
class SettingsPanel {
 public:
  void draw(const SettingsParts& parts);

 private:
  // A path in a field that is not being typed.
  struct PathField {
    std::string text, of;  // of: the path in use when it was shown
  };

  void runs(const SettingsParts& parts);
  void data(const SettingsParts& parts);
  void data_set(const SettingsParts& parts, const model::DataSetLine& line);
  void computing(const SettingsParts& parts);
  void gpu_libraries(model::GpuSetup& gpu);
  void looks(model::Settings& settings);
  void file();
  void begin_section(model::SettingsSection section, const char* title);
  // Updates the field when the path in use has changed.
  static void follow(PathField& field, const std::string& used);

  model::SettingsSection wanted_ = model::SettingsSection::none;
  PathField runs_, data_;
  std::string threads_, threads_of_, threads_problem_, device_problem_, gpu_index_;
};

}  // namespace pairs::gui
