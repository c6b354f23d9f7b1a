#include "tasks/molecules/chemistry/depiction.h"

#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/FileParsers/MolFileStereochem.h>
#include <GraphMol/MolOps.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <variant>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/chemistry/rdkit_graph.h"

namespace pairs {
namespace {

// In bond lengths: between the lines of a double bond; the gap before a label; how much shorter an inner line is.
constexpr double kBetweenLines = 0.16, kBeforeLabel = 0.26, kInnerCut = 0.14;
constexpr double kBondTolerance = 0.4;

struct Spot {
  double x = 0.0, y = 0.0;
};

Molecule molecule_to_draw(std::string_view smiles) {
  std::variant<Molecule, Refusal> parsed = parse_molecule(smiles);
  if (const Refusal* refusal = std::get_if<Refusal>(&parsed))
    fail("{} cannot be drawn: {}{}{}", printable(smiles), set_aside_text(refusal->reason),
         refusal->detail.empty() ? "" : ": ", refusal->detail);
  return std::get<Molecule>(std::move(parsed));
}

int bond_order(const RDKit::Bond& bond) {
  switch (bond.getBondType()) {
    case RDKit::Bond::DOUBLE:
      return 2;
    case RDKit::Bond::TRIPLE:
      return 3;
    default:
      return 1;
  }
}

bool is_labeled(const RDKit::Atom& atom) {
  return atom.getAtomicNum() != 6 || atom.getFormalCharge() != 0 || atom.getIsotope() != 0 ||
         atom.getNumRadicalElectrons() != 0 || atom.getDegree() == 0;
}

std::string label_of(const RDKit::Atom& atom, bool reversed) {
  std::string symbol = atom.getSymbol();
  if (atom.getIsotope() != 0) symbol = std::to_string(atom.getIsotope()) + symbol;
  const unsigned hydrogens = atom.getTotalNumHs();
  std::string h;
  if (hydrogens > 0) h = hydrogens == 1 ? "H" : "H" + std::to_string(hydrogens);
  const int charge = atom.getFormalCharge();
  std::string sign;
  if (charge != 0)
    sign = (std::abs(charge) > 1 ? std::to_string(std::abs(charge)) : "") + (charge > 0 ? "+" : "\u2212");
  if (atom.getNumRadicalElectrons() > 0) sign += "\u2022";
  return reversed ? h + symbol + sign : symbol + h + sign;
}

class Draughtsman {
 public:
  explicit Draughtsman(const Molecule& molecule) : graph_(*molecule.graph) {
    RDKit::MolOps::Kekulize(graph_);
    RDDepict::compute2DCoords(graph_, nullptr, true);
    RDKit::WedgeMolBonds(graph_, &graph_.getConformer());
    place();
  }

  MoleculeDrawing draw() {
    for (const RDKit::Atom* atom : graph_.atoms())
      if (is_labeled(*atom)) {
        const Spot at = spot(*atom);
        const bool reversed = atom->getTotalNumHs() > 0 && atom->getDegree() > 0 && pull(*atom).x > 0.3;
        out_.labels.push_back({at.x, at.y, label_of(*atom, reversed), atom->getAtomicNum()});
      }
    for (const RDKit::Bond* bond : graph_.bonds()) draw_bond(*bond);
    return std::move(out_);
  }

 private:
  Spot spot(const RDKit::Atom& atom) const { return spots_[atom.getIdx()]; }

  // The mean direction from an atom to its neighbors.
  Spot pull(const RDKit::Atom& atom) const {
    Spot sum;
    const Spot at = spot(atom);
    double count = 0.0;
    for (const RDKit::Atom* other : graph_.atomNeighbors(&atom)) {
      sum.x += spot(*other).x - at.x;
      sum.y += spot(*other).y - at.y;
      count += 1.0;
    }
    if (count > 0.0) sum = {sum.x / count, sum.y / count};
    return sum;
  }

  void place() {
    const RDKit::Conformer& conformer = graph_.getConformer();
    double length = 0.0;
    for (const RDKit::Bond* bond : graph_.bonds())
      length += (conformer.getAtomPos(bond->getBeginAtomIdx()) - conformer.getAtomPos(bond->getEndAtomIdx())).length();
    const double unit = length > 0.0 ? length / graph_.getNumBonds() : 1.0;
    Spot low, high;
    for (unsigned a = 0; a < graph_.getNumAtoms(); ++a) {
      const RDGeom::Point3D& p = conformer.getAtomPos(a);
      const Spot at{p.x / unit, p.y / unit};
      low = a == 0 ? at : Spot{std::min(low.x, at.x), std::min(low.y, at.y)};
      high = a == 0 ? at : Spot{std::max(high.x, at.x), std::max(high.y, at.y)};
      spots_.push_back(at);
    }
    for (Spot& at : spots_) at = {at.x - 0.5 * (low.x + high.x), at.y - 0.5 * (low.y + high.y)};
    out_.width = high.x - low.x;
    out_.height = high.y - low.y;
  }

  void draw_bond(const RDKit::Bond& bond) {
    const RDKit::Atom &first = *bond.getBeginAtom(), &second = *bond.getEndAtom();
    Spot a = spot(first), b = spot(second);
    const double length = std::max(1e-9, std::hypot(b.x - a.x, b.y - a.y));
    const Spot along{(b.x - a.x) / length, (b.y - a.y) / length}, across{-along.y, along.x};
    const double from = is_labeled(first) ? kBeforeLabel : 0.0, to = is_labeled(second) ? kBeforeLabel : 0.0;
    const auto line = [&](double aside, double cut, MoleculeDrawing::Stroke stroke = MoleculeDrawing::Stroke::plain) {
      const double begin = std::max(from, cut), end = length - std::max(to, cut);
      out_.lines.push_back({a.x + along.x * begin + across.x * aside, a.y + along.y * begin + across.y * aside,
                            a.x + along.x * end + across.x * aside, a.y + along.y * end + across.y * aside,
                            first.getAtomicNum(), second.getAtomicNum(), stroke});
    };
    switch (bond_order(bond)) {
      case 3:
        for (const double aside : {-kBetweenLines, 0.0, kBetweenLines}) line(aside, 0.0);
        return;
      case 2: {
        const double side = inner_side(bond, across);
        if (side == 0.0) {
          line(-0.5 * kBetweenLines, 0.0);
          line(0.5 * kBetweenLines, 0.0);
        } else {
          line(0.0, 0.0);
          line(side * kBetweenLines, kInnerCut);
        }
        return;
      }
      default: {
        const auto direction = bond.getBondDir();
        line(0.0, 0.0,
             direction == RDKit::Bond::BEGINWEDGE  ? MoleculeDrawing::Stroke::wedge
             : direction == RDKit::Bond::BEGINDASH ? MoleculeDrawing::Stroke::hash
                                                   : MoleculeDrawing::Stroke::plain);
      }
    }
  }

  // The side of a double bond for its second line: inside its ring, else the side of most neighbors; 0 for the middle.
  double inner_side(const RDKit::Bond& bond, Spot across) const {
    const RDKit::RingInfo& rings = *graph_.getRingInfo();
    const Spot a = spot(*bond.getBeginAtom());
    double sum = 0.0;
    if (rings.numBondRings(bond.getIdx()) > 0) {
      std::size_t smallest = static_cast<std::size_t>(-1);
      for (std::size_t r = 0; r < rings.bondRings().size(); ++r) {
        const std::vector<int>& bonds = rings.bondRings()[r];
        if (std::find(bonds.begin(), bonds.end(), static_cast<int>(bond.getIdx())) == bonds.end()) continue;
        // In a fused ring system the smallest ring decides; between equal sizes, the one with more double bonds, such
        // as benzene's.
        std::size_t weight = 100 * bonds.size();
        for (const int k : bonds) weight -= static_cast<std::size_t>(bond_order(*graph_.getBondWithIdx(k)) == 2);
        if (weight >= smallest) continue;
        smallest = weight;
        sum = 0.0;
        for (const int k : rings.atomRings()[r]) {
          const Spot at = spots_[static_cast<std::size_t>(k)];
          sum += (at.x - a.x) * across.x + (at.y - a.y) * across.y;
        }
      }
      return sum >= 0.0 ? 1.0 : -1.0;
    }
    for (const RDKit::Atom* end : {bond.getBeginAtom(), bond.getEndAtom()}) {
      if (end->getDegree() == 1) return 0.0;
      for (const RDKit::Atom* other : graph_.atomNeighbors(end)) {
        const Spot at = spot(*other);
        const double side = (at.x - a.x) * across.x + (at.y - a.y) * across.y;
        if (std::abs(side) > 0.1) sum += side > 0.0 ? 1.0 : -1.0;
      }
    }
    return sum > 0.0 ? 1.0 : sum < 0.0 ? -1.0 : 0.0;
  }

  RDKit::RWMol graph_;
  std::vector<Spot> spots_;
  MoleculeDrawing out_;
};

}  // namespace

MoleculeDrawing draw_molecule(std::string_view smiles) {
  try {
    return Draughtsman(molecule_to_draw(smiles)).draw();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail("{} cannot be drawn: {}", printable(smiles), rdkit_sentence(error));
  }
}

std::vector<SolidBond> bonds_of_graph(std::string_view smiles) {
  const std::unique_ptr<RDKit::RWMol> graph = embedding_graph(molecule_to_draw(smiles));
  RDKit::MolOps::Kekulize(*graph);
  std::vector<SolidBond> out;
  for (const RDKit::Bond* bond : graph->bonds())
    out.push_back({static_cast<std::int32_t>(bond->getBeginAtomIdx()), static_cast<std::int32_t>(bond->getEndAtomIdx()),
                   bond_order(*bond)});
  return out;
}

double covalent_radius(int atomic_number) {
  switch (atomic_number) {
    case 1:
      return 0.31;
    case 5:
      return 0.84;
    case 6:
      return 0.76;
    case 7:
      return 0.71;
    case 8:
      return 0.66;
    case 9:
      return 0.57;
    case 14:
      return 1.11;
    case 15:
      return 1.07;
    case 16:
      return 1.05;
    case 17:
      return 1.02;
    case 33:
      return 1.19;
    case 34:
      return 1.20;
    case 35:
      return 1.20;
    case 53:
      return 1.39;
    default:
      return 1.5;
  }
}

std::vector<SolidBond> bonds_by_distance(std::span<const std::uint8_t> elements, std::span<const float> positions) {
  PAIRS_CHECK(positions.size() == 3 * elements.size(), "{} atoms need {} coordinates, not {}", elements.size(),
              3 * elements.size(), positions.size());
  const auto distance = [&](std::size_t a, std::size_t b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = static_cast<double>(positions[3 * a + k]) - positions[3 * b + k];
      sum += d * d;
    }
    return std::sqrt(sum);
  };
  const auto reach = [&](std::size_t a, std::size_t b) {
    return covalent_radius(elements[a]) + covalent_radius(elements[b]) + kBondTolerance;
  };
  std::vector<SolidBond> out;
  for (std::size_t a = 0; a < elements.size(); ++a)
    for (std::size_t b = a + 1; b < elements.size(); ++b)
      if (elements[a] != 1 && elements[b] != 1 && distance(a, b) < reach(a, b))
        out.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), 1});
  for (std::size_t a = 0; a < elements.size(); ++a) {
    if (elements[a] != 1) continue;
    std::size_t nearest = a;
    double least = 1e9;
    for (std::size_t b = 0; b < elements.size(); ++b) {
      const double d = b == a ? 1e9 : distance(a, b) - covalent_radius(elements[b]);
      if (d < least && distance(a, b) < reach(a, b)) {
        least = d;
        nearest = b;
      }
    }
    // Avoids listing a bond between two hydrogens twice.
    if (nearest != a && (elements[nearest] != 1 || a < nearest))
      out.push_back(
          {static_cast<std::int32_t>(std::min(a, nearest)), static_cast<std::int32_t>(std::max(a, nearest)), 1});
  }
  return out;
}

}  // namespace pairs
