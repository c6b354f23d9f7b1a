#include <algorithm>
#include <cmath>
#include <numbers>

#include "tasks/objects/furniture_parts.h"

namespace pairs::furniture {
namespace {

// Round, or with fewer sides.
int draw_sides(Draw& draw) {
  if (draw.chance(0.75)) return 40;
  return draw.chance(0.5) ? 8 : 12;
}

// What grows from the middle of a pot at height z, within `radius` there.
void add_plant(Body& body, Draw& draw, double z, double radius, double pot) {
  const int kind = draw.count(0, 4);
  if (kind == 0) return;
  if (kind == 1) {  // a cactus
    const double r = radius * draw.in(0.4, 0.85), tall = pot * draw.in(0.5, 2);
    body.loft(smooth_profile({{z, 0.75 * r},
                              {z + 0.3 * tall, 0.95 * r},
                              {z + 0.65 * tall, r},
                              {z + 0.9 * tall, 0.75 * r},
                              {z + 0.98 * tall, 0.35 * r},
                              {z + tall, 0.1 * r}},
                             4),
              24);
    return;
  }
  if (kind == 2) {  // balls on a stem
    const double stem = radius * draw.in(0.05, 0.12);
    double at = z + pot * draw.in(0.2, 1.5), r = radius * draw.in(0.9, 1.8), from = z;
    const int balls = draw.count(1, 3);
    for (int k = 0; k < balls; ++k) {
      at = std::max(at, from + 0.05 * pot);
      body.loft({{from, 0, 0, stem}, {at, 0, 0, stem}}, 12);
      std::vector<Section> ball;
      constexpr int steps = 12;
      for (int j = 0; j <= steps; ++j) {
        const double angle = 0.12 + (std::numbers::pi - 0.24) * j / steps;
        ball.push_back({at + r * (std::cos(0.12) - std::cos(angle)), 0, 0, r * std::sin(angle)});
      }
      body.loft(ball, 24);
      from = ball.back().z;
      at = from + pot * draw.in(0.1, 0.4);
      r *= draw.in(0.6, 0.85);
    }
    return;
  }
  if (kind == 3) {  // cones on a stem
    const double stem = radius * draw.in(0.06, 0.14), tall = pot * draw.in(0.5, 1.2);
    double from = z + pot * draw.in(0.16, 0.45), r = radius * draw.in(1, 1.7);
    body.loft({{z, 0, 0, stem}, {from, 0, 0, stem}}, 12);
    const int cones = draw.count(1, 4);
    for (int k = 0; k < cones; ++k) {
      const double top = k + 1 == cones ? 0.04 : 0.35;
      body.loft({{from, 0, 0, r}, {from + tall / cones, 0, 0, top * r}}, 24);
      from += tall / cones;
      r *= draw.in(0.72, 0.9);
    }
    return;
  }
  // Leaves about the middle, each within a wedge of its own.
  const int leaves = draw.count(5, 13);
  const double tall = pot * draw.in(0.8, 2.2), out = tall * draw.in(0.1, 0.6), at = 0.4 * radius, thick = 0.03 * radius;
  const double widest = radius * draw.in(0.08, 0.3), wedge = 0.9 * std::tan(std::numbers::pi / leaves);
  for (int k = 0; k < leaves; ++k) {
    const double own = tall * draw.in(0.7, 1), bend = out * draw.in(0.6, 1);
    std::vector<Section> sections;
    constexpr int steps = 8;
    for (int j = 0; j <= steps; ++j) {
      const double t = static_cast<double>(j) / steps, x = at + bend * t * t;
      const double wide = widest * (0.5 + 2.2 * t * (1 - t)) * (1 - 0.85 * t * t);
      sections.push_back({z + own * t, thick * (1 - 0.6 * t), std::min(wide, wedge * (x - thick)), 0, x, 0});
    }
    Body leaf(body.cell());
    leaf.loft(sections, 4);
    body.add(leaf, turned_about_z(2 * std::numbers::pi * k / leaves));
  }
}

}  // namespace

void build_vase(Body& body, Draw& draw) {
  const double high = draw.in(0.15, 0.6), widest = high * draw.log_in(0.16, 0.6);
  const double foot = widest * draw.in(0.4, 0.9), neck = widest * draw.in(0.25, 0.9), lip = neck * draw.in(1, 1.6);
  const double belly = draw.in(0.25, 0.65), collar = draw.in(std::max(0.7, belly + 0.15), 0.9);
  const double wall = std::min(0.22 * neck, draw.in(0.003, 0.012) + 0.02 * widest);
  std::vector<std::array<double, 2>> points{{0, foot}};
  if (draw.chance(0.4)) points.push_back({0.06 * high, 0.85 * foot});
  points.push_back({belly * high, widest});
  points.push_back({collar * high, neck});
  points.push_back({high, lip});
  const double floor = draw.in(0.02, 0.08) * high;
  const auto sections = hollowed(smooth_profile(points, 8), wall, floor);
  const int sides = draw_sides(draw);
  Body upright(body.cell());
  upright.loft(sections, sides);
  Affine oval;
  if (draw.chance(0.2)) oval.y[1] = draw.in(0.45, 0.9);
  body.add(upright, oval);
}

void build_bottle(Body& body, Draw& draw) {
  const double high = draw.in(0.18, 0.4), radius = high * draw.log_in(0.1, 0.28), neck = radius * draw.in(0.25, 0.55);
  const double shoulder = draw.in(0.45, 0.72) * high, throat = shoulder + draw.in(0.3, 0.7) * (high - shoulder);
  const double wall = std::min(0.3 * neck, draw.in(0.002, 0.005)), lip = 0.03 * high,
               mouth = neck * draw.in(1.12, 1.35);
  const double waist = draw.chance(0.3) ? draw.in(0.8, 0.95) : 1;
  std::vector<Section> outside = smooth_profile({{0, 0.9 * radius},
                                                 {0.02 * high, radius},
                                                 {0.5 * shoulder, waist * radius},
                                                 {shoulder, radius},
                                                 {throat, neck},
                                                 {high - 1.6 * lip, 0.95 * neck}},
                                                6);
  outside.push_back({high - 1.5 * lip, 0, 0, mouth});
  outside.push_back({high, 0, 0, mouth});
  // A straight neck inside.
  std::vector<Section> sections = hollowed(outside, wall, draw.in(0.015, 0.05) * high);
  const double bore = 0.95 * neck - wall;
  for (std::size_t k = outside.size(); k < sections.size() && sections[k].z > high - 1.6 * lip; ++k)
    sections[k].round = bore;
  const bool square = draw.chance(0.25);
  if (square) {
    // A flask: the same profile about a rectangle that closes in towards the neck.
    const double wide = radius * draw.in(0.3, 1.4), deep = radius * draw.in(0.05, 0.5);
    for (Section& s : sections) {
      const double share = s.z <= shoulder ? 1
                           : s.z >= throat ? 0.02
                                           : 1 - 0.98 * (s.z - shoulder) / (throat - shoulder);
      s.x = share * wide, s.y = share * deep;
    }
    body.loft(sections, 24);
  } else {
    body.loft(sections, 40);
  }
  if (draw.chance(0.5)) {  // a stopper on the mouth
    const double tall = draw.in(0.03, 0.12) * high, flat = square ? 0 : mouth * draw.in(0, 0.3);
    if (square)
      body.box({-1.1 * mouth, -1.1 * mouth, high}, {1.1 * mouth, 1.1 * mouth, high + tall});
    else
      add_disc(body, 1.03 * mouth + flat, high, high + tall, 0.2 * mouth, 32);
  }
}

void build_bowl(Body& body, Draw& draw) {
  const double radius = draw.in(0.06, 0.2), high = radius * draw.log_in(0.2, 1.3), wall = radius * draw.in(0.02, 0.08);
  const double foot = radius * draw.in(0.3, 0.65), round = draw.in(0.3, 0.75);
  std::vector<std::array<double, 2>> points{{0, foot}};
  const double ring = draw.chance(0.5) ? 0.1 * high : 0;
  if (ring > 0) points.push_back({ring, 0.94 * foot});
  for (int k = 1; k <= 6; ++k) {
    const double t = k / 6.0;
    points.push_back({ring + (high - ring) * t, foot + (radius - foot) * std::pow(t, round)});
  }
  const double floor = ring + std::max(0.1 * high, 0.4 * wall);
  const auto sections = hollowed(smooth_profile(points, 4), wall, floor);
  const int sides = draw_sides(draw);
  Body upright(body.cell());
  upright.loft(sections, sides);
  Affine oval;
  if (draw.chance(0.3)) oval.y[1] = draw.in(0.45, 0.9);
  body.add(upright, oval);
}

void build_cup(Body& body, Draw& draw) {
  const double high = draw.in(0.055, 0.16), rim = high * draw.log_in(0.28, 0.8), foot = rim * draw.in(0.6, 1);
  const double wall = rim * draw.in(0.05, 0.12), bend = draw.in(0.05, 0.3) * foot;
  const double from = draw.chance(0.35) ? 0.006 : 0.0;  // above a saucer's floor
  const double slope = (rim - foot) / (high - bend);
  std::vector<Section> outside;
  constexpr int steps = 5;
  for (int k = 0; k < steps; ++k) {
    const double angle = std::numbers::pi / 2 * k / steps;
    outside.push_back({from + bend * (1 - std::cos(angle)), 0, 0, foot - bend * (1 - std::sin(angle))});
  }
  outside.push_back({from + bend, 0, 0, foot});
  outside.push_back({from + high, 0, 0, rim});
  body.loft(hollowed(outside, wall, 0.06 * high), 40);
  if (from > 0) {
    const double reach = std::max(1.5 * rim, 1.9 * foot), up = 0.2 * reach, flat = 1.15 * foot;
    body.loft({{0, 0, 0, 0.95 * flat}, {up, 0, 0, reach}, {up, 0, 0, reach - 0.006}, {from, 0, 0, flat}}, 40);
  }
  if (!draw.chance(0.8)) return;
  // The handle's ends lie flush on the wall's corner along +x.
  const auto on_wall = [&](double z) { return foot + slope * (z - from - bend); };
  const double half = draw.in(0.045, 0.075) * high, top = from + high * draw.in(0.8, 0.9),
               low = std::max(from + bend + 1.4 * half, from + high * draw.in(0.18, 0.4));
  const double out = std::max(on_wall(top), on_wall(low)) + high * draw.in(0.25, 0.45);
  const double round = draw.in(0.15, 0.5) * (top - low);
  const auto path = rounded_path(
      {{on_wall(top), 0, top}, {out, 0, top}, {out * draw.in(0.9, 1), 0, low}, {on_wall(low), 0, low}}, round, 7);
  const Outline outline = draw.chance(0.5) ? disc(half, 12) : rectangle(1.2 * half, 0.6 * half);
  body.tube(path, outline, {0, 1, 0}, false, {1, 0, -slope}, {1, 0, -slope});
}

void build_goblet(Body& body, Draw& draw) {
  const double high = draw.in(0.12, 0.26), bowl = draw.in(0.35, 0.65) * high, stem = high - bowl;
  const double widest = bowl * draw.log_in(0.28, 0.75), rim = widest * draw.in(0.7, 1),
               foot = widest * draw.in(0.7, 1.1);
  const double r = draw.in(0.07, 0.14) * foot + 0.001, wall = widest * draw.in(0.03, 0.08), edge = 0.02 * high;
  const double belly = draw.in(0.3, 0.7);
  const double knot = draw.chance(0.3) ? 2 : 1;
  body.loft(hollowed(smooth_profile({{0, foot},
                                     {edge, 0.97 * foot},
                                     {2.2 * edge, 0.4 * foot},
                                     {std::max(0.3 * stem, 3 * edge), r},
                                     {0.6 * stem, knot * r},
                                     {0.9 * stem, r},
                                     {stem + 0.12 * bowl, 0.6 * widest},
                                     {stem + belly * bowl, widest},
                                     {high, rim}},
                                    5),
                     wall, stem + 0.1 * bowl),
            40);
}

void build_plant_pot(Body& body, Draw& draw) {
  const double radius = draw.in(0.07, 0.22), high = radius * draw.log_in(0.8, 3), foot = radius * draw.in(0.55, 1);
  const double wall = radius * draw.in(0.06, 0.12);
  const int kind = draw.count(0, 3);
  double plant_room = radius - wall;
  const double earth = 0.87 * high;
  double from = 0;
  if (draw.chance(0.3)) {  // a saucer below
    from = 0.05 * radius;
    const double flat = 1.1 * foot, reach = flat + 0.25 * radius;
    body.loft({{0, 0, 0, flat}, {4 * from, 0, 0, reach}, {4 * from, 0, 0, 0.95 * reach}, {from, 0, 0, flat}}, 40);
  }
  if (kind == 3) {  // a box
    const double deep = radius * (draw.chance(0.5) ? 1 : draw.in(0.6, 2)), in = foot / radius;
    if (from == 0) {
      body.loft({{0, in * radius, in * deep},
                 {high, radius, deep},
                 {high, radius - wall, deep - wall},
                 {earth, (1 + in * 0.1) / (1.1) * radius - wall, (1 + in * 0.1) / (1.1) * deep - wall}},
                4);
      plant_room = 0.85 * std::min(radius, deep) - wall;
      add_plant(body, draw, earth, plant_room, high);
      return;
    }
  }
  std::vector<Section> outside;
  if (kind == 0) {
    outside = {{0, 0, 0, foot},
               {0.8 * high, 0, 0, 0.88 * radius + 0.02 * foot},
               {0.801 * high, 0, 0, 0.96 * radius},
               {high, 0, 0, radius}};
  } else if (kind == 1) {
    outside = {{0, 0, 0, foot}, {high, 0, 0, radius}};
  } else {
    outside = smooth_profile({{0, foot}, {0.45 * high, 1.08 * radius}, {0.9 * high, 0.9 * radius}, {high, radius}}, 6);
    plant_room = 0.85 * radius - wall;
  }
  for (Section& s : outside) s.z += from;
  body.loft(hollowed(outside, wall, 0.1 * high, earth), kind == 2 ? 40 : draw_sides(draw));
  plant_room = std::min(plant_room, 0.9 * (radius - wall));
  add_plant(body, draw, from + earth, plant_room, high);
}

void build_bathtub(Body& body, Draw& draw) {
  const double long_ = draw.in(1.3, 1.95), wide = draw.in(0.62, 0.95), high = draw.in(0.38, 0.68),
               wall = draw.in(0.03, 0.09);
  const double x = long_ / 2, y = wide / 2, floor = draw.in(0.04, 0.12);
  const double in = draw.in(0.05, 0.16);  // how far the floor stays within the rim
  double stand = 0;
  if (draw.chance(0.5)) {  // of its own form, on feet or a plinth
    stand = draw.in(0.02, 0.15);
    const double r = y * draw.in(0.6, 0.98), low = r - std::min(0.9 * in, 0.5 * r);
    const double lip = draw.chance(0.5) ? draw.in(0.02, 0.05) : 0.001;
    const double cx = x - r, cy = y - r;
    std::vector<Section> s;
    constexpr int steps = 5;
    for (int k = 0; k <= steps; ++k) {
      const double t = static_cast<double>(k) / steps;
      s.push_back({stand + (0.94 * high) * t, cx, cy, low + (r - lip - low) * std::pow(t, 0.6)});
    }
    s.push_back({stand + 0.941 * high, cx, cy, r});
    s.push_back({stand + high, cx, cy, r});
    s.push_back({stand + high, cx, cy, r - lip - wall});
    for (int k = steps; k-- > 0;) {
      const double t = static_cast<double>(k) / steps;
      s.push_back({stand + floor + (high - floor) * t, cx, cy, low + (r - lip - low) * std::pow(t, 0.6) - wall});
    }
    body.loft(s, 32);
    if (draw.chance(0.6)) {
      for (const double fx : {-0.75, 0.75})
        for (const double fy : {-0.5, 0.5}) {
          std::vector<Section> foot =
              smooth_profile({{0, 0.03}, {0.25 * stand, 0.035}, {0.6 * stand, 0.02}, {stand, 0.04}}, 3);
          for (Section& f : foot) f.at_x = fx * cx, f.at_y = fy * (cy + low);
          body.loft(foot, 16);
        }
    } else {
      body.loft({{0, cx, cy, 0.8 * low}, {stand, cx, cy, 0.85 * low}}, 32);
    }
  } else {  // a block with a hollow
    const double r = std::min(draw.in(0.08, 0.25), y - wall - 0.05), corner = draw.in(0.01, 0.06);
    const double cx = x - wall - r, cy = y - wall - r;
    const double shrink = std::min(in, 0.8 * r);
    body.loft({{0, x - corner, y - corner, corner},
               {high, x - corner, y - corner, corner},
               {high, cx, cy, r},
               {0.6 * high, cx, cy, r - 0.25 * shrink},
               {floor + 0.08, cx, cy, r - 0.7 * shrink},
               {floor, cx - 0.02, cy - 0.02, r - shrink}},
              32);
  }
  if (draw.chance(0.5)) {  // a tap on the rim
    const double top = stand + high, at = x - 0.5 * wall, pipe = std::min(0.3 * wall, 0.015), tall = draw.in(0.12, 0.3);
    body.tube(
        rounded_path({{at, 0, top}, {at, 0, top + tall}, {at - 0.16, 0, top + tall}, {at - 0.16, 0, top + 0.6 * tall}},
                     0.04),
        disc(pipe), {0, 1, 0});
  }
}

}  // namespace pairs::furniture
