#include <set>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/stored_sets.h"
#include "core/train/run.h"
#include "core/train/simulator_record.h"
#include "core/train/stage_tools.h"
#include "core/train/work_watch.h"

namespace pairs {
namespace {

// Whether the same files lie there, under whatever names: the sets are divided by what they hold.
bool same_states(const nlohmann::json& before, const nlohmann::json& now) {
  const auto states = [](const nlohmann::json& files) {
    std::multiset<std::string> all;
    for (const auto& [name, state] : files.items()) all.insert(state.dump());
    return all;
  };
  return states(before) == states(now);
}

// Records the files that a run's sets are read from when it begins, and refuses others when it goes on: half a training
// on other sets would be no training on either, and sets held out before might no longer be.
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
    PAIRS_CHECK(now.contains(name), "{} was among the stored simulations when the run began and is gone; {}",
                printable(name, 300), remedy);
}

}  // namespace

void prepare_data(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (run_status(run).finished) return;
  const StageSetting setting(config);
  if (const StoredSets* stored = setting.task->stored()) check_stored_files(run, *stored);
  record_simulator(run, *setting.task, monitor);
  const WorkWatch watch;
  Stopwatch since;
  RateMeter meter;
  Event event;
  event.type = EventType::prepared;
  event.values = nlohmann::json::object();
  std::string making;
  setting.task->prepare({[&] { return monitor.should_stop(); },
                         [&](const std::string& what, std::int64_t done, std::int64_t total) {
                           if (what != making) meter = RateMeter();
                           making = what;
                           event.values[what] = done;
                           meter.update(static_cast<double>(done));
                           if (since.seconds() < 0.1 && done < total) return;
                           since.restart();
                           Progress progress;
                           progress.stage = Stage::pretrain;
                           progress.done = done;
                           progress.total = total;
                           progress.unit = what;
                           progress.rate = meter.rate();
                           if (progress.rate > 0 && total > done)
                             progress.eta_seconds = static_cast<double>(total - done) / progress.rate;
                           monitor.progress(progress);
                         }});
  if (making.empty()) return;
  event.seconds = watch.seconds();
  monitor.event(event);
}

}  // namespace pairs
