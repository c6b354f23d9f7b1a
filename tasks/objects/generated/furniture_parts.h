#pragma once

#include "tasks/objects/generated/generated_body.h"

namespace pairs::generated {

// Parts shared by families. Lengths in meters, z up from the floor, fronts towards negative y.

// A leg's measures; `splay` is how far its foot is outside its top, along x and along y.
struct LegStyle {
  enum Kind { square, round, turned } kind = square;
  double top = 0.02, foot = 0.02;  // half widths
  double splay_x = 0, splay_y = 0;
};
// Half widths around `half`; `splay` is at most that share of the height.
LegStyle draw_legs(Draw& draw, double half, double height, double splay);

// Four legs with the centers of their tops at (+-x, +-y, top).
struct FourLegs {
  LegStyle style;
  double x, y, top;
};
void add_leg(Body& body, const LegStyle& style, double x, double y, double top);
void add_legs(Body& body, const FourLegs& legs);
// Bars that join legs at height z, flush with them: the two along x or the two along y. Not for turned legs.
void add_bars(Body& body, const FourLegs& legs, double z, bool along_x, double half_thick, double half_high);
// The frame under a top, within the legs.
void add_apron(Body& body, const FourLegs& legs, double high, double thick);

// A flat block whose corners, seen from above, are rounded by `corner` (0: a box).
void add_slab(Body& body, Point low, Point high, double corner);
// A disc that stands on z = low.
void add_disc(Body& body, double radius, double low, double high, double edge = 0, int sides = 40);

// `count` feet arranged like a star: from a hub of radius `hub` (a disc of 8 * count sides) at height z down to the
// floor.
void add_star(Body& body, int count, double hub, double z, double reach, double half_wide, double half_high,
              double caster = 0);

// A front plate from (x0, z0) to (x1, z1) in front of the plane y, with a knob or a bar to pull.
struct FrontStyle {
  double thick = 0.018, gap = 0.003;
  enum Pull { none, knob, bar, long_bar } pull = knob;
  double pull_size = 0.015;
};
FrontStyle draw_fronts(Draw& draw);
enum class Opens { left, right, out };
void add_front(Body& body, const FrontStyle& style, double y, double x0, double x1, double z0, double z1, Opens opens);
// What a closed piece of furniture stands on, of height `high` up to z = high: a plinth or legs.
void add_stand(Body& body, Draw& draw, double half_x, double half_y, double high);

// Books from x0 to x1 on a board, at most `high` high, with their backs at y1 or in front of it.
void add_books(Body& body, Draw& draw, double x0, double x1, double y0, double y1, double z, double high, double fill);

// Families. Each call draws its measures; the body is passed empty, and the object stands on z = 0.
void build_chair(Body& body, Draw& draw);  // with four legs or an office chair's star
void build_sofa(Body& body, Draw& draw);   // an armchair, or with two to four seats
void build_stool(Body& body, Draw& draw);
void build_table(Body& body, Draw& draw);     // with four corners or round
void build_bookcase(Body& body, Draw& draw);  // or an open shelf
void build_cupboard(Body& body, Draw& draw);  // a wardrobe or a chest of drawers
void build_bed(Body& body, Draw& draw);
void build_lamp(Body& body, Draw& draw);    // on the floor or on a desk
void build_vessel(Body& body, Draw& draw);  // a vase, a bottle, a bowl or a cup
void build_ladder(Body& body, Draw& draw);

}  // namespace pairs::generated
