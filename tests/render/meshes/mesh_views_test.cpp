#include "render/meshes/mesh_views.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/text/error.h"
#include "render/meshes/mesh_shading.h"
#include "tests/render/meshes/mesh_views_reference.h"
#include "tests/render/meshes/meshes.h"

namespace pairs::render {
namespace {

std::vector<MeshCamera> some_cameras(std::int64_t count) {
  std::vector<MeshCamera> out;
  for (std::int64_t k = 0; k < count; ++k)
    out.push_back(draw_mesh_camera(5, Purpose::check, 0, static_cast<std::uint64_t>(k)));
  return out;
}

// The share of pixels that are more than one of 255 grays away from the reference.
double share_apart(const torch::Tensor& views, const torch::Tensor& reference) {
  return (views.to(torch::kFloat64) - 255 * reference).abs().gt(1.0 + 1e-9).to(torch::kFloat64).mean().item<double>();
}

void expect_reference(const TriangleMesh& mesh, const ViewOptions& options, double allowed, const char* what) {
  const std::vector<MeshCamera> cameras = some_cameras(3);
  const torch::Tensor views = MeshViews(mesh).render(cameras, options),
                      reference = render_mesh_views_reference(mesh, cameras, options);
  ASSERT_EQ(views.sizes(), reference.sizes());
  EXPECT_LT(views.lt(255).to(torch::kFloat64).mean().item<double>(), 0.9) << what;
  EXPECT_GT(views.lt(255).to(torch::kFloat64).mean().item<double>(), 0.02) << what;
  EXPECT_LE(share_apart(views, reference), allowed) << what;
}

TEST(MeshViews, AgreesWithRaysInDoublePrecision) {
  // A ray that passes an edge within rounding may see either side: less than one pixel in a thousand.
  expect_reference(box(0.3, 0.9, 0.5), {96, 3, 1}, 1e-3, "box");
  expect_reference(bumpy_ball(24, 16, 0.2), {95, 1, 1}, 1e-3, "ball, side not a multiple of 4");
  expect_reference(bumpy_ball(24, 16, 0.2), {61, 1, 4}, 1e-3, "ball, four rays a pixel");
  expect_reference(scattered(0, 120, 0.3), {90, 1, 1}, 1e-3, "scattered");
  expect_reference(scattered(1, 60, 0.5), {3, 1, 4}, 1e-3, "few pixels");
}

TEST(MeshViews, ABoxSeenFromTheFrontHasTheSizeAndGrayOfItsFace) {
  const MeshCamera front{0, 0, 4, 0.8};
  const torch::Tensor view = MeshViews(box(1, 0.5, 0.25)).render(std::vector{front}, {201, 1, 1})[0][0];
  const double radius = std::sqrt(1 + 0.25 + 0.0625), pixels = 201 / (2 * std::tan(0.4) * (4 * radius - 1));
  const std::uint8_t face = static_cast<std::uint8_t>(
      std::lround(255 * (shading::ambient + shading::head + shading::key * shading::light[0])));
  const torch::Tensor seen = view.eq(face);
  EXPECT_TRUE(at::equal(seen, view.lt(255))) << "only one face is seen";
  EXPECT_NEAR(seen.any(0).sum().item<double>(), pixels * 1.0, 1.0);
  EXPECT_NEAR(seen.any(1).sum().item<double>(), pixels * 0.5, 1.0);
  EXPECT_EQ(seen.sum().item<std::int64_t>(),
            seen.any(0).sum().item<std::int64_t>() * seen.any(1).sum().item<std::int64_t>())
      << "no hole along the face's diagonal";
  EXPECT_TRUE(at::equal(view, view.flip(1))) << "in the middle";
}

TEST(MeshViews, NeitherPlaceNorSizeNorOrientationOfTrianglesChangesAView) {
  const std::vector<MeshCamera> cameras = some_cameras(2);
  const TriangleMesh mesh = bumpy_ball(16, 10, 0.3);
  const torch::Tensor views = MeshViews(mesh).render(cameras, {64, 1, 1});
  for (const auto& [scale, shift] :
       std::vector<std::pair<double, double>>{{0x1p100, 0}, {0x1p-300, 0}, {1, 1024}, {0x1p400, 0x1p401}}) {
    TriangleMesh other = mesh;
    for (auto& vertex : other.vertices)
      for (double& value : vertex) value = scale * value + shift;
    EXPECT_LE(share_apart(MeshViews(other).render(cameras, {64, 1, 1}), views.to(torch::kFloat64) / 255), 1e-3)
        << scale;
  }
  TriangleMesh turned = mesh;
  for (auto& triangle : turned.triangles) std::swap(triangle[0], triangle[1]);
  EXPECT_LE(share_apart(MeshViews(turned).render(cameras, {64, 1, 1}), views.to(torch::kFloat64) / 255), 1e-3);
}

TEST(MeshViews, NothingAndTrianglesWithoutAreaAreWhite) {
  const std::vector<MeshCamera> cameras = some_cameras(2);
  TriangleMesh empty, point, lines;
  point.vertices = {{3, 4, 5}};
  point.triangles = {{0, 0, 0}};
  lines.vertices = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}};
  lines.triangles = {{0, 1, 2}, {3, 3, 0}, {1, 1, 1}};
  for (const TriangleMesh& mesh : {empty, point, lines}) {
    const torch::Tensor views = MeshViews(mesh).render(cameras, {40, 3, 4});
    EXPECT_EQ(views.sizes(), (std::vector<std::int64_t>{2, 3, 40, 40}));
    EXPECT_TRUE(views.eq(255).all().item<bool>());
  }
  EXPECT_EQ(MeshViews(empty).render({}, {}).size(0), 0);

  // Next to other triangles they change nothing, nor does a vertex of no triangle, wherever it lies.
  TriangleMesh both = box(1, 1, 1);
  const torch::Tensor without = MeshViews(both).render(cameras, {40, 1, 1});
  both.triangles.push_back({0, 0, 7});
  both.triangles.push_back({3, 3, 3});
  both.vertices.push_back({std::nan(""), 1e300, 50});
  EXPECT_TRUE(at::equal(MeshViews(both).render(cameras, {40, 1, 1}), without));
}

TEST(MeshViews, IsTheSameForAnyNumberOfThreadsAndViewsAtOnce) {
  const MeshViews mesh(scattered(2, 500, 0.2));
  const std::vector<MeshCamera> cameras = some_cameras(7);
  const torch::Tensor all = mesh.render(cameras, {100, 1, 1});
  const int threads = at::get_num_threads();
  at::set_num_threads(threads == 1 ? 3 : 1);
  EXPECT_TRUE(at::equal(MeshViews(scattered(2, 500, 0.2)).render(cameras, {100, 1, 1}), all));
  at::set_num_threads(threads);
  for (std::size_t k = 0; k < cameras.size(); ++k)
    EXPECT_TRUE(
        at::equal(mesh.render(std::span(cameras).subspan(k, 1), {100, 1, 1})[0], all[static_cast<std::int64_t>(k)]));
}

TEST(MeshViews, RefusesWhatCannotBeDrawn) {
  TriangleMesh mesh = box(1, 1, 1);
  const std::vector<MeshCamera> cameras = some_cameras(1);
  EXPECT_THROW(MeshViews(mesh).render(cameras, {0, 1, 1}), Error);
  EXPECT_THROW(MeshViews(mesh).render(cameras, {8, 2, 1}), Error);
  EXPECT_THROW(MeshViews(mesh).render(cameras, {8, 1, 3}), Error);
  EXPECT_THROW(MeshViews(mesh).render(std::vector{MeshCamera{0, 0, 0.5, 1}}, {8, 1, 1}), Error);
  EXPECT_THROW(MeshViews(mesh).render(std::vector{MeshCamera{0, 0, 2, 4}}, {8, 1, 1}), Error);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e200}) {
    TriangleMesh other = mesh;
    other.vertices[3][1] = bad;
    EXPECT_THROW(MeshViews{other}, Error) << bad;
  }
  mesh.triangles.push_back({0, 1, 8});
  EXPECT_THROW(MeshViews{mesh}, Error);
}

TEST(MeshCamera, IsDrawnUniformlyAndFitsTheSphere) {
  const MeshCameraRange range{-0.2, 0.9, 0.7, 1.1};
  const int draws = 4000;
  double sum[2] = {}, square[2] = {};
  for (int k = 0; k < draws; ++k) {
    const MeshCamera camera = draw_mesh_camera(1, Purpose::check, 9, static_cast<std::uint64_t>(k), range);
    const double unit[2] = {camera.azimuth / (2 * std::numbers::pi), (camera.elevation + 0.2) / 1.1};
    for (int d = 0; d < 2; ++d) {
      ASSERT_GE(unit[d], 0);
      ASSERT_LE(unit[d], 1);
      sum[d] += unit[d];
      square[d] += unit[d] * unit[d];
    }
    ASSERT_DOUBLE_EQ(camera.distance * std::sin(0.35), 1.1);
  }
  for (int d = 0; d < 2; ++d) {  // five standard errors
    EXPECT_NEAR(sum[d] / draws, 0.5, 5 * std::sqrt(1.0 / 12 / draws));
    EXPECT_NEAR(square[d] / draws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / draws));
  }
  EXPECT_THROW(draw_mesh_camera(1, Purpose::check, 0, 0, {1, 0, 0.7, 1}), Error);
  EXPECT_THROW(draw_mesh_camera(1, Purpose::check, 0, 0, {0, 1, 0.7, 0.9}), Error);

  // A ball at margin 1 touches all four borders.
  const MeshCamera close = draw_mesh_camera(1, Purpose::check, 0, 0, {0.3, 0.3, 0.7, 1});
  const torch::Tensor seen = MeshViews(bumpy_ball(200, 100, 0)).render(std::vector{close}, {120, 1, 1})[0][0].lt(255);
  for (const auto& line : {seen.any(0), seen.any(1)}) EXPECT_GE(line.sum().item<std::int64_t>(), 118);
}

}  // namespace
}  // namespace pairs::render
