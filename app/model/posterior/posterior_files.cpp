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
  if (s.following() || !s.is_shown()) return {};
  SamplesAsked asked;
  asked.question = s.request.asked;
  asked.question.set = s.asked_set();
  asked.question.n = s.player.n();
  asked.question.derived = s.derived();
  asked.question.prior = s.inquiries.prior;
  if (const auto shown = s.shown()) asked.question.source = shown->shown_source();
  asked.data = s.hub.data_folder.string();
  asked.device = s.hub.device;
  return asked;
}

SampleSaving& PosteriorFiles::samples() {
  return state_.saving;
}

std::optional<ReportAsked> PosteriorFiles::report_asked() const {
  const auto samples = samples_asked();
  if (!samples || samples->question.set.simulated() || !samples->question.set.member.empty()) return {};
  ReportAsked asked;
  asked.question.asked = samples->question;
  asked.question.device = samples->device;
  asked.question.data = samples->data;
  asked.question.notes = state_.reports.notes();
  asked.question.asked.source = state_.request.asked.source;
  // The report contains the answers shown on the page.
  const SetInquiries& inquiries = state_.inquiries;
  const std::string key = state_.inquiry_key();
  const auto answered = [](const std::shared_ptr<const SetInquiry::Answer>& answer) { return answer && answer->made; };
  if (answered(inquiries.local_test.answer(key))) asked.question.local_test = kLocalTestSets;
  asked.question.observations = answered(inquiries.observations.answer(key));
  if (answered(inquiries.confidence.answer(key))) asked.question.confidence = ToyPlan().toys;
  if (!answered(inquiries.other_prior.answer(inquiries.prior_key(key)))) asked.question.asked.prior.clear();
  return asked;
}

ReportSaving& PosteriorFiles::reports() {
  return state_.reports;
}

}  // namespace pairs::model
