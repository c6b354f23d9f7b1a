#include "tasks/molecules/environments.h"

#include <GraphMol/ROMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "tasks/molecules/conformers.h"
#include "tasks/molecules/rdkit_graph.h"

namespace pairs {
namespace {

// What a part weighs that reaches so many bonds: 1, 2.
constexpr std::array<std::int64_t, 2> kWeights = {5, 2};

std::uint64_t hash_of(const std::vector<std::uint64_t>& numbers) {
  return molecule_hash({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)});
}

std::uint64_t hash_of_atom(const RDKit::Atom& atom) {
  return hash_of({static_cast<std::uint64_t>(atom.getAtomicNum()), atom.getDegree(),
                  static_cast<std::uint64_t>(atom.getFormalCharge() + 128), atom.getIsAromatic() ? 1u : 0u});
}

// The hashes of all atoms with what is one bond further away.
std::vector<std::uint64_t> widened(const RDKit::ROMol& graph, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint64_t> out;
  for (const RDKit::Atom* atom : graph.atoms()) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> around;
    for (const RDKit::Bond* bond : graph.atomBonds(atom))
      around.emplace_back(static_cast<std::uint64_t>(bond->getBondType()),
                          hashes[bond->getOtherAtomIdx(atom->getIdx())]);
    std::sort(around.begin(), around.end());
    std::vector<std::uint64_t> numbers = {hashes[atom->getIdx()]};
    for (const auto& [bond, other] : around) numbers.insert(numbers.end(), {bond, other});
    out.push_back(hash_of(numbers));
  }
  return out;
}

// "N in C[N+](=O)[O-]": an atom and what is within so many bonds.
std::string text_of(const RDKit::ROMol& graph, const RDKit::Atom& atom, std::size_t bonds) {
  std::vector<int> within = {static_cast<int>(atom.getIdx())};
  for (std::size_t from = 0; bonds-- > 0;) {
    const std::size_t end = within.size();
    for (; from < end; ++from)
      for (const RDKit::Atom* other : graph.atomNeighbors(graph.getAtomWithIdx(static_cast<unsigned>(within[from]))))
        if (std::find(within.begin(), within.end(), static_cast<int>(other->getIdx())) == within.end())
          within.push_back(static_cast<int>(other->getIdx()));
  }
  return fmt::format("{} in {}", atom.getSymbol(),
                     RDKit::MolFragmentToSmiles(graph, within, nullptr, nullptr, nullptr, false));
}

}  // namespace

std::vector<ThingPart> atom_environments(const Molecule& molecule, bool texts) {
  prepare_rdkit();
  const RDKit::ROMol& graph = *molecule.graph;
  std::vector<std::uint64_t> hashes;
  for (const RDKit::Atom* atom : graph.atoms()) hashes.push_back(hash_of_atom(*atom));
  std::vector<ThingPart> out;
  for (std::size_t bonds = 1; bonds <= kWeights.size(); ++bonds) {
    hashes = widened(graph, hashes);
    for (const RDKit::Atom* atom : graph.atoms())
      out.push_back({hashes[atom->getIdx()], kWeights[bonds - 1], texts ? text_of(graph, *atom, bonds) : ""});
  }
  return out;
}

}  // namespace pairs
