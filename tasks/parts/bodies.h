#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// A body in space as plain data, z up, in any unit: a surface of triangles, or balls and sticks.
struct Body {
  struct Ball {
    std::array<float, 3> center;
    float radius;
    std::uint32_t color;  // 0xRRGGBB
  };
  struct Stick {
    std::array<float, 3> from, to;
    float radius;
    std::uint32_t from_color, to_color;  // of its two halves
  };
  std::vector<Ball> balls;
  std::vector<Stick> sticks;
  std::vector<std::array<float, 3>> corners;
  std::vector<std::array<std::uint32_t, 3>> faces;  // corners of triangles, visible from both sides
};

// The viewing direction of a body: azimuth from the x axis towards the y axis, elevation above the ground, in radians.
struct BodyView {
  double azimuth = 0.6, elevation = 0.35;
  bool operator==(const BodyView&) const = default;
};

// Strokes and words in the plane, y up, centered at the origin: a structural formula.
struct PlaneDrawing {
  struct Line {
    double x0, y0, x1, y1;
    double width0 = 0, width1 = 0;  // at its ends, for a wedge; 0 and 0: a thin line
    std::uint32_t color0, color1;   // 0xRRGGBB of its halves; kInk: the text color
  };
  struct Word {
    double x, y;  // its center
    std::string text;
    std::uint32_t color;
  };
  static constexpr std::uint32_t kInk = 0xFF000000;
  std::vector<Line> lines;
  std::vector<Word> words;
  double width = 0, height = 0, letter = 0;  // letter: height of a capital
  bool empty() const { return lines.empty() && words.empty(); }
};

// A task whose sets are about a body: an object seen in views, a molecule with its conformers.
class Bodies {
 public:
  virtual ~Bodies() = default;
  // The heading of its picture: "mesh", "conformers".
  virtual std::string bodies_title() const = 0;
  // The bodies of a set with these parameters (one row of each) and observations x, at most `most`: its mesh, or each
  // observation's conformer.
  virtual std::vector<Body> bodies(const Latents& latents, const Observations& x, std::int64_t most) const = 0;
  // The set's subject in a few words ("chair 17", a SMILES), and drawn in the plane; empty if there is none.
  virtual std::string subject_text(const Latents& latents) const = 0;
  virtual PlaneDrawing plane_drawing(const Latents& latents) const = 0;
};

}  // namespace pairs
