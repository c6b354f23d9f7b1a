#include <ATen/ops/empty.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/base/numbers/random.h"
#include "render/circle_raster.h"
#include "render/ray_map.h"
#include "render/sphere_caster.h"
#include "render/sphere_scene.h"
#include "tests/render/framing.h"

namespace pairs::render {
namespace {

struct SphereBatch {
  torch::Tensor scenes, cameras, owner;
};

// Two views of each scene from the prior.
SphereBatch sphere_batch(std::int64_t views) {
  std::vector<SphereScene> scenes;
  SphereBatch out{{}, at::empty({views, 2}, torch::kFloat64), at::empty({views}, torch::kInt64)};
  for (std::int64_t v = 0; v < views; ++v) {
    const auto index = static_cast<std::uint64_t>(v / 2);
    if (v % 2 == 0) scenes.push_back(draw_scene(1, Purpose::check, index));
    const Camera camera = draw_camera(1, Purpose::check, index, static_cast<std::uint64_t>(v % 2));
    out.cameras.mutable_data_ptr<double>()[2 * v] = camera.azimuth;
    out.cameras.mutable_data_ptr<double>()[2 * v + 1] = camera.elevation;
    out.owner.mutable_data_ptr<std::int64_t>()[v] = v / 2;
  }
  out.scenes = pack_scenes(scenes);
  return out;
}

// Arguments: images at once, pixels a side, rays along a pixel's side. Items are images.
void cast(benchmark::State& state) {
  const SphereBatch b = sphere_batch(state.range(0));
  CastOptions options;
  options.height = options.width = state.range(1);
  options.supersample = state.range(2);
  for (auto _ : state) benchmark::DoNotOptimize(cast_spheres(b.scenes, b.cameras, b.owner, options, torch::kCPU));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(cast)->Args({100, 64, 1})->Args({100, 32, 1})->Args({1, 512, 1})->Args({1, 512, 3})->UseRealTime();

void buffers(benchmark::State& state) {
  const SphereBatch b = sphere_batch(1);
  CastOptions options;
  options.height = options.width = 512;
  for (auto _ : state)
    benchmark::DoNotOptimize(cast_sphere_buffers(b.scenes, b.cameras, b.owner, options, torch::kCPU).id);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(buffers)->UseRealTime();

void origin_map(benchmark::State& state) {
  const SphereBatch b = sphere_batch(100);
  for (auto _ : state) benchmark::DoNotOptimize(ray_map(b.cameras, RayMap::origin, 64, 64, torch::kCPU));
  state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(origin_map)->UseRealTime();

void draw(benchmark::State& state) {
  std::uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(draw_scene(1, Purpose::check, index++, state.range(0)));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(draw)->Arg(3)->Arg(max_drawn_spheres);

// Argument: images at once, of 64 by 64 pixels with four circles each, as Circle Radius draws them. Items are images.
void circles(benchmark::State& state) {
  torch::Tensor batch = at::empty({state.range(0), 4, 3}, torch::kFloat32);
  Stream stream(stream_key(1, Purpose::check), 0);
  auto* c = batch.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < 4 * state.range(0); ++i, c += 3) {
    for (int d = 0; d < 2; ++d) c[d] = 64 * stream.uniform();
    c[2] = 15 + 35 * stream.uniform();
  }
  // The median call, which a busy machine moves least.
  std::vector<double> seconds;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(draw_circles(batch, {}));
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  state.counters["images_per_s"] = static_cast<double>(state.range(0)) / *middle;
}
BENCHMARK(circles)->Arg(100)->Arg(500)->UseRealTime();

// Argument: hundredths of the half-width. What it does to the prior's images, over 20,000 of them.
void framing(benchmark::State& state) {
  Framing framing{};
  for (auto _ : state) framing = measure_framing(0.01 * static_cast<double>(state.range(0)), 20000);
  state.counters["cut"] = framing.cut;
  state.counters["mean_image_mse"] = framing.mean_image_mse;
}
BENCHMARK(framing)->Arg(100)->Arg(125)->Arg(150)->Arg(180)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace pairs::render
