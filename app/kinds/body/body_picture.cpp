#include "app/kinds/body/body_picture.h"

#include <ATen/Parallel.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text/error.h"
#include "core/report/cairo_canvas.h"

namespace pairs {
namespace {

constexpr double kBackground = 0.94;
constexpr double kAmbient = 0.35;                             // brightness of unlit colors
constexpr std::array<double, 3> kLight = {-0.36, 0.48, 0.8};  // unit vector; x right, y up, z towards the viewer
constexpr std::uint32_t kSurface = 0x9AA7B8;
constexpr std::int64_t kFiner = 2;  // pixels of the raster along one of the picture

using Point = std::array<double, 3>;

// Rotates points so that x is right, y up and z towards the viewer.
class Turn {
 public:
  explicit Turn(const BodyView& view)
      : ca_(std::cos(view.azimuth)),
        sa_(std::sin(view.azimuth)),
        ce_(std::cos(view.elevation)),
        se_(std::sin(view.elevation)) {}
  Point operator()(const std::array<float, 3>& p) const {
    const double along = ca_ * p[0] + sa_ * p[1];  // towards the viewer's foot
    return {-sa_ * p[0] + ca_ * p[1], ce_ * p[2] - se_ * along, se_ * p[2] + ce_ * along};
  }

 private:
  double ca_, sa_, ce_, se_;
};

// A rotated body and its bounding box.
struct Turned {
  std::vector<std::pair<Point, const Body::Ball*>> balls;
  std::vector<std::array<Point, 2>> sticks;
  std::vector<Point> corners;
  Point low, high;

  Turned(const Body& body, const Turn& turn) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    low = {inf, inf, inf};
    high = {-inf, -inf, -inf};
    const auto reach = [&](const Point& p, double r) {
      for (std::size_t d = 0; d < 3; ++d) {
        PAIRS_CHECK(std::isfinite(p[d]) && std::isfinite(r), "A body has a place or a radius that is not finite");
        low[d] = std::min(low[d], p[d] - r);
        high[d] = std::max(high[d], p[d] + r);
      }
      return p;
    };
    for (const Body::Ball& ball : body.balls) balls.emplace_back(reach(turn(ball.center), ball.radius), &ball);
    for (const Body::Stick& stick : body.sticks)
      sticks.push_back({reach(turn(stick.from), stick.radius), reach(turn(stick.to), stick.radius)});
    for (const auto& corner : body.corners) corners.push_back(reach(turn(corner), 0));
  }
  double half() const { return std::max({high[0] - low[0], high[1] - low[1], 0.0}) / 2; }
};

class Raster {
 public:
  Raster(std::int64_t side, double scale, const Turned& turned, float* out)
      : side_(side),
        scale_(scale),
        middle_{(turned.low[0] + turned.high[0]) / 2, (turned.low[1] + turned.high[1]) / 2},
        out_(out),
        depth_(static_cast<std::size_t>(side * side), -std::numeric_limits<double>::infinity()) {}

  void ball(const Point& at, double radius, std::uint32_t color) {
    each(at[0] - radius, at[0] + radius, at[1] - radius, at[1] + radius, [&](std::size_t pixel, double x, double y) {
      const double dx = x - at[0], dy = y - at[1], rest = radius * radius - dx * dx - dy * dy;
      if (rest <= 0) return;
      const double dz = std::sqrt(rest);
      put(pixel, at[2] + dz, {dx / radius, dy / radius, dz / radius}, color);
    });
  }

  void stick(const std::array<Point, 2>& ends, const Body::Stick& stick) {
    const auto& [a, b] = ends;
    const double r = stick.radius, vx = b[0] - a[0], vy = b[1] - a[1], length = vx * vx + vy * vy;
    each(std::min(a[0], b[0]) - r, std::max(a[0], b[0]) + r, std::min(a[1], b[1]) - r, std::max(a[1], b[1]) + r,
         [&](std::size_t pixel, double x, double y) {
           const double t = length > 0 ? std::clamp(((x - a[0]) * vx + (y - a[1]) * vy) / length, 0.0, 1.0) : 1;
           const double dx = x - a[0] - t * vx, dy = y - a[1] - t * vy, rest = r * r - dx * dx - dy * dy;
           if (rest <= 0) return;
           const double dz = std::sqrt(rest);
           put(pixel, a[2] + t * (b[2] - a[2]) + dz, {dx / r, dy / r, dz / r},
               t < 0.5 ? stick.from_color : stick.to_color);
         });
  }

  void face(const Point& a, const Point& b, const Point& c) {
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (area == 0) return;  // seen from its edge
    Point n = {(b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]),
               (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]), area};
    const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (area > 0 ? 1 : -1);
    for (double& d : n) d /= size;
    each(std::min({a[0], b[0], c[0]}), std::max({a[0], b[0], c[0]}), std::min({a[1], b[1], c[1]}),
         std::max({a[1], b[1], c[1]}), [&](std::size_t pixel, double x, double y) {
           const double u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area,
                        v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area, w = 1 - u - v;
           if (u >= 0 && v >= 0 && w >= 0) put(pixel, u * a[2] + v * b[2] + w * c[2], n, kSurface);
         });
  }

 private:
  // Calls visit(pixel, x, y) for each pixel whose center may lie in a range of the body's units.
  template <class Visit>
  void each(double left, double right, double bottom, double top, Visit visit) const {
    const double half = static_cast<double>(side_) / 2, last = static_cast<double>(side_ - 1);
    const auto column = [&](double x) { return (x - middle_[0]) * scale_ + half - 0.5; };
    const auto row = [&](double y) { return half - 0.5 - (y - middle_[1]) * scale_; };
    const auto first_column = static_cast<std::int64_t>(std::clamp(std::ceil(column(left)), 0.0, last + 1));
    const auto last_column = static_cast<std::int64_t>(std::clamp(std::floor(column(right)), -1.0, last));
    const auto first_row = static_cast<std::int64_t>(std::clamp(std::ceil(row(top)), 0.0, last + 1));
    const auto last_row = static_cast<std::int64_t>(std::clamp(std::floor(row(bottom)), -1.0, last));
    for (std::int64_t i = first_row; i <= last_row; ++i)
      for (std::int64_t j = first_column; j <= last_column; ++j)
        visit(static_cast<std::size_t>(i * side_ + j), middle_[0] + (static_cast<double>(j) + 0.5 - half) / scale_,
              middle_[1] + (half - static_cast<double>(i) - 0.5) / scale_);
  }

  void put(std::size_t pixel, double z, const Point& normal, std::uint32_t color) {
    if (z <= depth_[pixel]) return;
    depth_[pixel] = z;
    const double lit = std::max(0.0, normal[0] * kLight[0] + normal[1] * kLight[1] + normal[2] * kLight[2]);
    const double shade = (kAmbient + (1 - kAmbient) * lit) / 255;
    const auto plane = static_cast<std::size_t>(side_ * side_);
    for (std::size_t c = 0; c < 3; ++c)
      out_[c * plane + pixel] = static_cast<float>(shade * ((color >> (16 - 8 * c)) & 255u));
  }

  std::int64_t side_;
  double scale_;  // pixels a unit of the body
  std::array<double, 2> middle_;
  float* out_;
  std::vector<double> depth_;
};

}  // namespace

torch::Tensor body_pictures(const std::vector<Body>& bodies, std::int64_t side, const BodyView& view) {
  PAIRS_CHECK(side >= 1 && side <= 4096, "A picture of a body has 1 to 4,096 pixels a side, not {}", side);
  const Turn turn(view);
  std::vector<Turned> turned;
  double half = 0;
  for (const Body& body : bodies) {
    for (const auto& face : body.faces)
      for (const std::uint32_t corner : face)
        PAIRS_CHECK(corner < body.corners.size(), "A face of a body names corner {} of {}", corner,
                    body.corners.size());
    turned.emplace_back(body, turn);
    half = std::max(half, turned.back().half());
  }
  const std::int64_t fine = kFiner * side, count = static_cast<std::int64_t>(bodies.size());
  torch::Tensor out = at::full({count, 3, fine, fine}, kBackground, torch::kFloat32);
  const double margin = 1.06, scale = half > 0 ? static_cast<double>(fine) / (2 * margin * half) : 1;
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Body& body = bodies[static_cast<std::size_t>(k)];
      const Turned& at = turned[static_cast<std::size_t>(k)];
      Raster raster(fine, scale, at, out.mutable_data_ptr<float>() + k * 3 * fine * fine);
      for (const auto& [center, ball] : at.balls) raster.ball(center, ball->radius, ball->color);
      for (std::size_t i = 0; i < at.sticks.size(); ++i) raster.stick(at.sticks[i], body.sticks[i]);
      for (const auto& face : body.faces) raster.face(at.corners[face[0]], at.corners[face[1]], at.corners[face[2]]);
    }
  });
  return count > 0 ? at::avg_pool2d(out, kFiner) : at::full({0, 3, side, side}, kBackground, torch::kFloat32);
}

torch::Tensor plane_picture(const PlaneDrawing& drawing, std::int64_t side) {
  PAIRS_CHECK(side >= 1 && side <= 4096, "A picture of a formula has 1 to 4,096 pixels a side, not {}", side);
  constexpr double kMargin = 1.08, kLargest = 0.12;  // shares of the side, so that a single bond does not fill it
  constexpr std::uint32_t kDark = 0x202428;
  const auto ground = static_cast<std::uint32_t>(std::lround(255 * kBackground)) * 0x010101u;
  const double room = static_cast<double>(side), extent = kMargin * std::max(drawing.width, drawing.height);
  const double scale = std::min(extent > 0 ? room / extent : room, kLargest * room / std::max(drawing.letter, 1e-9));
  const auto place = [&](double x, double y) { return chart::Point{room / 2 + scale * x, room / 2 - scale * y}; };
  const auto color = [&](std::uint32_t c) { return c == PlaneDrawing::kInk ? kDark : c; };
  chart::CairoCanvas canvas(room, room, 1);
  canvas.rectangle({0, 0, room, room}, ground, 1);
  const double thin = std::max(1.0, 0.09 * scale * drawing.letter);
  for (const PlaneDrawing::Line& line : drawing.lines) {
    const chart::Point a = place(line.x0, line.y0), b = place(line.x1, line.y1), mid{(a.x + b.x) / 2, (a.y + b.y) / 2};
    if (line.width0 > 0 || line.width1 > 0) {
      const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
      const double nx = -(b.y - a.y) / length, ny = (b.x - a.x) / length;
      const auto corner = [&](const chart::Point& p, double width) {
        return chart::Point{p.x + nx * width * scale / 2, p.y + ny * width * scale / 2};
      };
      const chart::Point wedge[] = {corner(a, line.width0), corner(b, line.width1), corner(b, -line.width1),
                                    corner(a, -line.width0)};
      canvas.polygon(wedge, color(line.color0), 1);
      continue;
    }
    const chart::Point first[] = {a, mid}, second[] = {mid, b};
    canvas.polyline(first, {.color = color(line.color0), .width = thin});
    canvas.polyline(second, {.color = color(line.color1), .width = thin});
  }
  for (const PlaneDrawing::Word& word : drawing.words)
    canvas.text(word.text, place(word.x, word.y), scale * drawing.letter / 0.7, false, 0.5, false, color(word.color));
  const std::vector<std::uint8_t> rgb = canvas.rgb();
  return at::tensor(at::ArrayRef<std::uint8_t>(rgb), torch::kUInt8)
      .view({side, side, 3})
      .permute({2, 0, 1})
      .to(torch::kFloat32)
      .div(255)
      .contiguous();
}

}  // namespace pairs
