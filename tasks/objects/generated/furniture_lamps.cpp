#include <algorithm>
#include <cmath>
#include <numbers>

#include "tasks/objects/generated/furniture_parts.h"

namespace pairs::generated {
namespace {

// Adds a shade around the z axis with a crossbar at z = `on`: a ring between two radii.
void add_shade(Body& body, double low, double high, double low_radius, double high_radius, double on) {
  constexpr int sides = 40;
  constexpr double wall = 0.004, half = 0.004;
  Body shade(body.cell());
  shade.loft({{low, 0, 0, low_radius},
              {high, 0, 0, high_radius},
              {high, 0, 0, high_radius - wall},
              {low, 0, 0, low_radius - wall}},
             sides, true);
  // A side of the polygon faces the bar's end. They stay a fifth of a millimeter apart, because rounding makes it
  // impossible to measure whether a shell that touches another all around lies within it.
  body.add(shade, turned_about_z(std::numbers::pi / sides));
  const double flat = std::cos(std::numbers::pi / sides), slope = flat * (high_radius - low_radius) / (high - low);
  const double z = on + half, reach = flat * (low_radius - wall) + slope * (z - low) - 0.0002;
  body.tube({{-reach, 0, z}, {reach, 0, z}}, rectangle(half, half), {0, 1, 0}, false, {1, 0, slope}, {1, 0, -slope});
}

// Adds a lamp's head at the end of a pipe in the plane y = 0, open in the direction of the pipe.
void add_head(Body& body, Draw& draw, const Point& end, const Point& before, double size) {
  const double x = end[0] - before[0], z = end[2] - before[2];
  const double angle = std::atan2(-x, -z), s = std::sin(angle), c = std::cos(angle);
  const double tall = size * draw.in(0.8, 1.5), top = size * draw.in(0.25, 0.6), wall = 0.05 * size;
  Body head(body.cell());
  if (draw.chance(0.5)) {  // a cone
    head.loft({{0.92 * tall, 0, 0, top - wall}, {0, 0, 0, size - wall}, {0, 0, 0, size}, {tall, 0, 0, top}}, 32);
  } else {  // a dome
    std::vector<Section> sections;
    constexpr int steps = 6;
    const double high = 0.9 * size;
    for (const bool outer : {false, true})
      for (int k = 0; k <= steps; ++k) {
        const double t = 0.12 + (std::numbers::pi / 2 - 0.12) * (outer ? steps - k : k) / steps,
                     r = outer ? size : size - wall;
        sections.push_back({(high - (outer ? 0 : wall)) * std::cos(t), 0, 0, r * std::sin(t)});
      }
    // The rim lies in one plane.
    sections[steps].z = sections[steps + 1].z = 0;
    head.loft(sections, 32);
    const double up = sections.back().z;
    body.add(head, turned_about_y(angle, {end[0] - up * s, 0, end[2] - up * c}));
    return;
  }
  body.add(head, turned_about_y(angle, {end[0] - tall * s, 0, end[2] - tall * c}));
}

void build_floor_lamp(Body& body, Draw& draw) {
  const int kind = draw.count(0, 4);
  const double pole = draw.in(0.008, 0.02), base = draw.in(0.11, 0.19), thick = draw.in(0.015, 0.05);
  if (kind == 0) {  // an arc with a head
    const double tall = draw.in(1.4, 2.0), reach = draw.in(0.5, 1.2);
    add_disc(body, base, 0, thick, 0.005);
    std::vector<Point> path{{0, 0, thick}, {0, 0, 0.5 * tall}};
    const double up = 0.5 * tall, end = draw.in(0.75, 0.98) * std::numbers::pi;
    constexpr int steps = 16;
    for (int k = 1; k <= steps; ++k) {
      const double angle = end * k / steps;
      path.push_back({reach / 2 * (1 - std::cos(angle)), 0, up + 0.5 * tall * std::sin(angle)});
    }
    body.tube(path, disc(pole), {0, 1, 0});
    add_head(body, draw, path.back(), path[path.size() - 2], draw.in(0.1, 0.2));
    return;
  }
  const double tall = draw.in(1.1, 1.9), shade = draw.in(0.18, 0.45), wide = draw.in(0.13, 0.28);
  const double narrow = wide * (draw.chance(0.3) ? 1 : draw.in(0.35, 0.95));
  const double low = tall - shade, on = low + draw.in(0.4, 0.8) * shade;
  if (kind == 1) {  // three legs
    const double hub = draw.in(0.75, 0.95) * low;
    LegStyle style{draw.chance(0.5) ? LegStyle::round : LegStyle::square, 0.017, 0.013, draw.in(0.18, 0.4), 0};
    Body leg(body.cell());
    add_leg(leg, style, 0.035, 0, hub);
    for (int k = 0; k < 3; ++k) body.add(leg, turned_about_z(2 * std::numbers::pi * (k + 0.5) / 3));
    add_disc(body, 0.065, hub, hub + 0.04, 0.004);
    body.loft({{hub + 0.04, 0, 0, pole}, {on, 0, 0, pole}}, 16);
  } else if (kind == 2) {  // a turned column
    add_disc(body, base, 0, thick, 0.005);
    const double r = 1.6 * pole;
    body.loft(smooth_profile({{thick, 0.5 * base},
                              {0.06 * tall + thick, 1.5 * r},
                              {0.12 * tall + thick, 2.6 * r},
                              {0.2 * tall + thick, r},
                              {0.5 * tall, 1.5 * r},
                              {0.9 * low, r},
                              {0.98 * low, 1.6 * r},
                              {on, 0.5 * pole}},
                             5),
              24);
  } else {
    add_disc(body, base, 0, thick, 0.005);
    body.loft({{thick, 0, 0, pole}, {on, 0, 0, pole}}, 16);
  }
  add_shade(body, low, tall, wide, narrow, on);
  if (kind == 4) {  // a table around the pole, in halves that do not touch it
    const double z = draw.in(0.35, 0.6) * low, r = draw.in(0.15, 0.24);
    body.loft({{z, 0, 0, r}, {z + 0.018, 0, 0, r}, {z + 0.018, 0, 0, 1.02 * pole}, {z, 0, 0, 1.02 * pole}}, 40, true);
  }
}

void build_desk_lamp(Body& body, Draw& draw) {
  const double base = draw.in(0.06, 0.11), thick = draw.in(0.012, 0.04), pipe = draw.in(0.005, 0.011);
  if (draw.chance(0.4)) {  // a body and a shade
    const double foot = draw.in(0.05, 0.11), column = draw.in(0.15, 0.32), shade = draw.in(0.12, 0.26),
                 wide = foot + draw.in(0.02, 0.12);
    const double narrow = wide * draw.in(0.45, 1), on = column + 0.5 * shade;
    const double belly = draw.in(0.3, 0.7);
    body.loft(smooth_profile({{0, foot},
                              {0.02, 0.95 * foot},
                              {belly * column, foot * draw.in(0.4, 1.2)},
                              {0.92 * column, 0.3 * foot},
                              {0.96 * column, 0.012},
                              {on, 0.011}},
                             6),
              32);
    add_shade(body, column + 0.01, column + shade, wide, narrow, on);
    return;
  }
  if (draw.chance(0.6))
    add_disc(body, base, 0, thick, 0.004);
  else
    body.box({-base, -0.8 * base, 0}, {base, 0.8 * base, thick});
  const double lower = draw.in(0.18, 0.35), upper = draw.in(0.15, 0.32), back = draw.in(-0.12, 0.02),
               rise = draw.in(0.02, 0.14);
  const double bend = draw.in(0.02, 0.08), drop = draw.in(0.03, 0.08), forth = draw.in(0.2, 0.9) * drop;
  const Point knee{back, 0, thick + 0.04 + lower};
  const Point tip{knee[0] + upper, 0, knee[2] + rise};
  const std::vector<Point> path =
      rounded_path({{0, 0, thick}, {0, 0, thick + 0.04}, knee, tip, {tip[0] + forth, 0, tip[2] - drop}}, bend);
  body.tube(path, disc(pipe), {0, 1, 0});
  add_head(body, draw, path.back(), path[path.size() - 2], draw.in(0.045, 0.085));
}

}  // namespace

void build_lamp(Body& body, Draw& draw) {
  draw.chance(0.5) ? build_floor_lamp(body, draw) : build_desk_lamp(body, draw);
}

void build_ladder(Body& body, Draw& draw) {
  const double wide = draw.in(0.3, 0.55), rail = draw.in(0.02, 0.035), deep = draw.in(0.04, 0.09), x = wide / 2;
  const bool round = draw.chance(0.5);
  const auto add_half = [&](Body& half, double tall, double y0, double y1, int rungs, double tread) {
    for (const double from : {-x, x - rail}) half.box({from, y0, 0}, {from + rail, y1, tall});
    const double middle = (y0 + y1) / 2, r = 0.3 * (y1 - y0), inside = x - rail;
    for (int k = 0; k < rungs; ++k) {
      const double z = tall * (k + 0.7) / (rungs + 0.2);
      if (tread > 0)
        half.box({-inside, middle - tread * (y1 - y0), z}, {inside, middle + tread * (y1 - y0), z + 0.022});
      else if (round)
        half.loft({{-inside, 0, 0, r, middle, z}, {inside, 0, 0, r, middle, z}}, 16, false, Axis::x);
      else
        half.box({-inside, middle - 0.8 * r, z - 0.5 * r}, {inside, middle + 0.8 * r, z + 0.5 * r});
    }
  };
  if (draw.chance(0.5)) {  // to lean against a wall
    const double tall = draw.in(1.4, 3.4), lean = draw.chance(0.4) ? 0 : draw.in(0, 0.35);
    const int rungs = static_cast<int>(std::lround(tall / draw.in(0.24, 0.34)));
    Body upright(body.cell());
    add_half(upright, tall, 0, deep, rungs, draw.chance(0.3) ? 0.49 : 0);
    body.add(upright, leaning(lean, 0));
    return;
  }
  const double tall = draw.in(0.5, 2.1), lean = draw.in(0.12, 0.35);
  const int rungs = std::max(2, static_cast<int>(std::lround(tall / draw.in(0.2, 0.3))));
  const double tread = draw.in(0.5, 0.9);
  Body front(body.cell()), rear(body.cell());
  add_half(front, tall, -deep, -0.0005, rungs, std::min(tread, 0.49));
  add_half(rear, tall, 0.0005, 0.7 * deep, std::max(1, rungs / 2), 0);
  body.add(front, leaning(lean, tall));
  body.add(rear, leaning(-lean * draw.in(0.6, 1), tall));
  body.box({-x - 0.01, -deep - 0.03, tall}, {x + 0.01, 0.7 * deep + 0.03, tall + 0.03});
}

}  // namespace pairs::generated
