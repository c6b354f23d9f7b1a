#include "tasks/molecules/molecule_look.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pairs {
namespace {

using Point = std::array<double, 3>;

constexpr float kStickRadius = 0.11f;  // Å
constexpr double kBondGap = 0.2;       // Å between the centers of the sticks of a double bond
constexpr float kThinStick = 0.07f;    // Å, for a double or triple bond
constexpr double kLetter = 0.42;       // bonds: height of a capital in a formula
constexpr double kWedge = 0.2;         // bonds: width of a wedge's wide end
constexpr int kHashes = 6;             // strokes of a hashed wedge

Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Point& a) {
  return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// Positions of a molecule's atoms relative to their center.
std::vector<Point> centered(std::span<const float> rows) {
  std::vector<Point> out(rows.size() / 4);
  Point middle{};
  for (std::size_t a = 0; a < out.size(); ++a)
    for (std::size_t k = 0; k < 3; ++k) middle[k] += (out[a][k] = rows[4 * a + 1 + k]);
  for (Point& p : out)
    for (std::size_t k = 0; k < 3; ++k) p[k] -= middle[k] / static_cast<double>(out.size());
  return out;
}

// The rotation, as a unit quaternion, that best aligns `from` with `to` (Horn 1987): the eigenvector of the largest
// eigenvalue, by powers of the matrix.
std::array<double, 4> best_turn(const std::vector<Point>& from, const std::vector<Point>& to) {
  double s[3][3] = {};
  for (std::size_t a = 0; a < from.size(); ++a)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) s[i][j] += from[a][i] * to[a][j];
  double n[4][4] = {
      {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
      {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
      {0, 0, s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
      {0, 0, 0, s[2][2] - s[0][0] - s[1][1]},
  };
  double shift = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) n[i][j] = n[j][i];
  for (const auto& row : n) {
    double sum = 0;
    for (const double v : row) sum += std::abs(v);
    shift = std::max(shift, sum);
  }
  for (int i = 0; i < 4; ++i) n[i][i] += shift;  // makes all eigenvalues positive, so that the largest dominates
  std::array<double, 4> q = {1, 0.02, 0.03, 0.05};
  for (int step = 0; step < 200; ++step) {
    std::array<double, 4> next{};
    double norm = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) next[i] += n[i][j] * q[j];
      norm += next[i] * next[i];
    }
    if (norm == 0) return {1, 0, 0, 0};
    for (std::size_t i = 0; i < 4; ++i) q[i] = next[i] / std::sqrt(norm);
  }
  return q;
}

Point turned_by(const std::array<double, 4>& q, const Point& p) {
  const auto [w, x, y, z] = q;
  return {(1 - 2 * (y * y + z * z)) * p[0] + 2 * (x * y - w * z) * p[1] + 2 * (x * z + w * y) * p[2],
          2 * (x * y + w * z) * p[0] + (1 - 2 * (x * x + z * z)) * p[1] + 2 * (y * z - w * x) * p[2],
          2 * (x * z - w * y) * p[0] + 2 * (y * z + w * x) * p[1] + (1 - 2 * (x * x + y * y)) * p[2]};
}

bool same_atoms(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size() || a.empty()) return false;
  for (std::size_t i = 0; i < a.size(); i += 4)
    if (a[i] != b[i]) return false;
  return true;
}

float ball_radius(int atomic_number) {
  return atomic_number == 1 ? 0.2f : 0.2f + 0.2f * static_cast<float>(covalent_radius(atomic_number));
}

// The direction across a bond, in the plane of the bond and a neighbor if there is one.
Point across_bond(const std::vector<Point>& at, const std::vector<SolidBond>& bonds, const SolidBond& bond) {
  const auto first = static_cast<std::size_t>(bond.first), second = static_cast<std::size_t>(bond.second);
  const Point along = minus(at[second], at[first]);
  Point normal{};
  for (const SolidBond& other : bonds) {
    for (const std::int32_t end : {bond.first, bond.second}) {
      if (other.first != end && other.second != end) continue;
      const auto far = static_cast<std::size_t>(other.first == end ? other.second : other.first);
      const Point candidate = cross(along, minus(at[far], at[static_cast<std::size_t>(end)]));
      if (length(candidate) > length(normal)) normal = candidate;
    }
  }
  if (length(normal) < 1e-3)
    normal = cross(along, std::abs(along[0]) < std::abs(along[2]) ? Point{1, 0, 0} : Point{0, 0, 1});
  Point out = cross(normal, along);
  const double scale = length(out);
  for (double& v : out) v = scale > 0 ? v / scale : 0;
  return out;
}

std::array<float, 3> place_of(const Point& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

std::uint32_t ink_of(int element) {
  return element == 6 || element == 1 ? PlaneDrawing::kInk : element_color(element);
}

}  // namespace

std::uint32_t element_color(int atomic_number) {
  switch (atomic_number) {
    case 1:
      return 0xE8E8E8;
    case 5:
      return 0xFFA08A;
    case 6:
      return 0x5A5A5A;
    case 7:
      return 0x3F66E0;
    case 8:
      return 0xE0352B;
    case 9:
      return 0x52B043;
    case 14:
      return 0xC8A46E;
    case 15:
      return 0xF08A1D;
    case 16:
      return 0xC9A400;
    case 17:
      return 0x2FA82F;
    case 33:
      return 0xA56BC4;
    case 34:
      return 0xD08A00;
    case 35:
      return 0x9C3B2B;
    case 53:
      return 0x7E2FA0;
    default:
      return 0xD16BA5;
  }
}

Body molecule_body(std::span<const float> rows, const std::vector<SolidBond>& bonds, std::span<const float> onto) {
  std::vector<Point> at = centered(rows);
  if (same_atoms(rows, onto)) {
    const std::array<double, 4> turn = best_turn(at, centered(onto));
    for (Point& p : at) p = turned_by(turn, p);
  }
  Body body;
  for (std::size_t a = 0; a < at.size(); ++a) {
    const int z = static_cast<int>(rows[4 * a]);
    body.balls.push_back({place_of(at[a]), ball_radius(z), element_color(z)});
  }
  for (const SolidBond& bond : bonds) {
    const auto first = static_cast<std::size_t>(bond.first), second = static_cast<std::size_t>(bond.second);
    if (first >= at.size() || second >= at.size()) continue;
    const int strands = std::clamp(bond.order, 1, 3);
    const Point aside = strands > 1 ? across_bond(at, bonds, bond) : Point{};
    for (int s = 0; s < strands; ++s) {
      const double shift = kBondGap * (s - 0.5 * (strands - 1));
      Point from = at[first], to = at[second];
      for (std::size_t k = 0; k < 3; ++k) {
        from[k] += shift * aside[k];
        to[k] += shift * aside[k];
      }
      body.sticks.push_back({place_of(from), place_of(to), strands > 1 ? kThinStick : kStickRadius,
                             body.balls[first].color, body.balls[second].color});
    }
  }
  return body;
}

PlaneDrawing molecule_formula(const MoleculeDrawing& drawing) {
  PlaneDrawing out;
  out.letter = kLetter;
  for (const MoleculeDrawing::Line& line : drawing.lines) {
    const std::uint32_t first = ink_of(line.first), second = ink_of(line.second);
    if (line.stroke != MoleculeDrawing::Stroke::hash) {
      const double wide = line.stroke == MoleculeDrawing::Stroke::wedge ? kWedge : 0;
      out.lines.push_back({line.x0, line.y0, line.x1, line.y1, 0, wide, first, second});
      continue;
    }
    const double dx = line.x1 - line.x0, dy = line.y1 - line.y0, long_ = std::max(1e-9, std::hypot(dx, dy));
    for (int k = 1; k <= kHashes; ++k) {
      const double t = static_cast<double>(k) / kHashes, half = 0.5 * kWedge * t;
      const double x = line.x0 + t * dx, y = line.y0 + t * dy, nx = -dy / long_ * half, ny = dx / long_ * half;
      const std::uint32_t color = 2 * k <= kHashes ? first : second;
      out.lines.push_back({x - nx, y - ny, x + nx, y + ny, 0, 0, color, color});
    }
  }
  double margin = 0.1;
  for (const MoleculeDrawing::Label& label : drawing.labels) {
    out.words.push_back({label.x, label.y, label.text, ink_of(label.element)});
    margin = std::max(margin, 0.5 * kLetter * static_cast<double>(std::min<std::size_t>(label.text.size(), 5)));
  }
  out.width = drawing.width + 2 * margin;
  out.height = drawing.height + 2 * std::min(margin, kLetter);
  return out;
}

}  // namespace pairs
