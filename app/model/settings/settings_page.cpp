#include "app/model/settings/settings_page.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/latest_worker.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr double kLookAgainSeconds = 5, kProgressSeconds = 0.2;

// A folder that a person named, until it is used or refused.
struct NamedFolder {
  std::string problem;
  std::optional<fs::path> found;
};

}  // namespace

struct SettingsPage::State {
  explicit State(Hub& shared)
      : hub(shared),
        looker([](const std::string&) {}),
        runs_asker([this](const std::string& text) { refuse(runs, text); }),
        data_asker([this](const std::string& text) { refuse(data, text); }),
        counter([](const std::string&) {}) {}

  Hub& hub;
  bool shown = false;
  SettingsSection section = SettingsSection::none;
  Stopwatch since;
  fs::path asked_runs, asked_data;  // of the survey that was asked for last
  bool asked = false;
  std::uint64_t seen = 0;

  mutable std::mutex mutex;
  std::uint64_t version = 0;
  std::shared_ptr<const SettingsSurvey> survey;
  NamedFolder runs, data;
  std::string counted, how_far;  // the set that is being counted
  std::map<std::string, std::shared_ptr<const DataAccount>> accounts;
  std::map<std::string, std::string> failures;

  LatestWorker looker, runs_asker, data_asker, counter;  // last: end first

  void changed() { ++version; }

  void refuse(NamedFolder& named, const std::string& text) {
    {
      const std::lock_guard lock(mutex);
      named.problem = text;
      changed();
    }
    hub.wake();
  }

  std::shared_ptr<const SettingsSurvey> survey_now() const {
    const std::lock_guard lock(mutex);
    return survey;
  }

  // `again`: what data and devices there are is known.
  void look(bool again) {
    since.restart();
    asked = true;
    if (asked_data != hub.data_folder) {
      const std::lock_guard lock(mutex);
      accounts.clear();
      failures.clear();
      counter.cancel();
      counted.clear();
    }
    asked_runs = hub.runs_folder;
    asked_data = hub.data_folder;
    looker.request([this, runs_folder = asked_runs, data_folder = asked_data,
                    before = again ? survey_now() : nullptr](const LatestWorker::Stale& stale) {
      auto found =
          std::make_shared<const SettingsSurvey>(survey_settings(*hub.tasks, runs_folder, data_folder, before.get()));
      if (stale()) throw Stopped();
      {
        const std::lock_guard lock(mutex);
        survey = std::move(found);
        changed();
      }
      hub.wake();
    });
  }

  void name(LatestWorker& worker, NamedFolder& named, const fs::path& folder,
            std::function<std::string(const fs::path& folder)> problem_of) {
    {
      const std::lock_guard lock(mutex);
      named = {};
      changed();
    }
    worker.request([this, &named, folder, problem_of = std::move(problem_of)](const LatestWorker::Stale& stale) {
      const std::string problem = folder.empty() ? "" : problem_of(folder);
      if (stale()) throw Stopped();
      if (!problem.empty()) return refuse(named, problem);
      {
        const std::lock_guard lock(mutex);
        named.found = folder;
        changed();
      }
      hub.wake();
    });
  }
};

SettingsPage::SettingsPage(Hub& hub) : state_(std::make_unique<State>(hub)) {}
SettingsPage::~SettingsPage() = default;

void SettingsPage::open(SettingsSection section) {
  State& s = *state_;
  if (!s.shown) {
    const std::lock_guard lock(s.mutex);
    s.runs.problem.clear();
    s.data.problem.clear();
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
    if (!s.asked || moved)
      s.look(false);
    else if (s.since.seconds() > kLookAgainSeconds && !s.looker.busy())
      s.look(true);
  }
  const std::lock_guard lock(s.mutex);
  return std::exchange(s.seen, s.version) != s.version;
}

bool SettingsPage::busy() const {
  return state_->runs_asker.busy() || state_->data_asker.busy() || state_->counter.busy() ||
         (state_->shown && !survey());
}

std::shared_ptr<const SettingsSurvey> SettingsPage::survey() const {
  return state_->survey_now();
}

void SettingsPage::name_runs_folder(const fs::path& folder) {
  state_->name(state_->runs_asker, state_->runs, folder, &runs_folder_problem);
}

void SettingsPage::name_data_folder(const fs::path& folder) {
  state_->name(state_->data_asker, state_->data, folder,
               [tasks = state_->hub.tasks](const fs::path& one) { return data_folder_problem(*tasks, one); });
}

std::string SettingsPage::runs_problem() const {
  const std::lock_guard lock(state_->mutex);
  return state_->runs.problem;
}

std::string SettingsPage::data_problem() const {
  const std::lock_guard lock(state_->mutex);
  return state_->data.problem;
}

std::optional<fs::path> SettingsPage::take_runs_folder() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->runs.found, std::nullopt);
}

std::optional<fs::path> SettingsPage::take_data_folder() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->data.found, std::nullopt);
}

void SettingsPage::count(const std::string& name) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.counted = name;
    s.how_far.clear();
    s.failures.erase(name);
    s.changed();
  }
  s.counter.request([&s, name, folder = s.hub.data_folder](const LatestWorker::Stale& stale) {
    Stopwatch told;
    const auto tell = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      if (told.seconds() < kProgressSeconds) return;
      told.restart();
      {
        const std::lock_guard lock(s.mutex);
        s.how_far = fmt::format("{}, {}{}", what, count_text(done), total > 0 ? " of " + count_text(total) : "");
        s.changed();
      }
      s.hub.wake();
    };
    std::shared_ptr<const DataAccount> account;
    std::string failure;
    try {
      for (const DataSet& set : s.hub.tasks->data_sets())
        if (set.name == name && set.account)
          account =
              std::make_shared<const DataAccount>(set.account(folder.string(), {.stop = stale, .progress = tell}));
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      failure = sentence(error);
    }
    {
      const std::lock_guard lock(s.mutex);
      if (stale()) throw Stopped();
      if (account) s.accounts[name] = std::move(account);
      if (!failure.empty()) s.failures[name] = std::move(failure);
      s.counted.clear();
      s.changed();
    }
    s.hub.wake();
  });
}

void SettingsPage::stop_counting() {
  state_->counter.cancel();
  const std::lock_guard lock(state_->mutex);
  state_->counted.clear();
  state_->changed();
}

std::string SettingsPage::counting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counted;
}

std::string SettingsPage::progress() const {
  const std::lock_guard lock(state_->mutex);
  return state_->how_far;
}

std::shared_ptr<const DataAccount> SettingsPage::account(const std::string& set) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->accounts.find(set);
  return found == state_->accounts.end() ? nullptr : found->second;
}

std::string SettingsPage::count_problem(const std::string& set) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->failures.find(set);
  return found == state_->failures.end() ? "" : found->second;
}

}  // namespace pairs::model
