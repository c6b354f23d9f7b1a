#include "app/posterior/figures/training_posterior.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "app/kinds/observation_room.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/set/embedded_set.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::size_t kLineCells = 200, kWatchedPlaneCells = 48;  // of an axis

}  // namespace

TrainingPosterior::TrainingPosterior(const Estimator& estimator, std::int64_t n)
    : set_(estimator.task_pointer(), SetChoice()), n_(n) {
  const std::string why = not_drawn(estimator);
  PAIRS_CHECK(why.empty(), "The posterior is not drawn while it is trained: {}", why);
  PAIRS_CHECK(info().targets.size() <= 2, "A posterior of more than two targets is not drawn while it is trained");
  if (estimator.sizes().empty()) n_ = std::min(n_, room_of(info()).amounts().live);
  x_ = set_.first(embedding_block_end(info(), n_, set_.size()));
}

void TrainingPosterior::find_reference(const std::function<bool()>& keep_going) {
  const std::vector<std::string> names = set_.task().references();
  if (std::find(names.begin(), names.end(), "exact") == names.end()) return fit({});
  try {
    const PosteriorSource source =
        reference_source(set_.task(), "exact", x_.slice(0, n_), set_.latents().given, keep_going);
    fit(posterior_numbers(info().targets, true, {source}));
    if (keep_going && !keep_going()) throw Stopped();
    exact_.push_back(numbers_on(source, cells_));
  } catch (const Error&) {
    fit({});
  }
}

void TrainingPosterior::fit(const std::vector<PosteriorNumbers>& series) {
  const std::vector<Target>& targets = info().targets;
  axes_ = chosen_axes(series, targets, truth());
  cells_.clear();
  for (const AxisRange& range : axes_.ranges)
    cells_.push_back({range.first, range.second, targets.size() == 1 ? kLineCells : kWatchedPlaneCells});
}

std::vector<PosteriorNumbers> TrainingPosterior::series(Estimator& estimator, SeriesRole role, bool frozen) {
  const at::NoGradGuard no_grad;
  const std::shared_ptr<Estimator> borrowed(std::shared_ptr<Estimator>(), &estimator);
  if (!frozen || !aggregate_.defined()) {
    EmbeddedSet embedded(borrowed, x_.count());
    embedded.add(x_);
    aggregate_ = embedded.aggregate(n_, x_);
  }
  std::vector<PosteriorNumbers> all = exact_;
  all.push_back(numbers_on(estimator_source("learned", role, borrowed, aggregate_, n_, set_.latents().given), cells_));
  return all;
}

}  // namespace pairs
