#include "app/posterior/source/posterior_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/gpu/transfer.h"

namespace pairs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kScoutingDraws = 512;
constexpr double kHidden = 0.3;  // share of a normalized density's mass that the grid may miss

// How a grid of one or two axes is fitted.
struct Fit {
  double share;  // of a marginal's maximum, below which density is irrelevant
  double grow;   // of its width, by which an axis grows on either side
  double least;  // minimum share of occupied cells
  double room;   // around what is occupied
  double fine;   // cells within the narrowest sd
  std::size_t most;
  int attempts;
};
constexpr Fit kLine = {6.1e-6, 1, 0.25, 0.15, 3, 2048, 16};
constexpr Fit kPlane = {2e-4, 0.4, 0.4, 0.12, 2.5, 192, 8};

std::pair<double, double> bounds_of(const Target& target, bool confined) {
  return confined || target.periodic ? std::pair(target.low, target.high) : std::pair(-kInfinity, kInfinity);
}

// Cells that a marginal occupies, and its sd in cells.
struct Occupied {
  std::size_t first = std::numeric_limits<std::size_t>::max(), last = 0;
  double sd = kInfinity;
  void include(const Occupied& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    sd = std::min(sd, other.sd);
  }
};

Occupied occupied(const std::vector<double>& density, double share) {
  const double top = *std::max_element(density.begin(), density.end());
  if (!(top > 0) || !std::isfinite(top)) return {};
  Occupied out;
  double mass = 0, mean = 0, square = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double p = density[i] / top, at = static_cast<double>(i);
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

// The mass of the densities on the grid: 1 if it contains a normalized posterior.
double mass_on(const PosteriorDraft& draft, const std::vector<Cells>& grid) {
  double area = 1, sum = 0;
  for (const Cells& cells : grid) area *= cells.width();
  for (const double value : draft.log) sum += std::exp(value);
  return sum * area;
}

// The ranges of the sources by their own moments, one per target.
std::vector<Cells> scouted(std::vector<PosteriorDraft>& group, const std::vector<Target>& targets, bool confined,
                           std::size_t count) {
  std::vector<Cells> grid(targets.size(), Cells{kInfinity, -kInfinity, count});
  for (PosteriorDraft& draft : group)
    draft.ask([&] {
      const PosteriorSource& source = *draft.source;
      torch::Tensor center = source.mean, sd = source.sd;
      if (!center.defined()) {
        const torch::Tensor ends =
            torch::quantile(source.sample(kScoutingDraws, kFigureSeed).to(torch::kCPU, torch::kFloat64),
                            torch::tensor({0.05, 0.95}, torch::kFloat64), 0);
        center = ends.mean(0);
        sd = (ends[1] - ends[0]) / 3.29;
      }
      for (std::size_t t = 0; t < grid.size(); ++t) {
        const auto i = static_cast<std::int64_t>(t);
        const double middle = center[i].item<double>(), half = 5.5 * sd[i].item<double>();
        PAIRS_CHECK(std::isfinite(middle) && half > 0 && std::isfinite(half), "its spread is not a positive number");
        const auto [low, high] = bounds_of(targets[t], confined);
        grid[t].low = std::min(grid[t].low, std::max(middle - half, low));
        grid[t].high = std::max(grid[t].high, std::min(middle + half, high));
      }
    });
  return grid;
}

// Why the grid does not contain a posterior, from the position of its samples.
std::string hidden_text(const PosteriorDraft& draft, const std::vector<Cells>& grid) {
  constexpr double kNarrow = 1.5;  // cells within an sd, estimated from the middle half of the draws
  const torch::Tensor draws = draft.source->sample(kScoutingDraws, kFigureSeed).to(torch::kCPU, torch::kFloat64);
  torch::Tensor inside = torch::ones({draws.size(0)}, torch::kBool);
  bool narrow = false;
  for (std::size_t t = 0; t < grid.size(); ++t) {
    const torch::Tensor axis = draws.select(1, static_cast<std::int64_t>(t));
    inside = inside & (axis >= grid[t].low) & (axis <= grid[t].high);
    const torch::Tensor half = torch::quantile(axis, torch::tensor({0.25, 0.75}, torch::kFloat64));
    narrow |= (half[1] - half[0]).item<double>() / 1.349 < kNarrow * grid[t].width();
  }
  if (inside.to(torch::kFloat64).mean().item<double>() < 1 - kHidden / 2) return "the plot does not hold all of it";
  return narrow ? "it is narrower than the plot can show next to the others"
                : "its density does not sum to one on the plot";
}

// Moves one axis towards its occupied part; false if it fits.
bool refit(Cells& cells, const Occupied& place, const Fit& fit, std::size_t count, std::pair<double, double> bounds) {
  const auto [low, high] = bounds;
  const double width = cells.high - cells.low, held = static_cast<double>(place.last - place.first + 1);
  const bool below = place.first == 0 && cells.low > low;
  const bool above = place.last + 1 == cells.count && cells.high < high;
  if (below || above) {
    cells = {below ? std::max(cells.low - fit.grow * width, low) : cells.low,
             above ? std::min(cells.high + fit.grow * width, high) : cells.high, cells.count};
  } else if (held < fit.least * static_cast<double>(cells.count)) {
    const double margin = 1 + fit.room * held, first = static_cast<double>(place.first) - margin,
                 last = static_cast<double>(place.last) + 1 + margin;
    cells = {std::max(cells.low + first * cells.width(), low), std::min(cells.low + last * cells.width(), high), count};
  } else if (place.sd < fit.fine && cells.count < fit.most) {
    cells.count = std::min(2 * cells.count, fit.most);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void PosteriorDraft::evaluate(const std::vector<Cells>& cells) {
  std::vector<torch::Tensor> axes;
  for (const Cells& axis : cells) axes.push_back(torch::tensor(axis.middles(), torch::kFloat64));
  for (torch::Tensor& axis : axes = torch::meshgrid(axes, "ij")) axis = axis.flatten();
  log = doubles(source->log_density(torch::stack(axes, 1)));
  std::vector<double> density(log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (std::isnan(log[i])) log[i] = -kInfinity;
    density[i] = std::exp(log[i]);
  }
  numbers.cells = cells;
  if (cells.size() == 1) {
    numbers.marginals = {std::move(density)};
    return;
  }
  const std::size_t rows = cells[0].count, columns = cells[1].count;
  numbers.marginals = {std::vector<double>(rows, 0), std::vector<double>(columns, 0)};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      numbers.marginals[0][i] += density[i * columns + j] * cells[1].width();
      numbers.marginals[1][j] += density[i * columns + j] * cells[0].width();
    }
  numbers.joint = std::move(density);
}

double PosteriorDraft::top() const {
  return *std::max_element(log.begin(), log.end());
}

void find_grid(std::vector<PosteriorDraft>& group, const std::vector<Target>& targets, bool confined, std::size_t count,
               std::vector<Cells> start) {
  const Fit& fit = targets.size() == 1 ? kLine : kPlane;
  std::vector<Cells> grid = start.empty() ? scouted(group, targets, confined, count) : std::move(start), used;
  std::vector<char> hidden(group.size(), 0);  // the grid does not contain the posterior
  for (int attempt = 0; attempt < fit.attempts; ++attempt) {
    if (!std::all_of(grid.begin(), grid.end(), [](const Cells& cells) { return cells.high > cells.low; })) break;
    used = grid;
    std::vector<Occupied> place(grid.size());
    for (std::size_t k = 0; k < group.size(); ++k) {
      PosteriorDraft& draft = group[k];
      if (draft.failed) continue;
      draft.ask([&] { draft.evaluate(grid); });
      if (draft.failed || !std::isfinite(draft.top())) continue;
      double narrowest = kInfinity;
      for (std::size_t t = 0; t < grid.size(); ++t) {
        const Occupied own = occupied(draft.numbers.marginals[t], fit.share);
        narrowest = std::min(narrowest, own.sd);
        place[t].include(own);
      }
      if (!draft.source->ours) continue;
      // Missing or excess mass lies between two points or beyond the last.
      hidden[k] = narrowest < 1 || std::fabs(mass_on(draft, grid) - 1) > kHidden;
      if (hidden[k])
        for (Occupied& one : place) one.sd = 0;
    }
    bool changed = false;
    for (std::size_t t = 0; t < grid.size(); ++t)
      if (place[t].first <= place[t].last)
        changed |= refit(grid[t], place[t], fit, count, bounds_of(targets[t], confined));
    if (!changed) break;
  }
  for (std::size_t k = 0; k < group.size(); ++k) {
    PosteriorDraft& draft = group[k];
    if (!draft.failed && hidden[k])
      draft.ask([&] { draft.fail(draft.source->name + " is left out: " + hidden_text(draft, used)); });
    if (draft.failed || draft.log.empty()) continue;
    for (std::size_t t = 0; t < used.size(); ++t)
      draft.numbers.targets.push_back(cell_numbers(used[t], draft.numbers.marginals[t]));
  }
}

}  // namespace pairs
