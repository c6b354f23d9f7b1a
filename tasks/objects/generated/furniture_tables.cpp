#include <algorithm>
#include <cmath>
#include <numbers>

#include "tasks/objects/generated/furniture_parts.h"

namespace pairs::generated {
namespace {

void build_square_table(Body& body, Draw& draw) {
  const bool low = draw.chance(0.35);
  const double high = low ? draw.in(0.28, 0.5) : draw.in(0.66, 0.8), thick = draw.in(0.015, 0.06);
  const double wide = low ? draw.in(0.6, 1.4) : draw.in(0.7, 2.4), deep = std::min(wide, draw.in(0.5, 1.05));
  const double under = high - thick;
  if (draw.chance(0.7))
    body.box({-wide / 2, -deep / 2, under}, {wide / 2, deep / 2, high});
  else
    add_slab(body, {-wide / 2, -deep / 2, under}, {wide / 2, deep / 2, high}, draw.in(0.02, 0.45) * deep);
  const int kind = draw.count(0, 6);
  if (kind == 0) {  // two panels and a bar between them
    const double panel = draw.in(0.02, 0.08), in = draw.in(0.05, 0.2) * wide, deep_in = draw.in(0.02, 0.12);
    const double inside = wide / 2 - in - panel;
    for (const double side : {-1.0, 1.0}) {
      const double from = side < 0 ? -inside - panel : inside;
      body.box({from, -deep / 2 + deep_in, 0}, {from + panel, deep / 2 - deep_in, under});
    }
    const double z = draw.in(0.15, 0.6) * under, bar = draw.in(0.05, 0.12);
    body.box({-inside, -0.02, z}, {inside, 0.02, z + bar});
    return;
  }
  if (kind == 1) {  // trestles: a foot, a post, a bearer
    const double in = draw.in(0.12, 0.22) * wide, half = draw.in(0.03, 0.06), beam = draw.in(0.04, 0.08);
    for (const double x : {-wide / 2 + in, wide / 2 - in}) {
      body.box({x - half, -0.42 * deep, 0}, {x + half, 0.42 * deep, beam});
      body.box({x - 0.8 * half, -0.1 * deep, beam}, {x + 0.8 * half, 0.1 * deep, under - beam});
      body.box({x - half, -0.38 * deep, under - beam}, {x + half, 0.38 * deep, under});
    }
    const double room = under - 2 * beam, inside = wide / 2 - in - 0.8 * half;
    const double z = beam + 0.35 * room;
    body.box({-inside, -0.025, z}, {inside, 0.025, z + std::min(0.1, 0.4 * room)});
    return;
  }
  FourLegs legs{draw_legs(draw, low ? 0.025 : 0.032, under, 0.15), 0, 0, under};
  const double in = 1.3 * legs.style.top + draw.in(0.002, 0.1);
  legs.x = wide / 2 - in;
  legs.y = deep / 2 - in;
  add_legs(body, legs);
  if (draw.chance(0.75)) add_apron(body, legs, draw.in(0.05, 0.12) * (low ? 0.7 : 1), 0.022);
  if (low && draw.chance(0.4)) {  // a board below, between the legs
    const double z = draw.in(0.25, 0.5) * under;
    const double x = legs.x - legs.style.top - 0.002, y = legs.y - legs.style.top - 0.002;
    body.box({-x, -y, z}, {x, y, z + 0.02});
  } else if (legs.style.kind != LegStyle::turned && draw.chance(0.3)) {
    const double half = 0.6 * std::min(legs.style.foot, legs.style.top), z = draw.in(0.1, 0.3) * under;
    add_bars(body, legs, z, false, half, half);
    if (draw.chance(0.5)) add_bars(body, legs, z, true, half, half);
  }
}

void build_round_table(Body& body, Draw& draw) {
  const double radius = draw.log_in(0.22, 0.8), high = radius < 0.4 ? draw.in(0.4, 3 * radius) : draw.in(0.38, 0.78);
  const double thick = draw.in(0.015, 0.05), under = high - thick;
  const double oval = draw.chance(0.3) ? draw.in(0.55, 0.95) : 1;
  Affine squeezed;
  squeezed.y[1] = oval;
  {
    Body top(body.cell());
    add_disc(top, radius, under, high, draw.chance(0.5) ? 0.3 * thick : 0, 48);
    if (draw.chance(0.3)) {  // a rim under it
      const double rim = draw.in(0.04, 0.1);
      top.loft({{under - rim, 0, 0, 0.92 * radius},
                {under, 0, 0, 0.92 * radius},
                {under, 0, 0, 0.88 * radius},
                {under - rim, 0, 0, 0.88 * radius}},
               48, true);
    }
    body.add(top, squeezed);
  }
  const int kind = draw.count(0, 3), feet = draw.count(3, 5);
  const double column = std::min(draw.in(0.025, 0.07), 0.35 * radius * oval);
  if (kind == 0) {  // a tulip's foot
    const double foot = radius * draw.in(0.45, 0.7);
    body.loft(smooth_profile({{0, foot},
                              {0.015, foot},
                              {0.06, 0.45 * foot},
                              {0.2 * high, 1.1 * column},
                              {0.6 * high, 0.9 * column},
                              {0.85 * under, 1.2 * column},
                              {under, 2.2 * column}},
                             4),
              32);
  } else if (kind == 1) {  // a star
    const double z = draw.in(0.12, 0.25) * high;
    const double reach = radius * draw.in(0.6, 0.9);
    add_star(body, feet, column, z, reach, 0.6 * column, draw.in(0.012, 0.03));
    body.loft({{z - 0.06, 0, 0, column},
               {z + 0.06, 0, 0, column},
               {0.5 * under, 0, 0, 0.75 * column},
               {0.9 * under, 0, 0, 0.75 * column},
               {under, 0, 0, 1.5 * column}},
              8 * feet);
  } else if (kind == 2) {  // legs around the center
    LegStyle style = draw_legs(draw, 0.024, under, 0);
    // Limits the width of the legs so that they stay within the rim of even a narrow tabletop.
    style.top = std::min(style.top, 0.18 * radius * oval);
    style.foot = std::min(style.foot, style.top);
    style.splay_x = draw.in(0, 0.25) * radius, style.splay_y = 0;
    Body leg(body.cell());
    const double at = draw.in(0.45, 0.65) * radius * oval;
    add_leg(leg, style, at, 0, under);
    for (int k = 0; k < feet; ++k) body.add(leg, turned_about_z(2 * std::numbers::pi * (k + 0.5) / feet));
  } else {  // a block or a drum
    const double r = radius * oval * draw.in(0.35, 0.75);
    if (draw.chance(0.5))
      body.loft({{0, 0, 0, r}, {under, 0, 0, r * draw.in(0.6, 1.1)}}, 40);
    else
      body.box({-0.8 * r, -0.8 * r, 0}, {0.8 * r, 0.8 * r, under});
  }
}

}  // namespace

void build_table(Body& body, Draw& draw) {
  draw.chance(0.6) ? build_square_table(body, draw) : build_round_table(body, draw);
}

void build_bed(Body& body, Draw& draw) {
  const bool bunk = draw.chance(0.15);
  const double wide = bunk ? draw.in(0.8, 1.1) : draw.in(0.85, 2.0), long_ = draw.in(1.9, 2.2);
  const double rail = draw.in(0.08, 0.26), floor = draw.in(0.05, 0.32), mattress = draw.in(0.1, 0.3);
  const double x = wide / 2, y = long_ / 2, board = draw.in(0.03, 0.09);
  const int people = wide > 1.35 ? 2 : 1;
  const auto add_place = [&](double z) {  // frame from z, and what lies on it
    body.box({-x, -y, z}, {x, y, z + rail});
    const double top = z + rail + mattress;
    body.cushion({-x + 0.02, -y + 0.02, z + rail}, {x - 0.02, y - 0.02, top}, 0.06);
    const double pillow = (wide - 0.12) / people;
    const double deep = draw.in(0.3, 0.45), puff = draw.in(0.08, 0.16);
    for (int k = 0; k < people; ++k)
      body.cushion({-x + 0.07 + k * pillow, y - 0.08 - deep, top}, {-x + 0.05 + (k + 1) * pillow, y - 0.08, top + puff},
                   0.05);
    if (draw.chance(0.6))  // a blanket over the foot
      body.cushion({-x + 0.03, -y + 0.03, top}, {x - 0.03, y - 0.15 - deep, top + draw.in(0.03, 0.08)}, 0.02);
  };
  add_place(floor);
  const double post = draw.in(0.025, 0.05);
  if (bunk) {
    const double upper = floor + draw.in(0.85, 1.05), tall = upper + rail + draw.in(0.3, 0.5);
    add_place(upper);
    for (const double px : {-x - 2 * post, x})
      for (const double py : {-y + 0.004, y - 0.004 - 2 * post})
        body.box({px, py, 0}, {px + 2 * post, py + 2 * post, tall});
    const double guard = upper + rail + 0.2;
    for (const double px : {-x - 1.5 * post, x + 0.5 * post})
      body.box({px, -y + 0.004 + 2 * post, guard}, {px + post, y - 0.004 - 2 * post, guard + 0.08});
    const int rungs = 5;
    const double at = x + 2 * post, from = -y + 0.1;
    for (const double py : {from, from + 0.35}) body.box({at, py, 0}, {at + 0.04, py + 0.03, guard + 0.05});
    for (int k = 0; k < rungs; ++k) {
      const double z = 0.2 + k * (guard - 0.3) / (rungs - 1);
      body.box({at + 0.005, from + 0.03, z}, {at + 0.035, from + 0.35, z + 0.03});
    }
    return;
  }
  const double head = floor + rail + mattress + draw.in(0.15, 0.8),
               foot = draw.chance(0.4) ? floor + rail + draw.in(0.13, 0.45) : 0;
  const int kind = draw.count(0, 3);
  // Boards at the ends, standing on the floor or on posts.
  const auto add_end = [&](double from, double to, double tall) {
    if (kind == 0) {
      body.box({-x - 0.02, from, 0}, {x + 0.02, to, tall});
    } else if (kind == 1) {
      body.box({-x - 0.02, from, 0.5 * floor}, {x + 0.02, to, 0.5 * floor + 0.3 * tall});
      body.cushion({-x - 0.03, from, 0.5 * floor + 0.3 * tall}, {x + 0.03, to, tall}, 0.03);
      for (const double px : {-x + 0.1, x - 0.1})
        body.box({px - 0.03, from + 0.005, 0}, {px + 0.03, to - 0.005, 0.5 * floor}, false);
    } else {
      for (const double px : {-x - 0.02, x + 0.02 - 2 * post}) body.box({px, from, 0}, {px + 2 * post, to, tall});
      const double inside = x + 0.02 - 2 * post, in = 0.2 * (to - from);
      const double low = floor + rail, top = 0.06;
      body.box({-inside, from + in, tall - top - 0.02}, {inside, to - in, tall - 0.02});
      body.box({-inside, from + in, floor}, {inside, to - in, low});
      const int slats = draw.count(4, 12);
      const double share = draw.in(0.2, 0.6), step = 2 * inside / slats;
      for (int k = 0; k < slats; ++k) {
        const double sx = -inside + (k + 0.5) * step;
        body.box({sx - share * step / 2, from + 1.5 * in, low},
                 {sx + share * step / 2, to - 1.5 * in, tall - top - 0.02}, false);
      }
    }
  };
  add_end(y, y + board, head);
  if (foot > 0)
    add_end(-y - board, -y, foot);
  else
    for (const double px : {-x + 0.08, x - 0.08})
      add_leg(body, {LegStyle::square, std::min(0.035, 0.4 * floor), std::min(0.03, 0.4 * floor), 0, 0}, px, -y + 0.1,
              floor);
  if (draw.chance(0.15)) {  // a canopy
    const double tall = draw.in(1.8, 2.2);
    const double px = x + 0.03;
    for (const double sx : {-px - 2 * post, px})
      for (const double sy : {-y + 0.004, y - 0.004 - 2 * post})
        body.box({sx, sy, 0}, {sx + 2 * post, sy + 2 * post, tall});
    body.loft({{tall, px + 2 * post + 0.004, y},
               {tall + 0.06, px + 2 * post + 0.004, y},
               {tall + 0.06, px - 0.004, y - 2 * post - 0.01},
               {tall, px - 0.004, y - 2 * post - 0.01}},
              4, true);
  }
}

}  // namespace pairs::generated
