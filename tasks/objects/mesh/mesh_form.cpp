#include "tasks/objects/mesh/mesh_form.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/text/error.h"
#include "tasks/objects/mesh/mesh_folder.h"

namespace pairs {
namespace {

// The largest difference between forms of one object, and the much larger cells that divide forms.
constexpr double kSameForm = 2e-5, kAreaCell = 0.01, kMomentCell = 0.001;

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// Eigenvalues of a symmetric matrix, the largest first (Smith 1961).
Triple eigenvalues(const Matrix& a) {
  const double q = (a[0][0] + a[1][1] + a[2][2]) / 3;
  double p = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) p += std::pow(a[i][j] - (i == j ? q : 0), 2) / 6;
  p = std::sqrt(p);
  if (p <= 1e-12 * std::fabs(q)) return {q, q, q};
  Matrix b;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) b[i][j] = (a[i][j] - (i == j ? q : 0)) / p;
  const double half_determinant =
      (b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) - b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
       b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0])) /
      2;
  const double angle = std::acos(std::clamp(half_determinant, -1.0, 1.0)) / 3;
  const double first = q + 2 * p * std::cos(angle), last = q + 2 * p * std::cos(angle + 2 * M_PI / 3);
  return {first, 3 * q - first - last, last};
}

double area_of(const Triple& a, const Triple& b, const Triple& c) {
  const Triple u = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
}

}  // namespace

MeshForm mesh_form(const TriangleMesh& mesh) {
  Triple low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t corner : triangle)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], mesh.vertices[corner][d]);
        high[d] = std::max(high[d], mesh.vertices[corner][d]);
      }
  Triple sides{};
  for (std::size_t d = 0; d < 3; ++d) sides[d] = high[d] - low[d];
  const double longest = *std::max_element(sides.begin(), sides.end());
  if (mesh.triangles.empty() || !(longest > 0) || !std::isfinite(longest)) return {};
  const auto place = [&](std::uint32_t corner) {
    Triple out;
    for (std::size_t d = 0; d < 3; ++d) out[d] = (mesh.vertices[corner][d] - (low[d] + high[d]) / 2) / longest;
    return out;
  };
  double area = 0;
  Triple first{};
  Matrix second{};
  for (const auto& triangle : mesh.triangles) {
    const Triple a = place(triangle[0]), b = place(triangle[1]), c = place(triangle[2]);
    const double share = area_of(a, b, c);
    area += share;
    for (std::size_t i = 0; i < 3; ++i) {
      first[i] += share * (a[i] + b[i] + c[i]) / 3;
      for (std::size_t j = 0; j < 3; ++j)
        second[i][j] +=
            share / 12 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + (a[i] + b[i] + c[i]) * (a[j] + b[j] + c[j]));
    }
  }
  if (!(area > 0) || !std::isfinite(area)) return {};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) second[i][j] = second[i][j] / area - first[i] * first[j] / (area * area);
  const Triple moments = eigenvalues(second);
  std::sort(sides.begin(), sides.end(), std::greater<>());
  return {std::log(area), moments[0], moments[1], moments[2], sides[1] / longest, sides[2] / longest};
}

bool same_form(const MeshForm& a, const MeshForm& b) {
  if (a == MeshForm{}) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(std::fabs(a[k] - b[k]) <= kSameForm)) return false;
  return true;
}

MeshSplit split_of_form(const MeshForm& form) {
  const std::string cell = fmt::format("{} {} {}", std::llround(form[0] / kAreaCell),
                                       std::llround(form[1] / kMomentCell), std::llround(form[2] / kMomentCell));
  const double place = static_cast<double>(mesh_hash(cell) >> 11) * 0x1p-53;
  return place < 0.6 ? MeshSplit::pretrain : place < 0.8 ? MeshSplit::finetune : MeshSplit::test;
}

}  // namespace pairs
