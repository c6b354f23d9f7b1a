#include "tasks/molecules/variants.h"

#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <array>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/chemistry/rdkit_graph.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/splits.h"

namespace pairs {
namespace {

constexpr int kAttempts = 100;
constexpr unsigned kMostEdits = 5;
constexpr unsigned kFewestHeavyAtoms = 4, kMostHeavyAtoms = 45;

// Elements for an exchanged atom, with their number of bonds and their frequency.
struct Element {
  int number;
  unsigned valence, weight;
};
constexpr std::array kElements = {Element{6, 4, 20}, Element{7, 3, 20}, Element{8, 2, 16}, Element{16, 2, 6},
                                  Element{9, 1, 6},  Element{17, 1, 6}, Element{35, 1, 3}, Element{53, 1, 2},
                                  Element{15, 3, 2}, Element{14, 4, 1}, Element{5, 3, 1}};

// Groups that may be added, bonded by their first atom.
constexpr std::array kGroups = {"C",
                                "CC",
                                "C(C)C",
                                "C(C)(C)C",
                                "F",
                                "Cl",
                                "Br",
                                "I",
                                "O",
                                "OC",
                                "S",
                                "SC",
                                "N",
                                "NC",
                                "N(C)C",
                                "C#N",
                                "C=O",
                                "C(C)=O",
                                "C(=O)O",
                                "C(=O)OCC",
                                "C(N)=O",
                                "C(F)(F)F",
                                "OC(F)(F)F",
                                "[N+](=O)[O-]",
                                "S(=O)C",
                                "S(=O)(=O)C",
                                "S(=O)(=O)O",
                                "S(=O)(=O)N",
                                "P(=O)(O)O",
                                "OP(=O)(O)O",
                                "OP(=O)(OC)OC",
                                "B(O)O",
                                "[Si](C)(C)C",
                                "C=C",
                                "C#C",
                                "CO",
                                "CN",
                                "NC(N)=N",
                                "C(=N)N",
                                "N=[N+]=[N-]",
                                "NC(C)=O",
                                "OC(C)=O",
                                "NS(C)(=O)=O",
                                "CCO",
                                "CCN",
                                "CC(=O)O",
                                "CCCCCC",
                                "CCCCCCCCCC",
                                "OCCOCCO",
                                "c1ccccc1",
                                "Cc1ccccc1",
                                "c1ccncc1",
                                "c1ccco1",
                                "c1cccs1",
                                "c1ncc[nH]1",
                                "c1nnn[nH]1",
                                "N1CCOCC1",
                                "N1CCCCC1",
                                "N1CCN(C)CC1",
                                "C1CC1",
                                "C1CCCCC1",
                                "C1CCNCC1",
                                "c1ccc2ccccc2c1",
                                "c1c[nH]c2ccccc12",
                                "C12CC3CC(CC(C3)C1)C2",
                                "OC1OC(CO)C(O)C(O)C1O",
                                "NC(=O)C(C)N",
                                "C(=O)NC(CO)C(=O)O",
                                "NC(=O)c1ccccc1",
                                "S(=O)(=O)c1ccc(C)cc1",
                                "c1ncnc2[nH]cnc12",
                                "N1C=CC(=O)NC1=O"};

class Editor {
 public:
  Editor(const RDKit::ROMol& graph, Stream& stream) : graph_(std::make_unique<RDKit::RWMol>(graph)), stream_(stream) {}

  // Applies one edit; returns false if the result is not a molecule.
  bool edit() {
    auto before = std::make_unique<RDKit::RWMol>(*graph_);  // RDKit's own assignment loses the atoms that it replaces
    if (attempt() && is_molecule()) return true;
    graph_ = std::move(before);
    return false;
  }
  std::string smiles() const { return RDKit::MolToSmiles(*graph_, false); }

 private:
  bool attempt() {
    const unsigned kind = below(10);
    if (kind < 3) return exchange();
    if (kind < 6) return add();
    if (kind < 7) return cut();
    if (kind < 8) return lengthen();
    if (kind < 9) return shorten();
    return change_order();
  }

  // Exchanges an atom's element; aromatic ones become carbon or nitrogen.
  bool exchange() {
    RDKit::Atom& atom = any_atom();
    if (atom.getFormalCharge() != 0) return false;
    unsigned total = 0;
    for (const Element& one : kElements) total += one.weight;
    unsigned at = below(total);
    const Element* to = kElements.data();
    for (; at >= to->weight; ++to) at -= to->weight;
    if (to->number == atom.getAtomicNum()) return false;
    if (atom.getIsAromatic() ? to->number > 7 || atom.getTotalNumHs() + atom.getDegree() > 3
                             : bonds_of(atom) > to->valence)
      return false;
    atom.setAtomicNum(to->number);
    atom.setNumExplicitHs(0);
    atom.setNoImplicit(false);
    return true;
  }

  // Adds a group in place of a hydrogen; on atoms other than carbon only groups that begin with carbon.
  bool add() {
    RDKit::Atom& atom = any_atom();
    const std::string group = kGroups[below(kGroups.size())];
    if (atom.getTotalNumHs() == 0 || (atom.getAtomicNum() != 6 && group[0] != 'C' && group[0] != 'c')) return false;
    RDKit::SmilesParserParams parameters;
    parameters.sanitize = false;
    parameters.removeHs = false;
    const std::unique_ptr<RDKit::RWMol> added(RDKit::SmilesToMol(group, parameters));
    PAIRS_CHECK(added != nullptr, "The group {} cannot be read", group);
    const unsigned host = atom.getIdx(), first = graph_->getNumAtoms();
    if (atom.getNumExplicitHs() > 0) atom.setNumExplicitHs(atom.getNumExplicitHs() - 1);
    graph_->insertMol(*added);
    graph_->addBond(host, first, RDKit::Bond::SINGLE);
    return true;
  }

  // Cuts a single bond outside rings, and keeps one side.
  bool cut() {
    const RDKit::Bond* bond = any_bond();
    if (bond == nullptr || bond->getBondType() != RDKit::Bond::SINGLE || in_ring(*bond)) return false;
    const unsigned begin = bond->getBeginAtomIdx(), end = bond->getEndAtomIdx();
    graph_->removeBond(begin, end);
    std::vector<int> side;
    RDKit::MolOps::getMolFrags(*graph_, side);
    const int kept = side[below(2) == 0 ? begin : end];
    for (unsigned at = graph_->getNumAtoms(); at-- > 0;)
      if (side[at] != kept) graph_->removeAtom(at);
    return true;
  }

  // Inserts an atom into a single bond.
  bool lengthen() {
    const RDKit::Bond* bond = any_bond();
    if (bond == nullptr || bond->getBondType() != RDKit::Bond::SINGLE) return false;
    const unsigned begin = bond->getBeginAtomIdx(), end = bond->getEndAtomIdx();
    constexpr std::array between = {6, 6, 6, 7, 8, 16};
    graph_->removeBond(begin, end);
    const unsigned middle = graph_->addAtom(new RDKit::Atom(between[below(between.size())]), true, true);
    graph_->addBond(begin, middle, RDKit::Bond::SINGLE);
    graph_->addBond(middle, end, RDKit::Bond::SINGLE);
    return true;
  }

  // Removes an atom between two others, which are then bonded to each other.
  bool shorten() {
    const RDKit::Atom& atom = any_atom();
    if (atom.getDegree() != 2 || atom.getIsAromatic() || bonds_of(atom) != 2) return false;
    std::vector<unsigned> ends;
    for (const RDKit::Atom* other : graph_->atomNeighbors(&atom)) ends.push_back(other->getIdx());
    if (graph_->getBondBetweenAtoms(ends[0], ends[1]) != nullptr) return false;
    graph_->addBond(ends[0], ends[1], RDKit::Bond::SINGLE);
    graph_->removeAtom(atom.getIdx());
    return true;
  }

  // Changes a double bond between carbon, nitrogen or oxygen to a single one, or a single one with hydrogens at both
  // ends to a double one; not in rings, which may not allow one.
  bool change_order() {
    RDKit::Bond* bond = any_bond();
    if (bond == nullptr || in_ring(*bond)) return false;
    for (const RDKit::Atom* end : {bond->getBeginAtom(), bond->getEndAtom()})
      if (end->getAtomicNum() > 8 || end->getFormalCharge() != 0 || end->getIsAromatic()) return false;
    if (bond->getBondType() == RDKit::Bond::DOUBLE) {
      bond->setBondType(RDKit::Bond::SINGLE);
      return true;
    }
    if (bond->getBondType() != RDKit::Bond::SINGLE || bond->getBeginAtom()->getTotalNumHs() == 0 ||
        bond->getEndAtom()->getTotalNumHs() == 0)
      return false;
    bond->setBondType(RDKit::Bond::DOUBLE);
    return true;
  }

  // Updates hydrogens, rings and aromatic bonds; false if valences do not allow it.
  bool is_molecule() {
    if (graph_->getNumAtoms() < kFewestHeavyAtoms || graph_->getNumAtoms() > kMostHeavyAtoms) return false;
    try {
      RDKit::MolOps::sanitizeMol(*graph_);
    } catch (const RDKit::MolSanitizeException&) {
      return false;
    }
    for (const RDKit::Atom* atom : graph_->atoms())
      if (atom->getNumRadicalElectrons() > 0) return false;
    return true;
  }

  unsigned below(std::size_t count) { return static_cast<unsigned>(stream_.below(count)); }
  RDKit::Atom& any_atom() { return *graph_->getAtomWithIdx(below(graph_->getNumAtoms())); }
  RDKit::Bond* any_bond() {
    return graph_->getNumBonds() == 0 ? nullptr : graph_->getBondWithIdx(below(graph_->getNumBonds()));
  }
  bool in_ring(const RDKit::Bond& bond) const { return graph_->getRingInfo()->numBondRings(bond.getIdx()) > 0; }
  // Bonds to atoms other than hydrogen, counting double ones twice.
  static unsigned bonds_of(const RDKit::Atom& atom) { return atom.getTotalValence() - atom.getTotalNumHs(); }

  std::unique_ptr<RDKit::RWMol> graph_;
  Stream& stream_;
};

std::optional<Molecule> read(const std::string& smiles) {
  std::variant<Molecule, Refusal> parsed = parse_molecule(smiles);
  if (Molecule* molecule = std::get_if<Molecule>(&parsed)) return std::move(*molecule);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> molecule_variant(const Molecule& molecule, std::int64_t number) {
  prepare_rdkit();
  const std::string parent = parent_smiles(molecule);
  const std::unique_ptr<RDKit::RWMol> graph(RDKit::SmilesToMol(parent));
  if (!graph) return std::nullopt;
  const MoleculeSplit part = molecule_split(molecule_hash(parent));
  Stream stream(stream_key(0, Purpose::conformers), molecule_hash(fmt::format("{} variant {}", parent, number)));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Editor editor(*graph, stream);
    const unsigned edits = 1 + static_cast<unsigned>(stream.below(kMostEdits));
    for (unsigned done = 0, validated = 0; done < edits && validated < 10 * kMostEdits; ++validated)
      done += editor.edit();
    const bool charged = stream.uniform64() < 0.5;
    std::optional<Molecule> made = read(editor.smiles());
    if (!made) continue;
    const std::string made_parent = parent_smiles(*made);
    if (made_parent == parent || molecule_split(molecule_hash(made_parent)) != part) continue;
    if (charged)
      if (const std::optional<std::string> form = charged_form(*made)) return form;
    return made->canonical;
  }
  return std::nullopt;
}

}  // namespace pairs
