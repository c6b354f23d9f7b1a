#include <algorithm>
#include <utility>

#include "app/model/posterior/posterior_state.h"
#include "core/base/threads/clock.h"

namespace pairs::model {

bool Posterior::poll() {
  const bool changed = take_answers();
  test_unasked();
  test_again();
  return changed;
}

// Runs infer's default tests on a file's set once its posterior is shown.
void Posterior::test_unasked() {
  constexpr double kSettles = 0.3;  // seconds, so that nothing is simulated while N is dragged
  const PosteriorRequest& request = state_->request;
  const auto& shown = state_->result.snapshot;
  SetInquiry& usual = state_->inquiries.usual;
  const auto& scene = state_->result.scene;
  const bool of_file = !request.asked.set.simulated() && scene && scene->tested;
  if (!of_file && !usual.busy()) return;
  const std::string key = inquiry_key();
  if (usual.busy() && !usual.works_on(key)) usual.cancel();
  if (!of_file || !shown || shown->set != request.set.id || shown->n != n()) return;
  if (usual.works_on(key) || usual.answer(key)) return;
  if (auto asked = files.samples_asked()) usual.ask(key, *std::move(asked), usual_question(), kSettles);
}

// Makes the tests of an earlier start again, once the posterior that they are about is on the screen.
void Posterior::test_again() {
  PosteriorState& s = *state_;
  if (s.restored_tests.empty()) return;
  const auto& shown = s.result.snapshot;
  // A set of many has its own id once the table has chosen it.
  const bool other = s.table.is_open() ? s.request.asked.set.member != s.restored_tests_member
                                       : s.request.set.id != s.restored_tests_set;
  if (other) return s.restored_tests.clear();
  if (!shown || shown->set != s.request.set.id || shown->n != n() || s.restored_n > 0) return;
  const auto asked = files.samples_asked();
  if (!asked) return;
  for (const std::string& test : std::exchange(s.restored_tests, {})) s.inquiries.ask(test, inquiry_key(), *asked);
}

bool Posterior::take_answers() {
  PosteriorState& s = *state_;
  if (s.hub.run_shades->version() != s.shaded) s.ask();
  bool changed = s.follower.poll();
  if (s.table.poll()) {
    s.follow_table();
    changed = true;
  }
  for (SetInquiry* inquiry : s.inquiries.all()) changed |= inquiry->poll();
  changed |= play();
  changed |= s.take_restored();
  if (const auto written = s.reports.job().take()) {
    if (written->failure.empty())
      s.hub.messages.saved(written->file);
    else
      s.hub.messages.error("report", written->failure);
    changed = true;
  }
  if (std::string failure = s.background.take_failure(); !failure.empty()) {
    s.result.failure = std::move(failure);
    changed = true;
  }
  std::optional<PosteriorResult> result = s.background.take();
  if (!result) return changed;
  for (; s.reported < result->problems.size(); ++s.reported)
    s.hub.messages.warning("posterior", result->problems[s.reported]);
  if (result->scene_id != s.request.scene) return changed;
  if (!result->failure.empty() && result->failure != s.result.failure)
    s.hub.messages.error("posterior", result->failure);
  const bool dismissed = result->failed_set == s.result.failed_set && s.result.set_failure.empty();
  const bool failed = result->failed_set != 0 && result->failed_set == s.request.set.id;
  const bool other_set = !failed && result->failed_set != s.failed_set;
  s.result = std::move(*result);
  if (dismissed || other_set) s.result.set_failure.clear();
  if (failed) s.go_back();
  s.take_many();
  if (s.result.scene) s.take_scene();
  s.follow_table();
  // The followed posterior stays until that of the same file as a set replaces it.
  const auto& shown = s.result.snapshot;
  const bool there = shown && shown->set == s.stopped_set && shown->n == s.request.asked.n;
  if (s.stopped_set != 0 && (there || s.result.failed_set == s.stopped_set)) s.end_following();
  return true;
}

bool Posterior::busy() const {
  return state_->background.busy() || state_->saving.job().busy() || state_->reports.job().busy() ||
         state_->table.busy() || state_->restoring.busy() ||
         std::ranges::any_of(state_->inquiries.all(), [](const SetInquiry* inquiry) { return inquiry->busy(); });
}

std::string Posterior::activity() const {
  if (state_->saving.job().busy()) return "drawing posterior samples";
  if (state_->table.busy()) return "asking about many sets";
  for (const SetInquiry* inquiry : state_->inquiries.all())
    if (inquiry->busy()) return inquiry->doing();
  const std::string report = state_->reports.doing();
  return report.empty() ? state_->background.activity() : "writing a report: " + report;
}

bool Posterior::wait(double seconds) {
  const Stopwatch watch;
  for (;;) {
    if (!state_->background.wait(seconds - watch.seconds())) return false;
    for (FileJob* job : {&state_->saving.job(), &state_->reports.job()})
      if (!job->wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    if (!state_->restoring.wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    if (!state_->table.wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    for (SetInquiry* inquiry : state_->inquiries.all())
      if (!inquiry->wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    poll();
    // Later requests may have finished in the meantime.
    if (!busy() && !state_->background.fresh() && !state_->table.fresh()) return true;
  }
}

}  // namespace pairs::model
