#include <algorithm>
#include <cmath>
#include <numbers>

#include "tasks/objects/generated/furniture_parts.h"

namespace pairs::generated {
namespace {

// The number of sides: round, or fewer.
int draw_sides(Draw& draw) {
  if (draw.chance(0.75)) return 40;
  return draw.chance(0.5) ? 8 : 12;
}

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
  // The inside has a straight neck.
  std::vector<Section> sections = hollowed(outside, wall, draw.in(0.015, 0.05) * high);
  const double bore = 0.95 * neck - wall;
  for (std::size_t k = outside.size(); k < sections.size() && sections[k].z > high - 1.6 * lip; ++k)
    sections[k].round = bore;
  const bool square = draw.chance(0.25);
  if (square) {
    // A flask: the same profile around a rectangle that narrows towards the neck.
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

}  // namespace

void build_vessel(Body& body, Draw& draw) {
  const int kind = draw.count(0, 3);
  if (kind == 0) return build_vase(body, draw);
  if (kind == 1) return build_bottle(body, draw);
  if (kind == 2) return build_bowl(body, draw);
  build_cup(body, draw);
}

}  // namespace pairs::generated
