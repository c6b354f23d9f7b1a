#include "app/posterior/source/posterior_numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/posterior/source/posterior_grid.h"
#include "core/base/gpu/transfer.h"
#include "core/eval/metrics/interval.h"
#include "core/nuisance_posterior.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr std::int64_t kDraws = 4000, kCuttingDraws = 512;

// Folds back what a kernel smears beyond the range of all samples; remaining cells keep their width.
CellDensity folded(CellDensity smooth, double low, double high) {
  const double cell = (smooth.high - smooth.low) / static_cast<double>(smooth.density.size());
  const auto count = static_cast<std::int64_t>(smooth.density.size());
  // Cells to the low side of `low`, and from `high` on.
  const auto below = static_cast<std::int64_t>(std::clamp(std::ceil((low - smooth.low) / cell), 0.0, count - 1.0)),
             above = static_cast<std::int64_t>(std::clamp(std::floor((high - smooth.low) / cell), 1.0, count + 0.0));
  if (below == 0 && above == count) return smooth;
  if (above <= below) return smooth;
  std::vector<double> kept(smooth.density.begin() + below, smooth.density.begin() + above);
  const auto add = [&](std::int64_t at, double density) {
    kept[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, above - below - 1))] += density;
  };
  for (std::int64_t i = 0; i < below; ++i) add(below - 1 - i, smooth.density[static_cast<std::size_t>(i)]);
  for (std::int64_t i = above; i < count; ++i)
    add(above - below - 1 - (i - above), smooth.density[static_cast<std::size_t>(i)]);
  const double start = smooth.low;
  return {start + cell * static_cast<double>(below), start + cell * static_cast<double>(above), std::move(kept)};
}

void sample_targets(PosteriorDraft& draft, const std::vector<Target>& targets, bool confined) {
  draft.ask([&] {
    const torch::Tensor draws =
        unrolled(targets, draft.source->sample(kDraws, kFigureSeed).to(torch::kCPU, torch::kFloat64));
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const torch::Tensor column = draws.select(1, static_cast<std::int64_t>(t));
      draft.numbers.draws.push_back(doubles(column));
      draft.numbers.targets.push_back(draw_numbers(draft.numbers.draws.back()));
      CellDensity smooth = kernel_density(draft.numbers.draws.back());
      if (confined && !targets[t].periodic) smooth = folded(std::move(smooth), targets[t].low, targets[t].high);
      draft.numbers.cells.push_back({smooth.low, smooth.high, smooth.density.size()});
      draft.numbers.marginals.push_back(std::move(smooth.density));
    }
  });
}

// KL(exact || other) on the exact posterior's grid, nat.
double divergence(const PosteriorDraft& exact, const PosteriorDraft& other) {
  double mass = 0, area = 1, sum = 0;
  const double top = exact.top();
  for (const double value : exact.log) mass += std::exp(value - top);
  for (const Cells& cells : exact.numbers.cells) area *= cells.width();
  const double log_mass = top + std::log(mass * area);
  for (std::size_t i = 0; i < other.log.size(); ++i) {
    const double p = std::exp(exact.log[i] - top) / mass;
    if (p > 1e-15) sum += p * (exact.log[i] - log_mass - other.log[i]);
  }
  return sum;
}

bool usable(const PosteriorDraft& draft) {
  return !draft.failed && !draft.numbers.targets.empty() && std::isfinite(draft.numbers.targets[0].sd);
}

// Uses the known moments of references, which are more accurate than their grid.
void use_known_moments(const std::vector<Target>& targets, PosteriorDraft& draft) {
  if (!draft.source->mean.defined()) return;
  for (std::size_t t = 0; t < draft.numbers.targets.size(); ++t) {
    if (targets[t].periodic) continue;  // they depend on where the circle is cut open
    draft.numbers.targets[t].mean = draft.source->mean[static_cast<std::int64_t>(t)].item<double>();
    draft.numbers.targets[t].sd = draft.source->sd[static_cast<std::int64_t>(t)].item<double>();
  }
}

// The divergence from the exact posterior to a reference with its own grid. NaN if it cannot be evaluated.
double divergence_of_reference(const PosteriorDraft& exact, const PosteriorSource& source) {
  PosteriorDraft there = PosteriorDraft();
  there.source = &source;
  there.ask([&] { there.evaluate(exact.numbers.cells); });
  return there.failed ? NAN : divergence(exact, there);
}

PosteriorDraft draft_of(const PosteriorSource& source) {
  PosteriorDraft draft;
  draft.source = &source;
  draft.numbers.name = source.name;
  draft.numbers.role = source.role;
  draft.numbers.ours = source.ours;
  draft.numbers.milliseconds = source.milliseconds;
  return draft;
}

// Cuts periodic targets open where the samples of the first source that has any are fewest, and makes the sources'
// values those between the cuts.
void cut_open(std::vector<Target>& targets, std::vector<PosteriorSource>& sources) {
  if (!any_periodic(targets)) return;
  torch::Tensor draws;
  for (const PosteriorSource& source : sources) {
    if (draws.defined()) break;
    try {
      draws = source.sample(kCuttingDraws, kFigureSeed).to(torch::kCPU, torch::kFloat64);
    } catch (const std::exception&) {
      // It fails again where its numbers are asked for.
    }
  }
  if (!draws.defined()) return;
  targets = turned(std::move(targets), draws);
  const std::vector<Target> all = targets;
  for (PosteriorSource& source : sources) {
    if (source.mean.defined()) source.mean = wrapped(all, source.mean);
    source.sample = [all, inner = source.sample](std::int64_t draws, std::uint64_t seed) {
      return wrapped(all, inner(draws, seed).to(torch::kCPU, torch::kFloat64));
    };
  }
}

// Moves the numbers of a periodic target by whole periods such that the mean lies within its bounds, and returns by how
// much.
double move_into(const Target& target, TargetNumbers& numbers) {
  if (!target.periodic || !std::isfinite(numbers.mean)) return 0;
  const double by = wrapped(numbers.mean, target.low, target.period()) - numbers.mean;
  numbers.mean += by;
  numbers.mode += by;
  for (double& one : numbers.quantiles) one += by;
  for (auto& kind : numbers.intervals)
    for (Interval& one : kind) one = {one.low + by, one.high + by};
  return by;
}

// Each alone first, since a posterior's numbers must not depend on the others; then all on one grid, to be drawn and
// compared.
void find_grids(std::vector<PosteriorDraft>& group, const std::vector<Target>& targets,
                const std::vector<Target>& whole, bool confined, std::size_t count) {
  if (group.size() == 1 && !any_periodic(targets)) return find_grid(group, targets, confined, count);
  std::vector<Cells> all;
  std::vector<std::vector<TargetNumbers>> numbers;
  for (PosteriorDraft& draft : group) {
    std::vector<PosteriorDraft> alone = {draft};
    // Where it is cut open must not depend on the others, either.
    std::vector<PosteriorSource> own_source = {*draft.source};
    std::vector<Target> own_targets = whole;
    cut_open(own_targets, own_source);
    alone.front().source = &own_source.front();
    find_grid(alone, own_targets, confined, count);
    draft.numbers.milliseconds = alone.front().numbers.milliseconds;
    numbers.push_back(alone.front().numbers.targets);
    std::vector<double> moved(targets.size(), 0);
    for (std::size_t t = 0; t < numbers.back().size(); ++t) moved[t] = move_into(targets[t], numbers.back()[t]);
    if (alone.front().failed || alone.front().log.empty()) continue;
    const std::vector<Cells>& own = alone.front().numbers.cells;
    for (std::size_t t = 0; t < own.size(); ++t) {
      Cells cells = {own[t].low + moved[t], own[t].high + moved[t], own[t].count};
      // What passes a cut of the common circle is on both sides of it.
      if (targets[t].periodic && (cells.low < targets[t].low || cells.high > targets[t].high))
        cells = {targets[t].low, targets[t].high, own[t].count};
      if (all.size() <= t) all.push_back(cells);
      all[t].low = std::min(all[t].low, cells.low);
      all[t].high = std::max(all[t].high, cells.high);
    }
  }
  for (Cells& cells : all) cells.count = count;
  find_grid(group, targets, confined, count, all);
  for (std::size_t k = 0; k < group.size(); ++k)
    if (!group[k].failed && !numbers[k].empty()) group[k].numbers.targets = numbers[k];
}

}  // namespace

std::vector<PosteriorNumbers> posterior_numbers(std::vector<Target> targets, bool confined,
                                                std::vector<PosteriorSource> sources,
                                                const std::function<void(const std::string&)>& problem,
                                                std::size_t cells) {
  const std::vector<Target> whole = targets;
  cut_open(targets, sources);
  if (cells == 0) cells = targets.size() == 1 ? 400 : 96;
  std::vector<std::vector<PosteriorDraft>> groups(1);
  for (const PosteriorSource& source : sources) {
    const bool compared = source.ours || source.role == SeriesRole::exact;
    if (!compared) groups.emplace_back();
    (compared ? groups.front() : groups.back()).push_back(draft_of(source));
  }
  for (std::vector<PosteriorDraft>& group : groups) {
    if (group.empty()) continue;
    if (targets.size() <= 2)
      find_grids(group, targets, whole, confined, cells);
    else
      for (PosteriorDraft& draft : group) sample_targets(draft, targets, confined);
  }
  // The runs' group, whose grid is the exact posterior's.
  const auto exact = std::find_if(groups.front().begin(), groups.front().end(), [](const PosteriorDraft& draft) {
    return !draft.failed && draft.source->role == SeriesRole::exact && !draft.log.empty();
  });
  if (exact != groups.front().end())
    for (std::vector<PosteriorDraft>& group : groups)
      for (PosteriorDraft& draft : group)
        if (usable(draft) && &draft != &*exact && !draft.log.empty())
          draft.numbers.kl =
              &group == &groups.front() ? divergence(*exact, draft) : divergence_of_reference(*exact, *draft.source);
  std::vector<PosteriorNumbers> out;
  for (std::vector<PosteriorDraft>& group : groups)
    for (PosteriorDraft& draft : group) {
      if (!usable(draft)) {
        if (problem)
          problem(draft.failed ? draft.problem : draft.source->name + " is left out: it has no density here");
        continue;
      }
      use_known_moments(targets, draft);
      out.push_back(std::move(draft.numbers));
    }
  if (const PosteriorNumbers* exact = find_role(out, SeriesRole::exact))
    for (PosteriorNumbers& one : out)
      for (std::size_t t = 0; t < targets.size() && &one != exact; ++t) {
        double shift = one.targets[t].mean - exact->targets[t].mean;
        if (targets[t].periodic) shift = wrapped(shift, -0.5 * targets[t].period(), targets[t].period());
        one.targets[t].mean_shift = shift / exact->targets[t].sd;
        one.targets[t].sd_ratio = one.targets[t].sd / exact->targets[t].sd;
      }
  return out;
}

PosteriorNumbers numbers_on(const PosteriorSource& source, const std::vector<Cells>& cells) {
  PosteriorDraft draft = draft_of(source);
  const Stopwatch watch;
  draft.evaluate(cells);
  for (std::size_t t = 0; t < cells.size(); ++t)
    draft.numbers.targets.push_back(cell_numbers(cells[t], draft.numbers.marginals[t]));
  draft.numbers.milliseconds += 1000 * watch.seconds();
  return std::move(draft.numbers);
}

const PosteriorNumbers* find_role(const std::vector<PosteriorNumbers>& series, SeriesRole role) {
  for (const PosteriorNumbers& one : series)
    if (one.role == role) return &one;
  return nullptr;
}

}  // namespace pairs
