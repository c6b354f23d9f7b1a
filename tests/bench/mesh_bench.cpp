#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <benchmark/benchmark.h>
#include <embree3/rtcore.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "render/meshes/mesh_views.h"
#include "tasks/objects/crops.h"
#include "tasks/objects/view_cache.h"
#include "tests/bench/beside.h"
#include "tests/render/meshes/meshes.h"

namespace pairs::render {
namespace {

// Embree and nothing else: a scene with its defaults, and the same rays in the same packets of 4 x 4 pixels.
class BareEmbree {
 public:
  explicit BareEmbree(const TriangleMesh& mesh) : device_(rtcNewDevice("threads=1")), scene_(rtcNewScene(device_)) {
    const BoundingSphere bounds = bounding_sphere(mesh);
    const RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* vertex = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh.vertices.size()));
    for (const auto& v : mesh.vertices)
      for (std::size_t d = 0; d < 3; ++d) *vertex++ = static_cast<float>((v[d] - bounds.center[d]) / bounds.radius);
    void* const corners =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh.triangles.size());
    std::memcpy(corners, mesh.triangles.data(), 12 * mesh.triangles.size());
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene_);
  }
  ~BareEmbree() {
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }
  BareEmbree(const BareEmbree&) = delete;
  BareEmbree& operator=(const BareEmbree&) = delete;

  // Makes the rays' directions, 48 numbers a packet, so that tracing does nothing but trace.
  void aim(const std::vector<MeshCamera>& cameras, std::int64_t side) {
    directions_.clear();
    for (const MeshCamera& camera : cameras) {
      const MeshCameraFrame f = camera_frame(camera);
      eyes_.push_back(f.eye);
      for (std::int64_t row = 0; row < side; row += 4)
        for (std::int64_t column = 0; column < side; column += 4)
          for (std::size_t d = 0; d < 3; ++d)
            for (int k = 0; k < 16; ++k) {
              const double x = 2 * (static_cast<double>(column + k % 4) + 0.5) / static_cast<double>(side) - 1;
              const double y = 1 - 2 * (static_cast<double>(row + k / 4) + 0.5) / static_cast<double>(side);
              directions_.push_back(static_cast<float>(f.forward[d] + x * f.right[d] + y * f.up[d]));
            }
    }
  }

  void trace() const {
    const auto packets = static_cast<std::int64_t>(directions_.size() / 48);
    const std::int64_t a_view = packets / static_cast<std::int64_t>(eyes_.size());
    at::parallel_for(0, packets, 64, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) RTCRayHit16 rays;
      std::memset(&rays, 0, sizeof rays);
      std::memset(rays.ray.mask, 255, sizeof rays.ray.mask);
      alignas(64) int valid[16];
      std::fill_n(valid, 16, -1);
      RTCIntersectContext context;
      rtcInitIntersectContext(&context);
      context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
      for (std::int64_t p = begin; p < end; ++p) {
        const auto& eye = eyes_[static_cast<std::size_t>(p / a_view)];
        if (p == begin || p % a_view == 0) {
          std::fill_n(rays.ray.org_x, 16, static_cast<float>(eye[0]));
          std::fill_n(rays.ray.org_y, 16, static_cast<float>(eye[1]));
          std::fill_n(rays.ray.org_z, 16, static_cast<float>(eye[2]));
        }
        std::memcpy(rays.ray.dir_x, directions_.data() + 48 * p, 48 * sizeof(float));
        std::fill_n(rays.ray.tfar, 16, std::numeric_limits<float>::infinity());
        std::memset(rays.hit.geomID, 255, sizeof rays.hit.geomID);
        rtcIntersect16(valid, scene_, &context, &rays);
        benchmark::DoNotOptimize(rays);
      }
    });
  }

 private:
  RTCDevice device_;
  RTCScene scene_;
  std::vector<float> directions_;
  std::vector<std::array<double, 3>> eyes_;
};

// 17 views of about 10,000 triangles, 224 x 224, one ray a pixel, alternating with bare Embree. Argument: 1 fills the
// image with the mesh (a ball that touches the borders), 0 is a slim box that most rays miss.
void mesh_views(benchmark::State& state) {
  TriangleMesh mesh = bumpy_ball(100, 50, 0.1);
  if (state.range(0) == 0)
    for (auto& v : mesh.vertices) v[0] *= 0.3, v[1] *= 0.3;
  const MeshViews views(mesh);
  BareEmbree bare(mesh);
  std::vector<MeshCamera> cameras;
  for (std::uint64_t k = 0; k < 17; ++k) cameras.push_back(draw_mesh_camera(1, Purpose::check, 0, k));
  bare.aim(cameras, 224);
  std::vector<std::uint8_t> out(17 * 224 * 224);
  std::vector<bench::Spent> spent;
  for (auto _ : state)
    spent = bench::extra({[&] { views.render_gray(cameras, 224, 1, out.data()); }, [&] { bare.trace(); }}, 2);
  state.counters["views_per_s"] = 17 / spent[0].wall;
  state.counters["bare_views_per_s"] = 17 / spent[1].wall;
  state.counters["ratio"] = spent[1].wall / spent[0].wall;
}
BENCHMARK(mesh_views)->Arg(1)->Arg(0)->Iterations(1)->UseRealTime();

// Reading cached views, 200 at once as a training step does. Items are views.
void cached_views(benchmark::State& state) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "pairs-view-cache-bench";
  ViewSettings settings;
  settings.source = "bench";
  const std::vector<std::string> keys = {"ball", "box", "pieces"};
  std::filesystem::create_directories(folder);
  fill_view_cache(folder, settings, keys, [](std::size_t i) {
    return i == 0 ? bumpy_ball(100, 50, 0.1) : i == 1 ? box(1, 0.5, 0.7) : scattered(1, 300, 0.3);
  });
  {
    const ViewCache cache(folder, settings, keys);
    std::vector<ViewCache::View> which;
    for (std::size_t k = 0; k < 200; ++k) which.push_back({k % 3, static_cast<std::int64_t>(k % 17)});
    for (auto _ : state) benchmark::DoNotOptimize(cache.read(which));
    state.SetItemsProcessed(state.iterations() * 200);
    state.counters["bytes_per_view"] = static_cast<double>(cache.bytes()) / (3 * 17);
  }
  std::filesystem::remove_all(folder);
}
BENCHMARK(cached_views)->UseRealTime();

// Argument: channels. Items are images.
void crops(benchmark::State& state) {
  const torch::Tensor images = at::full({64, state.range(0), 224, 224}, 200, torch::kUInt8);
  std::vector<CropWindow> windows;
  for (std::uint64_t k = 0; k < 64; ++k) windows.push_back(draw_crop(1, Purpose::check, 0, k, 224));
  for (auto _ : state) benchmark::DoNotOptimize(crop_images(images, windows));
  state.SetItemsProcessed(state.iterations() * 64);
}
BENCHMARK(crops)->Arg(1)->Arg(3)->UseRealTime();

}  // namespace
}  // namespace pairs::render
