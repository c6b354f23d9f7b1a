#include "tasks/molecules/environments.h"

#include <GraphMol/ROMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "tasks/molecules/chemistry/rdkit_graph.h"
#include "tasks/molecules/conformers.h"

namespace pairs {
namespace {

// The weight of a part that reaches this many bonds: 0, 1, 2.
constexpr std::array<std::int64_t, 3> kWeights = {20, 5, 2};

std::uint64_t hash_of(const std::vector<std::uint64_t>& numbers) {
  return molecule_hash({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)});
}

std::uint64_t hash_of_atom(const RDKit::Atom& atom) {
  return hash_of({static_cast<std::uint64_t>(atom.getAtomicNum()), atom.getDegree(),
                  static_cast<std::uint64_t>(atom.getFormalCharge() + 128), atom.getIsAromatic() ? 1u : 0u});
}

// The hashes of all atoms extended by everything one bond further away.
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

// "N+ with 1 neighbor but hydrogen"; extended by this many bonds "N in C[N+](=O)[O-]".
std::string text_of(const RDKit::ROMol& graph, const RDKit::Atom& atom, std::size_t bonds) {
  if (bonds == 0) {
    const int charge = atom.getFormalCharge();
    const std::string sign = charge == 0  ? ""
                             : charge > 0 ? "+"
                                          : "−",
                      size = std::abs(charge) > 1 ? fmt::format("{}", std::abs(charge)) : "";
    const std::string isotope = atom.getIsotope() == 0 ? "" : fmt::format("{}", atom.getIsotope());
    const unsigned neighbors = atom.getDegree();
    return fmt::format("{}{}{}{}{} with {} neighbor{}{}", atom.getIsAromatic() ? "aromatic " : "", isotope,
                       atom.getSymbol(), size, sign, neighbors == 0 ? "no" : fmt::format("{}", neighbors),
                       neighbors == 1 ? "" : "s", atom.getTotalNumHs() > 0 ? " but hydrogen" : "");
  }
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

std::vector<ItemPart> atom_environments(const Molecule& molecule, bool texts) {
  prepare_rdkit();
  const RDKit::ROMol& graph = *molecule.graph;
  std::vector<std::uint64_t> hashes;
  for (const RDKit::Atom* atom : graph.atoms()) hashes.push_back(hash_of_atom(*atom));
  std::vector<ItemPart> out;
  for (std::size_t bonds = 0; bonds < kWeights.size(); ++bonds) {
    if (bonds > 0) hashes = widened(graph, hashes);
    for (const RDKit::Atom* atom : graph.atoms())
      out.push_back({hashes[atom->getIdx()], kWeights[bonds], texts ? text_of(graph, *atom, bonds) : ""});
  }
  return out;
}

}  // namespace pairs
