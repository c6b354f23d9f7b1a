#include "tasks/objects/generated/generated_objects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <vector>

#include "core/base/text/error.h"
#include "tasks/objects/generated/generated_family.h"
#include "tasks/objects/generated/implicit_solid.h"
#include "tasks/objects/mesh/measured_meshes.h"

namespace pairs {
namespace {

using generated::Axis;
using generated::Point;

constexpr std::size_t families = 24, some_objects = families * 20;  // 20 of each family

// Kept so that the tests share them: the same objects, their records and meshes.
struct SomeObjects {
  std::shared_ptr<const MeshSource> source = make_generated_objects(some_objects, 1);
  std::vector<MeshRecord> records;
  std::vector<TriangleMesh> meshes;
  std::vector<MeshFacts> measured;  // by the general rules
};
const SomeObjects& some() {
  static const SomeObjects all = [] {
    SomeObjects made;
    for (std::size_t i = 0; i < some_objects; ++i) {
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

// Compares the properties that a single part reports with the general rules.
void expect_sound(const generated::Body& body) {
  const MeshFacts facts = measure_mesh(body.mesh());
  EXPECT_EQ(facts.rule, VolumeRule::enclosed) << facts.why;
  EXPECT_EQ(facts.open_edges, 0u);
  EXPECT_EQ(facts.degenerate + facts.duplicate, 0u);
  EXPECT_EQ(facts.inverted, 0u);
  EXPECT_EQ(facts.shells, body.parts());
  const double longest = *std::max_element(facts.extents.begin(), facts.extents.end());
  EXPECT_NEAR(facts.volume * longest * longest * longest / body.volume(), 1, 1e-12);
}

TEST(GeneratedBody, ABoxIsItsSidesProduct) {
  generated::Body body(0.3);
  body.box({1, 2, 3}, {2, 2.5, 5});
  EXPECT_DOUBLE_EQ(body.volume(), 1 * 0.5 * 2);
  EXPECT_EQ(body.mesh().triangles.size(), 4u * (4 * 2 + 2 * 7 + 4 * 7));
  expect_sound(body);
  EXPECT_THROW(body.box({0, 0, 0}, {1, 0, 1}), Error);
}

TEST(GeneratedBody, LoftsHaveTheVolumesOfTextbooks) {
  const double polygon = 16 * std::sin(2 * std::numbers::pi / 32);
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
    generated::Body cone(0.2);
    cone.loft({{1, 0, 0, 0.5, 2, 3}, {2.5, 0, 0, 0.2, 2, 3.3}}, 32, false, axis);
    EXPECT_NEAR(cone.volume(), polygon * 1.5 / 3 * (0.25 + 0.1 + 0.04), 1e-15);
    expect_sound(cone);
    generated::Body pyramid(0.2);
    pyramid.loft({{0, 0.5, 0.3}, {1, 0.25, 0.15}}, 4, false, axis);
    EXPECT_NEAR(pyramid.volume(), (0.6 + std::sqrt(0.6 * 0.15) + 0.15) / 3, 1e-15);
    expect_sound(pyramid);
    generated::Body rounded(0.2);
    rounded.loft({{0, 0.5, 0.3, 0.1}, {1, 0.5, 0.3, 0.1}}, 32, false, axis);
    EXPECT_NEAR(rounded.volume(), 0.6 + 4 * 0.8 * 0.1 + polygon * 0.01, 1e-15);
    expect_sound(rounded);
    generated::Body ring(0.2);
    ring.loft({{0, 0, 0, 0.5}, {1, 0, 0, 0.4}, {1, 0, 0, 0.3}, {0, 0, 0, 0.4}}, 32, true, axis);
    EXPECT_NEAR(ring.volume(), polygon / 3 * (0.25 + 0.2 + 0.16 - 0.16 - 0.12 - 0.09), 1e-15);
    expect_sound(ring);
  }
  generated::Body mixed(1);
  EXPECT_THROW(mixed.loft({{0, 0.1, 0.1}, {1, 0, 0, 0.1}}), Error);
  EXPECT_THROW(mixed.loft({{0, 0, 0, 0.1}, {1, 0, 0, 0.1}}, 10), Error);
}

TEST(GeneratedBody, AVesselHoldsWhatItsFloorAndWallLeave) {
  const auto sections = generated::hollowed({{0, 0, 0, 1}, {2, 0, 0, 1}}, 0.1, 0.25);
  generated::Body body(0.5);
  body.loft(sections, 40);
  const double polygon = 20 * std::sin(2 * std::numbers::pi / 40);
  EXPECT_NEAR(body.volume(), polygon * (2 - 0.81 * 1.75), 1e-14);
  expect_sound(body);
  generated::Body full(0.5);
  full.loft(generated::hollowed({{0, 0, 0, 1}, {2, 0, 0, 1}}, 0.1, 0.25, 1.5), 40);
  EXPECT_NEAR(full.volume(), polygon * (2 - 0.81 * 0.5), 1e-14);
  EXPECT_THROW(generated::hollowed({{0, 0, 0, 1}, {2, 0, 0, 1}}, 0.1, 2), Error);
}

TEST(GeneratedBody, ATubeIsItsAreaTimesItsLength) {
  generated::Body open(0.2);
  open.tube({{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0.5, 0, 2}}, generated::rectangle(0.1, 0.05), {0, 1, 0}, false,
            {1, 0, 0.5}, {0.2, 0.1, 1});
  EXPECT_NEAR(open.volume(), 0.02 * (2 + std::sqrt(1.25)), 1e-15);
  expect_sound(open);
  generated::Body ring(5);
  ring.tube({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, generated::disc(0.1, 12), {0, 0, 1}, true);
  EXPECT_NEAR(ring.volume(), 4 * 6 * 0.01 * std::sin(std::numbers::pi / 6), 1e-15);
  expect_sound(ring);
}

TEST(GeneratedBody, MapsKeepTrackOfTheVolume) {
  generated::Body body(0.5), whole(0.5);
  body.cushion({0, 0, 0}, {1, 2, 0.5}, 0.1);
  expect_sound(body);
  generated::Affine mirrored;
  mirrored.x[0] = -2;
  mirrored.shift = {9, 0, 0};
  whole.add(body, generated::leaning(0.3, 1));
  whole.add(body, mirrored);
  whole.add(body, generated::turned_about_y(0.7, {0, 9, 0}));
  EXPECT_NEAR(whole.volume(), 4 * body.volume(), 1e-14);
  expect_sound(whole);
  EXPECT_NEAR(signed_volume(whole.mesh()), whole.volume(), 1e-12);
}

TEST(GeneratedObjects, TheClosedFormIsWhatTheGeneralRulesMeasure) {
  for (std::size_t i = 0; i < some_objects; ++i) {
    SCOPED_TRACE(some().source->label(i));
    const MeshFacts &own = some().records[i].facts, &general = some().measured[i];
    EXPECT_EQ(general.set_aside, "");
    EXPECT_EQ(own.closed, i % families + 1 != families);  // the last family's surfaces are open
    EXPECT_EQ(own.rule, own.closed ? VolumeRule::enclosed : VolumeRule::hull);
    EXPECT_EQ(general.rule, own.rule);
    EXPECT_EQ(general.closed, own.closed);
    EXPECT_NEAR(own.volume / general.volume, 1, 1e-9);
    EXPECT_NEAR(own.hull_volume / general.hull_volume, 1, 1e-9);
    EXPECT_NEAR(own.log_aspect, general.log_aspect, 1e-11);
    const double longest = *std::max_element(own.extents.begin(), own.extents.end());
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(own.extents[d] / longest, general.extents[d], 1e-12);
    EXPECT_GE(own.triangles, own.closed ? 12u : 8u);
    EXPECT_LE(own.triangles, 12000u);
    EXPECT_EQ(general.degenerate, 0u);
    if (!own.closed) {
      EXPECT_EQ(own.why, "its surface is open");
      EXPECT_EQ(own.enclosed_volume, 0);
      EXPECT_GE(own.triangles, general.triangles);  // doubled ones count once
      continue;
    }
    EXPECT_EQ(general.why, "");
    EXPECT_NEAR(own.enclosed_volume / general.enclosed_volume, 1, 1e-9);
    EXPECT_EQ(own.triangles, general.triangles);
    EXPECT_EQ(own.shells, general.shells);
    EXPECT_EQ(general.open_edges, 0u);
    EXPECT_EQ(general.duplicate, 0u);
    EXPECT_EQ(general.inner_solids, 0u);
  }
}

TEST(GeneratedObjects, MeshesAreNormalized) {
  for (std::size_t i = 0; i < some_objects; ++i) {
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
    }
    EXPECT_NEAR(longest, 1, 1e-14);
    EXPECT_GT(facts.volume, 1e-5);
    EXPECT_LE(facts.volume, facts.hull_volume * (1 + 1e-9));
    EXPECT_LE(facts.volume, 1 + 1e-12);
  }
}

// Before it is turned furniture has the sizes of furniture in meters and is at rest on the floor; triangles of all
// families look outwards.
TEST(GeneratedObjects, FurnitureStandsOnTheFloor) {
  const auto& all = generated::families();
  for (std::size_t f = 0; f < all.size(); ++f)
    for (std::uint64_t i = 0; i < 10; ++i) {
      SCOPED_TRACE(std::string(all[f].name) + ' ' + std::to_string(i));
      generated::Body body(all[f].cell);
      generated::Draw draw(Stream(7, i, f));
      all[f].build(body, draw);
      std::array<double, 3> low{9, 9, 9}, high{-9, -9, -9};
      for (const auto& place : body.mesh().vertices)
        for (std::size_t d = 0; d < 3; ++d) {
          low[d] = std::min(low[d], place[d]);
          high[d] = std::max(high[d], place[d]);
        }
      if (!body.open()) {
        EXPECT_NEAR(signed_volume(body.mesh()) / body.volume(), 1, 1e-9);
      }
      if (!all[f].furniture) continue;
      EXPECT_NEAR(low[2], 0, 1e-12);
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_GT(high[d] - low[d], 0.01);
        EXPECT_LT(high[d] - low[d], 4);
      }
    }
}

// Which axis is up: z for about half of the furniture, y for a third, and for solids each.
TEST(GeneratedObjects, FurnitureStandsUprightInOneOfThreeWays) {
  const generated::Family table = {"post", true, 1, [](generated::Body& body, generated::Draw&) {
                                     body.box({0, 0, 0}, {1, 2, 9});
                                   }};
  generated::Family solid = table;
  solid.furniture = false;
  for (const generated::Family& family : {table, solid}) {
    std::array<int, 4> count{};
    for (std::uint64_t i = 0; i < 1000; ++i) {
      generated::Draw draw(Stream(5, i, 0));
      const generated::Body body = generated::build_object(family, draw);
      std::size_t up = 3;  // turned freely
      for (std::size_t d = 0; d < 3; ++d) {
        double low = 99, high = -99;
        for (const auto& place : body.mesh().vertices) low = std::min(low, place[d]), high = std::max(high, place[d]);
        if (std::abs(high - low - 9) < 1e-12) up = d;
      }
      ++count[up];
      EXPECT_NEAR(body.volume(), 18, 1e-9);
    }
    const std::array<int, 4> expected =
        family.furniture ? std::array{54, 351, 495, 100} : std::array{233, 233, 233, 300};
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(count[k], expected[k], 60) << family.furniture << ' ' << k;
  }
}

// The volume by rays along z, how much of each lies between faces that are entered and left. Nothing of closed forms,
// of shells or of the divergence theorem's sum is in it.
double ray_volume(const TriangleMesh& mesh) {
  constexpr int across = 720;
  double sum = 0;
  // Through cells of a lattice that is shifted off the mesh's own planes.
  const auto at = [](int k, double shift) { return (k + shift) / across - 0.5; };
  const auto cell = [](double x) { return std::clamp(static_cast<int>((x + 0.5) * across), 0, across - 1); };
  for (const auto& t : mesh.triangles) {
    const auto &p = mesh.vertices[t[0]], &q = mesh.vertices[t[1]], &r = mesh.vertices[t[2]];
    for (int a = cell(std::min({p[0], q[0], r[0]})); a <= cell(std::max({p[0], q[0], r[0]})); ++a)
      for (int b = cell(std::min({p[1], q[1], r[1]})); b <= cell(std::max({p[1], q[1], r[1]})); ++b) {
        const double x = at(a, 0.5123), y = at(b, 0.4871);
        const auto side = [&](const Point& u, const Point& v) {
          return (v[0] - u[0]) * (y - u[1]) - (v[1] - u[1]) * (x - u[0]);
        };
        const double pq = side(p, q), qr = side(q, r), rp = side(r, p), all = pq + qr + rp;
        if (all == 0 || ((pq < 0 || qr < 0 || rp < 0) && (pq > 0 || qr > 0 || rp > 0))) continue;
        const double z = (qr * p[2] + rp * q[2] + pq * r[2]) / all;
        sum += all > 0 ? z : -z;  // it is left where it looks up
      }
  }
  return sum / (across * across);
}

TEST(GeneratedObjects, VolumesAreWhatRaysFind) {
  for (std::size_t i = 0; i < some_objects; i += 5) {
    const MeshFacts& facts = some().records[i].facts;
    if (!facts.closed) continue;
    EXPECT_NEAR(ray_volume(some().meshes[i]), facts.volume, 0.002 + 0.02 * facts.volume) << some().source->label(i);
  }
}

TEST(GeneratedBody, ExtrusionsAndSolidsHaveTheVolumesOfTextbooks) {
  const auto hexagon = generated::disc(1, 6);
  generated::Body prism(1);
  prism.extrude(hexagon, {{0}, {2}});
  EXPECT_NEAR(prism.volume(), 3 * std::sqrt(3.0), 1e-14);
  expect_sound(prism);
  generated::Body pyramid(1);
  pyramid.extrude(hexagon, {{1}, {4, 0.5}});
  EXPECT_NEAR(pyramid.volume(), 3 * std::sqrt(3.0) / 2 * 3 * (1 + 0.5 + 0.25) / 3, 1e-14);
  expect_sound(pyramid);
  generated::Body twisted(1);
  std::vector<generated::Level> levels;
  for (int k = 0; k <= 400; ++k) levels.push_back({k / 200.0, 1, k / 400.0});
  twisted.extrude(hexagon, levels);
  EXPECT_NEAR(twisted.volume(), 3 * std::sqrt(3.0), 0.01);  // slices keep their area
  generated::Body two(1);
  two.solid({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}},
            {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}, {4, 6, 5}, {4, 5, 7}, {5, 6, 7}, {4, 7, 6}});
  EXPECT_NEAR(two.volume(), 2.0 / 6, 1e-15);
  EXPECT_EQ(two.parts(), 2u);
  expect_sound(two);
}

TEST(GeneratedBody, OpenSurfacesEncloseNothing) {
  for (const bool doubled : {false, true}) {
    generated::Body body(1);
    body.surface(3, 8, true, doubled, [](double u, double v) {
      return Point{std::cos(2 * std::numbers::pi * v), std::sin(2 * std::numbers::pi * v), u};
    });
    EXPECT_TRUE(body.open());
    EXPECT_EQ(body.volume(), 0);
    EXPECT_EQ(body.mesh().triangles.size(), doubled ? 96u : 48u);
    const MeshFacts facts = measure_mesh(body.mesh());
    EXPECT_EQ(facts.rule, VolumeRule::hull);
    EXPECT_NEAR(facts.volume * 8, 2 * std::sqrt(2.0), 1e-12);  // an octagon's prism, scaled to a side of 1
  }
}

TEST(ImplicitSolid, HasTheVolumeAndFormOfItsPieces) {
  using generated::ImplicitSolid, generated::Piece;
  const auto volume = [](const ImplicitSolid& solid, int cells) {
    generated::Body body(1);
    EXPECT_TRUE(generated::add_implicit(body, solid, cells));
    expect_sound(body);
    return body.volume();
  };
  Piece ball;
  ball.kind = Piece::ellipsoid;
  Piece bar;
  bar.kind = Piece::cylinder;
  bar.half = {0.5, 0, 2};
  bar.cut = true;
  Piece ring;
  ring.kind = Piece::ring;
  ring.half = {1, 0, 0.3};
  Piece capsule;
  capsule.kind = Piece::capsule;
  capsule.half = {0.4, 0, 0.7};
  Piece box;
  box.half = {1, 0.6, 0.4};
  EXPECT_NEAR(volume({{ball}}, 40), 4 * std::numbers::pi / 3, 0.02);
  EXPECT_NEAR(volume({{ring}}, 60), 2 * std::numbers::pi * std::numbers::pi * 0.09, 0.03);
  EXPECT_NEAR(volume({{capsule}}, 40), std::numbers::pi * 0.16 * (1.4 + 4 * 0.4 / 3), 0.02);
  EXPECT_NEAR(volume({{box}}, 40), 8 * 0.24, 0.03);
  // A ball bored through keeps 4 pi / 3 (1 - r^2)^(3/2).
  EXPECT_NEAR(volume({{ball, bar}}, 48), 4 * std::numbers::pi / 3 * std::pow(0.75, 1.5), 0.03);
  Piece apart = ball;
  apart.at = {3, 0, 0};
  EXPECT_NEAR(volume({{ball, apart}}, 80), 8 * std::numbers::pi / 3, 0.05);
  Piece all = box;
  all.half = {9, 9, 9};
  all.cut = true;
  generated::Body nothing(1);
  EXPECT_FALSE(generated::add_implicit(nothing, {{ball, all}}, 20));
  EXPECT_EQ(nothing.mesh().triangles.size(), 0u);
}

// The volume is a sum, so that nothing may count twice: just within a triangle there is one part, just without it none,
// or another that touches.
TEST(GeneratedObjects, PartsDoNotCutThroughEachOther) {
  for (std::size_t i = 0; i < some_objects; i += 2) {
    const TriangleMesh& mesh = some().meshes[i];
    if (!some().records[i].facts.closed) continue;
    const std::size_t probes = 40;
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

TEST(GeneratedObjects, ANumberIsAlwaysTheSameObject) {
  const auto few = make_generated_objects(60, 1), other = make_generated_objects(60, 2);
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
  EXPECT_EQ(some().records[17].key, "generated-v2-1-17");
  for (const MeshRecord& record : some().records) keys.insert(record.key);
  EXPECT_EQ(keys.size(), some_objects);
  EXPECT_NE(few->identity(), other->identity());
  EXPECT_EQ(few->name(), "generated solids and furniture");
  EXPECT_EQ(few->label(0), "generated chair 0");
  EXPECT_EQ(few->label(21), "generated figure 21");
  EXPECT_TRUE(few->instant());
  EXPECT_THROW(few->mesh(60), Error);
  EXPECT_THROW(make_generated_objects(0, 1), Error);
  EXPECT_THROW(make_generated_objects((std::size_t{1} << 40) + 1, 1), Error);
}

TEST(GeneratedObjects, EveryFamilyIsInEveryPart) {
  const std::vector<std::string> names = generated_families();
  ASSERT_EQ(names.size(), families);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  std::map<std::string, std::array<int, 3>> parts;
  std::set<std::vector<MeshSplit>> orders;
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::vector<MeshSplit> order;
    for (std::size_t i = f; i < some_objects; i += names.size()) {
      EXPECT_EQ(some().source->label(i), "generated " + names[f] + " " + std::to_string(i));
      ++parts[names[f]][static_cast<std::size_t>(some().source->split(i))];
      order.push_back(some().source->split(i));
    }
    orders.insert(order);
  }
  for (const auto& [name, count] : parts) EXPECT_EQ(count, (std::array<int, 3>{12, 4, 4})) << name;
  EXPECT_EQ(orders.size(), names.size());  // each family's order is its own
}

TEST(GeneratedObjects, VolumesAndAspectsSpread) {
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
  EXPECT_GT(whole[1], 0.1);
  EXPECT_GT(whole[2], 0.8);
  EXPECT_LT(std::abs(whole[3]), 0.7);
  for (std::size_t f = 0; f < families; ++f) {
    std::vector<const MeshFacts*> own;
    for (std::size_t i = f; i < some_objects; i += families) own.push_back(&some().records[i].facts);
    const auto [mean, volume_spread, aspect_spread, correlation] = moments(own);
    EXPECT_GT(volume_spread, 0.15 * mean) << some().source->label(f);
    EXPECT_GT(aspect_spread, 0.06) << some().source->label(f);
  }
}

TEST(GeneratedObjects, SourcesOfItAreMeasuredWithoutADisk) {
  const MeasuredMeshes measured = measure_meshes(*make_generated_objects(120, 3), "");
  EXPECT_EQ(measured.usable.size(), 120u);
  EXPECT_TRUE(measured.set_aside.empty());
  EXPECT_EQ(measured.enclosed, 115u);
  EXPECT_EQ(measured.hull, 5u);
  EXPECT_EQ(measured.parts[0], 72u);
  EXPECT_EQ(measured.parts[1], 24u);
  EXPECT_EQ(measured.parts[2], 24u);
}

}  // namespace
}  // namespace pairs
