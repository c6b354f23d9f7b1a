#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <map>
#include <set>

#include "core/base/text/error.h"
#include "core/nn/adamw.h"
#include "core/nn/mlp.h"
#include "core/ops/ops.h"
#include "core/train/stages/stage_tools.h"
#include "tasks/registry.h"
#include "tests/bench/beside.h"

// Compares our operators with those of LibTorch, at the shapes of a preset's networks, forward and with gradients. They
// alternate within one run, on two threads; `gain` is the time of the quicker alternative over ours. An operator is
// worth its lines where that is 1.2 or more.
namespace {

using namespace pairs;
using torch::Tensor;

constexpr int kThreads = 2;

RunConfig preset(const std::string& task, const std::string& name) {
  return load_preset(built_in_tasks(), built_in_tasks()->make(task)->info(), name, "pairs", {});
}

Estimator networks(const RunConfig& config) {
  return Estimator(built_in_tasks()->make(config.task, config.task_options()), config.estimator, 1);
}

// Prints a line for a shape, and keeps the least and the largest gain.
class Table {
 public:
  explicit Table(std::string name) : name_(std::move(name)) {}
  void add(const std::string& shape, const std::vector<bench::Spent>& spent) {
    double wall = spent[1].wall, processor = spent[1].processor;
    for (std::size_t k = 2; k < spent.size(); ++k) {
      wall = std::min(wall, spent[k].wall);
      processor = std::min(processor, spent[k].processor);
    }
    std::string others;
    for (std::size_t k = 1; k < spent.size(); ++k) others += fmt::format(" {:10.1f}", 1e6 * spent[k].wall);
    fmt::print("{:<34} {:<58} {:10.1f} |{} us, gain {:5.2f}, of processor time {:5.2f}\n", name_, shape,
               1e6 * spent[0].wall, others, wall / spent[0].wall, processor / spent[0].processor);
    std::fflush(stdout);
    gains_.push_back(wall / spent[0].wall);
  }
  void report(benchmark::State& state) const {
    state.counters["shapes"] = static_cast<double>(gains_.size());
    if (gains_.empty()) return;
    state.counters["least_gain"] = *std::min_element(gains_.begin(), gains_.end());
    state.counters["median_gain"] = bench::median(gains_);
    state.counters["largest_gain"] = *std::max_element(gains_.begin(), gains_.end());
  }

 private:
  std::string name_;
  std::vector<double> gains_;
};

void check_alike(const Tensor& ours, const Tensor& theirs, double tolerance) {
  const double scale = theirs.detach().to(torch::kDouble).abs().max().item<double>() + 1e-12;
  const double apart = (ours.detach() - theirs.detach()).to(torch::kDouble).abs().max().item<double>() / scale;
  PAIRS_CHECK(apart < tolerance, "the contestants do not compute the same: {} apart", apart);
}

// ---- multilayer perceptrons

struct Network {
  std::vector<Tensor> weights, biases;
  std::string act;
  std::int64_t blocks = -1;

  explicit Network(const Mlp& mlp) {
    const auto named = mlp.named_parameters();
    for (std::size_t i = 0; named.contains(fmt::format("weight{}", i)); ++i) {
      weights.push_back(named[fmt::format("weight{}", i)]);
      biases.push_back(named[fmt::format("bias{}", i)]);
    }
    const std::string text = mlp.describe();
    act = text.substr(text.rfind(", ") + 2);
    if (const auto at = text.find(" residual"); at != text.npos)
      blocks = static_cast<std::int64_t>(weights.size()) / 2 - 1;
  }
  std::string title() const {
    std::string text = std::to_string(weights.front().size(1));
    if (blocks >= 0)
      return text + fmt::format("->{} ({} blocks)->{}", weights[0].size(0), blocks, weights.back().size(0));
    for (const Tensor& w : weights) text += fmt::format("->{}", w.size(0));
    return text;
  }
  using Layer = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, bool act)>;
  // Layer by layer, `layer` doing one with or without its activation.
  Tensor walk(const Tensor& x, const Layer& layer) const {
    const std::size_t last = weights.size() - 1;
    Tensor h = x;
    if (blocks < 0) {
      for (std::size_t i = 0; i <= last; ++i) h = layer(h, weights[i], biases[i], i < last);
      return h;
    }
    h = layer(x, weights[0], biases[0], false);
    for (std::size_t i = 1; i < last; i += 2)
      h = h + layer(layer(activated(h), weights[i], biases[i], true), weights[i + 1], biases[i + 1], false);
    return layer(h, weights[last], biases[last], false);
  }
  Tensor activated(const Tensor& h) const { return act == "relu" ? torch::relu(h) : torch::silu(h); }
  // LibTorch's linear layers (MKL), activations in place where the gradient allows it.
  Tensor libtorch(const Tensor& x) const {
    return walk(x, [&](const Tensor& h, const Tensor& w, const Tensor& b, bool last) {
      Tensor y = at::linear(h, w, b);
      if (!last) return y;
      if (act == "relu") return y.relu_();
      return torch::GradMode::is_enabled() ? torch::silu(y) : at::silu_(y);
    });
  }
  // oneDNN's linear layers with their activation, by linear_act.
  Tensor onednn(const Tensor& x) const {
    return walk(x, [&](const Tensor& h, const Tensor& w, const Tensor& b, bool last) {
      return ops::linear_act(h, w, b, last ? act : "none");
    });
  }
  Tensor ours(const Tensor& x) const { return ops::mlp(x, weights, biases, act, blocks); }
};

void compare_network(Table& table, const Network& net, std::int64_t rows, bool train, bool input_gradient) {
  const Tensor x = torch::rand({rows, net.weights.front().size(1)}).requires_grad_(train && input_gradient);
  const Tensor grad = torch::randn({rows, net.weights.back().size(0)});
  const auto pass = [&](auto&& forward) {
    return [&, forward] {
      if (!train) {
        torch::NoGradGuard no_grad;
        benchmark::DoNotOptimize(forward(x));
        return;
      }
      forward(x).backward(grad);
      for (const auto& list : {net.weights, net.biases})
        for (Tensor p : list) p.mutable_grad().reset();
      if (input_gradient) const_cast<Tensor&>(x).mutable_grad().reset();
    };
  };
  check_alike(net.ours(x), net.libtorch(x), 1e-3);
  check_alike(net.ours(x), net.onednn(x), 1e-3);
  table.add(fmt::format("{} {}, {} rows, {}", net.title(), net.act, rows, train ? "train" : "forward"),
            bench::extra({pass([&](const Tensor& t) { return net.ours(t); }),
                          pass([&](const Tensor& t) { return net.libtorch(t); }),
                          pass([&](const Tensor& t) { return net.onednn(t); })}));
}

void mlp(benchmark::State& state, const std::string& task, const std::string& name) {
  at::set_num_threads(kThreads);
  const RunConfig config = preset(task, name);
  Estimator estimator = networks(config);
  estimator.train(true);
  Table table(fmt::format("mlp {}/{}", task, name));
  std::set<std::string> seen;
  const auto each = [&](const torch::nn::Module& module, const std::vector<std::pair<std::int64_t, bool>>& uses,
                        bool input_gradient) {
    for (const auto& part : module.modules()) {
      const auto* found = dynamic_cast<const Mlp*>(part.get());
      if (found == nullptr) continue;
      const Network net(*found);
      for (const auto& [rows, train] : uses)
        if (seen.insert(fmt::format("{} {} {} {}", net.title(), net.act, rows, train)).second)
          compare_network(table, net, rows, train, input_gradient);
    }
  };
  const auto& sizes = config.pretrain.sizes;
  double mean = 0;
  for (const std::int64_t n : sizes) mean += static_cast<double>(n) / static_cast<double>(sizes.size());
  const auto observed = static_cast<std::int64_t>(mean * static_cast<double>(config.pretrain.batch));
  const bool points = estimator.task().info().kind == ObservationKind::points;
  for (auto _ : state) {
    // Embedding: a pretraining step, and a chunk of stage 2, of an evaluation or of a person's set.
    each(estimator.embedder(),
         {{observed, true}, {std::min<std::int64_t>(estimator.observations_at_once(), 65536), false}}, !points);
    // Head: steps of stages 1 and 3; one context and many, as samples and densities are asked for.
    std::vector<std::pair<std::int64_t, bool>> uses = {
        {config.pretrain.batch, true}, {config.finetune.batch, true}, {1, false}};
    if (estimator.has_density())
      for (const std::int64_t rows : {config.evaluate.samples, std::int64_t{16384}}) uses.emplace_back(rows, false);
    else
      uses.emplace_back(config.evaluate.samples, false);
    each(estimator.head(0), uses, true);
  }
  table.report(state);
}

// ---- group normalization

struct NormShape {
  std::vector<std::int64_t> x, scale;
  std::int64_t extra = 0, groups = 0;  // channels
  torch::ScalarType type = torch::kFloat;
  std::string act;
  auto operator<=>(const NormShape&) const = default;
};

std::set<NormShape>& norms_seen() {
  static std::set<NormShape> seen;
  return seen;
}

std::unique_ptr<at::ObserverContext> see_norm(const at::RecordFunction& call) {
  if (std::string_view(call.name()) != "pairs::group_norm_act_forward") return nullptr;
  const auto in = call.inputs();
  NormShape shape;
  shape.x = in[0].toTensor().sizes().vec();
  shape.type = in[0].toTensor().scalar_type();
  if (!in[1].isNone()) shape.extra = in[1].toTensor().size(1);
  shape.scale = in[2].toTensor().sizes().vec();
  shape.groups = in[4].toInt();
  shape.act = in[5].toStringRef();
  norms_seen().insert(shape);
  return nullptr;
}

// Shapes of the normalizations in the loss of two sets.
std::set<NormShape> norm_shapes(const RunConfig& config) {
  Estimator estimator = networks(config);
  estimator.train(true);
  estimator.set_noise(1);
  const SetSource source(estimator.task_pointer(), 1, config.pretrain.sizes, 0, 10);
  norms_seen().clear();
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(see_norm).needsInputs(true));
  pretrain_loss(estimator, source.training(0, 0, 2, 2, torch::kCPU));
  at::removeCallback(handle);
  return norms_seen();
}

void compare_norm(Table& table, const NormShape& shape, std::int64_t images, bool train) {
  const auto like = [&](std::int64_t channels) {
    return torch::randn({images, channels, shape.x[2], shape.x[3]})
        .to(shape.type)
        .contiguous(at::MemoryFormat::ChannelsLast)
        .requires_grad_(train);
  };
  const std::int64_t channels = shape.x[1] + shape.extra;
  const bool shared = shape.scale[0] == 1 && shape.x[0] != 1;
  Tensor x = like(shape.x[1]), y = shape.extra > 0 ? like(shape.extra) : Tensor();
  Tensor scale = torch::rand({shared ? 1 : images, channels}).requires_grad_(train),
         shift = torch::rand({shared ? 1 : images, channels}).requires_grad_(train);
  const std::optional<Tensor> extra = y.defined() ? std::optional<Tensor>(y) : std::nullopt;
  const bool silu = shape.act == "silu";
  const auto ours = [&] { return ops::group_norm_act(x, extra, scale, shift, shape.groups, shape.act); };
  const auto theirs = [&] {
    const Tensor all = y.defined() ? at::cat({x, y}, 1) : x;
    Tensor h;
    if (shared) {
      h = at::group_norm(all, shape.groups, scale[0].to(shape.type), shift[0].to(shape.type), 1e-5);
    } else {
      const auto per_pixel = [&](const Tensor& t) { return t.to(shape.type).unsqueeze(2).unsqueeze(3); };
      h = at::addcmul(per_pixel(shift), at::group_norm(all, shape.groups), per_pixel(scale));
    }
    return !silu ? h : train ? torch::silu(h) : at::silu_(h);
  };
  const Tensor grad = torch::randn({images, channels, shape.x[2], shape.x[3]})
                          .to(shape.type)
                          .contiguous(at::MemoryFormat::ChannelsLast);
  const auto pass = [&](const std::function<Tensor()>& forward) {
    return [&, forward] {
      if (!train) {
        torch::NoGradGuard no_grad;
        benchmark::DoNotOptimize(forward());
        return;
      }
      forward().backward(grad);
      for (Tensor* t : {&x, &y, &scale, &shift})
        if (t->defined()) t->mutable_grad().reset();
    };
  };
  check_alike(ours().to(torch::kFloat), theirs().to(torch::kFloat), shape.type == torch::kFloat ? 1e-4 : 5e-2);
  table.add(fmt::format("[{}, {}{}, {}, {}] {} {}, {} scale, {}", images, shape.x[1],
                        shape.extra > 0 ? fmt::format("+{}", shape.extra) : "", shape.x[2], shape.x[3],
                        shape.type == torch::kFloat ? "float32" : "bf16", shape.act, shared ? "one" : "each its",
                        train ? "train" : "forward"),
            bench::extra({pass(ours), pass(theirs)}));
}

void group_norm(benchmark::State& state, const std::string& task, const std::string& name) {
  at::set_num_threads(kThreads);
  const RunConfig config = preset(task, name);
  Table table(fmt::format("group norm {}/{}", task, name));
  for (auto _ : state)
    for (const NormShape& shape : norm_shapes(config)) {
      // The cost is each image's own: a part of the batch of large images will do.
      const std::int64_t image = (shape.x[1] + shape.extra) * shape.x[2] * shape.x[3];
      const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{1} << 23) / image);
      compare_norm(table, shape, std::min(most, shape.x[0] * config.pretrain.batch / 2), true);
      compare_norm(table, shape, std::min(most, shape.x[0] * config.evaluate.samples), false);
    }
  table.report(state);
}

// ---- AdamW

// LibTorch's fused AdamW with its own clipping, as short as it can be written; the norm is read, as ours reads it.
class Fused {
 public:
  Fused(std::vector<Tensor> parameters, double clip) : parameters_(std::move(parameters)), clip_(clip) {
    for (const Tensor& p : parameters_) {
      first_.push_back(torch::zeros_like(p));
      second_.push_back(torch::zeros_like(p));
      steps_.push_back(torch::zeros({}));
    }
  }
  void step(double lr) {
    torch::NoGradGuard no_grad;
    std::vector<Tensor> grads;
    for (const Tensor& p : parameters_) grads.push_back(p.grad());
    const double norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(grads, 2))).item<double>();
    std::optional<Tensor> scale;
    if (clip_ > 0 && norm > clip_) scale = at::scalar_tensor(norm / clip_, torch::kFloat);
    at::_foreach_add_(steps_, 1);
    at::_fused_adamw_(parameters_, grads, first_, second_, {}, steps_, lr, 0.9, 0.999, 0.01, 1e-8, false, false, scale);
  }

 private:
  std::vector<Tensor> parameters_, first_, second_, steps_;
  double clip_;
};

std::vector<Tensor> copies(const std::vector<Tensor>& parameters) {
  torch::manual_seed(1);
  std::vector<Tensor> out;
  for (const Tensor& p : parameters) {
    out.push_back(p.detach().clone().requires_grad_());
    out.back().mutable_grad() = torch::randn_like(p) * 1e-2;
  }
  return out;
}

void compare_adamw(Table& table, const std::string& title, const std::map<std::string, Tensor>& named, double clip) {
  // A part of the largest networks will do: memory is what bounds both.
  constexpr std::int64_t kMost = 1 << 24;
  std::vector<Tensor> parameters;
  std::int64_t count = 0;
  for (const auto& [name, tensor] : named)
    if (count + tensor.numel() <= kMost) {
      parameters.push_back(tensor);
      count += tensor.numel();
    }
  const std::vector<Tensor> a = copies(parameters), b = copies(parameters), c = copies(parameters);
  AdamW ours(a, {.clip = clip});
  Fused fused(b, clip);
  torch::optim::AdamW plain(c, torch::optim::AdamWOptions(1e-4).weight_decay(0.01));
  const auto their_step = [&] {
    // Always the norm: a step that is not finite is refused.
    torch::nn::utils::clip_grad_norm_(c, clip > 0 ? clip : 1e30);
    plain.step();
  };
  ours.step(1e-4);
  fused.step(1e-4);
  their_step();
  for (std::size_t i = 0; i < a.size(); ++i) {
    check_alike(a[i], b[i], 1e-4);
    check_alike(a[i], c[i], 1e-4);
  }
  table.add(fmt::format("{}: {} numbers in {} tensors, clip {}", title, count, a.size(), clip),
            bench::extra({[&] { ours.step(1e-6); }, [&] { fused.step(1e-6); }, their_step}));
}

void adamw(benchmark::State& state, const std::string& task, const std::string& name) {
  at::set_num_threads(kThreads);
  const RunConfig config = preset(task, name);
  const Estimator estimator = networks(config);
  Table table(fmt::format("adamw {}/{}", task, name));
  for (auto _ : state) {
    std::map<std::string, Tensor> all = estimator.embedder_parameters();
    const auto head = estimator.head_parameters();
    all.insert(head.begin(), head.end());
    compare_adamw(table, "pretrain", all, config.pretrain.clip);
    compare_adamw(table, "finetune", head, config.finetune.clip);
  }
  table.report(state);
}

const bool registered = [] {
  using Compare = void (*)(benchmark::State&, const std::string&, const std::string&);
  const std::vector<std::pair<std::string, Compare>> operators = {
      {"mlp", mlp}, {"group_norm", group_norm}, {"adamw", adamw}};
  for (const auto& [op, compare] : operators)
    for (const std::string& task : built_in_tasks()->names())
      for (const std::string& name : preset_names())
        benchmark::RegisterBenchmark(fmt::format("beside_libtorch/{}/{}/{}", op, task, name).c_str(),
                                     [=](benchmark::State& state) { compare(state, task, name); })
            ->Iterations(1)
            ->Unit(benchmark::kSecond)
            ->UseRealTime();
  return true;
}();

}  // namespace
