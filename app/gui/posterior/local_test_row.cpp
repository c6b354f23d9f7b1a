#include "app/gui/posterior/local_test_row.h"

#include <fmt/format.h>

#include <cmath>

#include "app/gui/widgets/ui.h"
#include "app/model/posterior/local_testing.h"
#include "app/model/posterior/set_inquiry.h"
#include "core/eval/prior_family.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

std::string blocked_text(const model::Posterior& posterior, bool known) {
  if (posterior.following()) return "A file that is followed is not asked about; stop it first";
  return known ? "" : "The posterior is on its way";
}

}  // namespace

void local_test_row(model::Posterior& posterior, const model::PosteriorScene& scene) {
  model::LocalTesting& testing = posterior.local_testing();
  const std::string key = inquiry_key(posterior, scene);
  if (testing.works_on(key)) {
    ui::text(fmt::format("Local test: {:.0f} % of {} simulated sets", std::floor(100 * testing.share()),
                         count_text(model::LocalTesting::kSets)),
             ui::Look::small_muted);
    ImGui::SameLine();
    if (ui::button("posterior/local-test/stop", "Stop", ui::Button::quiet)) testing.cancel();
    return;
  }
  if (const auto answer = testing.answer(key)) {
    ui::notice("posterior/local-test/answer", answer->off ? ui::Look::warning : ui::Look::small_muted, answer->text);
    return;
  }
  auto asked = posterior.samples_asked();
  const std::string blocked = blocked_text(posterior, asked.has_value());
  if (ui::button("posterior/local-test", "Local test", ui::Button::normal, blocked,
                 fmt::format("Is this posterior itself right? A classifier learns from {} simulated sets of this N to "
                             "tell truths from draws of the run's posteriors, and is asked at this one (LC2ST). It "
                             "takes as long as evaluating so many sets",
                             count_text(model::LocalTesting::kSets))))
    testing.test(key, std::move(*asked));
}

std::string inquiry_key(const model::Posterior& posterior, const model::PosteriorScene& scene) {
  return fmt::format("{} {} {}", scene.set, posterior.run(), posterior.n());
}

void predictive_row(model::Posterior& posterior, const model::PosteriorScene& scene) {
  model::SetInquiry& inquiry = posterior.predictive();
  const std::string key = inquiry_key(posterior, scene);
  if (inquiry.works_on(key)) {
    ui::text(fmt::format("Predictive test: {:.0f} % of 200 simulated sets", std::floor(100 * inquiry.share())),
             ui::Look::small_muted);
    ImGui::SameLine();
    if (ui::button("posterior/predictive/stop", "Stop", ui::Button::quiet)) inquiry.cancel();
    return;
  }
  if (const auto answer = inquiry.answer(key)) {
    ui::notice("posterior/predictive/answer", answer->bad ? ui::Look::warning : ui::Look::small_muted, answer->text);
    return;
  }
  auto asked = posterior.samples_asked();
  if (ui::button("posterior/predictive", "Predictive test", ui::Button::normal,
                 blocked_text(posterior, asked.has_value()),
                 "Does the model describe these data? 200 sets of this N are simulated at a draw of the posterior and "
                 "compared with this one, column by column and in their embeddings. Names the observations that lie "
                 "far, and tells the posterior without them"))
    inquiry.ask(key, std::move(*asked), model::predictive_question());
}

void OtherPriorRow::draw(model::Posterior& posterior, const model::PosteriorScene& scene) {
  if (posterior.following() || scene.names.empty()) return;
  model::SetInquiry& inquiry = posterior.other_prior();
  ui::text("Another prior", ui::Look::small_strong);
  const std::string key = inquiry_key(posterior, scene) + " " + asked_;
  auto asked = posterior.samples_asked();
  // What was asked once follows N and the set.
  if (!asked_.empty() && asked && !inquiry.works_on(key) && !inquiry.answer(key))
    inquiry.ask(key, *asked, model::prior_question(asked_));
  if (const auto answer = inquiry.answer(key); answer && !asked_.empty())
    ui::wrapped(answer->text, answer->bad ? ui::Look::small_bad : ui::Look::small_muted, 0, "posterior/prior/answer");
  const bool several = scene.names.size() > 1;
  const std::string hint = several ? scene.names.front() + " = normal(0, 1)" : "normal(0.2, 0.05)";
  const std::string about = fmt::format(
      "In place of the prior that the run learnt under: {}, or a table of values and densities (.csv){}. Draws are "
      "weighted by the ratio of the two. Where the task does not tell its own prior, say it behind a semicolon: "
      "\"; learnt {} = normal(0, 1)\"",
      prior_families(), several ? "; of several targets with semicolons between" : "", scene.names.front());
  const float show = ui::button_width("Show");
  bool enter = ui::input("posterior/prior/text", typed_, hint, about, ImGui::GetContentRegionAvail().x - show - px(8));
  ImGui::SameLine(0, px(8));
  enter |=
      ui::button("posterior/prior/show", "Show", ui::Button::normal,
                 typed_.empty() && asked_.empty() ? "Write a prior first" : blocked_text(posterior, asked.has_value()),
                 typed_.empty() ? "Takes the answer away" : "Tells the posterior under it");
  if (enter) asked_ = typed_;
  ui::space(8);
}

}  // namespace pairs::gui
