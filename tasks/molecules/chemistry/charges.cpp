#include "tasks/molecules/chemistry/charges.h"

#include "tasks/molecules/chemistry/rdkit_graph.h"

namespace pairs {

bool carries_charge(const std::string& smiles) {
  const std::variant<Molecule, Refusal> parsed = parse_molecule(smiles);
  const auto* const molecule = std::get_if<Molecule>(&parsed);
  if (!molecule) return false;
  const RDKit::ROMol& graph = *molecule->graph;
  int net = 0;
  for (const RDKit::Atom* const atom : graph.atoms()) net += atom->getFormalCharge();
  if (net != 0) return true;
  for (const RDKit::Atom* const atom : graph.atoms()) {
    const int charge = atom->getFormalCharge();
    if (charge == 0) continue;
    bool balanced = false;
    for (const RDKit::Atom* const neighbor : graph.atomNeighbors(atom))
      balanced |= neighbor->getFormalCharge() * charge < 0;
    if (!balanced) return true;
  }
  return false;
}

}  // namespace pairs
