#include "tasks/molecules/conformers.h"

#include <ForceField/ForceField.h>
#include <GraphMol/DistGeomHelpers/Embedder.h>
#include <GraphMol/ForceFieldHelpers/MMFF/AtomTyper.h>
#include <GraphMol/ForceFieldHelpers/MMFF/Builder.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/chemistry/rdkit_graph.h"
#include "tasks/molecules/molecule_file.h"
#include "tasks/molecules/splits.h"

namespace pairs {
namespace {

constexpr unsigned kOptimizerSteps = 500;

// The number of conformers for a molecule with this flat_hash.
std::int64_t wanted_conformers(std::uint64_t flat_hash, const ConformerSettings& settings) {
  const bool first = settings.pretrain_conformers > 0 && molecule_split(flat_hash) == MoleculeSplit::pretrain;
  return std::max<std::int64_t>(1, first ? settings.pretrain_conformers : settings.conformers);
}

// Embeds conformers into the graph; returns the ids of those that succeeded.
std::vector<int> embed(RDKit::RWMol& graph, std::uint64_t hash, std::int64_t conformers,
                       const ConformerSettings& settings) {
  RDKit::DGeomHelpers::EmbedParameters parameters = RDKit::DGeomHelpers::ETKDGv3;
  parameters.maxIterations = static_cast<unsigned>(std::max<std::int64_t>(1, settings.attempts));
  parameters.numThreads = 1;
  parameters.pruneRmsThresh = -1.0;
  Stream stream(stream_key(settings.seed, Purpose::conformers), hash >> 16, hash & 0xffff);
  const auto count = static_cast<unsigned>(conformers);
  std::vector<int> ids;
  for (const bool random : {false, true}) {
    parameters.useRandomCoords = random;
    parameters.randomSeed = static_cast<int>(stream.bits() >> 2) + 1;
    RDKit::DGeomHelpers::EmbedMultipleConfs(graph, ids, count, parameters);
    if (!ids.empty()) break;
  }
  return ids;
}

std::variant<PreparedMolecule, Refusal> generate(PreparedMolecule&& out, const Molecule& molecule,
                                                 const ConformerSettings& settings) {
  try {
    const std::unique_ptr<RDKit::RWMol> graph = embedding_graph(molecule);
    const std::vector<int> ids = embed(*graph, out.hash, wanted_conformers(out.flat_hash, settings), settings);
    if (ids.empty())
      return Refusal{SetAsideReason::conformer, fmt::format("ETKDGv3 gave none in {} attempts", settings.attempts)};
    if (settings.optimize && !optimize_conformers(*graph, kOptimizerSteps))
      return Refusal{SetAsideReason::conformer, "MMFF94 has no parameters for it"};
    for (const RDKit::Atom* atom : graph->atoms())
      out.elements.push_back(static_cast<std::uint8_t>(atom->getAtomicNum()));
    out.positions.reserve(ids.size() * 3 * out.elements.size());
    for (const int id : ids) {
      const RDKit::Conformer& conformer = graph->getConformer(id);
      for (unsigned a = 0; a < graph->getNumAtoms(); ++a) {
        const RDGeom::Point3D& p = conformer.getAtomPos(a);
        for (const double x : {p.x, p.y, p.z}) out.positions.push_back(static_cast<float>(x));
      }
    }
    out.conformers = static_cast<std::int64_t>(ids.size());
    out.graph_order = true;
    const bool finite =
        std::all_of(out.positions.begin(), out.positions.end(), [](float x) { return std::isfinite(x); });
    if (!finite) return Refusal{SetAsideReason::conformer, "its coordinates are no numbers"};
    return std::move(out);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return Refusal{SetAsideReason::conformer, rdkit_sentence(error)};
  }
}

// Adds the conformers of further records of a molecule; false if its atoms differ.
bool join(PreparedMolecule& to, PreparedMolecule&& from) {
  if (to.elements != from.elements) return false;
  to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
  to.conformers += from.conformers;
  to.weights.clear();
  return true;
}

std::variant<PreparedMolecule, Refusal> prepare_entry(MoleculeEntry&& entry, const ConformerSettings& settings) {
  if (entry.bad) return Refusal{*entry.bad, entry.detail};
  const std::variant<Molecule, Refusal> parsed = parse_molecule(entry.smiles, settings.limits);
  if (const Refusal* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  return prepare_molecule(std::get<Molecule>(parsed), std::move(entry), settings);
}

}  // namespace

bool optimize_conformers(RDKit::ROMol& graph, unsigned steps) {
  RDKit::MMFF::MMFFMolProperties properties(graph);
  if (!properties.isValid()) return false;
  for (auto conformer = graph.beginConformers(); conformer != graph.endConformers(); ++conformer) {
    const std::unique_ptr<ForceFields::ForceField> field(
        RDKit::MMFF::constructForceField(graph, &properties, 10.0, static_cast<int>((*conformer)->getId())));
    field->initialize();
    field->minimize(steps);
  }
  return true;
}

std::uint64_t molecule_hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a, finalized by splitmix64
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

std::variant<PreparedMolecule, Refusal> prepare_molecule(const Molecule& molecule, MoleculeEntry&& entry,
                                                         const ConformerSettings& settings) {
  PreparedMolecule out;
  out.canonical = molecule.canonical;
  out.name = std::move(entry.name);
  out.hash = molecule_hash(molecule.canonical);
  out.flat_hash = molecule_hash(parent_smiles(molecule));
  out.logp = crippen_logp(molecule);
  out.largest_of_many = molecule.largest_of_many;
  out.odd_conformers = entry.odd_conformers;
  if (entry.conformers() == 0) return generate(std::move(out), molecule, settings);

  if (!same_composition(molecule, entry.elements)) {
    if (molecule.largest_of_many) return Refusal{SetAsideReason::fragments, ""};
    return Refusal{SetAsideReason::composition,
                   fmt::format("{} atoms in the file, {} in the SMILES", entry.elements.size(), molecule.atoms)};
  }
  out.conformers = std::min(entry.conformers(), wanted_conformers(out.flat_hash, settings));
  const auto kept = static_cast<std::size_t>(out.conformers);
  out.elements = std::move(entry.elements);
  out.positions = std::move(entry.positions);
  out.positions.resize(kept * 3 * out.elements.size());
  if (!entry.weights.empty()) {
    entry.weights.resize(kept);
    const double total = std::accumulate(entry.weights.begin(), entry.weights.end(), 0.0);
    if (total > 0.0)
      for (const float w : entry.weights) out.weights.push_back(static_cast<float>(w / total));
  }
  return out;
}

PreparedMolecule molecule_of_entry(MoleculeEntry&& entry, const ConformerSettings& settings) {
  const std::string place = entry.place, text = entry.smiles.empty() ? entry.name : entry.smiles;
  std::variant<PreparedMolecule, Refusal> made = prepare_entry(std::move(entry), settings);
  if (const Refusal* refusal = std::get_if<Refusal>(&made))
    fail("There is no molecule to use in what was given: {}",
         set_aside_line({refusal->reason, place, text, refusal->detail}));
  return std::get<PreparedMolecule>(std::move(made));
}

std::vector<PreparedMolecule> molecules_given(const std::string& smiles_or_file, const ConformerSettings& settings,
                                              std::int64_t most) {
  std::vector<PreparedMolecule> out;
  std::string refused;
  const auto take = [&](MoleculeEntry&& entry) {
    const std::string place = entry.place, smiles = entry.smiles;
    std::variant<PreparedMolecule, Refusal> made = prepare_entry(std::move(entry), settings);
    if (PreparedMolecule* prepared = std::get_if<PreparedMolecule>(&made)) {
      for (PreparedMolecule& before : out)
        if (before.hash == prepared->hash && join(before, std::move(*prepared))) return true;
      out.push_back(std::move(*prepared));
      return static_cast<std::int64_t>(out.size()) < most;
    }
    const Refusal& refusal = std::get<Refusal>(made);
    if (refused.empty()) refused = set_aside_line({refusal.reason, place, smiles, refusal.detail});
    return true;
  };
  std::error_code error;
  const std::filesystem::path file(smiles_or_file);
  if (smiles_or_file.size() < 4096 && std::filesystem::is_regular_file(file, error)) {
    read_molecules({.file = file, .columns = {}}, settings.limits, take);
  } else if (is_molecule_file(file)) {
    if (std::filesystem::exists(file, error) && !std::filesystem::is_directory(file, error))
      fail("{} is a pipe or a device; save what it gives to a file first", printable(smiles_or_file, 300));
    fail("The file {} does not exist; check the path, or give a SMILES string", printable(smiles_or_file, 300));
  } else {
    MoleculeEntry entry;
    entry.place = "the SMILES";
    entry.smiles = smiles_or_file;
    take(std::move(entry));
  }
  if (out.empty())
    fail("There is no molecule to use in what was given: {}", refused.empty() ? "it holds none" : refused);
  return out;
}

}  // namespace pairs
