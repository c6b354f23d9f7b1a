#include "app/model/settings/settings_page.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "app/model/hub/checked_folder.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr double kLookAgainSeconds = 5, kProgressSeconds = 0.2;

// A counted data set: its account, or why there is none.
struct Counted {
  std::string set;
  std::shared_ptr<const DataAccount> account;
  std::string failure;
};

}  // namespace

struct SettingsPage::State {
  explicit State(Hub& shared)
      : hub(shared),
        survey([&shared] { shared.wake(); }),
        runs([&shared] { shared.wake(); }),
        data([&shared] { shared.wake(); }),
        counter([&shared] { shared.wake(); }),
        gpu(shared) {}

  Hub& hub;
  bool shown = false;
  SettingsSection section = SettingsSection::none;
  Stopwatch since;
  fs::path asked_runs, asked_data;  // of the last requested survey
  bool asked = false;
  std::string counting;  // the set being counted
  std::map<std::string, Counted> counted;
  Newest<std::string> progress;
  Latest<SettingsSurvey> survey;
  CheckedFolder runs, data;
  Latest<Counted> counter;
  GpuSetup gpu;

  // `again`: data and devices are already known.
  void look(bool again) {
    since.restart();
    asked = true;
    if (asked_data != hub.data_folder) {
      counted.clear();
      stop_counting();
    }
    asked_runs = hub.runs_folder;
    asked_data = hub.data_folder;
    survey.ask([tasks = hub.tasks, runs_folder = asked_runs, data_folder = asked_data,
                before = again ? survey.last() : nullptr](const auto&) {
      return std::make_shared<const SettingsSurvey>(survey_settings(*tasks, runs_folder, data_folder, before.get()));
    });
  }

  void stop_counting() {
    counter.forget();
    counting.clear();
  }
};

SettingsPage::SettingsPage(Hub& hub) : state_(std::make_unique<State>(hub)) {}
SettingsPage::~SettingsPage() = default;

void SettingsPage::open(SettingsSection section) {
  State& s = *state_;
  if (!s.shown) {
    s.runs.forget_problem();
    s.data.forget_problem();
    s.asked = false;
  }
  s.shown = true;
  s.section = section;
}

void SettingsPage::close() {
  state_->shown = false;
}

bool SettingsPage::shown() const {
  return state_->shown;
}

SettingsSection SettingsPage::take_section() {
  return std::exchange(state_->section, SettingsSection::none);
}

bool SettingsPage::poll() {
  State& s = *state_;
  if (s.shown) {
    const bool moved = s.asked_runs != s.hub.runs_folder || s.asked_data != s.hub.data_folder;
    if (!s.asked) s.gpu.look();
    if (!s.asked || moved)
      s.look(false);
    else if (s.since.seconds() > kLookAgainSeconds && !s.survey.busy())
      s.look(true);
  }
  bool changed = s.survey.take() != nullptr || s.runs.fresh() || s.data.fresh() || s.progress.take() != nullptr;
  changed |= s.gpu.poll();
  if (const auto answer = s.counter.take()) {
    if (answer->value) s.counted[answer->value->set] = *answer->value;
    s.counting.clear();
    changed = true;
  }
  return changed;
}

bool SettingsPage::busy() const {
  return state_->runs.busy() || state_->data.busy() || state_->gpu.busy() || !state_->counting.empty() ||
         (state_->shown && !survey());
}

std::shared_ptr<const SettingsSurvey> SettingsPage::survey() const {
  return state_->survey.last();
}

void SettingsPage::name_runs_folder(const fs::path& folder) {
  state_->runs.name(folder, runs_folder_problem);
}

void SettingsPage::name_data_folder(const fs::path& folder) {
  state_->data.name(folder,
                    [tasks = state_->hub.tasks](const fs::path& one) { return data_folder_problem(*tasks, one); });
}

const std::string& SettingsPage::runs_problem() const {
  return state_->runs.problem();
}

const std::string& SettingsPage::data_problem() const {
  return state_->data.problem();
}

std::optional<fs::path> SettingsPage::take_runs_folder() {
  return state_->runs.take();
}

std::optional<fs::path> SettingsPage::take_data_folder() {
  return state_->data.take();
}

GpuSetup& SettingsPage::gpu() {
  return state_->gpu;
}

void SettingsPage::count(const std::string& name) {
  State& s = *state_;
  s.counting = name;
  s.counted[name].failure.clear();
  s.progress.put(std::make_shared<const std::string>());
  s.counter.ask([&s, name, folder = s.hub.data_folder](const auto& stale) {
    Stopwatch reported;
    const auto report = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      if (reported.seconds() < kProgressSeconds) return;
      reported.restart();
      s.progress.put(std::make_shared<const std::string>(
          fmt::format("{}, {}{}", what, count_text(done), total > 0 ? " of " + count_text(total) : "")));
      s.hub.wake();
    };
    auto counted = std::make_shared<Counted>();
    counted->set = name;
    try {
      for (const DataSet& set : s.hub.tasks->data_sets())
        if (set.name == name && set.account)
          counted->account =
              std::make_shared<const DataAccount>(set.account(folder.string(), {.stop = stale, .progress = report}));
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      counted->failure = sentence(error);
    }
    return counted;
  });
}

void SettingsPage::stop_counting() {
  state_->stop_counting();
}

const std::string& SettingsPage::counting() const {
  return state_->counting;
}

std::string SettingsPage::progress() const {
  const auto reported = state_->progress.last();
  return reported ? *reported : "";
}

std::shared_ptr<const DataAccount> SettingsPage::account(const std::string& set) const {
  const auto found = state_->counted.find(set);
  return found == state_->counted.end() ? nullptr : found->second.account;
}

std::string SettingsPage::count_problem(const std::string& set) const {
  const auto found = state_->counted.find(set);
  return found == state_->counted.end() ? "" : found->second.failure;
}

}  // namespace pairs::model
