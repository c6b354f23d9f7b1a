#include "tasks/objects/furniture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "tasks/objects/furniture_parts.h"
#include "tasks/objects/measured_meshes.h"

namespace pairs {
namespace {

using furniture::Axis;
using furniture::Body;
using furniture::Point;

constexpr std::size_t some_furniture = 27 * 20;  // 20 of each family

// Kept so that the tests share them: the same objects, their records and meshes.
struct SomeFurniture {
  std::shared_ptr<const MeshSource> source = make_furniture(some_furniture, 1);
  std::vector<MeshRecord> records;
  std::vector<TriangleMesh> meshes;
  std::vector<MeshFacts> measured;  // by the general rules
};
const SomeFurniture& some() {
  static const SomeFurniture all = [] {
    SomeFurniture made;
    for (std::size_t i = 0; i < some_furniture; ++i) {
      made.records.push_back(made.source->measure(i));
      made.meshes.push_back(made.source->mesh(i));
      made.measured.push_back(measure_mesh(made.meshes.back()));
    }
    return made;
  }();
  return all;
}

double triple_of(const Point& a, const Point& b, const Point& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// How many parts' insides a point lies in, from the solid angles of all triangles.
double parts_about(const TriangleMesh& mesh, const Point& at) {
  double sum = 0;
  for (const auto& t : mesh.triangles) {
    std::array<Point, 3> p;
    std::array<double, 3> l{};
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t d = 0; d < 3; ++d) p[k][d] = mesh.vertices[t[k]][d] - at[d];
      l[k] = std::hypot(p[k][0], p[k][1], p[k][2]);
    }
    const auto dot = [&](int a, int b) { return p[a][0] * p[b][0] + p[a][1] * p[b][1] + p[a][2] * p[b][2]; };
    sum += std::atan2(triple_of(p[0], p[1], p[2]),
                      l[0] * l[1] * l[2] + dot(0, 1) * l[2] + dot(1, 2) * l[0] + dot(2, 0) * l[1]);
  }
  return sum / (2 * std::numbers::pi);
}

// The divergence theorem over the triangles as they are turned.
double signed_volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += triple_of(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]) / 6;
  return sum;
}

// What a single part says of itself against the general rules.
void expect_sound(const Body& body) {
  const MeshFacts facts = measure_mesh(body.mesh());
  EXPECT_EQ(facts.rule, VolumeRule::enclosed) << facts.why;
  EXPECT_EQ(facts.open_edges, 0u);
  EXPECT_EQ(facts.degenerate + facts.duplicate, 0u);
  EXPECT_EQ(facts.inverted, 0u);
  EXPECT_EQ(facts.shells, body.parts());
  const double longest = *std::max_element(facts.extents.begin(), facts.extents.end());
  EXPECT_NEAR(facts.volume * longest * longest * longest / body.volume(), 1, 1e-12);
}

TEST(FurnitureBody, ABoxIsItsSidesProduct) {
  Body body(0.3);
  body.box({1, 2, 3}, {2, 2.5, 5});
  EXPECT_DOUBLE_EQ(body.volume(), 1 * 0.5 * 2);
  EXPECT_EQ(body.mesh().triangles.size(), 4u * (4 * 2 + 2 * 7 + 4 * 7));
  expect_sound(body);
  EXPECT_THROW(body.box({0, 0, 0}, {1, 0, 1}), Error);
}

TEST(FurnitureBody, LoftsHaveTheVolumesOfTextbooks) {
  const double polygon = 16 * std::sin(2 * std::numbers::pi / 32);
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
    Body cone(0.2);
    cone.loft({{1, 0, 0, 0.5, 2, 3}, {2.5, 0, 0, 0.2, 2, 3.3}}, 32, false, axis);
    EXPECT_NEAR(cone.volume(), polygon * 1.5 / 3 * (0.25 + 0.1 + 0.04), 1e-15);
    expect_sound(cone);
    Body pyramid(0.2);
    pyramid.loft({{0, 0.5, 0.3}, {1, 0.25, 0.15}}, 4, false, axis);
    EXPECT_NEAR(pyramid.volume(), (0.6 + std::sqrt(0.6 * 0.15) + 0.15) / 3, 1e-15);
    expect_sound(pyramid);
    Body rounded(0.2);
    rounded.loft({{0, 0.5, 0.3, 0.1}, {1, 0.5, 0.3, 0.1}}, 32, false, axis);
    EXPECT_NEAR(rounded.volume(), 0.6 + 4 * 0.8 * 0.1 + polygon * 0.01, 1e-15);
    expect_sound(rounded);
    Body ring(0.2);
    ring.loft({{0, 0, 0, 0.5}, {1, 0, 0, 0.4}, {1, 0, 0, 0.3}, {0, 0, 0, 0.4}}, 32, true, axis);
    EXPECT_NEAR(ring.volume(), polygon / 3 * (0.25 + 0.2 + 0.16 - 0.16 - 0.12 - 0.09), 1e-15);
    expect_sound(ring);
  }
  Body mixed(1);
  EXPECT_THROW(mixed.loft({{0, 0.1, 0.1}, {1, 0, 0, 0.1}}), Error);
  EXPECT_THROW(mixed.loft({{0, 0, 0, 0.1}, {1, 0, 0, 0.1}}, 10), Error);
}

TEST(FurnitureBody, AVesselHoldsWhatItsFloorAndWallLeave) {
  const auto sections = furniture::hollowed({{0, 0, 0, 1}, {2, 0, 0, 1}}, 0.1, 0.25);
  Body body(0.5);
  body.loft(sections, 40);
  const double polygon = 20 * std::sin(2 * std::numbers::pi / 40);
  EXPECT_NEAR(body.volume(), polygon * (2 - 0.81 * 1.75), 1e-14);
  expect_sound(body);
  Body full(0.5);
  full.loft(furniture::hollowed({{0, 0, 0, 1}, {2, 0, 0, 1}}, 0.1, 0.25, 1.5), 40);
  EXPECT_NEAR(full.volume(), polygon * (2 - 0.81 * 0.5), 1e-14);
  EXPECT_THROW(furniture::hollowed({{0, 0, 0, 1}, {2, 0, 0, 1}}, 0.1, 2), Error);
}

TEST(FurnitureBody, ATubeIsItsAreaTimesItsLength) {
  Body open(0.2);
  open.tube({{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0.5, 0, 2}}, furniture::rectangle(0.1, 0.05), {0, 1, 0}, false,
            {1, 0, 0.5}, {0.2, 0.1, 1});
  EXPECT_NEAR(open.volume(), 0.02 * (2 + std::sqrt(1.25)), 1e-15);
  expect_sound(open);
  Body ring(5);
  ring.tube({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, furniture::disc(0.1, 12), {0, 0, 1}, true);
  EXPECT_NEAR(ring.volume(), 4 * 6 * 0.01 * std::sin(std::numbers::pi / 6), 1e-15);
  expect_sound(ring);
}

TEST(FurnitureBody, MapsKeepTrackOfTheVolume) {
  Body body(0.5), whole(0.5);
  body.cushion({0, 0, 0}, {1, 2, 0.5}, 0.1);
  expect_sound(body);
  furniture::Affine mirrored;
  mirrored.x[0] = -2;
  mirrored.shift = {9, 0, 0};
  whole.add(body, furniture::leaning(0.3, 1));
  whole.add(body, mirrored);
  whole.add(body, furniture::turned_about_y(0.7, {0, 9, 0}));
  EXPECT_NEAR(whole.volume(), 4 * body.volume(), 1e-14);
  expect_sound(whole);
  EXPECT_NEAR(signed_volume(whole.mesh()), whole.volume(), 1e-12);
}

TEST(Furniture, TheClosedFormIsWhatTheGeneralRulesMeasure) {
  for (std::size_t i = 0; i < some_furniture; ++i) {
    SCOPED_TRACE(some().source->label(i));
    const MeshFacts &own = some().records[i].facts, &general = some().measured[i];
    EXPECT_EQ(general.set_aside, "");
    EXPECT_EQ(general.why, "");
    EXPECT_TRUE(general.closed);
    EXPECT_TRUE(own.closed);
    EXPECT_EQ(own.rule, VolumeRule::enclosed);
    EXPECT_EQ(general.rule, VolumeRule::enclosed);
    EXPECT_NEAR(own.volume / general.volume, 1, 1e-11);
    EXPECT_NEAR(own.enclosed_volume / general.enclosed_volume, 1, 1e-11);
    EXPECT_NEAR(own.hull_volume / general.hull_volume, 1, 1e-9);
    EXPECT_NEAR(own.log_aspect, general.log_aspect, 1e-12);
    const double longest = *std::max_element(own.extents.begin(), own.extents.end());
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(own.extents[d] / longest, general.extents[d], 1e-12);
    EXPECT_EQ(own.vertices, general.vertices);
    EXPECT_EQ(own.triangles, general.triangles);
    EXPECT_EQ(own.shells, general.shells);
    EXPECT_EQ(general.open_edges, 0u);
    EXPECT_EQ(general.degenerate, 0u);
    EXPECT_EQ(general.duplicate, 0u);
    EXPECT_EQ(general.inverted, 0u);
    EXPECT_EQ(general.cavities, 0u);
    EXPECT_EQ(general.inner_solids, 0u);
    EXPECT_GE(own.triangles, 200u);
    EXPECT_LE(own.triangles, 10000u);
  }
}

// Furniture has the sizes of furniture, and is at rest on the floor.
TEST(Furniture, MeshesAreNormalisedAndOfSizesInMetres) {
  for (std::size_t i = 0; i < some_furniture; ++i) {
    SCOPED_TRACE(some().source->label(i));
    const MeshFacts& facts = some().records[i].facts;
    std::array<double, 3> low{1, 1, 1}, high{-1, -1, -1};
    for (const auto& place : some().meshes[i].vertices)
      for (std::size_t d = 0; d < 3; ++d) {
        ASSERT_TRUE(std::isfinite(place[d]));
        low[d] = std::min(low[d], place[d]);
        high[d] = std::max(high[d], place[d]);
      }
    double longest = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(low[d] + high[d], 0, 1e-14);
      longest = std::max(longest, high[d] - low[d]);
      EXPECT_GT(facts.extents[d], 0.01);
      EXPECT_LT(facts.extents[d], 4);
    }
    EXPECT_NEAR(longest, 1, 1e-14);
    EXPECT_GT(facts.volume, 1e-4);
    EXPECT_LT(facts.volume, 1);
  }
  const auto& all = furniture::families();
  for (std::size_t f = 0; f < all.size(); ++f)
    for (std::uint64_t i = 0; i < 10; ++i) {
      Body body(all[f].cell);
      furniture::Draw draw(Stream(7, i, f));
      all[f].build(body, draw);
      double floor = 9;
      for (const auto& place : body.mesh().vertices) floor = std::min(floor, place[2]);
      EXPECT_NEAR(floor, 0, 1e-12) << all[f].name << ' ' << i;
      EXPECT_NEAR(signed_volume(body.mesh()) / body.volume(), 1, 1e-9) << all[f].name << ' ' << i;
    }
}

// The volume is a sum, so that nothing may count twice: just within a triangle there is one part, just without it none,
// or another that touches.
TEST(Furniture, PartsDoNotCutThroughEachOther) {
  for (std::size_t i = 0; i < some_furniture; i += 2) {
    const TriangleMesh& mesh = some().meshes[i];
    const std::size_t probes = 60;
    for (std::size_t k = 0; k < probes; ++k) {
      const auto& t = mesh.triangles[(k * mesh.triangles.size() + i) / probes % mesh.triangles.size()];
      std::array<Point, 3> p;
      for (std::size_t c = 0; c < 3; ++c) p[c] = mesh.vertices[t[c]];
      Point a, b, middle;
      for (std::size_t d = 0; d < 3; ++d) {
        a[d] = p[1][d] - p[0][d];
        b[d] = p[2][d] - p[0][d];
        middle[d] = 0.2 * p[0][d] + 0.3 * p[1][d] + 0.5 * p[2][d];
      }
      const Point normal{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
      const double length = std::hypot(normal[0], normal[1], normal[2]);
      for (const double side : {-1.0, 1.0}) {
        Point at = middle;
        for (std::size_t d = 0; d < 3; ++d) at[d] += side * 2e-5 * normal[d] / length;
        const double about = parts_about(mesh, at);
        EXPECT_LT(about, 1.25) << some().source->label(i) << " at " << at[0] << ' ' << at[1] << ' ' << at[2];
        EXPECT_GT(about, side < 0 ? 0.75 : -0.25) << some().source->label(i);
      }
    }
  }
}

TEST(Furniture, ANumberIsAlwaysTheSameObject) {
  const auto few = make_furniture(60, 1), other = make_furniture(60, 2);
  std::set<std::string> keys;
  for (const std::size_t i : {0u, 1u, 17u, 33u, 59u}) {
    const TriangleMesh again = few->mesh(i);
    EXPECT_EQ(again.vertices, some().meshes[i].vertices);
    EXPECT_EQ(again.triangles, some().meshes[i].triangles);
    EXPECT_EQ(few->measure(i).key, some().records[i].key);
    EXPECT_EQ(few->measure(i).facts.volume, some().records[i].facts.volume);
    EXPECT_EQ(few->split(i), some().source->split(i));
    EXPECT_NE(other->mesh(i).vertices, again.vertices);
    EXPECT_NE(other->measure(i).key, few->measure(i).key);
  }
  EXPECT_EQ(some().records[17].key, "furniture-v1-1-17");
  for (const MeshRecord& record : some().records) keys.insert(record.key);
  EXPECT_EQ(keys.size(), some_furniture);
  EXPECT_NE(few->identity(), other->identity());
  EXPECT_EQ(few->name(), "generated furniture");
  EXPECT_EQ(few->label(0), "generated chair 0");
  EXPECT_EQ(few->label(40), "generated chest of drawers 40");
  EXPECT_TRUE(few->instant());
  EXPECT_THROW(few->mesh(60), Error);
  EXPECT_THROW(make_furniture(0, 1), Error);
  EXPECT_THROW(make_furniture((std::size_t{1} << 40) + 1, 1), Error);
}

TEST(Furniture, EveryFamilyIsInEveryPart) {
  const std::vector<std::string> names = furniture_families();
  ASSERT_EQ(names.size(), 27u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  std::map<std::string, std::array<int, 3>> parts;
  std::set<std::vector<MeshSplit>> orders;
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::vector<MeshSplit> order;
    for (std::size_t i = f; i < some_furniture; i += names.size()) {
      EXPECT_EQ(some().source->label(i), "generated " + names[f] + " " + std::to_string(i));
      ++parts[names[f]][static_cast<std::size_t>(some().source->split(i))];
      order.push_back(some().source->split(i));
    }
    orders.insert(order);
  }
  for (const auto& [name, count] : parts) EXPECT_EQ(count, (std::array<int, 3>{12, 4, 4})) << name;
  EXPECT_EQ(orders.size(), names.size());  // each family's order is its own
}

TEST(Furniture, VolumesAndAspectsSpread) {
  const auto moments = [](const std::vector<const MeshFacts*>& facts) {
    double v = 0, a = 0, vv = 0, aa = 0, va = 0;
    const auto n = static_cast<double>(facts.size());
    for (const MeshFacts* f : facts) v += f->volume / n, a += f->log_aspect / n;
    for (const MeshFacts* f : facts) {
      vv += (f->volume - v) * (f->volume - v) / n;
      aa += (f->log_aspect - a) * (f->log_aspect - a) / n;
      va += (f->volume - v) * (f->log_aspect - a) / n;
    }
    return std::array{v, std::sqrt(vv), std::sqrt(aa), va / std::sqrt(vv * aa)};
  };
  std::vector<const MeshFacts*> all;
  for (const MeshRecord& record : some().records) all.push_back(&record.facts);
  const auto whole = moments(all);
  EXPECT_GT(whole[1], 0.08);
  EXPECT_GT(whole[2], 0.4);
  EXPECT_LT(std::abs(whole[3]), 0.7);
  for (std::size_t f = 0; f < 27; ++f) {
    std::vector<const MeshFacts*> own;
    for (std::size_t i = f; i < some_furniture; i += 27) own.push_back(&some().records[i].facts);
    const auto [mean, volume_spread, aspect_spread, correlation] = moments(own);
    EXPECT_GT(volume_spread, 0.15 * mean) << some().source->label(f);
    EXPECT_GT(aspect_spread, 0.06) << some().source->label(f);
    EXPECT_LT(std::abs(correlation), 0.97) << some().source->label(f);
  }
}

TEST(Furniture, SourcesOfItAreMeasuredWithoutADisk) {
  const MeasuredMeshes measured = measure_meshes(*make_furniture(135, 3), "");
  EXPECT_EQ(measured.usable.size(), 135u);
  EXPECT_TRUE(measured.set_aside.empty());
  EXPECT_EQ(measured.enclosed, 135u);
  EXPECT_EQ(measured.parts[0], 81u);
  EXPECT_EQ(measured.parts[1], 27u);
  EXPECT_EQ(measured.parts[2], 27u);
}

}  // namespace
}  // namespace pairs
