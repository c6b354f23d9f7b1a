#include "render/scene_edit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pairs::render {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kRounds = 64;
constexpr double kSlack = 1e-9;  // keeps rounding from making separated spheres overlap

double finite_within(double x, double low, double high) {
  return std::isfinite(x) ? std::clamp(x, low, high) : low;
}

double distance(const Sphere& a, const Sphere& b) {
  return std::hypot(a.center[0] - b.center[0], a.center[1] - b.center[1], a.center[2] - b.center[2]);
}

// Moves `b` away from `a` until they touch, as far as the limits allow: along the line of centers or, at a wall, along
// the axis with the shortest move.
void push(const Sphere& a, Sphere& b, const SceneLimits& limits) {
  const double apart = distance(a, b), wanted = a.radius + b.radius + kSlack;
  double away[3] = {1, 0, 0};
  if (apart > 1e-9)
    for (int k = 0; k < 3; ++k) away[k] = (b.center[k] - a.center[k]) / apart;
  for (int k = 0; k < 3; ++k) b.center[k] = std::clamp(a.center[k] + away[k] * wanted, -limits.center, limits.center);
  const double left = distance(a, b);
  if (left >= a.radius + b.radius) return;
  int axis = -1;
  double best = 0, least = INFINITY;
  for (int k = 0; k < 3; ++k) {
    const double along = b.center[k] - a.center[k];
    const double needed = std::sqrt(std::max(0.0, wanted * wanted - (left * left - along * along)));
    for (const double place : {a.center[k] + needed, a.center[k] - needed})
      if (const double move = std::abs(place - b.center[k]); std::abs(place) <= limits.center && move < least) {
        axis = k;
        best = place;
        least = move;
      }
  }
  if (axis >= 0) b.center[axis] = best;
}

// The free space around a point: the distance to the nearest surface of all spheres but one.
double room_at(const std::vector<Sphere>& all, std::size_t but, const double point[3]) {
  double room = INFINITY;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double* c = all[k].center;
    if (k != but) room = std::min(room, std::hypot(c[0] - point[0], c[1] - point[1], c[2] - point[2]) - all[k].radius);
  }
  return room;
}

// Moves a sphere to the place with the most free space, and shrinks it to fit.
void move_to_room(std::vector<Sphere>& all, std::size_t k, const SceneLimits& limits) {
  constexpr int kCells = 8;
  double widest = -INFINITY, place[3] = {};
  for (int cell = 0; cell < (kCells + 1) * (kCells + 1) * (kCells + 1); ++cell) {
    const int index[3] = {cell % (kCells + 1), cell / (kCells + 1) % (kCells + 1), cell / (kCells + 1) / (kCells + 1)};
    double point[3];
    for (int c = 0; c < 3; ++c) point[c] = limits.center * (2.0 * index[c] / kCells - 1);
    if (const double room = room_at(all, k, point); room > widest) {
      widest = room;
      std::copy(point, point + 3, place);
    }
  }
  std::copy(place, place + 3, all[k].center);
  all[k].radius = std::clamp(widest - kSlack, limits.radius_low, all[k].radius);
}

}  // namespace

void settle_scene(SphereScene& scene, std::size_t kept, const SceneLimits& limits) {
  std::vector<Sphere>& all = scene.spheres;
  for (Sphere& sphere : all) {
    for (double& x : sphere.center) x = finite_within(x, -limits.center, limits.center);
    sphere.radius = finite_within(sphere.radius, limits.radius_low, limits.radius_high);
    for (double& c : sphere.color) c = finite_within(c, 0, 1);
  }
  for (double& c : scene.background) c = finite_within(c, 0, 1);
  const double turns = std::isfinite(scene.light_azimuth) ? scene.light_azimuth : 0;
  scene.light_azimuth = turns - kTurn * std::floor(turns / kTurn);
  scene.light_elevation = finite_within(scene.light_elevation, -kTurn / 4, kTurn / 4);

  const auto overlap = [&](std::size_t i, std::size_t j) {
    return distance(all[i], all[j]) < all[i].radius + all[j].radius;
  };
  for (int round = 0; round < kRounds; ++round) {
    bool moved = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j)
        if (overlap(i, j)) {
          const bool first_gives_way = j == kept;
          push(all[first_gives_way ? j : i], all[first_gives_way ? i : j], limits);
          moved = true;
        }
    if (!moved) return;
  }
  // If there is no room at these sizes, spheres shrink to the remaining space, or move elsewhere, the kept one last.
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (overlap(i, j)) {
        Sphere &big = all[j == kept ? j : i], &small = all[j == kept ? i : j];
        const double apart = distance(big, small);
        small.radius = std::max(limits.radius_low, apart - big.radius - kSlack);
        if (apart < big.radius + small.radius) big.radius = std::max(limits.radius_low, apart - small.radius - kSlack);
        if (overlap(i, j)) move_to_room(all, j == kept ? i : j, limits);
      }
}

}  // namespace pairs::render
