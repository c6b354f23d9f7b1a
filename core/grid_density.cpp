#include "core/grid_density.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kNegligible = 25;      // nats below the maximum, beyond which cells are ignored
constexpr double kLeastOccupied = 0.4;  // share of an axis, below which it is narrowed further
constexpr int kMostNarrowings = 40;

// The number of cells per axis while it is narrowed, and at the end.
std::size_t search_cells(std::size_t targets) {
  return targets == 1 ? 33 : 13;
}
std::size_t final_cells(std::size_t targets) {
  return targets == 1 ? 256 : 48;
}

Cells whole_axis(const Target& target, std::size_t cells) {
  const double width = target.view_high - target.view_low;
  return {std::isfinite(target.low) ? target.low : target.view_low - width,
          std::isfinite(target.high) ? target.high : target.view_high + width, cells};
}

// Midpoints of all cells [cells, d], the last axis fastest.
torch::Tensor middles(const std::vector<Cells>& grid) {
  std::vector<torch::Tensor> axes;
  for (const Cells& cells : grid) axes.push_back(torch::tensor(cells.middles(), torch::kFloat64));
  for (torch::Tensor& axis : axes = torch::meshgrid(axes, "ij")) axis = axis.flatten();
  return at::stack(axes, 1);
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
  PAIRS_CHECK(targets.size() == 1 || targets.size() == 2, "{} is made a density of one or two targets, not of {}", name,
              targets.size());
  for (const Target& target : targets) grid_.push_back(whole_axis(target, search_cells(targets.size())));
  narrow(search_cells(targets.size()), name);
  normalize(final_cells(targets.size()), name);
}

torch::Tensor GridDensity::on(const std::vector<Cells>& grid, const std::string& name) const {
  torch::Tensor log = log_(middles(grid));
  PAIRS_CHECK(std::isfinite(log.max().item<double>()), "{} is nowhere a number", name);
  return log;
}

void GridDensity::narrow(std::size_t cells, const std::string& name) {
  const auto side = static_cast<std::int64_t>(cells);
  for (int attempt = 0; attempt < kMostNarrowings; ++attempt) {
    const torch::Tensor log = on(grid_, name);
    const torch::Tensor counts =
        (log > log.max() - kNegligible).view(std::vector<std::int64_t>(grid_.size(), side)).to(torch::kInt64);
    bool changed = false;
    for (std::size_t t = 0; t < grid_.size(); ++t)
      changed |= narrowed(grid_[t], grid_.size() == 1 ? counts : counts.amax(1 - static_cast<std::int64_t>(t)));
    if (!changed) return;
  }
}

void GridDensity::normalize(std::size_t cells, const std::string& name) {
  double area = 1;
  for (Cells& axis : grid_) {
    axis.count = cells;
    area *= axis.width();
  }
  const torch::Tensor log = on(grid_, name), at = middles(grid_);
  log_evidence_ = log.logsumexp(0).item<double>() + std::log(area);
  mass_ = log.softmax(0);
  mean_ = mass_.matmul(at);
  sd_ = mass_.matmul((at - mean_).square()).sqrt();
}

torch::Tensor GridDensity::covariance() const {
  const torch::Tensor away = middles(grid_) - mean_;
  return away.t().matmul(away * mass_.unsqueeze(1));
}

torch::Tensor GridDensity::sample(std::int64_t count, Stream& stream) const {
  const std::vector<double> below = doubles(mass_.cumsum(0));
  torch::Tensor out = middles(grid_).new_empty({count, static_cast<std::int64_t>(grid_.size())});
  auto* to = out.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto above = std::upper_bound(below.begin(), below.end() - 1, stream.uniform64() * below.back());
    auto cell = static_cast<std::size_t>(above - below.begin());
    for (std::size_t t = grid_.size(); t-- > 0; cell /= grid_[t].count)
      to[t] = grid_[t].low + grid_[t].width() * (static_cast<double>(cell % grid_[t].count) + stream.uniform64());
    to += grid_.size();
  }
  return out;
}

}  // namespace pairs
