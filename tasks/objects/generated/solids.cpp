#include "tasks/objects/generated/solids.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tasks/objects/generated/implicit_solid.h"

namespace pairs::generated {
namespace {

constexpr double pi = std::numbers::pi;

Affine stretched(double x, double y, double z) {
  Affine map;
  map.x[0] = x, map.y[1] = y, map.z[2] = z;
  return map;
}

// A scaling from [-1, 1] along x, y and z, each by a factor that is uniform in the logarithm down to 1 / most.
Affine draw_stretch(Draw& draw, double most) {
  const double x = draw.log_in(1 / most, 1), y = draw.log_in(1 / most, 1), z = draw.log_in(1 / most, 1);
  return stretched(x, y, z);
}

// The outline of a ball of radius 1, with small flat poles.
std::vector<Section> ball_sections(int steps, double pole = 0.05) {
  std::vector<Section> out;
  for (int k = 0; k <= steps; ++k) {
    const double angle = pole + (pi - 2 * pole) * k / steps;
    out.push_back({-std::cos(angle), 0, 0, std::sin(angle)});
  }
  return out;
}

// A regular polygon on the unit circle.
Outline draw_polygon(Draw& draw) {
  Outline out;
  const int sides = draw.count(3, 8);
  const double turn = draw.in(0, 2 * pi);
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * pi * k / sides + turn;
    out.push_back({std::cos(angle), std::sin(angle)});
  }
  return out;
}

// A star-shaped outline: a star, a gear or a smooth random outline within the unit circle.
Outline draw_outline(Draw& draw) {
  Outline out;
  const int kind = draw.count(0, 3);
  if (kind == 0) {  // a star
    const int tips = draw.count(3, 9);
    const double in = draw.in(0.25, 0.85);
    for (int k = 0; k < 2 * tips; ++k) {
      const double r = k % 2 == 0 ? 1 : in, angle = pi * k / tips;
      out.push_back({r * std::cos(angle), r * std::sin(angle)});
    }
  } else if (kind == 1) {  // a gear
    const int teeth = draw.count(6, 20);
    const double in = draw.in(0.7, 0.92), slope = draw.in(0.05, 0.2);
    for (int k = 0; k < teeth; ++k)
      for (const auto& [share, r] : {std::pair{0.0, 1.0}, {0.4 - slope, 1.0}, {0.4 + slope / 2, in}, {0.9, in}}) {
        const double angle = 2 * pi * (k + share) / teeth;
        out.push_back({r * std::cos(angle), r * std::sin(angle)});
      }
  } else if (kind == 2) {  // corners at random
    const int corners = draw.count(4, 10);
    for (int k = 0; k < corners; ++k) {
      const double angle = 2 * pi * (k + draw.in(-0.35, 0.35)) / corners, r = draw.in(0.35, 1);
      out.push_back({r * std::cos(angle), r * std::sin(angle)});
    }
  } else {  // waves
    std::array<double, 5> size{}, phase{};
    for (std::size_t k = 0; k < size.size(); ++k) {
      size[k] = draw.in(0, 0.3) / static_cast<double>(k + 1);
      phase[k] = draw.in(0, 2 * pi);
    }
    for (int k = 0; k < 48; ++k) {
      const double angle = 2 * pi * k / 48;
      double r = 1;
      for (std::size_t w = 0; w < size.size(); ++w) r += size[w] * std::cos((w + 1.0) * angle + phase[w]);
      out.push_back({r * std::cos(angle), r * std::sin(angle)});
    }
  }
  return out;
}

std::array<Point, 3> draw_axes(Draw& draw) {
  if (draw.chance(0.5)) {
    const int first = draw.count(0, 2);
    std::array<Point, 3> axes{};
    for (std::size_t k = 0; k < 3; ++k) axes[k][(static_cast<std::size_t>(first) + k) % 3] = 1;
    return axes;
  }
  const Affine turn = draw_rotation(draw);
  return {turn.x, turn.y, turn.z};
}

// Moves a body so that its box is [0, sides]; returns the sides.
Point to_corner(const Body& from, Body& to, const Affine& turn, const Point& at) {
  Body turned(from.cell());
  turned.add(from, turn);
  Point low = turned.mesh().vertices.front(), high = low;
  for (const Point& p : turned.mesh().vertices)
    for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], p[d]), high[d] = std::max(high[d], p[d]);
  to.add(turned, shifted(at[0] - low[0], at[1] - low[1], at[2] - low[2]));
  return {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
}

// A piece of carved solids within about [-1, 1].
Piece draw_piece(Draw& draw, double least, double most, bool cut) {
  Piece piece;
  const int kind = draw.count(0, 9);
  piece.kind = kind < 4 ? Piece::box : kind < 6 ? Piece::ellipsoid : kind < 9 ? Piece::cylinder : Piece::ring;
  piece.cut = cut;
  piece.axes = draw_axes(draw);
  for (double& half : piece.half) half = draw.log_in(least, most);
  if (piece.kind == Piece::ring) piece.half[2] = piece.half[0] * draw.in(0.2, 0.5);
  return piece;
}

}  // namespace

void build_block(Body& body, Draw& draw) {
  const int kind = draw.count(0, 9);
  const double x = kind == 0 ? 1 : draw.log_in(0.12, 1), y = kind == 0 ? 1 : draw.log_in(0.12, 1);
  if (kind < 6) return body.box({0, 0, 0}, {x, y, 1}, draw.chance(0.3));
  if (kind < 8) return body.cushion({0, 0, 0}, {x, y, 1}, std::min(x, y) * draw.in(0.05, 0.33));
  // A wedge or a block whose top is smaller and shifted.
  const double top = draw.in(0.02, 0.95), narrow = draw.chance(0.5) ? 1 : draw.in(0.02, 0.95);
  body.loft({{0, x, y}, {1, x * top, y * narrow, 0, x * (1 - top) * draw.in(-1, 1), 0}}, 4);
}

void build_sheet(Body& body, Draw& draw) {
  const double thick = draw.log_in(1.0 / 1500, 0.1), wide = draw.log_in(0.25, 1);
  const int kind = draw.count(0, 8);
  if (kind <= 1) {
    body.box({0, 0, 0}, {1, wide, thick}, false);
  } else if (kind == 2) {
    Body round(1);
    round.loft({{0, 0, 0, 0.5}, {thick, 0, 0, 0.5}}, 48);
    body.add(round, stretched(1, wide, 1));
  } else if (kind == 3) {
    const double corner = 0.45 * wide * draw.in(0.1, 0.95);
    const double x = 0.5 - corner, y = wide / 2 - corner;
    body.loft({{0, x, y, corner}, {thick, x, y, corner}}, 24);
  } else if (kind == 4) {  // a frame, or a disc with a hole
    const double hole = draw.in(0.3, 0.9);
    if (draw.chance(0.5)) {
      const double rim = wide / 2 * (1 - hole);
      body.loft({{0, 0.5, wide / 2},
                 {thick, 0.5, wide / 2},
                 {thick, 0.5 - rim, wide / 2 - rim},
                 {0, 0.5 - rim, wide / 2 - rim}},
                4, true);
    } else {
      body.loft({{0, 0, 0, 0.5}, {thick, 0, 0, 0.5}, {thick, 0, 0, 0.5 * hole}, {0, 0, 0, 0.5 * hole}}, 48, true);
    }
  } else if (kind == 5) {
    body.extrude(draw_outline(draw), {{0}, {2 * thick}});
  } else if (kind == 6) {  // bent
    const double angle = draw.in(0.3, 1.9 * pi), radius = 1 / angle;
    body.tube(arc({0, 0, 0}, radius, 0, angle, 32), rectangle(wide / 2, std::min(thick / 2, 0.3 * radius)), {0, 0, 1});
  } else {  // folded or corrugated
    const int folds = draw.count(1, 6);
    const double rise = draw.in(0.1, 0.9) / folds;
    std::vector<Point> path;
    for (int k = 0; k <= folds + 1; ++k) path.push_back({static_cast<double>(k) / (folds + 1), k % 2 * rise, 0});
    const double thin = std::min(thick, 0.15 / (folds + 1));
    body.tube(kind == 7 ? path : rounded_path(path, 0.3 / (folds + 1), 6), rectangle(wide / 2, thin / 2), {0, 0, 1});
  }
}

void build_ball(Body& body, Draw& draw) {
  const int kind = draw.count(0, 5), fine = draw.chance(0.6) ? 40 : 4 * draw.count(2, 6);
  Body round(1);
  if (kind <= 3) {
    round.loft(ball_sections(fine / 2), fine);
    // A ball, one that is long or flat, or three different axes.
    const double long_ = draw.log_in(0.2, 5);
    body.add(round, kind == 0 ? Affine{} : kind == 1 ? stretched(1, 1, long_) : draw_stretch(draw, 5));
  } else if (kind == 4) {  // a capsule
    auto sections = ball_sections(fine / 4 * 2);
    const double long_ = draw.log_in(0.2, 8);
    for (Section& s : sections) s.z += s.z > 1e-9 ? long_ : s.z < -1e-9 ? -long_ : 0;
    body.loft(sections, fine);
  } else {  // an egg
    auto sections = ball_sections(fine / 2);
    const double taper = draw.in(0.1, 0.7), long_ = draw.log_in(0.6, 2);
    for (Section& s : sections) s.round *= 1 - taper * (s.z + 1) / 2, s.z *= long_;
    body.loft(sections, fine);
  }
}

void build_cylinder(Body& body, Draw& draw) {
  const int kind = draw.count(0, 5);
  const double high = draw.log_in(0.15, 12), oval = draw.chance(0.7) ? 1 : draw.log_in(0.3, 1);
  const double top = kind <= 1 ? 1 : kind <= 3 ? draw.in(0.02, 0.98) : draw.chance(0.5) ? 1 : draw.in(0.02, 0.98);
  Body upright(1);
  if (kind <= 3)
    upright.loft({{0, 0, 0, 1}, {high, 0, 0, top}}, draw.chance(0.7) ? 40 : 4 * draw.count(3, 8));
  else
    upright.extrude(draw_polygon(draw), {{0}, {high, top}});
  body.add(upright, stretched(1, oval, 1));
}

void build_ring(Body& body, Draw& draw) {
  const int kind = draw.count(0, 6);
  const double tube = draw.log_in(0.04, 0.9), oval = draw.chance(0.6) ? 1 : draw.log_in(0.35, 1);
  if (kind <= 2) {  // a torus
    std::vector<Section> sections;
    const double high = draw.chance(0.6) ? tube : tube * draw.log_in(0.3, 3);
    for (int k = 0; k < 20; ++k) {
      const double angle = 2 * pi * k / 20;
      sections.push_back({high * std::sin(angle), 0, 0, 1 + tube * std::cos(angle)});
    }
    Body round(1);
    round.loft(sections, 40, true);
    body.add(round, stretched(1, oval, 1));
  } else if (kind <= 4) {  // a pipe
    const double high = draw.log_in(0.05, 6), in = draw.in(0.3, 0.97), narrow = draw.chance(0.6) ? 1 : draw.in(0.4, 1);
    body.loft({{0, 0, 0, 1}, {high, 0, 0, narrow}, {high, 0, 0, narrow * in}, {0, 0, 0, in}}, 40, true);
  } else if (kind == 5) {  // an arc
    const double thin = std::min(tube, 0.6), end = draw.in(0.6, 1.85) * pi;
    const bool round = draw.chance(0.7);
    const double other = std::min(0.6, thin * draw.log_in(0.2, 2));
    body.tube(arc({0, 0, 0}, 1, 0, end, 28), round ? disc(thin) : rectangle(thin, other), {0, 0, 1});
  } else {  // links of a chain, each through the next but not touching it
    const int links = draw.count(2, 5);
    const double wire = draw.in(0.06, 0.2), inner = 1 - wire;
    std::vector<Point> path = rounded_path(
        {{0, -inner, 0}, {1.2, -inner, 0}, {1.2, inner, 0}, {-1.2, inner, 0}, {-1.2, -inner, 0}, {0, -inner, 0}}, 0.8);
    path.pop_back();
    const double step = 2.2 - 2 * wire;
    for (int k = 0; k < links; ++k) {
      Body link(1);
      link.tube(path, disc(wire, 10), {0, 0, 1}, true);
      Affine map = shifted(k * step, 0, 0);
      if (k % 2 == 1) map.y = {0, 0, 1}, map.z = {0, -1, 0};
      body.add(link, map);
    }
  }
}

void build_turned(Body& body, Draw& draw) {
  const int knots = draw.count(3, 8);
  const double slim = draw.log_in(0.1, 1.2);
  std::vector<std::array<double, 2>> points;
  for (int k = 0; k < knots; ++k) points.push_back({static_cast<double>(k) / (knots - 1), slim * draw.in(0.12, 1)});
  std::vector<Section> sections = smooth_profile(points, draw.chance(0.7) ? 6 : 1);
  const int sides = draw.chance(0.7) ? 40 : 4 * draw.count(2, 5);
  double least = slim;
  for (const Section& s : sections) least = std::min(least, s.round);
  if (draw.chance(0.3)) {  // bored through, or hollow from above
    const double wall = least * draw.in(0.1, 0.8);
    if (draw.chance(0.5)) {
      sections = hollowed(sections, wall, draw.in(0.03, 0.5));
    } else {
      const double bore = least - wall;
      sections.push_back({1, 0, 0, bore});
      sections.push_back({0, 0, 0, bore});
      return body.loft(sections, sides, true);
    }
  }
  Body upright(1);
  upright.loft(sections, sides);
  body.add(upright, stretched(1, draw.chance(0.7) ? 1 : draw.log_in(0.35, 1), 1));
}

void build_extrusion(Body& body, Draw& draw) {
  const Outline outline = draw_outline(draw);
  const double high = draw.log_in(0.08, 6), top = draw.chance(0.5) ? 1 : draw.in(0.05, 1);
  const double twist = draw.chance(0.6) ? 0 : draw.in(-pi, pi);
  const int steps = twist == 0 ? 1 : 16;
  std::vector<Level> levels;
  for (int k = 0; k <= steps; ++k) {
    const double share = static_cast<double>(k) / steps;
    levels.push_back({high * share, 1 + (top - 1) * share, twist * share});
  }
  Body upright(1);
  upright.extrude(outline, levels);
  body.add(upright, stretched(1, draw.chance(0.5) ? 1 : draw.log_in(0.3, 1), 1));
}

void build_beam(Body& body, Draw& draw) {
  const double long_ = draw.log_in(0.15, 8), wide = draw.log_in(0.4, 1);
  const double web = draw.in(0.06, 0.35), flange = draw.in(0.06, 0.35) * wide;
  const auto bar = [&](double x0, double x1, double y0, double y1) { body.box({x0, y0, 0}, {x1, y1, long_}, false); };
  switch (draw.count(0, 5)) {
    case 0:  // L
      bar(0, web, 0, wide);
      bar(web, 1, 0, flange);
      break;
    case 1: {  // T
      const double at = draw.chance(0.7) ? 0.5 : draw.in(web / 2, 1 - web / 2);
      bar(0, 1, wide - flange, wide);
      bar(at - web / 2, at + web / 2, 0, wide - flange);
      break;
    }
    case 2:  // U
      bar(0, 1, 0, flange);
      bar(0, web, flange, wide);
      bar(1 - web, 1, flange, draw.chance(0.7) ? wide : wide * draw.in(0.4, 1));
      break;
    case 3:  // H
      bar(0, web, 0, wide);
      bar(1 - web, 1, 0, wide);
      bar(web, 1 - web, (wide - flange) / 2, (wide + flange) / 2);
      break;
    case 4: {  // a cross with arms of one length or four
      const double x = draw.in(0.3, 0.7), y = wide * draw.in(0.3, 0.7);
      const double half = 0.5 * std::min(web, 0.5 * wide);
      bar(0, 1, y - half, y + half);
      bar(x - half, x + half, 0, y - half);
      bar(x - half, x + half, y + half, wide);
      break;
    }
    default:  // an arch: two posts and a lintel along the beam
      body.box({0, 0, 0}, {1, wide, flange});
      body.box({0, 0, flange}, {web, wide, flange + long_});
      body.box({1 - web, 0, flange}, {1, wide, flange + long_});
      if (draw.chance(0.6)) body.box({0, 0, flange + long_}, {1, wide, 2 * flange + long_});
  }
}

void build_blocks(Body& body, Draw& draw) {
  const int columns = draw.count(1, 5), rows = draw.count(1, 4);
  const double tallest = draw.log_in(0.2, 4), gap = draw.chance(0.6) ? 0 : 0.1;
  const bool stairs = draw.chance(0.3);
  const double empty = stairs ? 0 : draw.in(0, 0.4);
  std::vector<double> x{0}, y{0};
  for (int k = 0; k < columns; ++k) x.push_back(x.back() + draw.in(0.4, 1));
  for (int k = 0; k < rows; ++k) y.push_back(y.back() + draw.in(0.4, 1));
  const double base = gap > 0 ? draw.in(0.05, 0.3) : 0;
  if (base > 0) body.box({0, 0, 0}, {x.back(), y.back(), base}, false);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const double high = tallest * (stairs ? (c + 1.0 + r) / (columns + rows - 1) : draw.in(0.1, 1));
      if (draw.chance(empty) && (r > 0 || c > 0)) continue;
      const auto i = static_cast<std::size_t>(c), j = static_cast<std::size_t>(r);
      body.box({x[i] + gap, y[j] + gap, base}, {x[i + 1] - gap, y[j + 1] - gap, base + high}, false);
    }
}

void build_tower(Body& body, Draw& draw) {
  const int stories = draw.count(2, 6);
  double z = 0, room = 1;
  for (int k = 0; k < stories; ++k) {
    const double high = room * draw.log_in(0.15, 2), r = room * draw.in(0.4, 1);
    const double deep = r * draw.in(0.5, 1), top = draw.in(0.05, 1);
    switch (draw.count(0, 4)) {
      case 0:
        body.box({-r, -deep, z}, {r, deep, z + high}, false);
        break;
      case 1:
        body.loft({{z, 0, 0, r}, {z + high, 0, 0, r}}, 32);
        break;
      case 2:
        body.loft({{z, 0, 0, r}, {z + high, 0, 0, r * top}}, 32);
        break;
      case 3: {
        auto sections = ball_sections(16, 0.25);
        const double pole = sections.back().z;
        for (Section& s : sections) s.z = z + (s.z + pole) * high / (2 * pole), s.round *= r;
        body.loft(sections, 32);
        break;
      }
      default: {
        Body prism(1);
        prism.extrude(draw_polygon(draw), {{0}, {high, top}});
        Affine map = stretched(r, r, 1);
        map.shift = {0, 0, z};
        body.add(prism, map);
      }
    }
    z += high;
    room *= draw.in(0.5, 1.3);
  }
}

void build_carved(Body& body, Draw& draw) {
  for (;;) {
    ImplicitSolid solid;
    const int added = draw.count(1, 4), cuts = draw.count(added == 1 ? 1 : 0, 4);
    for (int k = 0; k < added; ++k) {
      Piece piece = draw_piece(draw, 0.25, 1, false);
      if (k > 0)
        for (double& x : piece.at) x = draw.in(-0.7, 0.7);
      solid.pieces.push_back(piece);
    }
    for (int k = 0; k < cuts; ++k) {
      Piece piece = draw_piece(draw, 0.12, 0.6, true);
      for (double& x : piece.at) x = draw.in(-0.8, 0.8);
      if (draw.chance(0.4)) piece.half[2] = 3;  // all the way through
      solid.pieces.push_back(piece);
    }
    if (draw.chance(0.3)) solid.smooth = draw.in(0.05, 0.3);
    Body made(1);
    if (!add_implicit(made, solid, 20) || made.volume() < 0.01) continue;
    return body.add(made, {});
  }
}

void build_figure(Body& body, Draw& draw) {
  ImplicitSolid solid;
  solid.smooth = draw.in(0.05, 0.4);
  Piece trunk;
  trunk.kind = Piece::ellipsoid;
  trunk.half = {draw.in(0.25, 0.7), draw.in(0.25, 0.7), draw.in(0.4, 1.2)};
  solid.pieces.push_back(trunk);
  const auto limb = [&](const Point& from, const Point& to, double radius) {
    Piece piece;
    piece.kind = Piece::capsule;
    Point way;
    for (std::size_t d = 0; d < 3; ++d) piece.at[d] = (from[d] + to[d]) / 2, way[d] = to[d] - from[d];
    const double long_ = std::hypot(way[0], way[1], way[2]);
    for (double& x : way) x /= long_;
    const Point other = std::abs(way[2]) < 0.8 ? Point{0, 0, 1} : Point{1, 0, 0};
    Point side{way[1] * other[2] - way[2] * other[1], way[2] * other[0] - way[0] * other[2],
               way[0] * other[1] - way[1] * other[0]};
    const double size = std::hypot(side[0], side[1], side[2]);
    for (double& x : side) x /= size;
    piece.axes = {
        side,
        {way[1] * side[2] - way[2] * side[1], way[2] * side[0] - way[0] * side[2], way[0] * side[1] - way[1] * side[0]},
        way};
    piece.half = {radius, radius, long_ / 2};
    solid.pieces.push_back(piece);
  };
  const int pairs = draw.count(0, 3), single = draw.count(pairs == 0 ? 1 : 0, 3);
  const auto place = [&](double share) {
    return Point{trunk.half[0] * draw.in(-share, share), trunk.half[1] * draw.in(-share, share),
                 trunk.half[2] * draw.in(-0.9, 0.9)};
  };
  for (int k = 0; k < pairs + single; ++k) {
    const double radius = draw.in(0.08, 0.28), far = draw.in(0.5, 1.8);
    Point from = place(0.6), way{draw.in(-1, 1), draw.in(0.1, 1), draw.in(-1, 1)};
    const double long_ = std::hypot(way[0], way[1], way[2]);
    Point to;
    for (std::size_t d = 0; d < 3; ++d) to[d] = from[d] + far * way[d] / long_;
    limb(from, to, radius);
    // Its twin on the other side.
    if (k < pairs) limb({from[0], -from[1], from[2]}, {to[0], -to[1], to[2]}, radius);
  }
  if (draw.chance(0.6)) {
    Piece head;
    head.kind = Piece::ellipsoid;
    head.at = {0, 0, trunk.half[2] * draw.in(0.9, 1.4)};
    head.half = {draw.in(0.15, 0.5), draw.in(0.15, 0.5), draw.in(0.15, 0.5)};
    solid.pieces.push_back(head);
  }
  Body made(1);
  add_implicit(made, solid, 22);
  body.add(made, {});
}

void build_several(Body& body, Draw& draw) {
  const int count = draw.count(2, 6);
  const int across = count <= 3 ? count : (count + 1) / 2;
  const double gap = draw.log_in(0.03, 0.6);
  using Build = void (*)(Body&, Draw&);
  constexpr std::array<Build, 7> kinds = {build_block,  build_ball,      build_cylinder, build_ring,
                                          build_turned, build_extrusion, build_beam};
  const bool alike = draw.chance(0.3);
  Body first(1);
  double x = 0, y = 0, deepest = 0;
  for (int k = 0; k < count; ++k) {
    if (k == across) x = 0, y = deepest + gap;
    if (k == 0 || !alike) {
      Body one(1);
      kinds[static_cast<std::size_t>(draw.count(0, static_cast<int>(kinds.size()) - 1))](one, draw);
      Body turned(1);
      const Affine turn = draw.chance(0.5) ? draw_rotation(draw) : Affine{};
      const Point sides = to_corner(one, turned, turn, {});
      // Scales the bodies to about the same size.
      const double scale = draw.log_in(0.4, 1) / *std::max_element(sides.begin(), sides.end());
      first = Body(1);
      first.add(turned, stretched(scale, scale, scale));
    }
    const double z = draw.chance(0.7) ? 0 : draw.in(0, 0.5);
    const Point sides = to_corner(first, body, {}, {x, y, z});
    x += sides[0] + gap;
    if (k < across) deepest = std::max(deepest, sides[1]);
  }
}

void build_open(Body& body, Draw& draw) {
  const bool doubled = draw.chance(0.3);
  const int kind = draw.count(0, 5);
  const double high = draw.log_in(0.2, 3), top = draw.in(0.2, 1.6), oval = draw.chance(0.6) ? 1 : draw.log_in(0.4, 1);
  if (kind == 0) {  // a tube or a funnel
    body.surface(8, 32, true, doubled, [&](double u, double v) {
      const double r = 1 + (top - 1) * u;
      return Point{r * std::cos(2 * pi * v), oval * r * std::sin(2 * pi * v), high * u};
    });
  } else if (kind == 1) {  // a bowl or most of a ball
    const double end = draw.in(0.3, 0.85) * pi;
    body.surface(12, 32, true, doubled, [&](double u, double v) {
      const double angle = 0.04 + (end - 0.04) * u;
      return Point{std::sin(angle) * std::cos(2 * pi * v), oval * std::sin(angle) * std::sin(2 * pi * v),
                   -high * std::cos(angle)};
    });
  } else if (kind == 2) {  // two to five faces of a box
    const double wide = draw.log_in(0.3, 1);
    const int faces = draw.count(2, 5);
    const Point a{0, 0, 0}, x{1, 0, 0}, y{0, wide, 0}, z{0, 0, high};
    const auto face = [&](const Point& from, const Point& along, const Point& up) {
      body.surface(4, 4, false, doubled, [&](double u, double v) {
        Point p;
        for (std::size_t d = 0; d < 3; ++d) p[d] = from[d] + v * along[d] + u * up[d];
        return p;
      });
    };
    face(a, x, y);
    face(a, x, z);
    if (faces > 2) face(a, y, z);
    if (faces > 3) face(x, y, z);
    if (faces > 4) face(y, x, z);
  } else if (kind == 3) {  // a bent strip
    const double angle = draw.in(0.5, 1.8 * pi);
    body.surface(24, 4, false, doubled, [&](double u, double v) {
      return Point{std::cos(angle * u), std::sin(angle * u), high * v};
    });
  } else if (kind == 4) {  // waves
    const double waves = draw.in(0.5, 3), rise = draw.in(0.05, 0.4), across = draw.in(0, 2);
    body.surface(20, 20, false, doubled, [&](double u, double v) {
      return Point{u, high * v, rise * std::sin(2 * pi * waves * u) * std::cos(2 * pi * across * v)};
    });
  } else {  // a tent or a roof
    const double hip = draw.in(0, 0.45);
    body.surface(2, 8, false, doubled, [&](double u, double v) {
      const double ridge = 1 - std::abs(2 * u - 1), x = ridge * hip + (1 - 2 * hip * ridge) * v;
      return Point{x * (1 + top), u, 0.5 * high * ridge};
    });
  }
}

}  // namespace pairs::generated
