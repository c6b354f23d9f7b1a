#include "app/gui/posterior/local_test_row.h"

#include <fmt/format.h>

#include <cmath>

#include "app/gui/widgets/ui.h"
#include "app/model/posterior/local_testing.h"
#include "core/report/number_text.h"

namespace pairs::gui {

void local_test_row(model::Posterior& posterior, const model::PosteriorScene& scene) {
  model::LocalTesting& testing = posterior.local_testing();
  const std::string key = fmt::format("{} {} {}", scene.set, posterior.run(), posterior.n());
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
  const std::string blocked = posterior.following() ? "A file that is followed is not tested; stop it first"
                              : !asked              ? "The posterior is on its way"
                                                    : "";
  if (ui::button("posterior/local-test", "Local test", ui::Button::normal, blocked,
                 fmt::format("Is this posterior itself right? A classifier learns from {} simulated sets of this N to "
                             "tell truths from draws of the run's posteriors, and is asked at this one (LC2ST). It "
                             "takes as long as evaluating so many sets",
                             count_text(model::LocalTesting::kSets))))
    testing.test(key, std::move(*asked));
}

}  // namespace pairs::gui
