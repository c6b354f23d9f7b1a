#include "app/posterior/grid_posterior.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/transfer.h"

namespace pairs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Log densities this far below the top count as occupied; the rest holds nothing that can be seen or matters to
// moments. On the plane, as a share of a marginal's top.
constexpr double kHidden = 0.3;  // of a normalised density's mass on the grid, how much it may miss
constexpr double kDepth = 12, kPlaneShare = 2e-4;
constexpr std::size_t kMostCells = 2048, kMostSide = 192;
constexpr int kAttempts = 16, kPlaneAttempts = 6;
constexpr std::int64_t kDraws = 4000, kScoutingDraws = 512;

torch::Tensor column_of(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64).unsqueeze(1);
}

// Cells between two numbers of cells of `from`, in `count` cells, kept inside the bounds.
Cells zoomed(const Cells& from, double first, double last, std::size_t count, std::pair<double, double> bounds) {
  return {std::max(from.low + first * from.width(), bounds.first),
          std::min(from.low + last * from.width(), bounds.second), count};
}

struct Occupied {
  std::size_t first = 0, last = 0;
  double sd = 0;  // in cells
};

// Where a density, given with its top scaled to 1, exceeds `share`.
Occupied occupied(const std::vector<double>& density, double share) {
  Occupied out;
  out.first = density.size();
  double mass = 0, mean = 0, square = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double p = density[i], at = static_cast<double>(i);
    if (p > share) {
      out.first = std::min(out.first, i);
      out.last = i;
    }
    mass += p;
    mean += p * at;
    square += p * at * at;
  }
  mean /= mass;
  out.sd = std::sqrt(std::max(square / mass - mean * mean, 0.0));
  return out;
}

// Smoothed density of draws.
std::vector<double> kernel_density(const std::vector<double>& draws, double bandwidth, const Cells& cells) {
  std::vector<double> density(cells.count, 0);
  const std::vector<double> at = cells.middles();
  const double norm = 1 / (static_cast<double>(draws.size()) * bandwidth * std::sqrt(2 * std::numbers::pi));
  for (std::size_t i = 0; i < at.size(); ++i)
    for (const double draw : draws) {
      const double u = (at[i] - draw) / bandwidth;
      if (std::abs(u) < 6) density[i] += norm * std::exp(-0.5 * u * u);
    }
  return density;
}

}  // namespace

std::vector<double> Cells::middles() const {
  std::vector<double> at(count);
  for (std::size_t i = 0; i < count; ++i) at[i] = low + width() * (static_cast<double>(i) + 0.5);
  return at;
}

double cell_quantile(const Cells& cells, const std::vector<double>& density, double level) {
  const double wanted = level * std::accumulate(density.begin(), density.end(), 0.0);
  double below = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    if (below + density[i] >= wanted && density[i] > 0)
      return cells.low + cells.width() * (static_cast<double>(i) + (wanted - below) / density[i]);
    below += density[i];
  }
  return NAN;
}

TargetNumbers cell_numbers(const Cells& cells, const std::vector<double>& density) {
  TargetNumbers out;
  const double mass = std::accumulate(density.begin(), density.end(), 0.0);
  if (!(mass > 0) || !std::isfinite(mass)) return out;
  const std::vector<double> at = cells.middles();
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < at.size(); ++i) mean += density[i] / mass * at[i];
  for (std::size_t i = 0; i < at.size(); ++i) variance += density[i] / mass * (at[i] - mean) * (at[i] - mean);
  out.mean = mean;
  out.sd = std::sqrt(variance);
  for (std::size_t q = 0; q < kQuantileLevels.size(); ++q)
    out.quantiles[q] = cell_quantile(cells, density, kQuantileLevels[q]);
  return out;
}

struct GridPosteriors::Draft {
  const PosteriorSource* source = nullptr;
  PosteriorNumbers numbers;
  std::vector<double> log;              // density on the grid
  bool failed = false, hidden = false;  // hidden: its mass is not on the grid
  std::string problem;

  // Asks the source; what goes wrong fails the draft alone.
  template <class F>
  void ask(F&& f) {
    const Stopwatch watch;
    try {
      f();
    } catch (const std::exception& error) {
      failed = true;
      problem = source->name + " is left out: " + sentence(error);
    }
    numbers.milliseconds += 1000 * watch.seconds();
  }
  void evaluate(const torch::Tensor& theta) {
    ask([&] {
      log = doubles(source->log_density(theta));
      for (double& value : log)
        if (std::isnan(value)) value = -kInfinity;
    });
  }
  double top() const { return *std::max_element(log.begin(), log.end()); }
};

GridPosteriors::GridPosteriors(std::vector<Target> targets, bool confined, std::size_t cells)
    : targets_(std::move(targets)),
      confined_(confined),
      count_(cells > 0              ? cells
             : targets_.size() == 1 ? 400
                                    : 96) {}

std::pair<double, double> GridPosteriors::bounds(std::size_t t) const {
  if (!confined_) return {-kInfinity, kInfinity};
  return {targets_[t].low, targets_[t].high};
}

Cells GridPosteriors::whole() const {
  const Target& target = targets_.front();
  if (std::isfinite(target.low) && std::isfinite(target.high)) {
    const double margin = confined_ ? 0 : 0.1 * (target.high - target.low);
    return {target.low - margin, target.high + margin, count_};
  }
  return {target.location - 8 * target.scale, target.location + 8 * target.scale, count_};
}

std::vector<Cells> GridPosteriors::where(Group& group) const {
  std::vector<Cells> cells(targets_.size(), Cells{kInfinity, -kInfinity, count_});
  for (Draft& draft : group)
    draft.ask([&] {
      const PosteriorSource& source = *draft.source;
      torch::Tensor centre = source.mean, sd = source.sd;
      if (!centre.defined()) {
        const torch::Tensor ends = torch::quantile(source.sample(kScoutingDraws).to(torch::kCPU, torch::kFloat64),
                                                   torch::tensor({0.05, 0.95}, torch::kFloat64), 0);
        centre = ends.mean(0);
        sd = (ends[1] - ends[0]) / 3.29;
      }
      for (std::size_t t = 0; t < cells.size(); ++t) {
        const auto i = static_cast<std::int64_t>(t);
        const double middle = centre[i].item<double>(), half = 5.5 * sd[i].item<double>();
        PAIRS_CHECK(std::isfinite(middle) && half > 0 && std::isfinite(half), "its spread is not a positive number");
        cells[t].low = std::min(cells[t].low, std::max(middle - half, bounds(t).first));
        cells[t].high = std::max(cells[t].high, std::min(middle + half, bounds(t).second));
      }
    });
  return cells;
}

void GridPosteriors::one_target(Group& group, std::vector<Cells>& grid) {
  const auto edge = bounds(0);
  if (grid.empty()) {
    grid = {whole()};
    if (!group.front().source->ours && group.size() == 1) grid = where(group);
  }
  Cells& cells = grid.front();
  Cells used;  // by the densities
  bool sought = false;
  for (int attempt = 0; attempt < kAttempts && cells.high > cells.low; ++attempt) {
    used = cells;
    const torch::Tensor theta = column_of(cells.middles());
    std::size_t first = cells.count, last = 0;
    double narrowest = kInfinity;
    bool lost = true;
    for (Draft& draft : group) {
      if (draft.failed) continue;
      draft.evaluate(theta);
      if (draft.failed || !std::isfinite(draft.top())) continue;
      lost = false;
      std::vector<double> density(draft.log.size());
      for (std::size_t i = 0; i < density.size(); ++i) density[i] = std::exp(draft.log[i] - draft.top());
      const Occupied place = occupied(density, std::exp(-kDepth));
      // A posterior whose mass is not on the grid stands between two of its points.
      double mass = 0;
      for (const double value : draft.log) mass += std::exp(value) * cells.width();
      draft.hidden = draft.source->ours && (std::fabs(mass - 1) > kHidden || place.sd < 1);
      if (draft.hidden) narrowest = 0;
      first = std::min(first, place.first);
      last = std::max(last, place.last);
      narrowest = std::min(narrowest, place.sd);
    }
    if (lost) {
      if (sought) break;
      sought = true;
      cells = where(group).front();
      continue;
    }
    const double width = cells.high - cells.low;
    const bool below = first == 0 && cells.low > edge.first,
               above = last + 1 == cells.count && cells.high < edge.second;
    const double occupied_cells = static_cast<double>(last - first + 1), all = static_cast<double>(cells.count);
    if (below || above) {
      cells = {below ? std::max(cells.low - width, edge.first) : cells.low,
               above ? std::min(cells.high + width, edge.second) : cells.high, cells.count};
    } else if (occupied_cells < 0.25 * all) {
      const double margin = 1 + 0.15 * occupied_cells;
      cells = zoomed(cells, static_cast<double>(first) - margin, static_cast<double>(last) + 1 + margin, count_, edge);
    } else if (narrowest < 3 && cells.count < kMostCells) {
      cells.count *= 2;
    } else {
      break;
    }
  }
  cells = used;
  for (Draft& draft : group) {
    if (draft.hidden && !draft.failed) {
      draft.failed = true;
      draft.problem = draft.source->name + " is left out: it is narrower than the plot can show beside the others";
    }
    if (draft.failed || draft.log.size() != cells.count) continue;
    std::vector<double> density = draft.log;
    for (double& p : density) p = std::exp(p);
    draft.numbers.targets = {cell_numbers(cells, density)};
    draft.numbers.cells = {cells};
    draft.numbers.marginals = {std::move(density)};
  }
}

void GridPosteriors::two_targets(Group& group, std::vector<Cells>& grid) {
  bool sought = grid.empty();
  if (sought) grid = where(group);
  std::vector<Cells> used;  // by the densities
  for (int attempt = 0; attempt < kPlaneAttempts && grid[0].high > grid[0].low; ++attempt) {
    used = grid;
    const std::vector<torch::Tensor> mesh = torch::meshgrid(
        {torch::tensor(grid[0].middles(), torch::kFloat64), torch::tensor(grid[1].middles(), torch::kFloat64)}, "ij");
    const torch::Tensor theta = torch::stack({mesh[0].flatten(), mesh[1].flatten()}, 1);
    const std::size_t rows = grid[0].count, columns = grid[1].count;
    std::array<Occupied, 2> place;
    for (std::size_t t = 0; t < 2; ++t) place[t] = {grid[t].count, 0, kInfinity};
    bool lost = true;
    for (Draft& draft : group) {
      if (draft.failed) continue;
      draft.evaluate(theta);
      if (draft.failed) continue;
      std::vector<double>& joint = draft.numbers.joint;
      joint.resize(draft.log.size());
      for (std::size_t i = 0; i < joint.size(); ++i) joint[i] = std::exp(draft.log[i]);
      auto& marginals = draft.numbers.marginals;
      marginals = {std::vector<double>(rows, 0), std::vector<double>(columns, 0)};
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          marginals[0][i] += joint[i * columns + j] * grid[1].width();
          marginals[1][j] += joint[i * columns + j] * grid[0].width();
        }
      for (std::size_t t = 0; t < 2; ++t) {
        const double top = *std::max_element(marginals[t].begin(), marginals[t].end());
        if (!(top > 0) || !std::isfinite(top)) continue;
        lost = false;
        std::vector<double> scaled = marginals[t];
        for (double& p : scaled) p /= top;
        const Occupied one = occupied(scaled, kPlaneShare);
        place[t].first = std::min(place[t].first, one.first);
        place[t].last = std::max(place[t].last, one.last);
        place[t].sd = std::min(place[t].sd, one.sd);
      }
    }
    if (lost) {
      if (sought) break;
      sought = true;
      grid = where(group);
      continue;
    }
    bool good = true;
    for (std::size_t t = 0; t < 2; ++t) {
      const auto edge = bounds(t);
      Cells& cells = grid[t];
      const double width = cells.high - cells.low, all = static_cast<double>(cells.count);
      const double held = static_cast<double>(place[t].last - place[t].first + 1);
      const bool below = place[t].first == 0 && cells.low > edge.first,
                 above = place[t].last + 1 == cells.count && cells.high < edge.second;
      if (below || above) {
        cells = {below ? std::max(cells.low - 0.4 * width, edge.first) : cells.low,
                 above ? std::min(cells.high + 0.4 * width, edge.second) : cells.high, cells.count};
      } else if (held < 0.4 * all) {
        const double margin = 1 + 0.12 * held;
        cells = zoomed(cells, static_cast<double>(place[t].first) - margin,
                       static_cast<double>(place[t].last) + 1 + margin, count_, edge);
      } else if (place[t].sd < 2.5 && cells.count < kMostSide) {
        cells.count = std::min(2 * cells.count, kMostSide);
      } else {
        continue;
      }
      good = false;
    }
    if (good) break;
  }
  grid = used;
  for (Draft& draft : group) {
    if (draft.failed || draft.numbers.marginals.empty()) continue;
    draft.numbers.cells = grid;
    for (std::size_t t = 0; t < 2; ++t)
      draft.numbers.targets.push_back(cell_numbers(grid[t], draft.numbers.marginals[t]));
  }
}

void GridPosteriors::many_targets(Draft& draft) const {
  draft.ask([&] {
    const torch::Tensor draws = draft.source->sample(kDraws).to(torch::kCPU, torch::kFloat64);
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const std::vector<double> values = doubles(draws.select(1, static_cast<std::int64_t>(t)));
      const torch::Tensor column = draws.select(1, static_cast<std::int64_t>(t));
      TargetNumbers target;
      target.mean = column.mean().item<double>();
      target.sd = column.std().item<double>();
      const torch::Tensor levels =
          torch::tensor(std::vector<double>(kQuantileLevels.begin(), kQuantileLevels.end()), torch::kFloat64);
      const std::vector<double> quantiles = doubles(torch::quantile(column, levels));
      std::copy(quantiles.begin(), quantiles.end(), target.quantiles.begin());
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      const double bandwidth = 0.9 * target.sd * std::pow(static_cast<double>(values.size()), -0.2);
      const Cells cells{*least - 3 * bandwidth, *most + 3 * bandwidth, 200};
      draft.numbers.targets.push_back(target);
      draft.numbers.cells.push_back(cells);
      draft.numbers.marginals.push_back(kernel_density(values, bandwidth, cells));
    }
  });
}

std::vector<PosteriorNumbers> GridPosteriors::evaluate(const std::vector<PosteriorSource>& sources,
                                                       const std::function<void(const std::string&)>& problem) {
  // Runs and the exact posterior share a grid, so that they can be compared; others have their own.
  std::vector<std::pair<std::string, Group>> groups = {{"", {}}};
  for (const PosteriorSource& source : sources) {
    Draft draft;
    draft.source = &source;
    draft.numbers.name = source.name;
    draft.numbers.role = source.role;
    draft.numbers.ours = source.ours;
    draft.numbers.milliseconds = source.milliseconds;
    if (source.ours || source.role == SeriesRole::exact) {
      groups.front().second.push_back(std::move(draft));
    } else {
      groups.emplace_back(source.name, Group());
      groups.back().second.push_back(std::move(draft));
    }
  }
  std::vector<PosteriorNumbers> out;
  for (auto& [name, group] : groups) {
    if (group.empty()) continue;
    if (targets_.size() == 1)
      one_target(group, last_[name]);
    else if (targets_.size() == 2)
      two_targets(group, last_[name]);
    else
      for (Draft& draft : group) many_targets(draft);
    const Draft* exact = nullptr;
    for (const Draft& draft : group)
      if (!draft.failed && draft.source->role == SeriesRole::exact) exact = &draft;
    for (Draft& draft : group) {
      const bool usable = !draft.failed && !draft.numbers.targets.empty() && std::isfinite(draft.numbers.targets[0].sd);
      if (!usable) {
        if (problem)
          problem(draft.failed ? draft.problem : draft.source->name + " is left out: it has no density here");
        continue;
      }
      if (exact != nullptr && exact != &draft && draft.log.size() == exact->log.size() && !draft.log.empty()) {
        double mass = 0, sum = 0;
        const double top = exact->top();
        for (const double value : exact->log) mass += std::exp(value - top);
        double area = 1;
        for (const Cells& cells : draft.numbers.cells) area *= cells.width();
        const double log_mass = top + std::log(mass * area);
        for (std::size_t i = 0; i < draft.log.size(); ++i) {
          const double p = std::exp(exact->log[i] - top) / mass;
          if (p > 1e-15) sum += p * (exact->log[i] - log_mass - draft.log[i]);
        }
        draft.numbers.kl = sum;
      }
      if (draft.source->mean.defined())
        for (std::size_t t = 0; t < targets_.size(); ++t) {
          draft.numbers.targets[t].mean = draft.source->mean[static_cast<std::int64_t>(t)].item<double>();
          draft.numbers.targets[t].sd = draft.source->sd[static_cast<std::int64_t>(t)].item<double>();
        }
      out.push_back(std::move(draft.numbers));
    }
    // A source that failed must not spoil the next search.
    if (std::any_of(group.begin(), group.end(), [](const Draft& draft) { return draft.failed; })) last_[name].clear();
  }
  return out;
}

}  // namespace pairs
