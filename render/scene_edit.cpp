#include "render/scene_edit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pairs::render {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kRounds = 64;
constexpr double kSlack = 1e-9;  // spheres pushed apart do not overlap by a rounding error

double finite_within(double x, double low, double high) {
  return std::isfinite(x) ? std::clamp(x, low, high) : low;
}

double distance(const Sphere& a, const Sphere& b) {
  return std::hypot(a.center[0] - b.center[0], a.center[1] - b.center[1], a.center[2] - b.center[2]);
}

// Moves `b` away from `a` until they touch, as far as the limits let it.
void push(const Sphere& a, Sphere& b, const SceneLimits& limits) {
  const double apart = distance(a, b), wanted = a.radius + b.radius + kSlack;
  double away[3] = {1, 0, 0};
  if (apart > 1e-9)
    for (int k = 0; k < 3; ++k) away[k] = (b.center[k] - a.center[k]) / apart;
  for (int k = 0; k < 3; ++k) b.center[k] = std::clamp(a.center[k] + away[k] * wanted, -limits.center, limits.center);
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
  // No room at these sizes: spheres shrink to what is left, the kept one last.
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (overlap(i, j)) {
        Sphere &big = all[j == kept ? j : i], &small = all[j == kept ? i : j];
        const double apart = distance(big, small);
        small.radius = std::max(limits.radius_low, apart - big.radius - kSlack);
        if (apart < big.radius + small.radius) big.radius = std::max(limits.radius_low, apart - small.radius - kSlack);
      }
}

}  // namespace pairs::render
