#include "core/heads/flow_matching_head.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/numbers/fast_normal.h"
#include "core/base/text/error.h"
#include "core/heads/affine_layer.h"
#include "core/nn/draws.h"

namespace pairs {
namespace {

// The largest number of values in the widest map of one evaluation without gradients: more would cost memory without
// benefit.
constexpr std::int64_t kMapAtOnce = std::int64_t{1} << 20, kMapAtOnceOnGpu = std::int64_t{1} << 26;
constexpr double kGoldenRatio = 0.61803398874989485;

const std::uint64_t kFixedKey = stream_key(0, Purpose::check);

// Linear regression of θ - x_0 on x_t for θ with unit variance, times x_t.
torch::Tensor gaussian_velocity(const torch::Tensor& x, const torch::Tensor& t) {
  const torch::Tensor s = 1.0 - t;
  return x * ((t - s) / (s * s + t * t)).unsqueeze(1);
}

// Rows first .. first + count - 1 of the noise of `draws` samples per context: [count, d] on the CPU.
torch::Tensor sample_noise(std::uint64_t key, std::int64_t draws, std::int64_t first, std::int64_t count,
                           std::int64_t d) {
  torch::Tensor noise = torch::empty({count, d}, torch::kFloat);
  float* out = noise.mutable_data_ptr<float>();
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      fill_normals(key, static_cast<std::uint64_t>((first + i) / draws),
                   static_cast<std::uint64_t>((first + i) % draws), 1, d, out + i * d);
  });
  return noise;
}

// Orthonormal cosine transform (DCT-II), its lowest `kept` frequencies: [kept, size].
torch::Tensor cosines(std::int64_t kept, std::int64_t size) {
  const torch::Tensor place =
      (torch::arange(size, torch::kDouble) + 0.5) * (std::numbers::pi / static_cast<double>(size));
  torch::Tensor out =
      (torch::arange(kept, torch::kDouble).unsqueeze(1) * place).cos() * std::sqrt(2.0 / static_cast<double>(size));
  out[0] *= std::sqrt(0.5);
  return out.to(torch::kFloat);
}

}  // namespace

FlowNoise flow_noise(std::uint64_t key, std::int64_t rows, std::int64_t d, double time_power) {
  FlowNoise out{sample_noise(key, 1, 0, rows, d), torch::empty({rows}, torch::kFloat)};
  const double start = Stream(key, 0, 1).uniform64();
  float* t = out.t.mutable_data_ptr<float>();
  for (std::int64_t b = 0; b < rows; ++b) {
    double whole;
    const double u = std::modf(start + kGoldenRatio * static_cast<double>(b), &whole);
    t[b] = static_cast<float>(time_power == 1 ? u : std::pow(u, time_power));
  }
  return out;
}

FlowMatchingHead::FlowMatchingHead(const Settings& own, const HeadImage& image, std::int64_t context,
                                   at::Generator generator)
    : own_(own), image_(image), d_(image.channels * image.height * image.width) {
  PAIRS_CHECK(image.channels >= 1 && image.height >= 1 && image.width >= 1, "an image target must not be empty");
  PAIRS_CHECK(image.given >= 0 && image.given < context, "a context of {} columns cannot end in {} given ones", context,
              image.given);
  PAIRS_CHECK(image.map_channels == 0 || image.map, "a map of {} channels needs a function that makes it",
              image.map_channels);
  PAIRS_CHECK(own.hidden >= 1 && own.context_layers >= 0,
              "a flow-matching head needs {} >= 1 and {} >= 0, not {} and {}", "head.hidden"_key,
              "head.context_layers"_key, own.hidden, own.context_layers);
  PAIRS_CHECK(own.given_size >= 1, "{} must be at least 1, not {}", "head.given_size"_key, own.given_size);
  PAIRS_CHECK(own.time_power >= 1, "{} must be at least 1, not {}", "head.time_power"_key, own.time_power);
  std::int64_t columns = context;
  if (image.given > 0) {
    given_ = register_module("given", std::make_shared<Mlp>(image.given, std::vector<std::int64_t>{own.given_size},
                                                            own.given_size, "silu", generator));
    columns += own.given_size - image.given;
  }
  if (own.context_layers > 0) {
    const std::vector<std::int64_t> widths(static_cast<std::size_t>(own.context_layers - 1), own.hidden);
    trunk_ = register_module("context", std::make_shared<Mlp>(columns, widths, own.hidden, "silu", generator));
    columns = own.hidden;
  }
  if (own.summary > 0) {
    const std::int64_t kept = own.summary_frequencies;
    PAIRS_CHECK(kept <= std::min(image.height, image.width),
                "an image of {} x {} pixels has no {} frequencies a side: lower {}", image.width, image.height, kept,
                "head.summary_frequencies"_key);
    rows_ = cosines(kept, image.height);
    columns_ = cosines(kept, image.width);
    summary_ = register_module("summary", std::make_shared<Mlp>(columns, std::vector<std::int64_t>{},
                                                                image.channels * kept * kept, "silu", generator));
  }
  unet_ = register_module(
      "unet",
      std::make_shared<UNet>(
          own.unet, UNetShape{image.channels, image.height, image.width, image.map_channels, columns}, generator));
}

torch::Tensor FlowMatchingHead::given(const torch::Tensor& context) const {
  return context.narrow(1, context.size(1) - image_.given, image_.given);
}

torch::Tensor FlowMatchingHead::encode(const torch::Tensor& context) const {
  const torch::Tensor all =
      given_ ? at::cat({context.narrow(1, 0, context.size(1) - image_.given), given_->forward(given(context))}, 1)
             : context;
  return trunk_ ? at::silu(trunk_->forward(all)) : all;
}

torch::Tensor FlowMatchingHead::map(const torch::Tensor& context) const {
  return image_.map_channels > 0 ? image_.map(given(context)) : torch::Tensor();
}

torch::Tensor FlowMatchingHead::evaluate(const torch::Tensor& x, const torch::Tensor& map, const torch::Tensor& t,
                                         const torch::Tensor& encoded) const {
  const torch::Tensor image = x.reshape({x.size(0), image_.channels, image_.height, image_.width});
  const torch::Tensor v = unet_->forward(image, map, t, encoded).reshape({x.size(0), d_});
  return own_.precondition ? v + gaussian_velocity(x, t) : v;
}

torch::Tensor FlowMatchingHead::velocity(const torch::Tensor& x, const torch::Tensor& t, const torch::Tensor& context) {
  return evaluate(x, map(context), t, encode(context));
}

torch::Tensor FlowMatchingHead::loss(const torch::Tensor& theta, const torch::Tensor& context) {
  const std::vector<torch::Tensor> noise =
      drawn(is_training() ? noise_key() : kFixedKey, theta.device(),
            [rows = theta.size(0), d = d_, power = own_.time_power](std::uint64_t key) {
              const FlowNoise made = flow_noise(key, rows, d, power);
              return std::vector{made.noise, made.t};
            });
  return loss_at(theta, context, noise[0], noise[1]);
}

torch::Tensor FlowMatchingHead::auxiliary_loss(const torch::Tensor& theta, const torch::Tensor& context) {
  return summary_ ? own_.summary * summary_loss(theta, context) : torch::Tensor();
}

torch::Tensor FlowMatchingHead::summary_loss(const torch::Tensor& theta, const torch::Tensor& context) {
  PAIRS_CHECK(summary_, "this head has no summary: set {}", "head.summary"_key);
  const std::int64_t batch = theta.size(0);
  const torch::Tensor image = theta.reshape({batch, image_.channels, image_.height, image_.width});
  if (rows_.device() != theta.device()) {
    rows_ = rows_.to(theta.device());
    columns_ = columns_.to(theta.device());
  }
  const torch::Tensor wanted = at::matmul(at::matmul(rows_, image), columns_.t()).reshape({batch, -1});
  const torch::Tensor variance = wanted.var(0, /*unbiased=*/false).clamp_min(1e-6);
  return ((summary_->forward(encode(context)) - wanted).square() / variance).mean();
}

torch::Tensor FlowMatchingHead::loss_at(const torch::Tensor& theta, const torch::Tensor& context,
                                        const torch::Tensor& noise, const torch::Tensor& t) {
  PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == d_ && context.size(0) == theta.size(0),
              "flow matching takes one image of {} numbers for each context", d_);
  return torch::mse_loss(velocity(at::lerp(noise, theta, t.unsqueeze(1)), t, context), theta - noise);
}

torch::Tensor FlowMatchingHead::log_prob(const torch::Tensor&, const torch::Tensor&) {
  fail("a head of kind \"flow-matching\" has no density: it can only be sampled");
}

torch::Tensor FlowMatchingHead::log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) {
  return log_prob(theta, context);
}

Velocity FlowMatchingHead::chunked_velocity(const torch::Tensor& context, std::int64_t draws) const {
  // One row of context is used for `draws` rows of x.
  const std::int64_t widest = own_.unet.channels * image_.height * image_.width / (own_.unet.patch * own_.unet.patch);
  const std::int64_t at_once =
      std::max<std::int64_t>(1, (context.is_cuda() ? kMapAtOnceOnGpu : kMapAtOnce) / std::max<std::int64_t>(1, widest));
  const torch::Tensor encoded = encode(context), maps = map(context);
  const torch::Tensor row = at::arange(context.size(0), context.options().dtype(torch::kLong)).repeat_interleave(draws);
  return [=, this](const torch::Tensor& x, double t) {
    std::vector<torch::Tensor> parts;
    for (std::int64_t first = 0; first < x.size(0); first += at_once) {
      const std::int64_t last = std::min(first + at_once, x.size(0));
      const torch::Tensor rows = row.slice(0, first, last);
      parts.push_back(evaluate(x.slice(0, first, last), maps.defined() ? maps.index_select(0, rows) : maps,
                               at::full({last - first}, t, x.options()), encoded.index_select(0, rows)));
    }
    return parts.size() == 1 ? parts[0] : at::cat(parts);
  };
}

torch::Tensor FlowMatchingHead::sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) {
  return sample_path(context, count, key, own_.steps, {});
}

void FlowMatchingHead::set_sampler(std::int64_t steps, const std::string& solver) {
  if (steps > 0) own_.steps = steps;
  if (!solver.empty()) own_.solver = solver;
}

torch::Tensor FlowMatchingHead::sample_path(const torch::Tensor& context, std::int64_t count, std::uint64_t key,
                                            std::int64_t steps, const FlowStep& on_step) {
  torch::NoGradGuard no_grad;
  const std::int64_t batch = context.size(0);
  if (batch * count == 0) return torch::empty({batch, count, d_}, context.options());
  const torch::Tensor noise = sample_noise(key, count, 0, batch * count, d_).to(context.options());
  const auto reported = [&](std::int64_t step, const torch::Tensor& x) {
    return on_step(step, x.reshape({batch, count, d_}));
  };
  return integrate_flow(chunked_velocity(context, count), noise, steps, own_.solver, own_.time_power,
                        on_step ? FlowStep(reported) : FlowStep())
      .reshape({batch, count, d_});
}

torch::Tensor FlowMatchingHead::posterior_mean_estimate(const torch::Tensor& context, std::int64_t draws,
                                                        std::uint64_t key) {
  torch::NoGradGuard no_grad;
  PAIRS_CHECK(draws >= 1, "an estimate of the posterior mean needs one draw or more, not {}", draws);
  const std::int64_t batch = context.size(0);
  if (batch == 0) return torch::empty({0, d_}, context.options());
  const torch::Tensor noise = sample_noise(key, draws, 0, batch * draws, d_).to(context.options());
  return (chunked_velocity(context, draws)(noise, 0.0) + noise).reshape({batch, draws, d_}).mean(1);
}

std::vector<Field> FlowMatchingHead::Settings::fields() {
  return {
      {"hidden", &hidden, "Width of the context MLP", 1, 65536},
      {"context_layers", &context_layers, "Layers of the context MLP", 0, 64},
      {"blocks", &unet.blocks, "Residual blocks of each resolution of the U-Net", 0, 64},
      {"channels", &unet.channels, "Channels of the U-Net at the highest resolution", 4, 4096},
      {"multipliers", &unet.multipliers, "Channels of each resolution in units of head.channels", 1, 64},
      {"attention", &unet.attention, "Heights of the U-Net's maps that attend to themselves", 1, 4096},
      {"attention_channels", &unet.attention_channels, "Channels of one attention head", 1, 4096},
      {"time_size", &unet.time_size, "Length of the sinusoidal embedding of time (even)", 2, 4096},
      {"given_size", &given_size, "Length of the encoding of what is given", 1, 4096},
      {"patch", &unet.patch, "The image enters the U-Net as patch x patch pixels a place", 1, 16},
      {"context_map", &unet.context_map, "Add the context as a learned map at the lowest resolution"},
      {"steps", &steps, "Steps of a sample's integration", 1, 10000},
      Field::choice("solver", &solver, "Integrator of samples", {"euler", "heun"}),
      {"time_power", &time_power, "Flow times are t = u^p, in training and in the steps of sampling", 1, 16},
      {"summary", &summary, "Weight of telling the image's lowest frequencies from the context, training only", 0, 1e6},
      {"summary_frequencies", &summary_frequencies, "How many of them along each side", 1, 64},
      {"precondition", &precondition, "The U-Net adds to the velocity of a Gaussian target"},
      precision_field(&unet.precision),
  };
}

std::string FlowMatchingHead::Settings::unread_because(const std::string& key) const {
  if (key == "attention_channels" && unet.attention.empty()) return "head.attention is empty";
  if (key == "summary_frequencies" && summary == 0) return "head.summary is 0";
  return "";
}

std::shared_ptr<Head> FlowMatchingHead::make(const HeadConfig& config, std::span<const HeadTarget> targets,
                                             std::int64_t context, at::Generator generator, const HeadImage* image) {
  const auto d = static_cast<std::int64_t>(targets.size());
  PAIRS_CHECK(image != nullptr, "{} = \"flow-matching\" needs a task whose target is an image; use another kind",
              "head.kind"_key);
  PAIRS_CHECK(d == image->channels * image->height * image->width,
              "an image of {} x {} x {} is not a target of {} numbers", image->channels, image->height, image->width,
              d);
  return std::make_shared<FlowMatchingHead>(config.of<Settings>(), *image, context, std::move(generator));
}

std::string FlowMatchingHead::sampler_text() const {
  return fmt::format("{} steps of {}", own_.steps, own_.solver);
}

NetworkDescription FlowMatchingHead::describe() const {
  return described(*this,
                   {"flow matching",
                    fmt::format("U-Net, {} channels × {}", own_.unet.channels, fmt::join(own_.unet.multipliers, ", ")),
                    sampler_text()},
                   {{"kind", "flow-matching"},
                    {"steps", std::to_string(own_.steps)},
                    {"solver", own_.solver},
                    {"precision", own_.unet.precision}},
                   flops(), "flow matching with a U-Net",
                   "Y. Lipman et al. Flow Matching for Generative Modeling. ICLR 2023.");
}

double FlowMatchingHead::flops() const {
  return unet_->flops() + (given_ ? given_->flops() : 0.0) + (trunk_ ? trunk_->flops() : 0.0);
}

void FlowMatchingHead::absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) {
  auto layers = trunk_ ? std::vector<std::shared_ptr<Mlp>>{trunk_} : unet_->context_layers();
  if (!trunk_ && summary_) layers.push_back(summary_);
  for (const auto& layer : layers) absorb_into_linear(layer->first_weight(), layer->first_bias(), 0, scale, shift);
}

}  // namespace pairs
