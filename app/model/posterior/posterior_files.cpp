#include "app/model/posterior/posterior_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/posterior/posterior_state.h"
#include "app/posterior/source/other_prior.h"

namespace pairs::model {

std::optional<SamplesAsked> PosteriorFiles::samples_asked() const {
  const PosteriorState& s = state_;
  const auto& scene = s.result.scene;
  if (s.following() || !scene || scene->set != s.request.set.id || scene->runs.front().run != s.request.run) return {};
  SamplesAsked asked;
  asked.run = s.request.run;
  asked.data = s.hub.data_folder.string();
  asked.device = s.hub.device;
  asked.set = settled_choice(s.request.set.choice, *scene);
  asked.n = s.player.n();
  return asked;
}

SampleSaving& PosteriorFiles::samples() {
  return state_.saving;
}

std::optional<ReportAsked> PosteriorFiles::report_asked() const {
  const auto samples = samples_asked();
  if (!samples || samples->set.file.empty() || !samples->set.member.empty()) return {};
  ReportAsked asked;
  asked.run = samples->run;
  asked.question.set = samples->set;
  asked.question.n = samples->n;
  asked.question.interval = state_.request.interval;
  asked.question.device = samples->device;
  asked.question.data = samples->data;
  asked.question.derive = state_.derived();
  asked.question.notes = state_.reports.notes();
  // The report contains the answers shown on the page.
  const SetInquiries& inquiries = state_.inquiries;
  const std::string key = state_.inquiry_key();
  const auto answered = [](const std::shared_ptr<const SetInquiry::Answer>& answer) { return answer && answer->made; };
  if (answered(inquiries.local_test.answer(key))) asked.question.local_test = kLocalTestSets;
  if (answered(inquiries.confidence.answer(key))) asked.question.confidence = ToyPlan().toys;
  if (answered(inquiries.other_prior.answer(inquiries.prior_key(key)))) {
    PriorTexts texts = prior_texts(inquiries.prior);
    asked.question.prior = std::move(texts.now);
    asked.question.learned_prior = std::move(texts.learned);
  }
  return asked;
}

ReportSaving& PosteriorFiles::reports() {
  return state_.reports;
}

}  // namespace pairs::model
