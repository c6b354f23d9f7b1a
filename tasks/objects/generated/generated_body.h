#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/numbers/random.h"
#include "render/meshes/triangle_mesh.h"

namespace pairs::generated {

using Point = std::array<double, 3>;

// Draws the measures of one object.
class Draw {
 public:
  explicit Draw(Stream stream) : stream_(stream) {}
  double in(double low, double high) { return low + (high - low) * stream_.uniform64(); }
  // Uniform in the logarithm; both above 0.
  double log_in(double low, double high);
  bool chance(double p) { return stream_.uniform64() < p; }
  // Both ends included.
  int count(int low, int high) { return low + static_cast<int>(stream_.below(static_cast<unsigned>(high - low + 1))); }

 private:
  Stream stream_;
};

// A horizontal outline at height z: everything within `round` of a rectangle with half sides x and y around (at_x,
// at_y). A rectangle (round = 0), a disc (x = y = 0) as a polygon with corners along the axes, or a rectangle with
// round corners.
struct Section {
  double z, x = 0, y = 0, round = 0, at_x = 0, at_y = 0;
};

// The axis of the sections' heights; the others follow in the order x, y, z, x.
enum class Axis { x, y, z };

// A cross-section of a tube around its centroid, counter-clockwise.
using Outline = std::vector<std::array<double, 2>>;
Outline disc(double radius, int sides = 12);
Outline rectangle(double half_u, double half_v);

// An affine map: columns of a matrix, and a shift.
struct Affine {
  Point x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, shift{};
};
Affine shifted(double x, double y, double z);
// Rotations about the z axis, from x towards y; and about the y axis, from z towards x. Radians.
Affine turned_about_z(double angle, Point shift = {});
Affine turned_about_y(double angle, Point shift = {});
// A shear: y grows by `by` per unit of height above z.
Affine leaning(double by, double z, Point shift = {});
// A rotation about the origin, uniform over rotations (Shoemake 1992).
Affine draw_rotation(Draw& draw);

// A level of an extrusion: the outline at height z, scaled by `scale` and rotated by `turn` radians.
struct Level {
  double z, scale = 1, turn = 0;
};

// A solid as the union of closed parts, with its volume in closed form. Parts may touch, and families must ensure that
// they do not intersect, because this is not checked. Triangles are counter-clockwise as seen from outside.
class Body {
 public:
  // Long straight parts are divided into pieces of about `cell`.
  explicit Body(double cell) : cell_(cell) {}

  void box(Point low, Point high, bool divided = true);
  // Joins outlines: upwards on the outside; those of a vessel continue down on the inside and end on its floor. The
  // first and the last are filled, or joined with each other for a ring. All are of one kind (rectangles, discs,
  // rounded). With n = `sides`, a multiple of 4, an outline's area is 4 x y + 4 (x + y) round + (n / 2) sin(2 pi / n)
  // round^2, which is quadratic in the height between two sections, so that Simpson's rule gives the volume exactly.
  void loft(std::vector<Section> sections, int sides = 32, bool ring = false, Axis axis = Axis::z);
  // A block with all edges rounded; `round` is at most a third of its shortest side.
  void cushion(Point low, Point high, double round);
  // Sweeps a cross-section along a path in the plane perpendicular to `side` (a unit vector, the outline's u), mitered
  // at the path's corners, so that its volume is its area times the path's length. The ends lie in the planes
  // perpendicular to `first_end` and `last_end`, or to the path if these are 0. A ring's path returns to its start.
  void tube(const std::vector<Point>& path, const Outline& outline, Point side, bool ring = false, Point first_end = {},
            Point last_end = {});
  // Extrudes an outline, which is star-shaped about its center, from level to level; both ends are filled.
  void extrude(const Outline& outline, const std::vector<Level>& levels);
  // A closed surface of triangles, counter-clockwise from outside; its volume follows from the divergence theorem.
  void solid(const std::vector<Point>& vertices, const std::vector<std::array<std::uint32_t, 3>>& triangles);
  // An open surface without thickness: place(u, v) for u and v from 0 to 1, in rows x columns of quadrilaterals. For a
  // ring, its two ends along v coincide. `doubled` adds each triangle in both directions. It encloses nothing, so that
  // the body is open.
  void surface(int rows, int columns, bool ring, bool doubled, const std::function<Point(double, double)>& place);
  void add(const Body& other, const Affine& map);

  double cell() const { return cell_; }
  const TriangleMesh& mesh() const { return mesh_; }
  // The volume of its closed parts.
  double volume() const { return volume_; }
  std::uint32_t parts() const { return parts_; }  // closed ones
  // Whether it has an open surface, so that its volume is its hull's (mesh_measure.h, rule 4).
  bool open() const { return open_; }
  // Vertices (ascending) that have the same convex hull as all vertices.
  const std::vector<std::uint32_t>& corners() const { return corners_; }

 private:
  std::uint32_t vertex(const Point& p, bool corner);
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { mesh_.triangles.push_back({a, b, c}); }
  // Joins rows of `across` vertices each, starting at `first`.
  void join_rows(std::uint32_t first, std::size_t rows, std::size_t across, bool ring);
  void fill_row(std::uint32_t first, std::size_t across, const Point& center, bool up);

  double cell_;
  TriangleMesh mesh_;
  double volume_ = 0;
  bool open_ = false;
  std::uint32_t parts_ = 0;
  std::vector<std::uint32_t> corners_;
};

// Sections with round outlines along a smooth curve through (height, radius), `steps` between consecutive points.
std::vector<Section> smooth_profile(const std::vector<std::array<double, 2>>& points, int steps);
// The sections of an open vessel with this outside, bottom first: its wall is `wall` thick, measured horizontally, and
// its floor `floor`. `earth` fills it up to that height above the lowest section, where that is above the floor.
std::vector<Section> hollowed(const std::vector<Section>& outside, double wall, double floor, double earth = 0);
// An arc in the plane z = 0 around `center` from angle `from` to `to`.
std::vector<Point> arc(Point center, double radius, double from, double to, int steps);
// A path with its inner corners rounded to a radius, or as far as half of the shorter adjacent side allows.
std::vector<Point> rounded_path(const std::vector<Point>& path, double radius, int steps = 5);

}  // namespace pairs::generated
