#include "core/eval/learned_product.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/transfer.h"
#include "core/prior_density.h"

namespace pairs {
namespace {

constexpr std::int64_t kAtOnce = 32768;  // evaluations of the head
constexpr double kNegligible = 25;       // nat below the top, beyond which cells are left out
constexpr double kLeastOccupied = 0.4;   // of an axis, before it is narrowed further
constexpr int kMostNarrowings = 40;

// Cells of an axis while it is narrowed, and in the end.
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

// Middles of all cells [cells, d], the last axis fastest.
torch::Tensor middles(const std::vector<Cells>& grid) {
  std::vector<torch::Tensor> axes;
  for (const Cells& cells : grid) axes.push_back(torch::tensor(cells.middles(), torch::kFloat64));
  for (torch::Tensor& axis : axes = torch::meshgrid(axes, "ij")) axis = axis.flatten();
  return at::stack(axes, 1);
}

// The axis narrowed to the cells that count and one to either side; false where it fits already.
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

SingleLogDensity single_answers(Estimator& estimator, const torch::Tensor& given) {
  return [&estimator, given](const torch::Tensor& rows, const torch::Tensor& theta) {
    const std::int64_t count = rows.size(0);
    const torch::Tensor known = given.defined() ? given.expand({count, given.size(1)}) : given;
    return estimator.log_prob_grid(theta.unsqueeze(0).expand({count, theta.size(0), theta.size(1)}), rows,
                                   at::ones({count}, torch::kInt64), known);
  };
}

std::string no_learned_product(const Estimator& estimator) {
  const TaskInfo& info = estimator.task().info();
  if (!estimator.has_density()) return "its head draws samples and has no density";
  const std::vector<std::int64_t> sizes = estimator.sizes();
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), 1) == sizes.end()) return "it has no head for N = 1";
  if (info.targets.empty() || info.targets.size() > 2)
    return fmt::format("task {} has {} targets, and the product is made a density of one or two", info.name,
                       info.targets.size());
  const torch::Tensor somewhere = at::zeros({1, info.target_size()}, torch::kFloat64);
  return log_prior(estimator.task(), somewhere).defined()
             ? ""
             : fmt::format("task {} knows no density of its prior", info.name);
}

LearnedProduct::LearnedProduct(const Task& task, SingleLogDensity single, torch::Tensor rows,
                               std::function<bool()> keep_going)
    : task_(task), single_(std::move(single)), rows_(std::move(rows)), keep_going_(std::move(keep_going)) {
  PAIRS_CHECK(rows_.dim() >= 1 && rows_.size(0) >= 1, "A product of answers needs an observation at least");
  const std::vector<Target>& targets = task.info().targets;
  PAIRS_CHECK(targets.size() == 1 || targets.size() == 2, "A product of answers is of one or two targets, not of {}",
              targets.size());
  for (const Target& target : targets) grid_.push_back(whole_axis(target, search_cells(targets.size())));
  narrow(search_cells(targets.size()));
  normalise(final_cells(targets.size()));
}

torch::Tensor LearnedProduct::product(const torch::Tensor& theta) const {
  const at::NoGradGuard no_grad;
  const torch::Tensor prior = log_prior(task_, theta);
  PAIRS_CHECK(prior.defined(), "A product of answers needs the density of the prior, which task {} does not know",
              task_.info().name);
  const std::int64_t count = rows_.size(0), at_once = std::max<std::int64_t>(1, kAtOnce / theta.size(0));
  torch::Tensor sum = at::zeros({theta.size(0)}, torch::kFloat64);
  for (std::int64_t first = 0; first < count; first += at_once) {
    if (keep_going_ && !keep_going_()) throw Stopped();
    sum += single_(rows_.slice(0, first, std::min(first + at_once, count)), theta).sum(0);
  }
  sum -= static_cast<double>(count - 1) * prior;
  return at::where(prior.isfinite().logical_and(sum.isnan().logical_not()), sum,
                   at::full({}, -std::numeric_limits<double>::infinity(), sum.options()));
}

torch::Tensor LearnedProduct::on(const std::vector<Cells>& grid) const {
  torch::Tensor log = product(middles(grid));
  PAIRS_CHECK(std::isfinite(log.max().item<double>()),
              "The product of the answers at N = 1 is nowhere a number for this set of {} observations", rows_.size(0));
  return log;
}

void LearnedProduct::narrow(std::size_t cells) {
  const auto side = static_cast<std::int64_t>(cells);
  for (int attempt = 0; attempt < kMostNarrowings; ++attempt) {
    const torch::Tensor log = on(grid_);
    const torch::Tensor counts =
        (log > log.max() - kNegligible).view(std::vector<std::int64_t>(grid_.size(), side)).to(torch::kInt64);
    bool changed = false;
    for (std::size_t t = 0; t < grid_.size(); ++t)
      changed |= narrowed(grid_[t], grid_.size() == 1 ? counts : counts.amax(1 - static_cast<std::int64_t>(t)));
    if (!changed) return;
  }
}

void LearnedProduct::normalise(std::size_t cells) {
  double area = 1;
  for (Cells& axis : grid_) {
    axis.count = cells;
    area *= axis.width();
  }
  const torch::Tensor log = on(grid_), at = middles(grid_);
  log_evidence_ = log.logsumexp(0).item<double>() + std::log(area);
  mass_ = log.softmax(0);
  mean_ = mass_.matmul(at);
  sd_ = mass_.matmul((at - mean_).square()).sqrt();
}

torch::Tensor LearnedProduct::log_density(const torch::Tensor& theta) const {
  return product(theta) - log_evidence_;
}

torch::Tensor LearnedProduct::sample(std::int64_t count, Stream& stream) const {
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
