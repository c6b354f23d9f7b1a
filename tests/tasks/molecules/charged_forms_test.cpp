#include "tasks/molecules/charged_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/files/files.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/molecule_file.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

Molecule read(const std::string& smiles) {
  return std::get<Molecule>(parse_molecule(smiles));
}
std::string form_of(const std::string& smiles) {
  return charged_form(read(smiles)).value_or("");
}
std::string parent_of(const std::string& smiles) {
  return parent_smiles(read(smiles));
}

// Molecules of one site each, so that there is nothing to choose.
TEST(ChargedForms, GroupsTakeTheirUsualCharges) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"CC(=O)O", "CC(=O)[O-]"},     {"CS(=O)(=O)O", "CS(=O)(=O)[O-]"},  {"CC(=O)NS(C)(=O)=O", "CC(=O)[N-]S(C)(=O)=O"},
      {"CCNCC", "CC[NH2+]CC"},       {"CC(C)N", "CC(C)[NH3+]"},          {"CC(=N)N", "CC(N)=[NH2+]"},
      {"Oc1ccccc1", "[O-]c1ccccc1"}, {"CS(N)(=O)=O", "CS([NH-])(=O)=O"},
  };
  for (const auto& [molecule, form] : forms) EXPECT_EQ(form_of(molecule), read(form).canonical) << molecule;
  const std::string tetrazole = form_of("Cc1nn[nH]n1");
  EXPECT_EQ(tetrazole, read(tetrazole).canonical);
  EXPECT_NE(tetrazole.find("[n-]"), tetrazole.npos);
  // Either a proton or a methyl.
  const std::string pyridine = form_of("c1ccncc1");
  EXPECT_TRUE(pyridine == "c1cc[nH+]cc1" || pyridine == read("C[n+]1ccccc1").canonical) << pyridine;
  const std::string tertiary = form_of("CCN(CC)CC");
  EXPECT_TRUE(tertiary == "CC[NH+](CC)CC" || tertiary == "CC[N+](C)(CC)CC") << tertiary;
}

TEST(ChargedForms, OthersHaveNone) {
  for (const char* molecule : {"CCO", "CC(N)=O", "C[N+](=O)[O-]", "C[NH3+]", "CC(=O)[O-]", "COC(=O)c1ccccc1", "CC#N"})
    EXPECT_EQ(form_of(molecule), "") << molecule;
}

TEST(ChargedForms, ParentsCarryNoCharge) {
  EXPECT_EQ(parent_of("[O-]C(=O)C[NH3+]"), read("NCC(=O)O").canonical);
  EXPECT_EQ(parent_of("C[N+](C)(C)CCO"), read("CN(C)CCO").canonical);
  EXPECT_EQ(parent_of("C[n+]1ccccc1"), "c1ccncc1");
  EXPECT_EQ(parent_of("C[C@H]([NH3+])C(=O)[O-]"), read("CC(N)C(=O)O").canonical);
  EXPECT_EQ(parent_of("O=[N+]([O-])c1ccccc1"), read("O=[N+]([O-])c1ccccc1").canonical);
  EXPECT_EQ(parent_of("C[C@H](N)C(=O)O"), flat_smiles(read("CC(N)C(=O)O")));
}

// RDKit's own molecules: of every kind some, each a molecule with a logP, and in the part of its parent.
TEST(ChargedForms, FormsOfRdkitsMoleculesAreOfTheirParentsPart) {
  std::size_t molecules = 0, forms = 0, cations = 0, anions = 0, zwitterions = 0, quaternary = 0;
  std::string parent;
  MoleculeSource source{.file = bundled_molecules(), .columns = {}, .charged = true};
  read_molecules(source, {}, [&](MoleculeEntry&& entry) {
    const bool is_form = entry.place.ends_with(", charged");
    const auto parsed = parse_molecule(entry.smiles);
    if (!std::holds_alternative<Molecule>(parsed)) {
      EXPECT_FALSE(is_form) << entry.smiles;
      return true;
    }
    const Molecule& molecule = std::get<Molecule>(parsed);
    if (!is_form) {
      parent = parent_smiles(molecule);
      return ++molecules < 800;
    }
    ++forms;
    EXPECT_EQ(entry.smiles, molecule.canonical);
    EXPECT_EQ(parent_smiles(molecule), parent) << entry.smiles;
    EXPECT_TRUE(entry.name.ends_with(", charged"));
    EXPECT_TRUE(std::isfinite(crippen_logp(molecule)));
    const bool plus = molecule.canonical.find("H+]") != std::string::npos ||
                      molecule.canonical.find("H2+]") != std::string::npos ||
                      molecule.canonical.find("H3+]") != std::string::npos;
    const bool minus = molecule.canonical.find("-]") != std::string::npos;
    const bool four = molecule.canonical.find("[N+](C)") != std::string::npos ||
                      molecule.canonical.find("C[N+]") != std::string::npos ||
                      molecule.canonical.find("C[n+]") != std::string::npos;
    cations += plus && !minus;
    anions += minus && !plus;
    zwitterions += plus && minus;
    quaternary += four;
    return true;
  });
  EXPECT_GT(forms, molecules / 3);
  EXPECT_LT(forms, molecules);
  for (const std::size_t kind : {cations, anions, quaternary}) EXPECT_GT(kind, 15u);
  EXPECT_GT(zwitterions, 3u);
}

TEST(ChargedForms, ASourceNamesThemAndKeepsItsOrder) {
  const TemporaryFolder folder;
  write_file(folder / "some.smi", "CC(=O)O acid\nCCO alcohol\nC1CC bad\nCCNCC amine\n");
  std::vector<std::string> seen;
  for (const bool charged : {false, true})
    read_molecules({.file = folder / "some.smi", .columns = {}, .charged = charged}, {}, [&](MoleculeEntry&& entry) {
      seen.push_back(entry.place + ": " + entry.smiles + " (" + entry.name + ")");
      return true;
    });
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "line 1: CC(=O)O (acid)", "line 2: CCO (alcohol)", "line 3: C1CC (bad)", "line 4: CCNCC (amine)",
                      "line 1: CC(=O)O (acid)", "line 1, charged: CC(=O)[O-] (acid, charged)", "line 2: CCO (alcohol)",
                      "line 3: C1CC (bad)", "line 4: CCNCC (amine)", "line 4, charged: CC[NH2+]CC (amine, charged)"}));
}

}  // namespace
}  // namespace pairs
