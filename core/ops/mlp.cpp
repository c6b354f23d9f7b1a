#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/base/text/error.h"
#include "core/ops/gemm_tiles.h"
#include "core/ops/linear_act.h"
#include "core/ops/mlp_engine.h"
#include "core/ops/ops.h"
#include "core/ops/repeated_networks.h"

namespace pairs::ops {

// Cached data of each network, by its first weights.
struct RepeatedNetworks::Kept {
  struct Network {
    std::vector<torch::Tensor> parameters;  // keep the memory alive by which the network is identified
    torch::Tensor packed, x, y;
  };
  std::unordered_map<const void*, Network> networks;
};

namespace {

thread_local RepeatedNetworks::Kept* kept_networks = nullptr;

}  // namespace

RepeatedNetworks::RepeatedNetworks() : kept_(std::make_unique<Kept>()), before_(kept_networks) {
  kept_networks = kept_.get();
}

RepeatedNetworks::~RepeatedNetworks() {
  kept_networks = before_;
}

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

// Wider layers exceed the caches; oneDNN's blocking is better there.
constexpr std::int64_t kWidest = 1024;

// The network layer by layer, for other types, other devices and other processors.
Tensor mlp_by_layers(const Tensor& x, const std::vector<Tensor>& weights, const std::vector<Tensor>& biases,
                     const std::string& act, std::int64_t blocks) {
  const std::size_t last = weights.size() - 1;
  if (blocks < 0) {
    Tensor h = x;
    for (std::size_t i = 0; i <= last; ++i) h = linear_act(h, weights[i], biases[i], i < last ? act : "none");
    return h;
  }
  const auto activated = [&](const Tensor& t) {
    return act == "relu"       ? torch::relu(t)
           : act == "silu"     ? torch::silu(t)
           : act == "softplus" ? shifted_softplus(t)
                               : t;
  };
  Tensor h = linear_act(x, weights[0], biases[0], "none");
  for (std::size_t i = 1; i < last; i += 2)
    h = h + linear_act(linear_act(activated(h), weights[i], biases[i], act), weights[i + 1], biases[i + 1], "none");
  return linear_act(h, weights[last], biases[last], "none");
}

MlpEngine make_engine(const std::vector<Tensor>& weights, const std::string& act, std::int64_t blocks) {
  std::vector<std::int64_t> widths = {weights[0].size(1)};
  for (const Tensor& w : weights) widths.push_back(w.size(0));
  return MlpEngine(*gemm_tiles(), std::move(widths), parse_activation(act), blocks);
}

// Contiguous parameters and their addresses.
struct Values {
  std::vector<Tensor> tensors;
  std::vector<const float*> data;
  explicit Values(const std::vector<Tensor>& from) {
    for (const Tensor& t : from) {
      tensors.push_back(t.contiguous());
      data.push_back(tensors.back().const_data_ptr<float>());
    }
  }
};

Tensor floats(std::int64_t count) {
  return at::empty({count}, at::kFloat);
}

struct Kept {
  Tensor tape, packed;
};

Tensor run_forward(const MlpEngine& engine, const Tensor& x, const std::vector<Tensor>& weights,
                   const std::vector<Tensor>& biases, bool need_x, Kept* kept) {
  const std::int64_t rows = x.size(0);
  const Tensor y = at::empty({rows, weights.back().size(0)}, at::kFloat);
  const Tensor packed = floats(engine.packed_size(kept != nullptr, need_x));
  const Values w(weights), b(biases);
  engine.pack(w.data, kept != nullptr, need_x, packed.mutable_data_ptr<float>());
  if (kept != nullptr) *kept = {floats(engine.tape_size(rows)), packed};
  engine.forward(packed.const_data_ptr<float>(), b.data, x.const_data_ptr<float>(), rows, y.mutable_data_ptr<float>(),
                 kept != nullptr ? kept->tape.mutable_data_ptr<float>() : nullptr);
  return y;
}

bool same_memory(const std::vector<Tensor>& kept, const std::vector<Tensor>& weights,
                 const std::vector<Tensor>& biases) {
  if (kept.size() != weights.size() + biases.size()) return false;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (!kept[i].is_same(i < weights.size() ? weights[i] : biases[i - weights.size()])) return false;
  return true;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.defined() && a.sizes() == b.sizes() && std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

// run_forward without gradients, with the network's cached data.
Tensor run_repeated(RepeatedNetworks::Kept& kept, const Tensor& x, const std::vector<Tensor>& weights,
                    const std::vector<Tensor>& biases, const std::string& act, std::int64_t blocks) {
  constexpr std::int64_t kSmall = 1024;  // size of an input whose output is cached
  const MlpEngine engine = make_engine(weights, act, blocks);
  RepeatedNetworks::Kept::Network& network = kept.networks[weights[0].unsafeGetTensorImpl()];
  if (!same_memory(network.parameters, weights, biases)) {
    network = {};
    network.parameters = weights;
    network.parameters.insert(network.parameters.end(), biases.begin(), biases.end());
    network.packed = floats(engine.packed_size(false, false));
    engine.pack(Values(weights).data, false, false, network.packed.mutable_data_ptr<float>());
  }
  if (same_bytes(network.x, x)) return network.y.clone();
  const Tensor y = at::empty({x.size(0), weights.back().size(0)}, at::kFloat);
  const Values b(biases);
  engine.forward(network.packed.const_data_ptr<float>(), b.data, x.const_data_ptr<float>(), x.size(0),
                 y.mutable_data_ptr<float>(), nullptr);
  if (x.numel() <= kSmall) {
    network.x = x.clone();
    network.y = y.clone();
  }
  return y;
}

class MlpFunction : public torch::autograd::Function<MlpFunction> {
 public:
  // parameters: every weight, then every bias.
  static Tensor forward(AutogradContext* ctx, const Tensor& input, at::TensorList parameters, const std::string& act,
                        std::int64_t blocks) {
    at::AutoDispatchBelowADInplaceOrView guard;
    const std::vector<Tensor> weights(parameters.begin(), parameters.begin() + parameters.size() / 2);
    const std::vector<Tensor> biases(parameters.begin() + parameters.size() / 2, parameters.end());
    const Tensor x = input.contiguous();
    Kept kept;
    const Tensor y = run_forward(make_engine(weights, act, blocks), x, weights, biases, input.requires_grad(), &kept);
    variable_list saved = {x, kept.tape, kept.packed};
    saved.insert(saved.end(), weights.begin(), weights.end());
    ctx->save_for_backward(std::move(saved));
    ctx->saved_data["act"] = act;
    ctx->saved_data["blocks"] = blocks;
    return y;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    at::AutoDispatchBelowADInplaceOrView guard;
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &tape = saved[1], &packed = saved[2], grad_y = grads[0].contiguous();
    const std::vector<Tensor> weights(saved.begin() + 3, saved.end());
    const MlpEngine engine =
        make_engine(weights, ctx->saved_data["act"].toStringRef(), ctx->saved_data["blocks"].toInt());
    const std::int64_t rows = x.size(0);
    const std::size_t count = weights.size();
    variable_list out(2 * count + 3);
    std::vector<float*> grad_weights, grad_biases;
    bool need_parameters = false;
    for (std::size_t i = 1; i <= 2 * count; ++i) need_parameters = need_parameters || ctx->needs_input_grad(i);
    if (need_parameters) {
      for (std::size_t i = 0; i < count; ++i) {
        out[1 + i] = at::empty(weights[i].sizes(), at::kFloat);
        out[1 + count + i] = at::empty({weights[i].size(0)}, at::kFloat);
        grad_weights.push_back(out[1 + i].mutable_data_ptr<float>());
        grad_biases.push_back(out[1 + count + i].mutable_data_ptr<float>());
      }
    }
    if (ctx->needs_input_grad(0)) out[0] = at::empty(x.sizes(), at::kFloat);
    const Tensor scratch = floats(engine.scratch_size(rows));
    engine.backward(packed.const_data_ptr<float>(), x.const_data_ptr<float>(), rows, tape.const_data_ptr<float>(),
                    grad_y.const_data_ptr<float>(), scratch.mutable_data_ptr<float>(),
                    out[0].defined() ? out[0].mutable_data_ptr<float>() : nullptr, grad_weights, grad_biases);
    return out;
  }
};

bool fits_engine(const Tensor& x, const std::vector<Tensor>& weights, const std::vector<Tensor>& biases) {
  const auto fits = [](const Tensor& t) { return t.is_cpu() && t.scalar_type() == torch::kFloat && t.numel() > 0; };
  if (gemm_tiles() == nullptr || !fits(x)) return false;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!fits(weights[i]) || !fits(biases[i]) || weights[i].size(0) > kWidest || weights[i].size(1) > kWidest)
      return false;
  return true;
}

void check_network(const Tensor& x, const std::vector<Tensor>& weights, const std::vector<Tensor>& biases,
                   std::int64_t blocks) {
  PAIRS_CHECK(!weights.empty() && weights.size() == biases.size(), "a network has one bias for each of its {} layers",
              weights.size());
  PAIRS_CHECK(blocks < 0 || weights.size() == static_cast<std::size_t>(2 * blocks + 2),
              "a network of {} residual blocks has {} layers, not {}", blocks, 2 * blocks + 2, weights.size());
  PAIRS_CHECK(x.dim() == 2 && weights[0].dim() == 2 && x.size(1) == weights[0].size(1),
              "a network of {} inputs cannot take [{}]", weights[0].dim() == 2 ? weights[0].size(1) : -1,
              fmt::join(x.sizes(), ", "));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool stream = blocks >= 0 && i > 0 && i + 1 < weights.size();
    PAIRS_CHECK(weights[i].dim() == 2 && biases[i].dim() == 1 && biases[i].size(0) == weights[i].size(0) &&
                    (i == 0 || weights[i].size(1) == weights[i - 1].size(0)) &&
                    (!stream || weights[i].size(0) == weights[0].size(0)),
                "layer {} of a network does not fit: weights [{}], bias [{}]", i, fmt::join(weights[i].sizes(), ", "),
                fmt::join(biases[i].sizes(), ", "));
  }
}

}  // namespace

Tensor mlp(const Tensor& x, const std::vector<Tensor>& weights, const std::vector<Tensor>& biases,
           const std::string& act, std::int64_t blocks) {
  check_network(x, weights, biases, blocks);
  parse_activation(act);
  if (!fits_engine(x, weights, biases)) return mlp_by_layers(x, weights, biases, act, blocks);
  bool gradient = x.requires_grad();
  for (std::size_t i = 0; i < weights.size(); ++i)
    gradient = gradient || weights[i].requires_grad() || biases[i].requires_grad();
  if (!gradient || !torch::GradMode::is_enabled()) {
    at::AutoDispatchBelowADInplaceOrView guard;
    if (kept_networks != nullptr) return run_repeated(*kept_networks, x.contiguous(), weights, biases, act, blocks);
    return run_forward(make_engine(weights, act, blocks), x.contiguous(), weights, biases, false, nullptr);
  }
  std::vector<Tensor> parameters = weights;
  parameters.insert(parameters.end(), biases.begin(), biases.end());
  return MlpFunction::apply(x, at::TensorList(parameters), act, blocks);
}

}  // namespace pairs::ops
