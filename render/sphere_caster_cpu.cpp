#include "render/sphere_caster_cpu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/numbers/simd.h"
#include "render/sphere_caster.h"
#include "render/sphere_projection.h"
#include "render/sphere_scene.h"

namespace pairs::render {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::int32_t lanes = 16;  // rays are shaded in whole blocks, so rows of rays have that much padding

// The intersection of one row of rays with one sphere: rays first .. first + 16 * blocks, with v as in ProjectedSphere.
struct Chord {
  std::int32_t first, blocks;
  float u, step, half;  // u of the first ray; half the chord's length squared, 1 - v^2
  float depth, radius;
};

// The rays that may hit the sphere in a row, widened by one on either side; blocks = 0 for none.
Chord chord_of(const ProjectedSphere& s, float v, std::int32_t width) {
  const float half = 1.0f - v * v;
  Chord chord{0, 0, 0.0f, s.step, half, s.depth, s.radius};
  if (!(half > 0.0f)) return chord;
  const double middle = s.column - static_cast<double>(s.u) / s.step, reach = std::sqrt(half) / s.step;
  const double low = std::max(0.0, std::floor(middle - reach)), high = std::min<double>(width, middle + reach + 2.0);
  if (!(low < high)) return chord;
  chord.first = static_cast<std::int32_t>(low);
  chord.blocks = (static_cast<std::int32_t>(high) - chord.first + lanes - 1) / lanes;
  chord.u = s.u + static_cast<float>(chord.first - s.column) * s.step;
  return chord;
}

// Shades what lies in front of `depth`: n . l times the diffuse part is constant + along * u + toward * w.
PAIRS_SIMD_CLONES void shade_chord(const Chord& c, float constant, float along, float toward, const float* color,
                                   float* __restrict depth, float* __restrict red, float* __restrict green,
                                   float* __restrict blue) {
  const float u0 = c.u, step = c.step, half = c.half, middle = c.depth, radius = c.radius;
  const float r = color[0], g = color[1], b = color[2];
  const std::int32_t count = c.blocks * lanes;
  for (std::int32_t j = 0; j < count; ++j) {
    const float u = u0 + static_cast<float>(j) * step, rest = half - u * u;
    const float w = std::sqrt(rest > 0.0f ? rest : 0.0f), z = middle - radius * w;
    const bool hit = (rest > 0.0f) & (z < depth[j]);
    const float lit = constant + u * along + w * toward;
    const float shade = static_cast<float>(ambient_light) + (lit > 0.0f ? lit : 0.0f);
    depth[j] = hit ? z : depth[j];
    red[j] = hit ? shade * r : red[j];
    green[j] = hit ? shade * g : green[j];
    blue[j] = hit ? shade * b : blue[j];
  }
}

// Writes depth, the sphere's number and its normal in the view's own axes.
PAIRS_SIMD_CLONES void probe_chord(const Chord& c, std::int32_t number, float v, float* __restrict depth,
                                   std::int32_t* __restrict id, float* __restrict right, float* __restrict up,
                                   float* __restrict toward) {
  const float u0 = c.u, step = c.step, half = c.half, middle = c.depth, radius = c.radius;
  const std::int32_t count = c.blocks * lanes;
  for (std::int32_t j = 0; j < count; ++j) {
    const float u = u0 + static_cast<float>(j) * step, rest = half - u * u;
    const float w = std::sqrt(rest > 0.0f ? rest : 0.0f), z = middle - radius * w;
    const bool hit = (rest > 0.0f) & (z < depth[j]);
    depth[j] = hit ? z : depth[j];
    id[j] = hit ? number : id[j];
    right[j] = hit ? u : right[j];
    up[j] = hit ? v : up[j];
    toward[j] = hit ? w : toward[j];
  }
}

PAIRS_SIMD_CLONES void add_difference(const float* __restrict value, float background, std::int32_t count,
                                      float* __restrict sum) {
  for (std::int32_t j = 0; j < count; ++j) sum[j] += value[j] - background;
}

PAIRS_SIMD_CLONES void combine(float a, const float* __restrict x, float b, const float* __restrict y, float c,
                               const float* __restrict z, std::int32_t count, float* __restrict out) {
  for (std::int32_t j = 0; j < count; ++j) out[j] = a * x[j] + b * y[j] + c * z[j];
}

// A scene in one view, on a grid of `height` by `width` rays.
struct View {
  CameraBasis basis;
  std::int32_t height, width, count;
  ProjectedSphere spheres[max_spheres];
  std::int32_t first_row[max_spheres], end_row[max_spheres];  // where a sphere may be hit
  ProjectedLight light;
  float background[3];

  View(const double* scene, std::int64_t spheres_, const double* camera, std::int64_t height_, std::int64_t width_,
       double half_width)
      : basis(camera_basis(camera[0], camera[1])),
        height(static_cast<std::int32_t>(height_)),
        width(static_cast<std::int32_t>(width_)),
        count(static_cast<std::int32_t>(spheres_)) {
    for (std::int32_t k = 0; k < count; ++k) {
      ProjectedSphere& s = spheres[k];
      s = project_sphere(scene + 7 * k, basis, half_width, static_cast<double>(height), static_cast<double>(width));
      const double middle = s.row + static_cast<double>(s.v) / s.step, reach = 1.0 / s.step;
      const double low = std::max(0.0, std::floor(middle - reach));
      const double high = std::min<double>(height, middle + reach + 2.0);
      const bool seen = low < high;  // not for NaN
      first_row[k] = seen ? static_cast<std::int32_t>(low) : 0;
      end_row[k] = seen ? static_cast<std::int32_t>(high) : 0;
    }
    const double* rest = scene + 7 * count;
    light = project_light(rest[0], rest[1], basis);
    for (int c = 0; c < 3; ++c) background[c] = static_cast<float>(rest[2 + c]);
  }

  // Calls work(k, v, chord) for every sphere k that the row may hit.
  template <class Work>
  void each_chord(std::int32_t row, const Work& work) const {
    for (std::int32_t k = 0; k < count; ++k) {
      if (row < first_row[k] || row >= end_row[k]) continue;
      const ProjectedSphere& s = spheres[k];
      const float v = s.v - static_cast<float>(row - s.row) * s.step;
      const Chord chord = chord_of(s, v, width);
      if (chord.blocks > 0) work(k, v, chord);
    }
  }
};

// One row of rays with room for whole blocks. Before drawing it holds only the background.
class Row {
 public:
  explicit Row(const View& view)
      : view_(view), stride_(view.width + lanes), value_(static_cast<std::size_t>(4 * stride_)) {
    first = 0;
    end = static_cast<std::int32_t>(stride_);
    clear();
  }

  float* color(int c) { return value_.data() + (1 + c) * stride_; }

  // The touched range is [first, end), which may exceed the view by less than a block.
  void draw(std::int32_t row) {
    first = view_.width;
    end = 0;
    view_.each_chord(row, [&](std::int32_t k, float v, const Chord& chord) {
      constexpr auto diffuse = static_cast<float>(1.0 - ambient_light);
      const ProjectedLight& light = view_.light;
      shade_chord(chord, diffuse * v * light.up, diffuse * light.right, diffuse * light.toward, view_.spheres[k].color,
                  value_.data() + chord.first, color(0) + chord.first, color(1) + chord.first, color(2) + chord.first);
      first = std::min(first, chord.first);
      end = std::max(end, chord.first + chord.blocks * lanes);
    });
  }

  void clear() {
    if (end <= first) return;
    std::fill(value_.data() + first, value_.data() + end, infinity);
    for (int c = 0; c < 3; ++c) std::fill(color(c) + first, color(c) + end, view_.background[c]);
  }

  std::int32_t first, end;

 private:
  const View& view_;
  std::int64_t stride_;
  std::vector<float> value_;  // depth, then the colors
};

// Draws rows [begin, end) of an image [3, H, W], one ray per pixel.
void cast_plain(const View& view, std::int64_t begin, std::int64_t end, float* out) {
  const std::int64_t width = view.width, plane = view.height * width;
  Row row(view);
  for (std::int64_t i = begin; i < end; ++i) {
    row.draw(static_cast<std::int32_t>(i));
    for (int c = 0; c < 3; ++c) std::copy_n(row.color(c), width, out + c * plane + i * width);
    row.clear();
  }
}

// Casts k by k rays per pixel: `view` is the grid of rays.
void cast_fine(const View& view, std::int64_t begin, std::int64_t end, std::int32_t k, float* out) {
  const std::int64_t width = view.width / k, plane = view.height / k * width;
  const float scale = 1.0f / static_cast<float>(k * k);
  Row row(view);
  std::vector<float> sums(static_cast<std::size_t>(3 * view.width), 0.0f);  // differences from the background
  for (std::int64_t i = begin; i < end; ++i) {
    std::int32_t low = view.width, high = 0;  // touched rays
    for (std::int32_t a = 0; a < k; ++a) {
      row.draw(static_cast<std::int32_t>(i) * k + a);
      const std::int32_t touched = std::min(row.end, view.width);
      if (row.first < touched)
        for (int c = 0; c < 3; ++c)
          add_difference(row.color(c) + row.first, view.background[c], touched - row.first,
                         sums.data() + c * view.width + row.first);
      low = std::min(low, row.first);
      high = std::max(high, touched);
      row.clear();
    }
    for (int c = 0; c < 3; ++c) {
      float* pixel = out + c * plane + i * width;
      float* sum = sums.data() + c * view.width;
      std::fill_n(pixel, width, view.background[c]);
      for (std::int32_t p = low / k; p * k < high; ++p) {
        float total = 0.0f;
        for (std::int32_t b = 0; b < k; ++b) total += sum[p * k + b];
        pixel[p] += total * scale;
      }
      if (low < high) std::fill(sum + low, sum + high, 0.0f);
    }
  }
}

// Where the buffers of one view begin.
struct Buffers {
  float *depth, *normal;
  std::int32_t* id;
};

void probe(const View& view, std::int64_t begin, std::int64_t end, const Buffers& out) {
  const std::int64_t width = view.width, plane = view.height * width, stride = width + lanes;
  std::vector<float> rays(static_cast<std::size_t>(4 * stride));
  std::vector<std::int32_t> id(static_cast<std::size_t>(stride));
  float *depth = rays.data(), *right = depth + stride, *up = right + stride, *toward = up + stride;
  for (std::int64_t i = begin; i < end; ++i) {
    std::fill_n(depth, stride, infinity);
    std::fill_n(right, 3 * stride, 0.0f);
    std::fill_n(id.data(), stride, -1);
    view.each_chord(static_cast<std::int32_t>(i), [&](std::int32_t k, float v, const Chord& chord) {
      probe_chord(chord, k, v, depth + chord.first, id.data() + chord.first, right + chord.first, up + chord.first,
                  toward + chord.first);
    });
    std::copy_n(depth, width, out.depth + i * width);
    std::copy_n(id.data(), width, out.id + i * width);
    for (int c = 0; c < 3; ++c)
      combine(static_cast<float>(view.basis.right[c]), right, static_cast<float>(view.basis.up[c]), up,
              static_cast<float>(-view.basis.forward[c]), toward, view.width, out.normal + c * plane + i * width);
  }
}

// Calls work(view index, view, first row, end row) for bands of rows of all views, in parallel. A band has about 16,384
// rays; each pixel is computed in the same way on every thread.
template <class Work>
void each_band(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
               std::int64_t height, std::int64_t width, double half_width, std::int64_t k, const Work& work) {
  const std::int64_t views = cameras.size(0), columns = scenes.size(1), spheres = spheres_of_columns(columns);
  const std::int64_t rows = std::clamp<std::int64_t>(16384 / (width * k * k), 1, height);
  const std::int64_t bands = (height + rows - 1) / rows;
  const auto* scene = scenes.const_data_ptr<double>();
  const auto* camera = cameras.const_data_ptr<double>();
  const auto* owners = owner.const_data_ptr<std::int64_t>();
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / (rows * width * k * k));
  at::parallel_for(0, views * bands, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      const std::int64_t v = t / bands, row = t % bands * rows;
      const View view(scene + owners[v] * columns, spheres, camera + 2 * v, height * k, width * k, half_width);
      work(v, view, row, std::min(height, row + rows));
    }
  });
}

}  // namespace

torch::Tensor cast_spheres_cpu(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                               std::int64_t height, std::int64_t width, double half_width, std::int64_t supersample) {
  torch::Tensor out = at::empty({cameras.size(0), 3, height, width}, torch::kFloat32);
  auto* pixel = out.mutable_data_ptr<float>();
  const std::int64_t size = 3 * height * width;
  const auto k = static_cast<std::int32_t>(supersample);
  each_band(scenes, cameras, owner, height, width, half_width, supersample,
            [&](std::int64_t v, const View& view, std::int64_t begin, std::int64_t end) {
              if (k == 1)
                cast_plain(view, begin, end, pixel + v * size);
              else
                cast_fine(view, begin, end, k, pixel + v * size);
            });
  return out;
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> probe_spheres_cpu(const torch::Tensor& scenes,
                                                                          const torch::Tensor& cameras,
                                                                          const torch::Tensor& owner,
                                                                          std::int64_t height, std::int64_t width,
                                                                          double half_width) {
  const std::int64_t views = cameras.size(0), plane = height * width;
  torch::Tensor depth = at::empty({views, height, width}, torch::kFloat32);
  torch::Tensor normal = at::empty({views, 3, height, width}, torch::kFloat32);
  torch::Tensor id = at::empty({views, height, width}, torch::kInt32);
  const Buffers all{depth.mutable_data_ptr<float>(), normal.mutable_data_ptr<float>(),
                    id.mutable_data_ptr<std::int32_t>()};
  each_band(scenes, cameras, owner, height, width, half_width, 1,
            [&](std::int64_t v, const View& view, std::int64_t begin, std::int64_t end) {
              probe(view, begin, end, {all.depth + v * plane, all.normal + 3 * v * plane, all.id + v * plane});
            });
  return {depth, normal, id};
}

}  // namespace pairs::render
