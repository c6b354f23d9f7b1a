#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/settings/gpu_setup.h"
#include "app/model/settings/settings_survey.h"

namespace pairs::model {

// The parts of the Settings page, by which messages send people there.
enum class SettingsSection { none, runs, data, computing, looks, file };

// The Settings page: whether it is shown, what stands in the folders that are set, and folders that a person named,
// which are looked into in the background before they are used.
class SettingsPage {
 public:
  explicit SettingsPage(Hub& hub);
  ~SettingsPage();
  SettingsPage(const SettingsPage&) = delete;
  SettingsPage& operator=(const SettingsPage&) = delete;

  void open(SettingsSection section = SettingsSection::none);
  void close();
  bool shown() const;
  // The section to be scrolled to, once.
  SettingsSection take_section();

  // Takes over what background work has found, and looks again while the page is shown: at once when the hub's folders
  // are others, else every few seconds. True when something shown has changed.
  bool poll();
  bool busy() const;
  // What was found last; null before it was looked.
  std::shared_ptr<const SettingsSurvey> survey() const;

  // A person names a folder of runs, or of real data ("": none, or the default).
  void name_runs_folder(const std::filesystem::path& folder);
  void name_data_folder(const std::filesystem::path& folder);
  // Why the last one cannot be used, a sentence; "" when it can.
  const std::string& runs_problem() const;
  const std::string& data_problem() const;
  // Once, the folder that was found right: it is to be used from now on.
  std::optional<std::filesystem::path> take_runs_folder();
  std::optional<std::filesystem::path> take_data_folder();

  // Libraries of a GPU that can be fetched.
  GpuSetup& gpu();

  // Reads a data set's members one by one, which may take minutes; or ends that.
  void count(const std::string& set);
  void stop_counting();
  // What is being counted; "" for nothing, and how far it is: "reading molecules, 1,200 of 20,000".
  const std::string& counting() const;
  std::string progress() const;
  // The account of a set in the present folder; null before it was counted.
  std::shared_ptr<const DataAccount> account(const std::string& set) const;
  // Why the last counting of a set failed; "" when it did not.
  std::string count_problem(const std::string& set) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model
