#include "app/posterior/answer/posterior_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/posterior/caveats/caveat.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/runs/strategy_look.h"
#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/one_thread.h"
#include "core/ensemble.h"
#include "core/eval/metrics/interval.h"
#include "core/given.h"
#include "core/periodic.h"
#include "core/report/number_text.h"
#include "core/target_support.h"

namespace pairs {
namespace {

constexpr double kAround = 0.2;              // density between all peaks of a periodic target, of the highest one
constexpr std::int64_t kRefinedDraws = 4000;  // of a refined posterior that no plot can hold

// Why the run is omitted at n next to others; "" if it is not.
std::string left_out(const AskedRun& run, bool shown, std::int64_t n) {
  const std::string& name = run.loaded.name;
  const std::int64_t most = run.loaded.estimator->max_n();
  if (!run.serves(n)) return fmt::format("{} has a head for some N only and none for {}", name, count_text(n));
  if (n > most && !shown) return fmt::format("{} is left out here: it saw sets of at most {}", name, count_text(most));
  return "";
}

// Reported only for the shown run: typicality, and an ensemble's disagreement.
void add_trust(const AskedRun& run, const torch::Tensor& aggregate, const AskedSet& set, PosteriorAnswer& answer) {
  Estimator& estimator = *run.loaded.estimator;
  const torch::Tensor n = torch::full({1}, set.n, torch::kInt64);
  answer.typicality = typicality_of(estimator, aggregate, n);
  const std::vector<std::shared_ptr<Estimator>> members = estimator.members();
  const std::vector<torch::Tensor> parts =
      members.empty() ? std::vector<torch::Tensor>() : member_parts(members, aggregate);
  for (std::size_t k = 0; k < members.size(); ++k)
    answer.member_sources.push_back(estimator_source(k == 0 ? "its runs, each alone" : "", SeriesRole::other,
                                                     members[k], parts[k], set.n, set.given));
  answer.disagreement = disagreement(estimator, aggregate, n, set.given);
  // More training helps little out of distribution, so that warning replaces this one.
  std::string text =
      answer.typicality.outside ? "" : disagreement_warning(answer.disagreement, run.loaded.task->info());
  if (!text.empty()) answer.warnings.push_back({WarningKind::members, std::move(text)});
}

// A divergence that a well-trained run rarely reaches: that of two normals of equal width whose means are one sd apart.
constexpr double kFarFromExact = 0.5;

// For the refined posterior, whose samples are checked, that of means a little less than half an sd apart.
constexpr double kRefinedFromExact = 0.1;

void warn_of_exact(PosteriorAnswer& answer) {
  for (const PosteriorNumbers& one : answer.numbers)
    // Its density ends where its coordinates do, so that an infinite divergence means nothing.
    if (one.name == kRefined && std::isfinite(one.kl) && one.kl > kRefinedFromExact)
      answer.warnings.push_back(
          {WarningKind::exact, caveat_text("The refined posterior differs from the exact posterior of this very set",
                                           fmt::format("{:.2g} nat", one.kl), "use the exact posterior")});
  if (answer.numbers.empty() || !answer.numbers.front().ours || answer.refined_first() ||
      !(answer.numbers.front().kl > kFarFromExact))
    return;
  answer.warnings.push_back(
      {WarningKind::exact,
       caveat_text(fmt::format("{} differs from the exact posterior of this very set", answer.numbers.front().name),
                   fmt::format("{:.2g} nat", answer.numbers.front().kl), "use the exact posterior")});
}

void add_warnings(const AskedRun& run, const AskedSet& set, std::vector<PosteriorWarning>& warnings) {
  const LoadedRun& loaded = run.loaded;
  const std::string& source = loaded.estimator->data_source();
  const auto add = [&](std::vector<PosteriorWarning> more) {
    for (PosteriorWarning& one : more) warnings.push_back(std::move(one));
  };
  add(size_warnings(loaded, set.n, run.trained));
  add(training_warnings(loaded, run.trained.learned_nothing));
  if (set.seen > set.n) add({{WarningKind::subset, subset_text(loaded.name, set.n)}});
  if (!set.simulated.empty() && source != set.simulated)
    add({{WarningKind::other_data, caveat_text(fmt::format("{} was trained on other data", loaded.name),
                                               fmt::format("on {}, and the set is of {}", source, set.simulated),
                                               "train it on such data before you trust its posterior")}});
}

// The share of the head's own density outside the targets' supports from which it is reported.
constexpr double kMuchOutside = 0.5, kSomeOutside = 0.01;

// "[0, ∞), the support of V".
std::string supports_text(const std::vector<Target>& targets) {
  std::vector<std::string> all;
  for (const Target& target : targets)
    if (std::isfinite(target.low) || std::isfinite(target.high))
      all.push_back(fmt::format("{}, the support of {}", support_text(target), target.label));
  return fmt::format("{}", fmt::join(all, ", or "));
}

// Adds the warning about a head whose posterior lies outside the supports. Throws Error if hardly anything of it
// remains inside.
void add_outside(const AskedRun& run, const torch::Tensor& aggregate, const AskedSet& set, PosteriorAnswer& answer) {
  const Estimator& estimator = *run.loaded.estimator;
  const std::vector<Target>& targets = estimator.task().info().targets;
  const double share =
      estimator.share_outside(aggregate, torch::full({1}, set.n, torch::kInt64), set.given)[0].item<double>();
  const bool cut = estimator.confined();
  if (cut && share > Estimator::kOutOfRange)
    fail(
        "The posterior of this set is out of range: the network of {} puts {:.5g} % of it outside {}, so that nothing "
        "follows from it. The set is far out of distribution; check the units of its observations",
        run.loaded.name, 100 * share, supports_text(targets));
  if (!cut && share > kSomeOutside)
    answer.warnings.push_back(
        {WarningKind::outside,
         caveat_text(
             fmt::format("Part of the posterior of {} lies outside {}", run.loaded.name, supports_text(targets)),
             fmt::format("{:.2g} %", 100 * share), "leave that part out, or train with restrict = true")});
  if (cut && share > kMuchOutside)
    answer.warnings.push_back(
        {WarningKind::outside,
         caveat_text(fmt::format("The network of {} puts most of the posterior outside {}, where it was cut off",
                                 run.loaded.name, supports_text(targets)),
                     fmt::format("{:.3g} %", 100 * share),
                     "do not trust the rest, which is the tail of a density that was never learned there")});
}

}  // namespace

bool AskedRun::serves(std::int64_t n) const {
  const std::vector<std::int64_t> sizes = loaded.estimator->sizes();
  return sizes.empty() || std::find(sizes.begin(), sizes.end(), n) != sizes.end();
}

std::string AskedRun::name(std::size_t count) const {
  return count == 1 ? run_title(loaded.config) : loaded.name;
}

const PosteriorSource& PosteriorAnswer::source_of(const PosteriorNumbers& one) const {
  return *std::find_if(sources.begin(), sources.end(), [&](const auto& source) { return source.name == one.name; });
}

double PosteriorAnswer::reference_milliseconds() const {
  double sum = 0;
  for (const PosteriorNumbers& one : numbers)
    if (!one.ours) sum += one.milliseconds;
  return sum;
}

bool PosteriorAnswer::extrapolates() const {
  return std::any_of(warnings.begin(), warnings.end(),
                     [](const PosteriorWarning& one) { return one.kind == WarningKind::extrapolation; });
}

std::vector<TargetNumbers> PosteriorAnswer::shown_numbers(const Task& task, const AskedRun& run) const {
  for (const PosteriorNumbers& one : numbers)
    if (one.ours) return one.targets;
  if (sources.empty() || !sources.front().ours || !sources.front().log_density) return {};
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;
  const std::vector<PosteriorNumbers> alone =
      posterior_numbers(task.info().targets, run.loaded.estimator->confined(), {sources.front()});
  return alone.empty() ? std::vector<TargetNumbers>() : alone.front().targets;
}

std::vector<TargetNumbers> PosteriorAnswer::exact_numbers() const {
  const PosteriorNumbers* const exact = find_role(numbers, SeriesRole::exact);
  return exact ? exact->targets : std::vector<TargetNumbers>();
}

std::vector<TargetNumbers> PosteriorAnswer::own_numbers(const std::vector<Target>& targets) const {
  if (!refined_first() || sources.size() < 2) return {};
  for (const PosteriorNumbers& one : numbers)
    if (one.name == sources[1].name) return one.targets;
  return sample_numbers(targets, sources[1].sample(kRefinedDraws, kFigureSeed));
}

std::vector<TargetNumbers> PosteriorAnswer::refined_numbers(const std::vector<Target>& targets) const {
  if (!refined) return {};
  for (const PosteriorNumbers& one : numbers)
    if (one.name == kRefined) return one.targets;
  return sample_numbers(targets, resampled(*refined, kRefinedDraws, kFigureSeed));
}

void ask(const AskedRun& run, std::size_t count, bool shown, const AskedSet& set, PosteriorAnswer& answer) {
  if (std::string why = left_out(run, shown, set.n); !why.empty()) {
    answer.warnings.push_back({WarningKind::left_out, std::move(why)});
    return;
  }
  add_warnings(run, set, answer.warnings);
  if (std::string text = unseen_given_text(*run.loaded.task, set.given); !text.empty())
    answer.warnings.push_back({WarningKind::given, std::move(text)});
  const std::shared_ptr<Estimator>& estimator = run.loaded.estimator;
  const Stopwatch watch;
  torch::Tensor aggregate;
  try {
    aggregate = set.aggregate();
    add_outside(run, aggregate, set, answer);
    answer.sources.push_back(estimator_source(run.name(count), run.role, estimator, aggregate, set.n, set.given));
    answer.sources.back().milliseconds = 1000 * watch.seconds();
    if (shown && set.trusted) add_trust(run, aggregate, set, answer);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    answer.problems.push_back(sentence(error));
  }
}

void add_numbers(const Task& task, bool confined, PosteriorAnswer& answer) {
  const auto density = [](const PosteriorSource& source) { return static_cast<bool>(source.log_density); };
  if (!std::all_of(answer.sources.begin(), answer.sources.end(), density)) return;
  answer.numbers = posterior_numbers(task.info().targets, confined, answer.sources, [&](const std::string& text) {
    answer.warnings.push_back({WarningKind::left_out, text});
  });
  warn_of_exact(answer);
}

void add_members(const Task& task, bool confined, PosteriorAnswer& answer) {
  if (answer.member_sources.empty() || answer.numbers.empty() || !answer.numbers.front().ours) return;
  const std::vector<Target>& targets = task.info().targets;
  if (targets.size() > 2)
    answer.members = posterior_numbers(targets, confined, answer.member_sources);
  else
    for (const PosteriorSource& one : answer.member_sources)
      answer.members.push_back(numbers_on(one, answer.numbers.front().cells));
  for (PosteriorNumbers& one : answer.members) one.ours = false;
}

std::string peaks_text(const Task& task, const PosteriorAnswer& answer) {
  if (answer.typicality.outside || answer.numbers.empty() || !answer.numbers.front().ours) return "";
  const PosteriorNumbers& ours = answer.numbers.front();
  std::vector<std::string> several, numbers;
  for (std::size_t t = 0; t < ours.marginals.size(); ++t) {
    const Target& target = task.info().targets[t];
    const std::vector<double>& p = ours.marginals[t];
    const bool whole = target.periodic && ours.cells[t].high - ours.cells[t].low > 0.99 * target.period();
    const double least = *std::min_element(p.begin(), p.end()), most = *std::max_element(p.begin(), p.end());
    if (whole && least > kAround * most)
      return caveat_text(fmt::format("The density of {} goes all around", target.label),
                         fmt::format("from {:.2g} to {:.2g}", least, most),
                         "draw it or use the samples: mean, sd and intervals depend on where the circle is cut open");
  }
  for (std::size_t t = 0; t < ours.marginals.size(); ++t)
    if (const std::size_t count = peaks(ours.cells[t], ours.marginals[t]).size(); count > 1) {
      several.push_back(task.info().targets[t].label);
      numbers.push_back(fmt::format("{}", count));
    }
  if (several.empty()) return "";
  return caveat_text(fmt::format("The density of {} has several peaks apart", fmt::join(several, ", ")),
                     fmt::format("{}", fmt::join(numbers, ", ")),
                     "draw it or use the samples, since mean and sd describe none of them");
}

std::string no_posterior_text(const PosteriorAnswer& answer) {
  return !answer.problems.empty()   ? answer.problems.front()
         : !answer.warnings.empty() ? answer.warnings.front().text
                                    : "There is no posterior of this set";
}

std::vector<TargetNumbers> sample_numbers(const std::vector<Target>& targets, const torch::Tensor& samples) {
  const torch::Tensor columns = unrolled(targets, samples.to(torch::kCPU, torch::kFloat64));
  std::vector<TargetNumbers> numbers;
  for (std::int64_t t = 0; t < columns.size(1); ++t) numbers.push_back(draw_numbers(doubles(columns.select(1, t))));
  return numbers;
}

std::string sample_numbers_text(std::int64_t count) {
  return fmt::format("mean, sd and intervals are those of {} samples, not of the density", count);
}

LargestValue largest_value(const Observations& x) {
  LargestValue most{0, x.largest()};
  for (std::int64_t count = x.count(); count > 1;) {
    const std::int64_t half = count / 2;
    const bool behind = x.slice(most.at, most.at + half).largest() < most.value;
    if (behind) most.at += half;
    count = behind ? count - half : half;
  }
  return most;
}

namespace {

// Whether the run's density at the mean of training's aggregates is finite: then this set makes it overflow.
bool answers_training(const AskedRun& run) {
  Estimator& estimator = *run.loaded.estimator;
  const torch::Tensor mean = estimator.mean_aggregate();
  if (!mean.defined() || run.loaded.task->info().given_size() > 0) return false;
  const std::vector<std::int64_t> sizes = estimator.sizes();
  const torch::Tensor n = torch::full({1}, sizes.empty() ? 1 : sizes.front(), torch::kInt64);
  return estimator.sample(mean.unsqueeze(0), n, 16, kFigureSeed).isfinite().all().item<bool>();
}

}  // namespace

torch::Tensor finite_samples(const AskedRun& run, const PosteriorSource& source, std::int64_t draws, std::uint64_t seed,
                             const std::function<LargestValue()>& largest) {
  const torch::NoGradGuard no_grad;
  std::optional<OneThread> one_thread;  // sampling of images is slow and uses all threads
  if (source.log_density) one_thread.emplace();
  torch::Tensor samples = source.sample(draws, seed);
  if (samples.isfinite().all().item<bool>()) return samples;
  if (answers_training(run)) {
    const LargestValue most = largest();
    fail(
        "The network overflows on these observations, of which number {} holds a value of size {:.3g}, far beyond what "
        "training saw; check its unit, or leave it out",
        count_text(most.at + 1), most.value);
  }
  fail(
      "The posterior of {} is not finite: its weights diverged in training or are damaged; train it again with a lower "
      "{} or {}",
      run.loaded.name, "pretrain.rate"_key, "finetune.rate"_key);
}

}  // namespace pairs
