#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/settings/gpu_setup.h"
#include "app/model/settings/settings_survey.h"

namespace pairs::model {

// The sections of the Settings page, to which messages can link.
enum class SettingsSection { none, runs, data, computing, looks, file };

// The Settings page: whether it is shown, the contents of the folders in use, and folders that the user has entered,
// which are checked in the background before use.
class SettingsPage {
 public:
  explicit SettingsPage(Hub& hub);
  ~SettingsPage();
  SettingsPage(const SettingsPage&) = delete;
  SettingsPage& operator=(const SettingsPage&) = delete;

  void open(SettingsSection section = SettingsSection::none);
  void close();
  bool shown() const;
  // Returns once the section to scroll to.
  SettingsSection take_section();

  // Takes over finished background work and, while the page is shown, checks again: at once if the hub's folders have
  // changed, else every few seconds. Returns whether something shown has changed.
  bool poll();
  bool busy() const;
  // The last findings; null before the first check.
  std::shared_ptr<const SettingsSurvey> survey() const;

  // Enters a folder of runs, or of real data ("": none, or the default).
  void name_runs_folder(const std::filesystem::path& folder);
  void name_data_folder(const std::filesystem::path& folder);
  // Why the last folder cannot be used, as a sentence; "" if it can.
  const std::string& runs_problem() const;
  const std::string& data_problem() const;
  // Returns a valid folder once; it is to be used from now on.
  std::optional<std::filesystem::path> take_runs_folder();
  std::optional<std::filesystem::path> take_data_folder();

  // The GPU libraries that can be downloaded.
  GpuSetup& gpu();

  // Starts or stops reading a data set item by item, which may take minutes.
  void count(const std::string& set);
  void stop_counting();
  // The set being counted, "" for none, and the progress: "reading molecules, 1,200 of 20,000".
  const std::string& counting() const;
  std::string progress() const;
  // The account of a set in the current folder; null before it was counted.
  std::shared_ptr<const DataAccount> account(const std::string& set) const;
  // Why the last count of a set failed; "" if it did not.
  std::string count_problem(const std::string& set) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model
