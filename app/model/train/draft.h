#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/catalog.h"

namespace pairs {
struct RunConfig;
}

namespace pairs::model {

enum class SettingKind { number, numbers, text, choice, yes_no };

// One setting of a run. Values are as the user writes them: texts without quotes, lists without brackets.
struct Setting {
  std::string key, title, help;  // title: display name, or the key
  std::string section;           // "Task", "Network", "Pretrain", "Cache", "Finetune", "Evaluate", "Run"
  SettingKind kind = SettingKind::number;
  std::vector<std::string> choices;
  bool matters = false;  // one of the few that are shown first
  std::string value;     // as typed, even if invalid
  std::string preset;    // the chosen preset's value
  std::string paper;     // the paper preset's; "–" if the strategy has none
  bool changed = false;  // value and preset differ
  std::string error;     // why it is invalid, a sentence
};

// Whether a setting belongs to the machine that trains, not to the run.
bool is_of_machine(const std::string& key);

// The settings of `config` as rows, relative to its own preset and strategy; throws Error if these are unknown.
std::vector<Setting> setting_table(const RunConfig& config);

// A component of θ or ψ that a run can infer, and whether this one does.
struct TargetTick {
  std::string name, title;  // title: "ψ, bump position"
  bool on = false;
};

// The settings of a new run: preset, strategy, and changes to them.
class Draft {
 public:
  // A draft of the quick preset of one of `tasks`. `runs_folder`: where its folder will be made.
  Draft(const Catalog& tasks, std::string task, std::filesystem::path runs_folder, std::string data_folder);
  // A draft with the settings of a run of one of `tasks`.
  Draft(const Catalog& tasks, const RunConfig& config, std::filesystem::path runs_folder, std::string data_folder);
  ~Draft();
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft&&) noexcept;

  // Sets the device and the threads that replace the preset's; returns whether either has changed.
  bool set_machine(const std::string& device, std::int64_t threads);
  // Sets where its folder will be made, and the folder of real data; returns whether either has changed.
  bool set_places(const std::filesystem::path& runs_folder, const std::string& data_folder);

  const std::string& task() const;
  const std::string& preset() const;
  const std::string& strategy() const;
  void set_preset(const std::string& preset);
  void set_strategy(const std::string& strategy);
  // The possible targets; empty if there is no choice. At least one stays on.
  const std::vector<TargetTick>& targets() const;
  void set_target(const std::string& name, bool on);
  // Sets any setting by key, e.g. "seed", "device", "note", "pretrain.rate". The preset's own value removes the change.
  void set(std::string_view key, std::string_view value);
  void reset(std::string_view key);
  void reset_all();

  const std::vector<Setting>& settings() const;
  const Setting& setting(std::string_view key) const;
  // The number of settings that differ from the preset's.
  int changes() const;
  // Why the settings cannot be trained, as a sentence; empty if they can.
  const std::string& error() const;
  // Why the settings cannot be a study, in which a number may have several values; empty if they can.
  const std::string& study_error() const;
  // Settings with several values, in the order of settings().
  std::vector<Setting> swept() const;

  // The name of the run and its folder: <task>-<time> by default.
  const std::string& name() const;
  void set_name(std::string name);
  // Why the name is invalid.
  const std::string& name_error() const;
  std::filesystem::path folder() const;
  // refresh_name sets a new default name; renew_name does so unless the user gave one.
  void refresh_name();
  void renew_name();
  // Sets a new name if the default one is taken by a run; returns whether it was.
  bool leave_taken_name();

  // Grows with each change that affects training.
  std::uint64_t version() const;
  // The settings that affect training; the preset's if error() is not empty.
  const RunConfig& config() const;
  std::string batch_command() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One choice as shown to the user.
struct Choice {
  std::string name, title, text;
};
const std::vector<Choice>& preset_choices();
const std::vector<Choice>& strategy_choices();

}  // namespace pairs::model
