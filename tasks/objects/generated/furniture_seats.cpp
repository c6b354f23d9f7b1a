#include <algorithm>
#include <cmath>
#include <numbers>

#include "tasks/objects/generated/furniture_parts.h"

namespace pairs::generated {
namespace {

// Adds the back of a chair, upright from z = low to high behind the plane y = rear - its depth, `wide` wide.
void add_back(Body& body, Draw& draw, double wide, double rear, double low, double high) {
  const double post = draw.in(0.012, 0.022), inside = wide / 2 - 2 * post - 0.004;
  const double y0 = rear - 2 * post - 0.004, y1 = rear - 0.004, middle = (y0 + y1) / 2;
  const double tall = high - low;
  const int kind = draw.count(0, 5);
  if (kind == 0) {  // one board, perhaps with a gap below
    const double from = draw.chance(0.5) ? low : low + draw.in(0.1, 0.4) * tall;
    const double corner = draw.chance(0.5) ? 0 : 0.1;
    if (from > low)
      for (const double x : {-0.3 * wide, 0.3 * wide})
        body.box({x - post, middle - 0.7 * post, low}, {x + post, middle + 0.7 * post, from});
    if (corner > 0) {
      // Round corners seen from the front: sections along y.
      const double r = draw.in(0.1, 0.35) * std::min(wide, high - from), z = (from + high) / 2;
      body.loft({{y0, (high - from) / 2 - r, wide / 2 - r - 0.003, r, z, 0},
                 {y1, (high - from) / 2 - r, wide / 2 - r - 0.003, r, z, 0}},
                24, false, Axis::y);
    } else {
      body.box({-wide / 2 + 0.003, y0, from}, {wide / 2 - 0.003, y1, high});
    }
    return;
  }
  const double top = draw.in(0.03, 0.14);
  const bool over = draw.chance(0.5);  // the top rail lies on the posts
  const double post_high = over ? high - top : high;
  const bool round = draw.chance(0.4);
  for (const double x : {-inside - post, inside + post}) {
    if (round)
      body.loft({{low, 0, 0, post, x, middle}, {post_high, 0, 0, post, x, middle}}, 16);
    else
      body.box({x - post, y0, low}, {x + post, y1, post_high});
  }
  if (over) {
    const double reach = inside + 2 * post + 0.002 + draw.in(0, 0.03);
    body.box({-reach, y0 - 0.001, high - top}, {reach, y1 + 0.001, high});
  } else if (round) {
    body.box({-inside, y0 + 0.3 * post, high - top - 0.01}, {inside, y1 - 0.3 * post, high - 0.01});
  } else {
    body.box({-inside, y0 + 0.002, high - top - 0.003}, {inside, y1 - 0.002, high - 0.003});
  }
  const double under = over ? high - top : high - top - (round ? 0.01 : 0.003);
  const double thin = 0.45 * post;
  if (kind <= 2) {  // vertical slats
    const int count = draw.count(2, 7);
    const double share = draw.in(0.25, 0.7), step = 2 * inside / count;
    for (int k = 0; k < count; ++k) {
      const double x = -inside + (k + 0.5) * step;
      if (round && step * share < 0.05)
        body.loft({{low, 0, 0, 0.7 * thin, x, middle}, {under, 0, 0, 0.7 * thin, x, middle}}, 8);
      else
        body.box({x - share * step / 2, middle - thin, low}, {x + share * step / 2, middle + thin, under});
    }
  } else if (kind <= 4) {  // horizontal rails
    const int count = draw.count(1, 4);
    const double step = (under - low) / (count + 0.5);
    const double share = draw.in(0.25, 0.6);
    for (int k = 0; k < count; ++k) {
      const double z = low + (k + 0.75) * step;
      body.box({-inside, middle - thin, z - share * step / 2}, {inside, middle + thin, z + share * step / 2});
    }
  } else {  // a cushion between the posts
    body.cushion({-inside + 0.004, middle - 1.6 * post, low + 0.05 * tall},
                 {inside - 0.004, middle + 1.6 * post, under - 0.02}, 0.02);
  }
}

// Adds arms next to the seat, each on two supports, ending in front of the back.
void add_arms(Body& body, Draw& draw, double half_wide, double half_deep, double low, double high) {
  const double thick = draw.in(0.02, 0.05), board = draw.in(0.018, 0.04);
  const double front = -half_deep + draw.in(0.01, 0.12);
  const double support = draw.in(0.03, 0.06);
  for (const double side : {-1.0, 1.0}) {
    const auto span = [side](double a, double b) { return side < 0 ? std::array{-b, -a} : std::array{a, b}; };
    const auto upright = span(half_wide, half_wide + thick), arm = span(half_wide - 0.004, half_wide + thick + 0.006);
    body.box({upright[0], front, low}, {upright[1], front + support, high - board});
    body.box({upright[0], half_deep - 0.085 - support, low}, {upright[1], half_deep - 0.085, high - board});
    body.box({arm[0], front - 0.02, high - board}, {arm[1], half_deep - 0.075, high});
  }
}

// Builds seats between arms, on feet: armchairs and sofas.
void build_upholstered(Body& body, Draw& draw, int seats) {
  const double seat = draw.in(0.5, 0.72), inside = seats * seat, deep = draw.in(0.75, 1.05);
  const double feet = draw.in(0.03, 0.16), base = draw.in(0.16, 0.28), cushion = draw.in(0.1, 0.2);
  const double arm = draw.chance(0.15) ? 0 : draw.in(0.07, 0.28), arm_high = draw.in(0.1, 0.3);
  const double back = draw.in(0.12, 0.28), back_high = draw.in(0.35, 0.7);
  const double round = draw.in(0.015, 0.07);
  const double half = inside / 2, y = deep / 2, top = feet + base;
  LegStyle legs = draw_legs(draw, 0.025, feet, 0.3);
  legs.top = std::min(legs.top, 0.35 * feet);
  legs.foot = std::min(legs.foot, legs.top);
  const double in = 0.05 + legs.top;
  legs.splay_x = std::min(legs.splay_x, in), legs.splay_y = std::min(legs.splay_y, in);
  add_legs(body, {legs, half + arm - in, y - in, feet});
  // Base and back are between the arms.
  const double gap = 0.002;
  body.cushion({-half + gap, -y + 0.01, feet}, {half - gap, y - back - gap, top}, 0.02);
  body.cushion({-half + gap, y - back, feet}, {half - gap, y, top + back_high}, round);
  if (arm > 0)
    for (const double side : {-1.0, 1.0})
      body.cushion({side < 0 ? -half - arm : half, -y, feet},
                   {side < 0 ? -half : half + arm, y - 0.01, top + cushion + arm_high}, round);
  const double wide = inside / seats;
  const bool chaise = seats > 1 && draw.chance(0.25), pillows = draw.chance(0.6);
  const double longer = chaise ? draw.in(0.45, 0.8) : 0, pillow = draw.in(0.1, 0.18), lean = draw.in(0.05, 0.25);
  const double front = -y - (arm > 0 ? 0.0 : 0.01);
  for (int k = 0; k < seats; ++k) {
    const double x0 = -half + k * wide + 0.006, x1 = -half + (k + 1) * wide - 0.006;
    const bool is_long = chaise && k == 0;
    body.cushion({x0, front - (is_long ? longer : 0), top}, {x1, y - back - 0.006, top + cushion}, 0.035);
    if (!pillows) continue;
    // Its foot is as far in front of the back as it leans.
    const double tall = back_high * draw.in(0.75, 1.05) - cushion * 0.3, low = top + cushion;
    Body leaned(body.cell());
    leaned.cushion({x0 + 0.02, y - back - 0.012 - pillow - lean * tall, low},
                   {x1 - 0.02, y - back - 0.012 - lean * tall, low + tall}, 0.05);
    body.add(leaned, leaning(lean, low));
  }
  if (chaise) {
    body.cushion({-half + gap, -y - longer + 0.02, feet}, {-half + wide - gap, -y + 0.005, top}, 0.02);
    for (const double x : {-half + in, -half + wide - in})
      add_leg(body, {LegStyle::square, legs.top, legs.foot, 0, 0}, x, -y - longer + in + 0.03, feet);
  }
}

void build_legged_chair(Body& body, Draw& draw) {
  const double wide = draw.in(0.36, 0.58), deep = draw.in(0.36, 0.54), high = draw.in(0.38, 0.52);
  const double thick = draw.in(0.018, 0.07), seat = high + thick;
  FourLegs legs{draw_legs(draw, 0.02, high, 0.2), 0, 0, high};
  const double in = 1.2 * legs.style.top + draw.in(0.002, 0.03);
  legs.x = wide / 2 - in;
  legs.y = deep / 2 - in;
  add_legs(body, legs);
  if (draw.chance(0.5)) add_apron(body, legs, draw.in(0.03, 0.08), 0.018);
  if (legs.style.kind != LegStyle::turned && draw.chance(0.5)) {
    const double half = 0.6 * std::min(legs.style.foot, legs.style.top), z = draw.in(0.2, 0.55) * high;
    add_bars(body, legs, z, false, half, half);
    if (draw.chance(0.6)) add_bars(body, legs, z + (draw.chance(0.5) ? 3 * half : 0), true, half, half);
  }
  const int kind = draw.count(0, 2);
  if (kind == 0) body.box({-wide / 2, -deep / 2, high}, {wide / 2, deep / 2, seat});
  if (kind == 1) add_slab(body, {-wide / 2, -deep / 2, high}, {wide / 2, deep / 2, seat}, draw.in(0.02, 0.12));
  if (kind == 2) body.cushion({-wide / 2, -deep / 2, high}, {wide / 2, deep / 2, seat}, 0.3 * thick);
  if (draw.chance(0.3)) {
    const double pad = draw.in(0.03, 0.08);
    body.cushion({-wide / 2 + 0.02, -deep / 2 + 0.012, seat}, {wide / 2 - 0.02, deep / 2 - 0.075, seat + pad}, 0.02);
  }
  const double tall = draw.in(0.28, 0.75), lean = draw.in(0, 0.25);
  Body back(body.cell());
  const double at = kind == 2 ? deep / 2 - 0.02 : deep / 2;
  add_back(back, draw, kind == 2 ? wide - 0.05 : wide, at, seat, seat + tall);
  body.add(back, leaning(lean, seat));
  if (draw.chance(0.3)) add_arms(body, draw, wide / 2, deep / 2, high, seat + draw.in(0.16, 0.26));
}

void build_office_chair(Body& body, Draw& draw) {
  const double caster = draw.in(0.02, 0.03), hub = draw.in(0.035, 0.05), reach = draw.in(0.25, 0.36);
  const int feet = draw.count(4, 6);
  const double z = 2 * caster + draw.in(0.05, 0.09);
  add_star(body, feet, hub, z, reach, draw.in(0.015, 0.028), 0.014, caster);
  const double seat = draw.in(0.38, 0.55), wide = draw.in(0.42, 0.56), deep = draw.in(0.4, 0.52);
  body.loft({{z - 0.035, 0, 0, hub},
             {z + 0.04, 0, 0, hub},
             {z + 0.041, 0, 0, 0.6 * hub},
             {0.6 * seat, 0, 0, 0.6 * hub},
             {0.6 * seat + 0.001, 0, 0, 0.4 * hub},
             {seat - 0.02, 0, 0, 0.4 * hub}},
            8 * feet);
  body.box({-0.1, -0.1, seat - 0.02}, {0.1, 0.13, seat});
  const double thick = draw.in(0.05, 0.11), round = draw.in(0.015, 0.035);
  body.cushion({-wide / 2, -deep / 2, seat}, {wide / 2, deep / 2, seat + thick}, round);
  // The back's spine: from under the seat up behind it.
  const double lean = draw.in(0.05, 0.25), tall = draw.in(0.35, 0.8), gap = draw.in(0.02, 0.15);
  const double low = seat + thick + gap, out = deep / 2 + 0.03, flat = 0.008;
  const double half = draw.in(0.02, 0.06);
  const double back = draw.in(0.04, 0.09), back_wide = wide * draw.in(0.7, 1);
  Body upright(body.cell());
  upright.cushion({-back_wide / 2, out - flat - back, low}, {back_wide / 2, out - flat, low + tall}, 0.3 * back);
  upright.box({-half, out - flat, seat - 0.012}, {half, out + flat, low + draw.in(0.3, 0.8) * tall});
  // It leans around the level of the spine's foot, so that this stays behind the tongue below.
  body.add(upright, leaning(lean, seat - 0.012));
  body.box({-half - 0.004, 0.13, seat - 0.018}, {half + 0.004, out + flat + 0.002, seat - 0.012}, false);
  if (draw.chance(0.6)) {
    const double arm = seat + thick + draw.in(0.14, 0.22), side = wide / 2 + 0.03;
    for (const double x : {-side, side}) {
      const double edge = x < 0 ? -0.1 : 0.1;
      body.tube({{edge, 0.02, seat - 0.01}, {x, 0.02, seat - 0.01}, {x, 0.02, arm}}, rectangle(0.025, 0.008),
                {0, 1, 0});
      body.cushion({x - 0.035, -0.14, arm}, {x + 0.035, 0.14, arm + 0.03}, 0.009);
    }
  }
}

}  // namespace

void build_chair(Body& body, Draw& draw) {
  draw.chance(0.75) ? build_legged_chair(body, draw) : build_office_chair(body, draw);
}

void build_sofa(Body& body, Draw& draw) {
  build_upholstered(body, draw, draw.count(1, 4));
}

void build_stool(Body& body, Draw& draw) {
  const int kind = draw.count(0, 5);
  const double wide = draw.in(0.27, 0.45), high = draw.log_in(0.3, 0.8);
  const double thick = draw.in(0.02, 0.1);
  if (kind == 0) {  // a drum or a cube to sit on
    const double tall = draw.in(0.3, 0.5);
    const double feet = draw.chance(0.5) ? draw.in(0.02, 0.08) : 0;
    if (feet > 0) add_stand(body, draw, 0.34 * wide, 0.34 * wide, feet);
    if (draw.chance(0.5)) {
      add_disc(body, wide / 2, feet, feet + tall, draw.in(0.01, 0.06));
    } else {
      const double deep = wide * draw.in(0.7, 1.4);
      body.cushion({-wide / 2, -deep / 2, feet}, {wide / 2, deep / 2, feet + tall}, draw.in(0.01, 0.06));
    }
    return;
  }
  if (kind == 1) {  // a column on a disc or a star
    const double r = draw.in(0.018, 0.04), base = draw.in(0.5, 0.75) * wide;
    const int feet = draw.count(3, 5);
    if (draw.chance(0.5)) {
      add_disc(body, base, 0, 0.02, 0.006);
      body.loft(smooth_profile({{0.02, 2 * r}, {0.05, r}, {high - 0.03, r}, {high, 2.5 * r}}, 4), 8 * feet);
    } else {
      add_star(body, feet, r, 0.08, base + 0.03, 0.7 * r, 0.012);
      body.loft({{0.05, 0, 0, r}, {high, 0, 0, r}}, 8 * feet);
    }
    add_disc(body, wide / 2, high, high + thick, 0.3 * thick);
    return;
  }
  if (kind == 2) {  // three legs
    LegStyle style = draw_legs(draw, 0.016, high, 0.2);
    style.splay_x = std::max(style.splay_x, 0.08 * high), style.splay_y = 0;
    Body leg(body.cell());
    add_leg(leg, style, 0.3 * wide, 0, high);
    const int count = draw.count(3, 4);
    for (int k = 0; k < count; ++k) body.add(leg, turned_about_z(2 * std::numbers::pi * (k + 0.5) / count));
    add_disc(body, wide / 2, high, high + thick, 0.2 * thick);
    return;
  }
  FourLegs legs{draw_legs(draw, 0.017, high, 0.18), 0, 0, high};
  const double deep = draw.chance(0.5) ? wide : wide * draw.in(0.7, 1);
  const bool round = kind == 3;
  const double in = round ? 0.2 * wide : 1.2 * legs.style.top + draw.in(0.002, 0.03);
  legs.x = wide / 2 - in;
  legs.y = deep / 2 - in;
  add_legs(body, legs);
  if (legs.style.kind != LegStyle::turned && draw.chance(0.8)) {
    const double half = 0.55 * std::min(legs.style.foot, legs.style.top), z = draw.in(0.2, 0.5) * high;
    add_bars(body, legs, z, false, half, half);
    add_bars(body, legs, z + (draw.chance(0.5) ? 3 * half : 0), true, half, half);
  }
  if (round) {
    Body top(body.cell());
    add_disc(top, wide / 2, high, high + thick, 0.3 * thick);
    Affine oval;
    oval.y[1] = deep / wide;
    body.add(top, oval);
  } else if (draw.chance(0.5)) {
    body.cushion({-wide / 2, -deep / 2, high}, {wide / 2, deep / 2, high + thick}, 0.3 * thick);
  } else {
    add_slab(body, {-wide / 2, -deep / 2, high}, {wide / 2, deep / 2, high + thick}, draw.in(0.01, 0.1));
  }
}

}  // namespace pairs::generated
