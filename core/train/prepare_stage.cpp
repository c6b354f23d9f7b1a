#include "core/base/clock.h"
#include "core/train/stage_tools.h"

namespace pairs {

void prepare_data(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (run_status(run).finished) return;
  const StageSetting setting(config);
  const Stopwatch watch;
  Stopwatch since;
  RateMeter meter;
  Event event;
  event.type = "prepared";
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
