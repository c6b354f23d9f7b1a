#include "app/model/train/study_needs.h"

#include <fmt/format.h>

#include "app/studies/study_plan.h"
#include "core/base/text/error.h"
#include "core/base/threads/threads.h"
#include "core/train/stages/expected_time.h"

namespace pairs::model {
namespace {

constexpr double kNeedsRest = 0.5;  // seconds after the last change of a form until it is estimated

// The thread continues with other jobs, on all cores again.
struct AllThreads {
  ~AllThreads() { use_threads(0); }
};

}  // namespace

void StudyNeeds::forget() {
  wanted_.clear();
  asked_ = false;
  answer_.forget();
}

void StudyNeeds::follow(const StudyForm& form) {
  answer_.take();
  const std::string now = fmt::format("{}\n{}", form.process_count(), form.body());
  if (now != wanted_) {
    forget();
    wanted_ = now;
    processes_ = form.process_count();
    rested_.restart();
  }
  if (asked_ || rested_.seconds() < kNeedsRest) return;
  asked_ = true;
  answer_.ask([runs = form.runs(), processes = form.process_count()](const LatestWorker::Stale& stale) {
    const AllThreads after;
    auto estimate = std::make_shared<StudyEstimate>();
    try {
      const StudyPlan plan = plan_study(on_share_of_cores(runs, processes), {}, stale);
      estimate->seconds = study_seconds(plan, processes);
      estimate->busy = plan.busy;
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      estimate->problem = sentence(error);
    }
    return estimate;
  });
}

std::optional<double> StudyNeeds::seconds() const {
  const auto known = answer_.last();
  return known && known->problem.empty() ? std::optional(known->seconds) : std::nullopt;
}

std::string StudyNeeds::text() const {
  const auto known = answer_.last();
  if (!known) return "Measuring how long it takes …";
  if (!known->problem.empty()) return fmt::format("How long it takes is not known: {}", known->problem);
  std::string text = fmt::format("Expected: {}", range_text(expected_range({}, known->seconds, 0)));
  if (processes_ > 1) text += fmt::format(" with {} processes at once", processes_);
  return text + "." + (known->busy.empty() ? "" : " " + known->busy);
}

}  // namespace pairs::model
