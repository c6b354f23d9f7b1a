#include "render/scene_picture.h"

#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace pairs {
namespace {

// Near is 1, far is 0.25, whatever the scene's own range.
torch::Tensor depth_picture(const torch::Tensor& depth) {
  const torch::Tensor hit = depth.isfinite();
  if (!hit.any().item<bool>()) return at::zeros_like(depth).expand({3, -1, -1});
  const torch::Tensor seen = depth.masked_select(hit);
  const double near = seen.min().item<double>(), far = std::max(seen.max().item<double>(), near + 1e-6);
  return at::where(hit, 1.0 - 0.75 * (depth - near) / (far - near), 0.0).expand({3, -1, -1});
}

// The palette of Okabe and Ito without its black, repeated at half brightness if there are more spheres.
torch::Tensor id_picture(const torch::Tensor& id) {
  const torch::Tensor palette = at::tensor({0x00, 0x72, 0xB2, 0xE6, 0x9F, 0x00, 0x00, 0x9E, 0x73, 0xCC, 0x79,
                                            0xA7, 0xD5, 0x5E, 0x00, 0x56, 0xB4, 0xE9, 0xF0, 0xE4, 0x42},
                                           torch::kFloat32)
                                    .view({7, 3}) /
                                255.0;
  const torch::Tensor number = id.to(torch::kInt64).clamp_min(0);
  const torch::Tensor brightness = at::where(number < 7, 1.0, 0.5) * (id >= 0);
  return (palette.index_select(0, number.remainder(7).flatten()).t().reshape({3, id.size(0), id.size(1)}) * brightness)
      .to(torch::kFloat32);
}

}  // namespace

const std::vector<std::string>& scene_buffer_names() {
  static const std::vector<std::string> names = {"color", "depth", "normal", "id"};
  return names;
}

std::vector<std::uint8_t> rgb_bytes(const torch::Tensor& image) {
  const torch::Tensor bytes = (image * 255.0 + 0.5).clamp(0.0, 255.0).to(torch::kUInt8).permute({1, 2, 0}).contiguous();
  const auto* first = bytes.const_data_ptr<std::uint8_t>();
  return {first, first + bytes.numel()};
}

torch::Tensor scene_picture(const render::SphereScene& scene, const render::Camera& camera,
                            const render::CastOptions& options, SceneBuffer buffer) {
  const torch::Tensor row = render::pack_scenes({scene}), owner = at::zeros({1}, torch::kInt64);
  const torch::Tensor view = at::tensor({camera.azimuth, camera.elevation}, torch::kFloat64).unsqueeze(0);
  if (buffer == SceneBuffer::color) return render::cast_spheres(row, view, owner, options, torch::kCPU)[0];
  render::CastOptions plain = options;
  plain.supersample = 1;
  const render::SphereBuffers seen = render::cast_sphere_buffers(row, view, owner, plain, torch::kCPU);
  if (buffer == SceneBuffer::depth) return depth_picture(seen.depth[0]);
  if (buffer == SceneBuffer::id) return id_picture(seen.id[0]);
  return (0.5 * (seen.normal[0] + 1.0)) * (seen.id[0] >= 0);
}

}  // namespace pairs
