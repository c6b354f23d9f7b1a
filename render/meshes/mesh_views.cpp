#include "render/meshes/mesh_views.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <embree3/rtcore.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"
#include "render/meshes/mesh_shading.h"

// Makes GCC turn the next loop into one vector operation instead of unrolling it.
#if defined(__GNUC__) && !defined(__clang__)
#define PAIRS_AS_ONE_VECTOR _Pragma("GCC unroll 1")
#else
#define PAIRS_AS_ONE_VECTOR
#endif

namespace pairs::render {
namespace {

constexpr std::int64_t packet = 16;             // rays that Embree processes at once
constexpr std::int64_t band_rows = 16;          // rows of pixels that one thread renders at a time
constexpr std::int64_t table_bytes = 64 << 20;  // gray values of triangles kept at once, over several views

// One device for the program. A scene is built on the calling thread: with several threads, their division of a mesh
// would affect which of two coincident triangles is visible.
RTCDevice embree_device() {
  static const struct Owner {
    Owner() : device(rtcNewDevice("threads=1,start_threads=0")) {}
    ~Owner() { rtcReleaseDevice(device); }
    RTCDevice device;
  } owner;
  PAIRS_CHECK(owner.device != nullptr, "Embree cannot be started (error {}), so meshes cannot be rendered",
              static_cast<int>(rtcGetDeviceError(nullptr)));
  return owner.device;
}

void check_embree(RTCDevice device, std::size_t triangles) {
  const RTCError error = rtcGetDeviceError(device);
  PAIRS_CHECK(error != RTC_ERROR_OUT_OF_MEMORY,
              "Memory does not suffice to render a mesh of {} triangles; free some or leave the mesh out", triangles);
  PAIRS_CHECK(error == RTC_ERROR_NONE, "Embree cannot prepare a mesh of {} triangles (error {})", triangles,
              static_cast<int>(error));
}

// While it exists, this thread treats denormal numbers as 0, which is as fast as other numbers and the same on all
// threads.
class FlushTiny {
#if defined(__SSE2__)
 public:
  FlushTiny() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | 0x8040u);
  }
  ~FlushTiny() {
    _mm_setcsr(before_);
  }
  FlushTiny(const FlushTiny&) = delete;
  FlushTiny& operator=(const FlushTiny&) = delete;

 private:
  unsigned before_;
#endif
};

// Triangles by column: unit normal (zero if there is none) and the plane's distance from the center along it.
struct Planes {
  std::vector<float> x, y, z, offset;
};

// Computes the gray of each triangle in one view.
PAIRS_SIMD_CLONES void shade_triangles(const float* __restrict nx, const float* __restrict ny,
                                       const float* __restrict nz, const float* __restrict offset,
                                       const MeshCameraFrame& view, std::int64_t count, std::uint8_t* __restrict out) {
  const auto fx = static_cast<float>(view.forward[0]), fy = static_cast<float>(view.forward[1]),
             fz = static_cast<float>(view.forward[2]);
  const auto ex = static_cast<float>(view.eye[0]), ey = static_cast<float>(view.eye[1]),
             ez = static_cast<float>(view.eye[2]);
  const auto lx = static_cast<float>(shading::light[0]), ly = static_cast<float>(shading::light[1]),
             lz = static_cast<float>(shading::light[2]);
  constexpr auto ambient = static_cast<float>(255 * shading::ambient + 0.5),
                 head = static_cast<float>(255 * shading::head), key = static_cast<float>(255 * shading::key);
  for (std::int64_t t = 0; t < count; ++t) {
    const float x = nx[t], y = ny[t], z = nz[t];
    const float facing = std::abs(x * fx + y * fy + z * fz);
    const float toward = x * lx + y * ly + z * lz;
    const float before = x * ex + y * ey + z * ez - offset[t];  // whether the eye is on the normal's side
    const float lit = before >= 0.0f ? toward : -toward;
    const float gray = ambient + head * facing + key * (lit > 0.0f ? lit : 0.0f);
    out[t] = static_cast<std::uint8_t>(static_cast<std::int32_t>(gray));
  }
}

// Columns and rows of pixels, from first to last inclusive.
struct PixelRange {
  std::int64_t left, right, top, bottom;
};

// The smallest and largest position of the corners on the image, as factors of right and up for the rays: low[0],
// high[0] and low[1], high[1]. Corners come in whole groups of 16, the last repeated.
PAIRS_SIMD_CLONES void project_corners(const float* __restrict px, const float* __restrict py,
                                       const float* __restrict pz, std::int64_t count, const MeshCameraFrame& view,
                                       float* low, float* high) {
  float scale = 0;
  for (const double v : view.right) scale += static_cast<float>(v * v);
  const auto fx = static_cast<float>(view.forward[0]), fy = static_cast<float>(view.forward[1]),
             fz = static_cast<float>(view.forward[2]);
  const float rx = static_cast<float>(view.right[0]) / scale, ry = static_cast<float>(view.right[1]) / scale,
              rz = static_cast<float>(view.right[2]) / scale;
  const float ux = static_cast<float>(view.up[0]) / scale, uy = static_cast<float>(view.up[1]) / scale,
              uz = static_cast<float>(view.up[2]) / scale;
  const auto ex = static_cast<float>(view.eye[0]), ey = static_cast<float>(view.eye[1]),
             ez = static_cast<float>(view.eye[2]);
  float xs[packet], ys[packet], xl[packet], yl[packet];
  for (int k = 0; k < packet; ++k) xs[k] = ys[k] = HUGE_VALF, xl[k] = yl[k] = -HUGE_VALF;
  for (std::int64_t i = 0; i < count; i += packet) {
    PAIRS_AS_ONE_VECTOR
    for (int k = 0; k < packet; ++k) {
      const float x = px[i + k] - ex, y = py[i + k] - ey, z = pz[i + k] - ez;
      const float depth = x * fx + y * fy + z * fz;
      const float a = (x * rx + y * ry + z * rz) / depth, b = (x * ux + y * uy + z * uz) / depth;
      xs[k] = a < xs[k] ? a : xs[k];
      xl[k] = a > xl[k] ? a : xl[k];
      ys[k] = b < ys[k] ? b : ys[k];
      yl[k] = b > yl[k] ? b : yl[k];
    }
  }
  low[0] = *std::min_element(xs, xs + packet), high[0] = *std::max_element(xl, xl + packet);
  low[1] = *std::min_element(ys, ys + packet), high[1] = *std::max_element(yl, yl + packet);
}

// A packet covers 4 x 4 pixels, or 2 x 2 with four rays each; a pixel's rays are adjacent.
struct Packets {
  Packets(const MeshCameraFrame& view, std::int64_t side, std::int64_t samples) : width(samples == 1 ? 4 : 2) {
    for (std::int64_t lane = 0; lane < packet; ++lane) {
      const std::int64_t pixel = lane / samples;
      const PixelOffset& place = samples == 1 ? one_sample[0] : four_samples[static_cast<std::size_t>(lane % samples)];
      const double x = 2 * (static_cast<double>(pixel % width) + 0.5 + place.x) / static_cast<double>(side);
      const double y = -2 * (static_cast<double>(pixel / width) + 0.5 + place.y) / static_cast<double>(side);
      for (std::size_t d = 0; d < 3; ++d) offset[d][lane] = static_cast<float>(x * view.right[d] + y * view.up[d]);
    }
  }
  std::int64_t width;                   // pixels per side
  alignas(64) float offset[3][packet];  // each lane's direction relative to that of the packet's upper left corner
};

PAIRS_SIMD_CLONES void aim(const Packets& packets, const float* base, std::uint32_t nothing, RTCRayHit16& rays) {
  PAIRS_AS_ONE_VECTOR
  for (int k = 0; k < packet; ++k) rays.ray.dir_x[k] = base[0] + packets.offset[0][k];
  PAIRS_AS_ONE_VECTOR
  for (int k = 0; k < packet; ++k) rays.ray.dir_y[k] = base[1] + packets.offset[1][k];
  PAIRS_AS_ONE_VECTOR
  for (int k = 0; k < packet; ++k) rays.ray.dir_z[k] = base[2] + packets.offset[2][k];
  PAIRS_AS_ONE_VECTOR
  for (int k = 0; k < packet; ++k) rays.ray.tfar[k] = std::numeric_limits<float>::infinity();
  PAIRS_AS_ONE_VECTOR
  for (int k = 0; k < packet; ++k) rays.hit.primID[k] = nothing;
  PAIRS_AS_ONE_VECTOR
  for (int k = 0; k < packet; ++k) rays.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
}

std::array<double, 3> cross(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

void check_view_options(const ViewOptions& options) {
  PAIRS_CHECK(options.side >= 1 && options.side <= max_view_side,
              "A view cannot be {} pixels a side; choose between 1 and {}", options.side, max_view_side);
  PAIRS_CHECK(options.channels == 1 || options.channels == 3, "A view cannot have {} channels; choose 1 or 3",
              options.channels);
  PAIRS_CHECK(options.samples == 1 || options.samples == 4,
              "A view cannot be rendered with {} rays a pixel; choose 1 or 4", options.samples);
}

// The mesh moved and scaled into the unit sphere around the origin.
struct MeshViews::Scene {
  Scene(const TriangleMesh& mesh, const BoundingSphere& bounds);
  ~Scene() {
    if (scene != nullptr) rtcReleaseScene(scene);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  PixelRange seen(const MeshCameraFrame& view, std::int64_t side) const;
  void render_rows(const MeshCameraFrame& view, const PixelRange& seen, const std::uint8_t* grays, std::int64_t side,
                   std::int64_t samples, std::int64_t first, std::int64_t last, std::uint8_t* image) const;

  RTCScene scene = nullptr;
  std::int64_t triangles;
  Planes planes;
  std::vector<float> x, y, z;  // corners, in whole groups of 16
};

MeshViews::Scene::Scene(const TriangleMesh& mesh, const BoundingSphere& bounds)
    : triangles(bounds.radius > 0 ? static_cast<std::int64_t>(mesh.triangles.size()) : 0) {
  PAIRS_CHECK(mesh.triangles.size() < 0xffffffffu, "A mesh of {} triangles is too large to render",
              mesh.triangles.size());
  if (triangles == 0) return;
  const RTCDevice device = embree_device();
  const auto count = static_cast<std::size_t>(triangles);
  rtcGetDeviceError(device);
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  const struct Release {
    ~Release() { rtcReleaseGeometry(geometry); }
    RTCGeometry geometry;
  } release{geometry};
  auto* const vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh.vertices.size()));
  auto* const corners = static_cast<std::uint32_t*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), count));
  if (vertices == nullptr || corners == nullptr) check_embree(device, count);
  const auto place = [&](std::uint32_t vertex) {
    std::array<double, 3> out;
    for (std::size_t d = 0; d < 3; ++d) out[d] = (mesh.vertices[vertex][d] - bounds.center[d]) / bounds.radius;
    return out;
  };
  // Unused vertices may lie anywhere, so their positions are cleared.
  std::fill_n(vertices, 3 * mesh.vertices.size(), 0.0f);
  for (std::vector<float>* column : {&planes.x, &planes.y, &planes.z, &planes.offset}) column->resize(count);
  std::vector<bool> used(mesh.vertices.size());
  for (std::size_t t = 0; t < count; ++t) {
    const auto& triangle = mesh.triangles[t];
    std::array<std::array<double, 3>, 3> at;
    for (std::size_t k = 0; k < 3; ++k) {
      at[k] = place(triangle[k]);
      corners[3 * t + k] = triangle[k];
      used[triangle[k]] = true;
      for (std::size_t d = 0; d < 3; ++d) vertices[3 * std::size_t{triangle[k]} + d] = static_cast<float>(at[k][d]);
    }
    std::array<double, 3> a, b;
    for (std::size_t d = 0; d < 3; ++d) a[d] = at[1][d] - at[0][d], b[d] = at[2][d] - at[0][d];
    const std::array<double, 3> n = cross(a, b);
    const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), scale = length > 0 ? 1 / length : 0;
    planes.x[t] = static_cast<float>(scale * n[0]);
    planes.y[t] = static_cast<float>(scale * n[1]);
    planes.z[t] = static_cast<float>(scale * n[2]);
    planes.offset[t] = static_cast<float>(scale * (n[0] * at[0][0] + n[1] * at[0][1] + n[2] * at[0][2]));
  }
  for (std::size_t v = 0; v < used.size(); ++v)
    if (used[v]) {
      x.push_back(vertices[3 * v]);
      y.push_back(vertices[3 * v + 1]);
      z.push_back(vertices[3 * v + 2]);
    }
  for (std::vector<float>* column : {&x, &y, &z})
    while (column->size() % packet != 0) column->push_back(column->back());

  rtcCommitGeometry(geometry);
  check_embree(device, count);
  scene = rtcNewScene(device);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
  rtcAttachGeometry(scene, geometry);
  rtcCommitScene(scene);
  if (const RTCError error = rtcGetDeviceError(device); error != RTC_ERROR_NONE) {
    rtcReleaseScene(scene);
    scene = nullptr;
    PAIRS_CHECK(error != RTC_ERROR_OUT_OF_MEMORY,
                "Memory does not suffice to render a mesh of {} triangles; free some or leave the mesh out", count);
    fail("Embree cannot prepare a mesh of {} triangles (error {})", count, static_cast<int>(error));
  }
}

// The pixels where the mesh may be visible, widened by one on every side; left > right if there are none.
PixelRange MeshViews::Scene::seen(const MeshCameraFrame& view, std::int64_t side) const {
  if (triangles == 0) return {1, 0, 1, 0};
  float low[2], high[2];
  project_corners(x.data(), y.data(), z.data(), static_cast<std::int64_t>(x.size()), view, low, high);
  const double half = 0.5 * static_cast<double>(side), last = static_cast<double>(side - 1);
  const auto pixel = [&](double at) { return static_cast<std::int64_t>(std::clamp(std::floor(at), 0.0, last)); };
  return {pixel(half * (1 + low[0]) - 1), pixel(half * (1 + high[0]) + 1), pixel(half * (1 - high[1]) - 1),
          pixel(half * (1 - low[1]) + 1)};
}

// Renders rows first to last - 1 of a view.
void MeshViews::Scene::render_rows(const MeshCameraFrame& view, const PixelRange& seen, const std::uint8_t* grays,
                                   std::int64_t side, std::int64_t samples, std::int64_t first, std::int64_t last,
                                   std::uint8_t* image) const {
  std::memset(image + first * side, 255, static_cast<std::size_t>((last - first) * side));
  if (seen.left > seen.right) return;
  const FlushTiny flush;
  const Packets packets(view, side, samples);
  const std::int64_t width = packets.width;
  alignas(64) RTCRayHit16 rays;
  std::memset(&rays, 0, sizeof rays);
  alignas(64) int valid[packet];
  for (int k = 0; k < packet; ++k) {
    valid[k] = -1;
    rays.ray.org_x[k] = static_cast<float>(view.eye[0]);
    rays.ray.org_y[k] = static_cast<float>(view.eye[1]);
    rays.ray.org_z[k] = static_cast<float>(view.eye[2]);
    rays.ray.mask[k] = 0xffffffffu;
    rays.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
  }
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  const auto nothing = static_cast<std::uint32_t>(triangles);  // its gray is the background's
  const double step = 2.0 / static_cast<double>(side);
  for (std::int64_t row = std::max(first, seen.top / width * width); row < std::min(last, seen.bottom + 1);
       row += width)
    for (std::int64_t column = seen.left / width * width; column <= seen.right; column += width) {
      const double a = step * static_cast<double>(column) - 1, b = 1 - step * static_cast<double>(row);
      float base[3];
      for (std::size_t d = 0; d < 3; ++d)
        base[d] = static_cast<float>(view.forward[d] + a * view.right[d] + b * view.up[d]);
      aim(packets, base, nothing, rays);
      rtcIntersect16(valid, scene, &context, &rays);
      std::uint8_t gray[packet];
      for (int k = 0; k < packet; ++k) gray[k] = grays[rays.hit.primID[k]];
      if (samples == 4)
        for (int k = 0; k < 4; ++k)
          gray[k] =
              static_cast<std::uint8_t>((gray[4 * k] + gray[4 * k + 1] + gray[4 * k + 2] + gray[4 * k + 3] + 2) / 4);
      const auto columns = static_cast<std::size_t>(std::min(width, side - column));
      for (std::int64_t i = 0; i < std::min(width, last - row); ++i)
        std::memcpy(image + (row + i) * side + column, gray + i * width, columns);
    }
}

MeshViews::MeshViews(const TriangleMesh& mesh)
    : bounds_(bounding_sphere(mesh)), scene_(std::make_unique<Scene>(mesh, bounds_)) {}
MeshViews::~MeshViews() = default;
MeshViews::MeshViews(MeshViews&&) noexcept = default;
MeshViews& MeshViews::operator=(MeshViews&&) noexcept = default;

std::int64_t MeshViews::triangles() const {
  return scene_->triangles;
}

void MeshViews::render_gray(std::span<const MeshCamera> cameras, std::int64_t side, std::int64_t samples,
                            std::uint8_t* out) const {
  check_view_options({side, 1, samples});
  std::vector<MeshCameraFrame> frames;
  for (const MeshCamera& camera : cameras) frames.push_back(camera_frame(camera));
  const auto views = static_cast<std::int64_t>(frames.size());
  const std::int64_t row = scene_->triangles + 1;
  const std::int64_t together = std::clamp<std::int64_t>(table_bytes / row, 1, std::max<std::int64_t>(1, views));
  const std::int64_t bands = (side + band_rows - 1) / band_rows;
  std::vector<std::uint8_t> grays(static_cast<std::size_t>(together * row));
  std::vector<PixelRange> seen(static_cast<std::size_t>(together));
  for (std::int64_t start = 0; start < views; start += together) {
    const std::int64_t count = std::min(together, views - start);
    const Planes& p = scene_->planes;
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) {
        const MeshCameraFrame& view = frames[static_cast<std::size_t>(start + v)];
        shade_triangles(p.x.data(), p.y.data(), p.z.data(), p.offset.data(), view, scene_->triangles,
                        grays.data() + v * row);
        grays[static_cast<std::size_t>((v + 1) * row - 1)] = 255;
        seen[static_cast<std::size_t>(v)] = scene_->seen(view, side);
      }
    });
    at::parallel_for(0, count * bands, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t v = unit / bands, first = unit % bands * band_rows;
        scene_->render_rows(frames[static_cast<std::size_t>(start + v)], seen[static_cast<std::size_t>(v)],
                            grays.data() + v * row, side, samples, first, std::min(side, first + band_rows),
                            out + (start + v) * side * side);
      }
    });
  }
}

torch::Tensor MeshViews::render(std::span<const MeshCamera> cameras, const ViewOptions& options) const {
  check_view_options(options);
  torch::Tensor gray =
      at::empty({static_cast<std::int64_t>(cameras.size()), 1, options.side, options.side}, torch::kUInt8);
  render_gray(cameras, options.side, options.samples, gray.mutable_data_ptr<std::uint8_t>());
  return options.channels == 1 ? gray : gray.expand({-1, options.channels, -1, -1}).contiguous();
}

}  // namespace pairs::render
