#include <utility>

#include "app/model/train/training.h"
#include "app/model/train/training_state.h"
#include "core/base/text/error.h"

namespace pairs::model {

void TrainingDrafts::renew(const std::string& task) {
  impl_.drafts.erase(task);
}

void TrainingDrafts::open(bool like_run) {
  TrainingState& m = impl_;
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
  const TrainingState& m = impl_;
  if (!m.drafting && m.session_busy && m.shows_session()) return "Training in progress";
  return impl_.start_blocked(kWhole);
}

}  // namespace pairs::model
