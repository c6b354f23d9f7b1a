#include "app/model/train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "app/model/train/live_posterior.h"
#include "app/model/train/run_history.h"
#include "app/runs/new_run.h"
#include "app/runs/run_about.h"
#include "app/runs/strategy_look.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest_worker.h"
#include "core/base/threads/priority.h"
#include "core/report/number_text.h"
#include "core/train/events/event_values.h"
#include "core/train/run/session.h"

namespace pairs::model {
namespace {

constexpr double kTick = 0.25;   // seconds between updates of growing values
constexpr double kLook = 0.3;    // between reads of the files of a run being trained here,
constexpr double kWatch = 0.5;   // of any other growing run,
constexpr double kRest = 2;      // and of a finished one
constexpr double kShownFor = 3;  // for which one shown() counts
constexpr double kRelease = 1;   // for which a lock after our own session may still be its own
constexpr int kNice = 4;         // priority steps that training yields to the window

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

std::filesystem::path whole_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return (error ? path : whole).lexically_normal();
}

}  // namespace

struct TrainingImpl {
  explicit TrainingImpl(Hub& the_hub)
      : hub(the_hub),
        needs([this] { hub.wake(); }),
        history(
            hub.tasks, [this] { hub.wake(); }, hub.run_shades),
        live(std::make_shared<LivePosterior>([this] { hub.wake(); })) {}

  Hub& hub;
  std::string task;
  std::map<std::string, Draft> drafts;  // by task: settings stay while others are shown
  bool drafting = true;
  Stopwatch clock;
  double ticked = -1, looked = -1, shown_at = -1e9;

  DraftNeeds needs;
  RunHistory history;
  std::shared_ptr<const RunView> view;
  std::shared_ptr<LivePosterior> live;
  std::shared_ptr<const Figure> live_figure;
  std::string live_problem;

  // The run that the session trains or trained last.
  std::filesystem::path session_folder;
  std::string session_task, dismissed;
  bool session_busy = false;
  double session_ended = -1e9;
  SessionState session_state = SessionState::idle;
  SessionProgress at;  // of the session
  std::shared_ptr<const RunConfig> session_config;
  std::shared_ptr<const DraftEstimate> session_needs;  // before the start; null: unknown
  double session_about = 0;                             // time at which its elapsed time was last counted
  std::optional<std::filesystem::path> ended;

  StageCard cards[kStages];

  Session session;

  // Why the draft or run itself cannot be trained.
  std::string start_blocked(int until);
  bool shows_session() const { return !drafting && !session_folder.empty() && history.folder() == session_folder; }

  std::filesystem::path runs_folder() const { return whole_path(hub.runs_folder.empty() ? "runs" : hub.runs_folder); }

  Draft& draft_of(const std::string& name) {
    const auto found = drafts.find(name);
    if (found != drafts.end()) return found->second;
    Draft& draft = drafts.emplace(name, Draft(hub.tasks, name, runs_folder(), hub.data_folder.string())).first->second;
    draft.set_machine(hub.device, hub.threads);
    return draft;
  }

  bool looked_at() const { return clock.seconds() - shown_at < kShownFor; }

  // Whether a draft is shown whose needs will be requested, or are known and not shown yet.
  bool needs_due() const { return drafting && !task.empty() && !session_busy && needs.due(looked_at()); }

  // Detects a change of the draft, and requests its needs once it rests.
  bool follow_draft(double now, bool at_once) {
    Draft& draft = draft_of(task);
    const bool moved =
        draft.set_places(runs_folder(), hub.data_folder.string()) | draft.set_machine(hub.device, hub.threads);
    const bool renamed = draft.leave_taken_name();
    return needs.follow(draft, runs_folder(), now, looked_at(), at_once, session_busy) || moved || renamed;
  }

  void show_run(const std::filesystem::path& folder) {
    drafting = false;
    if (history.folder() == folder) return;
    view.reset();
    history.open(folder);
    looked = clock.seconds();
  }

  // Leaves the shown run for the draft of `task`.
  void show_draft() {
    if (!drafting) {
      history.open({});
      view.reset();
    }
    drafting = true;
    needs.reset();
    if (!task.empty()) follow_draft(clock.seconds(), false);
  }

  // Our own session on this run has just ended, so that the last read may be outdated.
  bool settling() const {
    return !session_busy && history.folder() == session_folder && clock.seconds() - session_ended < kRelease;
  }

  // Whether another process uses the run.
  bool elsewhere() const {
    if (!view || !view->in_use) return false;
    return history.folder() != session_folder || (!session_busy && !settling());
  }

  Activity activity() const {
    if (drafting) return Activity::draft;
    if (shows_session()) switch (session_state) {
        case SessionState::running:
          return Activity::running;
        case SessionState::pausing:
          return Activity::pausing;
        case SessionState::paused:
          return Activity::paused;
        case SessionState::stopping:
          return Activity::stopping;
        case SessionState::failed:
          return Activity::failed;
        case SessionState::idle:
          break;
      }
    if (!view) return Activity::loading;
    return elsewhere() ? Activity::elsewhere : Activity::rest;
  }

  // The finished share of the session's stage.
  void follow_share() {
    const auto& p = at.progress;
    if (!p || p->total <= 0 || static_cast<int>(p->stage) != at.stage || !session_config) return;
    at.share = stage_share(*session_config, static_cast<Stage>(at.stage), at.head,
                           static_cast<double>(p->done) / static_cast<double>(p->total));
  }

  // Takes over events and the state of the session.
  bool follow_session(double now) {
    bool changed = false;
    const SessionState before = session_state;
    session_state = session.state();
    const std::string name = session_folder.filename().string();
    for (const Event& event : session.drain()) {
      if (begins_stage(event)) {
        const int stage = std::min(kStages - 1, static_cast<int>(event.stage));
        if (stage != at.stage) {
          at.elapsed = 0;
          at.share = NAN;
        }
        at.stage = stage;
        at.head = event_count(event, "n");
        changed = true;
      } else if (event.type == EventType::warning) {
        hub.messages.warning("train", fmt::format("{}: {}", name, event_text(event)));
        changed = true;
      } else if (event.type == EventType::stage_done) {
        hub.messages.info(
            "train", fmt::format("{}: {} done in {}", name, stage_name(event.stage), duration_text(event.seconds)));
        changed = true;
      }
    }
    if (session_busy) {
      if (before == SessionState::running) at.elapsed += now - session_about;
      session_about = now;
      if (session_state == SessionState::idle || session_state == SessionState::failed) {
        session_busy = false;
        session_ended = now;
        ended = session_folder;
        history.refresh();
        looked = now;
        if (session_state == SessionState::failed)
          hub.messages.error("train", fmt::format("{}: {}", name, session.error()));
        else if (session.outcome() == SessionOutcome::stopped)
          hub.messages.info("train", fmt::format("{}: stopped and saved; it can be resumed", name));
        changed = true;
      }
    }
    return changed || before != session_state;
  }

  // Rebuilds the cards from what was taken over.
  void deal() {
    const auto state = activity();
    const bool own = shows_session() && session_busy;
    for (int k = 0; k < kStages; ++k) {
      StageCard card = empty_card(k);
      if (drafting) {
        const RunConfig& config = draft_of(task).config();
        if (k > 0 && !pairs::strategy(config.strategy).stages_2_and_3) card.state = StageState::unneeded;
        if (const auto known = needs.estimate()) card.expected = known->seconds[k];
      } else if (view) {
        fill_card(card, k, *view, state, own ? &at : nullptr);
      } else if (own && k == 0) {
        card.state = StageState::running;
      }
      cards[k] = std::move(card);
    }
  }
};

std::string TrainingImpl::start_blocked(int until) {
  const TrainingImpl& m = *this;
  if (m.drafting) {
    if (m.task.empty()) return "Select a task first";
    const Draft& draft = draft_of(m.task);
    if (!draft.error().empty()) return draft.error();
    if (!draft.name_error().empty()) return draft.name_error();
    if (until == 1 && !pairs::strategy(draft.strategy()).stages_2_and_3)
      return "End-to-end training has no stages 2 and 3";
    if (const auto known = m.needs.estimate()) return known->error.empty() ? known->no_room : known->error;
    return "";
  }
  if (!m.view) return "The run is being read";
  if (!m.view->problem.empty()) return m.view->problem;
  if (m.view->shipped) return "These weights came with the program; start a new run like this one";
  if (m.elsewhere()) return "Another process trains this run; it is watched here";
  if (m.view->finished) return "The run is finished; start a new run like this one";
  const bool done[kStages] = {m.view->pretrained, m.view->cached, m.view->finished};
  if (until >= 0 && until < kStages && done[until]) return "This stage is done";
  return "";
}

Training::Training(Hub& hub) : impl_(std::make_unique<TrainingImpl>(hub)) {}
Training::~Training() = default;

bool Training::poll() {
  TrainingImpl& m = *impl_;
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
  const TrainingImpl& m = *impl_;
  if (!m.session_busy) return m.needs.busy() ? "Estimating time and disk" : "";
  const auto now = session.going(m.session_folder);
  std::string text = fmt::format("{} {}", now->word, m.session_folder.filename().string());
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (std::isfinite(now->share))
    text += fmt::format(": {} {}", stage_name(static_cast<Stage>(now->stage)), percent_text(now->share));
  return text;
}

void Training::open_task(const std::string& task) {
  TrainingImpl& m = *impl_;
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
  TrainingImpl& m = *impl_;
  m.show_run(whole_path(folder));
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
  TrainingImpl& m = *impl_;
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
  const Stage last = until <= 0 ? Stage::pretrain : until == 1 ? Stage::cache : Stage::finetune;
  try {
    m.session.start([folder, config, create, bytes, last, live = m.live, wake = m.hub.wake](Monitor& monitor) {
      lower_priority(kNice);
      if (create) {
        check_room(bytes, folder, "choose another folder under Runs on the Settings page");
        create_run(*config, folder);
        name_new_run(folder, *config);
      }
      WatchedMonitor watched(monitor, *live, wake);
      execute_run(config->tasks, folder, watched, last);
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
    while (m.at.stage < kStages - 1 && (m.at.stage == 0 ? m.view->pretrained : m.view->cached)) ++m.at.stage;
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
  const TrainingImpl& m = *impl_;
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
  const TrainingImpl& m = *impl_;
  if (m.drafting) return "";
  return m.view && m.view->shipped ? m.view->shipped_name : m.history.folder().filename().string();
}

std::string Training::strategy() const {
  const TrainingImpl& m = *impl_;
  if (m.drafting) return m.task.empty() ? "pairs" : impl_->draft_of(m.task).strategy();
  return m.view && m.view->config ? m.view->config->strategy : "pairs";
}

std::string Training::problem() const {
  const TrainingImpl& m = *impl_;
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
  const TrainingImpl& m = *impl_;
  if (m.drafting) return "While the head learns, the posterior of one simulated set is redrawn here.";
  if (!m.shows_session()) return "A posterior is drawn here only while this window trains the run.";
  if (!m.session_busy) return "The posterior of one set was to be drawn here while the head trained.";
  if (!m.live_problem.empty()) return m.live_problem;
  if (m.at.stage == 1) return "Stage 2 leaves the head as it is; the posterior moves again in stage 3.";
  return "The first posterior comes in a moment.";
}

std::string Training::batch_command() const {
  const TrainingImpl& m = *impl_;
  if (m.drafting) return m.task.empty() ? "" : impl_->draft_of(m.task).batch_command();
  return fmt::format("pairs --batch run --resume {}", shell_word(m.history.folder().string()));
}

void Training::settle(double seconds) {
  TrainingImpl& m = *impl_;
  const Stopwatch watch;
  if (m.drafting && !m.task.empty()) m.follow_draft(m.clock.seconds(), true);
  m.needs.wait(seconds);
  m.history.wait(std::max(0.0, seconds - watch.seconds()));
  m.ticked = -1;
  poll();
}

std::optional<TrainingSession::Going> TrainingSession::going(const std::filesystem::path& folder) const {
  const TrainingImpl& m = impl_;
  if (m.session_busy && folder == m.session_folder) {
    const char* word = m.session_state == SessionState::paused     ? "paused"
                       : m.session_state == SessionState::pausing  ? "pausing"
                       : m.session_state == SessionState::stopping ? "stopping"
                                                                   : "training";
    // A resumed run starts where its files state.
    const double share = m.shows_session() ? m.cards[m.at.stage].share : m.at.share;
    return Going{word, m.at.stage, share};
  }
  if (!m.drafting && folder == m.history.folder() && m.elsewhere())
    return Going{"training", m.view->current, m.cards[std::clamp(m.view->current, 0, kStages - 1)].share};
  return {};
}

std::filesystem::path TrainingSession::folder() const {
  return impl_.session_folder;
}

std::vector<double> TrainingSession::seconds() const {
  const TrainingImpl& m = impl_;
  if (!m.session_config) return {};
  std::vector<double> seconds(kStages, NAN);
  if (m.session_needs) seconds.assign(m.session_needs->seconds, m.session_needs->seconds + kStages);
  const auto& now = m.at.progress;
  const auto at = static_cast<std::size_t>(m.at.stage);
  if (now && now->rate > 0 && static_cast<std::size_t>(now->stage) == at) {
    const double heads =
        many_heads(*m.session_config, now->stage) ? static_cast<double>(m.session_config->cache.sizes.size()) : 1;
    const double measured = heads * static_cast<double>(now->total) / now->rate;
    const double pace = seconds[at] > 0 ? measured / seconds[at] : 1;
    seconds[at] = measured;
    for (std::size_t k = at + 1; k < seconds.size(); ++k) seconds[k] *= pace;
  }
  const bool known = std::ranges::all_of(seconds, [](double one) { return std::isfinite(one); });
  return known ? seconds : std::vector<double>();
}

std::optional<std::filesystem::path> TrainingSession::take_ended() {
  return std::exchange(impl_.ended, std::nullopt);
}

void TrainingSession::stop() {
  if (blocked(Action::stop).empty()) impl_.session.stop();
}

std::string TrainingSession::blocked(Action action) const {
  const SessionAction wanted = action == Action::start    ? SessionAction::start
                               : action == Action::pause  ? SessionAction::pause
                               : action == Action::resume ? SessionAction::resume
                               : action == Action::stop   ? SessionAction::stop
                                                          : SessionAction::dismiss;
  return std::string(blocked_reason(impl_.session.state(), wanted));
}

bool TrainingSession::active() const {
  return impl_.session_busy;
}

void TrainingDrafts::renew(const std::string& task) {
  impl_.drafts.erase(task);
}

void TrainingDrafts::open(bool like_run) {
  TrainingImpl& m = impl_;
  if (!m.drafting && m.view && m.view->config) {
    try {
      m.draft_of(m.view->config->task);
      m.task = m.view->config->task;
    } catch (const Error& error) {
      m.hub.messages.error("train", error.what());
    }
  }
  if (like_run && m.view && m.view->config) {
    try {
      Draft draft(m.hub.tasks, *m.view->config, m.runs_folder(), m.hub.data_folder.string());
      m.task = draft.task();
      m.drafts.insert_or_assign(m.task, std::move(draft));
    } catch (const Error& error) {
      m.hub.messages.error("train", error.what());
    }
  }
  m.show_draft();
  m.deal();
}

Draft& TrainingDrafts::shown() {
  return impl_.draft_of(impl_.task);
}

const Draft& TrainingDrafts::shown() const {
  return impl_.draft_of(impl_.task);
}

std::shared_ptr<const DraftEstimate> TrainingDrafts::estimate() const {
  return impl_.needs.estimate();
}

TrainingDrafts::Planned TrainingDrafts::plan() {
  Draft& draft = impl_.draft_of(impl_.task);
  draft.renew_name();
  Planned planned{draft.folder(), std::make_shared<const RunConfig>(draft.config()), impl_.needs.estimate()};
  if (planned.needs && !planned.needs->error.empty()) planned.needs.reset();
  draft.refresh_name();
  return planned;
}

std::string TrainingDrafts::queue_blocked() const {
  const TrainingImpl& m = impl_;
  if (!m.drafting && m.session_busy && m.shows_session()) return "Training in progress";
  return impl_.start_blocked(kStages - 1);
}

}  // namespace pairs::model
