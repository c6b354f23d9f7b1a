#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/studies/claims.h"
#include "app/studies/study_runs.h"
#include "core/base/threads/clock.h"
#include "core/train/run/session.h"

namespace pairs {

// The state of a run of a study. planned: not to be trained. begun: unfinished, and no worker has it.
enum class StudyState { planned, open, begun, running, failed, done };
struct StudyStatus {
  StudyState state = StudyState::open;
  std::string text;  // running: who trains it; failed: the reason
};
const char* study_state_name(StudyState state);

// The state of each run of a study in `folder`, as of the last scan of the claims.
std::vector<StudyStatus> study_status(const std::filesystem::path& folder, const std::vector<StudyRun>& runs,
                                      const Claims& claims);
// Checks the runs in the folder: throws Error for runs made with other settings than the study has now, naming the
// first and the setting, and reports what must be redone: whether scores are missing, unreadable or on fewer sets than
// requested, and whether weights are damaged (a sentence).
struct FoundRun {
  bool scores_missing = false;
  std::string damage;
};
std::vector<FoundRun> look_over(const Tasks& tasks, const std::filesystem::path& folder,
                                const std::vector<StudyRun>& runs);
// The folder of the claims of a study.
std::filesystem::path claims_folder(const std::filesystem::path& study);
// The folder in which processes that work on a study register (core/base/system/presence.h), with their output.
std::filesystem::path workers_folder(const std::filesystem::path& study);

// The runs that a worker takes, and for how long.
struct WorkOptions {
  std::size_t part = 1, parts = 1;  // of the runs; runs that share a stage stay together
  double grace = 60;                // seconds without a heartbeat after which a worker counts as dead
  double seconds = 0;               // after which it saves and exits; 0: when all is done
  bool retry = false;               // retries failed runs, each once
};

// Completes a study, run after run, alongside any number of workers in other processes and on other machines: it claims
// a run, copies the stages that a finished run shares with it, trains and evaluates it. A failed run stays as it is and
// stops no other. Throws Error as look_over.
class StudyWorker {
 public:
  StudyWorker(Tasks tasks, std::filesystem::path folder, std::vector<StudyRun> runs, WorkOptions options);

  enum class Step { worked, waiting, finished, out_of_time };
  // Runs a job: returns or throws when the job does.
  using Execute = std::function<void(const StudyRun& run, const Session::Job& job)>;
  // Trains the next run that no other worker has. waiting: others have all remaining runs, or those that they depend
  // on; call again in a second. Throws Stopped once the job was stopped from outside.
  Step step(const Execute& execute);

  const std::vector<StudyRun>& runs() const { return runs_; }
  // Runs that are impossible, or that this worker saw fail, with the reason.
  const std::vector<std::pair<std::string, std::string>>& failures() const { return failures_; }
  std::vector<StudyStatus> status();

 private:
  bool mine(std::size_t run) const { return group_[run] % options_.parts == options_.part - 1; }
  bool out_of_time() const { return options_.seconds > 0 && clock_.seconds() > options_.seconds; }
  std::vector<std::size_t> in_order() const;
  // Whether another run is currently computing a stage that this one can share.
  bool waits(std::size_t run, const std::vector<StudyStatus>& status) const;
  void train(const StudyRun& run, const Claim& claim, Monitor& monitor);
  bool others_need_pool(const StudyRun& run) const;
  void keep_pool(const StudyRun& run) const;
  void prepare(const StudyRun& run, const std::filesystem::path& folder);
  void evaluate(const StudyRun& run, const std::filesystem::path& folder, Monitor& monitor);
  void tidy(const StudyRun& run);

  Tasks tasks_;
  std::filesystem::path folder_;
  std::vector<StudyRun> runs_;
  std::vector<std::size_t> group_;  // of each run: runs that share a stage form a group
  WorkOptions options_;
  Claims claims_;
  std::vector<bool> validated_;
  std::vector<FoundRun> found_;  // at the start
  std::vector<std::pair<std::string, std::string>> failures_;
  Stopwatch clock_;
};

}  // namespace pairs
