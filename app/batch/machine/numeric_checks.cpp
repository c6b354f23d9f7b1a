#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "app/batch/parts/checks.h"
#include "core/base/files/safetensors.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/heads/head.h"
#include "core/ops/ops.h"
#include "render/digit_warp.h"

namespace pairs::batch {
namespace {

double largest(const torch::Tensor& a, const torch::Tensor& b) {
  PAIRS_CHECK(a.sizes() == b.sizes(), "Shapes differ");
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

// Values that are the same in every run, independent of LibTorch's global generator.
torch::Tensor normals(at::IntArrayRef shape, std::uint64_t index) {
  const torch::Tensor out = torch::empty(shape, torch::kFloat64);
  Stream stream(stream_key(1, Purpose::check), index);
  for (double* p = out.data_ptr<double>(); p != out.data_ptr<double>() + out.numel(); ++p) *p = stream.normal64();
  return out;
}

double random_streams() {
  // Known answers of the Random123 distribution (Salmon et al. 2011).
  const std::uint32_t zero[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const std::uint32_t ones[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  const PhiloxBlock a = philox(0, 0, 0, 0, 0), b = philox(~0ull, ~0u, ~0u, ~0u, ~0u);
  double wrong = 0;
  for (int k = 0; k < 4; ++k) wrong += (a.v[k] != zero[k]) + (b.v[k] != ones[k]);
  return wrong;
}

double weights_file() {
  TensorFile file;
  file.tensors = {
      {"a", normals({3, 5}, 1).to(torch::kFloat32)}, {"b", torch::arange(7)}, {"empty", torch::empty({0, 4})}};
  file.metadata = {{"note", "θ"}};
  const TensorFile back = parse_safetensors(format_safetensors(file, "memory"), "memory");
  PAIRS_CHECK(back.metadata == file.metadata && back.tensors.size() == file.tensors.size(), "The contents differ");
  double wrong = 0;
  for (const auto& [name, tensor] : file.tensors) wrong += back.tensors.at(name).equal(tensor) ? 0 : 1;
  return wrong;
}

double linear_activation() {
  const torch::Tensor x = normals({300, 40}, 2), w = normals({50, 40}, 3), b = normals({50}, 4);
  const torch::Tensor exact = at::silu(at::linear(x, w, b));
  const torch::Tensor ours =
      ops::linear_act(x.to(torch::kFloat32), w.to(torch::kFloat32), b.to(torch::kFloat32), "silu");
  return largest(ours, exact) / exact.abs().max().item<double>();
}

double set_means() {
  const torch::Tensor x = normals({1000, 8}, 5) + 1000;
  const torch::Tensor offsets = torch::tensor({0, 1, 3, 400, 1000}, torch::kInt64);
  std::vector<torch::Tensor> exact;
  for (int k = 0; k < 4; ++k)
    exact.push_back(x.slice(0, offsets[k].item<std::int64_t>(), offsets[k + 1].item<std::int64_t>())
                        .to(torch::kFloat32)
                        .to(torch::kFloat64)
                        .mean(0));
  return largest(ops::segment_mean(x.to(torch::kFloat32), offsets), at::stack(exact)) / 1000;
}

double spline_inverse() {
  const torch::Tensor y = at::linspace(0.0005, 0.9995, 2000, torch::kFloat32);
  const torch::Tensor params = (2 * normals({2000, 33}, 6)).to(torch::kFloat32);
  const auto [z, slope] = ops::quadratic_spline(y, params, 16, false);
  const auto [back, inverse_slope] = ops::quadratic_spline_inverse(z, params, 16, false);
  return std::max(largest(back, y), largest(slope, -inverse_slope) * 1e-2);
}

// |∫ q(θ | c) dθ − 1| of a fresh one-dimensional head, largest over a few contexts.
double normalization(const std::string& kind, const std::string& support) {
  HeadConfig config;
  config.kind = kind;
  const bool box = support == "box";
  set_field(fields(config), "head.support=" + support);
  if (kind != "mixture") set_field(fields(config), box ? "head.affine=false" : "head.affine=true");
  const HeadTarget target[] = {{box ? 0.0 : -INFINITY, box ? 1.0 : INFINITY}};
  const auto head = make_head(config, target, 4, at::detail::createCPUGenerator(7));
  head->eval();
  at::NoGradGuard no_grad;
  constexpr std::int64_t kPoints = 2000;
  const double low = box ? 0 : -12, high = box ? 1 : 12, step = (high - low) / kPoints;
  const torch::Tensor grid = (torch::arange(kPoints, torch::kFloat64) + 0.5) * step + low;
  const torch::Tensor contexts = normals({3, 4}, 8).to(torch::kFloat32);
  const torch::Tensor theta = grid.to(torch::kFloat32).view({1, kPoints, 1}).expand({3, kPoints, 1}).contiguous();
  const torch::Tensor density = head->log_prob_grid(theta, contexts).to(torch::kFloat64).exp();
  return (density.sum(1) * step - 1).abs().max().item<double>();
}

double digit_warp() {
  const torch::Tensor images = (normals({2, 28, 28}, 9) * 40 + 120).clamp(0, 255).to(torch::kUInt8);
  const torch::Tensor pick = torch::tensor({0, 1}, torch::kInt64);
  const torch::Tensor zero = torch::zeros({2});
  const torch::Tensor warped = render::warp_digits(images, pick, zero, zero, pick, pick, 1);
  return largest(warped.squeeze(1), images.to(torch::kFloat64) / 255);
}

}  // namespace

std::vector<Check> numeric_checks(const TaskCatalog& tasks) {
  std::vector<Check> all = {
      {"random streams give the known words", 0, random_streams, ""},
      {"weights survive a round trip through safetensors", 0, weights_file, ""},
      {"linear + SiLU against float64", 1e-5, linear_activation, ""},
      {"set means against float64", 1e-6, set_means, ""},
      {"spline: inverse and slopes", 1e-5, spline_inverse, ""},
      {"spline head on [0, 1] integrates to 1", 1e-4, [] { return normalization("spline", "box"); }, ""},
      {"spline head with tails integrates to 1", 1e-4, [] { return normalization("spline", "real"); }, ""},
      {"mixture head on [0, 1] integrates to 1", 1e-4, [] { return normalization("mixture", "box"); }, ""},
      {"UMNN head integrates to 1", 1e-4, [] { return normalization("umnn", "real"); }, ""},
      {"digits turned by nothing stay as they are", 1e-6, digit_warp, ""},
  };
  for (const SelfCheck& check : tasks.self_checks()) all.push_back({check.name, check.limit, check.deviation, ""});
  return all;
}

}  // namespace pairs::batch
