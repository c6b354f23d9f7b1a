#include <set>
#include <string>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/simulation_budget.h"
#include "core/stored_sets.h"
#include "core/train/run/rank_monitor.h"
#include "core/train/run/run.h"
#include "core/train/run/simulator_record.h"
#include "core/train/run/work_watch.h"
#include "core/train/stages/learned.h"
#include "core/train/stages/stage_tools.h"

namespace pairs {
namespace {

// Whether the same files are there, under any names: the sets are divided by their content.
bool same_states(const nlohmann::json& before, const nlohmann::json& now) {
  const auto states = [](const nlohmann::json& files) {
    std::multiset<std::string> all;
    for (const auto& [name, state] : files.items()) all.insert(state.dump());
    return all;
  };
  return states(before) == states(now);
}

// Records the files of a run's sets when it begins, and refuses others when it continues: training half on other sets
// would be valid for neither, and held-out sets might no longer be held out.
void check_stored_files(const std::filesystem::path& run, const StoredSets& stored) {
  const std::filesystem::path file = run / run_file::stored;
  nlohmann::json now = nlohmann::json::object();
  for (const StoredState& one : stored.state()) now[one.file] = one.state;
  if (!std::filesystem::exists(file)) {
    write_file(file, now.dump(1) + "\n");
    return;
  }
  const nlohmann::json before = parse_json(read_file(file));
  PAIRS_CHECK(before.is_object(), "{} is damaged; start the run anew", printable(file.string(), 300));
  if (same_states(before, now)) return;
  const std::string remedy = "restore it, or start the run anew";
  for (const auto& [name, state] : now.items()) {
    PAIRS_CHECK(before.contains(name),
                "{} was not among the stored simulations when the run began; take it away, or start the run anew",
                printable(name, 300));
    PAIRS_CHECK(before[name] == state, "{} has changed since the run began (then {}, now {}); {}", printable(name, 300),
                before[name].is_string() ? printable(before[name].get<std::string>(), 300) : "unknown",
                printable(state.get<std::string>(), 300), remedy);
  }
  for (const auto& [name, state] : before.items())
    PAIRS_CHECK(now.contains(name), "{} was among the stored simulations when the run began and is missing; {}",
                printable(name, 300), remedy);
}

// Reports the progress of preparing data before the stages, and the totals.
class PreparationTeller {
 public:
  explicit PreparationTeller(Monitor& monitor) : monitor_(monitor) {
    event_.type = EventType::prepared;
    event_.values = nlohmann::json::object();
  }

  Preparation preparation() {
    return {[this] { return monitor_.should_stop(); },
            [this](const std::string& what, std::int64_t done, std::int64_t total) { report(what, done, total); }};
  }

  void finish() {
    if (making_.empty()) return;
    event_.seconds = watch_.seconds();
    monitor_.event(event_);
  }

 private:
  void report(const std::string& what, std::int64_t done, std::int64_t total) {
    if (what != making_) meter_ = RateMeter();
    making_ = what;
    event_.values[what] = done;
    meter_.update(static_cast<double>(done));
    if (since_.seconds() < 0.1 && done < total) return;
    since_.restart();
    Progress progress;
    progress.stage = Stage::pretrain;
    progress.done = done;
    progress.total = total;
    progress.unit = what;
    progress.rate = meter_.rate();
    if (progress.rate > 0 && total > done) progress.eta_seconds = static_cast<double>(total - done) / progress.rate;
    monitor_.progress(progress);
  }

  Monitor& monitor_;
  const WorkWatch watch_;
  Stopwatch since_;
  RateMeter meter_;
  Event event_;
  std::string making_;
};

// Makes a task with a budget simulate its sets; from then on its library makes a task of stored sets instead.
void simulate_within_budget(const std::filesystem::path& run, const RunConfig& config, PreparationTeller& teller,
                            Monitor& monitor) {
  const std::shared_ptr<const Task> task = config.make_task();
  const BudgetedSimulator* const budget = face<BudgetedSimulator>(*task);
  if (budget == nullptr) return;
  PAIRS_CHECK(!std::filesystem::exists(run / run_file::stored),
              "The simulations that {} began its training on are missing; restore them, or start the run anew",
              printable(run.string(), 300));
  budget->simulate(static_cast<std::uint64_t>(config.seed), teller.preparation());
  nlohmann::json reported = nlohmann::json::object();
  report_invalid(Stage::pretrain, invalid_draws_of(*task), reported, monitor);
}

}  // namespace

void prepare_data(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (run_status(run).finished) return;
  const auto prepare = [&] {
    PreparationTeller teller(monitor);
    if (writes_run(monitor)) simulate_within_budget(run, config, teller, monitor);
    const StageSetting setting(config);
    if (writes_run(monitor)) {
      if (const StoredSets* stored = setting.task->stored()) check_stored_files(run, *stored);
      record_simulator(run, *setting.task, monitor);
    }
    setting.task->prepare(teller.preparation());
    teller.finish();
  };
  in_turn(monitor, prepare, prepare);
}

}  // namespace pairs
