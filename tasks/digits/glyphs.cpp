#include "tasks/digits/glyphs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

struct Point {
  double x, y;  // y grows downwards
};
using Stroke = std::vector<Point>;
using Strokes = std::vector<Stroke>;

// The random variation of a hand.
class Hand {
 public:
  explicit Hand(Stream stream) : stream_(stream) {}
  double between(double low, double high) { return low + (high - low) * stream_.uniform64(); }
  double normal(double sd) { return sd * std::clamp(stream_.normal64(), -2.2, 2.2); }
  bool chance(double p) { return stream_.uniform64() < p; }
  Point near(double x, double y, double sd = 0.035) { return {x + normal(sd), y + normal(sd)}; }

 private:
  Stream stream_;
};

// An arc of an ellipse from one angle to another (radians, clockwise as seen from angle 0 at the right).
void arc(Stroke& stroke, Hand& hand, Point center, double rx, double ry, double from, double to, int steps) {
  for (int k = 0; k <= steps; ++k) {
    const double a = from + (to - from) * k / steps;
    const Point p = hand.near(center.x + rx * std::cos(a), center.y + ry * std::sin(a), 0.02);
    stroke.push_back(p);
  }
}

Strokes zero(Hand& h) {
  Stroke s;
  const double start = -std::numbers::pi / 2 + h.between(-0.3, 0.9);
  arc(s, h, {0.5, 0.5}, h.between(0.24, 0.42), 0.5, start, start - 2 * std::numbers::pi + h.between(-0.35, 0.12), 9);
  return {s};
}

Strokes one(Hand& h) {
  const Point top = h.near(0.5, 0.0), foot = h.near(0.5, 1.0);
  Strokes out = {{top, h.near(0.5, 0.5, 0.02), foot}};
  if (h.chance(0.3)) out.push_back({h.near(0.28, 0.22), top});
  if (h.chance(0.12)) out.push_back({h.near(0.22, 1.0, 0.03), foot, h.near(0.78, 1.0, 0.03)});
  return out;
}

Strokes two(Hand& h) {
  const Point corner = h.near(0.14, 0.95, 0.03);
  Stroke top = {h.near(0.12, 0.24), h.near(0.34, 0.03, 0.03), h.near(0.7, 0.08), h.near(0.8, 0.32), h.near(0.52, 0.66)};
  if (h.chance(0.45)) {  // a loop at the foot
    top.push_back(h.near(0.2, 0.96, 0.03));
    top.push_back(h.near(0.04, 0.86, 0.03));
    top.push_back(h.near(0.22, 0.76, 0.03));
    top.push_back(h.near(0.58, 0.92, 0.03));
    top.push_back(h.near(0.98, 0.9));
    return {top};
  }
  top.push_back(corner);
  return {top, {corner, h.near(0.5, 0.95, 0.025), h.near(0.95, 0.92)}};
}

Strokes three(Hand& h) {
  const Point waist = h.near(h.between(0.36, 0.5), 0.47, 0.03);
  return {{h.near(0.14, 0.14), h.near(0.46, 0.0, 0.03), h.near(0.78, 0.18), h.near(0.66, 0.4, 0.03), waist},
          {waist, h.near(0.76, 0.56, 0.03), h.near(0.8, 0.8), h.near(0.48, 1.0, 0.03), h.near(0.1, 0.88)}};
}

Strokes four(Hand& h) {
  const double bar = h.between(0.5, 0.66);
  const Point corner = h.near(0.08, bar, 0.03), end = h.near(0.96, bar - 0.02, 0.03);
  if (h.chance(0.35)) {  // closed at the top
    const Point top = h.near(0.66, 0.0);
    return {{top, corner}, {corner, end}, {top, h.near(0.66, 1.0)}};
  }
  return {{h.near(0.2, 0.02), h.near(0.14, bar * 0.55, 0.02), corner},
          {corner, h.near(0.5, bar, 0.02), end},
          {h.near(0.76, h.between(0.0, 0.2)), h.near(0.7, 0.55, 0.03), h.near(0.64, 1.0)}};
}

Strokes five(Hand& h) {
  const Point top = h.near(0.26, 0.03, 0.03), corner = h.near(0.2, 0.44, 0.03);
  return {{top, corner},
          {corner, h.near(0.5, 0.36, 0.03), h.near(0.82, 0.55), h.near(0.78, 0.85), h.near(0.44, 1.0, 0.03),
           h.near(0.06, 0.88)},
          {top, h.near(0.55, 0.03, 0.02), h.near(0.92, 0.0)}};
}

Strokes six(Hand& h) {
  const double round = h.between(0.5, 0.6), middle = 0.5 + 0.5 * round;
  const Point loop_end = h.near(0.2, middle + 0.06, 0.04);
  return {{h.near(h.between(0.55, 0.8), 0.0), h.near(0.34, 0.24), h.near(0.16, 0.6), h.near(0.24, 0.92, 0.03),
           h.near(0.5, 1.0, 0.02), h.near(0.8, 0.85, 0.03), h.near(0.78, round + 0.08, 0.03), h.near(0.5, round, 0.025),
           loop_end}};
}

Strokes seven(Hand& h) {
  const Point corner = h.near(0.86, 0.06, 0.03);
  Strokes out = {{h.near(0.1, 0.1), h.near(0.48, 0.07, 0.02), corner},
                 {corner, h.near(0.58, 0.5, 0.04), h.near(h.between(0.3, 0.5), 1.0)}};
  if (h.chance(0.25)) out.push_back({h.near(0.32, 0.52, 0.03), h.near(0.82, 0.48, 0.03)});
  return out;
}

Strokes eight(Hand& h) {
  const double wide = h.between(0.85, 1.05);
  const auto at = [&](double x, double y) { return h.near(0.5 + (x - 0.5) * wide, y, 0.025); };
  return {{at(0.76, 0.16), at(0.48, 0.0), at(0.22, 0.2), at(0.5, 0.46), at(0.8, 0.76), at(0.5, 1.0), at(0.2, 0.78),
           at(0.46, 0.5), at(0.74, 0.28), at(0.74, 0.12)}};
}

Strokes nine(Hand& h) {
  const Point joint = h.near(0.8, 0.18, 0.03);
  Strokes out = {{joint, h.near(0.5, 0.0, 0.03), h.near(0.18, 0.24, 0.03), h.near(0.42, 0.48, 0.03), h.near(0.76, 0.3)},
                 {joint, h.near(0.78, 0.5, 0.03), h.near(h.between(0.5, 0.75), 1.0)}};
  return out;
}

// A smooth curve through the points (uniform Catmull-Rom), as a polyline.
Stroke smooth(const Stroke& through) {
  constexpr int pieces = 4;
  const auto n = static_cast<std::ptrdiff_t>(through.size());
  const auto at = [&](std::ptrdiff_t k) -> Point {
    if (k < 0) return {2 * through[0].x - through[1].x, 2 * through[0].y - through[1].y};
    if (k >= n) {
      const Point a = through[static_cast<std::size_t>(n - 1)], b = through[static_cast<std::size_t>(n - 2)];
      return {2 * a.x - b.x, 2 * a.y - b.y};
    }
    return through[static_cast<std::size_t>(k)];
  };
  Stroke out;
  for (std::ptrdiff_t k = 0; k + 1 < n; ++k) {
    const Point p0 = at(k - 1), p1 = at(k), p2 = at(k + 1), p3 = at(k + 2);
    for (int s = 0; s < pieces; ++s) {
      const double t = static_cast<double>(s) / pieces, t2 = t * t, t3 = t2 * t;
      const auto mix = [&](double a, double b, double c, double d) {
        return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t2 + (3 * b - a - 3 * c + d) * t3);
      };
      out.push_back({mix(p0.x, p1.x, p2.x, p3.x), mix(p0.y, p1.y, p2.y, p3.y)});
    }
  }
  out.push_back(through.back());
  return out;
}

// A picture of side x side pixels.
template <int side>
struct Ink {
  std::array<float, static_cast<std::size_t>(side* side)> cover{};
};

// Covers pixels within `radius` of the segment, with an edge one pixel wide.
template <int side>
void draw_segment(Ink<side>& ink, Point a, Point b, double radius_a, double radius_b) {
  const double reach = std::max(radius_a, radius_b) + 0.5;
  const auto clamp = [](double v) { return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(side - 1))); };
  const int left = clamp(std::floor(std::min(a.x, b.x) - reach)), right = clamp(std::ceil(std::max(a.x, b.x) + reach));
  const int top = clamp(std::floor(std::min(a.y, b.y) - reach)), low = clamp(std::ceil(std::max(a.y, b.y) + reach));
  const auto ax = static_cast<float>(a.x), dx = static_cast<float>(b.x - a.x), dy = static_cast<float>(b.y - a.y);
  const float inverse = 1.0f / std::max(dx * dx + dy * dy, 1e-12f);
  const auto edge = static_cast<float>(radius_a + 0.5), grow = static_cast<float>(radius_b - radius_a);
  for (int r = top; r <= low; ++r) {
    const auto py = static_cast<float>(r - a.y);
    float* row = ink.cover.data() + r * side;
    for (int c = left; c <= right; ++c) {
      const float px = static_cast<float>(c) - ax, along = (px * dx + py * dy) * inverse;
      const float t = std::min(std::max(along, 0.0f), 1.0f), qx = px - t * dx, qy = py - t * dy;
      const float cover = std::min(edge + t * grow - std::sqrt(qx * qx + qy * qy), 1.0f);
      row[c] = std::max(row[c], cover);
    }
  }
}

// Draws strokes in pixels around the origin, enlarged by `zoom` around `center`.
template <int side>
void draw_strokes(Ink<side>& ink, const Strokes& strokes, double zoom, double radius, double pressure, double phase,
                  Point center) {
  ink.cover.fill(0.0f);
  double way = 0.0;  // length along the whole drawing
  const auto place = [&](Point p) -> Point { return {p.x * zoom + center.x, p.y * zoom + center.y}; };
  const auto width = [&](double at) { return zoom * radius * (1.0 + pressure * std::sin(0.25 * at + phase)); };
  for (const Stroke& s : strokes) {
    for (std::size_t k = 0; k + 1 < s.size(); ++k) {
      const double next = way + std::hypot(s[k + 1].x - s[k].x, s[k + 1].y - s[k].y);
      draw_segment(ink, place(s[k]), place(s[k + 1]), width(way), width(next));
      way = next;
    }
  }
}

// The center of ink of a drawing around the origin, computed on pixels of twice the side.
Point center_of(const Strokes& strokes, double radius, double pressure, double phase) {
  Ink<glyph_side / 2> ink;
  const double middle = 0.25 * static_cast<double>(glyph_side) - 0.5;
  draw_strokes(ink, strokes, 0.5, radius, pressure, phase, {middle, middle});
  double mass = 0.0, x = 0.0, y = 0.0;
  for (int r = 0; r < glyph_side / 2; ++r)
    for (int c = 0; c < glyph_side / 2; ++c) {
      const double v = ink.cover[static_cast<std::size_t>(r * (glyph_side / 2) + c)];
      mass += v;
      x += v * c;
      y += v * r;
    }
  return {2.0 * (x / mass - middle), 2.0 * (y / mass - middle)};
}

}  // namespace

void draw_glyph(std::uint64_t key, std::uint64_t index, int digit, std::span<std::uint8_t> pixels) {
  PAIRS_CHECK(digit >= 0 && digit <= 9 && pixels.size() == static_cast<std::size_t>(glyph_side * glyph_side),
              "A glyph is a digit 0 to 9 in {} pixels, not {} in {}", glyph_side * glyph_side, digit, pixels.size());
  using Draw = Strokes (*)(Hand&);
  constexpr Draw draws[10] = {zero, one, two, three, four, five, six, seven, eight, nine};
  Hand hand(Stream(key, index));
  Strokes strokes = draws[digit](hand);
  for (Stroke& s : strokes) s = smooth(s);

  // Proportions, slant, a small turn, and a gentle wave that bends the whole digit.
  const double aspect = digit == 1 ? hand.between(0.5, 0.9) : hand.between(0.68, 1.0);
  const double slant = 0.12 + hand.normal(0.2), turn = hand.normal(0.07);
  const double bend = hand.normal(0.035), phase = hand.between(0.0, 2.0 * std::numbers::pi);
  double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
  for (Stroke& s : strokes)
    for (Point& p : s) {
      const double y = p.y - 0.5, x = (p.x - 0.5) * aspect - slant * y + bend * std::sin(4.0 * y + phase);
      p = {std::cos(turn) * x - std::sin(turn) * y, std::sin(turn) * x + std::cos(turn) * y};
      x0 = std::min(x0, p.x), x1 = std::max(x1, p.x), y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
    }

  const double radius = std::clamp(1.25 + hand.normal(0.33), 0.7, 2.1), pressure = hand.between(0.0, 0.18);
  const double scale = (20.0 - 2.0 * radius) / std::max({x1 - x0, y1 - y0, 1e-6});
  for (Stroke& s : strokes)
    for (Point& p : s) p = {(p.x - 0.5 * (x0 + x1)) * scale, (p.y - 0.5 * (y0 + y1)) * scale};
  const double middle = 0.5 * static_cast<double>(glyph_side - 1), beat = hand.between(0.0, 6.0);
  const Point center = center_of(strokes, radius, pressure, beat);
  Ink<glyph_side> ink;
  draw_strokes(ink, strokes, 1.0, radius, pressure, beat, {middle - center.x, middle - center.y});
  for (std::size_t p = 0; p < ink.cover.size(); ++p)
    pixels[p] = static_cast<std::uint8_t>(std::lround(255.0f * ink.cover[p]));
}

}  // namespace pairs
