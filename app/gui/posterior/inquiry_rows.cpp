#include "app/gui/posterior/inquiry_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "app/gui/widgets/ui.h"
#include "app/model/posterior/work/set_inquiry.h"
#include "core/prior_family.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

std::string blocked_text(const model::Posterior& posterior, bool known) {
  if (posterior.follow.state()) return "A file that is followed cannot be queried; stop it first";
  return known ? "" : "The posterior is being computed";
}

// The button of a test.
struct InquiryButton {
  const model::SetInquiries::Test& test;
  std::string id, title;  // id of the widget; label
  std::int64_t sets;      // number of simulated sets; 0: its progress is not known
  std::string blocked, tip;
};

// A line with the button, or with the progress.
void button_row(model::Posterior& posterior, const std::string& posterior_key, const InquiryButton& one) {
  model::SetInquiries& inquiries = posterior.inquiries();
  model::SetInquiry& inquiry = inquiries.*one.test.inquiry;
  const std::string key = inquiries.key_of(one.test, posterior_key);
  if (inquiry.busy()) {
    if (ui::button(one.id + "/stop", "Stop", ui::Button::quiet)) inquiry.cancel();
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    const double left = inquiry.seconds_left();
    const std::string done = one.sets == 0 ? "in progress"
                                           : fmt::format("{:.0f} % of {} simulated sets",
                                                         std::floor(100 * inquiry.share()), count_text(one.sets));
    ui::text(fmt::format("{}{}: {}{}", one.title, inquiry.works_on(key) ? "" : " of another set or N", done,
                         std::isfinite(left) ? fmt::format(", {} left", duration_text(left)) : ""),
             ui::Look::small_muted);
    ui::again_in(0.5);  // its progress grows while nothing else changes
    return;
  }
  auto asked = posterior.files.samples_asked();
  const std::string blocked = one.blocked.empty() ? blocked_text(posterior, asked.has_value()) : one.blocked;
  if (!ui::button(one.id, one.title, ui::Button::normal, blocked, one.tip)) return;
  inquiries.ask(one.test, posterior_key, std::move(*asked));
}

// Repeats the shown predictive test at another posterior sample.
void another_draw(model::Posterior& posterior, const model::SetInquiries::Test& test, const std::string& key) {
  model::SetInquiries& all = posterior.inquiries();
  if (all.predictive.busy()) return;
  auto asked = posterior.files.samples_asked();
  if (!ui::button("posterior/predictive/another", fmt::format("Another draw (this was seed {})", all.predictive_seed),
                  ui::Button::quiet, blocked_text(posterior, asked.has_value()),
                  "Simulates the sets at another draw of the posterior, as infer --predictive 200 --seed does: a "
                  "result that depends on the draw is weak"))
    return;
  ++all.predictive_seed;
  all.ask(test, key, std::move(*asked));
}

std::vector<InquiryButton> buttons(const model::PosteriorScene& scene) {
  const auto& [local_test, predictive, observations, confidence] = model::SetInquiries::buttons();
  const ToyPlan counts;
  const std::int64_t toys = counts.toys * counts.nodes + counts.null_toys;
  std::vector<InquiryButton> all;
  all.push_back({local_test, "posterior/local-test", "Local test", model::kLocalTestSets, "",
                 fmt::format("Is this posterior itself right? A classifier learns from {} simulated sets of this N to "
                             "separate truths from samples of the run's posteriors, and is evaluated at this one "
                             "(LC2ST). It takes as long as evaluating that many sets",
                             count_text(model::kLocalTestSets))});
  all.push_back({predictive, "posterior/predictive", "Predictive test", PredictiveOptions().sets, "",
                 fmt::format("Does the model describe these data? {} sets of this N are simulated at a draw of the "
                             "posterior and compared with this one, column by column and in their embeddings. Names "
                             "the outliers, and shows the posterior without them",
                             count_text(PredictiveOptions().sets))});
  // Tasks that may have no likelihood have no such test.
  if (scene.likely)
    all.push_back({observations, "posterior/observations", "Single observations", 0,
                   scene.no_refined.empty() ? "" : "They cannot be tested: " + scene.no_refined,
                   "Which observations does the model not make? The learned density of each, given all others, is "
                   "compared with those of 20,000 and more simulated ones, as infer --observations does. Foreign ones "
                   "are marked in the picture of the data, and the posterior without them is shown"});
  all.push_back({confidence, "posterior/confidence", "Confidence intervals", toys,
                 scene.no_confidence.empty() ? "" : "There are none: " + scene.no_confidence,
                 fmt::format("Frequentist intervals (Feldman and Cousins), upper limits and, where the task has a "
                             "value that means \"nothing there\", limits by CLs and its significance, by the marginal "
                             "likelihood: the posterior over the prior. {} sets of this N are simulated once and "
                             "kept, so that the next set takes no time",
                             count_text(toys))});
  return all;
}

}  // namespace

void inquiry_buttons(model::Posterior& posterior, const model::PosteriorScene& scene) {
  const std::string key = posterior.inquiry_key();
  for (const InquiryButton& one : buttons(scene)) button_row(posterior, key, one);
}

void inquiry_answers(model::Posterior& posterior, const model::PosteriorScene& scene) {
  const std::string key = posterior.inquiry_key();
  const model::SetInquiries& inquiries = posterior.inquiries();
  for (const InquiryButton& one : buttons(scene)) {
    const auto answer = (inquiries.*one.test.inquiry).answer(inquiries.key_of(one.test, key));
    if (!answer) continue;
    ui::space(8);
    // A click collapses an answer, so that several do not push each other out of view.
    const std::string fold = one.id + std::string("/fold");
    bool& folded = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID(fold.c_str()), false);
    if (ui::button(fold, fmt::format("{} {}", folded ? "+" : "−", one.title), ui::Button::quiet, "",
                   folded ? "Shows this result" : "Hides this result"))
      folded = !folded;
    if (folded) continue;
    ui::notice(one.id + "/answer", answer->bad ? ui::Look::warning : ui::Look::small_muted, answer->text);
    if (one.test.seeded) another_draw(posterior, one.test, key);
  }
}

void OtherPriorRow::draw(model::Posterior& posterior, const model::PosteriorScene& scene) {
  if (posterior.follow.state() || scene.names.empty()) return;
  model::SetInquiries& inquiries = posterior.inquiries();
  model::SetInquiry& inquiry = inquiries.other_prior;
  std::string& asked_prior = inquiries.prior;
  if (asked_prior != taken_) typed_ = taken_ = asked_prior;  // of an earlier start
  ui::text("Another prior", ui::Look::small_strong);
  const std::string key = inquiries.prior_key(posterior.inquiry_key());
  auto asked = posterior.files.samples_asked();
  // An analysis that was requested once is repeated for each N and set.
  if (!asked_prior.empty() && asked && !inquiry.works_on(key) && !inquiry.answer(key))
    inquiry.ask(key, *asked, model::prior_question(asked_prior));
  const bool several = scene.names.size() > 1;
  const std::string about = fmt::format(
      "In place of the run's training prior: {}, or a table of values and densities (.csv){}. Samples are weighted by "
      "the ratio of the two. Where the density of the task's own prior is not known, give it after a semicolon: \"; "
      "training {} = normal(0, 1)\"",
      prior_families(), several ? "; of several targets with semicolons between" : "", scene.names.front());
  const float show = ui::button_width("Show");
  bool enter = ui::input("posterior/prior/text", typed_, scene.prior_example, about,
                         ImGui::GetContentRegionAvail().x - show - px(8));
  ImGui::SameLine(0, px(8));
  enter |= ui::button(
      "posterior/prior/show", "Show", ui::Button::normal,
      typed_.empty() && asked_prior.empty() ? "Write a prior first" : blocked_text(posterior, asked.has_value()),
      typed_.empty() ? "Removes the result" : "Shows the posterior under it");
  if (enter) asked_prior = taken_ = typed_;
  if (const auto answer = inquiry.answer(key); answer && !asked_prior.empty())
    ui::wrapped(answer->text, answer->bad ? ui::Look::small_bad : ui::Look::small_muted, 0, "posterior/prior/answer");
  ui::space(8);
}

}  // namespace pairs::gui
