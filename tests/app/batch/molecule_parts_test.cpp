// What the shipped weights know of molecules' parts, against molecules that training had and had not.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "app/posterior/validation/external_validation_file.h"
#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tasks/parts/items.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/long_tests.h"
#if PAIRS_WITH_MOLECULES
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/chemistry/charges.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/environments.h"
#include "tasks/molecules/molecule_file.h"
#include "tasks/molecules/molecule_parts.h"
#include "tasks/molecules/molecules.h"
#include "tasks/molecules/splits.h"

namespace pairs {
namespace {

KnownParts shipped_parts() {
  return external_validation_of(load_run(built_in_tasks(), "molecules", "", "cpu")).parts;
}

// At most one in twenty of the molecules that no stage has seen is reported as unlike training. For training molecules,
// whose own parts may be rare, the rate is less than half of that.
TEST(MoleculeParts, FewOfRdkitsOwnAreUnlikeTraining) {
  const KnownParts known = shipped_parts();
  ASSERT_TRUE(known.known());
  double tests = 0, reported = 0, learned = 0, learned_shown = 0, read = 0;
  const MoleculeSource all = {.file = bundled_molecules(), .columns = {}, .charged = true, .variants = 4};
  read_molecules(all, {}, [&](MoleculeEntry&& entry) {
    ++read;
    const auto parsed = parse_molecule(entry.smiles);
    const Molecule* molecule = std::get_if<Molecule>(&parsed);
    if (molecule == nullptr) return true;
    const std::uint64_t flat = molecule_hash(parent_smiles(*molecule));
    const bool unlike = known.unlike(atom_environments(*molecule, false));
    if (molecule_split(flat) == MoleculeSplit::test) {
      tests += entry.edited ? 0 : 1;
      reported += unlike && !entry.edited;
    } else if (molecule_split(flat) == MoleculeSplit::pretrain && !is_validation_molecule(flat)) {
      learned += entry.edited ? 0 : 1;
      learned_shown += unlike && !entry.edited;
    }
    return read < (long_tests() ? 20000 : 10000);  // fewer than the weights' own molecules
  });
  RecordProperty("tests", static_cast<int>(tests));
  RecordProperty("told", static_cast<int>(reported));
  EXPECT_GT(learned, long_tests() ? 2000 : 1000);
  EXPECT_LT(learned_shown / learned, 0.5 * reported / tests);
  EXPECT_LT(reported, 0.05 * tests + 3 * std::sqrt(0.05 * tests));
  EXPECT_GT(reported, 0.01 * tests);
}

// RDKit's molecules have no nitro group on an aromatic ring, edited ones have; neither have a sulfur with six
// neighbors.
TEST(MoleculeParts, GroupsThatTrainingLacksAreToldByName) {
  const KnownParts known = shipped_parts();
  const auto text = [&](const std::string& smiles) {
    return new_parts_text(known, atom_environments(std::get<Molecule>(parse_molecule(smiles)), true));
  };
  EXPECT_NE(text("FS(F)(F)(F)(F)c1ccccc1").find("S with 6 neighbors"), std::string::npos);
  EXPECT_EQ(text("Cc1cc(C(=O)[O-])c([N+](=O)[O-])cc1[N+](=O)[O-]"), "") << "two nitro groups";
  EXPECT_EQ(text("CC(=O)Nc1ccc(O)cc1"), "") << "paracetamol";
  EXPECT_EQ(text("CC(C)Cc1ccc(cc1)C(C)C(=O)[O-]"), "") << "ibuprofen";
}

// Every molecule of a kind that training lacks, here those with a charged atom, is reported.
TEST(MoleculeParts, EveryChargedOneIsToldWhereTrainingHadNone) {
  const TemporaryFolder folder;
  const auto file = folder / "uncharged.smi";
  std::string uncharged;
  std::vector<std::string> charged;
  read_molecules({.file = bundled_molecules(), .columns = {}, .charged = true, .variants = 0}, {},
                 [&](MoleculeEntry&& entry) {
                   if (entry.bad) return true;
                   if (entry.smiles.find("+]") == std::string::npos && entry.smiles.find("-]") == std::string::npos)
                     uncharged += entry.smiles + "\n";
                   else if (carries_charge(entry.smiles))
                     charged.push_back(entry.smiles);
                   return true;
                 });
  write_file(file, uncharged);
  TaskOptions options;
  options.data = file.string();
  options.settings = MoleculesSettings{.molecules = 0};
  const auto task = built_in_tasks()->make("molecules", options);
  const KnownParts known = learn_parts(*face<Items>(*task), [] { return true; });
  ASSERT_TRUE(known.known());
  ASSERT_GT(charged.size(), 3000u);
  for (const std::string& smiles : charged)
    EXPECT_TRUE(known.unlike(atom_environments(std::get<Molecule>(parse_molecule(smiles)), false))) << smiles;
}

}  // namespace
}  // namespace pairs
#endif
