#include "core/estimator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "core/nn/encoding.h"

namespace pairs {
namespace {

constexpr const char* kFormat = "pairs-estimator-1";

// Standard deviation of the logit of a uniform variable, π / √3.
constexpr double kLogitScale = 1.8137993642342178;
// Places are kept this far from the ends of the range, where their logit is infinite.
constexpr double kEdge = 1e-12;

bool is_regression(const HeadConfig& config) {
  return config.kind == "gaussian";
}
bool is_bounded(const HeadConfig& config) {
  return config.support != "real";
}

std::vector<HeadTarget> head_targets(const Task& task, const HeadConfig& config) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (task.info().image_target())
    return std::vector<HeadTarget>(static_cast<std::size_t>(task.info().target_size()), HeadTarget{-inf, inf});
  std::vector<HeadTarget> targets;
  for (const Target& t : task.info().targets) {
    const bool box = config.support == "box";
    if (is_bounded(config))
      PAIRS_CHECK(std::isfinite(t.low) && std::isfinite(t.high),
                  "head.support = \"{}\" needs a bounded target, but {} of task {} is unbounded; use \"real\"",
                  config.support, t.name, task.info().name);
    targets.push_back(box ? HeadTarget{0, 1} : HeadTarget{-inf, inf});
  }
  return targets;
}

void collect(const torch::nn::Module& module, const std::string& prefix, bool buffers,
             std::map<std::string, torch::Tensor>& out) {
  for (const auto& item : module.named_parameters()) out[prefix + item.key()] = item.value();
  if (buffers)
    for (const auto& item : module.named_buffers()) out[prefix + item.key()] = item.value();
}

torch::Tensor column(const std::vector<double>& values) {
  return torch::tensor(values, torch::dtype(torch::kFloat64));
}

}  // namespace

bool models_images(const HeadConfig& config) {
  return config.kind == "flow-matching";
}

std::vector<Field> fields(EstimatorConfig& c) {
  EmbedderConfig& e = c.embedder;
  HeadConfig& h = c.head;
  return {
      {"encoding", &c.encoding, "How the head is told the set size", -1e300, 1e300, {"none", "linear", "log"}},
      {"embedder.kind",
       &e.kind,
       "Network that embeds one observation",
       -1e300,
       1e300,
       {"mlp", "cnn", "resnet", "view"}},
      {"embedder.size", &e.size, "l, the length of an embedding", 1, 65536},
      {"embedder.activation", &e.activation, "Activation of the MLP", -1e300, 1e300, {"relu", "silu"}},
      {"embedder.layers", &e.layers, "Hidden widths of the MLP", 1, 65536},
      {"embedder.frequencies", &e.frequencies, "Fourier features of each input of the MLP, 0 = none", 0, 1024},
      {"embedder.highest_frequency", &e.highest_frequency, "Highest of them, radians per unit of the input", 1e-6, 1e9},
      {"embedder.channels", &e.channels,
       "Channels: CNN blocks, or stem and stages of the ResNet and of the view embedder", 1, 65536},
      {"embedder.kernels", &e.kernels, "Kernel sizes of the CNN blocks", 1, 31},
      {"embedder.projection", &e.projection, "Hidden widths of the ResNet's projection", 1, 65536},
      {"embedder.dropout", &e.dropout, "Dropout in the ResNet's projection, training only", 0, 0.95},
      {"embedder.input_location", &e.input_location, "view: colours enter less this", -1e6, 1e6},
      {"embedder.input_scale", &e.input_scale, "view: and over this", 1e-6, 1e6},
      {"embedder.stride", &e.stride, "view: stride of the stem", 1, 4},
      {"embedder.precision",
       &e.precision,
       "Activations and convolutions of the view embedder",
       -1e300,
       1e300,
       {"float32", "bf16"}},
      {"head.kind", &h.kind, "Density head", -1e300, 1e300, {"spline", "umnn", "gaussian", "flow-matching"}},
      {"head.transforms", &h.transforms, "Stacked transformations", 1, 64},
      {"head.bins", &h.bins, "Spline bins K", 2, 512},
      {"head.hidden", &h.hidden, "Width of the context MLP and transform nets", 1, 65536},
      {"head.context_layers", &h.context_layers, "Layers of the context MLP", 0, 64},
      {"head.blocks", &h.blocks, "Residual blocks of a transform net, or of each resolution of the U-Net", 0, 64},
      {"head.support",
       &h.support,
       "box: bounded target, uniform base; logit: bounded target, through its logit; real: tails",
       -1e300,
       1e300,
       {"box", "logit", "real"}},
      {"head.bound", &h.bound, "Splines act on [-bound, bound]", 0.1, 1000},
      {"head.conditioner", &h.conditioner, "Hidden widths of the UMNN conditioner", 1, 65536},
      {"head.conditioner_size", &h.conditioner_size, "q, conditioner output size", 1, 4096},
      {"head.integrand", &h.integrand, "Hidden widths of the UMNN integrand", 1, 65536},
      {"head.quadrature", &h.quadrature, "Clenshaw-Curtis steps in training (even)", 2, 1000},
      {"head.quadrature_test", &h.quadrature_test, "Clenshaw-Curtis steps in evaluation (even)", 2, 1000},
      {"head.affine", &h.affine, "Conditional affine layer before the flow"},
      {"head.channels", &h.channels, "Channels of the U-Net at the highest resolution", 4, 4096},
      {"head.multipliers", &h.multipliers, "Channels of each resolution in units of head.channels", 1, 64},
      {"head.attention", &h.attention, "Heights of the U-Net's maps that attend to themselves", 1, 4096},
      {"head.attention_channels", &h.attention_channels, "Channels of one attention head", 1, 4096},
      {"head.time_size", &h.time_size, "Length of the sinusoidal embedding of time (even)", 2, 4096},
      {"head.given_size", &h.given_size, "Length of the encoding of what is given", 1, 4096},
      {"head.patch", &h.patch, "The image enters the U-Net as patch x patch pixels a place", 1, 16},
      {"head.context_map", &h.context_map, "Add the context as a learnt map at the lowest resolution"},
      {"head.steps", &h.steps, "Steps of a sample's integration", 1, 10000},
      {"head.solver", &h.solver, "Integrator of samples", -1e300, 1e300, {"euler", "heun"}},
      {"head.time_power", &h.time_power, "Flow times are t = u^p, in training and in the steps of sampling", 1, 16},
      {"head.summary", &h.summary, "Weight of telling the image's lowest frequencies from the context, training only",
       0, 1e6},
      {"head.summary_frequencies", &h.summary_frequencies, "How many of them along each side", 1, 64},
      {"head.precondition", &h.precondition, "The U-Net adds to the velocity of a Gaussian target"},
      {"head.precision", &h.precision, "Activations and convolutions of the U-Net", -1e300, 1e300, {"float32", "bf16"}},
      {"head.legacy_mask", &h.legacy_mask, "Replicate the reference's context mask (method B1)"},
  };
}

Estimator::Estimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::uint64_t seed)
    : task_(std::move(task)), config_(config), data_source_(task_->info().data_source) {
  at::Generator generator = at::detail::createCPUGenerator(stream_key(seed, Purpose::init));
  embedder_ = make_embedder(config_.embedder, task_->info().observation_shape, generator);
  std::vector<double> shift, scale;
  if (task_->info().image_target()) {
    shift.push_back(task_->info().image.location);
    scale.push_back(task_->info().image.scale);
  }
  for (const Target& t : task_->info().targets) {
    const bool bounded = is_bounded(config_.head);
    shift.push_back(bounded ? t.low : t.location);
    scale.push_back(bounded ? t.high - t.low : t.scale);
    log_scale_ += std::log(scale.back());
  }
  target_shift_ = column(shift);
  target_scale_ = column(scale);
  logit_ = !task_->info().image_target() && config_.head.support == "logit";
  heads_.push_back({0, fresh_head(seed)});
}

std::shared_ptr<Head> Estimator::fresh_head(std::uint64_t seed) const {
  at::Generator generator = at::detail::createCPUGenerator(stream_key(seed + 0x68656164, Purpose::init));
  const TaskInfo& info = task_->info();
  PAIRS_CHECK(info.image_target() == models_images(config_.head),
              "head.kind = \"{}\" does not model the target of task {}, which is {}", config_.head.kind, info.name,
              info.image_target() ? "an image: use \"flow-matching\"" : "no image: use \"spline\" or \"umnn\"");
  const std::int64_t context =
      embedder_->size() + encoding_size(config_.encoding) + info.given_size() + (is_regression(config_.head) ? 1 : 0);
  HeadImage image{info.image.channels, info.image.height, info.image.width, info.given_size(), info.image.map_channels};
  if (info.image.map_channels > 0)
    image.map = [task = task_](const torch::Tensor& given) { return task->target_map(given); };
  auto head = make_head(config_.head, head_targets(*task_, config_.head), context, generator,
                        info.image_target() ? &image : nullptr);
  head->to(device_);
  return head;
}

std::vector<std::int64_t> Estimator::sizes() const {
  std::vector<std::int64_t> sizes;
  for (const HeadSlot& slot : heads_)
    if (slot.n > 0) sizes.push_back(slot.n);
  return sizes;
}

const Estimator::HeadSlot& Estimator::slot(std::int64_t n) const {
  if (heads_.front().n == 0) return heads_.front();
  for (const HeadSlot& s : heads_)
    if (s.n == n) return s;
  fail(
      "This estimator has one head for each of N = {} and none for N = {}; choose one of these sizes or train with "
      "finetune.heads=\"amortised\"",
      fmt::join(sizes(), ", "), n);
}
Estimator::HeadSlot& Estimator::slot(std::int64_t n) {
  return const_cast<HeadSlot&>(static_cast<const Estimator*>(this)->slot(n));
}

Head& Estimator::head(std::int64_t n) {
  return *slot(n).head;
}

void Estimator::reset_heads(std::uint64_t seed) {
  heads_.clear();
  heads_.push_back({0, fresh_head(seed)});
}

void Estimator::split_heads(const std::vector<std::int64_t>& sizes) {
  const std::shared_ptr<Head> first = heads_.front().head;
  std::map<std::string, torch::Tensor> values;
  collect(*first, "", true, values);
  const auto copy = [&] {
    at::NoGradGuard no_grad;
    auto head = fresh_head(0);
    std::map<std::string, torch::Tensor> target;
    collect(*head, "", true, target);
    for (auto& [name, tensor] : target) tensor.copy_(values.at(name));
    return head;
  };
  std::vector<HeadSlot> slots;
  if (sizes.empty()) slots.push_back({0, copy()});
  for (std::int64_t n : sizes) slots.push_back({n, copy()});
  heads_ = std::move(slots);
}

void Estimator::set_statistics(const AggregateStatistics& statistics, bool fold, std::int64_t fold_n) {
  at::NoGradGuard no_grad;
  statistics_ = statistics;
  scaler_mean_ = statistics.mean.to(device_, torch::kFloat64);
  scaler_between_ = statistics.between.diagonal().to(device_, torch::kFloat64).clone();
  scaler_within_ = statistics.within.diagonal().to(device_, torch::kFloat64).clone();
  if (!fold) return;
  for (HeadSlot& slot : heads_) {
    const double n = static_cast<double>(slot.n > 0 ? slot.n : fold_n);
    const torch::Tensor scale = (scaler_between_ + scaler_within_ / n).sqrt();
    // The head used to see T and now sees (T - mean) / scale.
    slot.head->absorb_context_affine(1 / scale, -scaler_mean_ / scale);
  }
}

torch::Tensor Estimator::embed(const torch::Tensor& x) {
  at::NoGradGuard no_grad;
  return embedder_->forward(x);
}

torch::Tensor Estimator::context(const torch::Tensor& aggregates, const torch::Tensor& n,
                                 const torch::Tensor& given) const {
  const std::int64_t known = task_->info().given_size();
  PAIRS_CHECK(known == 0 ? !given.defined() : given.defined() && given.dim() == 2,
              "Sets of task {} come with {} given quantities, and {} were given", task_->info().name, known,
              given.defined() ? "others" : "none");
  if (known > 0)
    PAIRS_CHECK(given.size(0) == n.size(0) && given.size(1) == known,
                "{} sets of task {} come with {} given quantities each, not [{}]", n.size(0), task_->info().name, known,
                fmt::join(given.sizes(), ", "));
  std::vector<torch::Tensor> columns;
  if (scaler_mean_.defined()) {
    const torch::Tensor count = n.to(torch::kFloat64).unsqueeze(1);
    const torch::Tensor scale = (scaler_between_ + scaler_within_ / count).sqrt();
    columns.push_back(((aggregates.to(torch::kFloat64) - scaler_mean_) / scale).to(torch::kFloat32));
  } else {
    columns.push_back(aggregates.to(torch::kFloat32));
  }
  if (encoding_size(config_.encoding) > 0) columns.push_back(encode_n(config_.encoding, n, task_->info().max_n));
  if (known > 0) columns.push_back(given.to(aggregates.device(), torch::kFloat32));
  if (is_regression(config_.head)) columns.push_back(n.to(torch::kFloat32).log().unsqueeze(1));
  return columns.size() == 1 ? columns[0] : at::cat(columns, 1);
}

torch::Tensor Estimator::place(const torch::Tensor& theta) const {
  return (theta.to(torch::kFloat64) - target_shift_.to(theta.device())) / target_scale_.to(theta.device());
}

torch::Tensor Estimator::standardise(const torch::Tensor& theta) const {
  const torch::Tensor u = place(theta);
  return logit_ ? at::logit(u, kEdge) / kLogitScale : u;
}

torch::Tensor Estimator::restore(const torch::Tensor& z) const {
  const torch::Tensor u = logit_ ? at::sigmoid(z.to(torch::kFloat64) * kLogitScale) : z.to(torch::kFloat64);
  return u * target_scale_.to(z.device()) + target_shift_.to(z.device());
}

torch::Tensor Estimator::log_stretch(const torch::Tensor& theta) const {
  const torch::Tensor u = place(theta);
  const torch::Tensor inside = u.clamp(kEdge, 1 - kEdge);
  const torch::Tensor stretch = -(inside.log() + at::log1p(-inside)) - std::log(kLogitScale);
  return at::where((u < 0) | (u > 1), -std::numeric_limits<double>::infinity(), stretch).sum(-1);
}

void Estimator::set_location(std::int64_t head_n, const torch::Tensor& weight, const torch::Tensor& bias) {
  const std::int64_t l = embedder_->size(), d = task_->info().target_size();
  PAIRS_CHECK(!task_->info().image_target(), "The target of task {} is an image, which has no linear location map",
              task_->info().name);
  PAIRS_CHECK(weight.dim() == 2 && weight.size(0) == d && weight.size(1) == l && bias.numel() == d,
              "The location map does not fit {} targets and an embedding of length {}", d, l);
  HeadSlot& s = slot(head_n);
  s.weight = weight.to(device_, torch::kFloat64);
  s.bias = bias.to(device_, torch::kFloat64);
}

torch::Tensor Estimator::location(const HeadSlot& slot, const torch::Tensor& aggregates) const {
  if (!slot.weight.defined()) return {};
  return at::addmm(slot.bias, aggregates.to(torch::kFloat64), slot.weight.t());
}

torch::Tensor Estimator::target(std::int64_t head_n, const torch::Tensor& theta,
                                const torch::Tensor& aggregates) const {
  torch::Tensor z = standardise(theta).to(device_);
  if (const torch::Tensor shift = location(slot(head_n), aggregates); shift.defined()) z = z - shift;
  return z;
}

Loss Estimator::loss(std::int64_t head_n, const torch::Tensor& theta, const torch::Tensor& aggregates,
                     const torch::Tensor& n, const torch::Tensor& given) {
  Head& head = *slot(head_n).head;
  const torch::Tensor z = target(head_n, theta, aggregates).to(torch::kFloat32), c = context(aggregates, n, given);
  Loss loss{head.loss(z, c), head.is_training() ? head.auxiliary_loss(z, c) : torch::Tensor()};
  if (logit_ && !is_regression(config_.head))
    loss.value = loss.value - log_stretch(theta).mean().to(loss.value.options());
  return loss;
}

template <class F>
void Estimator::for_each_head(const torch::Tensor& n, F&& f) const {
  if (heads_.front().n == 0) return f(heads_.front(), torch::Tensor());
  const torch::Tensor host = n.to(torch::kCPU);
  std::vector<std::int64_t> wanted(host.data_ptr<std::int64_t>(), host.data_ptr<std::int64_t>() + host.numel());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (std::int64_t size : wanted) f(slot(size), (n == size).nonzero().squeeze(1));
}

torch::Tensor Estimator::log_prob(const torch::Tensor& theta, const torch::Tensor& aggregates, const torch::Tensor& n,
                                  const torch::Tensor& given) {
  return log_prob_grid(theta.unsqueeze(1), aggregates, n, given).squeeze(1);
}

torch::Tensor Estimator::log_prob_grid(const torch::Tensor& theta, const torch::Tensor& aggregates,
                                       const torch::Tensor& n, const torch::Tensor& given) {
  PAIRS_CHECK(has_density(), "A head of kind \"{}\" draws samples but has no density, so log q cannot be computed",
              config_.head.kind);
  at::NoGradGuard no_grad;
  const torch::Tensor z = standardise(theta).to(device_), all = aggregates.to(device_), size = n.to(device_);
  const torch::Tensor c = context(all, size, given);
  torch::Tensor out = torch::empty({theta.size(0), theta.size(1)}, torch::dtype(torch::kFloat64).device(device_));
  for_each_head(size, [&](const HeadSlot& s, const torch::Tensor& rows) {
    const auto pick = [&](const torch::Tensor& t) { return rows.defined() ? t.index_select(0, rows) : t; };
    torch::Tensor zz = pick(z);
    if (const torch::Tensor shift = location(s, pick(all)); shift.defined()) zz = zz - shift.unsqueeze(1);
    zz = zz.to(torch::kFloat32);
    const torch::Tensor score = zz.size(1) == 1 ? s.head->log_prob(zz.squeeze(1).contiguous(), pick(c)).unsqueeze(1)
                                                : s.head->log_prob_grid(zz, pick(c));
    if (rows.defined())
      out.index_put_({rows}, score.to(torch::kFloat64));
    else
      out.copy_(score);
  });
  out = out.to(torch::kCPU) - log_scale_;
  return logit_ ? out + log_stretch(theta.to(torch::kCPU)) : out;
}

torch::Tensor Estimator::sample(const torch::Tensor& aggregates, const torch::Tensor& n, std::int64_t count,
                                std::uint64_t key, const torch::Tensor& given) {
  at::NoGradGuard no_grad;
  const torch::Tensor all = aggregates.to(device_), size = n.to(device_);
  const torch::Tensor c = context(all, size, given);
  const TaskInfo& info = task_->info();
  torch::Tensor out =
      torch::empty({c.size(0), count, info.target_size()}, torch::dtype(torch::kFloat64).device(device_));
  for_each_head(size, [&](const HeadSlot& s, const torch::Tensor& rows) {
    const auto pick = [&](const torch::Tensor& t) { return rows.defined() ? t.index_select(0, rows) : t; };
    torch::Tensor z = s.head->sample(pick(c), count, key).to(torch::kFloat64);
    if (const torch::Tensor shift = location(s, pick(all)); shift.defined()) z = z + shift.unsqueeze(1);
    if (rows.defined())
      out.index_put_({rows}, z);
    else
      out.copy_(z);
  });
  const torch::Tensor theta = restore(out.to(torch::kCPU));
  return info.image_target() ? theta.clamp(info.image.low, info.image.high) : theta;
}

Estimator::Typicality Estimator::typicality(const torch::Tensor& aggregates, const torch::Tensor& n) const {
  PAIRS_CHECK(
      statistics_.between.defined(),
      "This estimator has no record of its training aggregates; finetune it before asking how typical a set is");
  const torch::Tensor host_n = n.to(torch::kCPU);
  const torch::Tensor centred = aggregates.to(torch::kCPU, torch::kFloat64) - statistics_.mean;
  const std::int64_t rows = centred.size(0);
  torch::Tensor distance = torch::empty({rows}, torch::kFloat64);
  std::map<std::int64_t, std::vector<std::int64_t>> by_size;
  for (std::int64_t i = 0; i < rows; ++i) by_size[host_n[i].item<std::int64_t>()].push_back(i);
  for (const auto& [size, members] : by_size) {
    const torch::Tensor covariance = statistics_.between + statistics_.within / static_cast<double>(size);
    // A ridge of 1e-6 of each variance: directions that carry nothing must not dominate the distance.
    const torch::Tensor ridge = at::diag(covariance.diagonal() * 1e-6 + 1e-30);
    const torch::Tensor factor = at::linalg_cholesky(covariance + ridge);
    const torch::Tensor index = torch::tensor(members, torch::kInt64);
    const torch::Tensor white = at::linalg_solve_triangular(factor, centred.index_select(0, index).t(), false);
    distance.index_put_({index}, white.square().sum(0).sqrt());
  }
  torch::Tensor percentile = torch::full({rows}, NAN, torch::kFloat64);
  if (statistics_.distance.defined() && statistics_.distance.numel() > 1) {
    const torch::Tensor table = statistics_.distance.contiguous();
    const double* q = table.data_ptr<double>();
    const auto last = static_cast<std::size_t>(table.numel() - 1);
    for (std::int64_t i = 0; i < rows; ++i) {
      const double value = distance[i].item<double>();
      const auto above = static_cast<std::size_t>(std::upper_bound(q, q + last + 1, value) - q);
      double share = 0;
      if (above > last)
        share = static_cast<double>(last);
      else if (above > 0)
        share = static_cast<double>(above - 1) + (value - q[above - 1]) / std::max(q[above] - q[above - 1], 1e-300);
      percentile[i] = 100.0 * share / static_cast<double>(last);
    }
  }
  return {distance, percentile};
}

void Estimator::to(const torch::Device& device) {
  device_ = device;
  embedder_->to(device);
  for (HeadSlot& slot : heads_) {
    slot.head->to(device);
    if (slot.weight.defined()) {
      slot.weight = slot.weight.to(device);
      slot.bias = slot.bias.to(device);
    }
  }
  if (scaler_mean_.defined()) {
    scaler_mean_ = scaler_mean_.to(device);
    scaler_between_ = scaler_between_.to(device);
    scaler_within_ = scaler_within_.to(device);
  }
}

void Estimator::train(bool on) {
  embedder_->train(on);
  for (HeadSlot& slot : heads_) slot.head->train(on);
}

std::map<std::string, torch::Tensor> Estimator::embedder_parameters() const {
  std::map<std::string, torch::Tensor> out;
  collect(*embedder_, "embedder.", false, out);
  return out;
}

std::map<std::string, torch::Tensor> Estimator::head_parameters(std::int64_t n) const {
  std::map<std::string, torch::Tensor> out;
  const HeadSlot& s = slot(n);
  collect(*s.head, s.n > 0 ? fmt::format("head.N{}.", s.n) : "head.", false, out);
  return out;
}

std::map<std::string, torch::Tensor> Estimator::state() const {
  std::map<std::string, torch::Tensor> out;
  collect(*embedder_, "embedder.", true, out);
  for (const HeadSlot& s : heads_) {
    const std::string prefix = s.n > 0 ? fmt::format("head.N{}.", s.n) : "head.";
    collect(*s.head, prefix, true, out);
    if (s.weight.defined()) {
      out[prefix + "location.weight"] = s.weight;
      out[prefix + "location.bias"] = s.bias;
    }
  }
  if (statistics_.mean.defined()) {
    out["statistics.mean"] = statistics_.mean;
    out["statistics.between"] = statistics_.between;
    out["statistics.within"] = statistics_.within;
    if (statistics_.distance.defined()) out["statistics.distance"] = statistics_.distance;
  }
  return out;
}

void Estimator::load_state(const std::map<std::string, torch::Tensor>& state) {
  at::NoGradGuard no_grad;
  if (state.contains("statistics.mean")) {
    for (const char* name : {"statistics.between", "statistics.within"})
      PAIRS_CHECK(state.contains(name), "The estimator's state lacks the tensor {}", name);
    AggregateStatistics statistics{state.at("statistics.mean").to(torch::kFloat64),
                                   state.at("statistics.between").to(torch::kFloat64),
                                   state.at("statistics.within").to(torch::kFloat64),
                                   {}};
    const std::int64_t l = embedder_->size();
    const std::vector<std::int64_t> vector = {l}, matrix = {l, l}, percentiles = {101};
    if (auto it = state.find("statistics.distance"); it != state.end())
      statistics.distance = it->second.to(torch::kFloat64);
    PAIRS_CHECK(statistics.mean.sizes() == vector && statistics.between.sizes() == matrix &&
                    statistics.within.sizes() == matrix &&
                    (!statistics.distance.defined() || statistics.distance.sizes() == percentiles),
                "The aggregate statistics do not fit an embedding of length {}", l);
    set_statistics(statistics, false, 0);
  }
  for (HeadSlot& s : heads_) {
    const std::string prefix = s.n > 0 ? fmt::format("head.N{}.location.", s.n) : "head.location.";
    const auto weight = state.find(prefix + "weight"), bias = state.find(prefix + "bias");
    if (weight != state.end() && bias != state.end()) set_location(s.n, weight->second, bias->second);
  }
  for (auto& [name, tensor] : this->state()) {
    if (name.starts_with("statistics.")) continue;
    const auto it = state.find(name);
    PAIRS_CHECK(it != state.end(), "The estimator's state lacks the tensor {}; it belongs to another network", name);
    PAIRS_CHECK(it->second.sizes() == tensor.sizes(),
                "Tensor {} has shape [{}] where this network needs [{}]; it belongs to another network", name,
                fmt::join(it->second.sizes(), ", "), fmt::join(tensor.sizes(), ", "));
    tensor.copy_(it->second);
  }
}

void Estimator::save(const std::filesystem::path& file, std::map<std::string, std::string> metadata) const {
  TensorFile content;
  content.tensors = state();
  content.metadata = std::move(metadata);
  content.metadata["format"] = kFormat;
  content.metadata["task"] = task_->info().name;
  content.metadata["data_source"] = data_source_;
  content.metadata["max_n"] = std::to_string(max_n_);
  content.metadata["head_sizes"] = fmt::format("{}", fmt::join(sizes(), ","));
  EstimatorConfig config = config_;
  content.metadata["estimator"] = write_toml(fields(config));
  write_safetensors(file, content);
}

Estimator Estimator::load(const std::filesystem::path& file, std::shared_ptr<const Task> task) {
  TensorFile content = read_safetensors(file);
  const auto meta = [&](const std::string& key) -> const std::string& {
    const auto it = content.metadata.find(key);
    PAIRS_CHECK(it != content.metadata.end(), "{} is not an estimator of this program: its metadata lacks \"{}\"",
                file.string(), key);
    return it->second;
  };
  PAIRS_CHECK(meta("format") == kFormat, "{} has the format \"{}\" and this program reads \"{}\"", file.string(),
              meta("format"), kFormat);
  PAIRS_CHECK(meta("task") == task->info().name, "{} belongs to task {}, not {}", file.string(), meta("task"),
              task->info().name);
  EstimatorConfig config;
  read_toml(meta("estimator"), fields(config), file.string());
  try {
    Estimator estimator(std::move(task), config, 0);
    std::vector<std::int64_t> sizes;
    std::string list = meta("head_sizes");
    for (std::size_t at = 0; at < list.size();) {
      std::size_t used = 0;
      sizes.push_back(std::stoll(list.substr(at), &used));
      PAIRS_CHECK(sizes.back() > 0, "head size {} is not positive", sizes.back());
      at += used + 1;
    }
    if (!sizes.empty()) estimator.split_heads(sizes);
    estimator.load_state(content.tensors);
    estimator.max_n_ = std::stoll(meta("max_n"));
    estimator.data_source_ = meta("data_source");
    estimator.train(false);
    return estimator;
  } catch (const Error& error) {
    fail("{} cannot be used: {}", file.string(), error.what());
  } catch (const c10::Error& error) {
    fail("{} cannot be used: {}", file.string(), error.what_without_backtrace());
  } catch (const std::logic_error&) {
    fail("{} cannot be used: its metadata holds a number that cannot be read", file.string());
  }
}

Estimator Estimator::clone() const {
  Estimator copy(task_, config_, 0);
  if (!sizes().empty()) copy.split_heads(sizes());
  copy.load_state(state());
  copy.max_n_ = max_n_;
  copy.data_source_ = data_source_;
  copy.to(device_);
  copy.train(embedder_->is_training());
  return copy;
}

double Estimator::head_flops() const {
  return heads_.front().head->flops();
}

}  // namespace pairs
