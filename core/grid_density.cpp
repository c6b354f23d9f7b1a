#include "core/grid_density.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr double kNegligible = 25;      // nats below the maximum, beyond which cells are ignored
constexpr double kLeastOccupied = 0.4;  // share of an axis, below which it is narrowed further
constexpr int kMostNarrowings = 60;
// One in so many cells counts however deep it lies: cells may be much wider than the density, and their middles beside
// it.
constexpr std::int64_t kBest = 8;

constexpr double kDecades = 1000;     // ratio of positive bounds from which the logarithm has equal cells
constexpr double kUnresolved = 1e-3;  // difference of the logarithms of the masses of even and odd cells

// The number of cells per axis while it is narrowed, at first when it is normalized, and at most.
std::size_t search_cells(std::size_t targets) {
  return targets == 1 ? 33 : 13;
}
std::size_t final_cells(std::size_t targets) {
  return targets == 1 ? 256 : 48;
}
std::size_t most_cells(std::size_t targets) {
  return targets == 1 ? 16384 : 768;
}

bool spans_decades(const Target& target) {
  return !target.periodic && target.low > 0 && std::isfinite(target.high) && target.high > kDecades * target.low;
}

Cells whole_axis(const Target& target, std::size_t cells) {
  if (spans_decades(target)) return {std::log(target.low), std::log(target.high), cells};
  const double width = target.view_high - target.view_low;
  return {std::isfinite(target.low) ? target.low : target.view_low - width,
          std::isfinite(target.high) ? target.high : target.view_high + width, cells};
}

// Narrows the axis to the cells that count and one on either side; false if it already fits.
bool narrowed(Cells& cells, const torch::Tensor& counts) {
  const torch::Tensor at = counts.nonzero().flatten();
  const auto first = at[0].item<std::int64_t>(), last = at[-1].item<std::int64_t>();
  if (static_cast<double>(last - first + 1) >= kLeastOccupied * static_cast<double>(cells.count)) return false;
  const Cells before = cells;
  cells.low = std::max(before.low, before.low + static_cast<double>(first - 1) * before.width());
  cells.high = std::min(before.high, before.low + static_cast<double>(last + 2) * before.width());
  return true;
}

}  // namespace

GridDensity::GridDensity(const std::vector<Target>& targets, Log log, const std::string& name) : log_(std::move(log)) {
  if (any_periodic(targets))
    log_ = [targets, inner = std::move(log_)](const torch::Tensor& theta) { return inner(wrapped(targets, theta)); };
  PAIRS_CHECK(targets.size() == 1 || targets.size() == 2, "{} is made a density of one or two targets, not of {}", name,
              targets.size());
  for (const Target& target : targets)
    grid_.push_back({whole_axis(target, search_cells(targets.size())), spans_decades(target)});
  if (any_periodic(targets)) cut_open(targets, name);
  narrow(search_cells(targets.size()), name);
  normalize(final_cells(targets.size()), name);
}

void GridDensity::cut_open(const std::vector<Target>& targets, const std::string& name) {
  const torch::Tensor at = middles(), log = on_grid(name);
  const std::vector<Target> open = turned(targets, at, (log - log.max()).exp());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].periodic) continue;
    grid_[t].cells.low = open[t].low;
    grid_[t].cells.high = open[t].high;
  }
}

torch::Tensor GridDensity::middles() const {
  std::vector<torch::Tensor> axes;
  for (const Axis& axis : grid_) {
    const torch::Tensor at = torch::tensor(axis.cells.middles(), torch::kFloat64);
    axes.push_back(axis.logarithmic ? at.exp() : at);
  }
  for (torch::Tensor& axis : axes = torch::meshgrid(axes, "ij")) axis = axis.flatten();
  return at::stack(axes, 1);
}

torch::Tensor GridDensity::on_grid(const std::string& name) const {
  const torch::Tensor at = middles();
  torch::Tensor log = log_(at);
  for (std::size_t t = 0; t < grid_.size(); ++t)
    if (grid_[t].logarithmic) log = log + at.select(1, static_cast<std::int64_t>(t)).log();
  PAIRS_CHECK(std::isfinite(log.max().item<double>()), "{} is nowhere a number", name);
  return log;
}

void GridDensity::narrow(std::size_t cells, const std::string& name) {
  const auto side = static_cast<std::int64_t>(cells);
  for (int attempt = 0; attempt < kMostNarrowings; ++attempt) {
    const torch::Tensor log = on_grid(name);
    const std::int64_t best = std::max<std::int64_t>(log.numel() / kBest, 1);
    const torch::Tensor least = at::minimum(log.max() - kNegligible, std::get<0>(log.topk(best))[-1]);
    const torch::Tensor counts = (log >= least)
                                     .logical_and(log.isfinite())
                                     .view(std::vector<std::int64_t>(grid_.size(), side))
                                     .to(torch::kInt64);
    bool changed = false;
    for (std::size_t t = 0; t < grid_.size(); ++t)
      changed |= narrowed(grid_[t].cells, grid_.size() == 1 ? counts : counts.amax(1 - static_cast<std::int64_t>(t)));
    if (!changed) return;
  }
}

void GridDensity::normalize(std::size_t cells, const std::string& name) {
  for (Axis& axis : grid_) axis.cells.count = cells;
  torch::Tensor log;
  for (bool finer = true; finer;) {
    log = on_grid(name);
    finer = false;
    std::vector<std::int64_t> shape;
    for (const Axis& axis : grid_) shape.push_back(static_cast<std::int64_t>(axis.cells.count));
    const torch::Tensor cube = log.view(shape);
    for (std::size_t t = 0; t < grid_.size(); ++t) {
      const auto mass = [&](std::int64_t first) {
        return cube.slice(static_cast<std::int64_t>(t), first, std::nullopt, 2)
            .reshape({-1})
            .logsumexp(0)
            .item<double>();
      };
      if (std::abs(mass(0) - mass(1)) <= kUnresolved || 2 * grid_[t].cells.count > most_cells(grid_.size())) continue;
      grid_[t].cells.count *= 2;
      finer = true;
    }
  }
  double area = 1;
  for (const Axis& axis : grid_) area *= axis.cells.width();
  log_evidence_ = log.logsumexp(0).item<double>() + std::log(area);
  mass_ = log.softmax(0);
  at_ = middles();
  mean_ = mass_.matmul(at_);
  sd_ = mass_.matmul((at_ - mean_).square()).sqrt();
}

torch::Tensor GridDensity::covariance() const {
  const torch::Tensor away = at_ - mean_;
  return away.t().matmul(away * mass_.unsqueeze(1));
}

torch::Tensor GridDensity::sample(std::int64_t count, Stream& stream) const {
  const std::vector<double> below = doubles(mass_.cumsum(0));
  torch::Tensor out = at_.new_empty({count, static_cast<std::int64_t>(grid_.size())});
  auto* to = out.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto above = std::upper_bound(below.begin(), below.end() - 1, stream.uniform64() * below.back());
    auto cell = static_cast<std::size_t>(above - below.begin());
    for (std::size_t t = grid_.size(); t-- > 0; cell /= grid_[t].cells.count) {
      const Cells& cells = grid_[t].cells;
      const double at = cells.low + cells.width() * (static_cast<double>(cell % cells.count) + stream.uniform64());
      to[t] = grid_[t].logarithmic ? std::exp(at) : at;
    }
    to += grid_.size();
  }
  return out;
}

}  // namespace pairs
