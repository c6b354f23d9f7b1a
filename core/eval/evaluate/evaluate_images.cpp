#include "core/eval/evaluate/evaluate_images.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/set_digest.h"
#include "core/eval/metrics/mean_error.h"

namespace pairs {
namespace {

// Sets between two checks for a stop, and the largest number of sample values in memory.
constexpr std::int64_t kMostSets = 32, kMostNumbers = std::int64_t{1} << 24;

// Mean squared distance of images from their mean image, unbiased, from sums in a single pass.
class PriorError {
 public:
  void add(const torch::Tensor& theta) {
    sum_ = sum_.defined() ? sum_ + theta.sum(0) : theta.sum(0);
    squares_ += theta.square().sum().item<double>();
    count_ += static_cast<double>(theta.size(0));
  }
  double value() const {
    if (count_ < 2) return NAN;
    const double spread = squares_ - sum_.square().sum().item<double>() / count_;
    return spread / (count_ - 1) / static_cast<double>(sum_.numel());
  }

 private:
  torch::Tensor sum_;
  double squares_ = 0, count_ = 0;
};

}  // namespace

std::vector<EvaluationRow> evaluate_images(Estimator& estimator, const EvaluationOptions& options,
                                           const std::function<bool()>& keep_going,
                                           const std::function<void(const EvaluationRow&)>& row_done,
                                           const std::function<void(std::int64_t)>& step) {
  const Task& task = estimator.task();
  const std::int64_t d = task.info().target_size();
  const auto sets_of = [&](std::size_t k) { return options.sets.size() == 1 ? options.sets[0] : options.sets[k]; };
  estimator.train(false);

  // Sizes in ascending order; the blocks between them add up to every prefix.
  std::vector<std::int64_t> ascending = options.sizes;
  std::sort(ascending.begin(), ascending.end());
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  std::int64_t most = 0;
  for (std::size_t k = 0; k < options.sizes.size(); ++k) most = std::max(most, sets_of(k));
  const std::int64_t unit =
      std::clamp<std::int64_t>(kMostNumbers / std::max<std::int64_t>(1, options.samples * d), 1, kMostSets);
  const auto indices_of = [&](std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    std::iota(indices.begin(), indices.end(), first);
    return indices;
  };

  std::vector<torch::Tensor> parts;  // [count, sizes, l] per unit
  std::vector<std::uint16_t> tested;
  SetDigests digests;
  for (std::int64_t first = 0; first < most; first += unit) {
    const std::int64_t count = std::min(unit, most - first);
    std::int64_t largest = 0;
    for (std::size_t k = 0; k < options.sizes.size(); ++k)
      if (sets_of(k) > first) largest = std::max(largest, options.sizes[k]);
    std::vector<std::int64_t> blocks;
    for (std::int64_t before = 0; const std::int64_t n : ascending) {
      if (n <= largest) blocks.push_back(n - std::exchange(before, n));
    }
    const std::vector<std::int64_t> indices = indices_of(first, count);
    const Latents latents = task.latents(options.seed, options.purpose, indices);
    digests.begin(count);
    StreamOptions stream;
    stream.keep_going = keep_going;
    stream.visit = [&](const Observations& x, const std::vector<ChunkPart>& chunk) { digests.add(x, chunk); };
    const torch::Tensor states = estimator.pool().merge_blocks(
        block_states(estimator, latents, options.seed, options.purpose, indices, blocks, stream));
    digests.finish(latents.theta, tested);
    const std::vector<std::int64_t> sizes(ascending.begin(),
                                          ascending.begin() + static_cast<std::ptrdiff_t>(blocks.size()));
    parts.push_back(estimator.pool().finish(states, torch::tensor(sizes, torch::kFloat64).view({1, -1, 1})));
  }

  std::vector<EvaluationRow> rows;
  std::int64_t sets_done = 0;
  for (std::size_t k = 0; k < options.sizes.size(); ++k) {
    EvaluationRow row;
    row.n = options.sizes[k];
    row.sets = sets_of(k);
    row.samples = options.samples;
    row.tested.assign(tested.begin(), tested.begin() + static_cast<std::ptrdiff_t>(row.sets));
    const std::int64_t place = std::find(ascending.begin(), ascending.end(), row.n) - ascending.begin();
    std::vector<double> of_mean, sds;
    PriorError prior;
    for (std::int64_t first = 0; first < row.sets; first += unit) {
      if (keep_going && !keep_going()) throw Stopped();
      const std::int64_t count = std::min(unit, row.sets - first);
      const Latents latents = task.latents(options.seed, options.purpose, indices_of(first, count));
      prior.add(latents.theta);
      if (options.samples > 0) {
        const torch::Tensor aggregates =
            parts[static_cast<std::size_t>(first / unit)].slice(0, 0, count).select(1, place).contiguous();
        const torch::Tensor drawn = estimator.sample(
            aggregates, torch::full({count}, row.n, torch::kInt64), options.samples,
            stream_key(options.seed + static_cast<std::uint64_t>(first) * 977, Purpose::posterior), latents.given);
        const SquaredErrors errors = squared_errors(drawn, latents.theta);
        append_doubles(row.set_mse, errors.draw);
        PAIRS_CHECK(
            errors.draw.isfinite().all().item<bool>(),
            "At N = {} samples of the posterior are not finite numbers: the weights are damaged or their training "
            "diverged; train the run again",
            row.n);
        append_doubles(of_mean, errors.mean);
        if (options.samples > 1) {
          append_doubles(row.set_mse_posterior, errors.posterior);
          append_doubles(sds, errors.sd);
        }
      }
      sets_done += count;
      if (step) step(sets_done);
    }
    row.mse_prior = prior.value();
    const auto measure = [](const std::vector<double>& values, double& mean, double& se) {
      if (values.empty()) return;
      const MeanAndError measured = mean_and_error(values);
      mean = measured.mean;
      se = measured.se;
    };
    double sd_se = NAN;
    measure(row.set_mse, row.mse, row.mse_se);
    measure(of_mean, row.mse_mean, row.mse_mean_se);
    measure(row.set_mse_posterior, row.mse_posterior, row.mse_posterior_se);
    measure(sds, row.sd, sd_se);
    if (row_done) row_done(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pairs
