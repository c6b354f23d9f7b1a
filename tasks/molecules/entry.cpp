#include "tasks/molecules/entry.h"

#include "tasks/molecules/molecule_account.h"
#include "tasks/molecules/molecules.h"

namespace pairs {

TaskEntry molecules_entry() {
  return {.name = "molecules",
          .make = make_molecules,
          .settings = MoleculesSettings(),
          .data = DataSet{"molecules", "molecules", "",
                          "Molecules are a file of SMILES (.csv, .smi), SDF or GEOM-Drugs (.msgpack): itself, in the "
                          "folder, or in molecules/ below it.",
                          find_molecules, "molecules", false, account_of_molecules}};
}

}  // namespace pairs
