#include "tasks/molecules/formats/sdf_file.h"

#include <GraphMol/Conformer.h>
#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SanitException.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/chemistry/rdkit_graph.h"

namespace pairs {
namespace {

constexpr std::size_t kLongestLine = 64 << 10, kLargestRecord = 8 << 20;

// Whether a V3000 record can hold the numbers of atoms and bonds that it announces, because RDKit allocates memory for
// them.
bool has_room_for_counts(std::string_view block) {
  constexpr std::string_view key = "M  V30 COUNTS ";
  const std::size_t at = block.find(key);
  if (at == block.npos) return true;
  std::string_view rest = block.substr(at + key.size());
  const auto lines = static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '\n'));
  for (int k = 0; k < 2; ++k) {
    rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (error != std::errc() || count > lines) return false;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  }
  return true;
}

// The first line of properties ("M CHG", a number of three digits, entries of eight characters) with fewer entries than
// it announces; "" if there is none.
std::string_view short_property(std::string_view block) {
  block = block.substr(0, block.find("M  END"));
  while (!block.empty()) {
    const std::size_t end = std::min(block.find('\n'), block.size());
    std::string_view line = block.substr(0, end);
    block.remove_prefix(std::min(end + 1, block.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with("M  CHG") && !line.starts_with("M  RAD") && !line.starts_with("M  ISO")) continue;
    std::string_view number = line.substr(6, 3);
    number.remove_prefix(std::min(number.find_first_not_of(' '), number.size()));
    std::size_t count = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    // The line is complete even if its last entry is up to three characters shorter than eight.
    if (error != std::errc() || (count > 0 && line.size() + 3 < 9 + 8 * count)) return line;
  }
  return "";
}

// Whether a graph has three-dimensional coordinates.
bool has_depth(const RDKit::ROMol& graph) {
  if (graph.getNumConformers() == 0) return false;
  const RDKit::Conformer& conformer = graph.getConformer();
  double low = 0.0, high = 0.0;
  for (unsigned a = 0; a < graph.getNumAtoms(); ++a) {
    const RDGeom::Point3D& p = conformer.getAtomPos(a);
    if (!(std::abs(p.x) < 1e4 && std::abs(p.y) < 1e4 && std::abs(p.z) < 1e4)) return false;
    low = a == 0 ? p.z : std::min(low, p.z);
    high = a == 0 ? p.z : std::max(high, p.z);
  }
  // A flat molecule may lie in the drawing plane: the record's own declaration counts then.
  return high - low > 1e-3 || (conformer.is3D() && graph.getNumAtoms() > 0);
}

// Reads a record into an entry; the caller sets its name and place.
void read_record(const std::string& block, const MoleculeLimits& limits, MoleculeEntry& entry) {
  const auto refuse = [&](SetAsideReason reason, std::string detail) {
    entry.bad = reason;
    entry.detail = std::move(detail);
  };
  prepare_rdkit();
  if (!has_room_for_counts(block))
    return refuse(SetAsideReason::syntax, "it announces more atoms or bonds than it has lines");
  if (const std::string_view line = short_property(block); !line.empty())
    return refuse(SetAsideReason::syntax,
                  fmt::format("the line '{}' holds fewer entries than it announces", printable(line, 40)));
  try {
    std::unique_ptr<RDKit::RWMol> graph(RDKit::MolBlockToMol(block, false, false, false));
    if (!graph) return refuse(SetAsideReason::syntax, "");
    const auto checked = check_atoms(*graph, limits);
    if (const Refusal* refusal = std::get_if<Refusal>(&checked)) return refuse(refusal->reason, refusal->detail);
    graph.reset(RDKit::MolBlockToMol(block, true, false, false));
    if (!graph) return refuse(SetAsideReason::syntax, "");
    const bool solid = has_depth(*graph);
    if (solid) {
      RDKit::MolOps::assignStereochemistryFrom3D(*graph);
      RDKit::MolOps::addHs(*graph, false, true);
    }
    std::shared_ptr<RDKit::ROMol> whole;
    const std::variant<Molecule, Refusal> read = molecule_of_graph(*graph, limits, &whole);
    if (const Refusal* refusal = std::get_if<Refusal>(&read)) return refuse(refusal->reason, refusal->detail);
    entry.smiles = std::get<Molecule>(read).canonical;
    if (!solid) return;
    const RDKit::Conformer& conformer = whole->getConformer();
    for (const RDKit::Atom* atom : whole->atoms()) {
      entry.elements.push_back(static_cast<std::uint8_t>(atom->getAtomicNum()));
      const RDGeom::Point3D& p = conformer.getAtomPos(atom->getIdx());
      for (const double x : {p.x, p.y, p.z}) entry.positions.push_back(static_cast<float>(x));
    }
  } catch (const RDKit::MolSanitizeException& error) {
    refuse(SetAsideReason::chemistry, rdkit_sentence(error));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    refuse(SetAsideReason::syntax, rdkit_sentence(error));
  }
}

// Adds the conformer of another record of the same molecule.
void add_conformer(MoleculeEntry& to, MoleculeEntry&& from, const MoleculeLimits& limits) {
  if (from.elements.empty()) return;
  if (to.elements.empty()) {
    to.elements = std::move(from.elements);
    to.positions = std::move(from.positions);
  } else if (from.elements != to.elements) {
    ++to.odd_conformers;
  } else if (to.conformers() < limits.conformers) {
    to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
  }
}

}  // namespace

void read_sdf(ByteSource& source, const std::string& where, const MoleculeLimits& limits,
              const OnMolecule& on_molecule) {
  std::string block, line;
  MoleculeEntry group;
  std::int64_t record = 0;
  bool more = true, open = false, grouped = false, large = false;
  const auto flush = [&] {
    if (std::exchange(grouped, false) && more) more = on_molecule(std::exchange(group, {}));
  };
  const auto finish = [&](bool whole) {
    ++record;
    MoleculeEntry entry;
    entry.place = fmt::format("record {}", record);
    entry.name = trimmed(std::string_view(block).substr(0, std::min<std::size_t>(block.find('\n'), 200)));
    if (large) {
      entry.bad = SetAsideReason::size;
      entry.detail = "the record is longer than any that is read";
    } else if (!whole && block.find("M  END") == block.npos) {
      entry.bad = SetAsideReason::damaged;
      entry.detail = source.fault().empty() ? "the file ends within the record" : source.fault();
    } else {
      read_record(block, limits, entry);
    }
    block.clear();
    open = large = false;
    // Drawings of a molecule are not conformers.
    const bool again = !entry.bad && grouped && !group.bad && entry.smiles == group.smiles &&
                       !(entry.elements.empty() && group.elements.empty());
    if (again) return add_conformer(group, std::move(entry), limits);
    flush();
    group = std::move(entry);
    grouped = true;
  };
  bool cut = false;
  while (more && source.line(line, kLongestLine, cut)) {
    if (line.starts_with("$$$$")) {
      finish(true);
      continue;
    }
    open = open || !trimmed(line).empty();
    large = large || cut || block.size() + line.size() > kLargestRecord;
    if (large) continue;
    block += line;
    block += '\n';
  }
  // A file of a single molecule (.mol) has no delimiter line.
  if (more && open) finish(false);
  flush();
  PAIRS_CHECK(record > 0, "{} holds no record{}", where,
              source.fault().empty() ? ": check the file" : ": " + source.fault());
  if (more && !open && !source.fault().empty()) {
    MoleculeEntry rest;
    rest.place = fmt::format("record {}", record + 1);
    rest.bad = SetAsideReason::damaged;
    rest.detail = source.fault();
    on_molecule(std::move(rest));
  }
}

}  // namespace pairs
