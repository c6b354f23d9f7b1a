#include "tasks/molecules/conformers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/molecules/chemistry/depiction.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

PreparedMolecule made_of(const std::string& smiles, const ConformerSettings& settings = {.conformers = 3}) {
  return molecules_given(smiles, settings).at(0);
}

TEST(Conformers, HaveTheBondsOfTheirGraph) {
  for (const char* smiles :
       {"CC(=O)Nc1ccc(O)cc1", "C[C@H](N)C(=O)O", "FC(F)(F)c1ccc(Br)cc1S(N)(=O)=O", "C1CC2CCC1CC2"}) {
    const PreparedMolecule m = made_of(smiles);
    ASSERT_EQ(m.conformers, 3) << smiles;
    ASSERT_TRUE(m.graph_order);
    const auto atoms = m.elements.size();
    for (std::size_t c = 0; c < 3; ++c) {
      const std::span<const float> at(m.positions.data() + c * 3 * atoms, 3 * atoms);
      std::set<std::pair<int, int>> graph, near;
      for (const SolidBond& b : bonds_of_graph(m.canonical)) graph.insert(std::minmax(b.first, b.second));
      for (const SolidBond& b : bonds_by_distance(m.elements, at)) near.insert(std::minmax(b.first, b.second));
      EXPECT_EQ(graph, near) << smiles;
    }
  }
}

TEST(Conformers, DependOnTheMoleculeAndTheSeedAlone) {
  const PreparedMolecule first = made_of("CCOc1ccccc1"), other_way = made_of("c1ccc(OCC)cc1");
  EXPECT_EQ(first.positions, other_way.positions);
  EXPECT_EQ(first.hash, other_way.hash);
  std::vector<PreparedMolecule> together(4);
  {
    std::vector<std::jthread> pool;
    for (PreparedMolecule& m : together) pool.emplace_back([&] { m = made_of("CCOc1ccccc1"); });
  }
  for (const PreparedMolecule& m : together) EXPECT_EQ(m.positions, first.positions);
  EXPECT_NE(made_of("CCOc1ccccc1", {.conformers = 3, .seed = 1}).positions, first.positions);
}

TEST(Conformers, OptimizingChangesThem) {
  const PreparedMolecule plain = made_of("CCOc1ccccc1"),
                         optimized = made_of("CCOc1ccccc1", {.conformers = 3, .optimize = true});
  ASSERT_EQ(plain.positions.size(), optimized.positions.size());
  EXPECT_NE(plain.positions, optimized.positions);
  EXPECT_THROW(made_of("OB(O)c1ccccc1", {.conformers = 1, .optimize = true}), Error);
}

TEST(Conformers, HopelessMoleculesAreRefused) {
  // Bridgeheads of trans-fused small rings: the stereochemistry asked for cannot be had in space.
  const auto parsed = parse_molecule("C1[C@H]2C[C@@H]1C2(F)[C@]34C[C@@]3(C4)F");
  const auto impossible = parse_molecule("[C@@H]12[C@H](C1)[C@@H]1C[C@]21[C@@]1(C)C[C@H]1F");
  int refused = 0;
  for (const auto& variant : {parsed, impossible}) {
    const Molecule* m = std::get_if<Molecule>(&variant);
    if (m == nullptr) continue;
    const auto result = prepare_molecule(*m, {}, {.conformers = 1, .attempts = 2});
    const Refusal* refusal = std::get_if<Refusal>(&result);
    if (refusal == nullptr) continue;
    EXPECT_EQ(refusal->reason, SetAsideReason::conformer);
    ++refused;
  }
  EXPECT_GE(refused, 1);
}

TEST(Conformers, OfTheFileAreKeptWithTheirWeights) {
  const Molecule water = std::get<Molecule>(parse_molecule("O"));
  MoleculeEntry entry;
  entry.elements = {1, 8, 1};
  entry.positions = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 5, 1, 0, 5, 1, 1, 5, 0, 0, 9, 1, 0, 9, 1, 1, 9};
  entry.weights = {0.5f, 0.25f, 0.25f};
  auto kept = prepare_molecule(water, MoleculeEntry(entry), {.conformers = 2});
  const auto& m = std::get<PreparedMolecule>(kept);
  EXPECT_EQ(m.conformers, 2);
  EXPECT_EQ(m.positions.size(), 18u);
  EXPECT_FLOAT_EQ(m.weights[0], 2.0f / 3.0f);
  EXPECT_FALSE(m.graph_order);
  entry.elements = {1, 6, 1};
  EXPECT_EQ(std::get<Refusal>(prepare_molecule(water, MoleculeEntry(entry), {})).reason, SetAsideReason::composition);
}

TEST(Conformers, WhatAPersonGivesIsReadOrRefused) {
  EXPECT_NEAR(made_of("C").logp, 0.1441 + 4 * 0.1230, 1e-6);
  for (const char* bad : {"", "not a molecule", "[Fe]", "missing.sdf", "C1CC"}) {
    try {
      molecules_given(bad, {});
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failed) << bad;
    }
  }
  TemporaryFolder folder;
  write_file(folder / "two.smi", "CC one\nxx\nCCO two\n");
  const auto two = molecules_given((folder / "two.smi").string(), {.conformers = 1});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].name, "two");
}

TEST(Depiction, DrawsBondsAndLabels) {
  const MoleculeDrawing acid = draw_molecule("CC(=O)O");
  EXPECT_EQ(acid.labels.size(), 2u);
  EXPECT_EQ(acid.lines.size(), 4u);  // C-C, C=O as two, C-O
  std::multiset<std::string> texts;
  for (const auto& label : acid.labels) texts.insert(label.text);
  EXPECT_EQ(texts.count("O"), 1u);
  EXPECT_EQ(texts.count("OH") + texts.count("HO"), 1u);
  EXPECT_EQ(draw_molecule("c1ccccc1").lines.size(), 9u);
  EXPECT_EQ(draw_molecule("C#N").lines.size(), 3u);
  EXPECT_EQ(draw_molecule("C[NH3+]").labels.at(0).text.find("3"),
            draw_molecule("C[NH3+]").labels.at(0).text.find("H") + 1);
  int wedges = 0;
  for (const auto& line : draw_molecule("C[C@H](N)C(=O)O").lines)
    wedges += line.stroke != MoleculeDrawing::Stroke::plain;
  EXPECT_EQ(wedges, 1);
  EXPECT_THROW(draw_molecule("C1CC"), Error);
  // Inner lines of a ring stand within it: nearer to its middle, which is the origin.
  for (const auto& line : draw_molecule("c1ccccc1").lines)
    EXPECT_LT(std::hypot(0.5 * (line.x0 + line.x1), 0.5 * (line.y0 + line.y1)), 0.9);
}

}  // namespace
}  // namespace pairs
