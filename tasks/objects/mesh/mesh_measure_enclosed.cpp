#include "tasks/objects/mesh/mesh_measure_enclosed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace pairs {
namespace {

using Point = std::array<double, 3>;

constexpr std::size_t most_nested_shells = 20000;  // shells whose boxes are compared pairwise
constexpr std::uint64_t most_solid_angles = 50'000'000;
constexpr std::size_t probes = 5;  // a shell's vertices that are tested against the other

double triple(const Point& a, const Point& b, const Point& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

struct Shell {
  std::vector<std::uint32_t> triangles;
  Point low, high;
  double volume = 0;  // with its own orientation
  bool in_box_of(const Shell& other) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (low[d] < other.low[d] || high[d] > other.high[d]) return false;
    return true;
  }
  double box() const { return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
};

std::vector<Shell> gather(const TriangleMesh& mesh, const Shells& shells) {
  std::vector<Shell> all(shells.count);
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (Shell& shell : all) shell.low = {inf, inf, inf}, shell.high = {-inf, -inf, -inf};
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    Shell& shell = all[shells.shell[t]];
    shell.triangles.push_back(t);
    for (const std::uint32_t corner : mesh.triangles[t])
      for (std::size_t d = 0; d < 3; ++d) {
        shell.low[d] = std::min(shell.low[d], mesh.vertices[corner][d]);
        shell.high[d] = std::max(shell.high[d], mesh.vertices[corner][d]);
      }
  }
  for (Shell& shell : all) {
    Point center;
    for (std::size_t d = 0; d < 3; ++d) center[d] = (shell.low[d] + shell.high[d]) / 2;
    for (const std::uint32_t t : shell.triangles) {
      std::array<Point, 3> p;
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t d = 0; d < 3; ++d) p[k][d] = mesh.vertices[mesh.triangles[t][k]][d] - center[d];
      shell.volume += triple(p[0], p[1], p[2]) / 6;
    }
  }
  return all;
}

// The winding number of a shell around a point, by the solid angles of its triangles (van Oosterom and Strackee 1983):
// 1 inside a shell that is oriented outwards, -1 inwards, 0 outside, a half on it.
double winding(const TriangleMesh& mesh, const Shell& shell, const Point& at) {
  double sum = 0;
  for (const std::uint32_t t : shell.triangles) {
    std::array<Point, 3> p;
    std::array<double, 3> length;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t d = 0; d < 3; ++d) p[k][d] = mesh.vertices[mesh.triangles[t][k]][d] - at[d];
      length[k] = std::sqrt(p[k][0] * p[k][0] + p[k][1] * p[k][1] + p[k][2] * p[k][2]);
    }
    const auto dot = [&](int a, int b) { return p[a][0] * p[b][0] + p[a][1] * p[b][1] + p[a][2] * p[b][2]; };
    const double below =
        length[0] * length[1] * length[2] + dot(0, 1) * length[2] + dot(1, 2) * length[0] + dot(2, 0) * length[1];
    sum += std::atan2(triple(p[0], p[1], p[2]), below);
  }
  return sum / (2 * std::numbers::pi);
}

// Whether all tested vertices of the shell that are not on the other's surface lie within the other.
bool is_within(const TriangleMesh& mesh, const Shell& shell, const Shell& other) {
  bool reported = false;
  const std::size_t count = std::min(probes, shell.triangles.size());
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t t = shell.triangles[k * shell.triangles.size() / count];
    const double turns = std::abs(winding(mesh, other, mesh.vertices[mesh.triangles[t][k % 3]]));
    if (turns < 0.25) return false;
    reported = reported || turns > 0.75;  // otherwise it touches the other
  }
  return reported;
}

}  // namespace

std::optional<Enclosed> enclosed_volume(const TriangleMesh& mesh, const Shells& shells) {
  const std::vector<Shell> all = gather(mesh, shells);
  if (all.size() > most_nested_shells) return std::nullopt;
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return all[a].box() > all[b].box(); });
  Enclosed enclosed;
  std::uint64_t work = 0;
  // +1 for outward, -1 for inward orientation, relative to the outermost shell around; a point is solid if the sum over
  // the shells around it is above 0.
  std::vector<int> sense(all.size(), 1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Shell& shell = all[order[k]];
    int outside = 0, outermost = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const Shell& other = all[order[j]];
      if (!shell.in_box_of(other)) continue;
      work += probes * other.triangles.size();
      if (work > most_solid_angles) return std::nullopt;
      if (!is_within(mesh, shell, other)) continue;
      if (outermost == 0) outermost = other.volume < 0 ? -1 : 1;
      outside += sense[order[j]];
    }
    const int own = shell.volume < 0 ? -1 : 1;
    if (outermost == 0) {
      enclosed.inverted += own < 0;
    } else {
      sense[order[k]] = own * outermost;
    }
    const int change = (outside + sense[order[k]] > 0) - (outside > 0);
    enclosed.volume += change * std::abs(shell.volume);
    enclosed.cavities += change < 0;
    enclosed.inner_solids += change == 0;
  }
  return enclosed;
}

}  // namespace pairs
