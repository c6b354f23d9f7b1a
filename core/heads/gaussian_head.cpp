#include "core/heads/gaussian_head.h"

#include <cmath>

#include "core/base/text/error.h"
#include "core/heads/affine_layer.h"
#include "core/heads/mass.h"
#include "core/heads/noise.h"
#include "core/nn/initial.h"

namespace pairs {
namespace {
constexpr std::int64_t kMaxSizes = 64;
}

GaussianHead::GaussianHead(const Settings& own, std::int64_t d, std::int64_t context, at::Generator generator)
    : d_(d), inputs_(context - 1) {
  PAIRS_CHECK(inputs_ >= 1, "a Gaussian head needs a context of at least two columns, the last of them log N");
  PAIRS_CHECK(own.hidden >= 1 && own.context_layers >= 0,
              "a Gaussian head needs hidden >= 1 and context_layers >= 0, not {} and {}", own.hidden,
              own.context_layers);
  std::vector<std::int64_t> widths(static_cast<std::size_t>(own.context_layers), own.hidden);
  net_ = register_module("net", std::make_shared<Mlp>(inputs_, widths, d, "relu", generator));
  fitted_ = register_buffer("sigma_sizes", torch::zeros({1}, torch::kLong));
  sigma_log_n_ = register_buffer("sigma_log_n", torch::zeros({kMaxSizes}, weight_options()));
  log_sigma_ = register_buffer("log_sigma", torch::zeros({kMaxSizes, d}, weight_options()));
}

torch::Tensor GaussianHead::predict(const torch::Tensor& context) {
  return net_->forward(context.narrow(1, 0, inputs_));
}

torch::Tensor GaussianHead::loss(const torch::Tensor& theta, const torch::Tensor& context) {
  return torch::mse_loss(predict(context), theta);
}

void GaussianHead::set_sigma(const torch::Tensor& n, const torch::Tensor& sigma) {
  torch::NoGradGuard no_grad;
  PAIRS_CHECK(n.dim() == 1 && n.size(0) >= 1 && n.size(0) <= kMaxSizes && sigma.dim() == 2 &&
                  sigma.size(0) == n.size(0) && sigma.size(1) == d_,
              "a Gaussian head takes 1 to {} sizes with {} standard deviations each", kMaxSizes, d_);
  const torch::Tensor sizes = n.cpu().to(torch::kDouble), sd = sigma.cpu().to(torch::kDouble);
  PAIRS_CHECK((sizes >= 1).all().item<bool>() && (sizes.size(0) == 1 || (sizes.diff() > 0).all().item<bool>()),
              "the sizes of a Gaussian head's standard deviations must ascend from 1 or more");
  PAIRS_CHECK((sd.isfinite() & (sd > 0)).all().item<bool>(),
              "a Gaussian head's standard deviations must be finite and positive");
  const torch::Tensor row = torch::arange(kMaxSizes).clamp_max(n.size(0) - 1);
  sigma_log_n_.copy_(sizes.log().index_select(0, row));
  log_sigma_.copy_(sd.log().index_select(0, row));
  fitted_.fill_(n.size(0));
}

torch::Tensor GaussianHead::log_sigma(const torch::Tensor& context) const {
  const std::int64_t sizes = fitted_.item<std::int64_t>();
  PAIRS_CHECK(sizes > 0, "a Gaussian head has no standard deviations yet: fit them with set_sigma first");
  const torch::Tensor log_n = context.select(1, inputs_).contiguous();
  if (sizes == 1) return log_sigma_.narrow(0, 0, 1).expand({context.size(0), d_});
  const torch::Tensor at = sigma_log_n_.narrow(0, 0, sizes).contiguous();
  const torch::Tensor right = torch::searchsorted(at, log_n).clamp(1, sizes - 1), left = right - 1;
  const torch::Tensor x0 = at.index_select(0, left), x1 = at.index_select(0, right);
  const torch::Tensor weight = ((log_n - x0) / (x1 - x0)).clamp(0, 1).unsqueeze(1);
  return torch::lerp(log_sigma_.index_select(0, left), log_sigma_.index_select(0, right), weight);
}

torch::Tensor GaussianHead::log_prob(const torch::Tensor& theta, const torch::Tensor& context) {
  const torch::Tensor s = log_sigma(context);
  return standard_normal_log((theta - predict(context)) * torch::exp(-s)) - s.sum(1);
}

torch::Tensor GaussianHead::log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) {
  torch::NoGradGuard no_grad;
  const torch::Tensor s = log_sigma(context);
  const torch::Tensor z = (theta - predict(context).unsqueeze(1)) * torch::exp(-s).unsqueeze(1);
  return standard_normal_log(z) - s.sum(1, true);
}

torch::Tensor GaussianHead::log_mass(const torch::Tensor& context, const torch::Tensor& low,
                                     const torch::Tensor& high) {
  torch::NoGradGuard no_grad;
  const auto host = [](const torch::Tensor& t) { return t.to(torch::kCPU, torch::kFloat64); };
  const torch::Tensor mean = host(predict(context)), rate = torch::exp(-host(log_sigma(context)));
  return normal_log_mass((host(low) - mean) * rate, (host(high) - mean) * rate).sum(1);
}

torch::Tensor GaussianHead::sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) {
  torch::NoGradGuard no_grad;
  const torch::Tensor mean = predict(context);
  const torch::Tensor noise = normal_noise(key, context.size(0), count, d_, mean);
  return mean.unsqueeze(1) + torch::exp(log_sigma(context)).unsqueeze(1) * noise;
}

std::vector<Field> GaussianHead::Settings::fields() {
  return {{"hidden", &hidden, "Width of the MLP", 1, 65536},
          {"context_layers", &context_layers, "Hidden layers of the MLP", 0, 64}};
}

std::shared_ptr<Head> GaussianHead::make(const HeadConfig& config, std::span<const HeadTarget> targets,
                                         std::int64_t context, at::Generator generator, const HeadImage*) {
  return std::make_shared<GaussianHead>(config.of<Settings>(), static_cast<std::int64_t>(targets.size()), context,
                                        std::move(generator));
}

NetworkDescription GaussianHead::describe() const {
  return described(*this, {"Gaussian regression", widths_text(net_->widths())},
                   {{"kind", "gaussian"}, {"sizes", fmt::format("{}", fitted_.item<std::int64_t>())}}, flops(),
                   "a regression with one residual standard deviation for each N");
}

double GaussianHead::flops() const {
  return net_->flops();
}

void GaussianHead::absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) {
  absorb_into_linear(net_->first_weight(), net_->first_bias(), 0, scale, shift);
}

}  // namespace pairs
