#include "tasks/objects/generated/furniture_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pairs::generated {
namespace {

// The position of a leg's inner face at height z, along one axis, and its slope.
struct InnerFace {
  double at, slope;
};
InnerFace inner_face(const LegStyle& style, double middle, double splay, double top, double z) {
  const double down = 1 - z / top;
  return {middle + splay * down - (style.top + (style.foot - style.top) * down),
          -(splay - (style.foot - style.top)) / top};
}

}  // namespace

LegStyle draw_legs(Draw& draw, double half, double height, double splay) {
  LegStyle style;
  const int kind = draw.count(0, 9);
  style.kind = kind < 5 ? LegStyle::square : kind < 8 ? LegStyle::round : LegStyle::turned;
  style.top = half * draw.in(0.7, 1.5);
  style.foot = style.top * (draw.chance(0.5) ? draw.in(0.45, 0.9) : 1);
  if (draw.chance(0.45) && style.kind != LegStyle::turned) {
    style.splay_x = height * draw.in(0, splay);
    style.splay_y = draw.chance(0.5) ? style.splay_x : 0;
  }
  return style;
}

void add_leg(Body& body, const LegStyle& style, double x, double y, double top) {
  const double out_x = x < 0 ? -style.splay_x : style.splay_x, out_y = y < 0 ? -style.splay_y : style.splay_y;
  if (style.kind == LegStyle::turned) {
    const double r = style.top;
    std::vector<Section> sections;
    for (const auto& s : smooth_profile({{0, 0.55 * r},
                                         {0.04 * top, 0.75 * r},
                                         {0.1 * top, 0.5 * r},
                                         {0.35 * top, 0.75 * r},
                                         {0.62 * top, 1.15 * r},
                                         {0.7 * top, 0.6 * r},
                                         {0.74 * top, 1.1 * r},
                                         {0.78 * top, 0.8 * r},
                                         {top, 1.1 * r}},
                                        4))
      sections.push_back({s.z, 0, 0, s.round, x, y});
    body.loft(sections, 16);
    return;
  }
  if (style.kind == LegStyle::round) {
    body.loft({{0, 0, 0, style.foot, x + out_x, y + out_y}, {top, 0, 0, style.top, x, y}}, 16);
  } else {
    body.loft({{0, style.foot, style.foot, 0, x + out_x, y + out_y}, {top, style.top, style.top, 0, x, y}}, 4);
  }
}

void add_legs(Body& body, const FourLegs& legs) {
  for (const double x : {-legs.x, legs.x})
    for (const double y : {-legs.y, legs.y}) add_leg(body, legs.style, x, y, legs.top);
}

void add_bars(Body& body, const FourLegs& legs, double z, bool along_x, double half_thick, double half_high) {
  const LegStyle& style = legs.style;
  const double down = 1 - z / legs.top;
  const Outline outline = rectangle(half_thick, half_high);
  if (along_x) {
    const InnerFace face = inner_face(style, legs.x, style.splay_x, legs.top, z);
    for (const double side : {-1.0, 1.0}) {
      const double y = side * (legs.y + style.splay_y * down);
      body.tube({{-face.at, y, z}, {face.at, y, z}}, outline, {0, 1, 0}, false, {1, 0, face.slope},
                {1, 0, -face.slope});
    }
  } else {
    const InnerFace face = inner_face(style, legs.y, style.splay_y, legs.top, z);
    for (const double side : {-1.0, 1.0}) {
      const double x = side * (legs.x + style.splay_x * down);
      body.tube({{x, -face.at, z}, {x, face.at, z}}, outline, {-1, 0, 0}, false, {0, 1, face.slope},
                {0, 1, -face.slope});
    }
  }
}

void add_apron(Body& body, const FourLegs& legs, double high, double thick) {
  if (legs.style.kind != LegStyle::turned) {
    const double half = std::min(thick / 2, 0.7 * std::min(legs.style.top, legs.style.foot));
    add_bars(body, legs, legs.top - high / 2, true, half, high / 2);
    add_bars(body, legs, legs.top - high / 2, false, half, high / 2);
    return;
  }
  const double x = legs.x - 1.25 * legs.style.top, y = legs.y - 1.25 * legs.style.top;
  body.loft({{legs.top - high, x, y},
             {legs.top, x, y},
             {legs.top, x - thick, y - thick},
             {legs.top - high, x - thick, y - thick}},
            4, true);
}

void add_slab(Body& body, Point low, Point high, double corner) {
  if (corner <= 0) return body.box(low, high);
  const double x = (high[0] - low[0]) / 2, y = (high[1] - low[1]) / 2;
  corner = std::min(corner, 0.95 * std::min(x, y));
  const double at_x = (low[0] + high[0]) / 2, at_y = (low[1] + high[1]) / 2;
  body.loft(
      {{low[2], x - corner, y - corner, corner, at_x, at_y}, {high[2], x - corner, y - corner, corner, at_x, at_y}},
      24);
}

void add_disc(Body& body, double radius, double low, double high, double edge, int sides) {
  if (edge <= 0) return body.loft({{low, 0, 0, radius}, {high, 0, 0, radius}}, sides);
  edge = std::min(edge, 0.45 * (high - low));
  body.loft({{low, 0, 0, radius - edge},
             {low + 0.3 * edge, 0, 0, radius - 0.3 * edge},
             {low + edge, 0, 0, radius},
             {high - edge, 0, 0, radius},
             {high - 0.3 * edge, 0, 0, radius - 0.3 * edge},
             {high, 0, 0, radius - edge}},
            sides);
}

void add_star(Body& body, int count, double hub, double z, double reach, double half_wide, double half_high,
              double caster) {
  Body foot(body.cell());
  half_wide = std::min(half_wide, 0.9 * hub * std::tan(std::numbers::pi / count));
  const double end = 2 * caster + half_high;
  std::vector<Point> path{{hub, 0, z}, {reach, 0, end}};
  if (caster == 0) path = {{hub, 0, z}, {hub + 0.7 * (reach - hub), 0, end}, {reach, 0, end}};
  foot.tube(path, rectangle(half_wide, half_high), {0, 1, 0}, false, {1, 0, 0}, {1, 0, 0});
  if (caster > 0) {
    // Below the end's lower edge, which the slope makes lower than the path's end.
    const double slope = (z - end) / (reach - hub);
    const double under = end - half_high * std::sqrt(1 + slope * slope);
    const double r = under / 2;
    foot.loft({{-0.6 * r, 0, 0, 0.8 * r, r, reach - r},
               {-0.4 * r, 0, 0, r, r, reach - r},
               {0.4 * r, 0, 0, r, r, reach - r},
               {0.6 * r, 0, 0, 0.8 * r, r, reach - r}},
              16, false, Axis::y);
  }
  for (int k = 0; k < count; ++k) body.add(foot, turned_about_z(2 * std::numbers::pi * k / count));
}

FrontStyle draw_fronts(Draw& draw) {
  FrontStyle style;
  style.thick = draw.in(0.012, 0.024);
  style.gap = draw.in(0.003, 0.008);
  const int pull = draw.count(0, 7);
  style.pull = pull < 3   ? FrontStyle::knob
               : pull < 6 ? FrontStyle::bar
               : pull < 7 ? FrontStyle::long_bar
                          : FrontStyle::none;
  style.pull_size = draw.in(0.012, 0.022);
  return style;
}

void add_front(Body& body, const FrontStyle& style, double y, double x0, double x1, double z0, double z1, Opens opens) {
  const double face = y - style.thick;
  body.box({x0 + style.gap, face, z0 + style.gap}, {x1 - style.gap, y, z1 - style.gap});
  const double size = style.pull_size, wide = x1 - x0, high = z1 - z0;
  const double x = opens == Opens::out    ? (x0 + x1) / 2
                   : opens == Opens::left ? x1 - style.gap - 2.5 * size
                                          : x0 + style.gap + 2.5 * size;
  const double z = (z0 + z1) / 2;
  if (style.pull == FrontStyle::knob) {
    body.loft({{face - 2 * size, 0, 0, 0.7 * size, z, x},
               {face - 1.6 * size, 0, 0, size, z, x},
               {face - 1.1 * size, 0, 0, 0.9 * size, z, x},
               {face - 0.6 * size, 0, 0, 0.45 * size, z, x},
               {face, 0, 0, 0.5 * size, z, x}},
              12, false, Axis::y);
  } else if (style.pull != FrontStyle::none) {
    const double share = style.pull == FrontStyle::bar ? 0.16 : 0.38;
    const bool level = opens == Opens::out;
    const double half = level ? share * wide : share * std::min(high, 1.2), across = 0.4 * size;
    // The pull is a bent bar whose two ends touch the front plate.
    const double out = face - 1.8 * size;
    std::vector<Point> path =
        level ? std::vector<Point>{{x - half, face, z}, {x - half, out, z}, {x + half, out, z}, {x + half, face, z}}
              : std::vector<Point>{{x, face, z - half}, {x, out, z - half}, {x, out, z + half}, {x, face, z + half}};
    body.tube(path, rectangle(across, across), level ? Point{0, 0, 1} : Point{1, 0, 0});
  }
}

void add_stand(Body& body, Draw& draw, double half_x, double half_y, double high) {
  if (draw.chance(0.35)) {
    const double in = draw.in(0.01, 0.05);
    body.box({-half_x + in, -half_y + in, 0}, {half_x - in, half_y - in, high});
    return;
  }
  LegStyle style = draw_legs(draw, 0.02, high, 0.25);
  style.top = std::min(style.top, 0.25 * high);
  style.foot = std::min(style.foot, style.top);
  const double in = 1.3 * style.top + draw.in(0.005, 0.04);
  style.splay_x = std::min(style.splay_x, in);
  style.splay_y = std::min(style.splay_y, in);
  add_legs(body, {style, half_x - in, half_y - in, high});
}

void add_books(Body& body, Draw& draw, double x0, double x1, double y0, double y1, double z, double high, double fill) {
  const double end = x0 + (x1 - x0) * std::min(1.0, fill * draw.in(0.5, 1.5));
  double x = x0 + draw.in(0.002, 0.02);
  double tall = draw.in(0.55, 0.9) * high;
  for (;;) {
    const double wide = draw.in(0.015, 0.05), deep = (y1 - y0) * draw.in(0.6, 0.85);
    if (draw.chance(0.3)) tall = draw.in(0.5, 0.92) * high;
    const double own = tall * draw.in(0.93, 1);
    if (x + wide + 0.002 > end) return;
    body.box({x, y1 - 0.004 - deep, z}, {x + wide, y1 - 0.004, z + own}, false);
    x += wide + draw.in(0.001, 0.004);
  }
}

}  // namespace pairs::generated
