#include <ATen/Functions.h>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/train/run/rank_monitor.h"
#include "core/train/run/run.h"
#include "core/train/run/work_watch.h"
#include "core/train/stages/cache_writer.h"
#include "core/train/stages/stage_tools.h"

namespace pairs {

void build_cache(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (!strategy(config.strategy).stages_2_and_3 || std::filesystem::exists(run / run_file::estimator)) return;
  const WorkWatch watch;
  const StageSetting setting(config, monitor.ranks());
  Estimator estimator = Estimator::load(run / run_file::pretrained, setting.task);
  estimator.to(setting.device);
  const auto groups = plan_groups(config.cache, config.finetune.size_distribution == "list", setting.task->stored());
  const double bytes = cache_bytes(groups, estimator.embedding_size(), cached_targets(setting.task->info()));
  const std::filesystem::path file = run / run_file::cache;
  if (writes_run(monitor) && !std::filesystem::exists(file))
    PAIRS_CHECK(bytes < static_cast<double>(free_disk_bytes(run)),
                "The cache needs {:.1f} MB but only {:.1f} MB are free on the disk of {}; free some space or lower {}",
                bytes / 1e6, static_cast<double>(free_disk_bytes(run)) / 1e6, run.string(), "cache.sets"_key);
  Event event;
  event.stage = Stage::cache;
  event.type = EventType::stage_started;
  event.values = {{"bytes", bytes}};
  const bool cached = run_status(run).cached;
  if (!cached) monitor.event(event);

  RateMeter meter;
  Stopwatch since;
  std::int64_t written = 0;
  double observations = 0;
  std::int64_t members = 0;
  write_cache(
      file, estimator, groups, setting.seed, 0, config.cache.chunk, [&] { return monitor.should_stop(); },
      [&](const CacheProgress& at) {
        ++written;
        observations = at.observations;
        members = at.all_members;
        const bool embedding = at.total == 0;  // the pool is embedded before the first set
        meter.update(static_cast<double>(embedding ? at.members : at.done));
        if (since.seconds() < 0.1 && at.done < at.total) return;
        since.restart();
        Progress progress;
        progress.stage = Stage::cache;
        progress.done = embedding ? at.members : at.done;
        progress.total = embedding ? at.all_members : at.total;
        progress.unit = embedding ? "observations" : "sets";
        progress.rate = progress.sets_per_second = meter.rate();
        if (embedding) {
          progress.eta_seconds = watch.seconds() * static_cast<double>(at.all_members - at.members) /
                                 std::max(1.0, static_cast<double>(at.members));
          monitor.progress(progress);
          return;
        }
        // Sets of later groups are larger, so the remaining time is estimated by observations.
        double left = 0;
        for (const CacheGroup& g : groups) left += static_cast<double>((g.training + g.validation) * g.observations());
        left = left / (monitor.ranks() ? monitor.ranks()->size() : 1) - at.observations;
        const double seconds = watch.seconds();
        progress.eta_seconds = at.observations > 0 ? std::max(0.0, left) / (at.observations / seconds) : 0;
        monitor.progress(progress);
      },
      monitor.ranks());
  Ranks* const ranks = monitor.ranks();
  if (ranks != nullptr)
    observations = ranks->gather(torch::tensor({observations}, torch::kFloat64)).sum().item<double>();
  // Other ranks may have made what was missing.
  if (written == 0 && (ranks == nullptr || cached)) return;
  std::int64_t sets = 0;
  for (const CacheGroup& g : groups) sets += g.training + g.validation;
  event.type = EventType::stage_done;
  event.seconds = watch.seconds();
  event.values = {{"sets", sets}, {"observations", observations}, {"bytes", bytes}};
  if (members > 0) event.values["embedded"] = members;
  if (const StoredSets* const stored = setting.task->stored()) {
    for (const CacheGroup& g : groups) {
      event.values["held_n"].push_back(g.n);
      event.values["held"].push_back(stored->sets(Purpose::finetune, g.observations()));
    }
  }
  monitor.event(event);
}

}  // namespace pairs
