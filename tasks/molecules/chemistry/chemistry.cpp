#include "tasks/molecules/chemistry/chemistry.h"

#include <GraphMol/Descriptors/Crippen.h>
#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/DistGeomHelpers/Embedder.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/SanitException.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "tasks/molecules/chemistry/rdkit_graph.h"

namespace pairs {
namespace {

constexpr int kLargestCharge = 4;  // per atom
constexpr int kMoleculeElements[] = {1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 33, 34, 35, 53};

// Reads a SMILES without sanitizing; null if that fails.
std::unique_ptr<RDKit::RWMol> read_smiles(std::string_view smiles) {
  RDKit::SmilesParserParams parameters;
  parameters.sanitize = false;
  parameters.removeHs = false;
  parameters.allowCXSMILES = false;
  parameters.parseName = false;
  return std::unique_ptr<RDKit::RWMol>(RDKit::SmilesToMol(std::string(smiles), parameters));
}

std::int64_t all_atoms(const RDKit::ROMol& graph) {
  std::int64_t count = graph.getNumAtoms();
  for (const RDKit::Atom* atom : graph.atoms()) count += atom->getTotalNumHs();
  return count;
}

// The first unsupported element of a graph, or -1.
int foreign_element(const RDKit::ROMol& graph) {
  for (const RDKit::Atom* atom : graph.atoms())
    if (!is_molecule_element(atom->getAtomicNum())) return atom->getAtomicNum();
  return -1;
}

Refusal refuse_element(int element) {
  return {SetAsideReason::element,
          element == 0 ? "it holds a dummy atom" : fmt::format("it holds {}", element_symbol(element))};
}

Refusal refuse_size(std::int64_t atoms, const MoleculeLimits& limits) {
  return {SetAsideReason::size, fmt::format("{} atoms of at most {}", atoms, limits.atoms)};
}

// Returns the fragment that is kept; `several` reports whether there are more.
std::shared_ptr<RDKit::ROMol> largest_fragment(const RDKit::ROMol& graph, bool& several) {
  const std::vector<boost::shared_ptr<RDKit::ROMol>> parts = RDKit::MolOps::getMolFrags(graph);
  several = parts.size() > 1;
  if (!several) return std::make_shared<RDKit::ROMol>(graph);
  struct Rank {
    unsigned heavy;
    double weight;
    std::string smiles;
  };
  const auto rank = [](const RDKit::ROMol& part) {
    return Rank{part.getNumHeavyAtoms(), RDKit::Descriptors::calcAMW(part), RDKit::MolToSmiles(part)};
  };
  const auto better = [](const Rank& a, const Rank& b) {
    return a.heavy != b.heavy ? a.heavy > b.heavy : a.weight != b.weight ? a.weight > b.weight : a.smiles < b.smiles;
  };
  std::size_t best = 0;
  Rank best_rank = rank(*parts[0]);
  for (std::size_t k = 1; k < parts.size(); ++k)
    if (Rank here = rank(*parts[k]); better(here, best_rank)) {
      best = k;
      best_rank = std::move(here);
    }
  return std::make_shared<RDKit::ROMol>(*parts[best]);
}

}  // namespace

bool is_molecule_element(int atomic_number) {
  return std::find(std::begin(kMoleculeElements), std::end(kMoleculeElements), atomic_number) !=
         std::end(kMoleculeElements);
}

std::string element_symbol(int atomic_number) {
  if (atomic_number < 1 || atomic_number > 118) return "?";
  prepare_rdkit();
  return RDKit::PeriodicTable::getTable()->getElementSymbol(static_cast<unsigned>(atomic_number));
}

void prepare_rdkit() {
  static std::once_flag once;
  std::call_once(once, [] {
    boost::logging::disable_logs("rdApp.*");
    // Each of these fills static tables at its first call.
    const std::unique_ptr<RDKit::ROMol> sample(RDKit::SmilesToMol("CC(=O)Nc1ccc(O)cc1"));
    double logp = 0.0, refractivity = 0.0;
    RDKit::Descriptors::calcCrippenDescriptors(*sample, logp, refractivity);
    const std::unique_ptr<RDKit::ROMol> full(RDKit::MolOps::addHs(*sample));
    RDKit::DGeomHelpers::EmbedParameters parameters = RDKit::DGeomHelpers::ETKDGv3;
    parameters.randomSeed = 1;
    RDKit::DGeomHelpers::EmbedMolecule(*full, parameters);
    optimize_conformers(*full, 1);
    RDKit::MolToSmiles(*sample);
  });
}

std::string rdkit_sentence(const std::exception& error) {
  // The library's messages for these refer to its own strings and lists.
  if (dynamic_cast<const std::out_of_range*>(&error) != nullptr ||
      dynamic_cast<const std::length_error*>(&error) != nullptr)
    return "a line ends before what it announces";
  std::string text = error.what();
  if (const std::size_t end = text.find('\n'); end != text.npos) text.resize(end);
  return text;
}

std::variant<std::monostate, Refusal> check_atoms(const RDKit::ROMol& graph, const MoleculeLimits& limits) {
  if (graph.getNumAtoms() == 0) return Refusal{SetAsideReason::empty, "it has no atoms"};
  // Sanitizing a graph that is far too large could take forever.
  const std::int64_t atoms = graph.getNumAtoms();
  if (atoms > 4 * limits.atoms) return refuse_size(atoms, limits);
  for (const RDKit::Atom* atom : graph.atoms())
    if (const int charge = atom->getFormalCharge(); std::abs(charge) > kLargestCharge)
      return Refusal{SetAsideReason::chemistry,
                     fmt::format("an atom has the charge {:+}, more than {} in size, which no "
                                 "molecule's has",
                                 charge, kLargestCharge)};
  return {};
}

std::variant<Molecule, Refusal> molecule_of_graph(const RDKit::ROMol& graph, const MoleculeLimits& limits,
                                                  std::shared_ptr<RDKit::ROMol>* whole, Fragments fragments) {
  Molecule out;
  const std::shared_ptr<RDKit::ROMol> kept = fragments == Fragments::all ? std::make_shared<RDKit::ROMol>(graph)
                                                                         : largest_fragment(graph, out.largest_of_many);
  if (const int element = foreign_element(*kept); element >= 0) return refuse_element(element);
  std::shared_ptr<RDKit::ROMol> bare(RDKit::MolOps::removeHs(*kept));
  out.atoms = all_atoms(*bare);
  if (out.atoms > limits.atoms) return refuse_size(out.atoms, limits);
  bare->clearConformers();
  out.canonical = RDKit::MolToSmiles(*bare);
  out.graph = std::move(bare);
  if (whole != nullptr) *whole = kept;
  return out;
}

std::string_view pasted_text(std::string_view text) {
  constexpr std::string_view blanks[] = {" ", "\t", "\r", "\n", "\v", "\f", "\xc2\xa0", "\xe2\x80\x8b", "\xef\xbb\xbf"};
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view blank : blanks) {
      while (text.starts_with(blank)) text.remove_prefix(blank.size()), more = true;
      while (text.ends_with(blank)) text.remove_suffix(blank.size()), more = true;
    }
    for (const char quote : {'"', '\''})
      if (text.size() > 1 && text.front() == quote && text.back() == quote)
        text = text.substr(1, text.size() - 2), more = true;
  }
  return text;
}

std::variant<Molecule, Refusal> parse_molecule(std::string_view smiles, const MoleculeLimits& limits,
                                               Fragments fragments) {
  prepare_rdkit();
  smiles = pasted_text(smiles);
  if (smiles.empty()) return Refusal{SetAsideReason::empty, ""};
  if (smiles.size() > kLongestSmiles)
    return Refusal{SetAsideReason::size, fmt::format("the text has more than {} characters", kLongestSmiles)};
  try {
    const std::unique_ptr<RDKit::RWMol> graph = read_smiles(smiles);
    if (!graph) return Refusal{SetAsideReason::syntax, ""};
    const auto checked = check_atoms(*graph, limits);
    if (const Refusal* refusal = std::get_if<Refusal>(&checked)) return *refusal;
    RDKit::MolOps::sanitizeMol(*graph);
    const std::unique_ptr<RDKit::ROMol> bare(RDKit::MolOps::removeHs(static_cast<const RDKit::ROMol&>(*graph)));
    RDKit::MolOps::assignStereochemistry(*bare, true, true);
    return molecule_of_graph(*bare, limits, nullptr, fragments);
  } catch (const RDKit::MolSanitizeException& error) {
    return Refusal{SetAsideReason::chemistry, rdkit_sentence(error)};
  } catch (const RDKit::SmilesParseException& error) {
    return Refusal{SetAsideReason::syntax, rdkit_sentence(error)};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return Refusal{SetAsideReason::chemistry, rdkit_sentence(error)};
  }
}

double crippen_logp(const Molecule& molecule) {
  double logp = 0.0, refractivity = 0.0;
  // Computed on a copy, because RDKit caches the result in the graph: graphs are shared between threads.
  const RDKit::ROMol own(*molecule.graph);
  RDKit::Descriptors::calcCrippenDescriptors(own, logp, refractivity, true, true);
  return logp;
}

std::unique_ptr<RDKit::RWMol> embedding_graph(const Molecule& molecule) {
  prepare_rdkit();
  std::unique_ptr<RDKit::RWMol> graph(RDKit::SmilesToMol(molecule.canonical));
  PAIRS_CHECK(graph != nullptr, "The canonical SMILES {} cannot be read back", molecule.canonical);
  RDKit::MolOps::addHs(*graph);
  return graph;
}

std::vector<std::uint8_t> molecule_elements(const Molecule& molecule) {
  const std::unique_ptr<RDKit::RWMol> graph = embedding_graph(molecule);
  std::vector<std::uint8_t> out;
  for (const RDKit::Atom* atom : graph->atoms()) out.push_back(static_cast<std::uint8_t>(atom->getAtomicNum()));
  return out;
}

bool same_composition(const Molecule& molecule, std::span<const std::uint8_t> elements) {
  std::array<std::int64_t, 256> count{};
  for (const RDKit::Atom* atom : molecule.graph->atoms()) {
    ++count[static_cast<std::size_t>(atom->getAtomicNum() & 0xff)];
    count[1] += atom->getTotalNumHs();
  }
  for (const std::uint8_t z : elements) --count[z];
  return std::all_of(count.begin(), count.end(), [](std::int64_t c) { return c == 0; });
}

std::string flat_smiles(const Molecule& molecule) {
  const RDKit::ROMol own(*molecule.graph);
  return RDKit::MolToSmiles(own, false);
}

}  // namespace pairs
