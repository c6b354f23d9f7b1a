#include "app/model/train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "app/model/train/training_state.h"
#include "app/runs/new_run.h"
#include "app/runs/run_about.h"
#include "app/runs/strategy_look.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/latest_worker.h"
#include "core/base/threads/priority.h"
#include "core/report/number_text.h"
#include "core/train/stages/likelihood_stage.h"

namespace pairs::model {
namespace {

constexpr double kTick = 0.25;  // seconds between updates of growing values
constexpr double kLook = 0.3;   // between reads of the files of a run being trained here,
constexpr double kWatch = 0.5;  // of any other growing run,
constexpr double kRest = 2;     // and of a finished one
constexpr int kNice = 4;        // priority steps that training yields to the window

// Forwards everything, passes the estimator to the live posterior, and requests a frame at every event.
class WatchedMonitor : public Monitor {
 public:
  WatchedMonitor(Monitor& next, LivePosterior& live, std::function<void()> wake)
      : next_(next), live_(live), wake_(std::move(wake)) {}
  void event(const Event& event) override {
    next_.event(event);
    wake_();
  }
  void progress(const Progress& progress) override { next_.progress(progress); }
  bool should_stop() override { return next_.should_stop(); }
  bool wants_preview() override { return live_.wanted(); }
  void preview(const Preview& preview) override { live_.preview(preview); }

 private:
  Monitor& next_;
  LivePosterior& live_;
  std::function<void()> wake_;
};

}  // namespace

Training::Training(Hub& hub) : impl_(std::make_unique<TrainingState>(hub)) {}
Training::~Training() = default;

bool Training::poll() {
  TrainingState& m = *impl_;
  const double now = m.clock.seconds();
  bool changed = m.follow_session(now);
  if (m.drafting && !m.task.empty()) changed |= m.follow_draft(now, false);
  const bool watched = m.shows_session() && m.session_busy;
  const double interval = watched ? kLook : m.view && m.view->finished ? kRest : kWatch;
  if (!m.drafting && now - m.looked >= interval) {
    m.looked = now;
    m.history.refresh();
  }
  if (changed || now - m.ticked >= kTick) {
    m.ticked = now;
    const auto take = [&](auto& mine, auto theirs) {
      if (mine == theirs) return;
      mine = std::move(theirs);
      changed = true;
    };
    changed |= m.needs.take();
    if (!m.drafting) take(m.view, m.history.view());
    if (m.session_busy) {
      take(m.at.progress, m.session.latest());
      m.follow_share();
    }
    if (m.shows_session()) {
      take(m.live_figure, m.live->figure());
      take(m.live_problem, m.live->problem());
    }
  }
  if (changed) m.deal();
  return changed;
}

bool Training::busy() const {
  return impl_->session_busy || impl_->needs.busy() || impl_->needs_due();
}

std::string Training::activity() const {
  const TrainingState& m = *impl_;
  if (!m.session_busy) return m.needs.busy() ? "Estimating time and disk" : "";
  const auto now = session.going(m.session_folder);
  std::string text = fmt::format("{} {}", now->word, m.session_folder.filename().string());
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (std::isfinite(now->share))
    text += fmt::format(": {} {}", stage_name(static_cast<Stage>(now->stage)), percent_text(now->share));
  return text;
}

void Training::open_task(const std::string& task) {
  TrainingState& m = *impl_;
  try {
    m.draft_of(task);
    m.task = task;
  } catch (const Error& error) {
    // A task without readable presets cannot be trained.
    m.task.clear();
    m.hub.messages.error("train", error.what());
  }
  const bool failed = m.session.state() == SessionState::failed;
  if ((m.session_busy || failed) && m.session_task == task)
    m.show_run(m.session_folder);
  else
    m.show_draft();
  m.deal();
}

void Training::open_run(const std::filesystem::path& folder) {
  TrainingState& m = *impl_;
  m.show_run(absolute_path(folder));
  m.deal();
}

const std::string& Training::task() const {
  return impl_->view && impl_->view->config && !impl_->drafting ? impl_->view->config->task : impl_->task;
}

Activity Training::state() const {
  return impl_->activity();
}

void Training::shown() {
  impl_->shown_at = impl_->clock.seconds();
  if (impl_->shows_session() && impl_->session_busy) impl_->live->look();
}

void Training::start(int until) {
  TrainingState& m = *impl_;
  if (const std::string why = blocked(Action::start, until); !why.empty()) {
    m.hub.messages.warning("train", why);
    return;
  }
  const bool create = m.drafting;
  std::shared_ptr<const RunConfig> config;
  std::shared_ptr<const DraftEstimate> needs;
  double bytes = 0;
  std::filesystem::path folder = m.history.folder();
  if (create) {
    Draft& draft = m.draft_of(m.task);
    draft.renew_name();
    folder = draft.folder();
    config = std::make_shared<const RunConfig>(draft.config());
    needs = m.needs.estimate();
    if (needs) bytes = needs->cache_bytes;
    m.needs.hold();
  } else {
    config = m.view->config;
    if (folder == m.session_folder) needs = m.session_needs;
  }
  const SeriesRole role = strategy_role(config->strategy);
  if (create)
    m.hub.run_shades->list(
        {{folder.string(), config->task, role, false, std::time(nullptr), folder.filename().string()}});
  m.live->begin(shaded(role, m.hub.run_shades->of(folder.string())));
  m.live_figure.reset();
  m.live_problem.clear();
  m.at.progress.reset();
  m.dismissed.clear();
  const Stage last = static_cast<Stage>(std::clamp(until, 0, kLikelihoodStage));
  const bool learn = until == kLikelihoodStage && !config->likelihood.enabled;  // it was asked for by hand
  try {
    m.session.start([folder, config, create, bytes, last, learn, live = m.live, wake = m.hub.wake](Monitor& monitor) {
      lower_priority(kNice);
      if (create) {
        check_room(bytes, folder, "choose another folder under Runs on the Settings page");
        create_run(*config, folder);
        name_new_run(folder, *config);
      }
      WatchedMonitor watched(monitor, *live, wake);
      execute_run(config->tasks, folder, watched, last);
      if (learn)
        train_likelihood(folder, read_run_toml(config->tasks, folder / run_file::config), config->likelihood, watched);
    });
  } catch (const Error& error) {
    m.hub.messages.error("train", error.what());
    return;
  }
  m.session_folder = folder;
  m.session_task = config->task;
  m.session_config = config;
  m.session_needs = needs;
  m.at.head = 0;
  m.at.share = NAN;
  m.session_busy = true;
  m.session_state = m.session.state();
  m.session_about = m.clock.seconds();
  m.at.elapsed = 0;
  m.at.stage = 0;
  if (m.view)
    for (const bool done : {m.view->pretrained, m.view->cached, m.view->finished}) {
      if (!done) break;
      ++m.at.stage;
    }
  m.show_run(folder);
  m.deal();
}

void Training::pause() {
  if (blocked(Action::pause).empty()) impl_->session.pause();
}
void Training::resume() {
  if (blocked(Action::resume).empty()) impl_->session.resume();
}
void Training::stop() {
  if (blocked(Action::stop).empty()) impl_->session.stop();
}
void Training::dismiss() {
  if (!blocked(Action::dismiss).empty()) return;
  impl_->session.dismiss();
  impl_->session_state = impl_->session.state();
  impl_->dismissed = impl_->session_folder.string();
  // A failure before the run exists leaves its draft.
  if (impl_->shows_session() && impl_->view && !impl_->view->config) drafts.open();
  impl_->deal();
}

std::string Training::blocked(Action action, int until) const {
  const TrainingState& m = *impl_;
  const SessionState state = m.session.state();
  if (action == Action::dismiss) return session.blocked(action);
  const bool busy = state != SessionState::idle && state != SessionState::failed;
  const std::string other = m.session_folder.filename().string();
  if (action != Action::start) {
    if (busy && !m.shows_session()) return fmt::format("{} is being trained; open it on the left", other);
    if (!m.shows_session()) return std::string(blocked_reason(SessionState::idle, SessionAction::stop));
    return session.blocked(action);
  }
  if (busy && !m.shows_session()) return fmt::format("{} is being trained; stop it or wait until it is done", other);
  // A failure of another run is reported where that run is shown.
  if (const std::string why = session.blocked(action); !why.empty()) return why;
  return impl_->start_blocked(until);
}

std::filesystem::path Training::folder() const {
  return impl_->drafting ? std::filesystem::path() : impl_->history.folder();
}

std::string Training::name() const {
  const TrainingState& m = *impl_;
  if (m.drafting) return "";
  return m.view && m.view->shipped ? m.view->shipped_name : m.history.folder().filename().string();
}

std::string Training::strategy() const {
  const TrainingState& m = *impl_;
  if (m.drafting) return m.task.empty() ? "pairs" : impl_->draft_of(m.task).strategy();
  return m.view && m.view->config ? m.view->config->strategy : "pairs";
}

std::string Training::problem() const {
  const TrainingState& m = *impl_;
  if (m.session_state == SessionState::failed) {
    const std::string error = m.session.error();
    return m.shows_session() ? error : fmt::format("{}: {}", m.session_folder.filename().string(), error);
  }
  if (m.drafting) return "";
  if (!m.view || (m.shows_session() && m.session_busy)) return "";
  if (!m.view->problem.empty()) return m.view->problem;
  if (!m.view->error.empty() && !m.view->finished && !m.settling() && m.dismissed != m.history.folder().string())
    return "The last attempt failed: " + m.view->error;
  return "";
}

std::shared_ptr<const std::vector<Setting>> Training::run_settings() const {
  return impl_->view && !impl_->drafting ? impl_->view->settings : nullptr;
}

bool Training::of_ensemble() const {
  return impl_->view && !impl_->drafting && impl_->view->config && !impl_->view->config->ensemble.empty();
}

std::vector<std::string> Training::log() const {
  return impl_->view && !impl_->drafting ? impl_->view->lines : std::vector<std::string>();
}

bool Training::finished() const {
  return !impl_->drafting && impl_->view && impl_->view->finished;
}

const StageCard& Training::card(int stage) const {
  return impl_->cards[std::clamp(stage, 0, kStages - 1)];
}

std::shared_ptr<const Figure> Training::losses(int stage) const {
  if (!impl_->view || impl_->drafting || stage < 0 || stage >= kStages) return nullptr;
  return impl_->view->losses[static_cast<std::size_t>(stage)];
}

std::shared_ptr<const Figure> Training::live() const {
  return impl_->shows_session() ? impl_->live_figure : nullptr;
}

std::string Training::live_text() const {
  const TrainingState& m = *impl_;
  if (m.drafting) return "While the head learns, the posterior of one simulated set is redrawn here.";
  if (!m.shows_session()) return "A posterior is drawn here only while this window trains the run.";
  if (!m.session_busy) return "The posterior of one set was to be drawn here while the head trained.";
  if (!m.live_problem.empty()) return m.live_problem;
  if (m.at.stage == 1) return "Stage 2 leaves the head as it is; the posterior moves again in stage 3.";
  return "The first posterior comes in a moment.";
}

std::string Training::batch_command() const {
  const TrainingState& m = *impl_;
  if (m.drafting) return m.task.empty() ? "" : impl_->draft_of(m.task).batch_command();
  return fmt::format("pairs --batch run --resume {}", shell_word(m.history.folder().string()));
}

void Training::settle(double seconds) {
  TrainingState& m = *impl_;
  const Stopwatch watch;
  if (m.drafting && !m.task.empty()) m.follow_draft(m.clock.seconds(), true);
  m.needs.wait(seconds);
  m.history.wait(std::max(0.0, seconds - watch.seconds()));
  m.ticked = -1;
  poll();
}

}  // namespace pairs::model
