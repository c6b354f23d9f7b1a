#include "app/batch/parts/logged_runs.h"

#include "app/runs/run_shades.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/train/run/run.h"

namespace pairs::batch {
namespace {

LoggedRun logged_run(const std::string& name, const OpenArguments& open) {
  const RunFolder run = find_run(open.tasks, name, data_folder(open.data));
  LoggedRun out{run.folder, run.name, read_run_toml(open.tasks, run.folder / run_file::config), {}};
  const auto log = run.folder / run_file::events;
  PAIRS_CHECK(std::filesystem::exists(log), "The event log {} is missing; restore it from a copy", log.string());
  out.progress = read_progress(log);
  PAIRS_CHECK(out.progress.begun() || !out.progress.lines().empty() || std::filesystem::file_size(log) == 0,
              "{} holds no event that can be read: it is damaged; restore it from a copy", log.string());
  PAIRS_CHECK(
      !out.progress.damaged(),
      "{} is damaged: lines of it were changed, cut or lost, so what it shows is not certain; restore it from a "
      "copy",
      log.string());
  const RunStatus status = run_status(run.folder);
  if (const std::string problem = status.pretrained ? record_problem(out.config, out.progress, status.finished) : "";
      !problem.empty())
    spdlog::warn("The figure shows only a part of {}: {}", out.name, problem);
  return out;
}

}  // namespace

std::vector<LoggedRun> logged_runs(const std::vector<std::string>& names, const OpenArguments& open) {
  std::vector<LoggedRun> runs;
  std::vector<RunShades::Run> listed;
  for (const std::string& name : names) {
    const LoggedRun& run = runs.emplace_back(logged_run(name, open));
    PAIRS_CHECK(run.config.task == runs.front().config.task,
                "The runs {} and {} are of different tasks; draw one task at a time", runs.front().name, run.name);
    listed.push_back(listed_run(run.folder, run.config, run.name));
  }
  RunShades shades;
  shades.list(listed);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].shade = shades.of(listed[i].run);
  return runs;
}

}  // namespace pairs::batch
