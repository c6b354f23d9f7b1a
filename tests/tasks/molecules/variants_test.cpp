#include "tasks/molecules/variants.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/base/files/files.h"
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/chemistry/charges.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/molecule_file.h"
#include "tasks/molecules/splits.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

Molecule parsed(const std::string& smiles) {
  return std::get<Molecule>(parse_molecule(smiles));
}
MoleculeSplit part_of(const Molecule& molecule) {
  return molecule_split(molecule_hash(parent_smiles(molecule)));
}

// Variants of the molecules bundled with RDKit. Each is a different molecule of the same split as its origin and has a
// logP. Together they vary in charge, size and elements.
TEST(Variants, AreOtherMoleculesOfTheSamePart) {
  std::size_t molecules = 0, variants = 0, charged = 0, smaller = 0, larger = 0;
  std::set<std::string> seen;
  std::set<int> elements;
  read_molecules({.file = bundled_molecules(), .columns = {}}, {}, [&](MoleculeEntry&& entry) {
    const auto result = parse_molecule(entry.smiles);
    if (!std::holds_alternative<Molecule>(result)) return true;
    const Molecule& origin = std::get<Molecule>(result);
    const auto smiles = molecule_variant(origin, 1);
    if (!smiles) return ++molecules < 300;
    const Molecule variant = parsed(*smiles);
    EXPECT_EQ(variant.canonical, *smiles);
    EXPECT_FALSE(variant.largest_of_many);
    EXPECT_NE(parent_smiles(variant), parent_smiles(origin));
    EXPECT_EQ(part_of(variant), part_of(origin)) << *smiles << " of " << origin.canonical;
    EXPECT_TRUE(std::isfinite(crippen_logp(variant)));
    EXPECT_EQ(smiles->find('@'), smiles->npos) << "without stereochemistry: " << *smiles;
    ++variants;
    charged += carries_charge(*smiles);
    smaller += variant.atoms + 5 < origin.atoms;
    larger += variant.atoms > origin.atoms + 5;
    seen.insert(*smiles);
    for (const std::uint8_t element : molecule_elements(variant)) elements.insert(element);
    return ++molecules < 300;
  });
  EXPECT_GT(variants, molecules * 98 / 100);
  EXPECT_GT(seen.size(), variants * 98 / 100);
  EXPECT_GT(charged, variants / 4);
  EXPECT_LT(charged, variants * 3 / 4);
  EXPECT_GT(smaller, variants / 20);
  EXPECT_GT(larger, variants / 10);
  EXPECT_THAT(elements, ::testing::IsSupersetOf({1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 35, 53}));
}

TEST(Variants, DependOnTheMoleculeAndTheNumberAlone) {
  const auto first = molecule_variant(parsed("CC(=O)Nc1ccc(O)cc1"), 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(molecule_variant(parsed("Oc1ccc(NC(C)=O)cc1"), 1), first) << "however it is written";
  EXPECT_EQ(molecule_variant(parsed("CC(=O)Nc1ccc([O-])cc1"), 1), first) << "whatever its charge";
  std::set<std::string> all;
  for (int k = 1; k <= 20; ++k) all.insert(molecule_variant(parsed("CC(=O)Nc1ccc(O)cc1"), k).value_or(""));
  EXPECT_GE(all.size(), 18u);
  EXPECT_FALSE(all.contains(""));
}

// Millions may be made one after the other.
TEST(Variants, LeaveNothingInMemory) {
  const Molecule molecule = parsed("CC(=O)Nc1ccc(O)cc1");
  const auto resident = [] {
    long whole = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> whole >> pages;
    return pages * (::sysconf(_SC_PAGESIZE) / 1024);
  };
  for (int k = 0; k < 50; ++k) (void)molecule_variant(molecule, k);
  const long early = resident();
  for (int k = 50; k < 550; ++k) (void)molecule_variant(molecule, k);
  EXPECT_LT(resident() - early, 1024) << "KiB";
}

TEST(Variants, FollowTheirMoleculeInASource) {
  // In the test split at most one variant follows each molecule.
  ASSERT_EQ(part_of(parsed("CC(=O)O")), MoleculeSplit::pretrain);
  ASSERT_EQ(part_of(parsed("CCO")), MoleculeSplit::test);
  ASSERT_EQ(part_of(parsed("CCCO")), MoleculeSplit::pretrain);
  const TemporaryFolder folder;
  write_file(folder / "some.smi", "CC(=O)O acid\nC1CC bad\nCCO\nCCCO last\n");
  std::vector<std::string> places, names;
  read_molecules({.file = folder / "some.smi", .columns = {}, .charged = true, .variants = 2}, {},
                 [&](MoleculeEntry&& entry) {
                   places.push_back(entry.place);
                   names.push_back(entry.name);
                   return true;
                 });
  EXPECT_THAT(places, ::testing::ElementsAre("line 1", "line 1, charged", "line 1, variant 1", "line 1, variant 2",
                                             "line 2", "line 3", "line 3, variant 1", "line 4", "line 4, variant 1",
                                             "line 4, variant 2"));
  EXPECT_EQ(names[3], "acid, variant 2");
  EXPECT_EQ(names[6], "");
}

}  // namespace
}  // namespace pairs
