// What the shipped weights know of molecules' parts, against molecules that training had and had not.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>

#include "app/posterior/tried_file.h"
#include "core/train/run.h"
#include "tasks/registry.h"
#if PAIRS_WITH_MOLECULES
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/environments.h"
#include "tasks/molecules/molecule_file.h"
#include "tasks/molecules/molecule_parts.h"
#include "tasks/molecules/splits.h"

namespace pairs {
namespace {

KnownParts shipped_parts() {
  return tried_of(load_run(built_in_tasks(), "molecules", "", "cpu")).parts;
}

// Of molecules that no stage had seen one in twenty is told to be unlike training, of those that it learnt from, whose
// own parts may be rare, fewer by half.
TEST(MoleculeParts, FewOfRdkitsOwnAreUnlikeTraining) {
  const KnownParts known = shipped_parts();
  ASSERT_TRUE(known.known());
  double tests = 0, told = 0, learnt = 0, learnt_told = 0, read = 0;
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
      told += unlike && !entry.edited;
    } else if (molecule_split(flat) == MoleculeSplit::pretrain && !is_validation_molecule(flat)) {
      learnt += entry.edited ? 0 : 1;
      learnt_told += unlike && !entry.edited;
    }
    return read < 20000;  // fewer than the weights' own molecules
  });
  RecordProperty("tests", static_cast<int>(tests));
  RecordProperty("told", static_cast<int>(told));
  EXPECT_GT(learnt, 2000);
  EXPECT_LT(learnt_told / learnt, 0.5 * told / tests);
  EXPECT_LT(told, 0.05 * tests + 3 * std::sqrt(0.05 * tests));
  EXPECT_GT(told, 0.01 * tests);
}

// RDKit's molecules have no nitro group on an aromatic ring, edited ones have; neither have a sulfur with six
// neighbours.
TEST(MoleculeParts, GroupsThatTrainingLacksAreToldByName) {
  const KnownParts known = shipped_parts();
  const auto text = [&](const std::string& smiles) {
    return new_parts_text(known, atom_environments(std::get<Molecule>(parse_molecule(smiles)), true));
  };
  EXPECT_NE(text("FS(F)(F)(F)(F)c1ccccc1").find("S in cS(F)(F)(F)(F)F"), std::string::npos);
  EXPECT_EQ(text("Cc1cc(C(=O)[O-])c([N+](=O)[O-])cc1[N+](=O)[O-]"), "") << "two nitro groups";
  EXPECT_EQ(text("CC(=O)Nc1ccc(O)cc1"), "") << "paracetamol";
  EXPECT_EQ(text("CC(C)Cc1ccc(cc1)C(C)C(=O)[O-]"), "") << "ibuprofen";
}

}  // namespace
}  // namespace pairs
#endif
