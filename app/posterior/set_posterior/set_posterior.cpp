#include "app/posterior/set_posterior/set_posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/kinds/image/image_plot.h"
#include "app/posterior/answer/known_reference.h"
#include "app/posterior/answer/own_values.h"
#include "app/posterior/answer/refined_answer.h"
#include "app/posterior/plots/corner_plots.h"
#include "app/posterior/plots/posterior_curves.h"
#include "app/posterior/source/derived.h"
#include "app/posterior/validation/external_validation_file.h"
#include "app/posterior/validation/recalibration.h"
#include "app/runs/learned_product.h"
#include "app/runs/strategy_look.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/one_thread.h"
#include "core/periodic.h"
#include "core/report/number_text.h"
#include "tasks/parts/outlines.h"

namespace pairs {
namespace {

constexpr std::int64_t kNuisanceDraws = 128;
constexpr std::int64_t kStartDraws = 1000;    // of the run's own posterior, that a refined one begins with
constexpr std::size_t kPlaneWidthCells = 48;  // of an axis if only the sd is needed

// `count` draws of a posterior of θ -> [count, d] float64 on the CPU: for one target its even quantiles, which change
// smoothly with N; for more, samples of the source.
torch::Tensor theta_draws(const std::vector<Target>& targets, const PosteriorNumbers& numbers,
                          const PosteriorSource& source, std::int64_t count) {
  if (numbers.targets.size() > 1) return source.sample(count, kFigureSeed).to(torch::kCPU, torch::kFloat64);
  std::vector<double> draws;
  for (std::int64_t k = 0; k < count; ++k)
    draws.push_back(cell_quantile(numbers.cells[0], numbers.marginals[0],
                                  (static_cast<double>(k) + 0.5) / static_cast<double>(count)));
  return wrapped(targets, torch::tensor(draws, torch::kFloat64).unsqueeze(1));
}

// largest_value of the first n observations, read in parts.
LargestValue largest_of(ObservedSet& set, std::int64_t n) {
  constexpr std::int64_t kRows = 1 << 16;
  LargestValue most{0, -1};
  for (std::int64_t from = 0; from < n; from += kRows) {
    const LargestValue one = largest_value(set.part(from, std::min(from + kRows, n)));
    if (one.value > most.value) most = {from + one.at, one.value};
  }
  return most;
}

void warn_of_own(const ObservedSet& set, PosteriorAnswer& answer) {
  if (answer.numbers.empty() || !answer.numbers.front().ours) return;
  if (std::string text = own_values_warning(set.task(), set.marks(), answer.numbers.front()); !text.empty())
    answer.warnings.push_back({WarningKind::own, std::move(text)});
}

}  // namespace

SetPosterior::SetPosterior(std::shared_ptr<ObservedSet> set, std::vector<AskedRun> runs)
    : set_(std::move(set)), runs_(std::move(runs)) {
  PAIRS_CHECK(!runs_.empty(), "A posterior needs at least one run");
  for (AskedRun& run : runs_)
    if (!run.embedded) run.embedded = std::make_shared<EmbeddedSet>(run.loaded.estimator, set_->size());
  for (AskedRun& run : runs_) {
    run.trained = training_record(run.loaded);
    if (set_->of_item()) run.validated = external_validation_of(run.loaded);
  }
  confined_ =
      std::all_of(runs_.begin(), runs_.end(), [&](const AskedRun& run) { return run.loaded.estimator->confined(); });
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
  if (set_->of_item()) {
    const ExternalValidation& validated = runs_.front().validated;
    note = validation_note(shown, validated, kind_of(validated, set_->marks()));
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
  const std::int64_t from = all_ready();
  const std::int64_t until = runs_.front().embedded->block_end(
      from + std::max<std::int64_t>(from == 0 ? pace.embedded_first : pace.embedded, 1));
  for (AskedRun& run : runs_)
    if (run.embedded->count() < until) run.embedded->add(set_->part(run.embedded->count(), until));
}

void SetPosterior::embed_until(std::int64_t n, const std::function<bool()>& keep_going) {
  while (all_ready() < n) {
    if (keep_going && !keep_going()) throw Stopped();
    embed_next();
  }
}

AskedSet SetPosterior::asked_set(std::int64_t n) const {
  AskedSet asked;
  asked.n = asked.seen = n;
  asked.given = set_->latents().given;
  if (set_->simulated()) asked.simulated = task().info().data_source;
  return asked;
}

void SetPosterior::ask_runs(std::int64_t n, PosteriorAnswer& answer, bool trusted) const {
  AskedSet asked = asked_set(n);
  asked.trusted = trusted;
  for (const AskedRun& run : runs_) {
    if (run.embedded->count() < n) continue;
    asked.aggregate = [&] {
      try {
        return run.embedded->aggregate(n, [&](std::int64_t from, std::int64_t to) { return set_->part(from, to); });
      } catch (const Error& error) {
        throw prefixed(set_->name(), error);
      }
    };
    const std::size_t before = answer.sources.size();
    ask(run, runs_.size(), &run == &runs_.front(), asked, answer);
    if (set_->of_item() && answer.sources.size() > before)
      answer.sources.back() = recalibrated(std::move(answer.sources.back()), task().info().targets,
                                           recalibrations_of(run.validated, set_->marks()));
  }
}

void SetPosterior::ask_references(std::int64_t n, PosteriorAnswer& answer) const {
  for (const std::string& name : task().references()) {
    try {
      answer.sources.push_back(reference_source(task(), name, set_->first(n), set_->latents().given));
    } catch (const std::exception& error) {
      answer.problems.push_back(fmt::format("{} is left out: {}", name, sentence(error)));
    }
  }
  ask_known_reference(task(), *set_, n, answer);
}

void SetPosterior::ask_product(std::int64_t n, PosteriorAnswer& answer) const {
  try {
    const LoadedRun& run = runs_.front().loaded;
    const std::string why = no_learned_product(run);
    PAIRS_CHECK(why.empty(), "{}", why);
    answer.sources.push_back(product_source(run.estimator, set_->first(n), set_->latents().given));
  } catch (const std::exception& error) {
    answer.problems.push_back(fmt::format("{} is left out: {}", kLearnedProduct, sentence(error)));
  }
}

SingleObservations SetPosterior::singles(std::int64_t n, const Refiner& refiner, std::uint64_t seed,
                                         const std::function<bool()>& keep_going) const {
  const torch::NoGradGuard no_grad;
  PosteriorAnswer own;
  own.n = n;
  ask_runs(n, own, false);
  // A posterior that is not finite, as of a set far out of distribution, is no start.
  torch::Tensor start;
  if (!own.sources.empty() && own.sources.front().sample) {
    start = own.sources.front().sample(kStartDraws, seed).to(torch::kCPU, torch::kFloat64);
    if (!start.isfinite().all().item<bool>()) start = torch::Tensor();
  }
  return refiner.singles(set_->first(n), set_->latents().given, start, seed, keep_going);
}

void SetPosterior::refine_by(std::shared_ptr<const Refiner> refiner, SourceWish wish, std::function<bool()> keep_going,
                             std::uint64_t seed) {
  refiner_ = std::move(refiner);
  wish_ = wish;
  keep_refining_ = std::move(keep_going);
  refine_seed_ = seed;
  outdated_ = wish == SourceWish::best && !refiner_ ? outdated_comparison(runs_.front().loaded) : "";
}

PosteriorAnswer SetPosterior::answer(std::int64_t n, bool references) const {
  const torch::NoGradGuard no_grad;
  const Stopwatch watch;
  PosteriorAnswer out;
  out.n = n;
  std::optional<OneThread> one_thread(std::in_place);
  ask_runs(n, out);
  if (references && refiner_ && refiner_->wanted(wish_, n)) {
    one_thread.reset();  // it takes many evaluations of networks
    add_refined(*refiner_, wish_, set_->first(n), set_->latents().given, refine_seed_, keep_refining_, out);
    one_thread.emplace();
  }
  if (references && !outdated_.empty()) out.warnings.push_back({WarningKind::refined, outdated_});
  if (!set_->note().empty() && n == set_->size()) out.warnings.push_back({WarningKind::cut_file, set_->note()});
  if (!set_->given_assumed().empty()) out.warnings.push_back({WarningKind::given, set_->given_assumed()});
  if (set_->of_item()) {
    for (const std::string& text : set_->warnings()) out.warnings.push_back({WarningKind::item, text});
    for (const AskedRun& run : runs_)
      for (std::string& text : item_warnings(run.loaded, run.validated, set_->name(), set_->marks()))
        out.warnings.push_back({WarningKind::validated, std::move(text)});
  }
  if (references) ask_references(n, out);
  if (references && learned_product_) ask_product(n, out);
  add_numbers(task(), confined_, out);
  for (PosteriorNumbers& one : out.numbers) add_curve(out.source_of(one), one);
  warn_of_own(*set_, out);
  add_members(task(), confined_, out);
  if (const std::size_t count = task().info().targets.size(); count > kMostCorner)
    out.warnings.push_back({WarningKind::left_out,
                            fmt::format("The plot shows the first {} of {} unknowns; their numbers are shown for all",
                                        kMostCorner, count)});
  if (references) out.nulls = null_factors(task(), out.sources);
  out.null = null_text(task(), out.nulls);
  out.milliseconds = 1000 * watch.seconds();
  return out;
}

std::vector<PosteriorWarning> SetPosterior::all_warnings(const PosteriorAnswer& answer) const {
  std::vector<PosteriorWarning> all;
  const auto add = [&](const PosteriorWarning& one) {
    if (std::none_of(all.begin(), all.end(),
                     [&](const PosteriorWarning& reported) { return reported.text == one.text; }))
      all.push_back(one);
  };
  for (const std::string& text : set_->warnings()) add({WarningKind::item, text});
  for (const PosteriorWarning& one : answer.warnings) add(one);
  if (answer.typicality.outside) add({WarningKind::outside, outside_text(answer.typicality)});
  return all;
}

torch::Tensor SetPosterior::samples(const PosteriorAnswer& answer, std::int64_t draws, std::uint64_t seed) const {
  PAIRS_CHECK(!answer.sources.empty() && answer.sources.front().ours, "{}", no_posterior_text(answer));
  try {
    return finite_samples(runs_.front(), answer.sources.front(), draws, seed,
                          [&] { return largest_of(*set_, answer.n); });
  } catch (const Error& error) {
    throw set_->simulated() ? error : prefixed(set_->name(), error);
  }
}

Figure SetPosterior::picture(const PosteriorAnswer& at, const SampleView& view) const {
  Figure figure = set_->picture(at.n, view);
  const Outlines* const look = face<Outlines>(task());
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
  PosteriorAnswer known;
  ask_runs(n, known, false);
  ask_references(n, known);
  const std::vector<Target>& targets = task().info().targets;
  std::vector<WidthPoint> points;
  for (const PosteriorNumbers& one :
       posterior_numbers(targets, confined_, known.sources, {}, targets.size() == 2 ? kPlaneWidthCells : 0)) {
    WidthPoint point{one.name, one.role, one.ours, n, {}};
    for (const TargetNumbers& target : one.targets) point.sd.push_back(target.sd);
    points.push_back(std::move(point));
  }
  return points;
}

std::unique_ptr<NuisancePosterior> SetPosterior::nuisances(std::int64_t n) const {
  return pairs::nuisance_posterior(task(), set_->first(n));
}

LocalTest SetPosterior::local_test(std::int64_t n, const LocalTestOptions& options) const {
  const AskedRun& run = runs_.front();
  const torch::Tensor aggregate = run.embedded->aggregate(n, set_->first(run.embedded->count()));
  LocalTest test = pairs::local_test(*run.loaded.estimator, {aggregate, n, set_->latents().given}, options);
  test.unlike = typicality_of(*run.loaded.estimator, aggregate, torch::full({1}, n, torch::kInt64)).outside;
  return test;
}

// The numbers of the shown run's posterior of a set, from samples if its density has none.
std::vector<TargetNumbers> SetPosterior::numbers_of(const AskedSet& set) const {
  const AskedRun& run = runs_.front();
  PosteriorAnswer answer;
  answer.n = set.n;
  ask(run, runs_.size(), true, set, answer);
  PAIRS_CHECK(!answer.sources.empty(), "{}", no_posterior_text(answer));
  add_numbers(task(), confined_, answer);
  std::vector<TargetNumbers> numbers = answer.shown_numbers(task(), run);
  if (!numbers.empty()) return numbers;
  return sample_numbers(task().info().targets, finite_samples(run, answer.sources.front(), kDerivedDraws, kFigureSeed,
                                                              [&] { return largest_of(*set_, set.n); }));
}

// A sample of the exact posterior [1, d]: a test with it judges the model, not the run. Undefined if the posterior is
// unknown.
torch::Tensor SetPosterior::exact_draw(std::int64_t n, std::uint64_t seed) const {
  PosteriorAnswer known;
  const std::vector<std::string> names = task().references();
  if (std::find(names.begin(), names.end(), "exact") == names.end()) return {};
  try {
    return reference_source(task(), "exact", set_->first(n), set_->latents().given).sample(1, seed).view({1, -1});
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {
    return {};  // the answer gives the reason
  }
}

SetPredictiveTest SetPosterior::predictive_test(std::int64_t n, const PredictiveOptions& options) const {
  const torch::NoGradGuard no_grad;
  const AskedRun& run = runs_.front();
  const Observations x = set_->first(n);
  AskedSet asked = asked_set(n);
  const torch::Tensor aggregate = run.embedded->aggregate(n, set_->first(run.embedded->count()));
  asked.aggregate = [&] { return aggregate; };
  const std::unique_ptr<NuisancePosterior> psi = [&]() -> std::unique_ptr<NuisancePosterior> {
    try {
      return nuisances(n);
    } catch (const Error&) {
      return nullptr;  // no value explains the set, which the test will report
    }
  }();
  const torch::Tensor theta =
      options.brief ? exact_draw(n, stream_key(options.seed, Purpose::posterior)) : torch::Tensor();
  const auto compare = [&](std::int64_t count) {
    PredictiveOptions some = options;
    some.sets = count;
    return predictive_sets(run, asked, x, psi.get(), some, theta);
  };
  SetPredictiveTest out;
  PredictiveSets sets = compare(options.brief ? kFirstSets : options.sets);
  out.test = pairs::predictive_test(sets.sets);
  if (options.brief && out.test.p <= kClearlyLike) {
    sets = compare(kBriefSets);
    out.test = pairs::predictive_test(sets.sets);
  }
  out.n = n;
  out.compared = sets.compared;
  out.psi = sets.psi;
  out.by_likelihood = sets.by_likelihood;
  if (options.brief) {
    out.test.far.clear();  // outliers that mask each other are not sought
    return out;
  }
  out.histograms = feature_histograms(sets.sets);
  seek_far(asked, x, options, out);
  judge_left(asked, x, options, out);
  leave_out_far(asked, x, out);
  return out;
}

std::shared_ptr<const PredictiveCheck> SetPosterior::check(const PosteriorAnswer& at,
                                                           const NuisancePosterior& nuisances,
                                                           const SampleView& view) const {
  const OneThread one_thread;
  for (const PosteriorNumbers& one : at.numbers)
    if (one.ours)
      return std::make_shared<PredictiveCheck>(predictive_check(
          task(), nuisances, theta_draws(task().info().targets, one, at.source_of(one), kReplicates), set_->first(at.n),
          view, one.role, set_->simulated() ? static_cast<std::uint64_t>(set_->choice().index) : 0,
          at.source_of(one).sample(1, kFigureSeed)));
  return nullptr;
}

std::shared_ptr<const NuisanceView> SetPosterior::nuisance_view(const PosteriorAnswer& at,
                                                                const NuisancePosterior& nuisances,
                                                                NuisanceAxes& axes) const {
  const OneThread one_thread;
  std::vector<ThetaDraws> draws;
  for (const PosteriorNumbers& one : at.numbers)
    if (one.role == SeriesRole::exact || (one.ours && draws.empty()))
      draws.push_back({one.name, one.role, theta_draws(task().info().targets, one, at.source_of(one), kNuisanceDraws)});
  if (draws.empty()) return nullptr;
  const TaskInfo& info = task().info();
  return std::make_shared<NuisanceView>(
      pairs::nuisance_view(info, nuisance_series(info, nuisances, draws), set_->psi(), axes));
}

}  // namespace pairs
