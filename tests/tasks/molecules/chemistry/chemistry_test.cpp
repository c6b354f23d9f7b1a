#include "tasks/molecules/chemistry/chemistry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <sstream>
#include <thread>

#include "tasks/molecules/conformers.h"
#include "tasks/molecules/splits.h"
#include "tests/tasks/molecules/molecule_files.h"

namespace pairs {
namespace {

using namespace pairs::testing;

Molecule molecule_of(const std::string& smiles) {
  auto parsed = parse_molecule(smiles);
  if (const Refusal* refusal = std::get_if<Refusal>(&parsed))
    throw std::runtime_error(smiles + ": " + std::string(set_aside_text(refusal->reason)) + " " + refusal->detail);
  return std::get<Molecule>(parsed);
}

SetAsideReason reason_of(const std::string& smiles, const MoleculeLimits& limits = {}) {
  const auto parsed = parse_molecule(smiles, limits);
  EXPECT_TRUE(std::holds_alternative<Refusal>(parsed)) << smiles;
  return std::get<Refusal>(parsed).reason;
}

TEST(Chemistry, CrippenIsTheReferenceInEveryRow) {
  const auto file = molecule_data("crippen_reference.csv.gz");
  if (file.empty()) GTEST_SKIP() << "no Crippen reference on this machine: set PAIRS_DATA";
  const auto bytes = open_bytes(file);
  std::string line;
  bool cut = false;
  std::vector<std::string> smiles, canonical;
  std::vector<double> logp;
  std::vector<std::int64_t> atoms;
  ASSERT_TRUE(bytes->line(line, 10000, cut));
  ASSERT_EQ(line, "source,smiles,canonical,crippen_logp,crippen_mr,heavy_atoms,atoms_with_h");
  while (bytes->line(line, 10000, cut)) {
    std::istringstream in(line);
    std::string cell[7];
    for (std::string& c : cell) std::getline(in, c, ',');
    smiles.push_back(cell[1]);
    canonical.push_back(cell[2]);
    logp.push_back(std::stod(cell[3]));
    atoms.push_back(std::stoll(cell[6]));
  }
  ASSERT_GT(smiles.size(), 30000u);
  // On two threads: what RDKit shares must not be spoilt.
  std::atomic<std::size_t> next{0}, wrong{0}, refused{0}, other{0};
  const auto work = [&] {
    for (std::size_t k; (k = next++) < smiles.size();) {
      // The reference is of the whole text, also where it is a salt.
      const auto parsed = parse_molecule(smiles[k], {}, Fragments::all);
      if (const Molecule* m = std::get_if<Molecule>(&parsed)) {
        wrong += !(std::abs(crippen_logp(*m) - logp[k]) < 1e-4);
        other += m->atoms != atoms[k];
      } else {
        ++refused;
      }
    }
  };
  {
    std::jthread second(work);
    work();
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(other, 0u);
  EXPECT_EQ(refused, 0u);
}

TEST(Chemistry, CrippenOfKnownMolecules) {
  // Sums of Wildman and Crippen's increments: C1 and H1 of methane and ethane.
  EXPECT_NEAR(crippen_logp(molecule_of("C")), 0.1441 + 4 * 0.1230, 1e-6);
  EXPECT_NEAR(crippen_logp(molecule_of("CC")), 2 * 0.1441 + 6 * 0.1230, 1e-6);
  EXPECT_NEAR(crippen_logp(molecule_of("c1ccccc1")), 6 * 0.1581 + 6 * 0.1230, 1e-6);
}

TEST(Chemistry, RefusalsHaveReasons) {
  EXPECT_EQ(reason_of(""), SetAsideReason::empty);
  EXPECT_EQ(reason_of("  "), SetAsideReason::empty);
  EXPECT_EQ(reason_of("CC("), SetAsideReason::syntax);
  EXPECT_EQ(reason_of("hello"), SetAsideReason::syntax);
  EXPECT_EQ(reason_of("C1CC"), SetAsideReason::syntax);
  EXPECT_EQ(reason_of("C(C)(C)(C)(C)C"), SetAsideReason::chemistry);
  EXPECT_EQ(reason_of("c1cccc1"), SetAsideReason::chemistry);
  EXPECT_EQ(reason_of("C[Hg]C"), SetAsideReason::element);
  EXPECT_EQ(reason_of("*CC"), SetAsideReason::element);
  EXPECT_EQ(reason_of(std::string(120, 'C')), SetAsideReason::size);
  EXPECT_EQ(reason_of(std::string(3000, 'C')), SetAsideReason::size);
  EXPECT_EQ(reason_of(std::string(100000, '(')), SetAsideReason::size);
  EXPECT_EQ(reason_of("CCO", {.atoms = 8}), SetAsideReason::size);
  EXPECT_EQ(reason_of("[C+999999]"), SetAsideReason::chemistry);
  EXPECT_EQ(reason_of("C[N-999](C)C"), SetAsideReason::chemistry);
  EXPECT_EQ(molecule_of("CCO").atoms, 9);
}

TEST(Chemistry, OfSaltsTheLargestFragmentIsTaken) {
  const Molecule salt = molecule_of("[Na+].CC(=O)[O-]");
  EXPECT_EQ(salt.canonical, molecule_of("CC(=O)[O-]").canonical);
  EXPECT_TRUE(salt.largest_of_many);
  EXPECT_EQ(molecule_of("CCN.CCO").canonical, molecule_of("CCO.CCN").canonical);
  EXPECT_EQ(reason_of("[Na+].[Cl-].[Cu+2]"), SetAsideReason::element);
}

TEST(Chemistry, OneMoleculeHasOneNameAndOneSplit) {
  EXPECT_EQ(molecule_of("OCC").canonical, molecule_of("C(C)O").canonical);
  EXPECT_EQ(molecule_of("[H]OC([H])([H])C").canonical, "CCO");
  const Molecule left = molecule_of("C[C@H](N)C(=O)O"), right = molecule_of("C[C@@H](N)C(=O)O");
  EXPECT_NE(left.canonical, right.canonical);
  EXPECT_EQ(flat_smiles(left), flat_smiles(right));
  EXPECT_EQ(molecule_split(molecule_hash(flat_smiles(left))), molecule_split(molecule_hash(flat_smiles(right))));
}

TEST(Chemistry, SplitsHaveTheirSharesAndStay) {
  std::int64_t count[3] = {};
  for (int k = 0; k < 100000; ++k)
    ++count[static_cast<int>(molecule_split(molecule_hash("molecule" + std::to_string(k))))];
  EXPECT_NEAR(count[0], 60000, 4 * std::sqrt(100000 * 0.24));
  EXPECT_NEAR(count[1], 20000, 4 * std::sqrt(100000 * 0.16));
  EXPECT_NEAR(count[2], 20000, 4 * std::sqrt(100000 * 0.16));
  // Shipped weights depend on who was seen: these must never change.
  EXPECT_EQ(molecule_hash(""), 0xf52a15e9a9b5e89bull);
  EXPECT_EQ(molecule_split(0x9999999999990000ull), MoleculeSplit::pretrain);
  EXPECT_EQ(molecule_split(0x99999999999a0000ull), MoleculeSplit::finetune);
  EXPECT_EQ(molecule_split(0xccccccccccce0000ull), MoleculeSplit::test);
}

TEST(Chemistry, CompositionsAreCompared) {
  const Molecule water = molecule_of("O");
  const std::vector<std::uint8_t> same = {1, 8, 1}, less = {8, 1}, other = {8, 1, 6};
  EXPECT_TRUE(same_composition(water, same));
  EXPECT_FALSE(same_composition(water, less));
  EXPECT_FALSE(same_composition(water, other));
}

}  // namespace
}  // namespace pairs
