#include <algorithm>
#include <cmath>

#include "tasks/objects/generated/furniture_parts.h"

namespace pairs::generated {
namespace {

// Sometimes adds boxes, vases and balls that stand on a board.
void add_items(Body& body, Draw& draw, double x0, double x1, double y0, double y1, double z, double high) {
  double x = x0 + draw.in(0.01, 0.15) * (x1 - x0);
  for (;;) {
    const double size = draw.in(0.06, 0.16), room = std::min(size, 0.48 * (y1 - y0)),
                 tall = std::min(0.9 * high, draw.in(0.08, 0.3));
    if (x + 2 * room > x1 - 0.01 || tall < 0.04) return;
    const double at_x = x + room, at_y = (y0 + y1) / 2;
    if (draw.chance(0.5)) {
      body.box({x, at_y - room, z}, {x + 2 * room, at_y + room, z + tall});
    } else {
      const double neck = draw.in(0.3, 0.8) * room;
      auto sections = smooth_profile(
          {{z, 0.5 * room}, {z + 0.4 * tall, 0.95 * room}, {z + 0.8 * tall, neck}, {z + tall, 1.1 * neck}}, 3);
      for (Section& s : sections) s.at_x = at_x, s.at_y = at_y;
      body.loft(sections, 16);
    }
    x += 2 * room + draw.in(0.03, 0.5) * (x1 - x0);
  }
}

void build_closed_bookcase(Body& body, Draw& draw) {
  const double wide = draw.in(0.4, 1.6), high = draw.in(0.8, 2.3), deep = draw.in(0.22, 0.4),
               board = draw.in(0.016, 0.032);
  const double x = wide / 2, y = deep / 2, foot = draw.chance(0.5) ? draw.in(0.04, 0.12) : 0.0;
  const bool backed = draw.chance(0.75);
  const double back = backed ? y - 0.01 : y;
  if (draw.chance(0.5)) {  // sides to the floor, top between or above them
    body.box({-x, -y, 0}, {-x + board, y, high - board});
    body.box({x - board, -y, 0}, {x, y, high - board});
    body.box({-x - 0.004, -y - 0.004, high - board}, {x + 0.004, y + 0.002, high});
  } else {
    const double over = draw.in(0.01, 0.03);
    body.box({-x, -y, 0}, {-x + board, y, high - 2 * board});
    body.box({x - board, -y, 0}, {x, y, high - 2 * board});
    body.box({-x - over, -y - over, high - 2 * board}, {x + over, y + 0.002, high});
  }
  const double inside = x - board, top = high - 2 * board;
  if (foot > 0) body.box({-inside, -y + 0.02, 0}, {inside, -y + 0.02 + board, foot});
  if (backed) body.box({-inside, back, foot + 0.002}, {inside, y - 0.002, top - 0.002});
  const int rows = std::max(2, static_cast<int>(std::lround((top - foot) / draw.in(0.26, 0.45))));
  const int columns = std::max(1, static_cast<int>(std::lround(2 * inside / draw.in(0.35, 0.9))));
  const double row = (top - foot) / rows, column = 2 * inside / columns;
  const double fill = draw.chance(0.2) ? 0 : draw.in(0.2, 1.1);
  for (int r = 0; r < rows; ++r) {
    const double z = foot + r * row;
    body.box({-inside, -y + 0.006, z}, {inside, back, z + board});
    for (int c = 0; c < columns; ++c) {
      const double x0 = -inside + c * column + (c > 0 ? board / 2 : 0),
                   x1 = -inside + (c + 1) * column - (c + 1 < columns ? board / 2 : 0);
      const double clear = row - board - (r + 1 == rows ? 0.002 : 0.0);
      if (c + 1 < columns) body.box({x1, -y + 0.008, z + board}, {x1 + board, back - 0.001, z + board + clear});
      if (fill > 0 && draw.chance(0.85)) {
        if (draw.chance(0.8))
          add_books(body, draw, x0, x1, -y + 0.012, back - 0.002, z + board, clear - 0.004, fill);
        else
          add_items(body, draw, x0 + 0.01, x1 - 0.01, -y + 0.02, back - 0.01, z + board, clear - 0.004);
      }
    }
  }
}

void build_shelf(Body& body, Draw& draw) {
  const double wide = draw.in(0.35, 1.3), high = draw.log_in(0.6, 2.1), deep = draw.in(0.25, 0.45);
  const double post = draw.in(0.01, 0.025), board = draw.in(0.012, 0.035);
  const double x = wide / 2, y = deep / 2;
  const int boards = std::max(2, static_cast<int>(std::lround(high / draw.in(0.28, 0.5))));
  const double step = (high - 0.1) / boards;
  const bool stairs = draw.chance(0.25), loaded = draw.chance(0.6), round = draw.chance(0.5), braced = draw.chance(0.4);
  // Posts outside the boards' short sides.
  for (const double px : {-x - post, x + post})
    for (const bool rear : {false, true}) {
      const double py = rear ? y - post - 0.006 : -y + post + 0.006;
      const double tall = stairs && !rear ? 0.55 * high : high;
      if (round)
        body.loft({{0, 0, 0, post, px, py}, {tall, 0, 0, post, px, py}}, 16);
      else
        body.box({px - post, py - post, 0}, {px + post, py + post, tall});
    }
  if (braced)
    for (const double px : {-x - post, x + post})
      for (const double z : {0.06, 0.48 * high}) {
        const double from = -y + 2 * post + 0.006, to = y - 2 * post - 0.006;
        body.box({px - 0.6 * post, from, z}, {px + 0.6 * post, to, z + 1.6 * post});
      }
  for (int k = 0; k < boards; ++k) {
    const double z = 0.1 + k * step + 0.2 * step;
    const double front = stairs && z > 0.5 * high ? -y + 0.45 * deep : -y;
    body.box({-x, front, z}, {x, y, z + board});
    const double clear = step - board - 0.01;
    if (!loaded || !draw.chance(0.7)) continue;
    if (draw.chance(0.4))
      add_books(body, draw, -x + 0.01, x - 0.01, front + 0.01, y - 0.01, z + board, std::min(clear, 0.32),
                draw.in(0.2, 0.9));
    else
      add_items(body, draw, -x + 0.01, x - 0.01, front + 0.01, y - 0.01, z + board, clear);
  }
}

void build_wardrobe(Body& body, Draw& draw) {
  const int doors = draw.count(1, 4);
  const double wide = doors * draw.in(0.4, 0.62), high = draw.in(1.5, 2.4), deep = draw.in(0.42, 0.68);
  const double x = wide / 2, y = deep / 2, stand = draw.in(0.04, 0.18);
  const FrontStyle fronts = draw_fronts(draw);
  add_stand(body, draw, x, y, stand);
  const double cornice = draw.chance(0.45) ? draw.in(0.02, 0.09) : 0.0, top = high - cornice;
  body.box({-x, -y, stand}, {x, y, top});
  if (cornice > 0) {
    const double over = draw.in(0.02, 0.06);
    body.loft(
        {{top, x + 0.2 * over, y + 0.2 * over}, {top + 0.6 * cornice, x + over, y + over}, {high, x + over, y + over}},
        4);
  }
  const double drawers = draw.chance(0.4) ? draw.in(0.18, 0.5) : 0.0;
  const double from = stand + drawers, step = wide / doors;
  for (int k = 0; k < doors; ++k)
    add_front(body, fronts, -y, -x + k * step, -x + (k + 1) * step, from, top,
              k % 2 == 0 && doors > 1 ? Opens::left : Opens::right);
  if (drawers > 0) {
    const int columns = std::max(1, (doors + 1) / 2), rows = drawers > 0.33 ? 2 : 1;
    for (int c = 0; c < columns; ++c)
      for (int r = 0; r < rows; ++r)
        add_front(body, fronts, -y, -x + c * wide / columns, -x + (c + 1) * wide / columns, stand + r * drawers / rows,
                  stand + (r + 1) * drawers / rows, Opens::out);
  }
}

void build_chest(Body& body, Draw& draw) {
  const double wide = draw.in(0.35, 1.3), high = draw.in(0.4, 1.35), deep = draw.in(0.34, 0.55);
  const double x = wide / 2, y = deep / 2, stand = draw.in(0.04, 0.2), top = draw.in(0.015, 0.04);
  const FrontStyle fronts = draw_fronts(draw);
  add_stand(body, draw, x, y, stand);
  body.box({-x, -y, stand}, {x, y, high - top});
  const double over = draw.in(0.004, 0.04);
  body.box({-x - over, -y - fronts.thick - over, high - top}, {x + over, y + 0.002, high});
  const int columns = wide > 0.75 ? draw.count(1, 3) : 1,
            rows = std::max(1, static_cast<int>(std::lround((high - stand) / draw.in(0.14, 0.3))));
  const double row = (high - top - stand) / rows, column = wide / columns;
  for (int r = 0; r < rows; ++r) {
    const bool one = columns > 1 && draw.chance(0.3);
    for (int c = 0; c < (one ? 1 : columns); ++c)
      add_front(body, fronts, -y, -x + c * column, one ? x : -x + (c + 1) * column, stand + r * row,
                stand + (r + 1) * row, Opens::out);
  }
  if (draw.chance(0.25)) {  // a mirror on top
    const double half = draw.in(0.25, 0.45) * wide, tall = draw.in(0.4, 0.8), frame = draw.in(0.02, 0.05);
    body.box({-half + 0.01, y - 0.012, high + 0.01}, {half - 0.01, y - 0.004, high + tall - 0.01});
    // The frame in front of it, as a ring along y.
    const double middle = high + tall / 2;
    body.loft({{y - 0.04, tall / 2, half, 0, middle, 0},
               {y - 0.012, tall / 2, half, 0, middle, 0},
               {y - 0.012, tall / 2 - frame, half - frame, 0, middle, 0},
               {y - 0.04, tall / 2 - frame, half - frame, 0, middle, 0}},
              4, true, Axis::y);
  }
}

}  // namespace

void build_bookcase(Body& body, Draw& draw) {
  draw.chance(0.5) ? build_closed_bookcase(body, draw) : build_shelf(body, draw);
}

void build_cupboard(Body& body, Draw& draw) {
  draw.chance(0.5) ? build_wardrobe(body, draw) : build_chest(body, draw);
}

}  // namespace pairs::generated
