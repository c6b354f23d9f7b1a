#include "core/train/run/stage_sharing.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/train/run/run_progress.h"
#include "core/train/run/simulator_record.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// The part of a run's log on its stages up to `last`.
std::vector<Event> log_up_to(const fs::path& log, Stage last) {
  std::vector<Event> events;
  for (const Event& event : read_events(log.string())) {
    const bool of_end = event.type == EventType::error || event.type == EventType::stopped ||
                        event.type == EventType::done || event.type == EventType::taken;
    if (!of_end && event.stage <= last) events.push_back(event);
  }
  return events;
}

Event taken_from(const fs::path& from, Stage last) {
  Event event;
  event.type = EventType::taken;
  event.stage = last;
  event.values = {{"from", from.filename().string()}};
  return event;
}

// Whether two runs have the same result at the end of a stage.
bool same_stage(const RunConfig& one, const RunConfig& other, Stage stage) {
  const auto task_text = [](const RunConfig& config) {
    return config.task_copy.empty() ? std::string() : read_file(config.task_copy);
  };
  return one.data == other.data && deciding_settings(one, stage) == deciding_settings(other, stage) &&
         task_text(one) == task_text(other);
}

}  // namespace

void link_file(const fs::path& from, const fs::path& to) {
  fs::remove(to);
  std::error_code code;
  fs::create_hard_link(from, to, code);
  if (code) write_file(to, read_file(from));
}

std::optional<Stage> take_stages(const Tasks& tasks, const fs::path& from, const fs::path& to) {
  const FolderLock lock(to);
  if (fs::exists(to / run_file::pretrained) || fs::exists(to / run_file::resume)) return {};
  if (!fs::exists(from / run_file::pretrained)) return {};
  const RunConfig giver = read_run_toml(tasks, from / run_file::config);
  const RunConfig taker = read_run_toml(tasks, to / run_file::config);
  if (!same_stage(giver, taker, Stage::pretrain)) return {};
  const bool both =
      fs::exists(from / run_file::cache) && run_status(from).cached && same_stage(giver, taker, Stage::cache);
  const Stage last = both ? Stage::cache : Stage::pretrain;
  if (both) link_file(from / run_file::cache, to / run_file::cache);
  // The state of the data when the stages used them.
  for (const char* record : {run_file::stored, kSimulatorFile})
    if (fs::exists(from / record)) write_file(to / record, read_file(from / record));
  std::vector<Event> reported = log_up_to(from / run_file::events, last);
  reported.push_back(taken_from(from, last));
  write_file(to / run_file::events, log_text(reported));
  // This file comes last: with it the run has its stage 1.
  write_file(to / run_file::pretrained, read_file(from / run_file::pretrained));
  return last;
}

}  // namespace pairs
