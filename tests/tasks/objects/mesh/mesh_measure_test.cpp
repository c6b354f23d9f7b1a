#include "tasks/objects/mesh/mesh_measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tasks/objects/mesh/mesh_file.h"
#include "tasks/objects/mesh/mesh_measure_surface.h"
#include "tests/tasks/objects/real_meshes.h"

namespace pairs {
namespace {

// A box with vertices of its own, outwards or inside out.
void add_block(TriangleMesh& mesh, std::array<double, 3> low, std::array<double, 3> high, bool outwards = true) {
  static constexpr std::uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (unsigned k = 0; k < 8; ++k)
    mesh.vertices.push_back({k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]});
  for (const auto& f : faces)
    mesh.triangles.push_back({first + f[0], first + f[outwards ? 1 : 2], first + f[outwards ? 2 : 1]});
}

// Another way to a volume: the areas of cross-sections at heights z, integrated by Simpson's rule between the heights
// of vertices, where they are quadratic in z.
long double sliced_volume(const TriangleMesh& mesh) {
  std::vector<double> heights;
  for (const auto& p : mesh.vertices) heights.push_back(p[2]);
  std::sort(heights.begin(), heights.end());
  heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
  std::vector<std::vector<std::uint32_t>> over(heights.size());  // triangles by the slabs that they pass
  const auto slab = [&](double z) {
    return static_cast<std::size_t>(std::lower_bound(heights.begin(), heights.end(), z) - heights.begin());
  };
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    double low = 1e300, high = -1e300;
    for (const std::uint32_t v : mesh.triangles[t])
      low = std::min(low, mesh.vertices[v][2]), high = std::max(high, mesh.vertices[v][2]);
    for (std::size_t k = slab(low); k < slab(high); ++k) over[k].push_back(t);
  }
  long double volume = 0;
  for (std::size_t k = 0; k + 1 < heights.size(); ++k) {
    const auto area = [&](long double share) {
      const long double z = heights[k] + share * (static_cast<long double>(heights[k + 1]) - heights[k]);
      long double twice = 0;
      for (const std::uint32_t t : over[k]) {
        std::array<long double, 2> from{}, to{};
        for (std::size_t c = 0; c < 3; ++c) {
          const auto &a = mesh.vertices[mesh.triangles[t][c]], &b = mesh.vertices[mesh.triangles[t][(c + 1) % 3]];
          const bool rises = a[2] <= heights[k] && b[2] >= heights[k + 1];
          const bool falls = b[2] <= heights[k] && a[2] >= heights[k + 1];
          if (!rises && !falls) continue;
          const long double s = (z - a[2]) / (static_cast<long double>(b[2]) - a[2]);
          (rises ? to : from) = {a[0] + s * (static_cast<long double>(b[0]) - a[0]),
                                 a[1] + s * (static_cast<long double>(b[1]) - a[1])};
        }
        twice += from[0] * to[1] - from[1] * to[0];
      }
      return twice / 2;
    };
    volume += (static_cast<long double>(heights[k + 1]) - heights[k]) * (area(0) + 4 * area(0.5L) + area(1)) / 6;
  }
  return volume;
}

TEST(MeshMeasure, ABlock) {
  TriangleMesh mesh;
  add_block(mesh, {5, 5, 5}, {7, 9, 6});
  const MeshFacts facts = measure_mesh(mesh);
  EXPECT_EQ(facts.set_aside, "");
  EXPECT_EQ(facts.rule, VolumeRule::enclosed);
  EXPECT_NEAR(facts.volume, 8.0 / 64, 1e-15);
  EXPECT_NEAR(facts.hull_volume, 8.0 / 64, 1e-12);
  EXPECT_NEAR(facts.log_aspect, std::log(4.0), 1e-15);
}

TEST(MeshMeasure, TurningMixedTrianglesAndWholeShells) {
  TriangleMesh mesh;
  add_block(mesh, {0, 0, 0}, {1, 1, 1});
  for (const std::size_t t : {1, 4, 5, 9}) std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  add_block(mesh, {2, 0, 0}, {3, 1, 1}, false);
  const MeshFacts facts = measure_mesh(mesh);
  EXPECT_NEAR(facts.volume, 2.0 / 27, 1e-15);
  EXPECT_EQ(facts.inverted, 1u);
}

TEST(MeshMeasure, CavitiesAndSolidsWithinSolids) {
  for (const bool outwards : {true, false}) {
    TriangleMesh mesh;
    add_block(mesh, {0, 0, 0}, {4, 4, 4}, outwards);
    add_block(mesh, {1, 1, 1}, {3, 3, 3}, !outwards);                   // a cavity
    add_block(mesh, {1.5, 1.5, 1.5}, {2.5, 2.5, 2.5}, outwards);        // a solid in it
    add_block(mesh, {1.75, 1.75, 1.75}, {2.25, 2.25, 2.25}, outwards);  // within that solid
    const MeshFacts facts = measure_mesh(mesh);
    EXPECT_NEAR(facts.volume, (64.0 - 8 + 1) / 64, 1e-12);
    EXPECT_EQ(facts.cavities, 1u);
    EXPECT_EQ(facts.inner_solids, 1u);
  }
}

TEST(MeshMeasure, BlocksThatTouchAtAnEdgeOrAWallStayClosed) {
  for (const double y : {1.0, 0.0}) {  // along an edge; along a whole wall, there twice in both directions
    TriangleMesh mesh;
    add_block(mesh, {0, 0, 0}, {1, 1, 1});
    add_block(mesh, {1, y, 0}, {2, y + 1, 1});
    const MeshFacts facts = measure_mesh(mesh);
    EXPECT_TRUE(facts.closed) << facts.why;
    EXPECT_NEAR(facts.volume, 2.0 / 8, 1e-12);
  }
}

TEST(MeshMeasure, DoubledAndDegenerateTrianglesDoNotCount) {
  TriangleMesh mesh;
  add_block(mesh, {0, 0, 0}, {1, 1, 1});
  add_block(mesh, {0, 0, 0}, {1, 1, 1}, false);  // seen from both sides
  mesh.triangles.push_back({0, 0, 1});
  mesh.triangles.push_back({0, 8, 1});
  const MeshFacts facts = measure_mesh(mesh);
  EXPECT_EQ(facts.duplicate, 12u);
  EXPECT_EQ(facts.degenerate, 2u);
  EXPECT_EQ(facts.rule, VolumeRule::enclosed);
  EXPECT_NEAR(facts.volume, 1, 1e-12);
}

TEST(MeshMeasure, OpenSurfacesHaveTheirHull) {
  TriangleMesh mesh;
  add_block(mesh, {0, 0, 0}, {1, 1, 1});
  mesh.triangles.pop_back();
  const MeshFacts facts = measure_mesh(mesh);
  EXPECT_EQ(facts.rule, VolumeRule::hull);
  EXPECT_EQ(facts.open_edges, 3u);
  EXPECT_NE(facts.why, "");
  EXPECT_NEAR(facts.volume, 1, 1e-12);
}

// As exporters leave them: each triangle with corners of its own, which rounding has moved apart.
TEST(MeshMeasure, CornersThatRoundingMovedApartAreOne) {
  TriangleMesh whole;
  add_block(whole, {3, 1, 0}, {5, 2, 1});
  add_block(whole, {5, 1, 0}, {6, 2, 1});  // touches the first along a wall
  for (const double apart : {1e-17, 3e-12, 0.9e-8, 1e-6}) {
    TriangleMesh mesh;
    std::uint64_t state = 1;
    const auto shift = [&] {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      return 3 * apart / 2 * (static_cast<double>(state >> 40) / (1 << 24) - 0.5);  // the longest side is 3
    };
    for (const auto& triangle : whole.triangles) {
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
      for (const std::uint32_t corner : triangle) {
        auto place = whole.vertices[corner];
        for (double& x : place) x += shift();
        mesh.vertices.push_back(place);
      }
      mesh.triangles.push_back({first, first + 1, first + 2});
    }
    const MeshFacts facts = measure_mesh(mesh);
    EXPECT_EQ(facts.closed, apart < 1e-8) << apart << ' ' << facts.why;
    if (apart < 1e-8) {
      EXPECT_NEAR(facts.volume, 3.0 / 27, 1e-8);
    }
  }
}

TEST(MeshMeasure, AMeshOfRoundedCornersIsClosed) {
  const std::filesystem::path folder = real_meshes(), file = folder / "other/trimesh/featuretype.ply";
  if (folder.empty() || !std::filesystem::exists(file))
    GTEST_SKIP() << "no real meshes on this machine: set PAIRS_DATA";
  const MeshFacts facts = measure_mesh_file(file);
  EXPECT_EQ(facts.rule, VolumeRule::enclosed) << facts.why;
  EXPECT_EQ(facts.open_edges, 0u);
  EXPECT_NEAR(facts.volume, 11.6277 / 125, 1e-5);  // as its maker's library has it
}

TEST(MeshMeasure, WhatHasNoVolumeIsSetAside) {
  EXPECT_NE(measure_mesh({}).set_aside, "");
  const auto aside = [](std::array<double, 3> apex) {
    TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, apex}, {{0, 1, 2}, {0, 1, 3}}};
    return measure_mesh(mesh).set_aside;
  };
  EXPECT_NE(aside({1, 1, 0}), "");
  EXPECT_NE(aside({1, 1, 1e-5}), "");
  EXPECT_NE(aside({0, 0, std::nan("")}), "");
  EXPECT_EQ(aside({1, 1, 1}), "");
  // Flat, but not along the axes.
  TriangleMesh tilted{{{0, 0, 0}, {1, 0, 1}, {1, 1, 2}, {0, 1, 1}}, {{0, 1, 2}, {0, 2, 3}}};
  EXPECT_NE(measure_mesh(tilted).set_aside, "");
  EXPECT_NE(measure_mesh({{{0, 0, 0}}, {{0, 0, 5}}}).set_aside, "");
}

TEST(MeshMeasure, RealMeshesAgreeWithSlices) {
  const std::filesystem::path folder = real_meshes();
  if (folder.empty()) GTEST_SKIP() << "no real meshes on this machine: set PAIRS_DATA";
  int sliced = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !mesh_format(entry.path()) || entry.file_size() > 300000) continue;
    const MeshFacts facts = measure_mesh_file(entry.path());
    if (facts.rule != VolumeRule::enclosed || !facts.set_aside.empty()) continue;
    if (facts.cavities + facts.inner_solids > 0) continue;  // which the blocks above are for
    CleanSurface surface = clean_surface(normalized_mesh(read_mesh_file(entry.path()).mesh), Twins::keep_one);
    const Shells shells = find_shells(surface.mesh);
    if (!shells.closed()) continue;  // closed by dropping walls
    long double sum = 0;
    for (std::uint32_t s = 0; s < shells.count; ++s) {
      TriangleMesh shell{surface.mesh.vertices, {}};
      for (std::size_t t = 0; t < shells.shell.size(); ++t)
        if (shells.shell[t] == s) shell.triangles.push_back(surface.mesh.triangles[t]);
      sum += std::abs(sliced_volume(normalized_mesh(shell))) *
             std::pow(
                 [&] {
                   const MeshFacts one = measure_mesh(shell);
                   return *std::max_element(one.extents.begin(), one.extents.end());
                 }(),
                 3.0);
    }
    EXPECT_NEAR(static_cast<double>(sum) / facts.volume, 1, 1e-5) << entry.path();
    if (++sliced == 150) break;
  }
  EXPECT_GE(sliced, 100);
}

}  // namespace
}  // namespace pairs
