#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/studies/claims.h"
#include "app/studies/study_runs.h"
#include "core/base/clock.h"
#include "core/train/session.h"

namespace pairs {

// Where a run of a study stands. planned: it is not to be trained; begun: it lies there unfinished and nobody has it.
enum class StudyState { planned, open, begun, running, failed, done };
struct StudyStatus {
  StudyState state = StudyState::open;
  std::string text;  // running: by whom; failed: why
};
const char* study_state_name(StudyState state);

// Where each run of a study in `folder` stands, as the last scan of the claims saw it.
std::vector<StudyStatus> study_status(const std::filesystem::path& folder, const std::vector<StudyRun>& runs,
                                      const Claims& claims);
// Looks at what lies in the folder: refuses runs that were made with other settings than the study has now (throws
// Error, naming the first and the setting), and tells of each run what is to be made again: that its scores are
// missing, unreadable or of fewer sets than are asked for, or that its weights are damaged (a sentence).
struct FoundRun {
  bool scores_missing = false;
  std::string damage;
};
std::vector<FoundRun> look_over(const Tasks& tasks, const std::filesystem::path& folder,
                                const std::vector<StudyRun>& runs);
// The folder of the claims of a study.
std::filesystem::path claims_folder(const std::filesystem::path& study);
// The folder that tells which processes work on a study (core/base/presence.h), and what they say.
std::filesystem::path workers_folder(const std::filesystem::path& study);

// Which runs a worker takes, and for how long.
struct WorkOptions {
  std::size_t part = 1, parts = 1;  // of the runs, of which those that share a stage stay together
  double grace = 60;                // seconds without a heartbeat after which a worker counts as dead
  double seconds = 0;               // after which it saves and leaves; 0: when all is done
  bool retry = false;               // runs that failed, too: each once
};

// Throws Error as look_over. Does what is missing of a study, run after run, beside any number of others in other
// processes and machines: it claims a run, gives it the stages that another one has finished and shares, trains and
// evaluates it. A run that fails stays as it is and stops no other.
class StudyWorker {
 public:
  StudyWorker(Tasks tasks, std::filesystem::path folder, std::vector<StudyRun> runs, WorkOptions options);

  enum class Step { worked, waiting, finished, out_of_time };
  // How a job is run: it returns or throws when the job does.
  using Execute = std::function<void(const StudyRun& run, const Session::Job& job)>;
  // Does the next run that nobody else does. waiting: others do all that is left, or what it stands on; ask again in a
  // second. Throws Stopped once the job was stopped from outside.
  Step step(const Execute& execute);

  const std::vector<StudyRun>& runs() const { return runs_; }
  // Runs that cannot be done, or that this worker saw fail, with the reason.
  const std::vector<std::pair<std::string, std::string>>& failures() const { return failures_; }
  std::vector<StudyStatus> status();

 private:
  bool mine(std::size_t run) const { return group_[run] % options_.parts == options_.part - 1; }
  bool out_of_time() const { return options_.seconds > 0 && clock_.seconds() > options_.seconds; }
  std::vector<std::size_t> in_order() const;
  // Whether another run is doing at this moment what this one can have of it.
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
  std::vector<std::size_t> group_;  // of each run: those that share a stage are one
  WorkOptions options_;
  Claims claims_;
  std::vector<bool> tried_;
  std::vector<FoundRun> found_;  // when it began
  std::vector<std::pair<std::string, std::string>> failures_;
  Stopwatch clock_;
};

}  // namespace pairs
