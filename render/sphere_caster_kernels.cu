#undef NDEBUG  // an index out of range must abort rather than read other memory
#include <algorithm>
#include <cassert>

#include "render/sphere_caster_kernels.h"
#include "render/sphere_limits.h"
#include "render/sphere_projection.h"

namespace pairs::render::kernels {
inline namespace sphere_caster_device {

constexpr int threads = 256, quads_of_block = 4 * threads;  // a quad: four pixels side by side in memory

// Data that all pixels of a view share, on a grid of rays.
struct SharedView {
  CameraBasis basis;
  ProjectedSphere spheres[max_spheres];
  ProjectedLight light;
  float background[3];
};

// Executed by all threads of a block.
__device__ void load_view(const SphereViews& d, std::int64_t view, int rays, SharedView& shared) {
  const std::int64_t owner = d.owner[view];
  assert(owner >= 0 && owner < d.scenes);
  const double* scene = d.scene + owner * d.columns;
  const int count = static_cast<int>((d.columns - 5) / 7), k = static_cast<int>(threadIdx.x);
  if (k <= count) {
    const CameraBasis basis = camera_basis(d.camera[2 * view], d.camera[2 * view + 1]);
    if (k < count) {
      shared.spheres[k] = project_sphere(scene + 7 * k, basis, d.half_width, static_cast<double>(d.height) * rays,
                                         static_cast<double>(d.width) * rays);
    } else {
      const double* rest = scene + 7 * count;
      shared.basis = basis;
      shared.light = project_light(rest[0], rest[1], basis);
      for (int c = 0; c < 3; ++c) shared.background[c] = static_cast<float>(rest[2 + c]);
    }
  }
  __syncthreads();
}

struct RayHit {
  int id;
  float u, v, w, depth;
};

__device__ RayHit nearest_hit(const SharedView& view, int count, int row, int column) {
  RayHit best{-1, 0.0f, 0.0f, 0.0f, INFINITY};
  for (int k = 0; k < count; ++k) {
    const ProjectedSphere& s = view.spheres[k];
    const float u = s.u + static_cast<float>(column - s.column) * s.step;
    const float v = s.v - static_cast<float>(row - s.row) * s.step;
    const float rest = 1.0f - v * v - u * u;
    if (!(rest > 0.0f)) continue;
    const float w = sqrtf(rest), depth = s.depth - s.radius * w;
    if (depth < best.depth) best = {k, u, v, w, depth};
  }
  return best;
}

__device__ void add_color(const SharedView& view, const RayHit& hit, float rgb[3]) {
  if (hit.id < 0) {
    for (int c = 0; c < 3; ++c) rgb[c] += view.background[c];
    return;
  }
  constexpr auto ambient = static_cast<float>(ambient_light), diffuse = static_cast<float>(1.0 - ambient_light);
  const float lit = hit.u * view.light.right + hit.v * view.light.up + hit.w * view.light.toward;
  const float shade = ambient + diffuse * fmaxf(lit, 0.0f);
  for (int c = 0; c < 3; ++c) rgb[c] += shade * view.spheres[hit.id].color[c];
}

// Stores four adjacent values at once if the alignment of the planes allows it.
__device__ void store_quad(float* out, int first, int pixels, const float value[4]) {
  if (pixels % 4 == 0) {
    *reinterpret_cast<float4*>(out + first) = make_float4(value[0], value[1], value[2], value[3]);
  } else {
    for (int k = 0; k < 4 && first + k < pixels; ++k) out[first + k] = value[k];
  }
}

__global__ void __launch_bounds__(threads) cast_kernel(SphereViews d, int tiles, int rays, float* color) {
  __shared__ SharedView view;
  const std::int64_t index = blockIdx.x / static_cast<unsigned>(tiles);
  const int tile = static_cast<int>(blockIdx.x % static_cast<unsigned>(tiles));
  load_view(d, index, rays, view);
  const int count = static_cast<int>((d.columns - 5) / 7), pixels = d.height * d.width;
  float* out = color + index * 3 * pixels;
  const float scale = 1.0f / static_cast<float>(rays * rays);
  for (int step = 0; step < 4; ++step) {
    const int first = 4 * (tile * quads_of_block + step * threads + static_cast<int>(threadIdx.x));
    if (first >= pixels) return;
    float value[3][4];
    for (int k = 0; k < 4; ++k) {
      const int p = min(first + k, pixels - 1), row = p / d.width, column = p % d.width;
      float rgb[3] = {0.0f, 0.0f, 0.0f};
      for (int a = 0; a < rays; ++a)
        for (int b = 0; b < rays; ++b)
          add_color(view, nearest_hit(view, count, row * rays + a, column * rays + b), rgb);
      for (int c = 0; c < 3; ++c) value[c][k] = rgb[c] * scale;
    }
    for (int c = 0; c < 3; ++c) store_quad(out + c * pixels, first, pixels, value[c]);
  }
}

__global__ void __launch_bounds__(threads)
    probe_kernel(SphereViews d, int tiles, float* depth, float* normal, std::int32_t* id) {
  __shared__ SharedView view;
  const std::int64_t index = blockIdx.x / static_cast<unsigned>(tiles);
  const int tile = static_cast<int>(blockIdx.x % static_cast<unsigned>(tiles));
  load_view(d, index, 1, view);
  const int count = static_cast<int>((d.columns - 5) / 7), pixels = d.height * d.width;
  for (int step = 0; step < 16; ++step) {
    const int p = tile * 4 * quads_of_block + step * threads + static_cast<int>(threadIdx.x);
    if (p >= pixels) return;
    const RayHit hit = nearest_hit(view, count, p / d.width, p % d.width);
    depth[index * pixels + p] = hit.depth;
    id[index * pixels + p] = hit.id;
    for (int c = 0; c < 3; ++c)
      normal[(index * 3 + c) * pixels + p] = hit.u * static_cast<float>(view.basis.right[c]) +
                                             hit.v * static_cast<float>(view.basis.up[c]) -
                                             hit.w * static_cast<float>(view.basis.forward[c]);
  }
}

int tiles_of(const SphereViews& d) {
  return (d.height * d.width + 4 * quads_of_block - 1) / (4 * quads_of_block);
}

// A grid has at most 2^31 - 1 blocks, so views are processed in portions.
template <class Launch>
void in_portions(SphereViews d, const Launch& launch) {
  const std::int64_t all = d.views, portion = std::max<std::int64_t>(1, 0x7fffffff / tiles_of(d));
  for (std::int64_t first = 0; first < all; first += portion) {
    SphereViews part = d;
    part.camera += 2 * first;
    part.owner += first;
    part.views = std::min(portion, all - first);
    launch(part, first * d.height * d.width, static_cast<unsigned>(part.views * tiles_of(d)));
  }
}

}  // namespace sphere_caster_device

void cast(const SphereViews& views, int supersample, float* color, cudaStream_t stream) {
  in_portions(views, [&](const SphereViews& d, std::int64_t before, unsigned blocks) {
    cast_kernel<<<blocks, threads, 0, stream>>>(d, tiles_of(d), supersample, color + 3 * before);
  });
}

void probe(const SphereViews& views, float* depth, float* normal, std::int32_t* id, cudaStream_t stream) {
  in_portions(views, [&](const SphereViews& d, std::int64_t before, unsigned blocks) {
    probe_kernel<<<blocks, threads, 0, stream>>>(d, tiles_of(d), depth + before, normal + 3 * before, id + before);
  });
}

}  // namespace pairs::render::kernels
