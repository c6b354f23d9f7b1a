#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include <optional>
#include <tuple>
#include <vector>

#include "core/ops/group_norm_act.h"
#include "core/ops/group_norm_act_kernels.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

Tensor channels_last(const Tensor& x) {
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

// Both tensors of a concatenation and the scales, in the form that the kernels take.
struct Concatenation {
  Concatenation(const Tensor& x, const std::optional<Tensor>& extra, const Tensor& scales, const Tensor& shifts,
                std::int64_t groups)
      : parts{channels_last(x)}, scale(scales.contiguous()), shift(shifts.contiguous()) {
    if (extra) parts.push_back(channels_last(*extra));
    std::int64_t channels = 0;
    for (const Tensor& part : parts) channels += part.size(1);
    check_counts_in_32_bits(x.size(0), x.size(2) * x.size(3), channels);
    shape = {static_cast<std::uint32_t>(x.size(0)), static_cast<std::uint32_t>(x.size(2) * x.size(3)),
             static_cast<std::uint32_t>(channels), static_cast<std::uint32_t>(groups)};
    row = scale.size(0) == 1 ? 0 : shape.channels;
  }
  template <class T>
  kernels::NormPart<T> part(std::size_t i) const {
    return {static_cast<const T*>(parts[i].const_data_ptr()), i == 0 ? 0 : static_cast<std::uint32_t>(parts[0].size(1)),
            static_cast<std::uint32_t>(parts[i].size(1))};
  }
  Tensor floats(std::vector<std::int64_t> sizes) const { return at::empty(sizes, scale.options()); }
  Tensor partial() const { return floats({2, shape.images, shape.chunks(), shape.channels}); }
  Tensor fold(const Tensor& partials, cudaStream_t stream) const {
    Tensor sums = at::empty({2, shape.images, shape.channels}, scale.options().dtype(torch::kDouble));
    kernels::norm_fold(partials.const_data_ptr<float>(), shape, sums.mutable_data_ptr<double>(), stream);
    return sums;
  }
  Tensor affine(const Tensor& moments, cudaStream_t stream) const {
    Tensor out = floats({2, shape.images, shape.channels});
    kernels::norm_affine(moments.const_data_ptr<float>(), scale.const_data_ptr<float>(), shift.const_data_ptr<float>(),
                         row, shape, out.mutable_data_ptr<float>(), stream);
    return out;
  }

  std::vector<Tensor> parts;
  Tensor scale, shift;
  kernels::NormShape shape;
  std::uint32_t row;
};

template <class T>
void forward_all(const Concatenation& of, bool silu, Tensor& y, Tensor& moments, cudaStream_t stream) {
  Tensor partial = of.partial();
  for (std::size_t i = 0; i < of.parts.size(); ++i)
    kernels::norm_sums<T>(of.part<T>(i), of.shape, partial.mutable_data_ptr<float>(), stream);
  const Tensor sums = of.fold(partial, stream);
  kernels::norm_moments(sums.const_data_ptr<double>(), of.shape, kGroupNormEpsilon, moments.mutable_data_ptr<float>(),
                        stream);
  const Tensor affine = of.affine(moments, stream);
  for (std::size_t i = 0; i < of.parts.size(); ++i)
    kernels::norm_apply<T>(of.part<T>(i), of.shape, affine.const_data_ptr<float>(), silu,
                           static_cast<T*>(y.mutable_data_ptr()), stream);
}

template <class T>
void backward_all(const Concatenation& of, const Tensor& grad, const Tensor& moments, bool silu,
                  std::vector<Tensor>& dz, Tensor& gscale, Tensor& gshift, cudaStream_t stream) {
  Tensor partial = of.partial(), mix = of.floats({3, of.shape.images, of.shape.channels});
  const Tensor affine = of.affine(moments, stream);
  for (std::size_t i = 0; i < of.parts.size(); ++i)
    kernels::norm_apply_grad<T>(static_cast<const T*>(grad.const_data_ptr()), of.part<T>(i), of.shape,
                                affine.const_data_ptr<float>(), silu, static_cast<T*>(dz[i].mutable_data_ptr()),
                                partial.mutable_data_ptr<float>(), stream);
  const Tensor sums = of.fold(partial, stream);
  kernels::norm_backward(sums.const_data_ptr<double>(), moments.const_data_ptr<float>(),
                         of.scale.const_data_ptr<float>(), of.row, of.shape, gscale.mutable_data_ptr<float>(),
                         gshift.mutable_data_ptr<float>(), mix.mutable_data_ptr<float>(), stream);
  for (std::size_t i = 0; i < of.parts.size(); ++i)
    kernels::norm_mix<T>(of.part<T>(i), of.shape, mix.const_data_ptr<float>(),
                         static_cast<T*>(dz[i].mutable_data_ptr()), stream);
}

std::tuple<Tensor, Tensor> norm_forward(const Tensor& x, const std::optional<Tensor>& extra, const Tensor& scale,
                                        const Tensor& shift, std::int64_t groups, c10::string_view act) {
  const c10::cuda::CUDAGuard guard(x.device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  const Concatenation of(x, extra, scale, shift, groups);
  Tensor y =
      at::empty({x.size(0), of.shape.channels, x.size(2), x.size(3)}, x.options(), at::MemoryFormat::ChannelsLast);
  Tensor moments = of.floats({2, x.size(0), groups});
  if (x.scalar_type() == torch::kFloat)
    forward_all<float>(of, act == "silu", y, moments, stream);
  else
    forward_all<__nv_bfloat16>(of, act == "silu", y, moments, stream);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {y, moments};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> norm_backward(const Tensor& grad, const Tensor& x,
                                                         const std::optional<Tensor>& extra, const Tensor& scale,
                                                         const Tensor& shift, const Tensor& moments,
                                                         c10::string_view act) {
  const c10::cuda::CUDAGuard guard(x.device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  const Concatenation of(x, extra, scale, shift, moments.size(2));
  const Tensor g = channels_last(grad);
  std::vector<Tensor> dz;
  for (const Tensor& part : of.parts) dz.push_back(at::empty_like(part));
  Tensor gscale = of.floats({x.size(0), of.shape.channels}), gshift = at::empty_like(gscale);
  if (x.scalar_type() == torch::kFloat)
    backward_all<float>(of, g, moments, act == "silu", dz, gscale, gshift, stream);
  else
    backward_all<__nv_bfloat16>(of, g, moments, act == "silu", dz, gscale, gshift, stream);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  if (dz.size() == 1) dz.push_back(at::empty({0}, x.options()));
  if (scale.size(0) == x.size(0)) return {dz[0], dz[1], gscale, gshift};
  return {dz[0], dz[1], gscale.sum(0, true), gshift.sum(0, true)};
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("group_norm_act_forward", norm_forward);
  m.impl("group_norm_act_backward", norm_backward);
}

}  // namespace pairs::ops
