#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/eval/metrics.h"
#include "core/eval/metrics_checks.h"
#include "core/nn/adamw.h"

namespace pairs {
namespace {

constexpr std::int64_t kFolds = 5, kSteps = 500, kBatch = 256;
constexpr double kRate = 5e-3, kDecay = 1e-2;

torch::Tensor uniform(torch::IntArrayRef shape, double bound, Stream& stream) {
  torch::Tensor w = torch::empty(shape, torch::kFloat32);
  float* values = w.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < w.numel(); ++i) values[i] = static_cast<float>(bound * (2 * stream.uniform64() - 1));
  return w.requires_grad_(true);
}

std::vector<std::int64_t> shuffled(std::int64_t count, Stream& stream) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[stream.below(static_cast<std::uint64_t>(i) + 1)]);
  return order;
}

torch::Tensor indices(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, torch::kInt64);
}

// Inputs and their squares and products -> two hidden layers of SiLU -> one logit: the quadratic features let it
// see differences of scale and correlation at once, the hidden layers anything else.
class Classifier {
 public:
  Classifier(std::int64_t inputs, Stream stream) {
    const std::int64_t width = std::clamp<std::int64_t>(10 * inputs, 32, 128);
    std::int64_t from = inputs;
    for (const std::int64_t to : {width, width, std::int64_t{1}}) {
      const double bound = to == 1 ? 1e-3 : std::sqrt(3.0 / static_cast<double>(from));
      weights_.push_back(uniform({to, from}, bound, stream));
      weights_.push_back(torch::zeros({to}, torch::kFloat32).requires_grad_(true));
      from = to;
    }
  }

  torch::Tensor logits(const torch::Tensor& x) const {
    torch::Tensor h = x;
    for (std::size_t i = 0; i < weights_.size(); i += 2) {
      h = torch::addmm(weights_[i + 1], h, weights_[i].t());
      if (i + 2 < weights_.size()) h = torch::silu(h);
    }
    return h.squeeze(1);
  }

  void fit(const torch::Tensor& x, const torch::Tensor& label, Stream stream) {
    AdamW::Options options;
    options.weight_decay = kDecay;
    AdamW optimiser(weights_, options);
    const std::int64_t rows = x.size(0), batch = std::min(rows, kBatch);
    std::vector<std::int64_t> order;
    std::int64_t next = rows;
    for (std::int64_t step = 0; step < kSteps; ++step) {
      if (next + batch > rows) {
        order = shuffled(rows, stream);
        next = 0;
      }
      const torch::Tensor rows_of_batch = indices({order.begin() + next, order.begin() + next + batch});
      next += batch;
      const double rate = kRate * 0.5 * (1 + std::cos(M_PI * static_cast<double>(step) / kSteps));
      optimiser.zero_grad();
      torch::binary_cross_entropy_with_logits(logits(x.index_select(0, rows_of_batch)),
                                              label.index_select(0, rows_of_batch))
          .backward();
      optimiser.step(rate);
    }
  }

 private:
  std::vector<torch::Tensor> weights_;
};

// Standardised inputs and, for few of them, their squares and products, standardised too.
torch::Tensor features(const torch::Tensor& points) {
  const auto standard = [](const torch::Tensor& x) {
    return (x - x.mean(0)) / x.std(0, /*unbiased=*/false).clamp_min(1e-12);
  };
  const torch::Tensor x = standard(points);
  const std::int64_t d = x.size(1);
  std::vector<torch::Tensor> columns = {x};
  for (std::int64_t i = 0; i < d; ++i)
    for (std::int64_t j = d <= 16 ? 0 : i; j <= i; ++j)
      columns.push_back((x.select(1, i) * x.select(1, j)).unsqueeze(1));
  return standard(torch::cat(columns, 1)).clamp(-10, 10).to(torch::kFloat32);
}

}  // namespace

double c2st(const torch::Tensor& a, const torch::Tensor& b, std::uint64_t seed) {
  const torch::Tensor first = detail::metric_input(a, 2, "Samples"), second = detail::metric_input(b, 2, "Samples");
  PAIRS_CHECK(first.sizes() == second.sizes() && first.size(0) >= 2 * kFolds,
              "The two-sample test compares two equally large sets of {} points or more; got {} points of {} numbers "
              "and {} of {}.",
              2 * kFolds, first.size(0), first.size(1), second.size(0), second.size(1));
  PAIRS_CHECK(first.isfinite().all().item<bool>() && second.isfinite().all().item<bool>(),
              "Samples to compare hold numbers that are not finite.");
  const c10::InferenceMode normal_mode(false);
  const std::int64_t n = first.size(0);
  const torch::Tensor x = features(torch::cat({first, second}));
  const torch::Tensor label = torch::cat({torch::zeros({n}), torch::ones({n})});
  // Both sets are shuffled alike, so that each fold holds as many points of one as of the other.
  Stream shuffle(stream_key(seed, Purpose::order), 0);
  const std::vector<std::int64_t> order = shuffled(n, shuffle);
  std::array<double, kFolds> right{};
  // A fold is hundreds of tiny steps: one thread each is faster than many threads a step.
  at::parallel_for(0, kFolds, 1, [&](std::int64_t begin, std::int64_t end) {
    const c10::InferenceMode no_inference(false);
    const at::AutoGradMode with_gradients(true);
    for (std::int64_t fold = begin; fold < end; ++fold) {
      std::vector<std::int64_t> train, test;
      for (std::int64_t i = 0; i < n; ++i)
        for (const std::int64_t row : {order[i], order[i] + n}) (i % kFolds == fold ? test : train).push_back(row);
      Classifier classifier(x.size(1), Stream(stream_key(seed, Purpose::init), static_cast<std::uint64_t>(fold)));
      classifier.fit(x.index_select(0, indices(train)), label.index_select(0, indices(train)),
                     Stream(stream_key(seed, Purpose::order), static_cast<std::uint64_t>(fold) + 1));
      const torch::NoGradGuard no_gradients;
      const torch::Tensor guess = classifier.logits(x.index_select(0, indices(test))).gt(0);
      right[fold] = guess.eq(label.index_select(0, indices(test)).gt(0.5)).to(torch::kFloat64).sum().item<double>();
    }
  });
  return std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(2 * n);
}

}  // namespace pairs
