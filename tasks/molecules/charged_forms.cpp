#include "tasks/molecules/charged_forms.h"

#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <GraphMol/Substruct/SubstructMatch.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tasks/molecules/chemistry/rdkit_graph.h"
#include "tasks/molecules/conformers.h"

namespace pairs {
namespace {

using Pattern = std::unique_ptr<RDKit::ROMol>;

// Kinds of single atoms, as SMARTS of one atom each.
struct SiteRules {
  // [OH] of C(=O)OH, S(=O)OH, P(=O)OH; tetrazoles; N-acylsulfonamides; thioacids.
  std::vector<Pattern> acids = read({"[OX2H1;+0;$(O[CX3]=O),$(O[S,P]=O)]", "[nH1;+0;$([nH1]1nnnc1),$([nH1]1nncn1)]",
                                     "[NX3H1;+0;$(N([CX3]=O)S(=O)=O)]", "[SX2H1;+0;$(S[CX3]=[O,S])]"});
  // Amines with only saturated neighbors; the doubly bonded nitrogen of amidines and guanidines.
  std::vector<Pattern> bases = read(
      {"[NX3;+0;!$(N~[!#6]);!$(N~[#6;!X4])]", "[NX2;+0;$(N=[CX3][NX3;!$(N~[!#6;!#7])]);!$(N~[!#6]);!$(NC=[O,S])]"});
  std::vector<Pattern> weak_acids =
      read({"[OX2H1,SX2H1;+0;$([O,S]c)]", "[NX3;H1,H2;+0;$(NS(=O)(=O)[#6])]", "[NX3H1;+0;$(N([CX3]=O)[CX3]=O)]"});
  std::vector<Pattern> weak_bases =
      read({"[nX2;+0;r6]", "[nX2;+0;$(n1cncc1),$(n1ccnc1)]", "[NX3;+0;$(Nc);!$(N~[!#6]);!$(N[#6]=[O,S,N])]"});

 private:
  static std::vector<Pattern> read(std::initializer_list<const char*> smarts) {
    std::vector<Pattern> out;
    for (const char* text : smarts) {
      out.emplace_back(RDKit::SmartsToMol(text));
      PAIRS_CHECK(out.back() != nullptr, "The SMARTS {} cannot be read", text);
    }
    return out;
  }
};

// Matching caches results within a pattern, so only one thread may match at a time.
std::mutex& matching() {
  static std::mutex mutex;
  return mutex;
}

// Atoms that match any of the patterns, in ascending order, in the graph ordered as its canonical SMILES.
std::vector<unsigned> sites(const RDKit::ROMol& graph, const std::vector<Pattern>& patterns) {
  std::vector<unsigned> out;
  for (const Pattern& pattern : patterns) {
    std::vector<RDKit::MatchVectType> matches;
    RDKit::SubstructMatch(graph, *pattern, matches);
    for (const RDKit::MatchVectType& match : matches) out.push_back(static_cast<unsigned>(match.front().second));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Gives an atom its charge and a number of hydrogens.
void set_charge(RDKit::Atom& atom, int charge, unsigned hydrogens) {
  atom.setFormalCharge(charge);
  atom.setNumExplicitHs(hydrogens);
  atom.setNoImplicit(true);
}
void protonate(RDKit::Atom& atom) {
  set_charge(atom, atom.getFormalCharge() + 1, atom.getTotalNumHs() + 1);
}
void deprotonate(RDKit::Atom& atom) {
  set_charge(atom, atom.getFormalCharge() - 1, atom.getTotalNumHs() - 1);
}
void methylate(RDKit::RWMol& graph, unsigned at) {
  set_charge(*graph.getAtomWithIdx(at), 1, graph.getAtomWithIdx(at)->getTotalNumHs());
  graph.addBond(at, graph.addAtom(new RDKit::Atom(6), true, true), RDKit::Bond::SINGLE);
}

// The SMILES of an edited graph, or nothing if it is not a molecule. It is read back once, so that explicit notation is
// normalized.
std::optional<std::string> written(RDKit::RWMol& graph, bool stereo) {
  try {
    RDKit::MolOps::sanitizeMol(graph);
    const std::unique_ptr<RDKit::ROMol> again(RDKit::SmilesToMol(RDKit::MolToSmiles(graph, stereo)));
    if (!again) return std::nullopt;
    return RDKit::MolToSmiles(*again, stereo);
  } catch (const RDKit::MolSanitizeException&) {
    return std::nullopt;
  }
}

bool has_charge(const RDKit::ROMol& graph) {
  for (const RDKit::Atom* atom : graph.atoms())
    if (atom->getFormalCharge() != 0) return true;
  return false;
}

// Whether a neighbor has the opposite charge.
bool is_balanced(const RDKit::ROMol& graph, const RDKit::Atom& atom) {
  for (const RDKit::Atom* other : graph.atomNeighbors(&atom))
    if (other->getFormalCharge() * atom.getFormalCharge() < 0) return true;
  return false;
}

// The index of a methyl on an atom, or nothing.
std::optional<unsigned> methyl_of(const RDKit::ROMol& graph, const RDKit::Atom& atom) {
  for (const RDKit::Atom* other : graph.atomNeighbors(&atom))
    if (other->getAtomicNum() == 6 && other->getDegree() == 1 && other->getTotalNumHs() == 3) return other->getIdx();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> charged_form(const Molecule& molecule) {
  prepare_rdkit();
  static const SiteRules rules;
  // Atoms are numbered as in the canonical SMILES, wherever the molecule came from.
  const std::unique_ptr<RDKit::RWMol> graph(RDKit::SmilesToMol(molecule.canonical));
  if (!graph) return std::nullopt;
  for (const RDKit::Atom* atom : graph->atoms())
    if (atom->getFormalCharge() != 0 && !is_balanced(*graph, *atom)) return std::nullopt;
  std::vector<unsigned> acids, bases, weak_acids, weak_bases;
  {
    const std::lock_guard lock(matching());
    acids = sites(*graph, rules.acids);
    bases = sites(*graph, rules.bases);
    weak_acids = sites(*graph, rules.weak_acids);
    weak_bases = sites(*graph, rules.weak_bases);
  }
  Stream stream(stream_key(0, Purpose::conformers), molecule_hash(molecule.canonical + " charged"));
  const double share = stream.uniform64();
  const auto one_of = [&stream](const std::vector<unsigned>& all) {
    return all[static_cast<std::size_t>(stream.below(static_cast<unsigned>(all.size())))];
  };
  const auto can_be_quaternary = [&graph](unsigned at) { return graph->getAtomWithIdx(at)->getTotalNumHs() == 0; };
  if (!acids.empty() || !bases.empty()) {
    std::vector<unsigned> tertiary;
    std::copy_if(bases.begin(), bases.end(), std::back_inserter(tertiary),
                 [&](unsigned at) { return can_be_quaternary(at) && graph->getAtomWithIdx(at)->getDegree() == 3; });
    if (share < 0.15 && !tertiary.empty()) {
      methylate(*graph, one_of(tertiary));
    } else if (share < 0.3) {
      std::vector<unsigned> all = acids;
      all.insert(all.end(), bases.begin(), bases.end());
      const unsigned at = one_of(all);
      std::count(acids.begin(), acids.end(), at) ? deprotonate(*graph->getAtomWithIdx(at))
                                                 : protonate(*graph->getAtomWithIdx(at));
    } else {
      for (const unsigned at : acids) deprotonate(*graph->getAtomWithIdx(at));
      for (const unsigned at : bases) protonate(*graph->getAtomWithIdx(at));
    }
  } else if (!weak_acids.empty() && (weak_bases.empty() || share < 0.5)) {
    deprotonate(*graph->getAtomWithIdx(one_of(weak_acids)));
  } else if (!weak_bases.empty()) {
    const unsigned at = one_of(weak_bases);
    stream.uniform64() < 0.25 && can_be_quaternary(at) ? methylate(*graph, at) : protonate(*graph->getAtomWithIdx(at));
  } else {
    return std::nullopt;
  }
  std::optional<std::string> out = written(*graph, true);
  return out == molecule.canonical ? std::nullopt : out;
}

std::string parent_smiles(const Molecule& molecule) {
  if (!has_charge(*molecule.graph)) return flat_smiles(molecule);
  RDKit::RWMol graph(*molecule.graph);
  std::vector<unsigned> charged, methyls;
  for (const RDKit::Atom* atom : graph.atoms())
    if (atom->getFormalCharge() != 0 && !is_balanced(graph, *atom)) charged.push_back(atom->getIdx());
  for (const unsigned at : charged) {
    RDKit::Atom& atom = *graph.getAtomWithIdx(at);
    const bool nitrogen = atom.getAtomicNum() == 7;
    if (atom.getFormalCharge() == -1 && (nitrogen || atom.getAtomicNum() == 8 || atom.getAtomicNum() == 16)) {
      protonate(atom);
    } else if (atom.getFormalCharge() == 1 && nitrogen && atom.getTotalNumHs() > 0) {
      deprotonate(atom);
    } else if (atom.getFormalCharge() == 1 && nitrogen) {
      const std::optional<unsigned> methyl = methyl_of(graph, atom);
      if (!methyl) continue;
      set_charge(atom, 0, 0);
      methyls.push_back(*methyl);
    }
  }
  std::sort(methyls.begin(), methyls.end());
  methyls.erase(std::unique(methyls.begin(), methyls.end()), methyls.end());
  for (std::size_t k = methyls.size(); k-- > 0;) graph.removeAtom(methyls[k]);
  return written(graph, false).value_or(flat_smiles(molecule));
}

}  // namespace pairs
