#include "core/input_scale.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"

namespace pairs {

bool standardizes_input(const Task& task) {
  const auto* input = face<StandardizedInput>(task);
  return input != nullptr && input->standardizes();
}

InputScale input_scale(const Task& task) {
  const auto* input = face<StandardizedInput>(task);
  return input != nullptr ? input->input_scale() : InputScale{};
}

std::int64_t input_channels(const TaskInfo& info) {
  return info.observation_shape.front();
}

const torch::Tensor& all_numbers(const Observations& x) {
  return x.is_ragged() ? x.rows() : x.block();
}

Observations standardized(const Observations& x, const torch::Tensor& location, const torch::Tensor& scale,
                          const torch::Tensor& middle, const torch::Tensor& spread) {
  const torch::Tensor& values = all_numbers(x);
  PAIRS_CHECK(values.dim() >= 2 && values.size(1) == location.numel() && location.numel() == scale.numel(),
              "{} locations and {} scales do not fit observations of [{}]", location.numel(), scale.numel(),
              fmt::join(values.sizes(), ", "));
  std::vector<std::int64_t> shape(static_cast<std::size_t>(values.dim() - 1), 1);
  shape.front() = location.numel();
  torch::Tensor z = (values - location.view(shape)) / scale.view(shape);
  if (spread.defined()) {
    const torch::Tensor wide = spread.view(shape), curved = wide > 0;
    z = at::where(curved, (z.asinh() - middle.view(shape)) / at::where(curved, wide, at::ones_like(wide)), z);
  }
  const torch::Tensor seen = z.to(torch::kFloat32);
  return x.is_ragged() ? Observations::ragged(seen, x.offsets()) : Observations(seen);
}

torch::ScalarType observed_type(const TaskInfo& info) {
  return info.file.empty() ? torch::kFloat32 : torch::kFloat64;
}

}  // namespace pairs
