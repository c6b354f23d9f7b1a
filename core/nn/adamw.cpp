#include "core/nn/adamw.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

using torch::Tensor;

// Elements processed at once: fixes the order of the norm's float64 sums for any number of threads.
constexpr std::int64_t kChunk = 8192;

// One chunk of one parameter.
struct Chunk {
  std::size_t parameter;
  std::int64_t begin, count;
};

struct Factors {
  float decay, one_minus_beta1, beta2, one_minus_beta2, rate, root_correction, eps, scale;
};

std::vector<Chunk> cut(const std::vector<Tensor>& parameters) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].grad().defined()) continue;
    for (std::int64_t begin = 0; begin < parameters[i].numel(); begin += kChunk)
      chunks.push_back({i, begin, std::min(kChunk, parameters[i].numel() - begin)});
  }
  return chunks;
}

PAIRS_SIMD_CLONES double square_sum(const float* g, std::int64_t count) {
  constexpr std::int64_t lanes = 16;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::int64_t j = 0; j < lanes; ++j) sums[j] += static_cast<double>(g[i + j]) * static_cast<double>(g[i + j]);
  for (; i < count; ++i) sums[0] += static_cast<double>(g[i]) * static_cast<double>(g[i]);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

PAIRS_SIMD_CLONES void update(float* __restrict p, const float* __restrict grad, float* __restrict m,
                              float* __restrict v, std::int64_t count, const Factors& f) {
  const Factors k = f;
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = grad[i] * k.scale;
    const float first = m[i] + (g - m[i]) * k.one_minus_beta1;
    const float second = v[i] * k.beta2 + g * g * k.one_minus_beta2;
    m[i] = first;
    v[i] = second;
    p[i] = p[i] * k.decay - k.rate * first / (std::sqrt(second) * k.root_correction + k.eps);
  }
}

}  // namespace

namespace {
std::vector<Tensor> values_of(const std::map<std::string, Tensor>& named) {
  std::vector<Tensor> values;
  for (const auto& [name, tensor] : named) values.push_back(tensor);
  return values;
}
}  // namespace

AdamW::AdamW(const std::map<std::string, Tensor>& parameters, const Options& options)
    : AdamW(values_of(parameters), options) {}

AdamW::AdamW(std::vector<Tensor> parameters, const Options& options)
    : parameters_(std::move(parameters)), options_(options) {
  PAIRS_CHECK(!parameters_.empty(), "AdamW needs at least one parameter");
  const auto inside = [](double beta) { return beta >= 0 && beta < 1; };
  PAIRS_CHECK(inside(options.beta1) && inside(options.beta2) && options.eps > 0 && options.weight_decay >= 0 &&
                  options.clip >= 0,
              "AdamW needs betas in [0, 1), eps > 0, weight decay and clip >= 0");
  const Tensor& one = parameters_.front();
  for (const Tensor& p : parameters_)
    PAIRS_CHECK(p.is_contiguous() && p.is_floating_point() && p.scalar_type() == one.scalar_type() &&
                    p.device() == one.device(),
                "AdamW takes contiguous parameters of one floating-point type on one device");
  kernel_ = one.is_cpu() && one.scalar_type() == torch::kFloat;
  for (const Tensor& p : parameters_) {
    first_.push_back(torch::zeros_like(p.detach()));
    second_.push_back(torch::zeros_like(p.detach()));
  }
}

void AdamW::prepare(double lr) {
  PAIRS_CHECK(std::isfinite(lr) && lr >= 0, "the learning rate must be finite and not negative, not {}", lr);
  for (Tensor& p : parameters_) {
    Tensor& grad = p.mutable_grad();
    if (grad.defined() && !grad.is_contiguous()) grad = grad.contiguous();
  }
}

double AdamW::step(double lr) {
  at::NoGradGuard no_grad;
  prepare(lr);
  const double norm = gradient_norm();
  if (!std::isfinite(norm)) return norm;
  ++steps_;
  const double scale = options_.clip > 0 && norm > options_.clip ? options_.clip / norm : 1.0;
  if (kernel_)
    step_kernel(lr, scale);
  else
    step_aten(lr, scale == 1.0 ? Tensor() : at::scalar_tensor(scale, parameters_.front().options()), std::nullopt);
  return norm;
}

Tensor AdamW::step_unread(double lr, const Tensor& loss) {
  at::NoGradGuard no_grad;
  prepare(lr);
  const Tensor norm = gradient_norm_unread();
  if (!ended_.defined()) ended_ = at::zeros({}, norm.options().dtype(torch::kFloat));
  ended_ = at::maximum(ended_, (norm.isfinite() & loss.isfinite()).logical_not().to(torch::kFloat));
  ++steps_;
  const Tensor scale =
      options_.clip > 0 ? (options_.clip / norm).clamp_max(1.0).to(parameters_.front().scalar_type()) : Tensor();
  step_aten(lr, scale, ended_);
  return norm;
}

Tensor AdamW::gradient_norm_unread() const {
  std::vector<Tensor> grads;
  for (const Tensor& p : parameters_)
    if (p.grad().defined()) grads.push_back(p.grad());
  if (grads.empty()) return at::zeros({}, parameters_.front().options().dtype(torch::kDouble));
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(grads, 2, torch::kDouble)));
}

double AdamW::gradient_norm() const {
  if (!kernel_) return gradient_norm_unread().item<double>();
  const std::vector<Chunk> chunks = cut(parameters_);
  std::vector<double> sums(chunks.size());
  at::parallel_for(0, static_cast<std::int64_t>(chunks.size()), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const Chunk& chunk = chunks[static_cast<std::size_t>(c)];
      sums[static_cast<std::size_t>(c)] =
          square_sum(parameters_[chunk.parameter].grad().const_data_ptr<float>() + chunk.begin, chunk.count);
    }
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total);
}

void AdamW::step_kernel(double lr, double scale) {
  const double t = static_cast<double>(steps_);
  const Factors factors{static_cast<float>(1 - lr * options_.weight_decay),

                        static_cast<float>(1 - options_.beta1),
                        static_cast<float>(options_.beta2),
                        static_cast<float>(1 - options_.beta2),
                        static_cast<float>(lr / (1 - std::pow(options_.beta1, t))),
                        static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t))),
                        static_cast<float>(options_.eps),
                        static_cast<float>(scale)};
  const std::vector<Chunk> chunks = cut(parameters_);
  at::parallel_for(0, static_cast<std::int64_t>(chunks.size()), 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const Chunk& chunk = chunks[static_cast<std::size_t>(c)];
      const std::size_t i = chunk.parameter;
      update(parameters_[i].mutable_data_ptr<float>() + chunk.begin,
             parameters_[i].grad().const_data_ptr<float>() + chunk.begin,
             first_[i].mutable_data_ptr<float>() + chunk.begin, second_[i].mutable_data_ptr<float>() + chunk.begin,
             chunk.count, factors);
    }
  });
}

void AdamW::step_aten(double lr, const Tensor& scale, const std::optional<Tensor>& skip) {
  std::vector<Tensor> parameters, grads, first, second, steps;
  const Tensor step = at::full({}, static_cast<double>(steps_), parameters_.front().options().dtype(torch::kFloat));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    parameters.push_back(parameters_[i].detach());
    grads.push_back(parameters_[i].grad());
    first.push_back(first_[i]);
    second.push_back(second_[i]);
    steps.push_back(step);
  }
  if (parameters.empty()) return;
  if (scale.defined()) at::_foreach_mul_(grads, scale);
  at::_fused_adamw_(parameters, grads, first, second, {}, steps, lr, options_.beta1, options_.beta2,
                    options_.weight_decay, options_.eps, /*amsgrad=*/false, /*maximize=*/false, std::nullopt, skip);
}

void AdamW::zero_grad() {
  for (Tensor& p : parameters_) p.mutable_grad().reset();
}

std::map<std::string, Tensor> AdamW::state() const {
  std::map<std::string, Tensor> out;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out[fmt::format("first{}", i)] = first_[i];
    out[fmt::format("second{}", i)] = second_[i];
  }
  out["steps"] = torch::full({1}, steps_, torch::kLong);
  return out;
}

void AdamW::load(const std::map<std::string, Tensor>& state) {
  at::NoGradGuard no_grad;
  const auto find = [&](const std::string& name, at::IntArrayRef sizes, torch::ScalarType type) {
    const auto it = state.find(name);
    PAIRS_CHECK(it != state.end(), "the saved optimizer lacks the tensor {}: it belongs to another network", name);
    PAIRS_CHECK(it->second.sizes() == sizes && it->second.scalar_type() == type,
                "the saved optimizer's tensor {} has shape [{}]: it belongs to another network", name,
                fmt::join(it->second.sizes(), ", "));
    return it->second;
  };
  const std::int64_t steps = find("steps", {1}, torch::kLong).item<std::int64_t>();
  PAIRS_CHECK(steps >= 0, "the saved optimizer counts {} steps", steps);
  PAIRS_CHECK(state.size() == 2 * parameters_.size() + 1,
              "the saved optimizer has {} tensors instead of {}: it belongs to another network", state.size(),
              2 * parameters_.size() + 1);
  std::vector<Tensor> first, second;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    first.push_back(find(fmt::format("first{}", i), first_[i].sizes(), first_[i].scalar_type()));
    second.push_back(find(fmt::format("second{}", i), second_[i].sizes(), second_[i].scalar_type()));
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    first_[i].copy_(first[i]);
    second_[i].copy_(second[i]);
  }
  steps_ = steps;
}

}  // namespace pairs
