#include "tasks/molecules/molecule_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/nn/schnet_embedder.h"
#include "tasks/molecules/chemistry/depiction.h"
#include "tasks/molecules/conformer_store.h"

namespace pairs {
namespace {

TEST(MoleculeLook, ConformersAreLaidOntoTheFirst) {
  const PreparedMolecule m = molecules_given("CC(=O)Nc1ccc(O)cc1", {.conformers = 1}).at(0);
  std::vector<float> rows, turned;
  const double angle = 2.2;
  for (std::size_t a = 0; a < m.elements.size(); ++a) {
    const float x = m.positions[3 * a], y = m.positions[3 * a + 1], z = m.positions[3 * a + 2];
    for (const float v : {static_cast<float>(m.elements[a]), x, y, z}) rows.push_back(v);
    const double u = std::cos(angle) * x - std::sin(angle) * z, w = std::sin(angle) * x + std::cos(angle) * z;
    for (const double v : {static_cast<double>(m.elements[a]), u + 3, y - 1.0, w + 2})
      turned.push_back(static_cast<float>(v));
  }
  const Body first = molecule_body(rows, {}), second = molecule_body(turned, {}, rows);
  for (std::size_t a = 0; a < first.balls.size(); ++a)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(first.balls[a].center[k], second.balls[a].center[k], 1e-3);
}

TEST(MoleculeLook, FormulasHaveTheirStrokes) {
  const MoleculeDrawing drawing{.labels = {{0, 0, "O", 8}},
                                .lines = {{0, 0, 1, 0, 8, 6},
                                          {1, 0, 2, 0, 6, 6, MoleculeDrawing::Stroke::wedge},
                                          {2, 0, 3, 0, 6, 6, MoleculeDrawing::Stroke::hash}},
                                .width = 3,
                                .height = 0};
  const PlaneDrawing plane = molecule_formula(drawing);
  ASSERT_GT(plane.lines.size(), 5u);
  EXPECT_EQ(plane.lines[0].color0, element_color(8));
  EXPECT_EQ(plane.lines[0].color1, PlaneDrawing::kInk);
  EXPECT_EQ(plane.lines[1].width0, 0);
  EXPECT_GT(plane.lines[1].width1, 0);
  for (std::size_t k = 2; k < plane.lines.size(); ++k) {
    EXPECT_EQ(plane.lines[k].x0, plane.lines[k].x1) << "hashes stand across the bond";
    EXPECT_LT(plane.lines[k].y0, plane.lines[k].y1);
  }
  ASSERT_EQ(plane.words.size(), 1u);
  EXPECT_EQ(plane.words[0].text, "O");
  EXPECT_GT(plane.width, 3);
}

}  // namespace
}  // namespace pairs
