#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/catalogue.h"

namespace pairs {
struct RunConfig;
}

namespace pairs::model {

enum class SettingKind { number, numbers, text, choice, yes_no };

// One setting of a run, with its values as people write them: texts without quotes, lists without brackets.
struct Setting {
  std::string key, title, help;  // title: for people, the key where it has none
  std::string section;           // "Task", "Network", "Pretrain", "Cache", "Finetune", "Evaluate", "Run"
  SettingKind kind = SettingKind::number;
  std::vector<std::string> choices;
  bool matters = false;  // one of the few that are shown first
  std::string value;     // as typed, even where it is wrong
  std::string preset;    // the chosen preset's value
  std::string paper;     // the paper preset's; "–" where the strategy has none
  bool changed = false;  // value and preset differ
  std::string error;     // what is wrong with it, a sentence
};

// Whether a setting is of the machine that a run is trained on, not of the run.
bool is_of_machine(const std::string& key);

// The settings as rows. `config` against its own preset and strategy; throws Error where these are unknown.
std::vector<Setting> setting_table(const RunConfig& config);

// A component of θ or ψ that a run may infer, and whether this one does.
struct TargetTick {
  std::string name, title;  // title: "ψ, bump position"
  bool on = false;
};

// Settings of a run to be: preset and strategy, and what differs from them.
class Draft {
 public:
  // A draft of the quick preset of one of `tasks`. `runs_folder`: where its folder would be made.
  Draft(const Catalogue& tasks, std::string task, std::filesystem::path runs_folder, std::string data_folder);
  // With the settings of a run of one of them.
  Draft(const Catalogue& tasks, const RunConfig& config, std::filesystem::path runs_folder, std::string data_folder);
  ~Draft();
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft&&) noexcept;

  // The device and the threads that stand in place of the preset's; true when either is another.
  bool set_machine(const std::string& device, std::int64_t threads);
  // Where its folder would be made, and the folder of real data; true when either is another.
  bool set_places(const std::filesystem::path& runs_folder, const std::string& data_folder);

  const std::string& task() const;
  const std::string& preset() const;
  const std::string& strategy() const;
  void set_preset(const std::string& preset);
  void set_strategy(const std::string& strategy);
  // What can be chosen as targets; empty where there is no choice. The last one stays.
  const std::vector<TargetTick>& targets() const;
  void set_target(const std::string& name, bool on);
  // Any setting by key, e.g. "seed", "device", "note", "pretrain.rate". The preset's own value removes the change.
  void set(std::string_view key, std::string_view value);
  void reset(std::string_view key);
  void reset_all();

  const std::vector<Setting>& settings() const;
  const Setting& setting(std::string_view key) const;
  // Settings that differ from the preset's.
  int changes() const;
  // What is wrong with the settings as a whole, a sentence; empty when they can be trained.
  const std::string& error() const;
  // The same for a study of them, which takes several values of a number.
  const std::string& study_error() const;
  // Settings whose fields hold several values, in the order of settings().
  std::vector<Setting> swept() const;

  // The run's name, its folder's: <task>-<time> until one is given.
  const std::string& name() const;
  void set_name(std::string name);
  // What is wrong with the name.
  const std::string& name_error() const;
  std::filesystem::path folder() const;
  // A fresh name, and one for now where none was given.
  void refresh_name();
  void renew_name();
  // A fresh name where none was given and a run has taken the one that stands there; true then.
  bool leave_taken_name();

  // Grows with each change of what training depends on.
  std::uint64_t version() const;
  // What training depends on; the preset's where error() is not empty.
  const RunConfig& config() const;
  std::string batch_command() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One line a choice, for people.
struct Choice {
  std::string name, title, text;
};
const std::vector<Choice>& preset_choices();
const std::vector<Choice>& strategy_choices();

}  // namespace pairs::model
