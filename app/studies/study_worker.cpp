#include "app/studies/study_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/train/cache/left_aggregates.h"
#include "core/train/run/run.h"
#include "core/train/run/stage_sharing.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// Forwards everything, and also stops for its own reason.
class StoppingMonitor : public Monitor {
 public:
  StoppingMonitor(Monitor& next, std::function<bool()> stop) : next_(next), stop_(std::move(stop)) {}
  void event(const Event& event) override { next_.event(event); }
  void progress(const Progress& progress) override { next_.progress(progress); }
  bool should_stop() override { return next_.should_stop() || stop_(); }
  bool wants_preview() override { return next_.wants_preview(); }
  void preview(const Preview& preview) override { next_.preview(preview); }

 private:
  Monitor& next_;
  std::function<bool()> stop_;
};

bool is_done(const fs::path& folder) {
  return fs::exists(folder / run_file::estimator) && fs::exists(folder / run_file::metrics);
}

bool is_begun(const fs::path& folder) {
  return fs::exists(folder / run_file::pretrained) || fs::exists(folder / run_file::resume);
}

// A run whose process died during its creation has no run.toml yet; what it had written is created again.
void remove_unmade(const fs::path& folder) {
  if (fs::exists(folder / run_file::config)) return;
  for (const char* file : {run_file::start, run_file::events, run_file::task}) fs::remove(folder / file);
}

fs::path shared_pool(const fs::path& study, const StudyRun& run) {
  return study / "shared" / (run.first_stage + "-" + run_file::pool);
}

bool has_second_stage(const StudyRun& run) {
  return strategy(run.config.strategy).stages_2_and_3;
}

}  // namespace

const char* study_state_name(StudyState state) {
  switch (state) {
    case StudyState::planned:
      return "planned only";
    case StudyState::open:
      return "open";
    case StudyState::begun:
      return "begun";
    case StudyState::running:
      return "running";
    case StudyState::failed:
      return "failed";
    case StudyState::done:
      return "done";
  }
  return "";
}

fs::path claims_folder(const fs::path& study) {
  return study / "claims";
}

fs::path workers_folder(const fs::path& study) {
  return study / "workers";
}

std::vector<StudyStatus> study_status(const fs::path& folder, const std::vector<StudyRun>& runs, const Claims& claims) {
  std::vector<StudyStatus> all;
  for (const StudyRun& run : runs) {
    const ClaimView claim = claims.look(run.name);
    StudyStatus& status = all.emplace_back();
    if (is_done(folder / run.name))
      status.state = StudyState::done;
    else if (!run.trained)
      status.state = StudyState::planned;
    else if (claim.state == ClaimState::held)
      status = {StudyState::running, claim.worker};
    else if (claim.state == ClaimState::failed)
      status = {StudyState::failed, claim.text};
    else if (fs::exists(folder / run.name / run_file::config))
      status.state = StudyState::begun;
  }
  return all;
}

namespace {

// Whether an evaluation meets these settings at the run's sizes.
bool evaluated_as(const Metrics& metrics, const EvaluateConfig& wanted) {
  for (const EvaluationRow& row : metrics.rows) {
    const auto at = std::find(wanted.sizes.begin(), wanted.sizes.end(), row.n);
    if (at == wanted.sizes.end()) continue;
    const auto place = static_cast<std::size_t>(at - wanted.sizes.begin());
    const std::int64_t sets = wanted.sets[std::min(place, wanted.sets.size() - 1)];
    // A limited number of subjects allows no more sets.
    if (row.samples < wanted.samples || (row.sets < sets && metrics.subjects == 0)) return false;
  }
  return !metrics.rows.empty();
}

FoundRun look_at(const Tasks& tasks, const fs::path& folder, const StudyRun& run) {
  FoundRun found;
  if (!fs::exists(folder / run_file::config)) return found;
  const RunConfig made = read_run_toml(tasks, folder / run_file::config);
  const std::string changed =
      changed_setting(training_settings(made), run.config, Stage::finetune, (folder / run_file::config).string());
  PAIRS_CHECK(changed.empty(), "{}, as the study states now; give the study another folder with --out, or remove {}",
              changed, folder.string());
  if (!is_done(folder)) return found;
  try {
    read_safetensors(folder / run_file::estimator);
  } catch (const Error& error) {
    found.damage = fmt::format("{}; remove {}, and the study trains it again", error.what(), folder.string());
  }
  try {
    const auto metrics = read_metrics(tasks, folder / run_file::metrics);
    found.scores_missing = !metrics || !evaluated_as(*metrics, run.config.evaluate);
  } catch (const Error&) {
    found.scores_missing = true;
  }
  return found;
}

}  // namespace

std::vector<FoundRun> look_over(const Tasks& tasks, const fs::path& folder, const std::vector<StudyRun>& runs) {
  std::vector<FoundRun> found;
  for (const StudyRun& run : runs) found.push_back(look_at(tasks, folder / run.name, run));
  return found;
}

StudyWorker::StudyWorker(Tasks tasks, fs::path folder, std::vector<StudyRun> runs, WorkOptions options)
    : tasks_(std::move(tasks)),
      folder_(std::move(folder)),
      runs_(std::move(runs)),
      options_(options),
      claims_(claims_folder(folder_), options.grace),
      validated_(runs_.size(), false),
      found_(look_over(tasks_, folder_, runs_)) {
  for (std::size_t k = 0; k < runs_.size(); ++k)
    if (!found_[k].damage.empty()) failures_.emplace_back(runs_[k].name, found_[k].damage);
  std::map<std::string, std::size_t> groups;
  for (const StudyRun& run : runs_)
    group_.push_back(run.trained ? groups.try_emplace(run.first_stage, groups.size()).first->second : 0);
}

std::vector<StudyStatus> StudyWorker::status() {
  claims_.scan();
  return study_status(folder_, runs_, claims_);
}

bool StudyWorker::waits(std::size_t at, const std::vector<StudyStatus>& status) const {
  const StudyRun& run = runs_[at];
  if (is_begun(folder_ / run.name)) return false;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    if (k == at || status[k].state != StudyState::running || runs_[k].first_stage != run.first_stage) continue;
    const fs::path other = folder_ / runs_[k].name;
    if (!fs::exists(other / run_file::pretrained)) return true;
    if (has_second_stage(run) && runs_[k].second_stage == run.second_stage && !run_status(other).cached) return true;
  }
  return false;
}

// Saved runs are resumed before new ones are started. Runs whose worker died come last: a run that crashes its process
// must not block the others.
std::vector<std::size_t> StudyWorker::in_order() const {
  std::vector<std::size_t> order(runs_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<int> place(runs_.size());
  for (const std::size_t k : order) {
    const bool died = claims_.look(runs_[k].name).state == ClaimState::dead;
    place[k] = died ? 2 : is_begun(folder_ / runs_[k].name) ? 0 : 1;
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return place[k]; });
  return order;
}

StudyWorker::Step StudyWorker::step(const Execute& execute) {
  if (out_of_time()) return Step::out_of_time;
  const std::vector<StudyStatus> status = this->status();
  bool waiting = false;
  for (const std::size_t k : in_order()) {
    const StudyState state = status[k].state;
    if (!mine(k) || state == StudyState::planned || !found_[k].damage.empty()) continue;
    if (state == StudyState::done && !found_[k].scores_missing) continue;
    if (state == StudyState::failed && (!options_.retry || validated_[k])) continue;
    waiting = true;
    if (state == StudyState::running || waits(k, status) || is_locked(folder_ / runs_[k].name)) continue;
    const std::unique_ptr<Claim> claim = claims_.take(runs_[k].name, options_.retry && !validated_[k]);
    if (!claim) continue;
    // Finished by another worker between the check and the claim.
    if (is_done(folder_ / runs_[k].name) && !std::exchange(found_[k].scores_missing, false)) return Step::worked;
    validated_[k] = true;
    try {
      execute(runs_[k], [&](Monitor& monitor) { train(runs_[k], *claim, monitor); });
    } catch (const Stopped&) {
      if (claim->lost()) return Step::worked;
      if (out_of_time()) return Step::out_of_time;
      throw;
    } catch (const std::exception& error) {
      claim->fail(sentence(error));
      failures_.emplace_back(runs_[k].name, sentence(error));
    }
    return Step::worked;
  }
  return waiting ? Step::waiting : Step::finished;
}

void StudyWorker::train(const StudyRun& run, const Claim& claim, Monitor& outer) {
  StoppingMonitor monitor(outer, [&] { return claim.lost() || out_of_time(); });
  const fs::path folder = folder_ / run.name;
  prepare(run, folder);
  if (monitor.should_stop()) throw Stopped();
  if (run.config.make_task()->info().pool > 0 && others_need_pool(run)) {
    execute_run(tasks_, folder, monitor, Stage::cache);
    keep_pool(run);
  }
  execute_run(tasks_, folder, monitor, Stage::finetune);
  evaluate(run, folder, monitor);
  tidy(run);
}

bool StudyWorker::others_need_pool(const StudyRun& run) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const StudyRun& other) {
    return other.trained && other.first_stage == run.first_stage && other.second_stage != run.second_stage &&
           !is_done(folder_ / other.name);
  });
}

// The embeddings of a pool outlive the run that made them.
void StudyWorker::keep_pool(const StudyRun& run) const {
  const fs::path pool = folder_ / run.name / run_file::pool, kept = shared_pool(folder_, run);
  if (!fs::exists(pool) || fs::exists(kept)) return;
  fs::create_directories(kept.parent_path());
  link_file(pool, kept);
}

// Prepares the folder with the results of runs that share its stages.
void StudyWorker::prepare(const StudyRun& run, const fs::path& folder) {
  remove_unmade(folder);
  if (!fs::exists(folder / run_file::config)) create_run(run.config, folder);
  look_at(tasks_, folder, run);
  if (is_begun(folder)) return;
  for (const bool second : {true, false})
    for (const StudyRun& other : runs_) {
      if (other.name == run.name || other.first_stage != run.first_stage) continue;
      if (second && (!has_second_stage(run) || other.second_stage != run.second_stage)) continue;
      const auto taken = take_stages(tasks_, folder_ / other.name, folder);
      if (!taken) continue;
      if (taken == Stage::pretrain && fs::exists(shared_pool(folder_, run)))
        link_file(shared_pool(folder_, run), folder / run_file::pool);
      return;
    }
}

void StudyWorker::evaluate(const StudyRun& run, const fs::path& folder, Monitor& monitor) {
  LoadedRun loaded = load_run(tasks_, folder.string(), "", run.config.device);
  loaded.config.evaluate = run.config.evaluate;
  const EvaluationOptions options = evaluation_options(loaded);
  std::optional<Metrics> stored;
  try {
    stored = stored_metrics(loaded, &options);
  } catch (const Error&) {
    // Unreadable results are computed again.
  }
  if (!stored) save_metrics(loaded, evaluate_in(monitor, loaded, options));
}

// Removes aggregates that no run of the study needs any more.
void StudyWorker::tidy(const StudyRun& run) {
  bool pool_needed = false, cache_needed = false;
  for (const StudyRun& other : runs_) {
    if (!other.trained || other.name == run.name || other.first_stage != run.first_stage) continue;
    if (is_done(folder_ / other.name)) continue;
    pool_needed = true;
    cache_needed |= other.second_stage == run.second_stage;
  }
  if (!pool_needed) fs::remove(shared_pool(folder_, run));
  if (cache_needed) return;
  for (const StudyRun& other : runs_)
    if (other.second_stage == run.second_stage && is_done(folder_ / other.name) && !is_locked(folder_ / other.name))
      drop_aggregates(folder_ / other.name);
}

}  // namespace pairs
