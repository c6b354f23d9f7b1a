#include "app/posterior/set_posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/kinds/image/image_plot.h"
#include "app/posterior/posterior_warnings.h"
#include "app/posterior/tried_file.h"
#include "app/runs/strategy_look.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/one_thread.h"
#include "core/posterior/corner_plots.h"
#include "core/posterior/theta_draws.h"
#include "core/report/number_text.h"
#include "tasks/parts/outlines.h"

namespace pairs {
namespace {

constexpr std::int64_t kNuisanceDraws = 128;
constexpr std::size_t kPlaneWidthCells = 48;  // of an axis where nothing but the sd is asked for

}  // namespace

bool confined(const Task& task, const Estimator& estimator) {
  const std::vector<Target>& targets = task.info().targets;
  return estimator.config().head.support != "real" && std::all_of(targets.begin(), targets.end(), [](const Target& t) {
           return std::isfinite(t.low) && std::isfinite(t.high);
         });
}

bool AskedRun::serves(std::int64_t n) const {
  const std::vector<std::int64_t> sizes = loaded.estimator->sizes();
  return sizes.empty() || std::find(sizes.begin(), sizes.end(), n) != sizes.end();
}

std::string AskedRun::name(std::size_t count) const {
  return count == 1 ? strategy_title(loaded.config.strategy) : loaded.name;
}

const PosteriorSource& PosteriorAt::source_of(const PosteriorNumbers& one) const {
  return *std::find_if(sources.begin(), sources.end(), [&](const auto& source) { return source.name == one.name; });
}

double PosteriorAt::reference_milliseconds() const {
  double sum = 0;
  for (const PosteriorNumbers& one : numbers)
    if (!one.ours) sum += one.milliseconds;
  return sum;
}

SetPosterior::SetPosterior(std::shared_ptr<ObservedSet> set, std::vector<AskedRun> runs)
    : set_(std::move(set)), runs_(std::move(runs)) {
  PAIRS_CHECK(!runs_.empty(), "A posterior needs at least one run");
  for (AskedRun& run : runs_)
    if (!run.embedded) run.embedded = std::make_shared<EmbeddedSet>(run.loaded.estimator, set_->size());
  if (set_->of_thing())
    for (AskedRun& run : runs_) run.tried = tried_of(run.loaded);
  confined_ = std::all_of(runs_.begin(), runs_.end(),
                          [&](const AskedRun& run) { return confined(task(), *run.loaded.estimator); });
}

std::vector<std::int64_t> SetPosterior::sizes() const {
  std::vector<std::int64_t> sizes = runs_.front().loaded.estimator->sizes();
  std::erase_if(sizes, [&](std::int64_t n) { return n > set_->size(); });
  return sizes;
}

std::string SetPosterior::source_text() const {
  std::string names;
  for (const AskedRun& run : runs_) names += (names.empty() ? "" : ", ") + run.loaded.name;
  const LoadedRun& shown = runs_.front().loaded;
  std::string note;
  if (set_->of_thing()) {
    const Tried& tried = runs_.front().tried;
    note = tried_note(shown, tried, kind_of(tried, set_->marks()));
  }
  return set_->words() + "; " + names + (note.empty() ? "" : "; " + note);
}

std::int64_t SetPosterior::all_ready() const {
  std::int64_t least = set_->size();
  for (const AskedRun& run : runs_) least = std::min(least, run.embedded->count());
  return least;
}

void SetPosterior::embed_next() {
  const SampleAmounts pace = room_of(task().info()).amounts();
  const std::int64_t from = all_ready(),
                     until = std::min(from + (from == 0 ? pace.embedded_first : pace.embedded), set_->size());
  for (AskedRun& run : runs_)
    if (run.embedded->count() < until) run.embedded->add(set_->part(run.embedded->count(), until));
}

std::vector<PosteriorSource> SetPosterior::run_sources(std::int64_t n, std::vector<PosteriorWarning>& warnings) const {
  std::vector<PosteriorSource> sources;
  const auto warn = [&](WarningKind kind, std::string text) { warnings.push_back({kind, std::move(text)}); };
  for (const AskedRun& run : runs_) {
    const bool first = &run == &runs_.front();
    const std::shared_ptr<Estimator>& estimator = run.loaded.estimator;
    const std::string& name = run.loaded.name;
    if (run.embedded->count() < n) continue;
    if (!run.serves(n)) {
      warn(WarningKind::left_out, fmt::format("{} has a head for some N only and none for {}", name, count_text(n)));
      continue;
    }
    if (n > estimator->max_n() && !first) {
      warn(WarningKind::left_out,
           fmt::format("{} is left out here: it saw sets of at most {}", name, count_text(estimator->max_n())));
      continue;
    }
    const bool three = strategy(run.loaded.config.strategy).stages_2_and_3;
    if (n > estimator->max_n() || (!three && extrapolates(run.loaded, n)))
      warn(WarningKind::extrapolation, extrapolation_text(run.loaded));
    if (!run.loaded.finetuned && three) warn(WarningKind::only_pretrained, only_pretrained_text(name));
    if (set_->simulated() && estimator->data_source() != task().info().data_source)
      warn(WarningKind::other_data,
           fmt::format("{} was trained on {} and is asked about {}: its posterior may be wrong", name,
                       estimator->data_source(), task().info().data_source));
    const Stopwatch watch;
    const torch::Tensor aggregate = run.embedded->aggregate(n, set_->first(n));
    sources.push_back(
        estimator_source(run.name(runs_.size()), run.role, estimator, aggregate, n, set_->latents().given));
    sources.back().milliseconds = 1000 * watch.seconds();
  }
  return sources;
}

std::vector<PosteriorSource> SetPosterior::references(std::int64_t n, std::vector<std::string>& problems) const {
  std::vector<PosteriorSource> sources;
  for (const std::string& name : task().references()) {
    try {
      sources.push_back(reference_source(task(), name, set_->first(n)));
    } catch (const std::exception& error) {
      problems.push_back(fmt::format("{} is left out: {}", name, sentence(error)));
    }
  }
  return sources;
}

PosteriorAt SetPosterior::at(std::int64_t n, bool with_references) const {
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;
  const Stopwatch watch;
  PosteriorAt out;
  out.n = n;
  out.sources = run_sources(n, out.warnings);
  if (!set_->note().empty()) out.warnings.push_back({WarningKind::cut_file, set_->note()});
  if (set_->of_thing())
    for (const std::string& text : set_->warnings()) out.warnings.push_back({WarningKind::thing, text});
  if (set_->of_thing())
    for (const AskedRun& run : runs_)
      for (std::string& text : thing_warnings(run.loaded, run.tried, set_->name(), set_->marks()))
        out.warnings.push_back({WarningKind::tried, std::move(text)});
  if (with_references)
    for (PosteriorSource& source : references(n, out.problems)) out.sources.push_back(std::move(source));
  out.numbers = posterior_numbers(task().info().targets, confined_, out.sources, [&](const std::string& text) {
    out.warnings.push_back({WarningKind::left_out, text});
  });
  if (const std::size_t count = task().info().targets.size(); count > kMostCorner)
    out.warnings.push_back({WarningKind::left_out, fmt::format("The plot shows the first {} of {} unknowns; their "
                                                               "numbers are told of all",
                                                               kMostCorner, count)});
  if (with_references) out.null = null_text(task(), null_factors(task(), out.sources));
  const AskedRun& shown = runs_.front();
  if (shown.serves(n)) {
    try {
      out.place = place_of(*shown.loaded.estimator, shown.embedded->aggregate(n, set_->first(n)),
                           torch::full({1}, n, torch::kInt64));
    } catch (const std::exception& error) {
      out.problems.push_back(sentence(error));
    }
  }
  out.milliseconds = 1000 * watch.seconds();
  return out;
}

Figure SetPosterior::picture(const PosteriorAt& at, const SampleView& view) const {
  Figure figure = set_->picture(at.n, view);
  const Outlines* const look = outlines(task());
  const auto ours =
      std::find_if(at.numbers.begin(), at.numbers.end(), [](const PosteriorNumbers& one) { return one.ours; });
  if (!look || !set_->simulated() || ours == at.numbers.end()) return figure;
  std::vector<ImageCurve> curves;
  for (const std::size_t level : {std::size_t{0}, kQuantileLevels.size() / 2, kQuantileLevels.size() - 1}) {
    std::vector<double> theta;
    for (const TargetNumbers& target : ours->targets) theta.push_back(target.quantiles[level]);
    const bool middle = level == kQuantileLevels.size() / 2;
    for (Outline& outline : look->outlines(theta, set_->psi()))
      curves.push_back(
          {ours->role, middle ? LineStyle::solid : LineStyle::dashed, std::move(outline.x), std::move(outline.y)});
  }
  const std::vector<std::int64_t>& shape = task().info().observation_shape;
  draw_over_images(figure.plots.front(), set_->drawn(at.n), shape[1], shape[2], curves);
  return figure;
}

std::vector<WidthPoint> SetPosterior::widths(std::int64_t n) const {
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;
  std::vector<PosteriorWarning> warnings;
  std::vector<std::string> problems;
  std::vector<PosteriorSource> sources = run_sources(n, warnings);
  for (PosteriorSource& source : references(n, problems)) sources.push_back(std::move(source));
  const std::vector<Target>& targets = task().info().targets;
  std::vector<WidthPoint> points;
  for (const PosteriorNumbers& one :
       posterior_numbers(targets, confined_, sources, {}, targets.size() == 2 ? kPlaneWidthCells : 0)) {
    WidthPoint point{one.name, one.role, one.ours, n, {}};
    for (const TargetNumbers& target : one.targets) point.sd.push_back(target.sd);
    points.push_back(std::move(point));
  }
  return points;
}

std::unique_ptr<NuisancePosterior> SetPosterior::nuisances(std::int64_t n) const {
  return pairs::nuisance_posterior(task(), set_->first(n));
}

std::shared_ptr<const PredictiveCheck> SetPosterior::check(const PosteriorAt& at, const NuisancePosterior& nuisances,
                                                           const SampleView& view) const {
  const OneThread one_thread;
  for (const PosteriorNumbers& one : at.numbers)
    if (one.ours)
      return std::make_shared<PredictiveCheck>(
          predictive_check(task(), nuisances, theta_draws(one, at.source_of(one), kReplicates), set_->first(at.n), view,
                           one.role, static_cast<std::uint64_t>(set_->choice().index)));
  return nullptr;
}

std::shared_ptr<const NuisanceView> SetPosterior::nuisance_view(const PosteriorAt& at,
                                                                const NuisancePosterior& nuisances,
                                                                NuisanceAxes& axes) const {
  const OneThread one_thread;
  std::vector<ThetaDraws> draws;
  for (const PosteriorNumbers& one : at.numbers)
    if (one.role == SeriesRole::exact || (one.ours && draws.empty()))
      draws.push_back({one.name, one.role, theta_draws(one, at.source_of(one), kNuisanceDraws)});
  if (draws.empty()) return nullptr;
  const TaskInfo& info = task().info();
  return std::make_shared<NuisanceView>(
      pairs::nuisance_view(info, nuisance_series(info, nuisances, draws), set_->psi(), axes));
}

}  // namespace pairs
