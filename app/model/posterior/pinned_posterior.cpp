#include "app/model/posterior/pinned_posterior.h"

#include <fmt/format.h>

#include "core/report/number_text.h"

namespace pairs::model {

std::shared_ptr<const PinnedPosterior> pinned_posterior(const PosteriorScene& scene, const PosteriorSnapshot& shown) {
  if (shown.series.empty() || !shown.series.front().ours) return nullptr;
  auto pinned = std::make_shared<PinnedPosterior>();
  pinned->task = scene.task;
  pinned->numbers = shown.series.front();
  pinned->numbers.role = SeriesRole::ghost;
  pinned->numbers.ours = false;
  pinned->numbers.name = fmt::format("pinned: N = {}, {}", count_text(shown.n), scene.set_short);
  return pinned;
}

}  // namespace pairs::model
